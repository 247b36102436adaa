// Users' messages: as requests, and blocking, where a group of nothing else is run like one. They have no number: they
// are matched by their tags.
#include <cstddef>
#include <memory_resource>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "coll/user_message.h"
#include "core/comm.h"
#include "core/owner.h"
#include "core/starting.h"
#include "fabric/first_look.h"

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
    chronicle_.end(chronicle_.begin_message(op), XCOLL_SUCCESS);
    return true;
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
    if (op.received) {
        *op.received = {status.source, status.tag, status.bytes};
    }
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

// Messages that begin together, and are waited for one after the other.
class Comm::MessagesAtOnce {
public:
    struct Message {
        Message() { // written here, or a list of them would clear all of each first
        }
        const Op *op = nullptr;
        Recorded recorded;
        std::optional<UserMessage> steps; // nothing: it was over at once
        std::optional<Failure> failure;   // of this one alone
    };
    MessagesAtOnce(Comm &comm, std::span<Message> messages) : comm_(comm), messages_(messages) {
        for (Message &message : messages_) {
            message.recorded = comm_.chronicle_.begin_message(*message.op);
        }
    }

    void run() {
        start();
        for (Message &message : messages_) {
            if (message.steps && !message.failure) {
                await(message);
            }
        }
    }
    // All of them have ended. Throws what went wrong with the first of those that failed.
    void finish() {
        const Failure *first = nullptr;
        for (const Message &message : messages_) {
            comm_.chronicle_.end(message.recorded, message.failure ? message.failure->result() : XCOLL_SUCCESS);
            first = !first && message.failure ? &*message.failure : first;
        }
        if (first) {
            throw *first;
        }
    }
    // Their communicator does not survive this.
    void lose(const Failure &failure) {
        comm_.messages_.cancel_all();
        for (const Message &message : messages_) {
            comm_.chronicle_.end(message.recorded, failure.result());
        }
        comm_.fail_for_good(failure);
    }

private:
    // All are under way before any is waited for, and what is sent before what is received: a peer's copy of it begins
    // the sooner, and a receive that finds an offer knows whether this rank has to send meanwhile (Post::accept).
    void start() {
        bool receives = false;
        for (Message &message : messages_) {
            receives = receives || message.op->kind != Kind::send;
            if (message.op->kind != Kind::recv) {
                attempt(message, [&] { send(message); });
            }
        }
        if (receives && is_prompt_) {
            claim_next_lines();
        }
        for (Message &message : messages_) {
            if (message.op->kind != Kind::send && !message.failure) {
                attempt(message, [&] { receive(message); });
            }
        }
    }
    void send(Message &message) {
        if (!comm_.sends_now(*message.op)) {
            const bool was_prompt = std::exchange(is_prompt_, false); // which it stays if that throws
            steps_of(message).send();
            is_prompt_ = was_prompt && message.steps->is_over();
        }
    }
    // Whoever exchanges something now will most likely do so again.
    void claim_next_lines() {
        for (const Message &message : messages_) {
            if (message.op->kind != Kind::recv && message.op->to != no_rank) {
                comm_.team_.post->claim_next_line(message.op->to);
            }
        }
    }
    // What comes soon, and in this order, needs nothing but its line, as long as nothing else has to move.
    void receive(Message &message) {
        const Op &op = *message.op;
        if (op.from != no_rank) {
            is_prompt_ = is_prompt_ && comes_soon(comm_.team_.post->next_line(op.from)) && receive_now(message);
        }
        if (op.from == no_rank || !is_prompt_) {
            steps_of(message).receive();
        }
    }
    bool receive_now(Message &message) {
        return message.steps || message.op->in ? steps_of(message).receive_now() : comm_.receives_now(*message.op);
    }
    UserMessage &steps_of(Message &message) const {
        return message.steps ? *message.steps : message.steps.emplace(comm_.team_, *message.op);
    }
    // What peers send to each other they send at the same time (fabric/first_look.h), so one look waits for what was
    // loaded before. On a Zen 5 exchanges of 8 bytes take 1.15 times as long without.
    bool comes_soon(const std::optional<Until> &line) {
        if (!line) {
            return false;
        }
        if (!has_looked_) {
            finish_loads();
            has_looked_ = true;
        }
        has_spun_ = !spin(*line, for_one_rank(comm_.patience_).spins);
        return !has_spun_;
    }
    template <class Step> static void attempt(Message &message, Step step) {
        try {
            step();
        } catch (const Failure &failure) {
            if (is_fatal(failure.result())) {
                throw;
            }
            message.failure = failure;
        }
    }
    // The line that it waits for is all there is to look at, unless others that are not over can move meanwhile.
    void await(Message &message) {
        UserMessage &steps = *message.steps;
        const bool others = messages_.size() > 1;
        while (!steps.advance()) {
            const Until obstacle = steps.obstacle();
            const bool drives =
                steps.needs_drive(obstacle) || (others && !comm_.messages_.listens_only_to(obstacle.owner));
            wait(obstacle, comm_.watcher_, patience(drives));
        }
        try {
            steps.finish();
        } catch (const Failure &failure) {
            message.failure = failure;
        }
    }

    Patience patience(bool drives) {
        Patience left = drives ? driving(comm_.patience_) : for_one_rank(comm_.patience_);
        left.spins = std::exchange(has_spun_, false) ? 0 : left.spins;
        return left;
    }

    Comm &comm_;
    const std::span<Message> messages_;
    bool is_prompt_ = true;   // all that was started is over
    bool has_looked_ = false; // for a line
    bool has_spun_ = false;   // for one that did not come
};

void Comm::run_messages(MessagesAtOnce &messages) {
    try {
        messages.run();
    } catch (const Failure &failure) {
        messages.lose(failure);
        throw;
    } catch (const std::bad_alloc &) {
        const Failure failure = out_of_memory(team_.rank);
        messages.lose(failure);
        throw failure;
    }
    messages.finish();
}

void Comm::run_message(const Call &call) {
    if (call.op.kind == Kind::send && try_send(call.op)) {
        return;
    }
    if (!is_quiet()) {
        run_as_request(call);
        return;
    }
    open_post();
    MessagesAtOnce::Message message;
    message.op = &call.op;
    MessagesAtOnce messages(*this, {&message, 1});
    run_messages(messages);
}

bool Comm::try_run_messages(std::span<const Op *const> ops) {
    const Starting starting(*this);
    if (!is_quiet()) {
        return false;
    }
    try {
        constexpr size_t few = 8; // need no memory but that of this call
        alignas(MessagesAtOnce::Message) std::byte room[few * sizeof(MessagesAtOnce::Message)];
        std::pmr::monotonic_buffer_resource memory(room, sizeof room);
        std::pmr::vector<MessagesAtOnce::Message> each(ops.size(), &memory);
        for (size_t i = 0; i < ops.size(); ++i) {
            each[i].op = ops[i];
        }
        open_post();
        MessagesAtOnce messages(*this, each);
        run_messages(messages);
        return true;
    } catch (const std::bad_alloc &) { // before any of them began
        const Failure lost = out_of_memory(team_.rank);
        fail_for_good(lost); // peers may wait for them
        throw lost;
    }
}

} // namespace xcoll
