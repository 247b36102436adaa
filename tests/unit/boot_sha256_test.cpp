// The hash and the keyed hash by which ranks recognize each other, against the standards' own examples and the kernel.
#include "cmocka_cpp.h"

#include <cstring>
#include <linux/if_alg.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

#include "boot/packet.h"
#include "boot/sha256.h"

using namespace xcoll;

namespace {

std::string hex(const Hash &hash) {
    std::string text;
    for (const uint8_t byte : hash) {
        char two[3];
        std::snprintf(two, sizeof two, "%02x", byte);
        text += two;
    }
    return text;
}

std::string sha256(const std::string &text) {
    return hex(Sha256().add(text.data(), text.size()).finish());
}

std::string hmac(const std::string &key, const std::string &text) {
    return hex(Hmac(key.data(), key.size()).add(text.data(), text.size()).finish());
}

// The examples that NIST publishes with FIPS 180-4.
void hashes_are_those_of_the_standard(void **) {
    assert_string_equal(sha256("").c_str(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_string_equal(sha256("abc").c_str(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_string_equal(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq").c_str(),
                        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    assert_string_equal(sha256("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnop"
                               "qrlmnopqrsmnopqrstnopqrstu")
                            .c_str(),
                        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    assert_string_equal(sha256(std::string(1'000'000, 'a')).c_str(),
                        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// RFC 4231, cases 1, 2, 3, 6 and 7: short and long keys and texts.
void keyed_hashes_are_those_of_the_standard(void **) {
    assert_string_equal(hmac(std::string(20, '\x0b'), "Hi There").c_str(),
                        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    assert_string_equal(hmac("Jefe", "what do ya want for nothing?").c_str(),
                        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    assert_string_equal(hmac(std::string(20, '\xaa'), std::string(50, '\xdd')).c_str(),
                        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
    assert_string_equal(
        hmac(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First").c_str(),
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
    assert_string_equal(hmac(std::string(131, '\xaa'), "This is a test using a larger than block-size key and a larger "
                                                       "than block-size data. The key needs to be hashed before being "
                                                       "used by the HMAC algorithm.")
                            .c_str(),
                        "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2");
}

void portions_do_not_matter(void **) {
    std::string text;
    for (int i = 0; i < 300; ++i)
        text += static_cast<char>(i * 7);
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
        cmocka_unit_test(hashes_are_those_of_the_standard), cmocka_unit_test(keyed_hashes_are_those_of_the_standard),
        cmocka_unit_test(portions_do_not_matter),           cmocka_unit_test(the_kernel_says_the_same),
        cmocka_unit_test(any_difference_is_a_difference),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
