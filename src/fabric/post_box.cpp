#include "fabric/post_box.h"

#include <algorithm>

namespace xcoll {

namespace {

bool fits(const PostItem &receive, int source, int tag) {
    return (receive.peer == source || receive.peer == any_source) && (receive.tag == tag || receive.tag == any_tag);
}

} // namespace

PostItem &PostBox::start(PostItem::State state, int peer, int tag, const void *data, size_t bytes) {
    if (!free_) {
        free_ = &items_.emplace_back();
    }
    PostItem &item = *free_;
    free_ = item.next;
    ++in_use_;
    ++item.value;
    item.state = state;
    item.peer = peer;
    item.tag = tag;
    item.data = static_cast<char *>(const_cast<void *>(data));
    item.bytes = bytes;
    item.total = bytes;
    item.moved = 0;
    item.is_refused = false;
    item.watch = nullptr;
    item.lost = PostItem::Lost::no;
    return item;
}

void PostBox::post(PostItem &item) {
    posted_.push(&item);
    ++asked(item).all;
    asked(item).refused += item.is_refused;
}

PostItem *PostBox::match(int source, int tag, uint32_t message, size_t total) {
    PostItem *receive = posted_.take([=](const PostItem &item) { return fits(item, source, tag); });
    if (receive) {
        --asked(*receive).all;
        asked(*receive).refused -= receive->is_refused;
        assign(*receive, source, tag, message, total);
    }
    return receive;
}

void PostBox::assign(PostItem &receive, int source, int tag, uint32_t message, size_t total) {
    receive.peer = source;
    receive.tag = tag;
    receive.message = message;
    receive.total = total;
}

PostParcel &PostBox::put_aside(int source, int tag, uint32_t message, size_t total, bool is_offer) {
    if (spare_.empty()) {
        spare_.emplace_back();
    }
    PostParcel &parcel = spare_.front();
    if (!is_offer && total > PostParcel::small) {
        parcel.outside = std::make_unique_for_overwrite<char[]>(total);
    }
    parcel.source = source;
    parcel.tag = tag;
    parcel.message = message;
    parcel.total = total;
    parcel.arrived = 0;
    parcel.is_offer = is_offer;
    parcel.is_withheld = false;
    aside_.splice(aside_.end(), spare_, spare_.begin());
    return parcel;
}

PostParcels::iterator PostBox::find(const PostItem &receive) {
    return std::find_if(aside_.begin(), aside_.end(),
                        [&](const PostParcel &parcel) { return fits(receive, parcel.source, parcel.tag); });
}

// Of those that are still coming in; they came lately.
PostParcel &PostBox::aside(int source, uint32_t message) {
    return *std::find_if(aside_.rbegin(), aside_.rend(), [=](const PostParcel &parcel) {
        return parcel.source == source && parcel.message == message;
    });
}

void PostBox::drop(PostParcels::iterator parcel) {
    parcel->outside.reset();
    spare_.splice(spare_.begin(), aside_, parcel);
}

const PostParcel *PostBox::unasked(int source) const {
    const auto found = std::find_if(aside_.begin(), aside_.end(), [=](const PostParcel &parcel) {
        return !parcel.is_withheld && (source == any_source || parcel.source == source);
    });
    return found != aside_.end() ? &*found : nullptr;
}

size_t PostBox::aside_bytes() const {
    size_t bytes = 0;
    for (const PostParcel &parcel : aside_) {
        bytes += parcel.is_offer ? 0 : parcel.total;
    }
    return bytes;
}

void PostBox::forget_all() {
    over_ = {};
    posted_ = {};
    std::fill(posted_from_.begin(), posted_from_.end(), Asked{});
    posted_from_any_ = {};
    aside_.clear();
    refused_ = 0;
}

} // namespace xcoll
