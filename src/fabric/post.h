// Messages that users send to each other, over a Window: one Post for each communicator and rank. post_lane.h has the
// protocol and why it comes to an end, post_box.h has who gets which message.
//
//     const Post::Ticket ticket = post.recv(source, tag, buffer, room);
//     while (!post.is_over(ticket)) {
//         co_await post.until(ticket);
//         post.advance(ticket);
//     }
//     const Post::Status status = Post::status(ticket);
//     post.finish(ticket);
//
// Messages move when advance() or progress() is called; every wait calls progress(). until() names the very line that a
// message comes in where there is but one, so that a wait sees it without calling anything. It may be reached without
// the ticket being over; it is reached whenever advance() has something to do for the ticket, whoever did what comes
// before. Only a receive from any source, and what is parked on end(), has to be driven by progress().
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/op.h"
#include "fabric/post_box.h"
#include "fabric/post_out.h"

namespace xcoll {

class Post {
public:
    struct Ticket {
        PostItem *item = nullptr; // nullptr: it was over at once
    };
    struct Status {
        int source, tag;
        size_t bytes;
    };

    // Everything that peers may still read is the window's and goes with it; this goes before the window does.
    Post(Window &window, const Kernels &kernels);
    ~Post();
    Post(const Post &) = delete;
    Post &operator=(const Post &) = delete;

    // The buffer belongs to the Post until the ticket is over or everything is cancelled. Throw ABORTED after
    // cancel_all(), SYSTEM where there is no memory for the first message to a peer.
    Ticket send(int peer, int tag, const void *data, size_t bytes);
    Ticket recv(int source, int tag, void *buffer, size_t room);
    // The same as send() if nothing of the message is left to do then. False: nothing has happened.
    bool send_now(int peer, int tag, const void *data, size_t bytes);
    // Of this rank's messages to the peer, as collectives do with heads (first_look.h): for who has sent one and
    // receives one as well, and will most likely do so again. Where messages go there and back it does harm: on a
    // Zen 5 8 bytes take 0.63 us across two L3s like that, and 0.58 without.
    void claim_next_line(int peer) {
        if (Link &l = link(peer); l.out.is_open()) {
            l.out.claim_next();
        }
    }
    // The same of a message that has come whole, if it is the next line of its source and nobody asked for it before:
    // then it is over at once. False: nothing has happened.
    bool recv_now(int source, int tag, void *buffer, size_t room, Status &status) {
        return takes_lines(source) && recv_next(source, tag, buffer, room, status);
    }
    // What to wait for before recv_now() can be true; nothing: it will not be.
    std::optional<Until> next_line(int source) {
        return takes_lines(source) ? std::optional(line_of(source)) : std::nullopt;
    }
    // In place of recv_now(), for who has just been told of that line, and has done nothing else since.
    bool recv_next(int source, int tag, void *buffer, size_t room, Status &status);
    // In place of a send or a receive of a call that was refused, so that its peer is told instead of waiting for ever,
    // and the order of messages is kept. Nobody waits for them. Throw as those do.
    //     withhold   whoever would have received the message gets MISMATCH
    //     decline    the message that would have been received is dropped; a sender that waits for it gets MISMATCH
    void withhold(int peer, int tag);
    void decline(int source, int tag);

    static bool is_over(const Ticket &ticket) {
        return !ticket.item || ticket.item->state == PostItem::State::over;
    }
    // Of a receive that is over and not finished: who sent what.
    static Status status(const Ticket &ticket) {
        return {ticket.item->peer, ticket.item->tag, ticket.item->total};
    }
    // After it is over, exactly once. Throws TRUNCATE if the message was longer than the room; it is lost then. And
    // MISMATCH if the peer has withheld or declined it.
    void finish(const Ticket &ticket);
    void finish(const Ticket &one, const Ticket &other);

    // In place of asking: the watch of one or more tickets that are not over comes out here when the last of them is.
    static void watch(const Ticket &ticket, PostWatch &watch) {
        PostBox::watch(*ticket.item, watch);
    }
    bool has_over() const {
        return box_.has_over();
    }
    PostWatch *next_over() {
        return box_.next_over();
    }

    // ---- progress
    // Nothing but the end: to be driven by progress().
    static Until end(const Ticket &ticket) {
        const PostItem &item = *ticket.item;
        return {&item.signal, item.value, item.peer == any_source ? -1 : item.peer};
    }
    // What to wait for before advance() can do more for this ticket, which is not over.
    Until until(const Ticket &ticket);
    // The same of a send and a receive that are both not over: the end of the receive, unless one line tells of both.
    Until until(const Ticket &send, const Ticket &receive);
    // Moves what can be moved with this ticket's peer, until the ticket is over. True if something moved.
    bool advance(const Ticket &ticket);
    // Nothing can move here but by the next line of this peer.
    bool listens_only_to(int peer) const;
    // The same for all peers that something is waited for from, a bit at a time; and makes room for those who cannot go
    // on otherwise. True if something moved.
    bool progress();
    // True if progress() would find something.
    bool has_news();
    // Sleeps until `until` is reached or has_news(), at most so long; may return early. False at once if nothing is in
    // flight here, so that nobody is known who could wake this rank.
    bool sleep(const Until &until, int64_t nanoseconds);
    size_t in_flight() const {
        return box_.in_use();
    }
    // Those among them that stand for calls that were refused, of which peers are yet to be told.
    size_t refused() const {
        return box_.refused();
    }

