// The receiving half of Post.
#include <algorithm>
#include <cerrno>

#include "fabric/attach.h"
#include "fabric/post.h"
#include "fabric/visit.h"

namespace xcoll {

namespace {
// A lane with so many lines that nobody asked for may be about to stop its sender.
constexpr uint64_t relieved_lines = 4;
} // namespace

Post::Ticket Post::recv(int source, int tag, void *buffer, size_t room) {
    check_open("receives");
    PostItem &receive = box_.start(PostItem::State::posted, source, tag, buffer, room);
    begin_receive(receive);
    return {&receive};
}

// Whether the next line of the source may be what a receive gets. Mostly nothing is in use.
bool Post::takes_lines(int source) const {
    const auto was_asked = [=, this] { return box_.in_use() > 0 && wants(source); };
    return source != any_source && !is_self(source) && !was_asked() && !box_.has_aside();
}

bool Post::recv_next(int source, int tag, void *buffer, size_t room, Status &status) {
    check_open("receives");
    if (!has_line(source)) {
        return false;
    }
    Link &l = link(source);
    const PostLine &line = l.in->lines[l.read % post_lines];
    const bool is_asked_for = line.what == PostLine::What::letter && (tag == line.tag || tag == any_tag);
    if (!is_asked_for || line.total() != line.bytes || line.bytes > room) {
        return false;
    }
    status = {source, line.tag, line.bytes};
    window_.reading().copy(supplies_.kernels, buffer, payload(source, line), line.bytes);
    claim(l, line.bytes);
    leave_line(source, line);
    window_.publish(l.in->taken, l.read);
    return true;
}

void Post::decline(int source, int tag) {
    check_open("receives");
    PostItem &receive = box_.start(PostItem::State::posted, source, tag, nullptr, 0);
    box_.refuse(receive);
    begin_receive(receive);
    if (source != any_source) {
        visit(source); // nobody else will for its sake
    }
}

void Post::begin_receive(PostItem &receive) {
    const int source = receive.peer;
    if (const auto parcel = box_.find(receive); parcel != box_.aside_end()) {
        if (source == any_source) {
            // Whoever sends much may always have something aside. The others' messages come to lie behind it in turn.
            turn_ = (turn_ + 1) % window_.size();
            take_lines(turn_, false);
        }
        take_parcel(receive, parcel);
        return;
    }
    box_.post(receive);
    if (source == any_source) {
        progress();
    } else {
        // What has come is taken when somebody waits for it: by then this rank may have begun to send, which decides
        // how an offer is answered.
        activate(source);
    }
}

// ------------------------------------------------------------------------------------------------------ lines

bool Post::find_in(int peer) {
    Link &l = link(peer);
    if (!l.in) {
        const uint64_t directory = post_directory(window_.board(peer));
        const uint64_t lane = directory ? LaneDirectory::lane(window_.at(peer, directory), window_.rank()).read() : 0;
        l.in = lane ? reinterpret_cast<PostLane *>(window_.at(peer, lane)) : nullptr;
    }
    return l.in != nullptr;
}

bool Post::has_line(int peer) {
    const Link &l = link(peer);
    return find_in(peer) && l.in->lines[l.read % post_lines].number.reached(l.read + 1);
}

// Something that the peer sends is waited for: a message, its answer to an offer, or, as long as something is to be
// sent, whatever keeps the peer from going on.
bool Post::wants(int peer) const {
    return is_busy_with(peer) || box_.expects_any();
}

bool Post::pull(int peer) {
    return take_lines(peer, true);
}

bool Post::take_lines(int peer, bool only_wanted) {
    if (is_self(peer)) {
        return false;
    }
    Link &l = link(peer);
    const uint64_t before = l.read;
    while (l.read - before < post_lines && (!only_wanted || wants(peer)) && has_line(peer)) {
        const PostLine &line = l.in->lines[l.read % post_lines];
        const bool is_long = line.bytes >= post_piece;
        take_line(peer, line);
        leave_line(peer, line);
        if (is_long) { // the sender may wait for its memory
            window_.publish(l.in->taken, l.read);
        }
    }
    if (l.read == before) {
        return false;
    }
    window_.publish(l.in->taken, l.read);
    return true;
}

bool Post::relieve(int peer) {
    const Link &l = link(peer);
    if (cancelled_ || is_self(peer) || wants(peer) || !find_in(peer)) {
        return false;
    }
    const uint64_t last = l.read + relieved_lines - 1;
    return l.in->lines[last % post_lines].number.reached(last + 1) && take_lines(peer, false);
}

void Post::take_line(int peer, const PostLine &line) {
    Link &l = link(peer);
    switch (line.what) {
    case PostLine::What::letter:
        take_letter(peer, line);
        break;
    case PostLine::What::offer:
        take_offer(peer, line);
        break;
    case PostLine::What::more:
        take_more(peer, line);
        break;
    case PostLine::What::go:
        if (PostItem *send = l.offered.take_message(line.message)) {
            send->state = PostItem::State::flowing;
            l.flowing.push(send);
        }
        break;
    case PostLine::What::over:
        if (PostItem *send = l.offered.take_message(line.message)) {
            window_.count_lent();
            box_.close(*send);
        }
        break;
    case PostLine::What::withheld:
        take_withheld(peer, line.tag, line.message);
        break;
    case PostLine::What::declined:
        if (PostItem *send = l.offered.take_message(line.message)) {
            box_.lose(*send, PostItem::Lost::declined);
        }
        break;
    }
}

// Of the line that is read next from there.
const char *Post::payload(int peer, const PostLine &line) const {
    if (line.bytes <= PostLine::room) {
        return reinterpret_cast<const char *>(line.inside);
    }
    if (!line.is_elsewhere()) {
        const Link &l = links_[static_cast<size_t>(peer)];
        return reinterpret_cast<const char *>(l.in->beside[l.read % post_lines]);
    }
    const bool is_mine = line.where == PostLine::Where::block_of_receiver;
    return window_.at(is_mine ? window_.rank() : peer, line.elsewhere.offset);
}

// Its payload has been read.
void Post::leave_line(int peer, const PostLine &line) {
    if (line.is_elsewhere()) {
        take_block(peer, line);
    }
    ++link(peer).read;
}

void Post::take_block(int peer, const PostLine &line) {
    Link &l = link(peer);
    const uint64_t block = line.elsewhere.block;
    const size_t size = PostBlocks::size_for(line.elsewhere.total);
    PostBlockPool &pool = supplies_.blocks.of_size(size);
    if (block == 0) {
        return; // it is to be used further
    }
    switch (line.where) {
    case PostLine::Where::ring:
        break;
    case PostLine::Where::block_of_sender: {
        const uint32_t bit = uint32_t{1} << l.read % post_lines, others = l.kept & ~bit;
        l.kept = others | (l.out.keep(block, size, pool.keeps()) ? bit : 0);
        l.in->kept.store(l.kept, std::memory_order_relaxed); // `taken` releases it
        break;
    }
    case PostLine::Where::block_of_receiver:
        pool.give_first(block);
        break;
    }
}

void Post::take_letter(int peer, const PostLine &line) {
    const size_t total = line.total();
    if (PostItem *receive = box_.match(peer, line.tag, line.message, total)) {
        claim(link(peer), total);
        begin_arriving(*receive, payload(peer, line), line.bytes);
        return;
    }
    PostParcel &parcel = box_.put_aside(peer, line.tag, line.message, total, false);
    supplies_.kernels.copy(parcel.data(), payload(peer, line), line.bytes);
    parcel.arrived = line.bytes;
}

// It has no weight: its sender waits for nobody.
void Post::take_withheld(int peer, int tag, uint32_t message) {
    if (PostItem *receive = box_.match(peer, tag, message, 0)) {
        box_.lose(*receive, PostItem::Lost::withheld);
    } else {
        box_.put_aside(peer, tag, message, 0, false).is_withheld = true;
    }
}

void Post::take_offer(int peer, const PostLine &line) {
    const char *address = line.elsewhere.address;
    if (PostItem *receive = box_.match(peer, line.tag, line.message, line.total())) {
        accept(*receive, address);
    } else {
        box_.put_aside(peer, line.tag, line.message, line.total(), true).address = address;
    }
}

void Post::take_more(int peer, const PostLine &line) {
    Link &l = link(peer);
    PostItem *receive = l.arriving.find_message(line.message);
    if (!receive) {
        PostParcel &parcel = box_.aside(peer, line.message);
        supplies_.kernels.copy(parcel.data() + parcel.arrived, payload(peer, line), line.bytes);
        parcel.arrived += line.bytes;
        return;
    }
    store(*receive, payload(peer, line), line.bytes);
    if (receive->moved == receive->total) {
        l.arriving.take_message(line.message);
        box_.close(*receive);
    }
}

// --------------------------------------------------------------------------------------------------- messages

void Post::take_parcel(PostItem &receive, PostParcels::iterator parcel) {
    PostBox::assign(receive, parcel->source, parcel->tag, parcel->message, parcel->total);
    if (parcel->is_withheld) {
        box_.drop(parcel);
        box_.lose(receive, PostItem::Lost::withheld);
        return;
    }
    if (parcel->is_offer) {
        const char *address = parcel->address;
        box_.drop(parcel);
        accept(receive, address);
        return;
    }
    claim(link(parcel->source), parcel->total);
    begin_arriving(receive, parcel->data(), parcel->arrived);
    box_.drop(parcel);
}

// Its sender may send as much more without being asked.
void Post::claim(Link &l, size_t bytes) const {
    l.claimed += post_weight(bytes);
    if (l.in) {
        l.in->claimed.store(l.claimed);
    } else {
        l.letters_claimed = l.claimed; // to myself
    }
}

// The first bytes of a letter.
void Post::begin_arriving(PostItem &receive, const char *data, size_t bytes) {
    store(receive, data, bytes);
    if (receive.moved == receive.total) {
        box_.close(receive);
        return;
    }
    receive.state = PostItem::State::arriving;
    link(receive.peer).arriving.push(&receive);
    activate(receive.peer);
}

// Of a message that is too long the rest is dropped.
void Post::store(PostItem &receive, const char *data, size_t bytes) const {
    if (receive.moved < receive.bytes) {
        window_.reading().copy(supplies_.kernels, receive.data + receive.moved, data,
                               std::min(bytes, receive.bytes - receive.moved));
    }
    receive.moved += bytes;
}

// A receive has come to an offer. One that is too long is not sent at all.
void Post::accept(PostItem &receive, const char *address) {
    Link &l = link(receive.peer);
    const bool fits = receive.total <= receive.bytes && !receive.is_refused;
    if (is_self(receive.peer)) {
        if (fits) {
            supplies_.kernels.copy(receive.data, address, receive.total);
        }
        PostItem &send = *l.offered.take_message(receive.message);
        if (receive.is_refused) {
            send.lost = PostItem::Lost::declined;
        }
        box_.close(send);
        box_.close(receive);
        return;
    }
    const bool pays = window_.shares_process(receive.peer) || window_.attached_messages().one_way || is_sending();
    const Fetched fetched = fits && address && pays ? fetch(receive, address) : Fetched::not_at_all;
    if (fetched == Fetched::never) {
        receive.state = PostItem::State::arriving; // for ever: its sender says so in its farewell, or is dead
        l.arriving.push(&receive);
        activate(receive.peer);
        return;
    }
    receive.refuses = !fits || fetched == Fetched::all;
    receive.state = PostItem::State::answering;
    l.answers.push(&receive);
    activate(receive.peer);
    answer(receive.peer);
}

Post::Fetched Post::fetch(const PostItem &receive, const char *address) const {
    if (window_.shares_process(receive.peer)) {
        return copy_from(receive.peer, receive, address) ? Fetched::all : Fetched::never;
    }
    const PostLane &lane = *links_[static_cast<size_t>(receive.peer)].in;
    AttachedRead read(window_.node().member(window_.node_rank(receive.peer)).process.pid);
    read.add(receive.data, address, receive.total);
    const int error = read.finish();
    std::atomic_thread_fence(std::memory_order_acquire); // the kernel's copy comes before the look at `revoked`
    if (error == ESRCH || lane.revoked.load(std::memory_order_seq_cst) != 0) {
        return Fetched::never;
    }
    return error == 0 ? Fetched::all : Fetched::not_at_all;
}

// post_lane.h has the proof that the buffer is still the sender's to give.
bool Post::copy_from(int peer, const PostItem &receive, const char *address) const {
    constexpr size_t piece = Visit::piece; // a sender that takes its buffer back waits for one at most
    PostLane &lane = *links_[static_cast<size_t>(peer)].in;
    bool revoked = false;
    lane.reading.store(1, std::memory_order_seq_cst);
    for (size_t at = 0; at < receive.total && !revoked; at += piece) {
        revoked = lane.revoked.load(std::memory_order_seq_cst) != 0;
        if (!revoked) {
            window_.reading().copy(supplies_.kernels, receive.data + at, address + at,
                                   std::min(piece, receive.total - at));
        }
    }
    lane.reading.store(0, std::memory_order_release);
    return !revoked;
}

} // namespace xcoll
