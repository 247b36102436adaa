#include "coll/joined_shot.h"

#include "coll/plain_task.h"

namespace xcoll {

bool JoinedShot::serves(const Op &call, const Row &row, const Team &team) {
    constexpr size_t longest = size_t{8} << 10; // takes 0.8 of the time still (bench/results/group-allreduce)
    return !call.user && row.run == one_shot && room_of(call, team.size) <= std::min(longest, most_room(*team.window));
}

size_t JoinedShot::most_room(const Window &window) {
    constexpr size_t most = size_t{32} << 10; // a quarter of a wide slot; other limits were not tried
    return std::min(window.slot_room(), most);
}

Task joined_shot(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n) {
    return plain_task<JoinedShot>(home, team, op, call, n);
}

} // namespace xcoll
