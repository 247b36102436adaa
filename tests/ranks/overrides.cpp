// ranks: 1 2 3 5 8
//
// Every collective obeys the setting of its name: each algorithm that the library lists is chosen, and gives what any
// other gives. Ranks that disagree about settings or the tuning file are told so, all of them.
#include <algorithm>
#include <numeric>

#include "ranks.h"

using ranks::Rank;

namespace {

const char *const collectives[] = {"BARRIER",         "BCAST",   "REDUCE",        "ALLREDUCE",   "REDUCE_SCATTER",
                                   "REDUCE_SCATTERV", "SCAN",    "EXSCAN",        "ALLGATHER",   "ALLGATHERV",
                                   "GATHER",          "GATHERV", "SCATTER",       "SCATTERV",    "ALLTOALL",
                                   "ALLTOALLV",       "RESHARD", "ALLGATHER_DYN", "ALLTOALL_DYN"};

// What the library lists when it is asked for one that it does not have.
std::vector<std::string> algorithms_of(const std::string &collective) {
    xcoll_comm_config_t config;
    ranks::succeed(xcoll_comm_config_defaults(&config, sizeof config));
    const std::string settings = collective + "=no_such";
    config.settings = settings.c_str();
    xcoll_comm_t comm = XCOLL_COMM_NULL;
    ranks::expect(XCOLL_ERR_CONFIG, xcoll_init_config(&config, &comm));
    const std::string message = xcoll_last_error(), before = "expected one of ";
    ranks::expect_message({settings, before});
    std::vector<std::string> names;
    for (size_t at = message.find(before) + before.size(); at < message.size();) {
        const size_t end = std::min(message.find(", ", at), message.size());
        names.push_back(message.substr(at, end - at));
        at = end + 2;
    }
    return names;
}

std::vector<int> sequence(size_t count, int first) {
    std::vector<int> numbers(count);
    std::iota(numbers.begin(), numbers.end(), first);
    return numbers;
}

// All collectives, in turn, on numbers that show who sent them.
class Calls {
public:
    Calls(const Rank &rank, xcoll_comm_t comm, size_t count)
        : comm_(comm), ranks_(static_cast<size_t>(rank.size())), me_(static_cast<size_t>(rank.rank())), count_(count),
          counts_(ranks_, count), root_(rank.size() / 2) {
    }
    void reduce() const {
        const std::vector<int> mine = sequence(count_, static_cast<int>(me_));
        std::vector<int> got(count_), sums(count_), lower(count_), with_me(count_);
        for (size_t i = 0; i < count_; ++i) {
            const auto value = static_cast<int>(i), before = static_cast<int>(me_), all = static_cast<int>(ranks_);
            sums[i] = all * value + all * (all - 1) / 2;
            lower[i] = before * value + before * (before - 1) / 2;
            with_me[i] = lower[i] + mine[i];
        }
        ranks::succeed(xcoll_allreduce(mine.data(), got.data(), count_, XCOLL_INT32, XCOLL_SUM, comm_));
        expect(got == sums, "allreduce");
        ranks::succeed(xcoll_reduce(mine.data(), got.data(), count_, XCOLL_INT32, XCOLL_SUM, root_, comm_));
        expect(!is_root() || got == sums, "reduce");
        ranks::succeed(xcoll_scan(mine.data(), got.data(), count_, XCOLL_INT32, XCOLL_SUM, comm_));
        expect(got == with_me, "scan");
        ranks::succeed(xcoll_exscan(mine.data(), got.data(), count_, XCOLL_INT32, XCOLL_SUM, comm_));
        expect(me_ == 0 || got == lower, "exscan");
        scatter_sums();
        combine_truths(false);
        combine_truths(true);
    }
    void move() const {
        std::vector<int> mine = sequence(count_, value_of(me_)), got(count_);
        const std::vector<int> of_root = sequence(count_, value_of(static_cast<size_t>(root_)));
        got = is_root() ? of_root : got;
        ranks::succeed(xcoll_bcast(got.data(), count_, XCOLL_INT32, root_, comm_));
        expect(got == of_root, "bcast");
        std::vector<int> all, room(count_ * ranks_);
        for (size_t p = 0; p < ranks_; ++p) {
            const std::vector<int> part = sequence(count_, value_of(p));
            all.insert(all.end(), part.begin(), part.end());
        }
        ranks::succeed(xcoll_allgather(mine.data(), count_, room.data(), XCOLL_INT32, comm_));
        expect(room == all, "allgather");
        room.assign(room.size(), 0);
        ranks::succeed(xcoll_allgatherv(mine.data(), count_, room.data(), counts_.data(), nullptr, XCOLL_INT32, comm_));
        expect(room == all, "allgatherv");
        room.assign(room.size(), 0);
        ranks::succeed(xcoll_gather(mine.data(), count_, room.data(), XCOLL_INT32, root_, comm_));
        expect(!is_root() || room == all, "gather");
        room.assign(room.size(), 0);
        ranks::succeed(
            xcoll_gatherv(mine.data(), count_, room.data(), counts_.data(), nullptr, XCOLL_INT32, root_, comm_));
        expect(!is_root() || room == all, "gatherv");
        ranks::succeed(xcoll_scatter(all.data(), got.data(), count_, XCOLL_INT32, root_, comm_));
        expect(got == mine, "scatter");
        got.assign(count_, 0);
        ranks::succeed(
            xcoll_scatterv(all.data(), counts_.data(), nullptr, got.data(), count_, XCOLL_INT32, root_, comm_));
        expect(got == mine, "scatterv");
        exchange(all);
    }

private:
    static int value_of(size_t rank) {
        return static_cast<int>(rank) * 1'000'000;
    }
    bool is_root() const {
        return static_cast<int>(me_) == root_;
    }
    void expect(bool right, const std::string &collective) const {
        if (!right) {
            ranks::wrong(collective + " of " + std::to_string(count_) + " elements is wrong");
        }
    }
    void scatter_sums() const {
        const std::vector<int> mine = sequence(count_ * ranks_, static_cast<int>(me_));
        std::vector<int> got(count_), sums(count_);
        for (size_t i = 0; i < count_; ++i) {
            const auto all = static_cast<int>(ranks_);
            sums[i] = all * static_cast<int>(me_ * count_ + i) + all * (all - 1) / 2;
        }
        ranks::succeed(xcoll_reduce_scatter(mine.data(), got.data(), count_, XCOLL_INT32, XCOLL_SUM, comm_));
        expect(got == sums, "reduce_scatter");
        got.assign(count_, 0);
        ranks::succeed(xcoll_reduce_scatterv(mine.data(), got.data(), counts_.data(), XCOLL_INT32, XCOLL_SUM, comm_));
        expect(got == sums, "reduce_scatterv");
    }
    // Truth is 1, also where only one rank's goes into a result.
    void combine_truths(bool in_place) const {
        const std::vector<int> sevens(count_ * ranks_, 7), ones(count_, 1);
        const void *send = in_place ? XCOLL_IN_PLACE : sevens.data();
        const auto expect_ones = [&](const std::string &collective, bool is_given, auto call) {
            std::vector<int> got = sevens;
            ranks::succeed(call(got.data()));
            got.resize(count_);
            expect(!is_given || got == ones, collective + (in_place ? " of truths in place" : " of truths"));
        };
        expect_ones("allreduce", true,
                    [&](int *recv) { return xcoll_allreduce(send, recv, count_, XCOLL_INT32, XCOLL_LOR, comm_); });
        expect_ones("reduce", is_root(), [&](int *recv) {
            const void *mine = is_root() ? send : sevens.data();
            return xcoll_reduce(mine, recv, count_, XCOLL_INT32, XCOLL_LOR, root_, comm_);
        });
        expect_ones("reduce_scatter", true,
                    [&](int *recv) { return xcoll_reduce_scatter(send, recv, count_, XCOLL_INT32, XCOLL_LOR, comm_); });
        expect_ones("reduce_scatterv", true, [&](int *recv) {
            return xcoll_reduce_scatterv(send, recv, counts_.data(), XCOLL_INT32, XCOLL_LOR, comm_);
        });
        expect_ones("scan", true,
                    [&](int *recv) { return xcoll_scan(send, recv, count_, XCOLL_INT32, XCOLL_LOR, comm_); });
        expect_ones("exscan", me_ > 0,
                    [&](int *recv) { return xcoll_exscan(send, recv, count_, XCOLL_INT32, XCOLL_LOR, comm_); });
    }
    // Everybody sends rank p the part of `all` that is rank p's; so does a reshard of a tensor that all have.
    void exchange(const std::vector<int> &all) const {
        std::vector<int> mine, room(count_ * ranks_), got(count_);
        for (size_t p = 0; p < ranks_; ++p) {
            const std::vector<int> part = sequence(count_, value_of(me_));
            mine.insert(mine.end(), part.begin(), part.end());
        }
        ranks::succeed(xcoll_alltoall(all.data(), room.data(), count_, XCOLL_INT32, comm_));
        expect(room == mine, "alltoall");
        room.assign(room.size(), 0);
        ranks::succeed(xcoll_alltoallv(all.data(), counts_.data(), nullptr, room.data(), counts_.data(), nullptr,
                                       XCOLL_INT32, comm_));
        expect(room == mine, "alltoallv");
        exchange_dynamic(all, mine);
        const auto elements = static_cast<int64_t>(all.size());
        xcoll_tensor_t tensor;
        ranks::succeed(xcoll_tensor_defaults(&tensor, sizeof tensor));
        tensor.dtype = XCOLL_INT32;
        tensor.ndim = 1;
        tensor.shape = &elements;
        ranks::succeed(xcoll_reshard(all.data(), got.data(), &tensor, XCOLL_REPLICATED, 0, comm_));
        expect(got == sequence(count_, value_of(me_)), "reshard");
        tensor.op = XCOLL_MAX;
        ranks::succeed(xcoll_reshard(all.data(), room.data(), &tensor, XCOLL_PARTIAL, XCOLL_REPLICATED, comm_));
        expect(room == all, "reshard of partial results");
    }
    // The same with counts that the receivers do not know.
    void exchange_dynamic(const std::vector<int> &all, const std::vector<int> &from_all) const {
        std::vector<int> room(count_ * ranks_);
        const std::vector<uint64_t> given(ranks_, count_);
        std::vector<uint64_t> found(ranks_);
        ranks::succeed(
            xcoll_alltoall_dyn(all.data(), given.data(), room.data(), found.data(), count_, XCOLL_INT32, comm_));
        expect(room == from_all && found == given, "alltoall_dyn");
        room.assign(room.size(), 0);
        ranks::succeed(xcoll_allgather_dyn(all.data() + me_ * count_, given.data(), room.data(), found.data(), count_,
                                           0, XCOLL_INT32, comm_));
        expect(room == all && found == given, "allgather_dyn");
    }

