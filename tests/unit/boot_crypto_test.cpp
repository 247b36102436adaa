// The hash and the keyed hash by which ranks recognize each other: by the standards' own examples, whoever computes
// them, and the same by all.
#include "cmocka_cpp.h"

#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "boot/crypto.h"
#include "boot/key.h"
#include "built_plugins.h"
#include "hex.h"

using namespace xcoll;

namespace {

Settings with(CryptoWish wish, const std::string &folder = built::plugin_folder()) {
    Settings settings;
    settings.crypto = wish;
    settings.plugin_path = folder;
    return settings;
}

// The library alone, if this build has its plug-in, and our own code.
std::vector<const Crypto *> everybody(Cryptos &cryptos) {
    std::vector<const Crypto *> all = {&own_crypto()};
    if (built::has_plugin("crypto")) {
        all.push_back(&cryptos.get(with(CryptoWish::library)));
    }
    return all;
}

xcoll_bytes bytes_of(const std::string &text) {
    return {text.data(), text.size()};
}

void hashes_to(const std::string &text, const char *expected) {
    Cryptos cryptos;
    for (const Crypto *crypto : everybody(cryptos)) {
        const xcoll_bytes part = bytes_of(text);
        assert_string_equal(hex(crypto->hash({&part, 1})).c_str(), expected);
    }
}

void is_signed_as(const std::string &key, const std::string &text, const char *expected) {
    Cryptos cryptos;
    for (const Crypto *crypto : everybody(cryptos)) {
        const xcoll_bytes part = bytes_of(text);
        assert_string_equal(hex(crypto->keyed_hash(bytes_of(key), {&part, 1})).c_str(), expected);
    }
}

// The examples that NIST publishes with FIPS 180-4.
void hashes_are_those_of_the_standard(void **) {
    hashes_to("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    hashes_to("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    hashes_to("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    hashes_to("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrst"
              "nopqrstu",
              "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    hashes_to(std::string(1'000'000, 'a'), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// RFC 4231, cases 1, 2, 3, 4, 6 and 7: short and long keys and texts. Case 5 is about a shortened hash.
void keyed_hashes_are_those_of_the_standard(void **) {
    is_signed_as(std::string(20, '\x0b'), "Hi There",
                 "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    is_signed_as("Jefe", "what do ya want for nothing?",
                 "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    is_signed_as(std::string(20, '\xaa'), std::string(50, '\xdd'),
                 "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
    std::string counting;
    for (char byte = 1; byte <= 25; ++byte) {
        counting += byte;
    }
    is_signed_as(counting, std::string(50, '\xcd'), "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b");
    is_signed_as(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First",
                 "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
    is_signed_as(
        std::string(131, '\xaa'),
        "This is a test using a larger than block-size key and a larger than block-size data. The key needs to "
        "be hashed before being used by the HMAC algorithm.",
        "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2");
}

// Any lengths around those of blocks, and any parts.
void all_compute_the_same(void **) {
    if (!built::has_plugin("crypto")) {
        skip();
    }
    Cryptos cryptos;
    const Crypto &library = cryptos.get(with(CryptoWish::library));
    const char *given = std::getenv("SEED");
    std::mt19937_64 random(given ? std::strtoull(given, nullptr, 10) : 1);
    const auto text = [&](size_t most) {
        std::string bytes(random() % (most + 1), 0);
        for (char &byte : bytes) {
            byte = static_cast<char>(random());
        }
        return bytes;
    };
    for (int i = 0; i < 1000; ++i) {
        const std::string key = text(200), first = text(300), second = text(i % 10 == 0 ? 70'000 : 5);
        const xcoll_bytes parts[] = {bytes_of(first), {nullptr, 0}, bytes_of(second)};
        assert_true(library.hash(parts) == own_crypto().hash(parts));
        assert_true(library.keyed_hash(bytes_of(key), parts) == own_crypto().keyed_hash(bytes_of(key), parts));
    }
}

// Threads may be ranks, and each has proofs to compute.
void threads_use_one_library(void **) {
    Cryptos cryptos;
    const Hash expected = Key(own_crypto(), Hash{7}).sign({{"text", 4}});
    std::vector<std::thread> threads;
    std::vector<int> right(4);
    for (int &counted : right) {
        threads.emplace_back([&] {
            for (int i = 0; i < 200; ++i) {
                counted +=
                    Key(cryptos.get(with(CryptoWish::library_if_there)), Hash{7}).sign({{"text", 4}}) == expected;
            }
        });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    for (const int counted : right) {
        assert_int_equal(counted, 200);
    }
}

void without_the_library_our_own_code_serves_and_says_why(void **) {
    Cryptos cryptos;
    const Cryptos::Choice missing = cryptos.choose(with(CryptoWish::library_if_there, "/nowhere"));
    assert_ptr_equal(missing.crypto, &own_crypto());
    assert_non_null(std::strstr(missing.why_not.c_str(), "/nowhere/libxcoll_crypto.so"));
    assert_non_null(std::strstr(missing.why_not.c_str(), "libssl3"));
    const Cryptos::Choice unwanted = cryptos.choose(with(CryptoWish::own));
    assert_ptr_equal(unwanted.crypto, &own_crypto());
    assert_string_equal(unwanted.why_not.c_str(), "XCOLL_CRYPTO=own");
    if (!built::has_plugin("crypto")) {
        return;
    }
    const Cryptos::Choice there = cryptos.choose(with(CryptoWish::library_if_there));
    assert_ptr_not_equal(there.crypto, &own_crypto());
    assert_string_equal(there.why_not.c_str(), "");
    assert_non_null(std::strstr(there.crypto->name().c_str(), "OpenSSL "));
}

void whoever_insists_on_the_library_gets_an_error_without_it(void **) {
    Cryptos cryptos;
    try {
        cryptos.get(with(CryptoWish::library, "/nowhere"));
        assert_true(false);
    } catch (const Failure &failure) {
        assert_int_equal(failure.result(), XCOLL_ERR_UNSUPPORTED);
        assert_non_null(std::strstr(failure.what(), "XCOLL_CRYPTO=library, but "));
        assert_non_null(std::strstr(failure.what(), "/nowhere"));
    }
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(hashes_are_those_of_the_standard),
        cmocka_unit_test(keyed_hashes_are_those_of_the_standard),
        cmocka_unit_test(all_compute_the_same),
        cmocka_unit_test(threads_use_one_library),
        cmocka_unit_test(without_the_library_our_own_code_serves_and_says_why),
        cmocka_unit_test(whoever_insists_on_the_library_gets_an_error_without_it),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
