// For killed_under_xcollrun.sh: rank 1 is killed in the middle of its work; the others print what they are told.
#include <signal.h>

#include "../ranks/ranks.h"

int main() {
    xcoll_comm_t world = XCOLL_COMM_NULL;
    int rank = 0;
    ranks::succeed(xcoll_init(&world));
    ranks::succeed(xcoll_comm_rank(world, &rank));
    std::vector<double> data(100'000);
    xcoll_result_t result = XCOLL_SUCCESS;
    for (int i = 0; result == XCOLL_SUCCESS; ++i) {
        if (rank == 1 && i == 50) {
            raise(SIGKILL);
        }
        result = xcoll_allreduce(XCOLL_IN_PLACE, data.data(), i % 2 ? data.size() : 1, XCOLL_FLOAT64, XCOLL_SUM, world);
    }
    std::printf("%s %s\n", xcoll_error_name(result), xcoll_last_error());
    ranks::succeed(xcoll_comm_free(&world));
    ranks::succeed(xcoll_finalize());
    return 0;
}
