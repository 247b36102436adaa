#include "fabric/sim/simulator.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace xcoll::sim {

Simulator::Simulator(int ranks, const Schedule &schedule, uint64_t budget)
    : ranks_(ranks), budget_(budget), chooser_(schedule, static_cast<size_t>(ranks)) {
    for (int i = 0; i < ranks; ++i) {
        by_rank_.push_back(std::make_unique<Rank>());
    }
}

Simulator::~Simulator() = default;

Simulator::Root &Simulator::add_root(int rank, std::string what, Finished finished) {
    Rank &home = *by_rank_[static_cast<size_t>(rank)];
    auto root = std::make_unique<Root>();
    root->rank = rank;
    root->what = std::move(what);
    root->finished = std::move(finished);
    root->parking.patience = -1;
    root->home = {&home.frames, &root->parking};
    home.roots.push_back(std::move(root));
    ++live_;
    return *home.roots.back();
}

void Simulator::begin(Root &root) {
    root.task.start();
    settle(root);
}

// After a root has run: is it over?
void Simulator::settle(Root &root) {
    if (!root.task.done()) {
        return;
    }
    std::exception_ptr error;
    try {
        root.task.rethrow();
    } catch (...) {
        error = std::current_exception();
    }
    auto &roots = by_rank_[static_cast<size_t>(root.rank)]->roots;
    const auto place =
        std::find_if(roots.begin(), roots.end(), [&](const auto &other) { return other.get() == &root; });
    const std::unique_ptr<Root> over = std::move(*place);
    *place = std::move(roots.back());
    roots.pop_back();
    --live_;
    if (over->finished) {
        over->finished(error);
    } else if (error && !error_) {
        error_ = error;
    }
}

void Simulator::add_source(Source source) {
    sources_.push_back(std::move(source));
    chooser_.add_source();
}

bool Simulator::move(size_t actor) {
    if (actor >= by_rank_.size()) {
        return sources_[actor - by_rank_.size()](chooser_.random());
    }
    const auto &roots = by_rank_[actor]->roots;
    const size_t count = roots.size();
    const size_t first = count > 1 ? chooser_.random().below(count) : 0;
    for (size_t i = 0; i < count; ++i) {
        Root &root = *roots[(first + i) % count];
        // A root whose own step is going on, further up the stack, is neither parked nor over.
        if (root.parking.parked() && root.parking.until.reached()) {
            root.parking.resume();
            settle(root);
            return true;
        }
    }
    return false;
}

bool Simulator::step() {
    const size_t count = by_rank_.size() + sources_.size();
    for (const bool with_starved : {false, true}) {
        const Chooser::Pass pass = chooser_.next_pass(with_starved);
        size_t actor = pass.first;
        for (size_t i = 0; i < count; ++i) {
            if (chooser_.may_move(actor, pass) && move(actor)) {
                chooser_.moved(actor);
                return true;
            }
            actor += pass.stride;
            actor -= actor >= count ? count : 0;
        }
    }
    return false;
}

void Simulator::run() {
    while (true) {
        if (error_) {
            std::rethrow_exception(std::exchange(error_, {}));
        }
        if (live_ == 0) {
            return;
        }
        if (!step()) {
            throw Stuck(format("after %llu events nobody can move, and these wait:\n",
                               static_cast<unsigned long long>(events_)) +
                        dump());
        }
        if (++events_ > budget_) {
            throw Stuck(
                format("more than %llu events, and these still wait:\n", static_cast<unsigned long long>(budget_)) +
                dump());
        }
    }
}

void Simulator::abandon() {
    for (const auto &rank : by_rank_) {
        live_ -= rank->roots.size();
        rank->roots.clear();
    }
}

std::string Simulator::dump() const {
    std::string text;
    for (const auto &rank : by_rank_) {
        for (const auto &root : rank->roots) {
            const Until &until = root->parking.until;
            if (!root->parking.parked()) {
                continue;
            }
            const std::string whom = until.owner >= 0 ? format("rank %d", until.owner) : "nobody in particular";
            text += format("  rank %d: %s waits for %s: has %llu, wants %llu\n", root->rank, root->what.c_str(),
                           whom.c_str(), static_cast<unsigned long long>(until.signal->read()),
                           static_cast<unsigned long long>(until.value));
        }
    }
    return text;
}

} // namespace xcoll::sim
