// What an algorithm gets to see: the communicator's memory and network, the order of additions, and the kernels. And
// what it looks like: a coroutine that runs one operation on one rank.
#pragma once

#include <cstdint>

#include "base/config.h"
#include "base/determinism.h"
#include "base/op.h"
#include "base/task.h"
#include "coll/grouping.h"
#include "coll/order.h"
#include "coll/scratch.h"
#include "fabric/transport.h"
#include "fabric/window.h"
#include "kernels/kernels.h"

namespace xcoll {

class Choices;
class Post;

// One rank's view of a communicator, for the algorithms. Lives in the communicator (src/core).
struct Team {
    int rank, size;
    Window *window;       // nullptr unless all ranks of the communicator share memory
    Transport *transport; // nullptr unless some do not, or a setting asks for messages
    Grouping grouping;    // which ranks are added up first
    const Kernels *kernels;
    ScratchPool *scratch; // private memory for received partial results
    Post *post = nullptr; // of users' messages, from the first on
    Determinism determinism = Determinism::run;
    Order order = Order::groups; // the communicator's: groups, or tree
    Attach attach = Attach::where_it_pays;
    const Choices *choices = nullptr; // for uneven parts, which go the way that was chosen for equal ones
};

// Runs operation n. `call` is its fingerprint on this rank. Returns when this rank's buffers are final and its window
// operation is complete (Window::complete); throws a call error (MISMATCH) after completing it all the same. For those
// that need the transport, whoever runs them completes the window's operation, if there is a window.
using Algorithm = Task (*)(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n);

} // namespace xcoll
