// The hash of our own: in portions, against the kernel, and compared. Against the standards: boot_crypto_test.cpp.
#include "cmocka_cpp.h"

#include <cstring>
#include <linux/if_alg.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

#include "boot/packet.h"
#include "boot/sha256.h"
#include "hex.h"

using namespace xcoll;

namespace {

std::string sha256(const std::string &text) {
    return hex(Sha256().add(text.data(), text.size()).finish());
}

void portions_do_not_matter(void **) {
    std::string text;
    for (int i = 0; i < 300; ++i) {
        text += static_cast<char>(i * 7);
    }
    const std::string whole = sha256(text);
    for (size_t first = 0; first <= text.size(); ++first) {
        Sha256 parts;
        parts.add(text.data(), first).add(text.data() + first, text.size() - first);
        assert_string_equal(hex(parts.finish()).c_str(), whole.c_str());
    }
}

// The kernel's own, where a program may ask it: many containers say no.
void the_kernel_says_the_same(void **) {
    const Descriptor algorithm(socket(AF_ALG, SOCK_SEQPACKET, 0));
    sockaddr_alg address{};
    address.salg_family = AF_ALG;
    std::memcpy(address.salg_type, "hash", 5);
    std::memcpy(address.salg_name, "sha256", 7);
    if (!algorithm || bind(algorithm.get(), reinterpret_cast<sockaddr *>(&address), sizeof address) != 0) {
        skip();
    }
    std::string text;
    for (size_t length = 0; length < 200; ++length) {
        const Descriptor job(accept(algorithm.get(), nullptr, nullptr));
        Hash theirs;
        assert_true(write(job.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
        assert_true(read(job.get(), theirs.data(), theirs.size()) == static_cast<ssize_t>(theirs.size()));
        assert_string_equal(sha256(text).c_str(), hex(theirs).c_str());
        text += static_cast<char>(length * 13 + 1);
    }
}

void any_difference_is_a_difference(void **) {
    const Hash one = Sha256().add("x", 1).finish();
    assert_true(equal_in_constant_time(one, one));
    for (size_t bit = 0; bit < one.size() * 8; ++bit) {
        Hash other = one;
        other[bit / 8] = static_cast<uint8_t>(other[bit / 8] ^ (1 << bit % 8));
        assert_false(equal_in_constant_time(one, other));
    }
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(portions_do_not_matter),
        cmocka_unit_test(the_kernel_says_the_same),
        cmocka_unit_test(any_difference_is_a_difference),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
