// ranks: 1 2 3 5
//
// A group that is like one of the last does what the first one did: with the same buffers, with others, in place or
// not, by turns with its likes, and after any of its calls differed, was refused or did not match.
#include "repeated_groups.h"

using ranks::Rank;
using recorded::Groups;
using recorded::Script;
using recorded::times;
using recorded::What;

namespace {

// One of each kind, by the other roots again, and some that are alike.
Script mixed(const Rank &rank, size_t count) {
    const int last = rank.size() - 1;
    return {{What::allgather, count, 0},     {What::bcast, count + 1, 0},     {What::allreduce, count, 0},
            {What::alltoall, count, 0},      {What::gather, count, last},     {What::reduce, count + 1, 0},
            {What::scatter, count + 2, 0},   {What::bcast, count, last},      {What::reduce_scatter, count, 0},
            {What::allgather, count + 3, 0}, {What::scatter, count, last},    {What::scan, count, 0},
            {What::gather, count, 0},        {What::barrier, 0, 0},           {What::reduce, count, last},
            {What::alltoall, count + 1, 0},  {What::allreduce, count + 2, 0}, {What::allgather, count, 0}};
}
Script alike(size_t calls, size_t count, What what = What::allgather) {
    return Script(calls, {what, count, 0});
}

void gives_the_same_each_time(const Rank &rank, xcoll_comm_t comm) {
    for (const Script &script :
         {alike(64, 2), alike(2, 1), alike(9, 500), alike(300, 1), alike(1, 3), alike(64, 2, What::allreduce),
          alike(2, 1, What::allreduce), alike(30, 900, What::allreduce), alike(3, 5000, What::reduce_scatter),
          alike(9, 2, What::reduce), alike(300, 1, What::scan), alike(1, 3, What::allreduce), mixed(rank, 1),
          mixed(rank, 0), mixed(rank, 200), mixed(rank, 20'000)}) {
        Groups groups(rank, comm, script);
        const size_t one = script.size() / 2;
        int turn = 0;
        for (; turn < times; ++turn) {
            groups.run(turn);
        }
        for (; turn < 2 * times; ++turn) {
            groups.run([&](size_t) { return static_cast<size_t>(turn) % 2; }, turn);
        }
        for (; turn < 3 * times; ++turn) {
            groups.run([&](size_t k) { return k == one ? static_cast<size_t>(turn) % 2 : 0; }, turn);
        }
        for (; turn < 4 * times; ++turn) {
            groups.run([&](size_t) { return static_cast<size_t>(turn) / 2 % 2; }, turn, turn % 2 != 0);
        }
    }
}

void gives_the_same_by_turns(const Rank &rank, xcoll_comm_t comm) {
    for (const size_t variants : {size_t{2}, size_t{4}, size_t{5}}) {
        std::vector<Groups> all;
        for (size_t v = 0; v < variants; ++v) {
            Script script = mixed(rank, 3);
            script.back().count += v;
            all.emplace_back(rank, comm, script);
        }
        for (int turn = 0; turn < times * static_cast<int>(variants); ++turn) {
            all[static_cast<size_t>(turn) % variants].run(turn);
        }
    }
}

void follows_roots_that_change(const Rank &rank, xcoll_comm_t comm) {
    for (int turn = 0; turn < 3 * times * rank.size(); ++turn) {
        Script script;
        for (int k = 0; k < 10; ++k) {
            script.push_back({What::bcast, 2, (turn + k) % rank.size()});
        }
        Groups(rank, comm, script).run(turn);
    }
}

// What was the same up to there is not taken for the whole.
void notices_any_call_that_differs(const Rank &rank, xcoll_comm_t comm) {
    const Script script = mixed(rank, 2);
    Groups usual(rank, comm, script);
    usual.get_used_to_it();
    for (size_t k = 0; k < script.size(); ++k) {
        Script longer = script, other = script, rooted = script;
        longer[k].count += 1;
        other[k].what = other[k].what == What::allgather ? What::alltoall : What::allgather;
        rooted[k].root = (rooted[k].root + 1) % rank.size();
        for (const Script &changed :
             {longer, other, rooted, Script(script.begin(), script.begin() + static_cast<long>(k)),
              Script(script.begin() + static_cast<long>(k), script.end())}) {
            Groups groups(rank, comm, changed);
            groups.run(1);
            usual.run(2);
            groups.run(3);
            groups.run(4);
            usual.run(5);
        }
    }
    Script more = script;
    more.push_back({What::bcast, 1, 0});
    Groups(rank, comm, more).run(1);
    usual.run(2);
}

// Calls that no group is known by, at any place in one that is.
void takes_in_what_is_not_known(const Rank &rank, xcoll_comm_t comm, xcoll_comm_t other) {
    Groups usual(rank, comm, mixed(rank, 2)), elsewhere(rank, other, mixed(rank, 2));
    usual.get_used_to_it();
    elsewhere.get_used_to_it();
    for (const bool before : {true, false}) {
        int mine = rank.rank(), sum = -1, more = -1;
        xcoll_request_t request = XCOLL_REQUEST_NULL;
        ranks::succeed(xcoll_group_start());
        for (const bool now : {true, false}) {
            if (now == before) {
                usual.record(Groups::always_the_first, 7);
            } else {
                ranks::succeed(xcoll_allreduce(&mine, &sum, 1, XCOLL_INT32, XCOLL_SUM, comm));
                ranks::succeed(xcoll_iallreduce(&mine, &more, 1, XCOLL_INT32, XCOLL_MAX, comm, &request));
                elsewhere.record(Groups::always_the_first, 8);
            }
        }
        ranks::succeed(xcoll_group_end());
        ranks::succeed(xcoll_wait(&request));
        usual.check(Groups::always_the_first, 7);
        elsewhere.check(Groups::always_the_first, 8);
        ranks::check(sum == rank.size() * (rank.size() - 1) / 2 && more == rank.size() - 1, "a wrong sum in a group");
        usual.run(9);
    }
}

void runs_beside_a_request(const Rank &rank, xcoll_comm_t comm) {
    Groups groups(rank, comm, mixed(rank, 2));
    groups.get_used_to_it();
    int mine = 1, all = 0;
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_iallreduce(&mine, &all, 1, XCOLL_INT32, XCOLL_SUM, comm, &request));
    groups.run(times);
    ranks::succeed(xcoll_wait(&request));
    ranks::check(all == rank.size(), "a wrong sum of a request");
}

void ends_in_every_other_way(const Rank &rank, xcoll_comm_t comm) {
    Groups groups(rank, comm, mixed(rank, 2));
    groups.get_used_to_it();
    const Groups::Pick second = [](size_t) { return size_t{1}; };
    xcoll_request_t request = XCOLL_REQUEST_NULL;

    ranks::succeed(xcoll_group_start());
    groups.record(second, 1);
    ranks::succeed(xcoll_group_iend(&request));
    ranks::succeed(xcoll_wait(&request));
    groups.check(second, 1);

    ranks::succeed(xcoll_group_start());
    groups.record(second, 2);
    ranks::succeed(xcoll_group_end_init(&request));
    groups.run(3); // is not what the request starts
    ranks::succeed(xcoll_start(&request));
    ranks::succeed(xcoll_wait(&request));
    groups.check(second, 2);
    std::vector<int> moved(2 * static_cast<size_t>(rank.size()));
    ranks::succeed(xcoll_request_rebind(request, 0, XCOLL_SLOT_RECV, moved.data()));
    ranks::succeed(xcoll_start(&request));
    ranks::succeed(xcoll_wait(&request));
    ranks::succeed(xcoll_request_free(&request));
    ranks::check(moved == groups.calls_of(1).result(0, 2), "a request did not follow its buffer");

    ranks::succeed(xcoll_group_start());
    groups.record(second, 4);
    ranks::succeed(xcoll_group_cancel());
    groups.run(5);

    ranks::succeed(xcoll_group_start());
    groups.record(Groups::always_the_first, 6);
    ranks::succeed(xcoll_group_then());
    groups.record(second, 7);
    ranks::succeed(xcoll_group_end());
    groups.check(Groups::always_the_first, 6);
    groups.check(second, 7);

    ranks::succeed(xcoll_group_start());
    ranks::succeed(xcoll_group_start());
    groups.record(second, 8);
    ranks::succeed(xcoll_group_end()); // of the inner one
    ranks::check(groups.calls_of(1).result(0, 8) != groups.calls_of(1).found(0), "an inner group was run at its end");
    ranks::succeed(xcoll_group_end());
    groups.check(second, 8);
}

// It had the buffers that the next group has.
void takes_no_buffer_from_a_refused_call(const Rank &rank, xcoll_comm_t comm) {
    for (const What what :
         {What::allgather, What::alltoall, What::reduce_scatter, What::gather, What::allreduce, What::scan}) {
        Groups groups(rank, comm, alike(2, 3, what));
        groups.get_used_to_it();
        for (size_t k = 0; k < groups.calls(); ++k) {
            ranks::succeed(xcoll_group_start());
            for (size_t before = 0; before < k; ++before) {
                ranks::succeed(groups.calls_of(0).call(before, comm));
            }
            ranks::expect(XCOLL_ERR_ARGUMENT, groups.calls_of(1).call_without_input(k, comm));
            ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_group_end());
            groups.calls_of(0).swap_results(k, groups.calls_of(1));
            groups.run(times);
        }
    }
}

void refuses_bad_buffers(const Rank &rank, xcoll_comm_t comm) {
    const Script script = mixed(rank, 2);
    Groups groups(rank, comm, script);
    for (const size_t bad : {size_t{0}, script.size() / 2, script.size() - 1}) {
        groups.get_used_to_it();
        const bool mine = rank.rank() == rank.size() / 2;
        ranks::succeed(xcoll_group_start());
        for (size_t k = 0; k < script.size(); ++k) {
            if (k == bad && mine) {
                ranks::expect(XCOLL_ERR_ARGUMENT, groups.calls_of(0).call_without_buffers(k, comm));
            } else {
                ranks::succeed(groups.calls_of(0).call(k, comm));
            }
        }
        ranks::expect(mine ? XCOLL_ERR_ARGUMENT : XCOLL_ERR_MISMATCH, xcoll_group_end());
        groups.run(times);
    }
}

void names_who_calls_something_else(const Rank &rank, xcoll_comm_t comm) {
    if (rank.size() == 1) {
        return;
    }
    const Script script = mixed(rank, 2);
    Groups groups(rank, comm, script);
    for (size_t k = 0; k < script.size(); ++k) {
        if (script[k].what == What::barrier) {
            continue; // there is nothing to differ in
        }
        groups.get_used_to_it();
        Script changed = script;
        changed[k].count += rank.rank() == 1 ? 1 : 0;
        Groups differ(rank, comm, changed);
        ranks::succeed(xcoll_group_start());
        differ.record(Groups::always_the_first, 1);
        ranks::expect(XCOLL_ERR_MISMATCH, xcoll_group_end());
        groups.run(times);
    }
}

void test(Rank &rank) {
    xcoll_comm_t comm = rank.open(), other = rank.open();
    gives_the_same_each_time(rank, comm);
    gives_the_same_by_turns(rank, comm);
    follows_roots_that_change(rank, comm);
    notices_any_call_that_differs(rank, comm);
    takes_in_what_is_not_known(rank, comm, other);
    runs_beside_a_request(rank, comm);
    ends_in_every_other_way(rank, comm);
    takes_no_buffer_from_a_refused_call(rank, comm);
    refuses_bad_buffers(rank, comm);
    names_who_calls_something_else(rank, comm);
    ranks::succeed(xcoll_comm_free(&other));
    ranks::succeed(xcoll_comm_free(&comm));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
