// ranks: 1 2 3 5 7 8 13
// timeout: 120
//
// Large private buffers that the kernel copies from process to process: with XCOLL_CMA=on the library says that it
// lends them, the results are right wherever they go, and with off it lends none; else it does where the algorithm that
// serves says so.
// Skipped where the kernel refuses.
#include <cerrno>
#include <functional>

#include "lent_bytes.h"

using lent_bytes::large;
using lent_bytes::times_lent;
using ranks::Rank;

namespace {

constexpr int skipped = 77;

void gather_into_stripes(const Rank &rank, xcoll_comm_t comm) {
    // More runs than one system call takes pieces, of three bytes each with one between them.
    constexpr size_t runs = 30'000, run = 3, stride = 4;
    xcoll_dtype_t stripes = 0;
    ranks::succeed(xcoll_type_vector(runs, run, stride, XCOLL_UINT8, &stripes));
    const auto ranks = static_cast<size_t>(rank.size());
    const size_t extent = (runs - 1) * stride + run;
    std::vector<uint8_t> send(runs * run), recv(extent * ranks, 0xee);
    for (size_t i = 0; i < send.size(); ++i) {
        send[i] = static_cast<uint8_t>(i * 7 + static_cast<size_t>(rank.rank()));
    }
    const uint64_t before = times_lent(comm);
    ranks::succeed(xcoll_allgather_typed(send.data(), send.size(), XCOLL_UINT8, recv.data(), 1, stripes, comm));
    ranks::check(times_lent(comm) - before == (ranks > 1 ? 1 : 0), "what is read into stripes is lent");
    for (size_t p = 0; p < ranks; ++p) {
        for (size_t at = 0; at < extent; ++at) {
            const size_t i = at / stride * run + at % stride;
            const bool is_gap = at % stride == run;
            const auto wanted = is_gap ? uint8_t{0xee} : static_cast<uint8_t>(i * 7 + p);
            ranks::check(recv[p * extent + at] == wanted, "a byte of the stripes is wrong");
        }
    }
    ranks::succeed(xcoll_type_free(&stripes));
}

// The algorithm that serves a collective, as xcoll_comm_describe says.
std::string serving(xcoll_comm_t comm, const std::string &collective, size_t bytes) {
    const std::string text = lent_bytes::described(comm);
    const char *at = std::strstr(text.c_str() + text.find("\"algorithms\": {"), ('"' + collective + "\": [").c_str());
    ranks::check(at != nullptr, "describe tells the algorithms");
    for (;; ++at) {
        at = std::strstr(at, "\"up_to\": ");
        ranks::check(at != nullptr, "the last algorithm serves all sizes");
        at += std::strlen("\"up_to\": ");
        if (*at == 'n' || std::strtoull(at, nullptr, 10) >= bytes) {
            const char *name = std::strstr(at, "\"algorithm\": \"") + std::strlen("\"algorithm\": \"");
            return {name, std::strcspn(name, "\"")};
        }
    }
}

// What serves equal blocks of a size lends or not, and uneven parts of that size on average go the same way.
void lends_where_attached_serves(const Rank &rank, const std::string &settings) {
    xcoll_comm_t comm = rank.open(settings);
    const auto ranks = static_cast<size_t>(rank.size()), me = static_cast<size_t>(rank.rank());
    constexpr size_t much = 300'001;
    std::vector<size_t> counts(ranks, much), places(ranks);
    std::vector<uint8_t> send(much * ranks), recv(much * ranks);
    const auto value = [](size_t from, size_t to, size_t i) {
        return static_cast<uint8_t>(i * 7 + from * 31 + to * 3);
    };
    for (size_t p = 0; p < ranks; ++p) {
        places[p] = p * much;
        for (size_t i = 0; i < much; ++i) {
            send[p * much + i] = value(me, p, i);
        }
    }
    const auto run = [&](const char *what, bool gives, const std::function<xcoll_result_t()> &call) {
        const bool lends = gives && ranks > 1 && serving(comm, what, much) == "attached";
        const uint64_t before = times_lent(comm);
        std::fill(recv.begin(), recv.end(), 0xee);
        ranks::succeed(call());
        ranks::check(times_lent(comm) - before == (lends ? 1 : 0), what);
    };
    const auto check = [&](size_t p, size_t place, size_t to) {
        for (size_t i = 0; i < much; ++i) {
            ranks::check(recv[place + i] == value(p, to, i), "a byte is wrong");
        }
    };
    const auto check_all = [&](bool dealt) {
        for (size_t p = 0; p < ranks; ++p) {
            check(p, p * much, dealt ? me : 0);
        }
    };
    run("alltoall", true, [&] { return xcoll_alltoall(send.data(), recv.data(), much, XCOLL_UINT8, comm); });
    check_all(true);
    run("alltoall", true, [&] {
        return xcoll_alltoallv(send.data(), counts.data(), places.data(), recv.data(), counts.data(), places.data(),
                               XCOLL_UINT8, comm);
    });
    check_all(true);
    const bool is_root = me == 0;
    run("scatter", is_root, [&] { return xcoll_scatter(send.data(), recv.data(), much, XCOLL_UINT8, 0, comm); });
    check(0, 0, me);
    run("scatter", is_root, [&] {
        return xcoll_scatterv(send.data(), counts.data(), places.data(), recv.data(), much, XCOLL_UINT8, 0, comm);
    });
    check(0, 0, me);
    run("allgather", true, [&] { return xcoll_allgather(send.data(), much, recv.data(), XCOLL_UINT8, comm); });
    check_all(false);
    run("allgather", true, [&] {
        return xcoll_allgatherv(send.data(), much, recv.data(), counts.data(), places.data(), XCOLL_UINT8, comm);
    });
    check_all(false);
    run("gather", !is_root, [&] { return xcoll_gather(send.data(), much, recv.data(), XCOLL_UINT8, 0, comm); });
    run("gather", !is_root, [&] {
        return xcoll_gatherv(send.data(), much, recv.data(), counts.data(), places.data(), XCOLL_UINT8, 0, comm);
    });
    if (is_root) {
        check_all(false);
    }
    run("bcast", is_root, [&] { return xcoll_bcast(is_root ? send.data() : recv.data(), much, XCOLL_UINT8, 0, comm); });
    ranks::succeed(xcoll_comm_free(&comm));
}

// Each may be told to, and only those that are told.
void lends_where_it_is_told_to(const Rank &rank) {
    xcoll_comm_t comm = rank.open("ALLTOALL=attached;SCATTER=streams;GATHER=attached;ALLGATHER=streams;BCAST=attached");
    for (const char *name : {"alltoall", "gather", "bcast"}) {
        ranks::check(rank.size() == 1 || serving(comm, name, large) == "attached", "a setting is obeyed");
    }
    for (const char *name : {"scatter", "allgather"}) {
        ranks::check(serving(comm, name, large) != "attached", "a setting is obeyed");
    }
    ranks::succeed(xcoll_comm_free(&comm));
    lends_where_attached_serves(rank, "");
    lends_where_attached_serves(rank, "ALLTOALL=attached;SCATTER=streams;GATHER=attached;ALLGATHER=streams");
    lends_where_attached_serves(rank, "ALLTOALL=streams;SCATTER=attached;ALLGATHER=attached;BCAST=attached");
}

void pass_on(const Rank &rank, xcoll_comm_t comm) {
    const int next = (rank.rank() + 1) % rank.size(), last = (rank.rank() + rank.size() - 1) % rank.size();
    for (const size_t bytes : {large, size_t{3'000'001}}) {
        std::vector<uint8_t> send(bytes), recv(bytes, 0xee);
        for (int turn = 0; turn < 3; ++turn) {
            const auto value = [turn](int from, size_t i) {
                return static_cast<uint8_t>(i * 11 + static_cast<size_t>(from * 31 + turn));
            };
            for (size_t i = 0; i < bytes; ++i) {
                send[i] = value(rank.rank(), i);
            }
            const uint64_t before = times_lent(comm);
            ranks::succeed(xcoll_sendrecv(send.data(), bytes, next, 1, recv.data(), bytes, last, 1, XCOLL_UINT8, comm));
            ranks::check(times_lent(comm) - before == (rank.size() > 1 ? 1 : 0), "a large message is lent");
            std::fill(send.begin(), send.end(), 0xdd);
            for (size_t i = 0; i < bytes; ++i) {
                ranks::check(recv[i] == value(last, i), "a byte of the message is wrong");
            }
        }
    }
}

// Of two ranks that have a processor each, only what both send at once, and only where caches are large; the sender
// counts what was read where it lies.
void lends_what_goes_both_ways(const Rank &rank) {
    xcoll_comm_t comm = rank.open("");
    const auto is_described = [&](const char *what) {
        return lent_bytes::described(comm).find(what) != std::string::npos;
    };
    const bool any = !is_described("\"messages_from_bytes\": null");
    const bool one_way = any && is_described("\"messages_one_way\": true");
    const int me = rank.rank(), other = 1 - me;
    std::vector<uint8_t> send(size_t{2} << 20, 7), recv(send.size());
    const auto lends = [&](bool wanted, const char *what, auto act) {
        const uint64_t before = times_lent(comm);
        ranks::succeed(act());
        ranks::check(times_lent(comm) - before == (wanted ? 1 : 0), what);
        rank.meet();
    };
    if (rank.size() == 2) {
        lends(me == 0 && one_way, "a message that goes alone is lent, or must not be", [&] {
            return me == 0 ? xcoll_send(send.data(), send.size(), XCOLL_UINT8, other, 1, comm)
                           : xcoll_recv(recv.data(), recv.size(), XCOLL_UINT8, other, 1, comm);
        });
        lends(any, "exchanged messages are lent, or must not be", [&] {
            return xcoll_sendrecv(send.data(), send.size(), other, 1, recv.data(), recv.size(), other, 1, XCOLL_UINT8,
                                  comm);
        });
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

// To the byte.
void lends_messages_from_where_it_says(const Rank &rank) {
    xcoll_comm_t comm = rank.open("CMA=on");
    const std::string text = lent_bytes::described(comm), name = "\"messages_from_bytes\": ";
    const size_t found = text.find(name);
    ranks::check(found != std::string::npos, "describe tells which messages are lent");
    const size_t from = std::strtoull(text.c_str() + found + name.size(), nullptr, 10);
    ranks::check(from > 1, "no message is lent, or all of them are");
    for (const size_t bytes : {from - 1, from}) {
        const std::vector<uint8_t> sent(bytes, 7);
        std::vector<uint8_t> received(bytes);
        const uint64_t before = times_lent(comm);
        if (rank.rank() == 0 && rank.size() > 1) {
            ranks::succeed(xcoll_send(sent.data(), bytes, XCOLL_UINT8, 1, 1, comm));
            ranks::check(times_lent(comm) - before == (bytes == from ? 1 : 0), "a message is lent, or is not");
        } else if (rank.rank() == 1) {
            ranks::succeed(xcoll_recv(received.data(), bytes, XCOLL_UINT8, 0, 1, comm));
            ranks::check(received == sent, "a message is wrong");
        }
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

// What the kernel does not copy is an error that says what helps, and not a crash: here the input of rank 0 is not
// there.
void a_buffer_that_is_not_there_is_an_error(const Rank &rank) {
    xcoll_comm_t comm = rank.open("CMA=on");
    std::vector<uint8_t> recv(large * static_cast<size_t>(rank.size()));
    void *hole = mmap(nullptr, large * static_cast<size_t>(rank.size()), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ranks::check(hole != MAP_FAILED, "mmap failed");
    std::vector<uint8_t> send(large);
    const xcoll_result_t result = xcoll_bcast(rank.rank() == 0 ? hole : recv.data(), large, XCOLL_UINT8, 0, comm);
    if (rank.rank() == 0) {
        ranks::check(result != XCOLL_SUCCESS, "rank 0 is told");
    } else {
        ranks::check(result == XCOLL_ERR_SYSTEM || result == XCOLL_ERR_ABORTED, "the others are told");
        ranks::expect_message({"XCOLL_CMA=off", "rank 0"});
    }
    rank.meet();
    munmap(hole, large * static_cast<size_t>(rank.size()));
    ranks::succeed(xcoll_comm_free(&comm));
}

void test(Rank &rank) {
    xcoll_comm_t comm = rank.open("CMA=on");
    const std::string text = lent_bytes::described(comm);
    if (text.find("\"why_not\": null") == std::string::npos) {
        std::printf("the kernel refuses: %s\n", text.substr(text.find("\"lending\""), 300).c_str());
        std::fflush(stdout);
        _exit(skipped);
    }
    lent_bytes::Bytes(rank, comm, lent_bytes::Reductions::copy).run();
    gather_into_stripes(rank, comm);
    pass_on(rank, comm);
    ranks::succeed(xcoll_comm_free(&comm));
    lends_where_it_is_told_to(rank);
    lends_what_goes_both_ways(rank);
    lends_messages_from_where_it_says(rank);
    comm = rank.open("CMA=off");
    std::vector<uint8_t> send(large), recv(large * static_cast<size_t>(rank.size()));
    ranks::succeed(xcoll_allgather(send.data(), large, recv.data(), XCOLL_UINT8, comm));
    ranks::check(times_lent(comm) == 0, "XCOLL_CMA=off lends nothing");
    ranks::succeed(xcoll_comm_free(&comm));
    if (rank.size() > 1) {
        a_buffer_that_is_not_there_is_an_error(rank);
    }
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
