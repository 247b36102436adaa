#include "boot/unique_id.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/random.h"
#include "boot/interfaces.h"

namespace xcoll {

namespace {

constexpr uint8_t format_version = 1;

// Of bytes alone, so that it reads the same on every machine.
struct Layout {
    char magic[8];
    uint8_t version;
    Contact contact;
    Hash secret;
    uint8_t unused[8]; // zero
    uint8_t checksum[8];
};
static_assert(sizeof(Layout) == sizeof(xcoll_unique_id_t) && alignof(Layout) == 1);
constexpr char magic[8] = {'x', 'c', 'o', 'l', 'l', '-', 'i', 'd'};

// Against accidents, not against anybody: our own code is enough.
Hash checksum(const Layout &layout) {
    return Sha256().add(&layout, offsetof(Layout, checksum)).finish();
}

bool checksum_matches(const Layout &layout) {
    return std::memcmp(layout.checksum, checksum(layout).data(), sizeof layout.checksum) == 0;
}

// Tells an id from others, and keeps its secret.
Hash mark_of(const xcoll_unique_id_t &id) {
    return Sha256().add(&id, sizeof id).finish();
}

} // namespace

xcoll_unique_id_t write_id(const UniqueId &id) {
    Secret<Layout> secret{};
    Layout &layout = secret;
    std::memcpy(layout.magic, magic, sizeof magic);
    layout.version = format_version;
    layout.contact = id.contact;
    layout.secret = id.secret;
    const Hash hash = checksum(layout);
    std::memcpy(layout.checksum, hash.data(), sizeof layout.checksum);
    xcoll_unique_id_t out;
    std::memcpy(&out, &layout, sizeof out);
    return out;
}

UniqueId read_id(const xcoll_unique_id_t &id, const std::string &name) {
    Secret<Layout> secret;
    Layout &layout = secret;
    std::memcpy(&layout, &id, sizeof layout);
    if (std::memcmp(layout.magic, magic, sizeof magic) != 0) {
        fail(
            XCOLL_ERR_ARGUMENT,
            "%s is no unique id: expected the 128 bytes that xcoll_get_unique_id wrote in one process, the same on all "
            "ranks",
            name.c_str());
    }
    if (layout.version != format_version) {
        fail(XCOLL_ERR_ARGUMENT,
             "%s is a unique id of version %u, this library reads version %u: use one version of xcoll", name.c_str(),
             unsigned{layout.version}, unsigned{format_version});
    }
    if (!checksum_matches(layout) || !layout.contact.is_valid()) {
        fail(XCOLL_ERR_ARGUMENT,
             "%s was damaged on its way: its checksum does not fit. Hand on all 128 bytes as they are, not as a string",
             name.c_str());
    }
    return {layout.contact, {layout.secret}};
}

xcoll_unique_id_t OwnIds::make(const std::string &interface) {
    Listener listener(0, interface);
    UniqueId contents{};
    contents.contact = Contact::at(listener.port(), own_addresses(interface));
    fill_random(contents.secret.data(), contents.secret.size());
    Lease lease;
    const xcoll_unique_id_t id = write_id(contents);
    const std::lock_guard lock(mutex_);
    forget_taken();
    own_.push_back({mark_of(id), std::move(listener), std::move(lease)});
    return id;
}

std::optional<OwnIds::Claim> OwnIds::claim(const xcoll_unique_id_t &id) {
    const std::lock_guard lock(mutex_);
    const Hash mark = mark_of(id);
    const auto found = std::find_if(own_.begin(), own_.end(), [&](const Own &own) { return own.mark == mark; });
    if (found == own_.end()) {
        return std::nullopt;
    }
    Own own = std::move(*found);
    own_.erase(found);
    Claim claim = {std::move(own.lease), std::nullopt};
    if (claim.lease.take()) {
        claim.listener = std::move(own.listener);
    }
    return claim;
}

// Those that a relative has taken are of no more use here.
void OwnIds::forget_taken() {
    std::erase_if(own_, [](const Own &own) { return own.lease.was_taken(); });
}

} // namespace xcoll
