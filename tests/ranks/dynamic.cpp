// ranks: 1 2 3 5 7 8 13
// timeout: 120
//
// Counts that only the senders know: what comes is what was sent and where it belongs, in every form and by every
// algorithm, with the counts of the moment when it runs. Of parts that are too long both ends hear, the counts are told
// all the same, and all else arrives.
#include <random>

#include "buffer.h"
#include "values.h"

using ranks::Rank;

namespace {

constexpr int32_t garbage = 0x6e6e6e6e;

int32_t value(int from, int to, uint64_t turn, size_t i) {
    return static_cast<int32_t>(values::mix(turn * 4096 + static_cast<uint64_t>(from * 64 + to)) + i);
}

// One operation as all ranks know it; the library is told only each rank's own counts.
class Case {
public:
    Case(uint64_t number, int rank, int size, xcoll_comm_t comm)
        : rank_(rank), size_(size), number_(number), comm_(comm) {
        std::mt19937_64 dice(values::mix(number));
        constexpr size_t most[] = {0, 1, 5, 9, 70, 1500, 9000, 60'000};
        all_to_all_ = dice() % 2 == 0;
        most_ = most[dice() % std::size(most)];
        in_place_ = dice() % 3 == 0;
        overflow_ = dice() % 3 == 0;
        shift_ = dice() % 3;
        heap_ = dice() % 2 == 0;
        // The rest is each rank's own affair.
        packed_ = !all_to_all_ && !in_place_ && values::mix(number + 77 * static_cast<uint64_t>(rank)) % 2 == 0;
        const size_t parts = static_cast<size_t>(size);
        const auto buffer = [&] { return ranks::Buffer<char>(room() + 4, heap_ ? comm : XCOLL_COMM_NULL); };
        send_ = buffer();
        recv_ = buffer();
        given_.resize(parts);
        found_.resize(parts);
    }
    void prepare(uint64_t turn) {
        turn_ = turn;
        std::fill(send_.begin(), send_.end(), static_cast<char>(garbage));
        std::fill(recv_.begin(), recv_.end(), static_cast<char>(garbage));
        std::fill(found_.begin(), found_.end(), ~uint64_t{0});
        for (int to = 0; to < size_; ++to) {
            const auto t = static_cast<size_t>(to);
            given_[t] = count(rank_, to);
            char *part = in_place_ ? recv() + (all_to_all_ ? t : static_cast<size_t>(rank_)) * part_bytes()
                                   : send() + (all_to_all_ ? t * part_bytes() : 0);
            for (size_t i = 0; i < std::min<size_t>(given_[t], most_); ++i) {
                const int32_t v = value(rank_, all_to_all_ ? to : 0, turn, i);
                std::memcpy(part + i * sizeof v, &v, sizeof v);
            }
        }
    }
    enum Form : int { blocking, immediate, persistent, enqueued };
    xcoll_result_t call(Form form, xcoll_request_t *request) {
        const void *s = in_place_ ? XCOLL_IN_PLACE : static_cast<const void *>(send());
        void *r = recv();
        const uint64_t *given = given_.data();
        uint64_t *found = found_.data();
        switch (form) {
        case blocking:
            return all_to_all_ ? xcoll_alltoall_dyn(s, given, r, found, most_, XCOLL_INT32, comm_)
                               : xcoll_allgather_dyn(s, given, r, found, most_, packed_, XCOLL_INT32, comm_);
        case immediate:
            return all_to_all_ ? xcoll_ialltoall_dyn(s, given, r, found, most_, XCOLL_INT32, comm_, request)
                               : xcoll_iallgather_dyn(s, given, r, found, most_, packed_, XCOLL_INT32, comm_, request);
        case persistent:
            return all_to_all_
                       ? xcoll_alltoall_dyn_init(s, given, r, found, most_, XCOLL_INT32, comm_, request)
                       : xcoll_allgather_dyn_init(s, given, r, found, most_, packed_, XCOLL_INT32, comm_, request);
        default:
            return all_to_all_
                       ? xcoll_alltoall_dyn_enqueue(s, given, r, found, most_, XCOLL_INT32, comm_, nullptr)
                       : xcoll_allgather_dyn_enqueue(s, given, r, found, most_, packed_, XCOLL_INT32, comm_, nullptr);
        }
    }
    // Somebody has more for this rank, or this rank for somebody, than there is room.
    xcoll_result_t expected() const {
        for (int p = 0; p < size_; ++p) {
            if (count(p, rank_) > most_ || count(rank_, p) > most_) {
                return XCOLL_ERR_TRUNCATE;
            }
        }
        return XCOLL_SUCCESS;
    }
    void check() {
        size_t next = 0;
        for (int from = 0; from < size_; ++from) {
            const auto f = static_cast<size_t>(from);
            const size_t told = count(from, rank_), comes = told <= most_ ? told : 0;
            if (found_[f] != told) {
                wrong("the count of rank " + std::to_string(from));
            }
            const size_t at = packed_ ? next : f * most_;
            for (size_t i = 0; i < comes; ++i) {
                expect(at + i, value(from, all_to_all_ ? rank_ : 0, turn_, i));
            }
            for (size_t i = comes; i < most_ && !packed_ && !in_place_; ++i) {
                expect(at + i, garbage);
            }
            next += comes;
        }
        for (size_t i = next; i < most_ * static_cast<size_t>(size_) && packed_; ++i) {
            expect(i, garbage);
        }
    }
    void run(Form form, uint64_t turn, xcoll_request_t *request) {
        prepare(turn);
        if (form == persistent && turn > 0) {
            ranks::succeed(xcoll_start(request));
        } else {
            const xcoll_result_t at_once = call(form, request);
            if (form == blocking || form == enqueued) {
                ranks::expect(expected(), at_once);
                check();
                return;
            }
            ranks::succeed(at_once);
            if (form == persistent) {
                ranks::succeed(xcoll_start(request));
            }
        }
        ranks::expect(expected(), xcoll_wait(request));
        check();
    }

private:
    size_t part_bytes() const {
        return most_ * sizeof(int32_t);
    }
    size_t room() const {
        return part_bytes() * static_cast<size_t>(size_);
    }
    char *send() {
        return send_.data() + shift_;
    }
    char *recv() {
        return recv_.data() + shift_;
    }
    size_t count(int from, int to) const {
        const auto pair = static_cast<uint64_t>(from * 64 + (all_to_all_ ? to : 0));
        const uint64_t roll = values::mix(number_ * 8192 + turn_ * 64 * 64 + pair);
        switch (roll % 5) {
        case 0:
            return 0;
        case 1:
            return most_;
        case 2:
            return overflow_ && roll % 7 == 0 ? most_ + 1 + roll % 50 : most_ / 2;
        default:
            return most_ == 0 ? 0 : roll / 5 % most_;
        }
    }
    [[noreturn]] void wrong(const std::string &what) const {
        ranks::wrong("case " + std::to_string(number_) + ", turn " + std::to_string(turn_) +
                     (all_to_all_ ? ", alltoall_dyn" : ", allgather_dyn") + (packed_ ? ", packed" : "") +
                     (in_place_ ? ", in place" : "") + ", max_count " + std::to_string(most_) + ": " + what +
                     " is wrong");
    }
    void expect(size_t index, int32_t wanted) {
        int32_t v = 0;
        std::memcpy(&v, recv() + index * sizeof v, sizeof v);
        if (v != wanted) {
            wrong("element " + std::to_string(index) + ", " + std::to_string(v) + " instead of " +
                  std::to_string(wanted) + ",");
        }
    }

    int rank_, size_;
    uint64_t number_;
    xcoll_comm_t comm_;
    bool all_to_all_ = false, packed_ = false, in_place_ = false, overflow_ = false, heap_ = false;
    size_t most_ = 0, shift_ = 0;
    uint64_t turn_ = 0;
    ranks::Buffer<char> send_, recv_;
    std::vector<uint64_t> given_, found_;
};

void in_every_form(const Rank &rank, xcoll_comm_t comm) {
    constexpr uint64_t cases = 40;
    for (uint64_t number = ranks::first_seed(); number < ranks::first_seed() + cases; ++number) {
        Case one(number, rank.rank(), rank.size(), comm);
        const auto form = static_cast<Case::Form>(values::mix(number * 16 + static_cast<uint64_t>(rank.rank())) % 4);
        xcoll_request_t request = XCOLL_REQUEST_NULL;
        for (uint64_t turn = 0; turn < 3; ++turn) {
            one.run(form, turn, &request);
        }
        ranks::succeed(xcoll_request_free(&request));
    }
}

// The counts are read when the operation begins: those of a later stage are what the earlier one brought.
void counts_of_the_moment(const Rank &rank, xcoll_comm_t comm) {
    const auto ranks_ = static_cast<size_t>(rank.size());
    uint64_t count = 0;
    std::vector<uint64_t> found(ranks_);
    std::vector<int32_t> mine(10, rank.rank()), room(10 * ranks_, garbage);
    const uint64_t of_root = 7;
    uint64_t given = rank.rank() == 0 ? of_root : 0;
    ranks::succeed(xcoll_group_start());
    ranks::succeed(xcoll_allreduce(&given, &count, 1, XCOLL_UINT64, XCOLL_SUM, comm));
    ranks::succeed(xcoll_group_then());
    ranks::succeed(xcoll_allgather_dyn(mine.data(), &count, room.data(), found.data(), 10, 1, XCOLL_INT32, comm));
    ranks::succeed(xcoll_group_end());
    for (size_t i = 0; i < of_root * ranks_; ++i) {
        ranks::check(room[i] == static_cast<int32_t>(i / of_root), "an element of the packed result");
    }
    ranks::check(found == std::vector<uint64_t>(ranks_, of_root), "the counts");
}

// A part of two columns of a matrix of four, for every second rank.
void of_made_types(const Rank &rank, xcoll_comm_t comm) {
    const auto size = static_cast<size_t>(rank.size());
    xcoll_dtype_t columns = 0, row = 0;
    ranks::succeed(xcoll_type_vector(1, 2, 2, XCOLL_INT32, &columns));
    ranks::succeed(xcoll_type_resized(columns, 4 * sizeof(int32_t), &row));
    constexpr size_t most = 3;
    const uint64_t rows = rank.rank() % 2 == 0 ? 2 : 0;
    std::vector<int32_t> mine(4 * most, rank.rank()), room(4 * most * size, garbage);
    std::vector<uint64_t> found(size);
    ranks::succeed(xcoll_allgather_dyn(mine.data(), &rows, room.data(), found.data(), most, 1, row, comm));
    size_t next = 0;
    for (size_t p = 0; p < size; ++p) {
        ranks::check(found[p] == (p % 2 == 0 ? 2 : 0), "the count of rows");
        for (size_t r = 0; r < found[p]; ++r, next += 4) {
            ranks::check(room[next] == static_cast<int32_t>(p) && room[next + 1] == static_cast<int32_t>(p) &&
                             room[next + 2] == garbage && room[next + 3] == garbage,
                         "a row");
        }
    }
    ranks::succeed(xcoll_type_free(&row));
    ranks::succeed(xcoll_type_free(&columns));
}

// What is wrong with the arguments is told here, to the others as a mismatch that names this rank, also where only the
// counts of the moment show it; and the communicator goes on.
void bad_arguments(const Rank &rank, xcoll_comm_t comm) {
    const auto size = static_cast<size_t>(rank.size());
    std::vector<int32_t> mine(4 * size), room(4 * size);
    std::vector<uint64_t> found(size), counts(size, 4);
    const bool last = rank.rank() == rank.size() - 1;
    const auto refused = [&](xcoll_result_t result) {
        ranks::expect(last ? XCOLL_ERR_ARGUMENT : XCOLL_ERR_MISMATCH, result);
        if (!last) {
            ranks::expect_message({"rank " + std::to_string(size - 1) + " called", "was refused there"});
        }
    };
    refused(xcoll_alltoall_dyn(last ? nullptr : mine.data(), counts.data(), room.data(), found.data(), 4, XCOLL_INT32,
                               comm));
    refused(xcoll_allgather_dyn(last ? room.data() + 1 : mine.data(), counts.data(), room.data(), found.data(), 4, 1,
                                XCOLL_INT32, comm));
    refused(xcoll_allgather_dyn(last ? XCOLL_IN_PLACE : mine.data(), counts.data(), room.data(), found.data(), 4, last,
                                XCOLL_INT32, comm));
    refused(xcoll_allgather_dyn(mine.data(), last ? nullptr : counts.data(), room.data(), found.data(), 4, 0,
                                XCOLL_INT32, comm));
    if (size > 1) {
        ranks::expect(XCOLL_ERR_MISMATCH, xcoll_allgather_dyn(mine.data(), counts.data(), room.data(), found.data(),
                                                              last ? 3 : 4, 0, XCOLL_INT32, comm));
    }
    ranks::succeed(xcoll_barrier(comm));
}

// The message says whose part it was, how long, and what to do.
void says_what_was_too_long(const Rank &rank, xcoll_comm_t comm) {
    const auto size = static_cast<size_t>(rank.size());
    std::vector<int32_t> mine(9), room(8 * size);
    std::vector<uint64_t> found(size);
    const uint64_t count = rank.rank() == 0 ? 9 : 8;
    ranks::expect(XCOLL_ERR_TRUNCATE,
                  xcoll_allgather_dyn(mine.data(), &count, room.data(), found.data(), 8, 0, XCOLL_INT32, comm));
    ranks::expect_message({"rank 0 has 9 elements", "max_count is 8", "recvcounts"});
    ranks::check(found[0] == 9 && found[size - 1] == (size > 1 ? 8 : 9), "the counts");
}

// A deadline ends it like any other call, whatever has come by then.
void one_does_not_come(const Rank &rank, const std::string &settings) {
    constexpr size_t most = 60'000; // longer than the smallest room
    const auto parts = static_cast<size_t>(rank.size());
    for (const bool all_to_all : {false, true}) {
        xcoll_comm_t comm = rank.open(settings);
        ranks::succeed(xcoll_comm_set_timeout(comm, 200)); // not as a setting, which would bound the start as well
        if (rank.rank() != rank.size() - 1) {
            std::vector<int32_t> mine(most * parts), room(most * parts);
            std::vector<uint64_t> given(parts, most), found(parts);
            const xcoll_result_t result = all_to_all ? xcoll_alltoall_dyn(mine.data(), given.data(), room.data(),
                                                                          found.data(), most, XCOLL_INT32, comm)
                                                     : xcoll_allgather_dyn(mine.data(), given.data(), room.data(),
                                                                           found.data(), most, 1, XCOLL_INT32, comm);
            ranks::check(result == XCOLL_ERR_TIMEOUT || result == XCOLL_ERR_ABORTED, "a deadline passed in silence");
            ranks::expect_message({"longer than 0.2 s"});
            // From a peer that gave up before, the end may have been cut off on the way.
            const bool is_heard = std::strstr(xcoll_last_error(), "gave up") != nullptr;
            if (!is_heard) {
                ranks::expect_message({"XCOLL_TIMEOUT"});
            }
        }
        rank.meet();
        ranks::succeed(xcoll_comm_free(&comm));
    }
}

void test(Rank &rank) {
    for (const char *settings : {"", "SHM_BUDGET=1M;LEND=5K", "ALLGATHER_DYN=messages;ALLTOALL_DYN=messages"}) {
        xcoll_comm_t comm = rank.open(settings);
        in_every_form(rank, comm);
        counts_of_the_moment(rank, comm);
        of_made_types(rank, comm);
        bad_arguments(rank, comm);
        says_what_was_too_long(rank, comm);
        ranks::succeed(xcoll_comm_free(&comm));
        one_does_not_come(rank, settings);
    }
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
