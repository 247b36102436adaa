// Ranks that meet over TCP: all find each other, in every order and number, and what goes wrong is told to all.
#include "boot_meeting_ranks.h"

#include <dirent.h>
#include <latch>
#include <random>
#include <sys/mman.h>
#include <sys/stat.h>

#include "boot/interfaces.h"
#include "boot/tree_place.h"

using namespace meeting_ranks;

namespace {

size_t open_descriptors() {
    size_t count = 0;
    DIR *entries = opendir("/proc/self/fd");
    while (readdir(entries) != nullptr) {
        ++count;
    }
    closedir(entries);
    return count;
}

void a_tree_holds_every_rank_once_and_is_flat(void **) {
    for (const int size : {1, 2, 16, 17, 18, 100, 1000, 65536}) {
        std::vector<int> seen(static_cast<size_t>(size)), depth(static_cast<size_t>(size));
        for (int number = 0; number < size; ++number) {
            const TreePlace place = TreePlace::of(number, size);
            assert_int_equal(place.subtree.first, number);
            assert_true(place.children.size() <= TreePlace::fan_out && (place.parent < 0) == (number == 0));
            int next = number + 1;
            for (const TreePlace::Range &child : place.children) {
                assert_true(child.first == next && child.end > child.first);
                assert_int_equal(TreePlace::of(child.first, size).parent, number);
                depth[static_cast<size_t>(child.first)] = depth[static_cast<size_t>(number)] + 1;
                ++seen[static_cast<size_t>(child.first)];
                next = child.end;
            }
            assert_int_equal(next, place.subtree.end);
        }
        for (int number = 1; number < size; ++number) {
            assert_true(seen[static_cast<size_t>(number)] == 1 && depth[static_cast<size_t>(number)] <= 4);
        }
    }
}

void all_ranks_find_each_other(void **) {
    const size_t before = open_descriptors();
    for (const int size : {1, 2, 3, 5, 7, 8, 13, 40}) {
        OwnIds own;
        const auto ids = make_ids(own, 1);
        const size_t longest = size > 8 ? 10'000 : 100'000;
        assert_all_well(run(own, seats_of(size, ids), [&](Bootstrap &boot) -> std::string {
            std::string wrong = boot.size() == size ? "" : "wrong size";
            // The longest takes several frames.
            for (const size_t bytes : {size_t{8}, size_t{0}, size_t{1}, size_t{1000}, longest}) {
                wrong += gather(boot, bytes);
            }
            return wrong;
        }));
    }
    assert_int_equal(open_descriptors(), before);
}

// Whoever comes first among the process that made the id is the root, whichever rank it is.
void any_rank_may_be_the_root_and_come_last(void **) {
    for (int late = 0; late < 3; ++late) {
        OwnIds own, others;
        const auto ids = make_ids(own, 1);
        std::vector<Seat> seats = seats_of(3, ids), root = {seats[static_cast<size_t>(late)]};
        seats.erase(seats.begin() + late);
        std::vector<std::string> said;
        std::thread rest([&] { said = run(others, seats, [](Bootstrap &boot) { return gather(boot, 10); }); });
        std::this_thread::sleep_for(std::chrono::milliseconds(50)); // usually the others wait by then
        assert_all_well(run(own, root, [](Bootstrap &boot) { return gather(boot, 10); }));
        rest.join();
        assert_all_well(said);
    }
}

// ids[i] was made by the process in which only rank owners[i] is.
void several_ids_share_the_work(void **) {
    for (const std::vector<int> &owners :
         {std::vector{0, 1}, std::vector{1, 0}, std::vector{4, 4, 2}, std::vector{6, 0, 3, 5}}) {
        constexpr int size = 7;
        std::vector<OwnIds> processes(size);
        std::vector<xcoll_unique_id_t> ids;
        for (const int owner : owners) {
            ids.push_back(processes[static_cast<size_t>(owner)].make("lo"));
        }
        std::vector<std::vector<std::string>> said(size);
        std::vector<std::thread> threads;
        for (int rank = 0; rank < size; ++rank) {
            threads.emplace_back([&, rank] {
                said[static_cast<size_t>(rank)] = run(processes[static_cast<size_t>(rank)], {{rank, size, ids}},
                                                      [](Bootstrap &boot) { return gather(boot, 100); });
            });
        }
        for (std::thread &thread : threads) {
            thread.join();
        }
        for (const auto &text : said) {
            assert_all_well(text);
        }
    }
}

void several_communicators_start_at_once(void **) {
    OwnIds own;
    std::vector<Seat> seats;
    for (int i = 0; i < 6; ++i) {
        for (const Seat &seat : seats_of(3, make_ids(own, 1))) {
            seats.push_back(seat);
        }
    }
    std::shuffle(seats.begin(), seats.end(), std::mt19937(1));
    assert_all_well(run(own, seats, [](Bootstrap &boot) { return gather(boot, 1000); }));
}

// A crypto library on one machine, none on another.
void it_does_not_matter_who_computes_the_proofs(void **) {
    OwnIds own;
    std::vector<Seat> seats = seats_of(5, make_ids(own, 2));
    for (Seat &seat : seats) {
        seat.crypto = seat.rank % 2 == 0 ? CryptoWish::library_if_there : CryptoWish::own;
    }
    assert_all_well(run(own, seats, [](Bootstrap &boot) { return gather(boot, 1000); }));
}

void descriptors_reach_the_ranks_of_a_machine(void **) {
    OwnIds own;
    assert_all_well(run(own, seats_of(5, make_ids(own, 1)), [](Bootstrap &boot) -> std::string {
        const Descriptor mine(memfd_create("rank", MFD_CLOEXEC));
        if (ftruncate(mine.get(), boot.rank() + 1) != 0) {
            return "ftruncate";
        }
        std::vector<Descriptor> files(5);
        boot.exchange_descriptors(mine.get(), {0, 1, 2, 3, 4},
                                  [&](size_t place, Descriptor theirs) { files[place] = std::move(theirs); });
        std::string wrong;
        for (size_t i = 0; i < files.size(); ++i) {
            struct stat status {};
            if (fstat(files[i].get(), &status) != 0 || status.st_size != static_cast<off_t>(i) + 1) {
                wrong += "wrong file";
            }
        }
        return wrong;
    }));
}

void it_says_how_the_ranks_met(void **) {
    OwnIds own;
    assert_all_well(run(own, seats_of(2, make_ids(own, 1)), [](Bootstrap &boot) -> std::string {
        return boot.how() == "unique id from 127.0.0.1 (lo)" ? "" : boot.how();
    }));
}

// Who meets the root over loopback is no use to ranks of other machines there, if it has another address.
void loopback_is_offered_only_where_there_is_nothing_else(void **) {
    OwnIds own;
    std::vector<Seat> seats = seats_of(3, make_ids(own, 1));
    for (Seat &seat : seats) {
        seat.interface = "";
    }
    const Address best = own_addresses("").front();
    const std::string expected = "unique id from " + text_of(best) + " (" + interface_with(best) + ")";
    assert_all_well(run(own, seats, [&](Bootstrap &boot) -> std::string {
        return boot.how() == expected ? gather(boot, 10) : boot.how();
    }));
}

// ---- what goes wrong

// Longer than a virtual machine stands still: who comes later than this is missed, like those who never come.
constexpr int64_t impatient_ms = 6000;

std::string nothing(Bootstrap &) {
    return "all was well";
}

void missing_ranks_are_named_by_all_at_the_shortest_patience(void **) {
    OwnIds own;
    const auto ids = make_ids(own, 1);
    std::vector<std::string> with_one;
    std::thread one([&] { with_one = run(own, {{0, 5, ids}, {2, 5, ids, impatient_ms}, {3, 5, ids, -1}}, nothing); });
    // With several ids too, whichever of them the missing one would have called.
    std::vector<OwnIds> two(2);
    const std::vector<xcoll_unique_id_t> both = {two[0].make("lo"), two[1].make("lo")};
    std::vector<std::string> first, second;
    std::thread thread([&] { first = run(two[0], {{0, 4, both, impatient_ms}}, nothing); });
    second = run(two[1], {{1, 4, both}, {2, 4, both}}, nothing);
    thread.join();
    one.join();
    assert_all_say(with_one, {"XCOLL_ERR_TIMEOUT", "ranks 1, 4 did not come", "3 of 5 did"});
    assert_all_say(first, {"XCOLL_ERR_TIMEOUT", "rank 3 did not come"});
    assert_all_say(second, {"XCOLL_ERR_TIMEOUT", "rank 3 did not come"});
}

void two_of_one_number_are_told_and_so_are_all(void **) {
    OwnIds own;
    const auto ids = make_ids(own, 1);
    const std::vector<Seat> seats = {{0, 4, ids}, {1, 4, ids}, {2, 4, ids}, {2, 4, ids}};
    assert_all_say(run(own, seats, nothing), {"XCOLL_ERR_BOOTSTRAP", "two say that they are rank 2", "127.0.0.1"});
}

void different_sizes_are_told_to_all(void **) {
    OwnIds own, others;
    const auto ids = make_ids(own, 1);
    std::vector<std::string> said;
    std::thread rest([&] { said = run(others, {{1, 3, ids}, {2, 4, ids}}, nothing); });
    assert_all_say(run(own, {{0, 3, ids}}, nothing), {"XCOLL_ERR_BOOTSTRAP", "rank 2", "4 ranks", "rank 0 says 3"});
    rest.join();
    assert_all_say(said, {"XCOLL_ERR_BOOTSTRAP", "rank 2", "4 ranks", "rank 0 says 3"});
}

void an_id_serves_once(void **) {
    OwnIds own;
    const auto ids = make_ids(own, 1);
    assert_all_well(run(own, seats_of(2, ids), [](Bootstrap &boot) { return gather(boot, 1); }));
    assert_all_say(run(own, seats_of(2, ids), nothing),
                   {"XCOLL_ERR_BOOTSTRAP", "Connection refused", "not used before"});
}

void who_has_other_ids_is_told_where(void **) {
    OwnIds own, others;
    const auto ids = make_ids(own, 2), fewer = std::vector(1, ids[0]);
    std::vector<std::string> said;
    std::thread rest([&] { said = run(others, {{1, 2, fewer}}, nothing); });
    assert_all_say(run(own, {{0, 2, ids, impatient_ms}}, nothing),
                   {"XCOLL_ERR_TIMEOUT", "rank 1 did not come", "1 caller had another secret"});
    rest.join();
    assert_all_say(said, {"XCOLL_ERR_AUTH", "127.0.0.1:", "another secret", "same ids"});
}

void a_rank_that_gives_up_is_noticed_by_all(void **) {
    OwnIds own;
    // 40 ranks: some of them are two steps away from it.
    const auto said = run(own, seats_of(40, make_ids(own, 1)), [](Bootstrap &boot) -> std::string {
        gather(boot, 10);
        return boot.rank() == 17 ? "" : gather(boot, 10);
    });
    for (size_t rank = 0; rank < said.size(); ++rank) {
        if (rank != 17) {
            assert_all_say({said[rank]}, {"XCOLL_ERR_BOOTSTRAP", "connection to rank 17"});
        }
    }
}

void a_rank_that_stops_in_an_allgather_is_named_in_time(void **) {
    OwnIds own;
    std::vector<Seat> seats = seats_of(3, make_ids(own, 1));
    for (Seat &seat : seats) {
        seat.timeout_ms = impatient_ms;
    }
    std::latch others_are_done(2);
    const auto said = run(own, seats, [&](Bootstrap &boot) -> std::string {
        if (boot.rank() == 2) {
            others_are_done.wait();
            return "";
        }
        std::string text;
        try {
            text = gather(boot, 10);
        } catch (const Failure &failure) {
            text = std::string(result_name(failure.result())) + ": " + failure.what();
        }
        others_are_done.count_down();
        return text;
    });
    assert_all_say({said[0], said[1]}, {"XCOLL_ERR_TIMEOUT", "rank "});
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_holds_every_rank_once_and_is_flat),
        cmocka_unit_test(all_ranks_find_each_other),
        cmocka_unit_test(any_rank_may_be_the_root_and_come_last),
        cmocka_unit_test(several_ids_share_the_work),
        cmocka_unit_test(several_communicators_start_at_once),
        cmocka_unit_test(it_does_not_matter_who_computes_the_proofs),
        cmocka_unit_test(descriptors_reach_the_ranks_of_a_machine),
        cmocka_unit_test(it_says_how_the_ranks_met),
        cmocka_unit_test(loopback_is_offered_only_where_there_is_nothing_else),
        cmocka_unit_test(missing_ranks_are_named_by_all_at_the_shortest_patience),
        cmocka_unit_test(two_of_one_number_are_told_and_so_are_all),
        cmocka_unit_test(different_sizes_are_told_to_all),
        cmocka_unit_test(an_id_serves_once),
        cmocka_unit_test(who_has_other_ids_is_told_where),
        cmocka_unit_test(a_rank_that_gives_up_is_noticed_by_all),
        cmocka_unit_test(a_rank_that_stops_in_an_allgather_is_named_in_time),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