    xcoll_comm_t comm_;
    size_t ranks_, me_, count_;
    std::vector<size_t> counts_;
    int root_;
};

bool is_obeyed(xcoll_comm_t comm, const std::string &setting) {
    size_t length = 0;
    ranks::succeed(xcoll_comm_describe(comm, nullptr, &length));
    std::string text(length, '\0');
    ranks::succeed(xcoll_comm_describe(comm, text.data(), &length));
    return text.find("\"asked_by\": \"" + setting + '"') != std::string::npos;
}

void every_algorithm_serves(const Rank &rank) {
    for (const std::string collective : collectives) {
        for (const std::string &algorithm : algorithms_of(collective)) {
            const std::string setting = collective + '=' + algorithm;
            xcoll_comm_t comm = rank.open("GROUPS=2,2;" + setting);
            const bool impossible = algorithm == "hierarchical" && rank.size() < 3;
            ranks::check(impossible || is_obeyed(comm, setting), setting.c_str());
            for (const size_t count : {size_t{0}, size_t{1}, size_t{333}, size_t{20'000}}) {
                const Calls calls(rank, comm, count);
                calls.reduce();
                calls.move();
                ranks::succeed(xcoll_barrier(comm));
            }
            ranks::succeed(xcoll_comm_free(&comm));
        }
    }
}

// ---- agreement

std::string file_of(const Rank &rank, const char *text) {
    std::string name = "/tmp/overrides-" + std::to_string(getpid()) + '-' + std::to_string(rank.rank());
    FILE *file = std::fopen(name.c_str(), "w");
    ranks::check(file && std::fputs(text, file) >= 0 && std::fclose(file) == 0, "a file cannot be written");
    return name;
}

// Every rank's settings are its own; all are told the same.
void expect_disagreement(const Rank &rank, xcoll_comm_t world, const std::string &settings,
                         const std::vector<std::string> &told) {
    xcoll_comm_config_t config;
    ranks::succeed(xcoll_comm_config_defaults(&config, sizeof config));
    config.settings = settings.c_str();
    xcoll_comm_t comm = XCOLL_COMM_NULL;
    const bool alone = rank.size() == 1;
    ranks::expect(alone ? XCOLL_SUCCESS : XCOLL_ERR_CONFIG, xcoll_comm_split_config(world, 0, 0, &config, &comm));
    if (!alone) {
        ranks::expect_message(told);
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

void ranks_that_disagree_are_told(const Rank &rank) {
    xcoll_comm_t world = rank.open();
    const bool first = rank.rank() == 0;
    expect_disagreement(rank, world, first ? "SCATTERV=messages;LEND=1M" : "",
                        {"different settings", "XCOLL_DETERMINISM",
                         first ? "this rank has set SCATTERV=messages" : "this rank has set none of them"});
    expect_disagreement(rank, world, first ? "GROUPS=none;DETERMINISM=size" : "GROUPS=none",
                        {"different settings",
                         first ? "this rank has set GROUPS=none, DETERMINISM=size" : "this rank has set GROUPS=none"});
    const std::string file = file_of(rank, first ? "bcast -> streams\n" : "bcast -> one_shot\n");
    expect_disagreement(rank, world, "TUNING_FILE=" + file,
                        {"different tuning files", "XCOLL_TUNING_FILE", "this rank has " + file});
    expect_disagreement(rank, world, first ? "TUNING_FILE=" + file : "",
                        {"different tuning files", first ? "this rank has " + file : "this rank has none"});
    unlink(file.c_str());
    ranks::succeed(xcoll_comm_free(&world));
}

void a_tuning_file_is_obeyed_and_its_mistakes_are_told(const Rank &rank) {
    const std::string file = file_of(rank, "# of this test\nbcast bytes 100..200 -> streams\n");
    xcoll_comm_t comm = rank.open("TUNING_FILE=" + file), child = XCOLL_COMM_NULL;
    unlink(file.c_str());
    ranks::succeed(xcoll_comm_dup(comm, &child));
    for (const xcoll_comm_t one : {comm, child}) {
        ranks::check(is_obeyed(one, "line 2 of " + file), "the tuning file is not obeyed");
    }
    Calls(rank, child, 30).move();
    ranks::succeed(xcoll_comm_free(&child));
    const std::string bad = file_of(rank, "bcast bytes 100..200 -> fastest\n");
    xcoll_comm_config_t config;
    ranks::succeed(xcoll_comm_config_defaults(&config, sizeof config));
    const std::string settings = "TUNING_FILE=" + bad;
    config.settings = settings.c_str();
    ranks::expect(XCOLL_ERR_CONFIG, xcoll_comm_split_config(comm, 0, 0, &config, &child));
    ranks::expect_message({"line 1 of " + bad, "one_shot, streams, attached, tree", "\"fastest\""});
    unlink(bad.c_str());
    ranks::succeed(xcoll_comm_free(&comm));
}

void test(Rank &rank) {
    every_algorithm_serves(rank);
    ranks_that_disagree_are_told(rank);
    a_tuning_file_is_obeyed_and_its_mistakes_are_told(rank);
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
