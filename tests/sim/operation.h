// One collective operation of a simulated program: what every member calls, on which data, and what must come out.
#pragma once

#include <algorithm>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "coll/payload.h"
#include "coll/reduction.h"
#include "coll/select.h"
#include "coll/window_algorithms.h"
#include "fabric/sim/simulator.h"
#include "sim/call.h"
#include "sim/coverage.h"
#include "sim/joined.h"
#include "sim/memory.h"
#include "sim/outcome.h"
#include "sim/parted.h"
#include "sim/plainly.h"
#include "sim/reference.h"
#include "sim/resharded.h"
#include "sim/told.h"
#include "sim/world.h"

namespace xcoll::sim {

// A call whose arguments were refused on one rank.
inline const Row &refused_row = algorithms(Kind::refused)[0];

class Operation {
public:
    // offender: a rank of the group that calls `wrong` instead; -1: nobody.
    Operation(Group &group, const Call &call, uint64_t seed, int offender = -1, const Call &wrong = {},
              bool heaps = false)
        : group_(group), call_(call), wrong_(wrong), offender_(offender), seed_(seed),
          parts_(static_cast<size_t>(group.size())) {
        // The data of some operations lies at odd addresses, and some are in place.
        Random random(seed);
        shift_ = random.percent(50) ? random.below(line_bytes) : 0;
        in_place_ = random.percent(30);
        at_my_part_ = random.percent(50);
        in_heap_percent_ = !heaps || random.percent(30) ? 0 : random.percent(70) ? 100 : 80;
    }

    Group &group() {
        return group_;
    }
    // Member p goes in: a root task that checks what came out.
    void start(Simulator &simulator, int p, Coverage &coverage) {
        prepare(p);
        Part &part = *parts_[static_cast<size_t>(p)];
        part.number = group_.next_number(p);
        if (offender_ >= 0) {
            group_.offend();
        }
        const Row &row = *call_of(p).algorithm;
        // The steps are of each rank's own choice.
        const bool takes_plain_steps = (seed_ + static_cast<uint64_t>(p)) % 4 != 0;
        const Algorithm run = takes_plain_steps ? plainly(row, part.op, p, group_.size()) : row.run;
        simulator.spawn(
            group_.member(p), name(p),
            [&part, run, p, this](TaskHome &home) {
                return run(home, group_.team(p), part.op, part.call, part.number);
            },
            [this, p, &coverage](const std::exception_ptr &error) { ended(p, error, coverage); });
    }
    Until over(int p) const {
        return {&parts_[static_cast<size_t>(p)]->over, 1, -1};
    }
    bool is_over(int p) const {
        return parts_[static_cast<size_t>(p)] && parts_[static_cast<size_t>(p)]->over.reached(1);
    }

private:
    struct Part {
        Memory send, memory;
        Layout layout;
        Op op;
        std::vector<Op> joined;
        Fingerprint call;
        std::optional<Parted> parted;
        std::optional<Resharded> resharded;
        Told told;
        uint64_t number;
        Signal over;
    };
    static constexpr size_t guard_bytes = 64;
    static constexpr unsigned char guard = 0xc3, garbage = 0xee;

