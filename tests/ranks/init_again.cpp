// ranks: 2 3 5
// env: XCOLL_TIMEOUT=300
// timeout: 60
//
// A process that calls xcoll_init again gets another communicator over the job. The limit of the call bounds it, who
// refuses it tells the others, and after a call that has failed the next one serves.
#include "ranks.h"

using ranks::Rank;

namespace {

xcoll_comm_config_t config_of(const char *settings, int64_t timeout_ms) {
    xcoll_comm_config_t config;
    ranks::succeed(xcoll_comm_config_defaults(&config, sizeof config));
    config.settings = settings;
    config.timeout_ms = timeout_ms;
    return config;
}

void expect_all_of(const Rank &rank, xcoll_comm_t comm) {
    int sum = 1;
    ranks::succeed(xcoll_allreduce(XCOLL_IN_PLACE, &sum, 1, XCOLL_INT32, XCOLL_SUM, comm));
    ranks::check(sum == rank.size(), "xcoll_init has made a communicator of other ranks");
}

void init_serves(const Rank &rank) {
    xcoll_comm_t comm = XCOLL_COMM_NULL;
    ranks::succeed(xcoll_init(&comm));
    expect_all_of(rank, comm);
    ranks::succeed(xcoll_comm_free(&comm));
    ranks::succeed(xcoll_finalize());
}

void what_one_rank_refuses_all_are_told(const Rank &rank, xcoll_comm_t world) {
    for (int offender = 0; offender < rank.size(); ++offender) {
        const bool mine = rank.rank() == offender;
        const xcoll_comm_config_t config = config_of(mine ? "BAD=1" : nullptr, 0);
        xcoll_comm_t comm = world;
        ranks::expect(mine ? XCOLL_ERR_CONFIG : XCOLL_ERR_MISMATCH, xcoll_init_config(&config, &comm));
        ranks::expect_message({mine ? "BAD" : "called init"});
        ranks::check(comm == XCOLL_COMM_NULL, "xcoll_init_config failed and left a communicator");
        ranks::expect(mine ? XCOLL_ERR_ARGUMENT : XCOLL_ERR_MISMATCH, xcoll_init(mine ? nullptr : &comm));
        init_serves(rank);
    }
    expect_all_of(rank, world);
}

// Rank 0 comes only when all others have given up.
void its_own_limit_bounds_it(const Rank &rank, xcoll_comm_t world) {
    const xcoll_comm_config_t hasty = config_of(nullptr, 50), usual = config_of(nullptr, 0);
    xcoll_comm_t comm = XCOLL_COMM_NULL;
    if (rank.rank() == 0) {
        expect_all_of(rank, world);
        ranks::expect(XCOLL_ERR_ABORTED, xcoll_init_config(&usual, &comm));
        ranks::expect_message({"init"});
    } else {
        const xcoll_result_t result = xcoll_init_config(&hasty, &comm);
        ranks::check(result == XCOLL_ERR_TIMEOUT || result == XCOLL_ERR_ABORTED, "nobody can have met rank 0");
        expect_all_of(rank, world);
    }
    for (int turn = 0; turn < 3; ++turn) {
        init_serves(rank);
    }
}

void test(Rank &rank) {
    xcoll_comm_t world = rank.open();
    what_one_rank_refuses_all_are_told(rank, world);
    its_own_limit_bounds_it(rank, world);
    expect_all_of(rank, world);
    ranks::succeed(xcoll_comm_free(&world));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
