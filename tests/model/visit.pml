/* Nobody uses what its owner has taken back: src/fabric/visit.h, and the same between `reading` and `revoked` of
 * src/fabric/post_lane.h, with store buffers.
 *
 * Visitors use the owner's buffer in pieces, on visits; the owner gives up at any time, and has its buffer for itself
 * when it returns. A releasing store lies in its buffer until `drain` writes it to memory, at any later time; a
 * sequentially consistent one waits for the buffer to be empty and goes to memory at once.
 *
 * Variants that must fail:
 *   WEAK_VISIT      the store that begins a visit only releases
 *   WEAK_FAREWELL   the store that says farewell only releases
 *   LOOK_FIRST      the visitor looks for a farewell before its visit begins
 *   LOOK_ONCE       it does not look again behind what the owner has waited for
 *   EARLY_END       its visit ends before the piece was used, as a store that does not release may
 *   NO_WAIT         the owner returns without waiting for the visits to end
 */
#define VISITORS 2
#define VISITS 2

bool visiting[VISITORS], farewell, returned; /* in memory */
chan visits[VISITORS] = [2] of { bool };     /* stored, but not yet in memory */
bool farewell_is_stored;

proctype drain(byte me) {
    bool value;
end:
    do
    :: d_step { nempty(visits[me]) -> visits[me] ? value; visiting[me] = value; value = false }
    :: d_step { me == 0 && farewell_is_stored -> farewell = true; farewell_is_stored = false }
    od
}

inline begin_visit() {
#ifdef WEAK_VISIT
    visits[me] ! true
#else
    atomic { empty(visits[me]) -> visiting[me] = true }
#endif
}

inline use_piece() {
#ifdef EARLY_END
    visits[me] ! false;
    assert(!returned)
#else
    assert(!returned);
    visits[me] ! false
#endif
}

proctype visitor(byte me) {
    byte visit;
    bool gone;
    for (visit : 1 .. VISITS) {
#ifdef LOOK_FIRST
        gone = farewell;
        begin_visit();
#elif defined(LOOK_ONCE)
        begin_visit();
        if
        :: visit == 1 -> gone = farewell
        :: else
        fi;
#else
        begin_visit();
        gone = farewell;
#endif
        if
        :: gone -> visits[me] ! false
        :: else -> use_piece()
        fi
    }
}

proctype owner() {
    byte p;
#ifdef WEAK_FAREWELL
    farewell_is_stored = true;
#else
    farewell = true;
#endif
#ifndef NO_WAIT
    for (p : 0 .. VISITORS - 1) {
        !visiting[p]
    }
#endif
    returned = true
}

init {
    atomic {
        run drain(0);
        run drain(1);
        run visitor(0);
        run visitor(1);
        run owner()
    }
}