    std::string name(int p) const {
        return format("rank %d of %d of %s, operation %llu, %s,", p, group_.size(), group_.name().c_str(),
                      static_cast<unsigned long long>(parts_[static_cast<size_t>(p)]->number),
                      call_of(p).text().c_str());
    }
    const Call &call_of(int p) const {
        return p == offender_ ? wrong_ : call_;
    }
    // All ranks' inputs, with what only some of them give.
    void make_inputs() {
        inputs_.resize(parts_.size());
        for (int q = 0; q < group_.size(); ++q) {
            const bool blocks = call_.has({Kind::alltoall, Kind::alltoall_dyn, Kind::reduce_scatter, Kind::scatter});
            size_t count = call_.count * (blocks ? parts_.size() : 1);
            if (call_.has_parts()) {
                everyone_.emplace_back(call_, q, group_.size());
                count = everyone_.back().send_bytes() / size_of(call_.dtype);
            } else if (call_.kind == Kind::reshard_reduce) {
                holders_.emplace_back(call_, q, group_.size());
                count = holders_.back().send_bytes() / size_of(call_.dtype);
            }
            make_input(inputs_[static_cast<size_t>(q)], call_.dtype, count, seed_, q);
        }
    }
    void prepare(int p) {
        if (inputs_.empty()) {
            make_inputs();
        }
        const Call &called = call_of(p);
        auto part = std::make_unique<Part>();
        Layout &l = part->layout = layout_of(called, p, group_.size(), in_place_, at_my_part_);
        if (called.has_parts()) {
            const Parted &parted = part->parted.emplace(called, p, group_.size());
            l = {parted.send_bytes(), parted.recv_bytes(), parted.recv_bytes()};
        } else if (called.kind == Kind::reshard_reduce) {
            const Resharded &resharded = part->resharded.emplace(called, p, group_.size());
            l = {resharded.send_bytes(), resharded.recv_bytes(), resharded.recv_bytes()};
        }
        Bytes offenders;
        if (p == offender_) {
            make_input(offenders, called.dtype, l.send_bytes ? l.send_bytes / size_of(called.dtype) : 0, seed_, p);
        }
        const Bytes &input = p == offender_ ? offenders : inputs_[static_cast<size_t>(p)];
        part->send = take(p, 0, input.size());
        std::copy(input.begin(), input.end(), part->send.data());
        part->memory = take(p, 1, guard_bytes + shift_ + l.room + guard_bytes);
        unsigned char *memory = part->memory.data() + guard_bytes + shift_;
        std::fill_n(memory, l.room, garbage);
        Op &op = part->op;
        op = called.descriptor(p);
        // What does not matter on a rank is not looked at.
        op.recv = l.recv_bytes > 0 ? memory + l.recv_at : nullptr;
        op.send = l.in_place ? memory + l.send_at : l.send_bytes > 0 ? part->send.data() : nullptr;
        const bool has_input = called.kind != Kind::bcast || called.root == p;
        if (l.in_place && has_input) {
            std::copy_n(input.begin(), l.send_bytes, memory + l.send_at);
        }
        describe(p, called, *part, memory);
        part->call = fingerprint(op);
        parts_[static_cast<size_t>(p)] = std::move(part);
    }

    // What else a call of its kind says.
    void describe(int p, const Call &called, Part &part, unsigned char *memory) {
        if (called.kind == Kind::group_reduce) {
            join(called, part.op, part.joined);
        } else if (called.is_dynamic()) {
            const bool packed = called.is_shared() && !in_place_ && (seed_ + static_cast<uint64_t>(p)) % 2 == 0;
            part.told.describe(part.op, called, p, group_.size(), packed);
        } else if (called.has_parts()) {
            part.parted->describe(part.op, part.send.data(), memory, seed_ % 2 == 0);
        } else if (called.kind == Kind::reshard_reduce) {
            part.resharded->describe(part.op, part.send.data(), memory);
        }
    }

    // Of this rank's own choice: not all of one operation's buffers need lie in heaps.
    Memory take(int p, uint64_t which, size_t bytes) {
        Random random(seed_ + 2 * static_cast<uint64_t>(p) + which);
        return {random.percent(in_heap_percent_) ? &group_.heap(p) : nullptr, bytes, guard};
    }
    void ended(int p, const std::exception_ptr &error, Coverage &coverage) {
        ++coverage.operations;
        Part &part = *parts_[static_cast<size_t>(p)];
        Window *window = group_.team(p).window;
        const bool by_messages = call_of(p).algorithm->needs == Row::Needs::transport;
        if (by_messages && window) {
            window->complete(part.number);
        } else if (!by_messages && part.op.bytes() > inline_bytes && !always_streams(*call_of(p).algorithm)) {
            coverage.without_room += !window->head(p, part.number).has_room;
        }
        if (!by_messages && window) {
            coverage.note(*window, part.op, part.number);
        }
        const std::string trouble = judge(p, part, error, coverage);
        if (!trouble.empty()) {
            throw std::runtime_error(name(p) + ": " + trouble);
        }
        part.over.store(1);
        part.send = {};
        part.memory = {};
        if (++ended_ == group_.size()) {
            inputs_ = {};
            expected_ = {};
            sums_ = {};
            everyone_.clear();
            holders_.clear();
        }
    }

