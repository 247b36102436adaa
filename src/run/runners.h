// The runners: three ways to run the same tasks.
//
//   spin      a blocking call: one root task, run to its end on the caller's stack
//   progress  a request: poll() moves it as far as it gets without waiting; test, wait and every other wait call it
//   simulate  virtual time, many ranks in one process: src/fabric/sim
//
// All of them look at the same thing: the parking place of a root task.
#pragma once

#include "base/task.h"
#include "run/wait.h"

namespace xcoll {

// Runs a root task to its end. Throws what the task threw, or what made a wait hopeless; then the task is to be
// destroyed by its owner, who first cancels whatever still uses its buffers.
inline void run_to_end(Task &task, Parking &parking, Watch &watch, const Patience &patience) {
    parking.patience = patience.spins;
    task.start();
    while (!task.done()) {
        wait(parking.until, watch, patience);
        parking.resume();
    }
    task.rethrow();
}

// Moves a started root task as far as it gets. True if it moved.
inline bool poll(Task &task, Parking &parking) {
    bool moved = false;
    while (!task.done() && parking.until.reached()) {
        parking.resume();
        moved = true;
    }
    return moved;
}

} // namespace xcoll
