// What ranks agree on of calls that are joined: the same for the same calls, another one for others, and it tells
// which.
#include "cmocka_cpp.h"

#include <vector>

#include "base/group_signature.h"

namespace {

using namespace xcoll;

std::vector<Fingerprint> calls(size_t number) {
    std::vector<Fingerprint> all;
    for (size_t k = 0; k < number; ++k) {
        all.push_back(fingerprint(Op{.kind = Kind::allreduce, .op = Operator::sum, .dtype = Dtype::int32}));
        all.back().count = k % 5;
    }
    return all;
}

Op sign(const std::vector<Fingerprint> &all) {
    GroupSignature signature(all.size());
    for (const Fingerprint &call : all) {
        signature.add(call);
    }
    Op op{.kind = Kind::group_reduce};
    signature.write(op);
    return op;
}

void the_same_calls_have_the_same_one(void **) {
    for (size_t number = 1; number < 100; ++number) {
        assert_true(fingerprint(sign(calls(number))) == fingerprint(sign(calls(number))));
    }
}

void the_number_of_calls_is_told(void **) {
    for (const size_t number : {1UL, 2UL, 8UL, 9UL, 64UL, 1000UL}) {
        assert_int_equal(GroupSignature::calls(sign(calls(number)).count), number);
    }
    assert_int_equal(GroupSignature::calls(sign(calls(100'000)).count), 0xffff); // that many or more
}

// Six bits may be equal by chance; all calls together have 32 more.
void a_call_that_differs_is_noticed_and_found(void **) {
    size_t found = 0, tried = 0;
    for (const size_t number : {1UL, 2UL, 3UL, 7UL, 8UL, 9UL, 17UL, 64UL, 100UL}) {
        const std::vector<Fingerprint> mine = calls(number);
        for (size_t k = 0; k < number; ++k) {
            std::vector<Fingerprint> theirs = mine;
            theirs[k].count += 7 + k;
            assert_false(fingerprint(sign(mine)) == fingerprint(sign(theirs)));
            const auto [first, last] = GroupSignature::difference(sign(mine).count, sign(theirs).count);
            assert_true(last == 0 || (first <= k + 1 && k + 1 <= last));
            assert_true(last == 0 || number > 8 || first == last);
            found += last != 0;
            ++tried;
        }
    }
    assert_true(found > tried * 9 / 10);
}

void calls_in_another_order_are_others(void **) {
    std::vector<Fingerprint> mine = calls(4), theirs = mine;
    std::swap(theirs[1], theirs[2]);
    assert_false(fingerprint(sign(mine)) == fingerprint(sign(theirs)));
    assert_int_equal(GroupSignature::difference(sign(mine).count, sign(theirs).count).first, 2);
}

void nothing_is_told_of_groups_of_another_size(void **) {
    assert_int_equal(GroupSignature::difference(sign(calls(3)).count, sign(calls(4)).count).last, 0);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(the_same_calls_have_the_same_one),
        cmocka_unit_test(the_number_of_calls_is_told),
        cmocka_unit_test(a_call_that_differs_is_noticed_and_found),
        cmocka_unit_test(calls_in_another_order_are_others),
        cmocka_unit_test(nothing_is_told_of_groups_of_another_size),
    };
    return cmocka_run_group_tests_name("group signature", tests, nullptr, nullptr);
}
