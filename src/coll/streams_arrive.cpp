// Streams of which only the writer knows how long its parts are. Whom it is for reads that where it looks anyway: the
// length of the stream in the head, or the entry in the index. Of a part that is too long, and not in the stream, both
// tell the length all the same: an index in the place of the place.
#include "coll/dynamic.h"
#include "coll/streams.h"

namespace xcoll {

PartOfStream Streams::place_of_part(int to, size_t bytes) const {
    const Arrivals *arrivals = exchange_.arrivals();
    return {arrivals && bytes == 0 ? arrivals->told(to) : total_, bytes};
}

uint64_t Streams::told() const {
    const Arrivals *arrivals = exchange_.arrivals();
    const int reader = rank_ == 0 ? 1 : 0; // the only one, or one of those that get the same
    return arrivals && total_ == 0 && ranks_ > 1 ? arrivals->told(reader) : total_;
}

void Streams::open_arriving(int p, Arrivals &arrivals) {
    if (index_bytes_ > 0) {
        open(p, 0, arrivals.room());
        return;
    }
    const Head &head = window_.head(p, n_);
    const size_t comes = arrivals.note(p, head.inlined ? head.inlined : head.place.total);
    if (comes > 0) {
        const bool is_shared = traits(arrivals.op().kind).is_shared;
        open(p, is_shared ? comes : 0, is_shared ? 0 : comes);
    }
}

void Streams::adopt(Source &source, int p, const PartOfStream &entry) {
    exchange_.arrivals()->note(p, entry.bytes > 0 ? entry.bytes : entry.place);
    place(source, entry);
}

} // namespace xcoll
