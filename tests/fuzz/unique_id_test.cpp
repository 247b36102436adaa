// Unique ids come from other processes by way of files and mail: any bytes are an id or are refused as one.
#include "fuzz/target.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "boot/sha256.h"
#include "boot/unique_id.h"

namespace xcoll::fuzz {

namespace {

constexpr size_t checksum_bytes = 8; // at the end of an id

// Else no changed id would get past its checksum.
void repair_checksum(xcoll_unique_id_t &id) {
    const size_t covered = sizeof id - checksum_bytes;
    const Hash hash = Sha256().add(&id, covered).finish();
    std::memcpy(reinterpret_cast<char *>(&id) + covered, hash.data(), checksum_bytes);
}

void read(const xcoll_unique_id_t &bytes) {
    try {
        const UniqueId id = read_id(bytes, "id");
        must(id.contact.is_valid(), "an id names where the ranks meet");
        for (size_t i = 0; i < id.contact.count; ++i) {
            must(!text_of(id.contact.addresses[i], id.contact.port_number()).empty(), "an address has a text");
        }
    } catch (const Failure &failure) {
        must(failure.result() == XCOLL_ERR_ARGUMENT, "bytes that are no id are a bad argument");
        must(failure.message().starts_with("id "), "the message names the argument");
    }
}

} // namespace

void feed(std::string_view input) {
    xcoll_unique_id_t id{};
    std::memcpy(&id, input.data(), std::min(input.size(), sizeof id));
    read(id);
    repair_checksum(id);
    read(id);
}

std::vector<std::string> seeds() {
    UniqueId id{};
    id.secret = {Sha256().add("secret", 6).finish()};
    std::vector<std::string> all = {"", std::string(sizeof(xcoll_unique_id_t), 'x')};
    id.contact = Contact::at(4711, {{4, {10, 0, 0, 1}}});
    all.push_back(bytes_of(write_id(id)));
    id.contact = Contact::at(1, {{6, {0xfd, 1}}, {4, {127, 0, 0, 1}}, {6, {0xfe, 0x80}}, {4, {192, 168, 0, 1}}});
    all.push_back(bytes_of(write_id(id)));
    return all;
}

} // namespace xcoll::fuzz
