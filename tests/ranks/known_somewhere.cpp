// ranks: 1 2 3 5
//
// Which groups are known is each rank's own matter, and depends on what it has called: a rank that knows a group and
// one that does not make the same operations of it, however it ends and whatever its calls turn into.
#include "repeated_groups.h"

using ranks::Rank;
using recorded::Groups;
using recorded::Script;
using recorded::What;

namespace {

// Operations of one call each, of all, and of both sorts: large ones, small ones that are joined, what moves data.
std::vector<Script> scripts(size_t extra) {
    return {{{What::allreduce, 50'000 + extra, 0}, {What::allreduce, 40'000, 0}},
            {{What::allgather, 4 + extra, 0}, {What::bcast, 3, 0}},
            {{What::allreduce, 50'000 + extra, 0},
             {What::allgather, 4, 0},
             {What::allreduce, 3, 0},
             {What::allreduce, 40'000, 0},
             {What::bcast, 3, 0},
             {What::reduce, 2, 0}}};
}

// On this rank alone, more groups than the library knows: they are of messages to itself.
void forget(const Rank &rank, xcoll_comm_t comm) {
    for (size_t count = 1; count <= 8; ++count) {
        const std::vector<int> sent(count, 17);
        std::vector<int> received(count);
        ranks::succeed(xcoll_group_start());
        ranks::succeed(xcoll_send(sent.data(), count, XCOLL_INT32, rank.rank(), 0, comm));
        ranks::succeed(xcoll_recv(received.data(), count, XCOLL_INT32, rank.rank(), 0, comm));
        ranks::succeed(xcoll_group_end());
        ranks::check(received == sent, "a message to oneself is wrong");
    }
}

using Turn = void (*)(const Rank &rank, Groups &groups, xcoll_comm_t comm);

void the_whole(const Rank &, Groups &groups, xcoll_comm_t) {
    groups.run(1);
}
void the_whole_as_a_request(const Rank &, Groups &groups, xcoll_comm_t) {
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_group_start());
    groups.record(Groups::always_the_first, 1);
    ranks::succeed(xcoll_group_iend(&request));
    ranks::succeed(xcoll_wait(&request));
    groups.check(Groups::always_the_first, 1);
}
void the_whole_as_a_persistent_request(const Rank &, Groups &groups, xcoll_comm_t) {
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_group_start());
    groups.record(Groups::always_the_first, 1);
    ranks::succeed(xcoll_group_end_init(&request));
    ranks::succeed(xcoll_start(&request));
    ranks::succeed(xcoll_wait(&request));
    ranks::succeed(xcoll_request_free(&request));
    groups.check(Groups::always_the_first, 1);
}
void some_of_its_calls(const Rank &, Groups &groups, xcoll_comm_t comm) {
    for (size_t calls = 1; calls < groups.calls(); ++calls) {
        ranks::succeed(xcoll_group_start());
        for (size_t k = 0; k < calls; ++k) {
            groups.calls_of(0).prepare(k, 1, false);
            ranks::succeed(groups.calls_of(0).call(k, comm));
        }
        ranks::succeed(xcoll_group_end());
        for (size_t k = 0; k < calls; ++k) {
            groups.calls_of(0).check(k, 1);
        }
    }
}
void all_of_them_in_a_later_stage(const Rank &, Groups &groups, xcoll_comm_t) {
    ranks::succeed(xcoll_group_start());
    ranks::succeed(xcoll_group_then());
    groups.record(Groups::always_the_first, 1);
    ranks::succeed(xcoll_group_end());
    groups.check(Groups::always_the_first, 1);
}
void each_of_them_in_a_stage_of_its_own(const Rank &, Groups &groups, xcoll_comm_t comm) {
    ranks::succeed(xcoll_group_start());
    for (size_t k = 0; k < groups.calls(); ++k) {
        groups.calls_of(0).prepare(k, 1, false);
        ranks::succeed(groups.calls_of(0).call(k, comm));
        ranks::succeed(xcoll_group_then());
    }
    ranks::succeed(xcoll_group_end());
    groups.check(Groups::always_the_first, 1);
}
void a_call_that_is_refused(const Rank &rank, Groups &groups, xcoll_comm_t comm) {
    const bool mine = rank.rank() == 0;
    for (size_t bad = 0; bad < groups.calls(); ++bad) {
        ranks::succeed(xcoll_group_start());
        for (size_t k = 0; k < groups.calls(); ++k) {
            if (mine && k == bad) {
                ranks::expect(XCOLL_ERR_ARGUMENT, groups.calls_of(0).call_without_buffers(k, comm));
            } else {
                ranks::succeed(groups.calls_of(0).call(k, comm));
            }
        }
        ranks::expect(mine ? XCOLL_ERR_ARGUMENT : XCOLL_ERR_MISMATCH, xcoll_group_end());
    }
}

void test(Rank &rank) {
    xcoll_comm_t comm = rank.open();
    size_t extra = 0; // other groups each time
    for (const Turn turn : {the_whole, the_whole_as_a_request, the_whole_as_a_persistent_request, some_of_its_calls,
                            all_of_them_in_a_later_stage, each_of_them_in_a_stage_of_its_own, a_call_that_is_refused}) {
        for (const bool first_forgets : {true, false}) {
            ++extra;
            for (const Script &script : scripts(extra)) {
                Groups groups(rank, comm, script);
                groups.get_used_to_it();
                if ((rank.rank() == 0) == first_forgets) {
                    forget(rank, comm);
                }
                for (int times = 0; times < 2; ++times) {
                    turn(rank, groups, comm);
                    groups.run(2);
                }
            }
        }
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