    std::string judge(int p, const Part &part, const std::exception_ptr &error, Coverage &coverage) {
        const bool guarded = std::all_of(part.memory.begin(), part.memory.begin() + guard_bytes + shift_, is_guard) &&
                             std::all_of(part.memory.end() - guard_bytes, part.memory.end(), is_guard);
        if (!guarded) {
            return "memory beside the receive buffer was written to";
        }
        const Bytes &input = inputs_[static_cast<size_t>(p)];
        if (p != offender_ && !std::equal(input.begin(), input.end(), part.send.begin(), part.send.end())) {
            return "the send buffer was written to";
        }
        const bool cut = error && is_cut(p) && result_of(error) == XCOLL_ERR_TRUNCATE;
        coverage.cut += cut;
        if (error && !cut) {
            ++coverage.mismatches;
            return judge_error(error);
        }
        if (is_cut(p) && !cut) {
            return "a part was longer than its room, and nobody said so";
        }
        if (must_fail(p)) {
            return format("rank %d called %s, and nobody said so", offender_, wrong_.text().c_str());
        }
        if (p == offender_) {
            return "";
        }
        for (int q = 0; q < group_.size(); ++q) {
            if (call_.waits(p, q) && !parts_[static_cast<size_t>(q)]) {
                return format("over before rank %d had begun it", q);
            }
        }
        for (int q = 0; call_.is_dynamic() && q < group_.size(); ++q) {
            if (part.told.found[static_cast<size_t>(q)] != call_.given(q, p)) {
                return format("the count of rank %d was told wrong", q);
            }
        }
        const unsigned char *recv = part.memory.begin() + guard_bytes + shift_ + part.layout.recv_at;
        if (!expect(p, part, recv)) {
            return "the sum is wrong by more than rounding";
        }
        const auto wrong = std::mismatch(expected_.begin(), expected_.end(), recv);
        if (wrong.first != expected_.end()) {
            return format("wrong result at byte %td of %zu%s", wrong.first - expected_.begin(), expected_.size(),
                          *wrong.second == garbage ? " (never written)" : "");
        }
        return "";
    }
    // A part from or for rank p is longer than its room.
    bool is_cut(int p) const {
        bool cut = false;
        for (int q = 0; call_.is_dynamic() && offender_ < 0 && q < group_.size(); ++q) {
            cut |= std::max(call_.given(p, q), call_.given(q, p)) > call_.count;
        }
        return cut;
    }
    std::string judge_error(const std::exception_ptr &error) const {
        try {
            std::rethrow_exception(error);
        } catch (const Failure &failure) {
            // Who did not wait for the offender hears of it when its messages come in, in whatever it waits for then.
            const bool late = group_.fabric() == Fabric::window_and_lanes && group_.has_offender();
            return failure.result() == XCOLL_ERR_MISMATCH && (offender_ >= 0 || late) ? "" : failure.message();
        }
    }
    // Everybody who waits for the offender, and the offender if it waits for anybody. Whoever refused a call has told
    // its caller already.
    bool must_fail(int p) const {
        bool hears = false;
        for (int q = 0; offender_ >= 0 && q < group_.size(); ++q) {
            hears |= q != p && (p == offender_ || q == offender_) && call_of(p).waits(p, q);
        }
        return hears;
    }
    // Heads of these say that there is no one piece, room or not.
    static bool always_streams(const Row &row) {
        return row.run == exchange_streams || row.run == dynamic_streams || row.run == reduce_gathered ||
               row.run == reshard_reduce;
    }

