// What one rank knows of its users' messages: the sends and receives that are not over yet, and what came before
// anybody asked for it. Who gets which message; private memory only.
//
// A message goes to the first receive, in the order in which they were started, that fits it; a receive takes the first
// message, in the order in which they came, that fits it. Messages of one sender come in the order in which they were
// sent, so those that fit the same receives do not overtake each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <vector>

#include "base/signal.h"
#include "fabric/post_lane.h"
#include "xcoll.h"

namespace xcoll {

inline constexpr int any_source = XCOLL_ANY_SOURCE;
inline constexpr int any_tag = XCOLL_ANY_TAG;
inline constexpr int no_rank = XCOLL_NO_RANK; // no message at all (coll/point_to_point.h)

// Told by the last of some sends and receives that it is over, so that nobody has to ask each of them.
struct PostWatch {
    size_t open = 0; // so many of them are not over
    PostWatch *next = nullptr;
};

// One send or receive, from its start to its finish.
struct PostItem {
    enum class State : uint8_t {
        over,
        waiting,   // send: not told to the peer yet
        offered,   // send: until the peer answers
        flowing,   // send: its bytes are on their way
        posted,    // receive: no message yet
        answering, // receive: the answer to an offer is to be told
        arriving,  // receive: its bytes are on their way
    };
    Signal signal;
    uint64_t value = 0; // of the signal when it is over
    State state = State::over;
    bool refuses = false; // the answer
    // It stands for a call that was refused: nobody waits for it, and it is free again when it is over.
    bool is_refused = false;
    // Over, but nothing was moved, as the peer's call was refused.
    enum class Lost : uint8_t { no, withheld, declined } lost = Lost::no;
    int peer = 0; // of a receive: the source that it asks for, then the one that it got
    int tag = 0;
    uint32_t message = 0;
    char *data = nullptr; // of a send: only read
    size_t bytes = 0;     // of a receive: its room
    size_t total = 0;     // of the message
    size_t moved = 0;
    PostOpenBlock block; // of a send
    PostWatch *watch = nullptr;
    PostItem *next = nullptr;
};

// Items, or watches, in an order; each is in one queue at most.
template <class Item> class PostQueueOf {
public:
    bool empty() const {
        return !first_;
    }
    Item *first() const {
        return first_;
    }
    void push(Item *item) {
        item->next = nullptr;
        (last_ ? last_->next : first_) = item;
        last_ = item;
    }
    void pop() {
        first_ = first_->next;
        if (!first_) {
            last_ = nullptr;
        }
    }
    // Takes out the first one that is wanted; nullptr: there is none.
    template <class Wanted> Item *take(Wanted wanted) {
        Item *before = nullptr;
        for (Item *item = first_; item; before = item, item = item->next) {
            if (wanted(*item)) {
                (before ? before->next : first_) = item->next;
                if (last_ == item) {
                    last_ = before;
                }
                return item;
            }
        }
        return nullptr;
    }
    Item *find_message(uint32_t message) const {
        Item *item = first_;
        while (item && item->message != message) {
            item = item->next;
        }
        return item;
    }
    Item *take_message(uint32_t message) {
        return take([=](const Item &item) { return item.message == message; });
    }

private:
    Item *first_ = nullptr, *last_ = nullptr;
};
using PostQueue = PostQueueOf<PostItem>;

// A message that came before its receive: a letter's bytes as far as they are there, or an offer.
struct PostParcel {
    static constexpr size_t small = 64;
    int source = 0, tag = 0;
    uint32_t message = 0;
    size_t total = 0, arrived = 0;
    bool is_offer = false;
    bool is_withheld = false;      // in place of a message
    const char *address = nullptr; // of an offer: where its bytes are, if this rank can read them there
    unsigned char inside[small] = {};
    std::unique_ptr<char[]> outside;

    char *data() {
        return outside ? outside.get() : reinterpret_cast<char *>(inside);
    }
};
using PostParcels = std::list<PostParcel>;

class PostBox {
public:
    explicit PostBox(int ranks) : posted_from_(static_cast<size_t>(ranks)) {
    }

