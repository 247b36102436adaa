// xcoll-tune: what it takes for a gain, and that the library understands what it writes about it.
#include "cmocka_cpp.h"

#include <algorithm>
#include <cstring>

#include "coll/preference.h"
#include "tools/xcoll-tune/tuning_file.h"

using namespace xcoll;
using namespace xcoll::tune;

namespace {

using Kind = Verdict::Kind;

// The usual one and its control at 100 ns.
Times against(std::vector<double> rival) {
    const std::vector<double> same(rival.size(), 100);
    return {same, same, std::move(rival)};
}

Kind judged(std::vector<double> rival) {
    return judge(against(std::move(rival))).kind;
}

void what_wins_clearly_in_every_pass_is_faster(void **) {
    assert_true(judged({80, 81, 79, 80, 82}) == Kind::faster);
    assert_true(judged({125, 120, 130, 126, 121}) == Kind::slower);
    const Verdict verdict = judge(against({50, 40, 80, 50, 50}));
    assert_true(verdict.median == 2 && verdict.most == 2.5 && verdict.least == 1.25);
}

void a_small_gain_is_none(void **) {
    assert_true(judged({97, 97, 97, 97, 97}) == Kind::same);
    assert_true(judged({103, 103, 103, 103, 103}) == Kind::same);
}

void one_pass_of_five_may_say_the_contrary_and_two_may_not(void **) {
    assert_true(judged({80, 80, 130, 80, 80}) == Kind::faster);
    assert_true(judged({80, 80, 130, 130, 80}) == Kind::same);
    assert_true(judged({130, 130, 80, 130, 130}) == Kind::slower);
    assert_true(judged({130, 80, 80, 130, 130}) == Kind::same);
}

void a_gain_within_the_noise_of_the_control_is_none(void **) {
    Times noisy = against({80, 80, 80, 80, 80});
    noisy.control = {160, 60, 150, 70, 160};
    assert_true(judge(noisy).kind == Kind::same);
}

void what_drowns_in_its_surroundings_proves_nothing(void **) {
    assert_true(judged({-5, -1, 0, -3, -2}) == Kind::same);
    Times drowned = against({10, 10, 10, 10, 10});
    drowned.usual = {-1, -1, -1, -1, -1};
    assert_true(judge(drowned).kind == Kind::same);
}

tools::Json description() {
    return tools::Json::parse(
        R"({"size": 4, "groups": [[0, 1], [2, 3]], "shared_memory": true, "build": {"version": "1.0.0"},
            "machine": {"usable_processors": 4}})");
}

Bout bout(const char *collective, uint64_t bytes, std::vector<const char *> rivals) {
    Bout made{{perf::find_operation(collective), perf::find_type("float32"), perf::find_reduction("sum"),
               perf::Form::blocking, bytes / 4},
              bytes,
              "one_shot",
              {}};
    for (const char *rival : rivals) {
        made.rivals.push_back({XCOLL_COMM_NULL, rival});
    }
    return made;
}

Finding found(const Bout &bout, std::vector<double> nanoseconds) {
    Finding finding{&bout, {}};
    for (const double each : nanoseconds) {
        finding.times.push_back(against(std::vector<double>(5, each)));
    }
    return finding;
}

// The algorithm that the lines name first for a size; "" if they name none.
std::string named(const std::vector<Preference> &lines, xcoll::Kind kind, size_t bytes) {
    const auto line = std::find_if(lines.begin(), lines.end(), [&](const Preference &one) {
        return one.kind == kind && one.bytes.holds(bytes) && one.ranks.holds(4) && one.groups.holds(2) &&
               one.reach == Preference::Reach::local;
    });
    return line == lines.end() ? "" : line->row->name;
}

void of_several_winners_the_fastest_is_named(void **) {
    const Bout one = bout("allreduce", 64, {"streamed", "two_shot", "gathered"});
    const auto lines = parse_tuning(tuning_text({found(one, {80, 60, 70})}, description()), "written");
    assert_string_equal(named(lines, xcoll::Kind::allreduce, 64).c_str(), "two_shot");
}

void a_written_text_names_the_winner_where_it_was_measured_and_nowhere_else(void **) {
    const Bout bouts[] = {bout("reduce", 1 << 20, {"two_shot"}), bout("allreduce", 64, {"two_shot"}),
                          bout("allreduce", 256, {"two_shot"}),  bout("allreduce", 1024, {"two_shot"}),
                          bout("allreduce", 4096, {"two_shot"}), bout("allreduce", 16384, {"streamed"})};
    const std::string text = tuning_text({found(bouts[0], {50}), found(bouts[1], {100}), found(bouts[2], {70}),
                                          found(bouts[3], {60}), found(bouts[4], {150}), found(bouts[5], {50})},
                                         description());
    const auto lines = parse_tuning(text, "written");
    // Neighbours share a line.
    assert_int_equal(lines.size(), 3);
    const struct {
        xcoll::Kind kind;
        size_t bytes;
        const char *algorithm;
    } expected[] = {{xcoll::Kind::reduce, 1 << 20, "two_shot"}, {xcoll::Kind::reduce, (1 << 20) + 1, ""},
                    {xcoll::Kind::reduce, (1 << 20) - 1, ""},   {xcoll::Kind::allreduce, 64, ""},
                    {xcoll::Kind::allreduce, 128, ""},          {xcoll::Kind::allreduce, 129, "two_shot"},
                    {xcoll::Kind::allreduce, 256, "two_shot"},  {xcoll::Kind::allreduce, 600, "two_shot"},
                    {xcoll::Kind::allreduce, 1024, "two_shot"}, {xcoll::Kind::allreduce, 2048, "two_shot"},
                    {xcoll::Kind::allreduce, 2049, ""},         {xcoll::Kind::allreduce, 8192, ""},
                    {xcoll::Kind::allreduce, 8193, "streamed"}, {xcoll::Kind::allreduce, 16384, "streamed"},
                    {xcoll::Kind::allreduce, 16385, ""}};
    for (const auto &[kind, bytes, algorithm] : expected) {
        assert_string_equal(named(lines, kind, bytes).c_str(), algorithm);
    }
    assert_non_null(std::strstr(text.c_str(), "1.43 to 1.67 times as fast as one_shot"));
}

void a_text_without_winners_is_a_tuning_file_too(void **) {
    const Bout one = bout("bcast", 64, {"streams"});
    assert_true(parse_tuning(tuning_text({found(one, {100})}, description()), "written").empty());
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(what_wins_clearly_in_every_pass_is_faster),
        cmocka_unit_test(a_small_gain_is_none),
        cmocka_unit_test(one_pass_of_five_may_say_the_contrary_and_two_may_not),
        cmocka_unit_test(a_gain_within_the_noise_of_the_control_is_none),
        cmocka_unit_test(what_drowns_in_its_surroundings_proves_nothing),
        cmocka_unit_test(of_several_winners_the_fastest_is_named),
        cmocka_unit_test(a_written_text_names_the_winner_where_it_was_measured_and_nowhere_else),
        cmocka_unit_test(a_text_without_winners_is_a_tuning_file_too),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
