// Users' messages: as requests, and blocking, where a group of nothing else is run like one. They have no number: they
// are matched by their tags.
#include <optional>

#include "coll/user_message.h"
#include "core/comm.h"
#include "core/messages_at_once.h"
#include "core/owner.h"
#include "core/starting.h"

namespace xcoll {

// Without shared memory no message is accepted but to and from nobody, for which nothing is needed.
void Comm::open_post() {
    if (window_) {
        team_.post = &messages_.open_post(*window_, *team_.kernels);
    }
}

// ---- as requests

void Comm::start_message(Request &request, Sends sends) {
    UserMessage &steps = request.message.emplace(team_, request.what.op);
    try {
        if (sends == Sends::yes) {
            steps.send();
        }
        steps.receive();
    } catch (const Failure &failure) {
        request.failure = failure;
    }
}

// From now on it says itself when it is over, unless it is already.
void Comm::watch_message(Request &request) {
    if (request.message && !request.failure && !request.message->is_over()) {
        in_flight_.pay(Attention::watched, request);
        request.message->watch(request);
    }
}

namespace {
// As far as the call itself tells.
bool may_go_at_once(const Op &op) {
    return op.kind != Kind::recv && !op.out && op.to != no_rank;
}
} // namespace

// Most short ones: there is nothing to put in flight. On a Xeon two sends and two receives of 8 bytes there and back,
// as requests, take 0.64 us like this, and 0.74 if each send is a request of its own.
bool Comm::try_send(const Op &op) {
    if (!may_go_at_once(op)) {
        return false;
    }
    const Starting starting(*this);
    const Owner owner(*this);
    if (trouble_.is_there() || turns_.behind() != 0 || !sends_now(op)) {
        return false;
    }
    claim_if_exchanged(op);
    chronicle_.note_message(op);
    return true;
}

// A send that is over. Who waits for messages as well most likely exchanges some, and will do so again.
void Comm::claim_if_exchanged(const Op &send) {
    if (in_flight_.first_deferred()) {
        team_.post->claim_next_line(send.to);
    }
}

// With the owner word, if anything is in flight.
bool Comm::sends_now(const Op &op) {
    if (!may_go_at_once(op) || !team_.post) {
        return false;
    }
    try {
        return team_.post->send_now(op.to, op.tag, op.send, op.sent);
    } catch (...) {
        return false; // whoever starts it in another way meets the same again
    }
}

// The same of a receive whose bytes lie together, if the next line of its source is there, of which there may be none.
bool Comm::receives_now(const Op &op) {
    Post::Status status;
    if (!team_.post->recv_now(op.from, op.recv_tag, op.recv, op.room, status)) {
        return false;
    }
    report_received(op, status);
    return true;
}

// What it waits for moves with all messages (core/messages.h). True if it is done.
bool Comm::finish_message(Request &request) {
    if (!request.failure && !request.message->is_over()) {
        return false;
    }
    if (!request.failure) {
        request.message->finish();
    }
    return true;
}

bool Comm::awaits_message(int peer) {
    const Owner owner(*this);
    return messages_.awaits(peer);
}

void Comm::check_message_peers() {
    const Owner owner(*this);
    messages_.check_present();
}

// ---- blocking

void Comm::run_message(const Call &call) {
    if (call.op.kind == Kind::send && try_send(call.op)) {
        return;
    }
    if (!is_quiet()) {
        run_as_request(call);
        return;
    }
    open_post();
    MessageAtOnce message;
    message.op = &call.op;
    MessagesAtOnce(*this, {&message, 1}).run();
}

bool Comm::try_run_messages(std::span<MessageAtOnce> messages) {
    const Starting starting(*this);
    if (!is_quiet()) {
        return false;
    }
    open_post();
    MessagesAtOnce(*this, messages).run();
    return true;
}

} // namespace xcoll
