// Ranks that meet at unique ids, as threads of one process, and strangers that call at the same ports.
#pragma once

#include "cmocka_cpp.h"

#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "boot/boot.h"
#include "boot/network.h"
#include "boot/unique_id.h"
#include "built_plugins.h"

namespace meeting_ranks {

using namespace xcoll;

struct Seat {
    int rank, size;
    std::vector<xcoll_unique_id_t> ids;
    int64_t timeout_ms = 60'000;
    std::string interface = "lo";
    CryptoWish crypto = CryptoWish::library_if_there;
};

inline Settings settings_of(const Seat &seat) {
    Settings settings;
    settings.timeout_ms = seat.timeout_ms;
    settings.interface = seat.interface;
    settings.crypto = seat.crypto;
    settings.plugin_path = built::plugin_folder();
    return settings;
}

inline std::vector<xcoll_unique_id_t> make_ids(OwnIds &own, int count) {
    std::vector<xcoll_unique_id_t> ids;
    for (int i = 0; i < count; ++i) {
        ids.push_back(own.make("lo"));
    }
    return ids;
}

// Every seat on a thread of its own; what each says, "" if all was well.
inline std::vector<std::string> run(OwnIds &own, const std::vector<Seat> &seats,
                                    const std::function<std::string(Bootstrap &)> &body) {
    std::vector<std::string> said(seats.size());
    std::vector<std::thread> threads;
    Cryptos cryptos;
    for (size_t i = 0; i < seats.size(); ++i) {
        threads.emplace_back([&, i] {
            const Seat &seat = seats[i];
            try {
                const auto boot = boot_ids(own, cryptos, seat.ids, seat.rank, seat.size, settings_of(seat));
                said[i] = body(*boot);
            } catch (const Failure &failure) {
                said[i] = std::string(result_name(failure.result())) + ": " + failure.what();
            }
        });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    return said;
}

inline std::vector<Seat> seats_of(int size, const std::vector<xcoll_unique_id_t> &ids) {
    std::vector<Seat> seats;
    for (int rank = 0; rank < size; ++rank) {
        seats.push_back({rank, size, ids});
    }
    return seats;
}

// "" if an allgather of so many bytes gives everybody everybody's.
inline std::string gather(Bootstrap &boot, size_t bytes) {
    const auto letter = [](int rank) { return static_cast<char>(rank * 37 + 1); };
    const std::vector<char> mine(bytes, letter(boot.rank()));
    std::vector<char> all(bytes * static_cast<size_t>(boot.size()));
    boot.allgather(mine.data(), all.data(), bytes);
    for (int rank = 0; rank < boot.size(); ++rank) {
        for (size_t i = 0; i < bytes; ++i) {
            if (all[static_cast<size_t>(rank) * bytes + i] != letter(rank)) {
                return "wrong block of rank " + std::to_string(rank);
            }
        }
    }
    return "";
}

inline void assert_all_well(const std::vector<std::string> &said) {
    for (const std::string &text : said) {
        assert_string_equal(text.c_str(), "");
    }
}

// Every one of them failed, and says each of these.
inline void assert_all_say(const std::vector<std::string> &said, std::initializer_list<const char *> parts) {
    for (const std::string &text : said) {
        for (const char *part : parts) {
            if (text.find(part) == std::string::npos) {
                print_error("\"%s\" is not in: %s\n", part, text.c_str());
                assert_true(false);
            }
        }
    }
}

// A connection to where the id's ranks meet, of somebody who may have no secret.
inline Descriptor call(const xcoll_unique_id_t &id) {
    const Contact contact = read_id(id, "id").contact;
    const SocketAddress there = socket_address(contact.addresses[0], contact.port_number());
    Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    assert_int_equal(connect(socket.get(), there.get(), there.bytes), 0);
    return socket;
}

} // namespace meeting_ranks
