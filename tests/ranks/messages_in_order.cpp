// ranks: 1 2 3 5 7 8 13
// timeout: 200
//
// Random messages of any sizes and types, received from one rank or from anybody, with one tag or any, in any form, in
// groups, and with collectives between them: some order of arrivals explains what each receive has got.
#include "deeds.h"
#include "places.h"
#include "post_office.h"

using letters::PostOffice;
using ranks::Rank;

namespace {

// Two rounds, maybe of one communicator, and a collective operation that is none of their business.
void rounds(const std::vector<deeds::Place> &places, uint64_t number) {
    deeds::Dice dice(values::mix(number));
    const auto some_place = [&]() -> const deeds::Place & { return places[dice() % places.size()]; };
    PostOffice first(number, some_place());
    first.start();
    const auto deed = deeds::draw(number, some_place());
    deed->prepare(0);
    ranks::succeed(deed->call(deeds::Form::blocking, nullptr));
    deed->check();
    const deeds::Place &where = some_place();
    if (where.comm == first.place().comm) {
        first.finish();
        PostOffice second(number + 1, where);
        second.start();
        second.finish();
        return;
    }
    PostOffice second(number + 1, where);
    second.start();
    first.finish();
    second.finish();
}

void test(Rank &rank) {
    const uint64_t first = ranks::first_seed();
    for (const char *settings : {"", "SHM_BUDGET=1M;LEND=5K", "LEND=5K;CMA=on"}) {
        const deeds::Places places(rank, settings);
        constexpr uint64_t turns = 20;
        for (uint64_t seed = first; seed < first + turns; ++seed) {
            rounds(places.all(), seed * 1000);
        }
    }
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
