// ranks: 1 2 3 5 7 8 13
//
// Groups of nothing but sends and receives: both neighbours' messages arrive, whatever their sizes, in whatever order
// the calls are made, whatever else is in flight, and with other buffers each time; one that is too long is lost alone,
// and the first such call is the one that is told of.
#include <array>
#include <numeric>
#include <string>

#include "ranks.h"

using ranks::Rank;

namespace {

constexpr int to_the_right = 0, to_the_left = 1, untouched = -1;
// In one line, in several, in more than goes unasked, and copied by the receiver itself.
constexpr std::array<size_t, 7> counts{0, 1, 27, 700, 3'000, 20'000, 300'000};

struct Neighbours {
    xcoll_comm_t comm;
    int rank, left, right;
};

int number_of(int rank, int tag, size_t element) {
    return rank * 4'000'000 + tag * 1'000'000 + static_cast<int>(element);
}
std::vector<int> message(int rank, int tag, size_t count) {
    std::vector<int> numbers(count);
    for (size_t i = 0; i < count; ++i) {
        numbers[i] = number_of(rank, tag, i);
    }
    return numbers;
}

class Halo {
public:
    // Of two sets of data.
    explicit Halo(const Neighbours &where, size_t count, int set = 0)
        : where_(where), first_(2 * set), to_right_(message(where.rank, first_ + to_the_right, count)),
          to_left_(message(where.rank, first_ + to_the_left, count)) {
        clear();
    }
    void clear() {
        from_left_.assign(count(), untouched);
        from_right_.assign(count(), untouched);
    }
    void receive() {
        ranks::succeed(xcoll_recv(from_left_.data(), count(), XCOLL_INT32, where_.left, to_the_right, where_.comm));
        ranks::succeed(xcoll_recv(from_right_.data(), count(), XCOLL_INT32, where_.right, to_the_left, where_.comm));
    }
    void send() {
        ranks::succeed(xcoll_send(to_right_.data(), count(), XCOLL_INT32, where_.right, to_the_right, where_.comm));
        ranks::succeed(xcoll_send(to_left_.data(), count(), XCOLL_INT32, where_.left, to_the_left, where_.comm));
    }
    void expect(const std::string &how) const {
        ranks::check(from_left_ == message(where_.left, first_ + to_the_right, count()),
                     ("from the left, " + how).c_str());
        ranks::check(from_right_ == message(where_.right, first_ + to_the_left, count()),
                     ("from the right, " + how).c_str());
    }

private:
    size_t count() const {
        return to_right_.size();
    }
    Neighbours where_;
    int first_;
    std::vector<int> to_right_, to_left_, from_left_, from_right_;
};

void both_neighbours_messages_arrive(const Neighbours &where, size_t count) {
    for (const bool receives_first : {true, false}) {
        Halo halo(where, count);
        ranks::succeed(xcoll_group_start());
        if (receives_first) {
            halo.receive();
        }
        halo.send();
        if (!receives_first) {
            halo.receive();
        }
        ranks::succeed(xcoll_group_end());
        halo.expect(receives_first ? "receives first" : "sends first");
    }
}

// Or when the group is of two communicators.
void they_arrive_while_something_is_in_flight(const Neighbours &where, const Neighbours &other, size_t count) {
    Halo first(where, count), second(where, count), third(other, count);
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    int one = 1, sum = 0, size = 0;
    ranks::succeed(xcoll_comm_size(where.comm, &size));
    ranks::succeed(xcoll_iallreduce(&one, &sum, 1, XCOLL_INT32, XCOLL_SUM, where.comm, &request));
    ranks::succeed(xcoll_group_start());
    first.receive();
    first.send();
    ranks::succeed(xcoll_group_end());
    first.expect("beside a request");
    ranks::succeed(xcoll_wait(&request));
    ranks::check(sum == size, "the request beside a group of messages has gone wrong");
    ranks::succeed(xcoll_group_start());
    second.receive();
    third.send();
    second.send();
    third.receive();
    ranks::succeed(xcoll_group_end());
    second.expect("of the first communicator of two");
    third.expect("of the second communicator of two");
}

// Each rank's messages 0 to 3 are of 0, 1, 2, 3 times `count` elements, and those to be refused get room for less.
void one_that_is_too_long_is_lost_alone(const Neighbours &where, size_t count) {
    constexpr int messages = 4, first_cut = 1, second_cut = 3;
    std::vector<std::vector<int>> out, in;
    ranks::succeed(xcoll_group_start());
    for (int m = 0; m < messages; ++m) {
        const bool is_cut = m == first_cut || m == second_cut;
        const size_t whole = static_cast<size_t>(m) * count;
        in.emplace_back(whole - (is_cut ? 1 : 0), untouched);
        ranks::succeed(xcoll_recv(in.back().data(), in.back().size(), XCOLL_INT32, where.left, m, where.comm));
    }
    for (int m = 0; m < messages; ++m) {
        out.push_back(message(where.rank, 0, static_cast<size_t>(m) * count));
        ranks::succeed(xcoll_send(out.back().data(), out.back().size(), XCOLL_INT32, where.right, m, where.comm));
    }
    ranks::expect(XCOLL_ERR_TRUNCATE, xcoll_group_end());
    ranks::expect_message({"tag " + std::to_string(first_cut), std::to_string(count * sizeof(int)) + " bytes"});
    for (const int m : {0, 2}) {
        const auto i = static_cast<size_t>(m);
        ranks::check(in[i] == message(where.left, 0, i * count),
                     "a message beside one that is too long has not arrived");
    }
}

// The library knows such a group after some times, and looks at its buffers alone.
void the_same_group_takes_other_buffers(const Neighbours &where, size_t count) {
    constexpr int times = 8;
    Halo halos[2]{Halo(where, count, 0), Halo(where, count, 1)};
    for (int turn = 0; turn < times; ++turn) {
        Halo &halo = halos[turn % 2];
        halo.clear();
        xcoll_request_t barrier = XCOLL_REQUEST_NULL;
        if (turn == times - 2) {
            ranks::succeed(xcoll_ibarrier(where.comm, &barrier));
        }
        ranks::succeed(xcoll_group_start());
        halo.receive();
        if (count > 0 && turn == times - 1) {
            ranks::check(xcoll_send(nullptr, count, XCOLL_INT32, where.right, to_the_right, where.comm) ==
                             XCOLL_ERR_ARGUMENT,
                         "a buffer that is missing is refused");
            ranks::succeed(xcoll_group_cancel());
            return;
        }
        halo.send();
        ranks::succeed(xcoll_group_end());
        ranks::succeed(xcoll_wait(&barrier));
        halo.expect("again");
    }
}

void to_nobody(const Neighbours &where) {
    int number = untouched;
    ranks::succeed(xcoll_group_start());
    ranks::succeed(xcoll_recv(&number, 1, XCOLL_INT32, XCOLL_NO_RANK, 0, where.comm));
    ranks::succeed(xcoll_send(&number, 1, XCOLL_INT32, XCOLL_NO_RANK, 0, where.comm));
    ranks::succeed(xcoll_group_end());
    ranks::check(number == untouched, "nobody has sent something");
}

void test(Rank &rank) {
    const int size = rank.size(), self = rank.rank();
    Neighbours where{rank.open(), self, (self + size - 1) % size, (self + 1) % size}, other = where;
    ranks::succeed(xcoll_comm_dup(where.comm, &other.comm));
    to_nobody(where);
    for (const size_t count : counts) {
        both_neighbours_messages_arrive(where, count);
        they_arrive_while_something_is_in_flight(where, other, count);
        the_same_group_takes_other_buffers(where, count);
        if (count > 0) {
            one_that_is_too_long_is_lost_alone(where, count);
        }
    }
    ranks::succeed(xcoll_comm_free(&other.comm));
    ranks::succeed(xcoll_comm_free(&where.comm));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
