// ranks: 1 2 3 5 7 8 13
// timeout: 200
//
// Random operations of random types, sizes, places and operators in random forms, on memory of the ranks' own and of
// their heaps, alone, in flight together, and in groups, on communicators and parts of them, give what a plain
// reference gives.
#include "deeds.h"
#include "places.h"

using deeds::Deed;
using deeds::Dice;
using deeds::Form;
using deeds::Place;
using ranks::Rank;

namespace {

// The form is a rank's own affair.
Form form_of(uint64_t number, int rank) {
    return static_cast<Form>(values::mix(number * 16 + static_cast<uint64_t>(rank)) % deeds::forms);
}

void alone(const Place &place, uint64_t number) {
    const std::unique_ptr<Deed> deed = deeds::draw(number, place);
    const Form form = form_of(number, place.rank);
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    const bool is_persistent = form == Form::persistent;
    deed->prepare(0);
    ranks::succeed(deed->call(form, &request));
    if (is_persistent) {
        ranks::succeed(xcoll_start(&request));
    }
    ranks::succeed(xcoll_wait(&request));
    deed->check();
    if (is_persistent) {
        ranks::succeed(xcoll_request_free(&request));
    }
}

void together(const Place &place, uint64_t number, size_t count) {
    std::vector<std::unique_ptr<Deed>> all;
    std::vector<xcoll_request_t> requests(count, XCOLL_REQUEST_NULL);
    for (size_t i = 0; i < count; ++i) {
        all.push_back(deeds::draw(number + i, place));
        all.back()->prepare(0);
    }
    for (size_t i = 0; i < count; ++i) {
        ranks::succeed(all[i]->call(Form::immediate, &requests[i]));
    }
    size_t index = 0;
    while (ranks::succeed(xcoll_waitany(count, requests.data(), &index)), index < count) {
        all[index]->check();
    }
}

// Calls on several communicators in one group, with stages: once, later, or as a plan that runs several times.
void grouped(const std::vector<Place> &places, uint64_t number, size_t count) {
    Dice dice(values::mix(number));
    std::vector<std::unique_ptr<Deed>> all;
    for (size_t i = 0; i < count; ++i) {
        all.push_back(deeds::draw(number + i, places[dice() % places.size()]));
    }
    const uint64_t way = dice() % 3, stage = dice() % (2 * count);
    const uint64_t turns = way == 2 ? 3 : 1;
    xcoll_request_t plan = XCOLL_REQUEST_NULL;
    for (uint64_t turn = 0; turn < turns; ++turn) {
        for (size_t i = 0; turn > 0 && i < count; ++i) {
            if (values::mix(number + turn * 100 + i) % 2 == 0) {
                all[i]->move(plan, i);
            }
        }
        for (const auto &deed : all) {
            deed->prepare(turn);
        }
        if (turn == 0) {
            ranks::succeed(xcoll_group_start());
            for (size_t i = 0; i < count; ++i) {
                if (i == stage) {
                    ranks::succeed(xcoll_group_then());
                }
                ranks::succeed(all[i]->call(Form::blocking, nullptr));
            }
            ranks::succeed(way == 0   ? xcoll_group_end()
                           : way == 1 ? xcoll_group_iend(&plan)
                                      : xcoll_group_end_init(&plan));
        }
        if (way == 2) {
            ranks::succeed(xcoll_start(&plan));
        }
        if (way > 0) {
            const size_t part = number % count;
            ranks::succeed(xcoll_wait_part(plan, part));
            all[part]->check();
            ranks::succeed(xcoll_wait(&plan));
        }
        for (const auto &deed : all) {
            deed->check();
        }
    }
    ranks::succeed(xcoll_request_free(&plan));
}

void test(Rank &rank) {
    const uint64_t first = ranks::first_seed();
    for (const char *settings : {"", "SHM_BUDGET=1M;LEND=5K", "LEND=5K;CMA=on"}) {
        const deeds::Places every(rank, settings);
        const std::vector<Place> &places = every.all();
        constexpr uint64_t rounds = 32;
        for (uint64_t seed = first; seed < first + rounds; ++seed) {
            const uint64_t number = seed * 1000;
            for (uint64_t k = 0; k < 4; ++k) {
                alone(places[(seed + k) % places.size()], number + k);
            }
            together(places[seed % places.size()], number + 100, 1 + seed % 12);
            grouped(places, number + 200, 1 + seed % 15);
        }
    }
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
