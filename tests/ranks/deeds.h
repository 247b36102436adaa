// All deeds, one of which is drawn.
#pragma once

#include <memory>

#include "moving_call.h"
#include "reducing_deed.h"
#include "reshard_deed.h"

namespace deeds {

class BarrierDeed : public Deed {
public:
    explicit BarrierDeed(const Place &place) : place_(place) {
    }
    void prepare(uint64_t) override {
    }
    xcoll_result_t call(Form form, xcoll_request_t *request) override {
        return call_by({form, place_.comm, request}, FORMS_OF(barrier));
    }
    void move(xcoll_request_t, size_t) override {
    }
    void check() const override {
    }

private:
    Place place_;
};

inline std::unique_ptr<Deed> draw(uint64_t number, const Place &place) {
    Dice dice(values::mix(number + 1));
    const uint64_t which = roll(dice, 20);
    if (which < 11) {
        return std::make_unique<MovingDeed>(number, place);
    }
    if (which < 16) {
        return std::make_unique<ReducingDeed>(number, place);
    }
    if (which < 19) {
        return std::make_unique<ReshardDeed>(number, place);
    }
    return std::make_unique<BarrierDeed>(place);
}

} // namespace deeds
