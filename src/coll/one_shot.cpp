#include "coll/one_shot.h"

#include "coll/plain_task.h"

namespace xcoll {

Task one_shot(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n) {
    return plain_task<OneShot>(home, team, op, call, n);
}

Algorithm behind_one_shot(Kind kind) {
    switch (kind) {
    case Kind::allreduce:
    case Kind::reduce:
    case Kind::reduce_scatter:
    case Kind::reduce_scatterv:
    case Kind::scan:
    case Kind::exscan:
        return reduce_beside_whole;
    default:
        return exchange_streams;
    }
}

} // namespace xcoll
