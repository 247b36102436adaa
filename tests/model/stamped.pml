/* A copy is whole or refused: the protocol of src/base/stamped.h, with stores that may overtake each other.
 *
 * The owner rewrites two words, in rounds of which each has its own stamp; the reader copies them once. A processor
 * may let stores reach memory in any order, but none before those that a releasing store comes behind: each of the
 * owner's stores lies in a buffer, and `drain` writes any of them, the releasing ones last. The reader's acquiring
 * loads stay in order.
 *
 * Variants that must fail:
 *   NO_ZERO         the owner does not clear the stamp first
 *   NO_SECOND_LOOK  the reader does not look at the stamp again
 *   RELAXED         stores do not release
 *   SAME_STAMP      rounds do not have stamps of their own
 */
#define ROUNDS 3
#define WORDS 2
#define STORES (WORDS + 2)
#define STAMP WORDS /* the place behind the words */

byte memory[WORDS + 1];
byte place[STORES], value[STORES]; /* of one round, in the order of the program */
bool pending[STORES];
byte round;

/* In its order, or before those that it does not come behind: the first one releases nothing. */
inline may_reach_memory(i) {
    may = pending[i];
    for (before : 0 .. STORES - 1) {
#ifdef RELAXED
        may = may && !(before < i && pending[before] && place[before] == place[i])
#else
        may = may && !(before < i && pending[before])
#endif
    }
}

proctype owner() {
    byte i, before;
    bool may;
    for (round : 1 .. ROUNDS) {
        d_step {
            place[0] = STAMP; value[0] = 0;
            place[1] = 0; value[1] = round;
            place[2] = 1; value[2] = round;
            place[3] = STAMP;
#ifdef SAME_STAMP
            value[3] = 1;
#else
            value[3] = round;
#endif
            pending[0] = true; pending[1] = true; pending[2] = true; pending[3] = true;
#ifdef NO_ZERO
            pending[0] = false;
#endif
        }
        do
        :: pending[0] || pending[1] || pending[2] || pending[3] ->
            if
            :: i = 0
            :: i = 1
            :: i = 2
            :: i = 3
            fi;
            d_step {
                may_reach_memory(i);
                if
                :: may -> memory[place[i]] = value[i]; pending[i] = false
                :: else
                fi
            }
        :: else -> break
        od
    }
}

proctype reader() {
    byte stamp, first, second, again;
    stamp = memory[STAMP];
    first = memory[0];
    second = memory[1];
    again = memory[STAMP];
#ifdef NO_SECOND_LOOK
    again = stamp;
#endif
    if
    :: stamp != 0 && again == stamp ->
        assert(first == second);
#ifndef SAME_STAMP
        assert(first == stamp)
#endif
    :: else
    fi
}

init {
    atomic {
        run owner();
        run reader()
    }
}
