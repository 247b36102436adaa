// A protocol is a few plain inline steps; a coroutine only orders the steps and waits. This is the coroutine.
//
//     Task shift(TaskHome &home, ...) {          // first parameter: where its frames and its waiting live
//         step_one(...);                         // plain code
//         co_await Until{&peer_signal, 3, peer}; // the only leaf there is
//         co_await another(home, ...);           // a child: runs at once, this one goes on when it is done
//     }
//
// A root task and its children are one line of execution: at most one leaf is parked at any time, in home.parking.
// Whoever runs the root looks there: when the signal has reached its value, resume the leaf. That is all a runner is
// (src/run). Destroying the root destroys all its frames, wherever they are: this is how an operation is cancelled.
// No arithmetic loop and no array belongs into a coroutine body: g++ keeps every local in the frame.
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

#include "base/frame_pool.h"
#include "base/signal.h"

namespace xcoll {

// The one place where a root task waits.
struct Parking {
    Until until{nullptr, 0, -1};
    std::coroutine_handle<> leaf;
    // How often a leaf polls before it parks: 0 = once. Negative: it parks without looking, so that the simulator
    // gets to choose what happens at every wait.
    int patience = 0;
    bool parked() const {
        return static_cast<bool>(leaf);
    }
    // Call only when parked and reached.
    void resume() {
        std::exchange(leaf, {}).resume();
    }
};

struct TaskHome {
    FramePool *frames;
    Parking *parking;
};

inline void cpu_relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb"); // `yield` does nothing on most processors
#endif
}

// Polls up to `polls` times; true if the signal was reached. The first polls come without a pause, which would add
// half of itself to every latency: enough of them for a line to come from another L3 and back (500 ns).
inline bool spin(const Until &until, int polls) {
    constexpr int eager_polls = 256;
    for (int poll = 0; poll < polls; ++poll) {
        if (until.reached()) {
            return true;
        }
        if (poll >= eager_polls) {
            cpu_relax();
        }
    }
    return false;
}

class [[nodiscard]] Task {
public:
    struct promise_type;
    using Handle = std::coroutine_handle<promise_type>;

    Task() = default;
    Task(Task &&other) noexcept : handle_(std::exchange(other.handle_, {})) {
    }
    Task &operator=(Task &&other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~Task() {
        if (handle_) {
            handle_.destroy();
        }
    }

    // For the owner of a root task.
    void start() {
        handle_.resume();
    }
    bool done() const {
        return handle_.done();
    }
    inline void rethrow() const;

    // co_await child
    bool await_ready() const noexcept {
        return false;
    }
    inline Handle await_suspend(std::coroutine_handle<> parent) noexcept;
    void await_resume() const {
        rethrow();
    }

private:
    explicit Task(Handle handle) : handle_(handle) {
    }
    Handle handle_;
};

struct UntilAwaiter {
    Until until;
    Parking &parking;
    bool await_ready() const noexcept {
        return spin(until, parking.patience + 1);
    }
    void await_suspend(std::coroutine_handle<> leaf) const noexcept {
        parking.until = until;
        parking.leaf = leaf;
    }
    void await_resume() const noexcept {
    }
};

struct Task::promise_type {
    template <class... Rest> explicit promise_type(TaskHome &home, Rest &&...) : parking(home.parking) {
    }
    Task get_return_object() {
        return Task(Handle::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept {
        return {};
    }
    struct Return {
        bool await_ready() const noexcept {
            return false;
        }
        std::coroutine_handle<> await_suspend(Handle self) const noexcept {
            const std::coroutine_handle<> caller = self.promise().parent;
            return caller ? caller : std::noop_coroutine();
        }
        void await_resume() const noexcept {
        }
    };
    Return final_suspend() noexcept {
        return {};
    }
    void return_void() noexcept {
    }
    void unhandled_exception() noexcept {
        error = std::current_exception();
    }
    UntilAwaiter await_transform(const Until &until) noexcept {
        return {until, *parking};
    }
    Task &&await_transform(Task &&child) noexcept {
        return std::move(child);
    }

    // The pool is remembered in front of the frame, where operator delete finds it.
    template <class... Rest> static void *operator new(size_t bytes, TaskHome &home, Rest &&...) {
        void *block = home.frames->take(bytes + prefix);
        *static_cast<FramePool **>(block) = home.frames;
        return static_cast<char *>(block) + prefix;
    }
    static void operator delete(void *frame, size_t bytes) noexcept {
        void *block = static_cast<char *>(frame) - prefix;
        (*static_cast<FramePool **>(block))->give(block, bytes + prefix);
    }
    static constexpr size_t prefix = alignof(std::max_align_t);

    Parking *parking;
    std::coroutine_handle<> parent;
    std::exception_ptr error;
};

inline void Task::rethrow() const {
    if (handle_.promise().error) {
        std::rethrow_exception(handle_.promise().error);
    }
}

inline Task::Handle Task::await_suspend(std::coroutine_handle<> parent) noexcept {
    handle_.promise().parent = parent;
    return handle_;
}

} // namespace xcoll