    // ---- trouble
    // Something is waited for that will not come any more if this peer had died before the call.
    bool awaits(int peer);
    // Throws ABORTED if something is waited for that a rank which freed this communicator can not send or take any
    // more.
    void check_present();
    // The first message of this call that is not over, or of any (nullptr): which it is, what is known of it and what
    // to look for; and whom it waits for. Nothing: there is none.
    struct Delay {
        std::string text;
        int peer;
    };
    std::optional<Delay> delay(const Op *op) const;
    // Takes back every buffer, for good: nothing touches them after the return, here or at a peer.
    void cancel_all() noexcept;

    size_t aside_bytes() const {
        return box_.aside_bytes();
    }

private:
    // What goes on with one peer.
    struct Link {
        PostOut out;
        PostLane *in = nullptr; // the peer's
        uint64_t read = 0;      // lines
        uint32_t kept = 0;      // what it says of their blocks
        uint64_t claimed = 0;   // weight of the letters that receives have asked for, of those that came
        uint32_t messages = 0;  // sent
        uint64_t letters = 0;   // weight of the letters that were sent
        uint64_t letters_claimed = 0;
        bool is_active = false; // in active_
        PostQueue waiting, offered, flowing, answers, arriving;

        bool is_sending() const {
            return !waiting.empty() || !offered.empty() || !flowing.empty();
        }
        bool is_moving() const {
            return is_sending() || !answers.empty() || !arriving.empty();
        }
    };
    Link &link(int peer) {
        return links_[static_cast<size_t>(peer)];
    }
    bool is_self(int peer) const {
        return peer == window_.rank();
    }
    // Whether the peer can copy a message of mine itself.
    bool reaches(int peer, size_t bytes) const {
        return window_.shares_process(peer) || window_.attached_messages().hold(bytes);
    }

    bool is_sending() const {
        return std::any_of(active_.begin(), active_.end(),
                           [this](int peer) { return links_[static_cast<size_t>(peer)].is_sending(); });
    }

    // ---- sending (post_send.cpp)
    Ticket send_to_self(int tag, const void *data, size_t bytes);
    // Sets how much of it has `moved`. False: there is no room.
    bool put_letter(int peer, int tag, const char *data, size_t total, size_t &moved, PostOpenBlock &block);
    // As PostOut::put, with what blocks there are.
    size_t put_piece(int peer, const PostOut::Label &label, const char *data, size_t bytes, PostOpenBlock &block);
    bool put_sign(int peer, const PostOut::Label &label);
    void open_out(int peer);
    bool has_credit(Link &l, size_t bytes) const;
    bool push(int peer);
    bool answer(int peer);
    bool announce(int peer);
    bool flow(int peer);
    bool can_push(Link &l) const;

    // ---- receiving (post_receive.cpp)
    void begin_receive(PostItem &receive);
    bool find_in(int peer);
    Until line_of(int peer);
    bool has_line(int peer);
    bool wants(int peer) const;
    bool takes_lines(int source) const;
    bool pull(int peer);
    bool take_lines(int peer, bool only_wanted);
    void take_line(int peer, const PostLine &line);
    void leave_line(int peer, const PostLine &line);
    void take_letter(int peer, const PostLine &line);
    void take_withheld(int peer, int tag, uint32_t message);
    void take_offer(int peer, const PostLine &line);
    void take_more(int peer, const PostLine &line);
    void take_parcel(PostItem &receive, PostParcels::iterator parcel);
    const char *payload(int peer, const PostLine &line) const;
    void take_block(int peer, const PostLine &line);
    void claim(Link &l, size_t bytes) const;
    void begin_arriving(PostItem &receive, const char *data, size_t bytes);
    void store(PostItem &receive, const char *data, size_t bytes) const;
    void accept(PostItem &receive, const char *address);
    // What became of a message that its receiver was to copy itself.
    enum class Fetched : uint8_t {
        all,
        not_at_all, // it has to be sent
        never,      // its sender has given up or died
    };
    Fetched fetch(const PostItem &receive, const char *address) const;
    bool copy_from(int peer, const PostItem &receive, const char *address) const;
    bool relieve(int peer);

    // ---- both (post.cpp)
    void activate(int peer);
    bool is_busy_with(int peer) const;
    bool is_awaited(int peer) const;
    Failure failure_of(const PostItem &item) const;
    bool visit(int peer);
    void check_open(const char *what) const;
    std::string why_nothing_comes(const PostItem &receive) const;
    std::string why_it_stops(const PostItem &item) const;
    int ranks_gone() const;
    void check_present(int peer);

    Window &window_;
    PostSupplies supplies_;
    PostBox box_;
    std::vector<Link> links_;
    std::vector<int> active_;
    int turn_ = 0;        // who is looked at first, for receives from any source
    int relief_turn_ = 0; // who is relieved next
    char *directory_ = nullptr;
    bool cancelled_ = false;
};

} // namespace xcoll
