// threads
// ranks: 2 3
// timeout: 60
//
// A rank that waits for a message of one that has died says that it was a message, and not which operation came last:
// in a blocking call and in a request.
#include "jobs.h"

using jobs::Member;

namespace {

void receive(const Member &member) {
    const int sender = member.size - 1;
    ranks::succeed(xcoll_barrier(member.comm));
    member.report->is_ready = 1;
    if (member.rank == sender) {
        pause();
    }
    int received = 0;
    xcoll_result_t result = XCOLL_SUCCESS;
    if (member.rank == 0) {
        result = xcoll_recv(&received, 1, XCOLL_INT32, sender, 1, member.comm);
    } else {
        xcoll_request_t request = XCOLL_REQUEST_NULL;
        ranks::succeed(xcoll_irecv(&received, 1, XCOLL_INT32, sender, 1, member.comm, &request));
        result = xcoll_wait(&request);
    }
    member.report->write(result);
    xcoll_comm_t comm = member.comm;
    ranks::succeed(xcoll_comm_free(&comm));
}

} // namespace

int main(int, char **argv) {
    const int size = std::atoi(argv[1]), sender = size - 1;
    jobs::Job job(size, "", receive);
    job.wait_until_ready();
    job.send_signal(sender, SIGKILL);
    job.wait_for_reports(sender);
    for (int rank = 0; rank < sender; ++rank) {
        const jobs::Report &report = job.report(rank);
        // One of them notices it, and the others may hear of it from that one.
        if (!std::strstr(report.message, "noticed it in a message")) {
            ranks::wrong("rank " + std::to_string(rank) + " says " + xcoll_error_name(report.result) + ": " +
                         report.message);
        }
    }
    job.finish(sender);
    return 0;
}
