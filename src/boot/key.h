// A secret that ranks share, with whoever computes for it.
#pragma once

#include <initializer_list>

#include "boot/crypto.h"
#include "boot/secret.h"

namespace xcoll {

class Key {
public:
    Key(const Crypto &crypto, const Hash &bits) : crypto_(&crypto), bits_{bits} {
    }

    // What only those can make who have it.
    Hash sign(std::initializer_list<xcoll_bytes> parts) const {
        return crypto_->keyed_hash({bits_.data(), bits_.size()}, {parts.begin(), parts.size()});
    }
    // Another one, which tells nothing of this one.
    Key derive(std::initializer_list<xcoll_bytes> parts) const {
        const Secret<Hash> bits{sign(parts)};
        return Key(*crypto_, bits);
    }

private:
    const Crypto *crypto_;
    Secret<Hash> bits_;
};

} // namespace xcoll