    bool has_order_of_its_own() const {
        const Order order = call_.algorithm->order;
        return order == Order::around || (order == Order::tree && group_.order() != Order::tree);
    }
    // What rank p must have. If the algorithm adds up in an order of its own, the first result, if it is right up to
    // rounding, is what the others must have, too.
    bool expect(int p, const Part &part, const unsigned char *result) {
        if (has_order_of_its_own() && depends_on_order(call_.dtype, call_.op)) {
            if (!expected_.empty() || call_.bytes() == 0) {
                return true;
            }
            expected_.assign(result, result + call_.bytes());
            return is_close(expected_, inputs_, call_.dtype, call_.op);
        }
        if (call_.reduces()) {
            expect_reduced(p, part);
        } else if (call_.is_dynamic()) {
            expect_told(p, part);
        } else {
            expect_moved(p, part);
        }
        return true;
    }
    void expect_moved(int p, const Part &part) {
        const size_t bytes = call_.bytes(), mine = static_cast<size_t>(p) * bytes;
        const auto append = [&](int q, size_t at) {
            const Bytes &input = inputs_[static_cast<size_t>(q)];
            expected_.insert(expected_.end(), input.begin() + static_cast<ptrdiff_t>(at),
                             input.begin() + static_cast<ptrdiff_t>(at + bytes));
        };
        expected_.clear();
        if (part.parted) {
            expected_.assign(part.layout.recv_bytes, garbage);
            for (int q = 0; q < group_.size(); ++q) {
                part.parted->expect(expected_, everyone_[static_cast<size_t>(q)], inputs_[static_cast<size_t>(q)]);
            }
            return;
        }
        if (part.layout.recv_bytes == 0 || call_.kind == Kind::barrier) {
            return;
        }
        if (call_.has({Kind::bcast, Kind::scatter})) {
            append(call_.root, call_.kind == Kind::scatter ? mine : 0);
            return;
        }
        for (int q = 0; q < group_.size(); ++q) {
            append(q, call_.kind == Kind::alltoall ? mine : 0);
        }
    }
    // What fits lies where it belongs, and beside it what lay there before.
    void expect_told(int p, const Part &part) {
        const Layout &l = part.layout;
        const auto input_of = [&](int q) { return inputs_[static_cast<size_t>(q)].begin(); };
        const size_t item = size_of(call_.dtype);
        expected_.assign(l.recv_bytes, garbage);
        if (l.in_place) {
            std::copy_n(input_of(p), l.send_bytes, expected_.begin() + static_cast<ptrdiff_t>(l.send_at));
        }
        size_t next = 0;
        for (int q = 0; q < group_.size(); ++q) {
            const size_t told = call_.given(q, p), bytes = told <= call_.count ? told * item : 0;
            const size_t from = call_.is_shared() ? 0 : static_cast<size_t>(p) * call_.bytes();
            const size_t to = part.told.dynamic.packed ? next : static_cast<size_t>(q) * call_.bytes();
            std::copy_n(input_of(q) + static_cast<ptrdiff_t>(from), bytes,
                        expected_.begin() + static_cast<ptrdiff_t>(to));
            next += bytes;
        }
    }
    void expect_reduced(int p, const Part &part) {
        if (call_.kind == Kind::reshard_reduce) {
            expected_.assign(part.layout.recv_bytes, garbage);
            part.resharded->expect(expected_, holders_, inputs_, {group_.order(), group_.grouping()});
            return;
        }
        if (call_.has({Kind::scan, Kind::exscan})) {
            const int last = call_.kind == Kind::scan ? p : p - 1;
            if (last >= 0) {
                const std::vector<Bytes> lower(inputs_.begin(), inputs_.begin() + last + 1);
                const Grouping by_rank = one_group(last + 1);
                expected_reduction(expected_, lower, {Order::groups, by_rank}, call_.dtype, call_.op, call_.user);
            } else if (part.layout.in_place) {
                expected_ = inputs_[0];
            } else {
                expected_.assign(call_.bytes(), garbage);
            }
            return;
        }
        if (sums_.empty()) {
            expected_reduction(sums_, inputs_, {group_.order(), group_.grouping()}, call_.dtype, call_.op, call_.user);
        }
        const auto mine = static_cast<ptrdiff_t>(result_begin(part.op, p) * size_of(call_.dtype));
        const auto bytes = static_cast<ptrdiff_t>(part.layout.recv_bytes);
        expected_.assign(sums_.begin() + (bytes ? mine : 0), sums_.begin() + (bytes ? mine + bytes : 0));
    }
    static bool is_guard(unsigned char byte) {
        return byte == guard;
    }

    Group &group_;
    Call call_, wrong_;
    int offender_;
    uint64_t seed_;
    size_t shift_ = 0;
    bool in_place_ = false, at_my_part_ = false;
    unsigned in_heap_percent_ = 0;
    int ended_ = 0;
    std::vector<Bytes> inputs_;
    std::vector<Parted> everyone_;   // with parts
    std::vector<Resharded> holders_; // of a tensor
    Bytes expected_, sums_;
    std::vector<std::unique_ptr<Part>> parts_; // by rank of the group, of those who have begun
};

} // namespace xcoll::sim
