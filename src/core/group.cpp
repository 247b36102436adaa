#include "core/group.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/group_signature.h"
#include "coll/joined_shot.h"
#include "core/comm.h"

namespace xcoll {

Call &Group::add(Comm &comm, Kind kind, const std::optional<Arguments> &arguments) {
    stop_following();
    Call &call = add_entry(comm, stage_, arguments).call;
    call.op.kind = kind; // whatever becomes of it, it counts as one of these
    return call;
}

void Group::fail_with(const Failure &why) {
    stop_following();
    failure_ = failure_ ? failure_ : why;
}

bool Group::uses(const Comm &comm) const {
    return comm_ == &comm ||
           std::any_of(entries_.begin(), entries_.end(), [&](const Entry &entry) { return entry.comm == &comm; });
}

KnownPart *Group::first_known(Comm &comm, Kind kind, const Arguments &arguments) {
    comm_ = &comm;
    habit_ = comm.group_habit().take();
    if (!habit_) {
        return nullptr;
    }
    habit_->begin();
    return habit_->turn_to(kind, arguments);
}

// It is a group like all others from here on.
void Group::stop_following() {
    if (!std::exchange(follows_, false) || !habit_) {
        return;
    }
    for (const KnownPart &part : habit_->parts()) {
        add_entry(*comm_, 0, part.arguments).call = part;
        accept_last(nullptr);
    }
}

Group::Entry &Group::add_entry(Comm &comm, size_t stage, const std::optional<Arguments> &arguments) {
    constexpr size_t few = 16; // growing from one call to so many would move each of the first four times
    try {
        if (entries_.empty()) {
            entries_.reserve(few);
        }
        return entries_.emplace_back(comm, stage, arguments);
    } catch (const std::bad_alloc &) {
        // The end of the group cannot refuse what it does not know of, and peers may wait for it.
        const Failure lost = out_of_memory(comm.team().rank);
        failure_ = failure_ ? failure_ : lost;
        comm.fail_for_good(lost);
        throw lost;
    }
}

bool Group::has_requests() const {
    return std::any_of(entries_.begin(), entries_.end(), [](const Entry &entry) { return entry.request; });
}

// Calls that only move data, as one exchange, or small reductions, as one shot.
Call Group::join(const Comm &comm, std::span<const size_t> some) const {
    std::vector<Call> calls;
    calls.reserve(some.size());
    GroupSignature signature(some.size());
    Call whole;
    for (const size_t i : some) {
        const Op &op = calls.emplace_back(entries_[i].call).op;
        signature.add(fingerprint(op));
        whole.op.room += traits(op.kind).reduces ? JoinedShot::room_of(op, comm.team().size) : 0;
        whole.op.op = is_floating(op.dtype) ? op.op : whole.op.op; // see fingerprint()
    }
    whole.op.kind = traits(calls[0].op.kind).moves_data ? Kind::group : Kind::group_reduce;
    whole.op.form = Form::group;
    signature.write(whole.op);
    whole.keep(std::move(calls));
    if (whole.op.kind == Kind::group) {
        whole.write_itinerary(comm.team().rank, comm.team().size);
    }
    return whole;
}

namespace {
// A reduction that was refused, as long as it may be for those who accept it.
Op longest(Op op) {
    constexpr size_t beyond_all_limits = size_t{1} << 32;
    op.dtype = op.dtype == Dtype::none ? Dtype::complex128 : op.dtype;
    op.count = std::min(op.count, beyond_all_limits);
    op.user = nullptr; // it may be gone
    op.item = nullptr;
    return op;
}
} // namespace

// The exchange of all that moves data, then the others, of which small reductions are joined.
//
// A rank that refuses the group takes as many numbers as those who run it, as far as it can tell: of the call that it
// refuses it may know no more than the count. Where that leaves open whether they join it, it does not, and takes more
// numbers than they do: they get in step by themselves if they wait for an operation of this group, which who refuses
// it does not. In a later stage nobody joins reductions: where an earlier one failed, nobody waits.
Group::Joins Group::joins(size_t stage, const Comm &comm) {
    Joins operations;
    std::vector<size_t> movers, others, small;
    // One that adds up as well is known as that when all of it is described.
    const auto moves = [](const Entry &entry) {
        const Kind kind = entry.call.op.kind;
        return traits(kind).moves_data && !(entry.is_refused && kind == Kind::reshard);
    };
    for (size_t i = 0; i < entries_.size(); ++i) {
        if (entries_[i].stage == stage && entries_[i].comm == &comm) {
            entries_[i].call.op.form = Form::group;
            (moves(entries_[i]) ? movers : others).push_back(i);
        }
    }
    const auto take_joined = [&](std::vector<size_t> &some) {
        if (!some.empty()) {
            operations.push_back(std::exchange(some, {}));
        }
    };
    take_joined(movers);
    size_t room = 0; // of those that are joined
    for (const size_t i : others) {
        std::optional<Op> guess;
        const Op &op = entries_[i].is_refused ? guess.emplace(longest(entries_[i].call.op)) : entries_[i].call.op;
        if (stage > 0 || !traits(op.kind).reduces || !JoinedShot::serves(op, comm.choices().row(op), comm.team())) {
            operations.push_back({i});
            continue;
        }
        const size_t more = JoinedShot::room_of(op, comm.team().size);
        if (room + more > JoinedShot::most_room(*comm.team().window)) {
            take_joined(small);
            room = 0;
        }
        small.push_back(i);
        room += more;
    }
    take_joined(small);
    return operations;
}

// Of each, `take` gets the call, and which entries it is made of. In a group that does not run the first one stands for
// all of them, and none is looked at.
template <class Take> void Group::for_each_operation(const Comm &comm, const Joins &operations, Take take) {
    for (const std::vector<size_t> &entries : operations) {
        if (entries.size() == 1 || failure_) {
            take(entries_[entries[0]].call, entries);
        } else {
            Call whole = join(comm, entries);
            take(whole, entries);
        }
    }
}

// The operations of one stage, for each communicator in the order in which they appear.
void Group::add_operations(Operations &operations, size_t stage, const std::shared_ptr<const GroupStage> &before) {
    std::vector<Comm *> comms;
    for (const Entry &entry : entries_) {
        if (entry.stage == stage && std::find(comms.begin(), comms.end(), entry.comm) == comms.end()) {
            comms.push_back(entry.comm);
        }
    }
    for (Comm *comm : comms) {
        for_each_operation(*comm, joins(stage, *comm), [&](const Call &call, std::span<const size_t> entries) {
            for (size_t k = 0; k < entries.size(); ++k) {
                places_[entries[k]] = {operations.size(), k};
            }
            operations.push_back(std::make_shared<Request>(comm, call));
            operations.back()->after = before;
        });
    }
}

namespace {
// See base/stance.h. Messages take no numbers.
void tell_extra_numbers(const Operations &operations) {
    const auto is_numbered = [](const Request &one) { return !traits(one.what.op.kind).is_message; };
    for (const auto &one : operations) {
        const auto first = std::find_if(operations.begin(), operations.end(), [&](const auto &other) {
            return other->comm == one->comm && is_numbered(*other);
        });
        if (is_numbered(*one) && *first != one) {
            ++(*first)->what.op.extra_numbers;
        }
    }
}
} // namespace

std::unique_ptr<Plan> Group::plan(Use use) {
    stop_following();
    try {
        return make_plan(use);
    } catch (const std::bad_alloc &) {
        const Failure lost = out_of_memory(Failure::nobody);
        fail_requests(lost);
        for (const Entry &entry : entries_) {
            entry.comm->fail_for_good(out_of_memory(entry.comm->team().rank));
        }
        throw lost;
    }
}

std::unique_ptr<Plan> Group::make_plan(Use use) {
    places_.resize(entries_.size());
    Operations operations;
    std::shared_ptr<const GroupStage> before;
    for (size_t stage = 0; stage <= stage_; ++stage) {
        const size_t first = operations.size();
        add_operations(operations, stage, before);
        if (operations.size() > first) { // a stage without calls changes nothing
            before = std::make_shared<GroupStage>(operations.begin() + static_cast<ptrdiff_t>(first), operations.end());
        }
    }
    tell_extra_numbers(operations);
    if (failure_) {
        if (use == Use::now) {
            refuse(operations); // peers that are in the same group wait for this rank's part in it
        }
        fail_requests(*failure_);
        throw *failure_;
    }
    auto plan = std::make_unique<Plan>();
    for (size_t i = 0; i < entries_.size(); ++i) {
        if (Plan *request = entries_[i].request) {
            request->set({operations[places_[i].operation]}, {{0, places_[i].index}});
            request->recorded = false;
            request->active = true;
        }
    }
    plan->set(std::move(operations), places_);
    return plan;
}

void Group::cancel(const Failure &why) {
    habit_.reset(); // its communicator may be gone
    fail_requests(why);
}

void Group::fail_requests(const Failure &why) {
    for (const Entry &entry : entries_) {
        if (entry.request) {
            entry.request->recorded = false;
            entry.request->active = true;
            entry.request->failure = why;
        }
    }
}

void Group::run() {
    KnownGroup *const known = follows_ && habit_ && stage_ == 0 ? habit_->ended() : nullptr;
    if (known && known->try_run(*comm_)) {
        return;
    }
    stop_following();
    if (entries_.size() == 1 && !failure_ && !has_requests()) { // nothing to plan
        entries_[0].comm->run(entries_[0].call);
    } else if (!try_run_without_plan()) {
        const std::unique_ptr<Plan> planned = plan(Use::now);
        planned->start();
        planned->wait(); // for those with requests of their own as well: they were under way together
        planned->check();
        return;
    }
    learn();
}

// Nobody asks for one call of it alone, and nothing of it could be hidden behind the rest.
bool Group::try_run_without_plan() {
    if (failure_ || entries_.empty()) {
        return false;
    }
    Comm &comm = *entries_[0].comm;
    const auto is_message = [](const Entry &entry) { return traits(entry.call.op.kind).is_message; };
    const bool is_plain = std::all_of(entries_.begin(), entries_.end(),
                                      [&](const Entry &entry) { return entry.comm == &comm && !entry.request; });
    const bool has_messages = std::any_of(entries_.begin(), entries_.end(), is_message);
    try {
        if (!is_plain || !comm.membership().shares_memory()) {
            return false;
        }
        if (!has_messages) {
            run_in_turn(comm);
            return true;
        }
        const bool has_else = stage_ != 0 || !std::all_of(entries_.begin(), entries_.end(), is_message);
        return !has_else && try_run_messages(comm);
    } catch (const std::bad_alloc &) {
        const Failure lost = out_of_memory(comm.team().rank);
        comm.fail_for_good(lost);
        throw lost;
    }
}

bool Group::try_run_messages(Comm &comm) {
    std::vector<MessageAtOnce> messages(entries_.size());
    for (size_t i = 0; i < entries_.size(); ++i) {
        entries_[i].call.op.form = Form::group;
        messages[i].op = &entries_[i].call.op;
    }
    return comm.try_run_messages(messages);
}

// One operation after the other, as a plan would number them. Those behind a failed one of their stage run, as peers
// wait for them; of later stages peers are told that they do not.
void Group::run_in_turn(Comm &comm) {
    std::vector<Joins> all;
    size_t numbers = 0;
    for (size_t stage = 0; stage <= stage_; ++stage) {
        numbers += all.emplace_back(joins(stage, comm)).size();
    }
    auto extra_numbers = static_cast<uint32_t>(numbers - 1);
    std::optional<Failure> first;
    for (const Joins &operations : all) {
        const bool is_refused = first.has_value();
        for_each_operation(comm, operations, [&](Call &call, std::span<const size_t>) {
            call.op.extra_numbers = std::exchange(extra_numbers, 0);
            if (is_refused) {
                comm.refuse(call.op);
                return;
            }
            try {
                comm.run(call);
            } catch (const Failure &failure) {
                first = first ? first : failure;
            }
        });
    }
    if (first) {
        throw *first;
    }
}

// Calls that their arguments tell all about.
bool Group::may_be_known() const {
    return stage_ == 0 && entries_.size() <= GroupHabit::most_parts &&
           std::all_of(entries_.begin(), entries_.end(), [](const Entry &entry) {
               const Op &op = entry.call.op;
               return entry.arguments && !op.in && !op.user;
           });
}

void Group::learn() {
    if (!may_be_known()) {
        return;
    }
    GroupSignature signature(entries_.size());
    for (const Entry &entry : entries_) {
        const Op &op = entry.call.op;
        signature.add(traits(op.kind).is_message ? fingerprint_of_message(op) : fingerprint(op));
    }
    Op all{.kind = Kind::group};
    signature.write(all);
    try {
        if (!habit_) {
            habit_ = std::make_unique<GroupHabit>();
        }
        if (habit_->repeats(fingerprint(all))) {
            habit_->know(known());
        }
    } catch (const std::bad_alloc &) {
        // Then it is not known.
    }
}

std::unique_ptr<KnownGroup> Group::known() {
    std::vector<KnownPart> parts;
    parts.reserve(entries_.size());
    for (const Entry &entry : entries_) {
        parts.emplace_back(entry.call, *entry.arguments);
    }
    auto group = std::make_unique<KnownGroup>(std::move(parts));
    const Comm &comm = *entries_[0].comm;
    if (!group->is_of_messages()) {
        for_each_operation(comm, joins(0, comm),
                           [&](const Call &whole, std::span<const size_t> some) { group->add(whole, some); });
    }
    return group;
}

} // namespace xcoll
