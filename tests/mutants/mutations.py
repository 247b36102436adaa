"""What is left out or turned round, and which test must notice.

Each entry changes exact text, which must occur once in its file; a change of the code that makes an entry stale is
reported as a failure, so the list follows the code. What a weaker ordering does to the doorbell, to visits and to words
that are copied while they change is checked by the models of tests/model, which have variants of their own: naps are
bounded, and what is sequentially consistent or atomic anyway is no data race, so no test would notice it.
"""

from dataclasses import dataclass

# Parts of tests/sim/programs_test, by words of their names.
MIXED = ("sim/programs_test", "mixed_operations")
ONE = ("sim/programs_test", "one_communicator")
PAIRS = ("sim/programs_test", "swap_wide_slots")
BATONS = ("sim/programs_test", "hand_to_and_fro")
HEAPS = ("sim/programs_test", "where_it_lies")
MISMATCH = ("sim/programs_test", "by_those_who_wait")
NETWORK = ("sim/programs_test", "through_a_network")
NETWORK_MISMATCH = ("sim/programs_test", "over_a_network")
LANES = ("sim/programs_test", "through_windows")
LANES_MISMATCH = ("sim/programs_test", "where_some_algorithms")
# Ranks that are threads, under ThreadSanitizer.
THREADS = ("unit/window_threads_test", "")
REFUSED = ("unit/transport_mismatch_test", "")
POST_BOUNDS = ("unit/post_bounds_test", "")
POST_THREADS = ("unit/post_threads_test", "")
RECORDER = ("unit/recorder_test", "")
RING = ("unit/ring_test", "")
WAYS = ("unit/copy_way_test", "")
KEPT = ("unit/batons_test", "")
TOLD = ("unit/window_told_test", "")
ATTACH = ("unit/attach_test", "")
CHOICES = ("unit/select_test", "")
# The library as programs use it, by so many ranks.
BLOCKING = ("ranks/rooted_bursts_threads", "3")
REQUESTS = ("ranks/requests_threads", "3")
SEVERAL = ("ranks/several_threads_threads", "2")
TROUBLE = ("ranks/trouble_threads", "3")
ABORTED = ("faults/aborted", "3")
REFUSED_GROUPS = ("ranks/refused_groups_threads", "3")
LONG = ("ranks/long_exchanges_threads", "2")
HABITS = ("ranks/habits_threads", "2")
UNEVEN = ("ranks/uneven_habits_threads", "3")
AGAIN = ("ranks/started_again_threads", "2")
KNOWN_GROUPS = ("ranks/known_groups_threads", "3")
RESHARD = ("ranks/reshard_threads", "3")
LENT = ("ranks/lent_between_threads", "5")  # each has one visit to make


@dataclass
class Mutation:
    name: str
    why: str  # what the changed code would do
    test: tuple
    edits: list  # of (file, text, replacement)


def mutation(name, test, why, *edits):
    return Mutation(name, why, test, list(edits))


ANY_SLOT = ("src/coll/payload.h", "    if (bytes <= slot_room && window.has_credit(n, slot_count)) {",
            "    if (bytes <= slot_room) {")

