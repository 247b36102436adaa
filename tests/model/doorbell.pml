/* Nobody oversleeps: the protocol of src/fabric/doorbell.h with store buffers.
 *
 * Two ranks publish one signal each; two others wait for both, in different order, and sleep whenever they can. Naps
 * have no end here, so a wake-up that is lost is a deadlock, which Spin reports as an invalid end state.
 *
 * A publisher's store lies in its buffer until `drain` writes it to memory, at any later time. What the sleepers store
 * are locked instructions or syscalls, which wait for their buffers, so they go to memory at once.
 *
 * Variants that must fail:
 *   NO_BARRIER      the sleeper does without the membarrier
 *   NO_SECOND_LOOK  it does not look at the signal again after lying down
 *   LOOK_FIRST      the publisher looks for sleepers before it stores
 *   COUNT_LATE      the sleeper looks at the signal before it counts as a sleeper
 *   WAKE_ONLY       the publisher wakes without clearing the bed, so who is about to sleep does
 * One that must not:
 *   STRONG_STORE    NO_BARRIER, but the publisher's store is sequentially consistent
 */
#define PUBLISHERS 2
#define SLEEPERS 2
#define NOBODY 0

bool signal[PUBLISHERS];   /* in memory */
bool buffered[PUBLISHERS]; /* stored, but not yet in memory */
byte awaited[SLEEPERS];    /* NOBODY or publisher + 1 */
byte count;
bool asleep[SLEEPERS];

inline write_back(p) {
    d_step {
        if
        :: buffered[p] -> signal[p] = true; buffered[p] = false
        :: else
        fi
    }
}

proctype drain(byte p) {
end:
    do
    :: buffered[p] -> write_back(p)
    od
}

proctype publisher(byte p) {
    byte i, seen;
    bool mine;
    bool somebody;
#ifdef LOOK_FIRST
    somebody = count > 0;
#endif
#ifdef STRONG_STORE
    signal[p] = true;
#else
    buffered[p] = true;
#endif
#ifndef LOOK_FIRST
    somebody = count > 0;
#endif
    if
    :: somebody ->
        for (i : 0 .. SLEEPERS - 1) {
            seen = awaited[i];
            if
            :: seen == p + 1 ->
#ifdef WAKE_ONLY
                mine = true;
#else
                d_step { /* compare and exchange, a locked instruction */
                    mine = awaited[i] == seen;
                    if
                    :: mine -> awaited[i] = NOBODY
                    :: else
                    fi;
                    if
                    :: buffered[p] -> signal[p] = true; buffered[p] = false
                    :: else
                    fi
                }
#endif
                if
                :: mine -> asleep[i] = false /* FUTEX_WAKE */
                :: else
                fi
            :: else
            fi
        }
    :: else
    fi
}

/* The system call looks at the bed once more, in one step with falling asleep. */
inline futex_wait(whom) {
    d_step {
        if
        :: awaited[me] == whom -> asleep[me] = true
        :: else
        fi
    }
    !asleep[me]
}

inline wait_for(p) {
    do
    :: signal[p] -> break
    :: else ->
#ifdef COUNT_LATE
        reached = signal[p];
#endif
        awaited[me] = p + 1;
        count++;
#if !defined(NO_BARRIER) && !defined(STRONG_STORE)
        /* Every processor executes a full barrier somewhere in the course of the call. */
        write_back(0);
        write_back(1);
#endif
#if defined(NO_SECOND_LOOK)
        reached = false;
#elif !defined(COUNT_LATE)
        reached = signal[p];
#endif
        if
        :: reached
        :: else -> futex_wait(p + 1)
        fi;
        awaited[me] = NOBODY;
        count--
    od
}

proctype sleeper(byte me) {
    bool reached;
    wait_for(me);
    wait_for(1 - me)
}

init {
    atomic {
        run drain(0);
        run drain(1);
        run publisher(0);
        run publisher(1);
        run sleeper(0);
        run sleeper(1)
    }
}
