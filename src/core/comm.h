// A communicator: one rank's view of a group of ranks, with an order of operations of its own. It ties the floors
// together: the window or the transport to the ranks, the choice of algorithms, the runners, and what went wrong.
//
// Who may touch it: as long as nothing is in flight, only the thread that starts operations on it, without any lock.
// From the first request on, whoever holds the owner word: test and wait of any thread, and every other wait of the
// process through Process::drive.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "base/error.h"
#include "coll/payload.h"
#include "coll/scratch.h"
#include "coll/select.h"
#include "core/chronicle.h"
#include "core/group_habit.h"
#include "core/habit.h"
#include "core/in_flight.h"
#include "core/membership.h"
#include "core/messages.h"
#include "core/request.h"
#include "core/spare_plans.h"
#include "core/trouble.h"
#include "core/turns.h"
#include "core/user_memory.h"
#include "core/watcher.h"
#include "run/wait.h"

namespace xcoll {

class Comm {
public:
    explicit Comm(Membership membership);
    ~Comm();
    Comm(const Comm &) = delete;
    Comm &operator=(const Comm &) = delete;

    static constexpr uint32_t alive = 0x78636f6d;
    bool is_alive() const {
        return magic_ == alive;
    }
    const Team &team() const {
        return team_;
    }
    const Membership &membership() const {
        return membership_;
    }
    const Choices &choices() const {
        return choices_;
    }
    // How many operations were started. Any thread.
    uint64_t sequence() const {
        return turns_.taken();
    }
    Watcher &watcher() {
        return watcher_;
    }
    Recorder &recorder() {
        return chronicle_.recorder();
    }
    // For those that may outlive it.
    std::weak_ptr<const void> life() const {
        return life_;
    }
    Registrations &registrations() {
        return registrations_;
    }

    // Runs an operation to its end. Throws Failure.
    void run(const Call &call);
    // Messages that begin together, to their end. False: something is in flight here, and nothing was done.
    bool try_run_messages(std::span<MessageAtOnce> messages);
    // A send that is over at once, beside whatever is in flight here. False: nothing was done; there may be trouble.
    bool try_send(const Op &op);
    // What this communicator's thread calls again and again, of a kind that has habits.
    Habit &habit(Kind kind) {
        return habits_[static_cast<size_t>(kind)];
    }
    // The call has been run, and may be known if it goes in one shot.
    void learn(Habit &habit, const Call &call);
    // The same as run(known.call).
    template <Kind kind> void run_again(Known &known);
    // And what is known of the groups on it.
    GroupHabitPlace &group_habit() {
        return group_habit_;
    }
    // Instead of an operation whose arguments are not valid, in any form. Throws nothing, waits for nobody.
    void refuse() noexcept;
    // The same instead of an operation of a group that will not run, or of a user's message.
    void refuse(const Op &op) noexcept;
    // Starts an operation that is not in flight; the caller waits for it or drives it. Throws Failure.
    void start(Request &request);
    void wait_for(Request &request, Timing timing = Timing::yes);
    // The same of the first receive that has not begun, if nothing but such is in flight here: as a blocking call
    // receives. True if it is done. Then `spare`, whose it is, belongs to this communicator (core/spare_plans.h).
    // False: nothing has happened.
    bool try_receive(Request &request, Timing timing, Plan *spare = nullptr);
    // For one that Plan::may_serve_again(); nullptr: there is none.
    std::unique_ptr<Plan> take_spare();
    // Starts a receive like the one that its plan served before. False: nothing has happened; start() may say why.
    bool try_start_again(Request &request);
    // As a wait for a request would.
    void sleep(const Until &until, int64_t nanoseconds) {
        watcher_.sleep(until, nanoseconds);
    }
    const Patience &patience() const {
        return patience_;
    }
    // With the owner word, or when nothing is in flight.
    Messages &messages() {
        return messages_;
    }
    // A user's message to or from this rank is not over.
    bool awaits_message(int peer);
    // The message that a wait is about, if it is about one.
    std::optional<Post::Delay> delayed_message(const Until &until);
    // As far as is known here, for any thread: p has freed this communicator, or ended in good order; it has died.
    bool has_left(int p) const;
    bool has_died(int p) const;
    // Throws if a user's message waits for a rank that has freed this communicator.
    void check_message_peers();

