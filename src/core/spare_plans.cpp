#include "core/spare_plans.h"

#include <utility>

#include "core/plan.h"

namespace xcoll {

SparePlans::SparePlans() = default;
SparePlans::~SparePlans() = default;

std::unique_ptr<Plan> SparePlans::take() {
    return taken_ == kept_ ? nullptr : std::move(plans_[taken_++ % most]);
}

void SparePlans::keep(std::unique_ptr<Plan> plan) {
    plan->be_spare();
    if (kept_ - taken_ < most) {
        plans_[kept_++ % most] = std::move(plan);
    }
}

} // namespace xcoll
