/* Nothing is overwritten that somebody still wants: cells, slots, credits and done counters of src/fabric/window.h,
 * with store buffers.
 *
 * Every rank has two operations in flight: one task for the odd ones, one for the even ones, on one thread that changes
 * between them only where they wait. Each operation is a broadcast from rank 0, whose root waits for nobody, or an
 * exchange in which everybody writes and everybody reads; which it is, is chosen anew each time. A payload is the
 * number of its operation, so a reader sees when it reads another one's. Payloads lie in the cells; with IN_SLOTS, in
 * slots.
 *
 * Stores go to memory in the order in which they were made, at any later time: what is released waits for everything
 * before it. In the variant RELAXED numbers go another way than the data and may overtake it.
 *
 * Variants that must fail:
 *   NO_CREDIT        a cell is written without waiting for done >= n - CELLS
 *   LATE_CREDIT      ... for done >= n - CELLS - 1
 *   NO_SLOT_CREDIT   (IN_SLOTS) a slot is written without waiting for done >= n - SLOTS
 *   EARLY_DONE       done is stored before the payload was read
 *   NO_PREFIX        done is the number of what was completed last, whatever is still going on below it
 *   OPTIMISTIC_LAG   heads claim that everything before them was completed
 *   RELAXED          a head's number is not ordered behind what it announces
 */
#ifndef RANKS
#define RANKS 2
#endif
#ifndef LAST
#define LAST 3
#endif
#define CELLS 2
#define SLOTS 1

/* Addresses: of each rank its cells' heads (number and done word), its payloads and its counter. */
#ifdef IN_SLOTS
#define PLACES SLOTS
#else
#define PLACES CELLS
#endif
#define PER_RANK (CELLS + PLACES + 1)
#define HEAD(p, n) ((p) * PER_RANK + (n) % CELLS)
#define PAYLOAD(p, n) ((p) * PER_RANK + CELLS + (n) % PLACES)
#define DONE(p) ((p) * PER_RANK + CELLS + PLACES)
#define NUMBER_IN(head) ((head) >> 4)
#define SAYS_IN(head) ((head) & 15)
#define WRITES(p, n) (exchange[n] || p == 0)

byte memory[RANKS * PER_RANK];
bool chosen[LAST + 1], exchange[LAST + 1];

/* What a rank knows, both tasks alike. */
byte started[RANKS], done[RANKS], everyone[RANKS];
bool completed[RANKS * (LAST + 2)];

/* One store buffer per rank; a second one lets numbers overtake data. */
chan buffer[RANKS] = [3] of { byte, byte };
chan overtaking[RANKS] = [1] of { byte, byte };

proctype drain(byte p) {
    byte address, value;
end:
    do
    :: d_step { nempty(buffer[p]) -> buffer[p] ? address, value; memory[address] = value; address = 0; value = 0 }
    :: d_step { nempty(overtaking[p]) -> overtaking[p] ? address, value; memory[address] = value; address = 0; value = 0 }
    od
}

inline choose() {
    atomic {
        if
        :: chosen[n]
        :: !chosen[n] -> exchange[n] = true
        :: !chosen[n]
        fi;
        chosen[n] = true
    }
}

/* Until everybody has completed `least`; what is known from heads is not looked up. */
inline wait_for_credit(least) {
    if
    :: everyone[me] < (least) ->
        p = 0;
        do
        :: p < RANKS ->
            if
            :: p == me -> done[p] >= (least)
            :: else -> memory[DONE(p)] >= (least)
            fi;
            p++
        :: else -> break
        od;
        if
        :: everyone[me] < (least) -> everyone[me] = least
        :: else
        fi
    :: else
    fi
}

inline acquire_credit() {
    skip;
#ifdef LATE_CREDIT
    if
    :: n > CELLS + 1 -> wait_for_credit(n - CELLS - 1)
    :: else
    fi;
#elif !defined(NO_CREDIT)
    if
    :: n > CELLS -> wait_for_credit(n - CELLS)
    :: else
    fi;
#endif
#if defined(IN_SLOTS) && !defined(NO_SLOT_CREDIT)
    if
    :: WRITES(me, n) && n > SLOTS -> wait_for_credit(n - SLOTS)
    :: else
    fi
#endif
}

inline enter() {
    if
    :: WRITES(me, n) -> buffer[me] ! PAYLOAD(me, n), n
    :: else
    fi;
#ifdef OPTIMISTIC_LAG
    head = n << 4 | (n - 1);
#else
    head = n << 4 | done[me];
#endif
#ifdef RELAXED
    overtaking[me] ! HEAD(me, n), head;
#else
    buffer[me] ! HEAD(me, n), head;
#endif
    head = 0
}

/* In an exchange heads tell how far everybody is. */
inline wait_for_heads() {
#ifdef OPTIMISTIC_LAG
    least = n - 1;
#else
    least = done[me];
#endif
    p = 0;
    do
    :: p < RANKS ->
        if
        :: p != me ->
            atomic {
                NUMBER_IN(memory[HEAD(p, n)]) >= n;
                least = (SAYS_IN(memory[HEAD(p, n)]) < least -> SAYS_IN(memory[HEAD(p, n)]) : least)
            }
        :: else
        fi;
        p++
    :: else -> break
    od;
    everyone[me] = (least > everyone[me] -> least : everyone[me]);
    least = 0
}

inline read_payloads() {
    p = 0;
    do
    :: p < RANKS ->
        if
        :: p != me && WRITES(p, n) -> assert(memory[PAYLOAD(p, n)] == n)
        :: else
        fi;
        p++
    :: else -> break
    od
}

inline complete() {
    completed[me * (LAST + 2) + n] = true;
#ifdef NO_PREFIX
    done[me] = (n > done[me] -> n : done[me]);
#else
    do
    :: completed[me * (LAST + 2) + done[me] + 1] -> done[me]++
    :: else -> break
    od;
#endif
    buffer[me] ! DONE(me), done[me]
}

/* Steps between two waits are one event, but for what other processors' stores may do to them: before each read. */
proctype task(byte me; byte n) {
    byte p, least, head;
    do
    :: n <= LAST ->
        atomic {
            choose();
            started[me] == n - 1; /* operations start in their order */
            acquire_credit();
            enter();
            started[me] = n
        }
        atomic {
            if
            :: exchange[n] -> wait_for_heads()
            :: !exchange[n] && me != 0 -> NUMBER_IN(memory[HEAD(0, n)]) >= n
            :: else
            fi
        }
#ifdef EARLY_DONE
        atomic { complete() }
        atomic { read_payloads() }
#else
        atomic { read_payloads() }
        atomic { complete() }
#endif
        atomic { n = n + 2; p = 0 }
    :: else -> break
    od
}

init {
    byte i;
    atomic {
        for (i : 0 .. RANKS - 1) {
            run drain(i);
            run task(i, 1);
            run task(i, 2)
        }
    }
}