    // ---- items: they stay where they are, since their signals are waited for
    PostItem &start(PostItem::State state, int peer, int tag, const void *data, size_t bytes);
    void close(PostItem &item) {
        item.state = PostItem::State::over;
        item.signal.store(item.value);
        if (item.watch && --item.watch->open == 0) {
            over_.push(item.watch);
        }
        if (item.is_refused) [[unlikely]] {
            --refused_;
            release(item);
        }
    }
    // Nobody waits for it; it is free again when it is over.
    void refuse(PostItem &item) {
        item.is_refused = true;
        ++refused_;
    }
    size_t refused() const {
        return refused_;
    }
    void lose(PostItem &item, PostItem::Lost how) {
        item.lost = how;
        close(item);
    }
    void release(PostItem &item) {
        item.next = free_;
        free_ = &item;
        --in_use_;
    }
    size_t in_use() const {
        return in_use_;
    }
    // It stays where it is until next_over() has returned it, or forget_all().
    static void watch(PostItem &item, PostWatch &watch) {
        item.watch = &watch;
        ++watch.open;
    }
    bool has_over() const {
        return !over_.empty();
    }
    // One that all items are over of; nullptr: there is none.
    PostWatch *next_over() {
        PostWatch *watch = over_.first();
        if (watch) {
            over_.pop();
        }
        return watch;
    }
    // The first that is not over of those that are wanted; nullptr: there is none.
    template <class Wanted> const PostItem *find_open(Wanted wanted) const {
        const auto found = std::find_if(items_.begin(), items_.end(), [&](const PostItem &item) {
            return item.state != PostItem::State::over && wanted(item);
        });
        return found != items_.end() ? &*found : nullptr;
    }

    // ---- receives that have no message yet
    void post(PostItem &item);
    // The receive that a message goes to, as one that has it from now on; nullptr: nobody asked for it yet.
    PostItem *match(int source, int tag, uint32_t message, size_t total);
    bool names(int source) const {
        return posted_from_[static_cast<size_t>(source)].all > 0;
    }
    bool expects_any() const {
        return posted_from_any_.all > 0;
    }
    // The same of receives that somebody waits for.
    bool awaits(int source) const {
        return posted_from_[static_cast<size_t>(source)].is_awaited();
    }
    bool awaits_any() const {
        return posted_from_any_.is_awaited();
    }

    // ---- messages that have no receive yet
    // With room for `total` bytes, unless it is an offer.
    PostParcel &put_aside(int source, int tag, uint32_t message, size_t total, bool is_offer);
    // The parcel that a receive takes, or aside_end().
    PostParcels::iterator find(const PostItem &receive);
    bool has_aside() const {
        return !aside_.empty();
    }
    PostParcels::iterator aside_end() {
        return aside_.end();
    }
    PostParcel &aside(int source, uint32_t message);
    void drop(PostParcels::iterator parcel);
    // The first that came from a source, or from any; nullptr: none.
    const PostParcel *unasked(int source) const;
    // Bytes of letters that lie aside, for tests.
    size_t aside_bytes() const;

    static void assign(PostItem &receive, int source, int tag, uint32_t message, size_t total);
    void forget_all();

private:
    // How many receives ask for a source.
    struct Asked {
        size_t all = 0, refused = 0;

        bool is_awaited() const {
            return all > refused;
        }
    };
    Asked &asked(const PostItem &receive) {
        return receive.peer == any_source ? posted_from_any_ : posted_from_[static_cast<size_t>(receive.peer)];
    }

    std::deque<PostItem> items_;
    PostItem *free_ = nullptr;
    size_t in_use_ = 0, refused_ = 0;
    PostQueueOf<PostWatch> over_;
    PostQueue posted_;
    std::vector<Asked> posted_from_;
    Asked posted_from_any_;
    PostParcels aside_, spare_;
};

} // namespace xcoll
