#include "cmocka_cpp.h"

#include "base/gate.h"

using namespace xcoll;

namespace {

void a_gate_opens_byte_by_byte_and_starts_again_for_the_next_buffer(void **) {
    GateKeeper keeper;
    for (int buffer = 0; buffer < 3; ++buffer) {
        keeper.begin();
        const Gate gate = keeper.gate();
        assert_true(gate.is_open(0));
        assert_false(gate.is_open(1));
        keeper.raise(100);
        assert_true(gate.is_open(100));
        assert_true(gate.until(100).reached());
        assert_false(gate.until(101).reached());
    }
    assert_true(Gate{}.is_open(1 << 20));
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(a_gate_opens_byte_by_byte_and_starts_again_for_the_next_buffer),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
