// The tuning file: what its lines mean, what is wrong with those that mean nothing, and that no text does harm.
#include "cmocka_cpp.h"

#include <algorithm>
#include <random>
#include <string>

#include "select_ranks.h"

using namespace select_ranks;

namespace {

Settings tuned(const std::string &text) {
    Settings settings;
    settings.tuning_file = "some.tuning";
    settings.tuning = text;
    return settings;
}

const char *name_of_row(const Choices &choices, Kind kind, size_t bytes) {
    return choices.row(kind, bytes).name;
}

void a_line_holds_for_exactly_its_sizes(void **) {
    Setting setting;
    const Team team = setting.team(true, false, one_group(4));
    const Choices choices = choose(team, tuned("allreduce bytes 3000..5000 -> gathered\n"
                                               "allreduce bytes ..16 -> two_shot # small ones\n"
                                               "allreduce bytes 64K -> two_shot\r\n"
                                               "\n"
                                               "  # nothing\n"
                                               "allreduce bytes 1G.. -> gathered"));
    const struct {
        size_t first, last;
        const char *name;
    } stretches[] = {{0, 16, "two_shot"},
                     {3000, 5000, "gathered"},
                     {size_t{64} << 10, size_t{64} << 10, "two_shot"},
                     {size_t{1} << 30, ~size_t{0}, "gathered"}};
    const Choices usual = choose(team, Settings{});
    for (const auto &stretch : stretches) {
        for (const size_t inside : {stretch.first, stretch.first + (stretch.last - stretch.first) / 2, stretch.last}) {
            assert_string_equal(name_of_row(choices, Kind::allreduce, inside), stretch.name);
        }
    }
    for (const size_t outside :
         {size_t{17}, size_t{2999}, size_t{5001}, size_t{65535}, size_t{65537}, (size_t{1} << 30) - 1}) {
        assert_string_equal(name_of_row(choices, Kind::allreduce, outside),
                            name_of_row(usual, Kind::allreduce, outside));
    }
    assert_string_equal(name_of_row(choices, Kind::reduce, 4000), name_of_row(usual, Kind::reduce, 4000));
}

void a_line_holds_for_the_communicators_that_it_names(void **) {
    Setting setting;
    const Team here = setting.team(true, true, group_by({0, 0, 1, 1})), there = setting.team(false, true, one_group(4));
    const struct {
        const char *conditions;
        bool concerns_here, concerns_there;
    } cases[] = {{"", true, true},
                 {"ranks 4", true, true},
                 {"ranks 2..3", false, false},
                 {"ranks 5..", false, false},
                 {"groups 2", true, false},
                 {"groups ..1", false, true},
                 {"local", true, false},
                 {"network", false, true},
                 {"local ranks ..8 bytes 1..", true, false},
                 {"bytes 8 network groups 1 ranks 3..4", false, true}};
    for (const auto &one : cases) {
        const std::vector<Preference> lines =
            parse_tuning(std::string("reduce ") + one.conditions + " -> messages", "some.tuning");
        assert_int_equal(lines.size(), 1);
        assert_true(lines[0].concerns(here) == one.concerns_here);
        assert_true(lines[0].concerns(there) == one.concerns_there);
        assert_true(want_transport(lines));
    }
}

void the_first_line_that_can_serve_counts(void **) {
    Setting setting;
    const Team team = setting.team(true, false, one_group(4));
    const Choices choices = choose(team, tuned("allreduce -> hierarchical\n"
                                               "allreduce bytes 100.. -> two_shot\n"
                                               "allreduce -> streamed\n"));
    assert_string_equal(name_of_row(choices, Kind::allreduce, 8), "streamed");
    const Choice small = choices.explain(Kind::allreduce, 8), large = choices.explain(Kind::allreduce, 100);
    assert_string_equal(large.row->name, "two_shot");
    assert_string_equal(small.by->source.c_str(), "line 3 of some.tuning");
    assert_string_equal(large.by->source.c_str(), "line 2 of some.tuning");
    for (const Choice &choice : {small, large}) {
        assert_int_equal(choice.passed_over.size(), 1);
        assert_string_equal(choice.passed_over[0].preference->source.c_str(), "line 1 of some.tuning");
        assert_string_equal(choice.passed_over[0].reason, "all ranks are in one group");
    }
}

void a_setting_is_stronger_than_the_file(void **) {
    Setting setting;
    const Team team = setting.team(true, false, one_group(4));
    Settings settings = tuned("allreduce -> two_shot\nreduce -> two_shot");
    settings.algorithms[static_cast<size_t>(Kind::allreduce)] = "gathered";
    const Choices choices = choose(team, settings);
    assert_string_equal(name_of_row(choices, Kind::allreduce, 8), "gathered");
    assert_string_equal(name_of_row(choices, Kind::reduce, 8), "two_shot");
}

void determinism_is_stronger_than_the_file(void **) {
    Setting setting;
    const Settings settings = tuned("allreduce -> ring");
    for (const Determinism level : {Determinism::run, Determinism::size}) {
        const Team team = setting.team(true, true, one_group(4), level);
        const bool ring = std::string("ring") == name_of_row(choose(team, settings), Kind::allreduce, 8);
        assert_true(ring == (level == Determinism::run));
    }
}

void a_reshard_is_tuned_whether_it_adds_up_or_not(void **) {
    Setting setting;
    const Choices choices = choose(setting.team(true, true, one_group(4)), tuned("reshard -> messages"));
    assert_string_equal(name_of_row(choices, Kind::reshard, 8), "messages");
    assert_string_equal(name_of_row(choices, Kind::reshard_reduce, 8), "messages");
}

void what_is_wrong_is_said_with_file_line_and_word(void **) {
    const struct {
        const char *text, *line, *expected, *seen;
    } cases[] = {
        {"allreduce", "line 1 of some.tuning", "bytes, ranks, groups, local, network or ->", "nothing more"},
        {"\n\nall_reduce -> ring", "line 3", "allreduce, reduce,", "\"all_reduce\""},
        {"-> ring", "line 1", "collective", "\"->\""},
        {"group -> streams", "line 1", "collective", "\"group\""},
        {"allreduce -> fastest", "line 1", "one_shot, hierarchical", "\"fastest\""},
        {"allreduce ->", "line 1", "an algorithm of allreduce", "nothing more"},
        {"allreduce -> ring ring", "line 1", "end of the line", "\"ring\""},
        {"allreduce bytes -> ring", "line 1", "a range that rises", "\"->\""},
        {"allreduce bytes 5..4 -> ring", "line 1", "a range that rises", "\"5..4\""},
        {"allreduce bytes .. -> ring", "line 1", "a range that rises", "\"..\""},
        {"allreduce bytes 1...2 -> ring", "line 1", "a range that rises", "\"1...2\""},
        {"allreduce bytes -1 -> ring", "line 1", "a range that rises", "\"-1\""},
        {"allreduce bytes 1P -> ring", "line 1", "a range that rises", "\"1P\""},
        {"allreduce bytes 1KB -> ring", "line 1", "a range that rises", "\"1KB\""},
        {"allreduce bytes 99999999999999999999 -> ring", "line 1", "a range that rises", "\"99999999999999999999\""},
        {"allreduce bytes 18446744073709551615K -> ring", "line 1", "a range that rises", "\"18446744073709551615K\""},
        {"allreduce bytes 8 ranks 2 bytes 64K -> ring", "line 1", "each condition once", "\"bytes\""},
        {"allreduce bytes 0.. bytes 8 -> ring", "line 1", "each condition once", "\"bytes\""},
        {"allreduce local local -> ring", "line 1", "each condition once", "\"local\""},
        {"allreduce network local -> ring", "line 1", "local or network", "\"local\""},
        {"allreduce size 5 -> ring", "line 1", "bytes, ranks", "\"size\""},
        {"reduce -> tree\n", "line 1", "messages", "\"tree\""},
        {"allreduce \x01\xff -> ring", "line 1", "bytes, ranks", "\"??\""},
    };
    for (const auto &one : cases) {
        const std::string message = refused(tuned(one.text));
        for (const char *part : {one.line, one.expected, one.seen}) {
            if (message.find(part) == std::string::npos) {
                print_error("\"%s\" gives \"%s\", without \"%s\"\n", one.text, message.c_str(), part);
                assert_true(false);
            }
        }
    }
    const std::string long_word(100'000, 'x');
    assert_true(refused(tuned(long_word)).size() < 400);
}

void a_file_has_at_most_a_thousand_lines_of_choices(void **) {
    std::string text;
    for (int i = 0; i < 1000; ++i) {
        text += format("# %d\nallreduce bytes %d -> two_shot\n", i, 1000 + i * 7);
    }
    assert_string_equal(refused(tuned(text)).c_str(), "");
    assert_true(refused(tuned(text + "bcast -> tree")).find("1000") != std::string::npos);
    std::string reshards; // each stands for two kinds
    for (int i = 0; i < 1000; ++i) {
        reshards += "reshard ranks 2 -> streams\n";
    }
    assert_string_equal(refused(tuned(reshards)).c_str(), "");
    assert_true(refused(tuned("bcast -> tree\n" + reshards)).find("line 1001") != std::string::npos);
    Setting setting;
    const Team team = setting.team(true, false, one_group(4));
    const Choices choices = choose(team, tuned(text)), usual = choose(team, Settings{});
    for (size_t bytes = 990; bytes < 8010; ++bytes) {
        const bool named = bytes >= 1000 && bytes < 8000 && (bytes - 1000) % 7 == 0;
        assert_string_equal(name_of_row(choices, Kind::allreduce, bytes),
                            named ? "two_shot" : name_of_row(usual, Kind::allreduce, bytes));
    }
}

// Whatever comes of a valid file by changing, losing and doubling some of its letters: it is read or refused, and
// what is read serves every size.
void no_text_does_harm(void **) {
    const std::string valid = "# tuned\nallreduce bytes 64K.. ranks 2..8 local groups 1 -> two_shot\n"
                              "bcast network bytes ..1M -> tree\nreshard -> messages\nreduce ranks 4 -> gathered\n";
    const std::string letters = "allreduce-> 0123456789KMG..#\n\t\r\0\xff";
    std::mt19937 random(20);
    const auto below = [&](size_t limit) { return random() % limit; };
    Setting setting;
    const Team team = setting.team(true, true, one_group(4));
    size_t accepted = 0;
    for (int round = 0; round < 20'000; ++round) {
        std::string text = valid;
        for (size_t changes = 1 + below(4); changes > 0; --changes) {
            const size_t at = below(text.size());
            switch (below(4)) {
            case 0:
                text[at] = letters[below(letters.size())];
                break;
            case 1:
                text.erase(at, 1 + below(20));
                break;
            case 2:
                text.insert(at, 1, letters[below(letters.size())]);
                break;
            default:
                text.insert(at, text.substr(below(text.size()), below(30)));
                break;
            }
        }
        const Settings settings = tuned(text);
        if (!refused(settings).empty()) {
            assert_true(refused(settings).find("of some.tuning: ") != std::string::npos);
            continue;
        }
        ++accepted;
        if (accepted % 10 == 0) {
            const Choices choices = choose(team, settings);
            for (const size_t bytes :
                 {size_t{0}, size_t{1}, size_t{65535}, size_t{65536}, size_t{1} << 20, ~size_t{0}}) {
                for (const Kind kind : collectives()) {
                    assert_null(choices.row(kind, bytes).refusal(team, bytes));
                }
            }
        }
    }
    assert_in_range(accepted, 100, 19'000);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(a_line_holds_for_exactly_its_sizes),
        cmocka_unit_test(a_line_holds_for_the_communicators_that_it_names),
        cmocka_unit_test(the_first_line_that_can_serve_counts),
        cmocka_unit_test(a_setting_is_stronger_than_the_file),
        cmocka_unit_test(determinism_is_stronger_than_the_file),
        cmocka_unit_test(a_reshard_is_tuned_whether_it_adds_up_or_not),
        cmocka_unit_test(what_is_wrong_is_said_with_file_line_and_word),
        cmocka_unit_test(a_file_has_at_most_a_thousand_lines_of_choices),
        cmocka_unit_test(no_text_does_harm),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
