// Which operations messages are kept for.
#include "cmocka_cpp.h"

#include <string>

#include "fabric/mailbox.h"

using namespace xcoll;

namespace {

constexpr size_t bytes = 8;

Envelope operation(uint64_t number, uint64_t count = 1) {
    Envelope envelope{};
    envelope.operation = number;
    envelope.call.count = count;
    return envelope;
}

bool keeps_message_for(Mailbox &box, uint64_t number) {
    const Mailbox::Place place = box.arrive(1, operation(number), bytes);
    return place.parcel != nullptr;
}

bool may_begin(Mailbox &box, uint64_t number) {
    try {
        box.begin(operation(number));
        return true;
    } catch (const Failure &) {
        return false;
    }
}

void what_comes_for_an_operation_that_is_over_is_dropped(void **) {
    Mailbox box(0, 2);
    assert_true(keeps_message_for(box, 1));
    box.begin(operation(1));
    box.end(operation(1));
    assert_false(keeps_message_for(box, 1));
    box.begin(operation(3));
    assert_false(keeps_message_for(box, 2)); // it went another way
    assert_true(keeps_message_for(box, 4));
    assert_false(may_begin(box, 1));
    assert_false(may_begin(box, 2));
    assert_false(may_begin(box, 3));
}

void a_planned_operation_begins_behind_later_ones(void **) {
    Mailbox box(0, 2);
    box.begin(operation(1));
    box.plan(2);
    box.plan(3);
    box.begin(operation(4));
    box.begin(operation(5));
    box.end(operation(4));
    assert_true(keeps_message_for(box, 2));
    assert_false(keeps_message_for(box, 4));
    assert_true(may_begin(box, 3));
    assert_true(may_begin(box, 2));
    assert_non_null(box.aside(1, 2));
    box.end(operation(2));
    assert_null(box.aside(1, 2));
    assert_false(keeps_message_for(box, 2));
    assert_false(may_begin(box, 2));
}

void what_comes_for_an_operation_that_will_not_begin_is_dropped(void **) {
    Mailbox box(0, 2);
    box.plan(1);
    box.begin(operation(2));
    assert_true(keeps_message_for(box, 1));
    box.cancel_plan(1);
    assert_null(box.aside(1, 1));
    assert_false(keeps_message_for(box, 1));
    assert_false(may_begin(box, 1));
}

void a_question_waits_until_the_planned_operation_begins(void **) {
    Mailbox box(0, 2);
    box.plan(1);
    box.begin(operation(2));
    assert_null(box.answer({1, operation(1, 7)}));
    assert_true(box.take_questions().empty());
    box.begin(operation(1));
    const auto questions = box.take_questions();
    assert_int_equal(questions.size(), 1);
    assert_non_null(box.answer(questions[0]));
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(what_comes_for_an_operation_that_is_over_is_dropped),
        cmocka_unit_test(a_planned_operation_begins_behind_later_ones),
        cmocka_unit_test(what_comes_for_an_operation_that_will_not_begin_is_dropped),
        cmocka_unit_test(a_question_waits_until_the_planned_operation_begins),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
