// Who computes the hashes by which ranks recognize each other: a crypto library that others keep, by the plug-in for
// it, or, where none opens, code of our own (sha256.h). All give the same hashes, so the ranks of a job need not agree.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "base/config.h"
#include "boot/sha256.h"
#include "plugins/plugin.h"

namespace xcoll {

// What is hashed are the parts one after the other.
using HashParts = std::span<const xcoll_bytes>;

class Crypto {
public:
    // For people.
    virtual std::string name() const = 0;
    // Both throw Failure if the library does.
    virtual Hash hash(HashParts parts) const = 0;
    virtual Hash keyed_hash(xcoll_bytes key, HashParts parts) const = 0;

protected:
    ~Crypto() = default;
};

const Crypto &own_crypto();

// Of a process: the plug-in is opened when ranks that meet over TCP first need it, and stays.
class Cryptos {
public:
    struct Choice {
        const Crypto *crypto; // nullptr: the settings ask for the library, and there is none
        std::string why_not;  // the library: "", it is
    };
    Choice choose(const Settings &settings);
    // Throws Failure(XCOLL_ERR_UNSUPPORTED) where there is none.
    const Crypto &get(const Settings &settings);

private:
    std::mutex mutex_;
    std::shared_ptr<const Crypto> library_;
};

} // namespace xcoll
