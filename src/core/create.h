// How communicators come to be.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "boot/boot.h"
#include "core/comm.h"

namespace xcoll {

// What the caller of the ABI may say about a communicator that is to be made.
struct Wishes {
    Settings settings;
    std::string name;
    int64_t timeout_ms = 0; // 0: as the settings say
    bool is_internal = false;
};

// The wishes' settings with their limit, and a communicator that is to be like that.
Settings settings_of(const Wishes &wishes);
void apply(Membership &membership, const Wishes &wishes);

// All collective but connect_thread_ranks; all throw, on every rank that was to be a member if on one.
std::unique_ptr<Comm> connect(Bootstrap &boot, const Wishes &wishes);
std::unique_ptr<Comm> connect_by_ids(std::span<const xcoll_unique_id_t> ids, int rank, int size, const Wishes &wishes);
std::vector<std::unique_ptr<Comm>> connect_thread_ranks(int size, const Wishes &wishes);
// nullptr if color is XCOLL_UNDEFINED.
std::unique_ptr<Comm> split(Comm &parent, int color, int key, const Wishes &wishes);
std::unique_ptr<Comm> dup(Comm &parent, const Wishes &wishes);
// What a child without wishes of its own inherits.
Wishes inherited(const Comm &parent);
// A communicator over all ranks of the job that this process belongs to.
std::unique_ptr<Comm> world(const Wishes &wishes);
// This rank's arguments are refused: tells the ranks that have called it too, if they are connected already.
void refuse_world() noexcept;
// False if there was no world() to give back.
bool release_world();

} // namespace xcoll
