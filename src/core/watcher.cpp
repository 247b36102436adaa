#include "core/watcher.h"

#include <algorithm>
#include <ctime>

#include "base/clock.h"
#include "base/error.h"
#include "core/comm.h"
#include "core/process.h"

namespace xcoll {

namespace {

// Messages move only when they are polled for.
constexpr int64_t longest_nap_with_messages = 50 * microsecond;

// The newest operation that a rank has shown a head of.
uint64_t newest(const Board &board) {
    uint64_t n = 0;
    for (const Cell &cell : board.cells) {
        n = std::max(n, cell.head.number.read());
    }
    return n;
}

// What is to be said of a rank that is late for this operation, or does not answer.
std::string lateness(const Transport::Whereabouts &where, uint64_t operation) {
    const auto last = static_cast<unsigned long long>(where.newest.operation);
    const std::string call = last > 0 ? describe(where.newest.call) : "";
    if (last >= operation) {
        return "has entered it and does not answer any more, so it is in no call or cut off";
    }
    if (where.asked == Transport::Whereabouts::Asked::silent) {
        return "does not answer, so it is in no call or cut off (" +
               (last > 0 ? format("operation %llu, %s is the last known of it)", last, call.c_str())
                         : "nothing came from it yet)");
    }
    return format("has not entered it (operation %llu, ", last) +
           (last > 0 ? call + " is its last)" : "it has called nothing yet)");
}

} // namespace

bool Watcher::drive() {
    // As long as there are requests, whoever has the owner word moves the messages, and drive() takes it. The own
    // communicator first: the others are behind the process's lock.
    const bool alone = !comm_.has_in_flight();
    const bool messages = alone && comm_.messages().progress();
    const bool own = comm_.drive();
    return process().drive() || own || messages;
}

void Watcher::check(const Until &until, int64_t waited_ns) {
    comm_.recorder().wait(waited_ns, until.owner);
    if (aborted_.load(std::memory_order_acquire)) {
        throw *abort_;
    }
    if (team_.window) {
        team_.window->check_farewells();
        check_present();
        comm_.check_message_peers();
    }
    check_alive(until);
    const int64_t timeout_ms = timeout_ms_.load(std::memory_order_relaxed);
    if (timeout_ms > 0 && !team_.window && waited_ns / millisecond >= timeout_ms / 2) {
        team_.transport->ask_where(operation()); // whom the error will name
    }
    if (timeout_ms > 0 && waited_ns / millisecond >= timeout_ms) {
        fail_late(until, timeout_ms);
    }
}

void Watcher::fail_late(const Until &until, int64_t timeout_ms) const {
    const auto message = comm_.delayed_message(until);
    const std::string what =
        message ? message->text
                : format("operation %llu: %s.", static_cast<unsigned long long>(operation()), roll_call(until).c_str());
    fail_at(message ? message->peer : latecomer(until), XCOLL_ERR_TIMEOUT,
            "rank %d waited longer than %.3g s in %s XCOLL_TIMEOUT or xcoll_comm_set_timeout set the limit", team_.rank,
            static_cast<double>(timeout_ms) / 1000, what.c_str());
}

uint64_t Watcher::operation() const {
    return team_.window ? newest(team_.window->mine()) : comm_.sequence();
}

// A rank that freed the communicator will not enter an operation any more.
void Watcher::check_present() const {
    for (int p = 0; p < team_.size; ++p) {
        const Board &board = team_.window->board(p);
        if (board.done.reached(all_done) && newest(board) < operation()) {
            team_.window->check_farewells(); // it may have told why after they were looked at above
            fail_at(p, XCOLL_ERR_ABORTED, "rank %d freed this communicator before operation %llu, which rank %d is in",
                    p, static_cast<unsigned long long>(operation()), team_.rank);
        }
    }
}

// A rank that has done its part may have ended in good order while others still wait for each other.
bool Watcher::is_needed(int p, const Until &until) const {
    if (!team_.window) {
        return is_needed_in_network(p, until);
    }
    const bool is_awaited = p == until.owner && !until.reached();
    return is_awaited || comm_.awaits_message(p) || !team_.window->board(p).done.reached(operation());
}

// What it sent last, and that it frees the communicator, may come a moment after its end, as connections outlive
// processes: the next look tells. Others may be the ones who wait for a rank that has ended without a word, and have no
// way to notice.
bool Watcher::is_needed_in_network(int p, const Until &until) const {
    if (!seen_dead_[static_cast<size_t>(p)].exchange(true, std::memory_order_relaxed)) {
        return false;
    }
    const bool is_awaited = (p == until.owner && !until.reached()) || team_.transport->awaits(p);
    return is_awaited || !comm_.has_left(p);
}

void Watcher::check_alive(const Until &until) const {
    for (int p = 0; node_ && p < team_.size; ++p) {
        const int local = node_ranks_[static_cast<size_t>(p)];
        if (local >= 0 && !node_->is_alive(local) && is_needed(p, until)) {
            if (team_.window) {
                team_.window->check_farewells(); // one that has failed and ended is not the cause
            }
            const uint64_t n = operation();
            const bool is_message = n == 0 || comm_.delayed_message(until);
            const std::string where =
                is_message ? "a message" : format("operation %llu", static_cast<unsigned long long>(n));
            fail_at(p, XCOLL_ERR_PEER_DEAD, "rank %d (process %lld) has died; rank %d noticed it in %s", p,
                    static_cast<long long>(node_->member(local).process.pid), team_.rank, where.c_str());
        }
    }
}

void Watcher::sleep(const Until &until, int64_t nanoseconds) {
    if (!node_ || team_.transport) {
        const int64_t shortened = std::min(nanoseconds, longest_nap_with_messages);
        const int64_t longest = process().has_in_flight() ? shortened : nanoseconds;
        // Who waits for a request waits for no message, and another thread may be moving them under the owner word.
        const bool alone = !comm_.has_in_flight();
        if (!alone || !comm_.messages().sleep(until, longest)) {
            const timespec nap{0, shortened};
            nanosleep(&nap, nullptr);
        }
        return;
    }
    const bool others = process().has_in_flight();
    if (!comm_.has_in_flight() && comm_.messages().sleep(until, others ? longest_nap_with_messages : nanoseconds)) {
        return;
    }
    const int owner = until.owner < 0 || others ? -1 : node_ranks_[static_cast<size_t>(until.owner)];
    const auto ready = [&] {
        return until.reached() || comm_.anything_ready() || (others && process().anything_ready());
    };
    node_->doorbell().sleep(ready, owner, nanoseconds);
}

void Watcher::over() {
    comm_.recorder().stop_waiting();
}

void Watcher::abort(const Failure &why) {
    if (!aborted_.load(std::memory_order_relaxed)) {
        abort_ = why;
        aborted_.store(true, std::memory_order_release);
    }
}

Transport::Whereabouts Watcher::whereabouts(int p) const {
    if (!team_.window) {
        return team_.transport->whereabouts(p);
    }
    const uint64_t last = newest(team_.window->board(p));
    const Fingerprint call = last > 0 ? team_.window->head(p, last).call : Fingerprint{};
    return {{last, call}, Transport::Whereabouts::Asked::answers};
}

bool Watcher::is_late(const Transport::Whereabouts &where) const {
    return where.newest.operation < operation() && where.asked != Transport::Whereabouts::Asked::unsettled;
}

// The first of those that roll_call() names, rather one that says so itself; whom this rank waits for if they have all
// entered it.
int Watcher::latecomer(const Until &until) const {
    int silent = Failure::nobody;
    for (int p = 0; p < team_.size; ++p) {
        const Transport::Whereabouts where = whereabouts(p);
        if (is_late(where) && where.asked == Transport::Whereabouts::Asked::answers) {
            return p;
        }
        silent = is_late(where) && silent == Failure::nobody ? p : silent;
    }
    return silent != Failure::nobody ? silent : until.owner >= 0 ? until.owner : Failure::nobody;
}

std::string Watcher::roll_call(const Until &until) const {
    using Asked = Transport::Whereabouts::Asked;
    std::string text;
    bool all_known = true;
    for (int p = 0; p < team_.size; ++p) {
        const Transport::Whereabouts where = whereabouts(p);
        all_known &= where.asked != Asked::unsettled || where.newest.operation >= operation();
        if (is_late(where) || where.asked == Asked::silent) {
            text += format("%srank %d %s", text.empty() ? "" : "; ", p, lateness(where, operation()).c_str());
        }
    }
    if (!text.empty()) {
        return text;
    }
    if (all_known) {
        return "all ranks have entered it, some have not finished it" +
               (until.owner >= 0 ? format("; rank %d waits for rank %d", team_.rank, until.owner) : "");
    }
    return until.owner >= 0 ? format("no message has come from rank %d, or it has not taken one", until.owner)
                            : "a message from another rank did not come";
}

} // namespace xcoll
