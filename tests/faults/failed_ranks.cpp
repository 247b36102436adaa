// threads
// ranks: 5 8
// timeout: 120
//
// xcoll_comm_failed_ranks tells which ranks have died, on a communicator that nothing waits on and on one that has
// failed: killed ones, not the one that has freed the communicator and ended, lowest first as far as there is room.
#include "jobs.h"

using jobs::Member;

namespace {

constexpr int killed[] = {1, 3};
constexpr size_t killed_count = std::size(killed);

size_t count_failed(xcoll_comm_t comm) {
    size_t count = 0;
    ranks::succeed(xcoll_comm_failed_ranks(comm, &count, nullptr));
    return count;
}

void expect_all(xcoll_comm_t comm) {
    constexpr int untouched = -7;
    for (size_t room = 0; room <= killed_count + 1; ++room) {
        int found[killed_count + 1];
        std::fill(std::begin(found), std::end(found), untouched);
        size_t count = room;
        ranks::succeed(xcoll_comm_failed_ranks(comm, &count, found));
        ranks::check(count == killed_count, "another number of dead ranks");
        for (size_t i = 0; i < std::size(found); ++i) {
            ranks::check(found[i] == (i < std::min(room, killed_count) ? killed[i] : untouched), "another dead rank");
        }
    }
}

void look(const Member &member) {
    xcoll_comm_t comm = member.comm;
    ranks::check(count_failed(comm) == 0, "a rank is dead from the start");
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_comm_failed_ranks(comm, nullptr, nullptr));
    member.report->is_ready = 1;
    if (member.rank == killed[0] || member.rank == killed[1]) {
        pause();
    }
    if (member.rank == member.size - 1) {
        ranks::succeed(xcoll_comm_free(&comm));
        return; // and ends
    }
    while (count_failed(comm) < killed_count) {
        jobs::sleep_us(500);
    }
    expect_all(comm);
    const xcoll_result_t result = xcoll_barrier(comm);
    ranks::check(result != XCOLL_SUCCESS, "a barrier without all ranks succeeds");
    expect_all(comm);
    ranks::succeed(xcoll_comm_free(&comm));
    member.report->write(result);
}

} // namespace

int main(int, char **argv) {
    const int size = std::atoi(argv[1]), leaver = size - 1;
    jobs::Job job(size, "", look);
    job.wait_until_ready();
    job.reap(leaver);
    for (const int rank : killed) {
        job.send_signal(rank, SIGKILL);
        job.reap(rank);
    }
    job.finish();
    return 0;
}
