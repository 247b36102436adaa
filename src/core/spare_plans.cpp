#include "core/spare_plans.h"

#include <utility>

#include "core/plan.h"

namespace xcoll {

SparePlans::SparePlans() = default;
SparePlans::~SparePlans() = default;

std::unique_ptr<Plan> SparePlans::take() {
    if (count_ == 0) {
        return nullptr;
    }
    std::unique_ptr<Plan> plan = std::move(plans_[--count_]);
    plan->serve_again();
    return plan;
}

void SparePlans::keep(std::unique_ptr<Plan> plan) {
    plan->be_spare();
    if (count_ < most) {
        plans_[count_++] = std::move(plan);
    }
}

} // namespace xcoll
