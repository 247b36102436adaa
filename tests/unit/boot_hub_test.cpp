// The launcher's hub, when ranks do not do as they should.
#include "cmocka_cpp.h"

#include <cstring>
#include <random>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

// The launcher is no part of the library.
#include "tools/xcollrun/hub.cpp"

using namespace xcoll;
using launcher::Header;
using launcher::Hub;
using launcher::Kind;

namespace {

struct Pair {
    Pair() {
        int ends[2];
        assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
        ours = Descriptor(ends[0]);
        theirs = Descriptor(ends[1]);
    }
    Descriptor ours, theirs;
};

void serve_once(Hub &hub, int size) {
    std::vector<pollfd> entries;
    for (int rank = 0; rank < size; ++rank) {
        entries.push_back(hub.poll_entry(rank));
    }
    poll(entries.data(), entries.size(), hub.stalled() ? 1 : 20);
    hub.retry();
    for (int rank = 0; rank < size; ++rank) {
        if (entries[static_cast<size_t>(rank)].revents != 0) {
            hub.serve(rank, entries[static_cast<size_t>(rank)].revents);
        }
    }
}

void assert_contains(const std::string &text, const char *part) {
    if (text.find(part) == std::string::npos) {
        print_error("\"%s\" does not contain \"%s\"\n", text.c_str(), part);
    }
    assert_true(text.find(part) != std::string::npos);
}

// A hub of two ranks, of which rank 1 sends this; what the hub holds against it.
std::string verdict_on(const void *data, size_t bytes, int descriptor = -1) {
    Pair good, bad;
    std::vector<Descriptor> controls;
    controls.push_back(std::move(good.ours));
    controls.push_back(std::move(bad.ours));
    Hub hub(std::move(controls));
    assert_true(send_packet(bad.theirs.get(), data, bytes, nullptr, 0, &descriptor, descriptor >= 0 ? 1 : 0));
    serve_once(hub, 2);
    if (!hub.trouble()) {
        return "";
    }
    assert_int_equal(hub.trouble()->rank, 1);
    return hub.trouble()->text;
}

std::vector<char> packet_of(Kind kind, uint64_t total, uint64_t offset, uint32_t bytes, uint32_t descriptors,
                            const std::vector<int32_t> &data = {}) {
    const Header header = {launcher::magic, launcher::version, kind, total, offset, bytes, descriptors};
    std::vector<char> packet(sizeof header + data.size() * sizeof data[0]);
    std::memcpy(packet.data(), &header, sizeof header);
    if (!data.empty()) {
        std::memcpy(packet.data() + sizeof header, data.data(), data.size() * sizeof data[0]);
    }
    return packet;
}

void garbage_ends_the_job_in_the_name_of_its_rank(void **) {
    assert_contains(verdict_on("hello\n", 6), "not xcoll's");
    const auto judge = [](const std::vector<char> &packet, int descriptor = -1) {
        return verdict_on(packet.data(), packet.size(), descriptor);
    };
    assert_string_equal(judge(packet_of(Kind::allgather, 8, 0, 8, 0, {1, 2})).c_str(), ""); // this is not garbage
    assert_contains(judge(packet_of(Kind::allgather, 8, 0, 9, 0, {1, 2})), "announces");
    assert_contains(judge(packet_of(Kind::allgather, 8, 0, 8, 1, {1, 2})), "announces");
    assert_contains(judge(packet_of(Kind::allgather, 8, 4, 8, 0, {1, 2})), "after the first 0");
    assert_contains(judge(packet_of(Kind::allgather, 4, 0, 8, 0, {1, 2})), "after the first 0");
    assert_contains(judge(packet_of(Kind::allgather, 8, 0, 0, 0)), "after the first 0");
    assert_contains(judge(packet_of(Kind::allgather, UINT64_MAX, 0, 8, 0, {1, 2})), "wants to gather");
    assert_contains(judge(packet_of(Kind::allgather, UINT64_MAX / 2 + 1, 0, 8, 0, {1, 2})), "wants to gather");
    assert_contains(judge(packet_of(Kind::welcome, 0, 0, 0, 0)), "no rank sends");
    assert_contains(judge(packet_of(Kind(77), 0, 0, 0, 0)), "no rank sends");
    assert_contains(judge(packet_of(Kind::hello, 4, 0, 4, 0, {1})), "greeting");
    const Descriptor file(memfd_create("file", MFD_CLOEXEC));
    assert_string_equal(judge(packet_of(Kind::descriptors, 8, 0, 8, 1, {0, 1}), file.get()).c_str(), "");
    for (const std::vector<int32_t> &list : {std::vector<int32_t>{0, 2}, {0, 0}, {1, 0}, {-1, 1}, {0}}) {
        assert_contains(
            judge(packet_of(Kind::descriptors, list.size() * 4, 0, static_cast<uint32_t>(list.size() * 4), 1, list),
                  file.get()),
            "not a list of ranks");
    }
    assert_contains(judge(packet_of(Kind::descriptors, 8, 0, 8, 0, {0, 1})), "not a list of ranks");
    assert_contains(judge(packet_of(Kind::descriptors, 0, 0, 0, 1), file.get()), "not a list of ranks");
}

void noise_of_any_kind_is_survived(void **) {
    std::mt19937 random(1);
    const Descriptor file(memfd_create("file", MFD_CLOEXEC));
    for (int round = 0; round < 2000; ++round) {
        Pair pairs[2];
        std::vector<Descriptor> controls;
        for (Pair &pair : pairs) {
            controls.push_back(std::move(pair.ours));
        }
        Hub hub(std::move(controls));
        for (int packet = 0; packet < 8; ++packet) {
            // Small numbers in all fields: most of the packets pass some of the checks.
            const auto small = [&] { return static_cast<uint32_t>(random() % 3 * 4); };
            const Header header = {launcher::magic,
                                   launcher::version,
                                   Kind(random() % 5),
                                   small(),
                                   small(),
                                   small(),
                                   static_cast<uint32_t>(random() % 2)};
            const int32_t body[3] = {static_cast<int32_t>(random() % 2), 1, 2};
            const int descriptor = file.get();
            send_packet(pairs[random() % 2].theirs.get(), &header, sizeof header, body, small(), &descriptor,
                        random() % 2);
            for (int rank = 0; rank < 2; ++rank) {
                hub.serve(rank, POLLIN | POLLOUT);
            }
        }
        hub.end("enough");
    }
}

void a_library_of_another_version_is_told_ours(void **) {
    Pair pair;
    std::vector<Descriptor> controls;
    controls.push_back(std::move(pair.ours));
    Hub hub(std::move(controls));
    const Header header = {launcher::magic, launcher::version + 1, Kind::hello, 0, 0, 0, 0};
    assert_true(send_packet(pair.theirs.get(), &header, sizeof header, nullptr, 0, nullptr, 0));
    serve_once(hub, 1);
    Header answer{};
    assert_true(receive_packet(pair.theirs.get(), &answer, sizeof answer).bytes >= ssize_t{sizeof answer});
    assert_int_equal(answer.version, launcher::version);
    assert_false(hub.trouble().has_value());
}

void a_rank_that_does_not_read_holds_up_nobody(void **) {
    Pair lazy, eager;
    std::vector<Descriptor> controls;
    controls.push_back(std::move(lazy.ours));
    controls.push_back(std::move(eager.ours));
    Hub hub(std::move(controls));
    constexpr size_t bytes = launcher::contribution_limit; // far more than a socket holds
    const std::vector<char> data(launcher::packet_data, 'x');
    for (const int socket : {lazy.theirs.get(), eager.theirs.get()}) {
        for (size_t offset = 0; offset < bytes;) {
            const Header header = {
                launcher::magic, launcher::version, Kind::allgather, bytes, offset, launcher::packet_data, 0};
            if (send_packet(socket, &header, sizeof header, data.data(), data.size(), nullptr, 0)) {
                offset += data.size();
            } else {
                serve_once(hub, 2);
            }
        }
    }
    size_t received = 0;
    std::vector<char> packet(launcher::packet_limit);
    while (received < 2 * bytes) {
        serve_once(hub, 2);
        for (Packet got; (got = receive_packet(eager.theirs.get(), packet.data(), packet.size())).bytes > 0;) {
            received += static_cast<size_t>(got.bytes) - sizeof(Header);
        }
    }
    assert_false(hub.trouble().has_value());
    assert_true(hub.poll_entry(0).events & POLLOUT); // its answer still waits for it
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(garbage_ends_the_job_in_the_name_of_its_rank),
        cmocka_unit_test(noise_of_any_kind_is_survived),
        cmocka_unit_test(a_library_of_another_version_is_told_ours),
        cmocka_unit_test(a_rank_that_does_not_read_holds_up_nobody),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
