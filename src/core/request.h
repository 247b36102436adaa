// One operation that does not block: the descriptor, the root task that runs it, and what became of it.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/task.h"
#include "coll/select.h"
#include "coll/user_message.h"
#include "core/habit.h"
#include "core/observer.h"
#include "core/recorded.h"

namespace xcoll {

class Comm;

struct Request;
using GroupStage = std::vector<std::shared_ptr<Request>>;

// What a request in flight is paid (core/in_flight.h).
enum class Attention : uint8_t { asked, watched, in_line, deferred };
inline constexpr size_t attentions = 4;

// Whether anybody may ask how long it took: only then is the clock read.
enum class Timing : bool { no, yes };

// A message waits as the watch of its sends and receives.
struct Request : PostWatch {
    Comm *comm;                              // not looked at once it is done: the communicator may be freed then
    std::weak_ptr<const void> comm_life;     // of one that will be started again
    bool has_moved = false;                  // then: a buffer of it, since its itinerary was written
    KnownCall what;                          // known only in a plan that serves again
    std::shared_ptr<const GroupStage> after; // begins when these are done: the stage of a group before it
    size_t after_done = 0;                   // so many of them are, from the first on
    const Row *row = nullptr;                // as the next: found at the first start, the same at all others
    Fingerprint call{};
    Stance stance;  // in `call`
    uint64_t n = 0; // 0: a message
    Recorded recorded;
    Parking parking;
    TaskHome home{};
    Task task;
    std::optional<UserMessage> message;           // instead of the task
    Request *before = nullptr, *behind = nullptr; // of one list (core/in_flight.h)
    Attention attention = Attention::asked;
    bool begun = false;
    Kind manner = Kind::none;       // as `row`: the kind, if it takes plain steps and has a habit
    bool plain = false;             // takes plain steps (coll/plain_steps.h), which need no task
    bool began_plainly = false;     // the same when it was started; for who waits for it
    int missing = -1;               // if plain: the first rank whose head has not been seen, -1: all were
    int64_t looked = 0, waited = 0; // nanoseconds; for who tests it (Comm::look_after)
    Received received{XCOLL_UNDEFINED, XCOLL_UNDEFINED, 0};
    std::array<std::shared_ptr<Observer>, 2> observers; // of its own plan, and of its group's
    std::optional<Failure> failure;                     // written before `finished`, as the next two are
    bool is_refused = false;                            // because of an earlier stage, perhaps elsewhere
    bool is_untold = false;                             // it has ended, and its observers have not been told
    // A read of the clock takes 9 ns of 150 for a start and a wait of 8 bytes, so one that is started again is timed if
    // a status was asked for the last time. By who starts it and waits for it.
    bool is_timed = true;
    uint64_t started = 0, took = 0; // ticks: whoever asks makes nanoseconds of them, which takes long; 0: not timed
    double ticks_per_ns = 1;
    Signal finished; // how often it was done; any thread
    uint64_t starts = 0;

    explicit Request(Comm *of) : comm(of) {
    }
    Request(Comm *of, Call called) : comm(of), what{std::move(called)} {
    }
    void fail(const Failure &why) {
        failure = why;
        is_refused = false;
    }
    // Its communicator does not survive it.
    bool is_fatal() const {
        return failure && !is_refused && xcoll::is_fatal(failure->result());
    }
    xcoll_result_t result() const {
        return failure ? failure->result() : XCOLL_SUCCESS;
    }
    // At least 1: it is not under way any more.
    uint64_t elapsed_ns() const {
        return 1 + static_cast<uint64_t>(static_cast<double>(took) / ticks_per_ns);
    }
    bool wants_time() const {
        return is_timed || observers[0];
    }
    // Since it was started the last time.
    bool done() const {
        return finished.reached(starts);
    }
    // The same with the owner word, whether its observers have been told or not.
    bool has_ended() const {
        return is_untold || done();
    }
    Until until_done() const {
        return {&finished, starts, -1};
    }
    void add(const std::shared_ptr<Observer> &observer) {
        observers[observers[0] ? 1 : 0] = observer;
    }
    void finish() {
        finished.store(starts);
    }
    // With the owner word. Not all of them are asked each time: stages may have thousands of messages.
    bool may_begin() {
        while (after && after_done < after->size() && (*after)[after_done]->done()) {
            ++after_done;
        }
        return !after || after_done == after->size();
    }
};

} // namespace xcoll
