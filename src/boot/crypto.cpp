#include "boot/crypto.h"

#include "base/error.h"
#include "base/plugin_loader.h"

namespace xcoll {

namespace {

class OwnCrypto final : public Crypto {
public:
    std::string name() const override {
        return "xcoll's own code";
    }
    Hash hash(HashParts parts) const override {
        return add(Sha256(), parts).finish();
    }
    Hash keyed_hash(xcoll_bytes key, HashParts parts) const override {
        return add(Hmac(key.data, key.bytes), parts).finish();
    }

private:
    template <class Hasher> static Hasher add(Hasher hasher, HashParts parts) {
        for (const xcoll_bytes &part : parts) {
            hasher.add(part.data, part.bytes);
        }
        return hasher;
    }
};

constexpr OwnCrypto own;

constexpr PluginKind crypto_plugin = {"libxcoll_crypto.so", XCOLL_PLUGIN_CRYPTO_SYMBOL,
                                      "the plug-in for the crypto library cannot be loaded",
                                      "libcrypto of OpenSSL 3 (Debian, Ubuntu: package libssl3)"};

// To open libcrypto takes a process 2.2 ms on a quiet processor, a third of it to load, the rest to find its providers:
// once, and only where ranks meet over TCP, which takes two ranks of one machine about 4 ms and more between machines.
// That buys code that others keep, test and certify, set up as the machine's administrator wants it. Nettle would be
// there in 0.2 ms, but no site's rules ask for it; who counts milliseconds says XCOLL_CRYPTO=own.
class LibraryCrypto final : public Crypto {
public:
    explicit LibraryCrypto(const std::string &folder)
        : plugin_(reinterpret_cast<const xcoll_crypto_plugin &>(load_plugin(crypto_plugin, folder))) {
        char said[256] = "";
        const xcoll_result_t result = plugin_.open(&state_, said, sizeof said);
        if (result != XCOLL_SUCCESS) {
            fail(result, "the crypto library cannot be used: %s", said);
        }
        name_ = said;
    }
    ~LibraryCrypto() {
        plugin_.close(state_);
    }
    LibraryCrypto(const LibraryCrypto &) = delete;
    LibraryCrypto &operator=(const LibraryCrypto &) = delete;
    std::string name() const override {
        return name_;
    }
    Hash hash(HashParts parts) const override {
        Hash hash;
        check(plugin_.hash(state_, parts.data(), parts.size(), hash.data()));
        return hash;
    }
    Hash keyed_hash(xcoll_bytes key, HashParts parts) const override {
        Hash hash;
        check(plugin_.keyed_hash(state_, key, parts.data(), parts.size(), hash.data()));
        return hash;
    }

private:
    void check(xcoll_result_t result) const {
        if (result != XCOLL_SUCCESS) {
            fail(result,
                 "%s does not compute SHA-256, by which ranks that meet over TCP recognize each other; with "
                 "XCOLL_CRYPTO=own the library computes it itself",
                 name_.c_str());
        }
    }

    const xcoll_crypto_plugin &plugin_;
    void *state_ = nullptr;
    std::string name_;
};

} // namespace

const Crypto &own_crypto() {
    return own;
}

Cryptos::Choice Cryptos::choose(const Settings &settings) {
    if (settings.crypto == CryptoWish::own) {
        return {&own, "XCOLL_CRYPTO=own"};
    }
    const std::lock_guard lock(mutex_);
    try {
        if (!library_) {
            library_ = std::make_shared<const LibraryCrypto>(settings.plugin_path);
        }
        return {library_.get(), ""};
    } catch (const Failure &failure) {
        return {settings.crypto == CryptoWish::library ? nullptr : &own, failure.message()};
    }
}

const Crypto &Cryptos::get(const Settings &settings) {
    const Choice choice = choose(settings);
    if (!choice.crypto) {
        fail(XCOLL_ERR_UNSUPPORTED, "XCOLL_CRYPTO=library, but %s. XCOLL_CRYPTO=auto does without it",
             choice.why_not.c_str());
    }
    return *choice.crypto;
}

} // namespace xcoll