    // Everything that was started here is done.
    void wait_until_quiet();
    bool has_requests();
    bool has_in_flight() const {
        return in_flight_.any();
    }
    // Moves what is in flight here; true if something moved. Any thread; does nothing if another one is at it.
    bool drive();
    bool anything_ready();
    // Moves what can be moved; true if the request is done.
    bool test(Request &request);
    // The observer is told when the request is done, which it was already if this is false.
    bool observe(Request &request, const std::shared_ptr<Observer> &observer);
    // The caller will not ask again; a request that is not done yet is ended.
    void forget(Request &request);

    void abort(const char *reason);
    // XCOLL_SUCCESS, or the fatal error that this communicator is in.
    xcoll_result_t trouble() const {
        return trouble_.result();
    }
    // Keeps the first fatal error, tells the peers, ends what is in flight.
    void fail_for_good(const Failure &failure);

private:
    class Owner;
    class Starting;
    class MessagesAtOnce;
    Comm(Membership &membership, const std::vector<Preference> &preferences);
    Team make_team();
    void introduce();
    bool is_quiet() const {
        return !in_flight_.any() && !trouble_.is_there();
    }
    template <class Steps>
    [[gnu::always_inline]] void run_now(const Op &op, const Fingerprint &call, uint64_t n, const Row &row, Steps steps);
    template <Kind kind> [[gnu::always_inline]] void one_shot_now(const Op &op, const Fingerprint &call, uint64_t n);
    void streams_now(const Op &op, const Fingerprint &call, uint64_t n);
    void run_task(const Op &op, const Fingerprint &call, uint64_t n, Algorithm algorithm, Row::Needs needs);
    void cancel_for_good(const Failure &failure);
    void wait_for_credit(uint64_t n, uint64_t ahead);
    // It takes plain steps, uneven parts as long as they are short, and all there is to its kind is compiled for it.
    bool has_plain_habit(const Op &op, const Row &row) const;
    void run_as_request(const Call &call);
    bool sends_now(const Op &op);
    void claim_if_exchanged(const Op &send);
    bool receives_now(const Op &op);
    void run_message(const Call &call);
    void open_post();
    // Of the manners in which a request starts and is waited for: see Request::manner. Kind::none does for all.
    // Plain functions, as a pointer to a member asks at each call whether that is virtual.
    template <Kind manner> static void start_or_fail(Comm &comm, Request &request);
    template <Kind manner> static void wait_in(Comm &comm, Request &request, Timing timing);
    template <Kind manner> [[gnu::always_inline]] void start_in(Request &request);
    void start_beside_others(Request &request);
    void be_listed();
    void put_in_flight(Request &request);
    Kind manner_of(const Request &request) const;
    [[gnu::always_inline]] void give_number(Request &request, Recorded::As as);
    template <Kind manner> [[gnu::always_inline]] void launch(Request &request);
    template <Kind manner> static bool try_end_at_once(Comm &comm, Request &request);
    bool try_end_at_once_by_kind(Request &request);
    bool try_end_message(Request &request);
    bool try_end_send(Request &request);
    void fail_behind_failed_stage(Request &request);
    void plan_messages(const Request &request);
    // The first is a part of every start, the other for stages that begin later.
    template <Kind manner> [[gnu::always_inline]] void begin_now(Request &request);
    void begin(Request &request);
    bool gets_credit(uint64_t n, uint64_t ahead);
    bool belongs_in_line(const Request &request);
    bool finds_cell_for_first();
    template <Kind manner> [[gnu::always_inline]] bool begin_plainly(Request &request, Algorithm &instead);
    [[gnu::always_inline]] bool finish_plainly(Request &request);
    template <class Steps> bool finish_in(const Steps &steps, Request &request);
    // Of plain steps (coll/plain_steps.h).
    template <class Steps> [[gnu::always_inline]] bool await_heads(const Steps &steps, uint64_t n);
    template <class Steps>
    [[gnu::always_inline]] bool finish_at_once(const Steps &steps, Request &request, Timing timing);
    template <class Steps>
    [[gnu::always_inline]] bool take_last_step(const Steps &steps, Request &request, Heads heads);
    [[gnu::always_inline]] void fail_if_fatal(const Request &request);
    void wait_driving(Request &request, bool is_prompt);
    Until awaited(const Request &request);
    bool can_move(const Request &request) const;
    void start_task(Request &request, Algorithm algorithm);
    enum class Sends : bool { no, yes };
    void start_message(Request &request, Sends sends);
    // Of receives that nobody has waited for yet: deferred_receives.cpp.
    bool try_defer(Request &request);
    void begin_deferred();
    bool is_next_deferred(const Request &request) const;
    bool receive_deferred(Request &request, Timing timing, Plan *spare);
    void watch_message(Request &request);
    bool finish_message(Request &request);
    // For who tests instead of waiting: sees now and then that the request does not wait for somebody who is gone, or
    // for too long.
    void look_after(Request &request);
    // Returns the fatal error that a task ended with, if one did.
    std::optional<Failure> poll_in_flight(bool &moved);
    void poll_one(Request &request, bool &moved, std::optional<Failure> &fatal);
    // Messages that were refused count, as their peers may wait for an answer, but nobody here waits for them. So do
    // operations that are to be passed over: then the next start looks.
    void tell_in_flight() {
        in_flight_.tell(messages_.refused() + static_cast<size_t>(turns_.behind()));
    }
    // Operation n has failed: this rank may be behind now. With the owner word, or when nothing is in flight.
    void heed_mismatch(const Failure &failure, uint64_t n);
    // Before the next operation: in the thread that starts operations, as above.
    void get_in_step();
    void catch_up() noexcept; // the same, as a call of its own
    Request &new_refusal(const Op &shown);
    void put_refusal(const Op &shown) noexcept;
    void withhold(const Op &message) noexcept;
    [[gnu::always_inline]] bool move(Request &request, bool &moved);
    [[gnu::always_inline]] static uint64_t time_of(const Request &request, Timing timing = Timing::yes);
    [[gnu::always_inline]] void end(Request &request, uint64_t took);
    void heed_failure(const Request &request);
    // With the owner word.
    void give_up(const Failure &why);
    void end_in_flight(const Failure &why);
    // Of those that have ended: without the owner word.
    void tell(RequestList ended);
    static void await_told(const Request &request);

    uint32_t magic_ = alive;
    const std::shared_ptr<const void> life_ = std::make_shared<char>();
    // What each call looks at comes together.
    InFlight in_flight_;
    Turns turns_;
    std::atomic<bool> owned_{false};
    bool checks_ = false;    // that one thread at a time starts operations
    bool is_listed_ = false; // the process knows it, from its first request on; for the thread that starts operations
    Trouble trouble_;
    Patience patience_;
    Membership membership_;
    Chronicle chronicle_;
    std::shared_ptr<Window> window_;
    Messages messages_;
    ScratchPool scratch_;
    FramePool frames_;
    Team team_;
    Choices choices_;
    Watcher watcher_;
    Registrations registrations_;
    Habit habits_[kinds];
    std::deque<std::unique_ptr<Request>> refusals_; // nobody else holds them
    GroupHabitPlace group_habit_;
    SparePlans spare_plans_;                 // with the owner word
    std::atomic<std::thread::id> starter_{}; // who is starting something, if that is checked
};

} // namespace xcoll