MUTATIONS = [
    # ------------------------------------------------------------------------------------------- credits
    mutation("no credit at all", ONE, "heads and slots are overwritten while somebody reads them",
             ("src/coll/credit.h", "co_await window.credit(p, n, ahead);", "co_await Until{&window.board(p).done, 0, p};")),
    mutation("credit is one short", ONE, "the writer is one operation too far ahead",
             ("src/fabric/window.h", "return {&board(p).done, n - ahead, p};",
              "return {&board(p).done, n - ahead - 1, p};")),
    mutation("credit is assumed one early", ONE, "the writer does not look when it is one operation too far ahead",
             ("src/fabric/window.h", "return everyone_done_ + ahead >= n;", "return everyone_done_ + ahead + 1 >= n;")),
    mutation("no slot credit", ONE, "payloads in slots are overwritten by the next but one",
             ANY_SLOT,
             ("src/coll/payload.h", "return needs_slot ? slot_count : most_ahead(window, bytes);",
              "return most_ahead(window, bytes);")),
    mutation("one way: no slot credit", BLOCKING, "a payload that runs ahead is written where one is being read",
             ANY_SLOT),
    mutation("payloads run ahead of everybody", BLOCKING, "heads are overwritten while somebody reads them",
             ("src/coll/payload.h", "        return window.cells();", "        return 2 * window.cells();")),
    mutation("heads claim too much", ONE, "peers think that this rank has completed what is still in flight",
             ("src/fabric/window.h", "return n - 1 - head.lag;", "return n - 1 - 0 * head.lag;")),
    mutation("done is no prefix", ONE, "an operation that overtook another one frees that one's memory",
             ("src/fabric/window.h", "completed_early_ |= uint64_t{1} << (n - done_ - 1);",
              "done_ = n > done_ ? n : done_;\n            publish(mine().done, done_);")),
    mutation("blocks in slots without credit", MIXED, "a message that found no room overwrites a slot in use",
             ("src/coll/reduce_streamed.cpp",
              "        co_await acquire_credit(home, *team.window, n, slot_count);\n    }\n    s.enter_slot();",
              "    }\n    s.enter_slot();")),
    mutation("streams in slots without credit", MIXED, "the same for a stream",
             ("src/coll/exchange_streams.cpp", "if (!window.has_credit(n, slot_count)) {", "if (false) {")),
    mutation("streams that find no room in slots without credit", MIXED, "a message overwrites a slot in use",
             ("src/coll/reduce_streamed.cpp",
              "    if (!team.window->has_credit(n, slot_count)) {\n        co_await acquire_credit(home, *team.window, n, slot_count);"
              "\n    }\n    co_await pipeline", "    co_await pipeline")),
    mutation("one-shot without credit", ONE, "a rank writes a head while its last one there is read",
             ("src/coll/one_shot.cpp", "if (!team.window->has_credit(n, steps.credit())) {", "if (false) {")),
    mutation("streams without credit", MIXED, "a rank writes a head while its last one there is read",
             ("src/coll/exchange_streams.cpp", "if (!window.has_credit(n, streams.credit())) {", "if (false) {")),
    mutation("two-shot without credit", MIXED, "a rank writes a head while its last one there is read",
             ("src/coll/reduce_two_shot.cpp", "if (!team.window->has_credit(n, ahead)) {", "if (false) {")),
    mutation("streamed without credit", MIXED, "a rank writes a head while its last one there is read",
             ("src/coll/reduce_streamed.cpp", "if (!team.window->has_credit(n, ahead)) {", "if (false) {")),
    mutation("blocks in wide slots with a cell's credit", PAIRS, "a slot is rewritten while the message before is read",
             ("src/coll/reduce_streamed.cpp", "in_slot ? slot_count : most_ahead(", "most_ahead(")),
    mutation("messages without credit", LANES, "a rank writes a head while its last one there is read",
             ("src/coll/message_operation.h", "return window_ && !window_->has_credit(envelope_.operation, window_->cells());",
              "return false;")),
    mutation("refused calls without credit", MISMATCH, "a rank writes a head while its last one there is read",
             ("src/coll/refusal.cpp", "if (!window.has_credit(n, window.cells())) {", "if (false) {")),
    mutation("hierarchy without credit", MIXED, "leaders overwrite sums that are being read",
             ("src/coll/allreduce_hierarchical.cpp", "if (!team.window->has_credit(n, slot_count)) {", "if (false) {")),
    mutation("a rank does not wait for everybody", ONE, "one-shot reads a head that is not there yet",
             ("src/coll/one_shot.cpp", "for (int p = 0; p < team.size; ++p) {", "for (int p = 1; p < team.size; ++p) {")),
    mutation("blocks do not close up", MIXED, "readers behind a rank's own block find that of another reader",
             ("src/coll/shown.h", "has_part_for_each(kind) && reader > writer", "false")),
    mutation("uneven parts do not close up", MIXED, "readers behind a rank's own part find that of another reader",
             ("src/coll/shown.h", "has_part_for_each(kind) && reader > writer",
              "traits(kind).blocks && reader > writer")),
    mutation("uneven parts: everybody takes room for the largest alone", MIXED,
             "what a rank with a smaller part shows is longer than its place",
             ("src/coll/shown.h", "return given - op.least * element_bytes(op);",
              "return given - op.most * element_bytes(op);")),
    mutation("uneven parts: full rows in any case", MIXED, "slices that are longer than their share leave the block",
             ("src/coll/reduce_streamed.cpp", "longest_row(full) <= block_count() ? full :", "true ? full :")),
    mutation("uneven parts in place: no input is saved", MIXED, "a rank's result replaces what it has yet to show",
             ("src/coll/reduce_streamed.cpp", "op.counts[team.rank] > op.counts[0]", "false")),
    mutation("a reshard deals out as much as there is", RESHARD, "parts that overlap are longer than the tensor",
             ("src/coll/reshard_reduce.cpp", "        scattered_.count = std::accumulate(", "        std::accumulate(")),
    mutation("a reshard's parts lie together wherever they lie", RESHARD, "what lies between parts is added up",
             ("src/coll/reshard_reduce.cpp", "(!run || (next && run != next))", "!run")),
    mutation("a blocking call without credit", BLOCKING, "a rank writes a head or a slot while its last one is read",
             ("src/core/comm_blocking.cpp", "    const PlainSteps<kind> steps(team_, op, call, n);\n"
              "    if (!window_->has_credit(n, steps.credit())) [[unlikely]] {",
              "    const PlainSteps<kind> steps(team_, op, call, n);\n    if (false) {")),
    mutation("a habit of any arguments", HABITS, "a call that differs is taken for the one before",
             ("src/core/habit.h", "if (arguments == last.arguments) {\n                return last",
              "if (last.known) {\n                return last")),
    mutation("a habit outlives its arguments", HABITS, "a call is taken for the one whose place it took",
             ("src/core/habit.h", "        last_[at_].known.reset();\n", "")),
    mutation("a habit of any arithmetic", HABITS, "ranks that differ in their denormal numbers add them up",
             ("src/core/comm_blocking.cpp", "if (known.mode != float_mode) [[unlikely]] {", "if (false) {")),
    mutation("a request of any arithmetic", AGAIN, "ranks that differ in their denormal numbers add them up",
             ("src/core/comm_requests.cpp", "if (!request.row || request.mode != float_mode) {", "if (!request.row) {")),
    mutation("a known group of any arguments", KNOWN_GROUPS, "a call that differs is taken for the known group's",
             ("src/core/known_group.h", "return op.kind == kind && arguments == with;", "return op.kind == kind;")),
    mutation("a known group keeps its buffers", KNOWN_GROUPS, "bytes go where they went the last time",
             ("src/core/group.h", "habit_->go_on(part->op.send != send || part->op.recv != recv);",
              "habit_->go_on(false);")),
    mutation("a known group's beginning is all of it", KNOWN_GROUPS, "calls run that were not made",
             ("src/core/group_habit.cpp", "{ return calls_ == known.size(); };", "{ return calls_ <= known.size(); };")),
    mutation("another known group keeps its buffers", KNOWN_GROUPS, "bytes go where they went the last time",
             ("src/core/group_habit.cpp", "            other->move_to(parts());\n", "")),
    mutation("memory of devices is lent", ATTACH, "a call fails that went through shared memory before",
             ("src/fabric/attach.cpp", "    read.add(&ends[1], first + bytes - 1, 1);\n", "")),
    mutation("the kernel copies whatever outgrows a cache", CHOICES, "with more ranks than processors too",
             ("src/coll/exchange_attached.cpp", "return !node.crowded() && ", "return ")),
    mutation("a short exchange without credit", BLOCKING, "a rank writes a head while its last one there is read",
             ("src/coll/short_exchange.h", "!is_rooted() ? slot_count : window_.cells()",
              "!is_rooted() ? slot_count : ~uint64_t{0} / 2")),
    mutation("a short exchange in slots with a cell's credit", BLOCKING, "a slot is written while it is read",
             ANY_SLOT,
             ("src/coll/short_exchange.h", "given_ > inline_stream_bytes && !is_rooted() ? slot_count : window_.cells()",
              "window_.cells()")),
    mutation("a short exchange has seen everybody", BLOCKING, "who reads nobody thinks that all are as far as it is",
             ("src/coll/short_exchange.h", "                everyone = false;\n", "")),
    mutation("a short exchange is announced before it is written", UNEVEN, "readers find what an earlier one left",
             ("src/coll/short_exchange.h",
              "        if (given_ > 0) {\n            show(fits ? inlined_stream(head) : window_.place(team_.rank, n_, place));\n"
              "        }\n        window_.announce(n_);\n",
              "        window_.announce(n_);\n        if (given_ > 0) {\n"
              "            show(fits ? inlined_stream(head) : window_.place(team_.rank, n_, place));\n        }\n")),
    mutation("a short exchange of any length", UNEVEN, "who expects another length than what comes is not told",
             ("src/coll/short_exchange.h", "head.lent == Lent::no && comes == to.count;", "head.lent == Lent::no;")),
    mutation("a short exchange with whoever streams", UNEVEN, "a rank reads what has yet to be written",
             ("src/coll/short_exchange.h", "head.has_room == 0 && head.flows == 0 && head.lent == Lent::no && comes",
              "comes")),
    mutation("a short exchange of long parts", UNEVEN, "a part is written beyond its slot",
             ("src/coll/short_exchange.h", "return given(op, rank, ranks) <= longest;", "return true;")),
    mutation("a short exchange leaves the own part out", UNEVEN, "a rank does not get what it gives itself",
             ("src/coll/short_exchange.h", "        keep_own(); // not before", "        // not before")),
    mutation("a short exchange of many streams", UNEVEN, "all readers get the part of one",
             ("src/coll/short_exchange.h", "ranks > 2 && !traits(kind).is_shared && !to_root;", "false;")),
    mutation("plain steps: the first head alone is missing", REQUESTS, "a request ends before a peer has shown anything",
             ("src/coll/plain_steps.h", "for (int p = begin; p < team.size; ++p) {",
              "for (int p = begin; p < std::min(begin + 2, team.size); ++p) {")),
    mutation("a start ends without the heads that it reads", AGAIN, "a request ends before a peer has shown anything",
             ("src/core/comm_progress.cpp", "missing_head(team, steps, request.n, 0) >= 0 || ", "")),
    mutation("the last request is the one that is done", AGAIN, "who waits in another order ends another's request",
             ("src/core/comm_progress.cpp", "if (in_flight_.back() == &request) [[likely]] {", "if (true) {")),
    mutation("who waits saw the first head alone", AGAIN, "a request ends before a peer has shown anything",
             ("src/core/comm_progress.cpp", "if (p != team_.rank && steps.reads(p) && !spin(",
              "if (p == 0 && p != team_.rank && steps.reads(p) && !spin(")),
    mutation("one-shot: who lends has shown", HEAPS, "a rank that lends alone leaves before it is read",
             ("src/coll/one_shot.h", "return shown_ < window_.least_lent() || is_shown(window_.head(team_.rank, n_));",
              "return true;")),
    mutation("a blocking stream without credit", BLOCKING, "a rank writes a head while its last one there is read",
             ("src/core/comm_blocking.cpp", "    Streams steps(team_, exchange, call, n);\n"
              "    if (!window_->has_credit(n, steps.credit())) [[unlikely]] {",
              "    Streams steps(team_, exchange, call, n);\n    if (false) {")),
    mutation("a blocking stream in slots without credit", BLOCKING, "a slot is written while it is read",
             ("src/core/comm_blocking.cpp", "if (!window_->has_credit(n, slot_count)) {", "if (false) {")),
    mutation("a request without credit", REQUESTS, "a rank writes a head or a slot while its last one is read",
             ("src/core/comm_requests.cpp", "if (!window_->finds_credit(request.n, ahead)) {", "if (false) {")),
    # ------------------------------------------------------------------------------------ within an operation
    # With four blocks the waits for room are implied by the other waits of streamed and two-shot, so these two have
    # fewer.
    mutation("streamed: blocks without room", MIXED, "a block is rewritten before all have read it",
             ("src/coll/block_stream.h", "uint32_t least_depth = 4;", "uint32_t least_depth = 3;"),
             ("src/coll/reduce_streamed.cpp", "k >= s.depth() && p < ranks", "k >= s.depth() && p < 0")),
    mutation("swapped blocks beside one that shows all", MIXED, "a block is rewritten before its reader has read it",
             ("src/coll/block_stream.h", "is_read_by(p) && !shows_whole(p);", "is_read_by(p);")),
    mutation("swapped blocks of one that does not read", PAIRS, "the same where one writes and the other reads",
             ("src/coll/block_stream.h", "window.swaps_slots() && reads(p) && is_read_by(p)",
              "window.swaps_slots() && is_read_by(p)")),
    mutation("a baton stays with its writer", BATONS, "a message is written over another that was not read",
             ("src/coll/streams_write.cpp", "give(total_)) != 0) {",
              "give(total_)) != 0) {\n        window_.batons().keep(offset_);")),
    mutation("a baton is kept too early", KEPT, "a reader writes where its peer still does",
             ("src/coll/streams_read.cpp", "baton_ = head.lent == Lent::no ? head.place.offset : baton_;",
              "window_.batons().keep(head.place.offset);")),
    mutation("two-shot: blocks without room", MIXED, "a block is rewritten before all have read it",
             ("src/coll/block_stream.h", "uint32_t least_depth = 4;", "uint32_t least_depth = 2;"),
             ("src/coll/reduce_two_shot.cpp", "k >= s.depth() && p < s.window.size()", "k >= s.depth() && p < 0")),
    mutation("streams in turns: the peer's is not read first", PAIRS, "a chunk is rewritten before this rank has read it",
             ("src/coll/streams_turns.cpp", "std::min(before, lines(source.end)) > lines(position_);", "false;")),
    mutation("streams in turns: the own one is not waited for", PAIRS, "a chunk is rewritten before the peer has read it",
             ("src/coll/streams_turns.cpp", "turns_ != 0 && before <= lines(source.end);", "turns_ != 0;")),
    mutation("streams in turns: each begins where it likes", LONG, "both write in one place at once",
             ("src/coll/streams_turns.cpp", "const size_t longest = std::max(total_, taken_), area = ",
              "const size_t longest = total_, area = ")),
    mutation("streams: chunks without room", MIXED, "a chunk is rewritten before all have read it",
             ("src/coll/streams_write.cpp", "const uint64_t need = std::min(end - lines(area_), lines(wants));",
              "const uint64_t need = std::min(uint64_t{0}, lines(wants));")),
    mutation("streams: a chunk is read before it has come", MIXED, "a rank reads what an earlier chunk left",
             ("src/coll/streams_read.cpp", "return has_passed(obstacle_);", "return has_passed({obstacle_.signal, 0, p});")),
    mutation("two-shot: results are not waited for", MIXED, "a rank collects pieces that are not reduced yet",
             ("src/coll/reduce_two_shot.cpp", "co_await s.out(p, k - 1);", "co_await s.out(p, 0);")),
    mutation("hierarchy: other groups' sums are not waited for", MIXED, "a leader adds up what is not there yet",
             ("src/coll/allreduce_hierarchical.cpp", "co_await h.written(other, 1);", "co_await h.written(other, 0);")),
    mutation("the own rank is added first", MIXED, "every rank adds in another order and gets other bits",
             ("src/coll/reduction.h", "data[i] = input(order[i]);",
              "data[i] = input(order[(i + static_cast<size_t>(team.rank)) % order.size()]);")),
    mutation("what does not come is not told", MIXED, "a part that is too long looks empty, so nobody hears of it",
             ("src/coll/streams_arrive.cpp",
              "return arrivals && total_ == 0 && ranks_ > 1 ? arrivals->told(reader) : total_;",
              "return arrivals && total_ == 0 && ranks_ > 1 ? 0 * arrivals->told(reader) : total_;")),
    mutation("an index does not tell what does not come", MIXED, "the same where every reader has a part of its own",
             ("src/coll/streams_arrive.cpp", "arrivals && bytes == 0 ? arrivals->told(to) : total_",
              "arrivals && bytes == 0 ? 0 * arrivals->told(to) : total_")),
    mutation("packed parts without the one before", MIXED, "what comes overwrites what came",
             ("src/coll/dynamic.cpp", "before_ += items(what_fits(told_in_[placed_]));",
              "before_ = items(what_fits(told_in_[placed_]));")),
    # ------------------------------------------------------------------------------------------ lent buffers
    mutation("shared: nobody is waited for", HEAPS, "a rank takes its buffers back while others use them",
             ("src/coll/reduce_shared.cpp", "co_await s.done(p);", "co_await Until{&team.window->board(p).done, 0, p};")),
    mutation("shared: one offer is enough", HEAPS, "a rank looks for buffers that nobody has offered",
             ("src/coll/block_stream.cpp", "if (window.head(p, n).lent == Lent::no) {",
              "if (window.head(window.rank(), n).lent == Lent::no) {")),
    mutation("offered: input is read before it is shown", HEAPS, "a rank adds up what an earlier message left",
             ("src/coll/reduce_streamed.cpp", "co_await s.in(p, 1);", "co_await s.in(p, 0);")),
    mutation("lent: nobody is waited for", HEAPS, "a rank takes its buffer back while others read it",
             ("src/coll/streams_lend.cpp", "for (; lends_ && returned_ < ranks_;", "for (; false && returned_ < ranks_;")),
    mutation("lent: who leaves takes its buffer back at once", HEAPS, "others read it although the call has returned",
             ("src/coll/streams_read.cpp", "    if (!lends_) {\n        window_.complete(n_);",
              "    if (true) {\n        window_.complete(n_);")),
    mutation("lent: what comes in replaces what is lent", HEAPS, "an all-to-all in place sends on what it has got",
             ("src/coll/streams_lend.cpp", "|| exchange_.overwrites_its_input()) {", ") {")),
    # --------------------------------------------------------------------------------------------- memory
    mutation("ring: space is free at once", MIXED, "payloads overwrite others that are being read",
             ("src/fabric/ring.cpp", "if (holder.window && !holder.window->everyone_completed(holder.n)) {",
              "if (false) {")),
    mutation("ring: the end runs into the beginning", MIXED, "a payload that wraps around overwrites the oldest one",
             ("src/fabric/ring.cpp", "return bytes <= tail;", "return bytes <= bytes_;")),
    mutation("boards are used again at once", MIXED, "a freed communicator's board is cleared while peers read it",
             ("src/fabric/node.cpp", "return !window->everyone_closed();", "return window == nullptr;")),
    # ------------------------------------------------------------------------------------------ mismatches
    mutation("calls are not compared", MISMATCH, "one-shot adds up what belongs to another call",
             ("src/fabric/window.h",
              "if (head(p, n).call != mine) [[unlikely]] {\n            leave_mismatched(p, n, mine);",
              "if (false) {\n            leave_mismatched(p, n, mine);")),
    mutation("leaving is not told", MISMATCH, "peers wait for ever for a rank that has left with an error",
             ("src/fabric/window.cpp", "    break_off(n);\n    complete(n);", "    complete(n);")),
    mutation("broken counters pass for data", MISMATCH, "a rank reads blocks that were never written",
             ("src/fabric/window.h", "return counter.read() - head(p, n).place.base >= broken_stride;",
              "return counter.read() - head(p, n).place.base >= broken_stride * broken_stride / 4;")),
    mutation("an operation that failed is never done", MISMATCH, "credit never comes again",
             ("src/fabric/window.cpp", "    break_off(n);\n    complete(n);", "    break_off(n);")),
    # -------------------------------------------------------------------------------------------- messages
    mutation("ring algorithm: a slot is filled while it is sent", NETWORK, "what leaves is not what was added up",
             ("src/coll/allreduce_ring.cpp", "return 2 * cut.segments;", "return cut.segments;")),
    mutation("messages: leaving is not told", NETWORK_MISMATCH, "peers wait for ever",
             ("src/coll/message_operation.h", "transport_.break_off(envelope_);", "")),
    mutation("a call refused for its counts looks like the call", REFUSED, "peers are told of some error only",
             ("src/coll/dynamic.cpp", "return refused_ ? fingerprint(Op{.kind = Kind::refused}) : call;", "return call;")),
    mutation("lane: chunks without room", LANES, "a chunk is rewritten before it was read",
             ("src/fabric/window_transport.cpp", "(is_data ? lane_data_slots : lane_slots);", "2 * lane_slots;")),
    mutation("lane: a message for any operation", LANES, "messages of two operations are mixed up",
             ("src/fabric/mailbox.cpp",
              "return items_[slot].envelope.operation == envelope.operation;\n    });\n    if (oldest",
              "return items_[slot].peer == peer;\n    });\n    if (oldest")),
    mutation("lane: sends do not notice who has left", LANES_MISMATCH, "a large message waits for room for ever",
             ("src/fabric/window_transport.cpp", "        fail_sends(l, head.envelope);\n", "")),
    mutation("user messages: lines without room", POST_THREADS, "a line is written before it was read",
             ("src/fabric/post_out.cpp", "return written_ - taken_ < post_lines;", "return true;")),
    mutation("user messages: bytes without room", POST_THREADS, "a payload is written over another that was not read",
             ("src/fabric/post_out.cpp",
              "        if (begin + room - tail_ > post_ring_bytes) {\n            return false;\n        }\n", "")),
    mutation("user messages: letters without credit", POST_BOUNDS, "a receiver puts aside without bounds",
             ("src/fabric/post_send.cpp", "return wanted - l.letters_claimed <= post_credit;", "return true;")),
    mutation("user messages: those of a refused group are told to nobody", REFUSED_GROUPS, "their peers wait for ever",
             ("src/core/group.cpp", "            operation->comm->refuse(op);\n", "            continue;\n")),
    mutation("user messages: what was declined looks received", REFUSED_GROUPS, "its sender takes it for delivered",
             ("src/fabric/post_receive.cpp", "box_.lose(*send, PostItem::Lost::declined);", "box_.close(*send);")),
    mutation("user messages: what was refused is waited for", REFUSED_GROUPS, "a rank that has left fails the others",
             ("src/fabric/post_box.h", "return all > refused;", "return all > 0;")),
    # ---------------------------------------------------------------- what only ThreadSanitizer can see
    mutation("a signal does not release", THREADS, "readers may see the number before the payload",
             ("src/base/signal.h", "value_.store(value, std::memory_order_release);",
              "value_.store(value, std::memory_order_relaxed);")),
    mutation("a signal is not acquired", THREADS, "readers may read the payload before the number",
             ("src/base/signal.h", "return value_.load(std::memory_order_acquire);",
              "return value_.load(std::memory_order_relaxed);")),
    mutation("the owner word is not released", SEVERAL, "threads of a rank do not see what the last one did",
             ("src/core/owner.h", "comm_.owned_.store(false, std::memory_order_release);",
              "comm_.owned_.store(false, std::memory_order_relaxed);")),
    mutation("the owner word is not acquired", SEVERAL, "threads of a rank do not see what the last one did",
             ("src/core/owner.h", "comm_.owned_.exchange(true, std::memory_order_acquire);",
              "comm_.owned_.exchange(true, std::memory_order_relaxed);")),
    mutation("who starts never takes the owner word", SEVERAL, "threads of a rank change the same list",
             ("src/core/comm_requests.cpp", "Owner::If{has_in_flight() || ", "Owner::If{")),
    mutation("the end of all requests is not released", SEVERAL, "who goes on alone does not see what threads did",
             ("src/core/comm.h", "in_flight_count_.store(static_cast<uint32_t>(in_flight_.size()), std::memory_order_release);",
              "in_flight_count_.store(static_cast<uint32_t>(in_flight_.size()), std::memory_order_relaxed);")),
    mutation("the end of all requests is not acquired", SEVERAL, "who goes on alone does not see what threads did",
             ("src/core/comm.h", "return in_flight_count_.load(std::memory_order_acquire) != 0;",
              "return in_flight_count_.load(std::memory_order_relaxed) != 0;")),
    mutation("the ring's guard is not released", RING, "threads of a rank take the same place",
             ("src/fabric/ring.cpp", "busy_.clear(std::memory_order_release);",
              "busy_.clear(std::memory_order_relaxed);")),
    mutation("the ring's guard is not acquired", RING, "threads of a rank take the same place",
             ("src/fabric/ring.cpp", "busy_.test_and_set(std::memory_order_acquire)",
              "busy_.test_and_set(std::memory_order_relaxed)")),
    mutation("a farewell is not released", TROUBLE, "peers read why before it is written",
             ("src/fabric/window.cpp", "static_cast<uint32_t>(why.result()), std::memory_order_seq_cst);",
              "static_cast<uint32_t>(why.result()), std::memory_order_relaxed);")),
    mutation("a farewell is not acquired", TROUBLE, "peers read why before it is written",
             ("src/fabric/window.cpp", "rank != rank_ && board(rank).farewell.result.load(std::memory_order_acquire) != 0",
              "rank != rank_ && board(rank).farewell.result.load(std::memory_order_relaxed) != 0")),
    mutation("an abort is not released", ABORTED, "a thread of the rank reads why before it is written",
             ("src/core/watcher.cpp", "aborted_.store(true, std::memory_order_release);",
              "aborted_.store(true, std::memory_order_relaxed);")),
    mutation("an abort is not acquired", ABORTED, "a thread of the rank reads why before it is written",
             ("src/core/watcher.cpp", "if (aborted_.load(std::memory_order_acquire)) {",
              "if (aborted_.load(std::memory_order_relaxed)) {")),
    mutation("the end of a visit is not released", LENT, "a rank has its buffer back while a peer reads it",
             ("src/fabric/visit.cpp", "visiting.store(0, std::memory_order_release);",
              "visiting.store(0, std::memory_order_relaxed);")),
    mutation("the end of a visit is not acquired", LENT, "a rank has its buffer back while a peer reads it",
             ("src/fabric/visit.cpp", "visiting.load(std::memory_order_seq_cst) != 0",
              "visiting.load(std::memory_order_relaxed) != 0")),
    mutation("the end of a reading is not released", POST_THREADS, "a sender has its buffer back while a peer reads it",
             ("src/fabric/post_receive.cpp", "lane.reading.store(0, std::memory_order_release);",
              "lane.reading.store(0, std::memory_order_relaxed);")),
    mutation("the flag of who tells of its wait is not released", RECORDER, "two threads write one record",
             ("src/base/recorder.cpp", "is_telling_wait_.clear(std::memory_order_release);",
              "is_telling_wait_.clear(std::memory_order_relaxed);")),
    mutation("the flag of who tells of its wait is not acquired", RECORDER, "two threads write one record",
             ("src/base/recorder.cpp", "is_telling_wait_.test_and_set(std::memory_order_acquire)",
              "is_telling_wait_.test_and_set(std::memory_order_relaxed)")),
    mutation("a head is announced before its payload", THREADS, "readers find the payload of an earlier operation",
             ("src/coll/one_shot.h", "} else if (!put(", "} else if (window_.announce(n_); !put(")),
    mutation("a head is announced before what it carries", THREADS, "readers find the payload of an earlier operation",
             ("src/coll/one_shot.h", "            put_in_head(window_.my_cell(n_).head);",
              "            window_.announce(n_);\n            put_in_head(window_.my_cell(n_).head);")),
    mutation("done is told before the inputs are read", THREADS, "writers overwrite what is just being added up",
             ("src/coll/one_shot.h", "        const xcoll_result_t result = combine(data);\n",
              "        window_.complete(n_);\n        const xcoll_result_t result = combine(data);\n"),
             ("src/coll/one_shot.h", "        window_.complete(n_);\n        if (result != XCOLL_SUCCESS) [[unlikely]] {",
              "        if (result != XCOLL_SUCCESS) [[unlikely]] {")),
    mutation("a result is announced before it is written", THREADS, "peers collect a piece that is being reduced",
             ("src/coll/reduce_two_shot.cpp",
              "    void combine(uint64_t k) {\n        const Piece p = piece(k, window.rank());",
              "    void combine(uint64_t k) {\n        publish_out(k + 1);\n"
              "        const Piece p = piece(k, window.rank());")),
    mutation("a chunk is given back before it is read", THREADS, "the writer overwrites what is being copied",
             ("src/coll/streams_read.cpp", "    for (int turn = 1; turn < ranks_; ++turn) {\n        const int p = (rank_ - turn",
              "    window_.publish(window_.my_cell(n_).used, window_.head(rank_, n_).place.base + lines(until));\n"
              "    for (int turn = 1; turn < ranks_; ++turn) {\n        const int p = (rank_ - turn")),
    mutation("readers are heard before they have finished", TOLD, "a writer chooses by what no reader has told yet",
             ("src/fabric/window.cpp", "if (everyone_done_ < writing.asked()) {", "if (done_ < writing.asked()) {")),
    mutation("readers are heard whatever they told of", TOLD, "a writer chooses by what another message cost",
             ("src/fabric/window.cpp",
              "told.number == static_cast<uint32_t>(writing.asked()) && told.writer == rank_", "told.writer == rank_")),
    mutation("the slowest reader is not the one that counts", TOLD, "a writer chooses by its fastest reader",
             ("src/fabric/window.cpp", "slowest = std::max(slowest, told.cost);",
              "slowest = slowest ? std::min(slowest, told.cost) : told.cost;")),
    mutation("what readers lose does not count", WAYS, "a writer streams what its readers fetch from memory then",
             ("src/fabric/copy_way.cpp", "if (readers > 0 && best.readers > 0) {",
              "if (readers > 0 && best.readers < 0) {")),
    mutation("lane: a chunk is announced before it is written", THREADS, "the receiver copies what is not there yet",
             ("src/fabric/window_transport.cpp", "    head.envelope = item.envelope;\n",
              "    window_.publish(l.out->sent, l.sent + 1);\n    head.envelope = item.envelope;\n")),
]
