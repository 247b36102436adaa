// How users hear of the end of an operation (core/observer.h). Their functions are called without the owner word, as
// they may start operations on other communicators, whose owner words may be with threads that call such functions,
// too:
//
//     with the owner word     the operation ends, and its result is known
//     without                 its observers are told
//     with it again           it is done: whoever waits for it may take it away
//
// Meanwhile it counts as one in flight, so the communicator stays.
#include <thread>

#include "core/inside.h"
#include "core/owner.h"

namespace xcoll {

void Comm::tell(RequestList ended) {
    for (const Request *request = ended.first(); request; request = request->behind) {
        for (const auto &observer : request->observers) {
            if (observer) {
                observer->end(*request);
            }
        }
    }
    const Owner owner(*this);
    for (Request *request = ended.first(), *behind = nullptr; request; request = behind) {
        behind = request->behind;
        in_flight_.note_told(*request);
        request->finish();
    }
    membership_.node->doorbell().wake_own();
    tell_in_flight();
}

bool Comm::observe(Request &request, const std::shared_ptr<Observer> &observer) {
    check_outside_callback(*this);
    {
        const Owner owner(*this);
        if (!request.has_ended()) {
            observer->expect_one_more();
            request.add(observer);
            return true;
        }
    }
    await_told(request);
    return false;
}

// It has ended, and another thread may be about to tell so.
void Comm::await_told(const Request &request) {
    while (!request.done()) {
        std::this_thread::yield();
    }
}

} // namespace xcoll
