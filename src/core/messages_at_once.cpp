#include "core/messages_at_once.h"

#include <new>

#include "fabric/first_look.h"

namespace xcoll {

namespace {

template <class Step> void attempt(MessageAtOnce &message, Step step) {
    try {
        step();
    } catch (const Failure &failure) {
        if (is_fatal(failure.result())) {
            throw;
        }
        message.failure = failure;
    }
}

} // namespace

void Comm::MessagesAtOnce::run() {
    try {
        start();
        if (has_steps_) {
            await_all();
        }
    } catch (const Failure &failure) {
        lose(failure);
        throw;
    } catch (const std::bad_alloc &) {
        const Failure failure = out_of_memory(comm_.team_.rank);
        lose(failure);
        throw failure;
    }
    finish();
}

inline void Comm::MessagesAtOnce::start() {
    bool sends = false, receives = false;
    for (MessageAtOnce &message : messages_) {
        receives = receives || message.op->kind != Kind::send;
        if (message.op->kind != Kind::recv) {
            sends = true;
            attempt(message, [&] { send(message); });
        }
    }
    if (sends && receives && is_prompt_) {
        claim_next_lines();
    }
    for (MessageAtOnce &message : messages_) {
        note(message);
    }
    is_noted_ = true;
    for (MessageAtOnce &message : messages_) {
        if (message.op->kind != Kind::send && !message.failure) {
            attempt(message, [&] { receive(message); });
        }
    }
}

// Whoever exchanges something now will most likely do so again.
inline void Comm::MessagesAtOnce::claim_next_lines() {
    for (const MessageAtOnce &message : messages_) {
        if (message.op->kind != Kind::recv && message.op->to != no_rank) {
            comm_.team_.post->claim_next_line(message.op->to);
        }
    }
}

inline void Comm::MessagesAtOnce::note(MessageAtOnce &message) {
    message.is_open = message.op->kind != Kind::send || message.steps || message.failure;
    if (message.is_open) {
        message.recorded = comm_.chronicle_.begin_message(*message.op);
    } else {
        comm_.chronicle_.note_message(*message.op);
    }
}

inline void Comm::MessagesAtOnce::send(MessageAtOnce &message) {
    if (message.op->to != no_rank && !comm_.sends_now(*message.op)) {
        const bool was_prompt = std::exchange(is_prompt_, false); // which it stays if that throws
        steps_of(message).send();
        is_prompt_ = was_prompt && message.steps->is_over();
    }
}

// What comes soon, and in this order, needs nothing but its line, as long as nothing else has to move.
inline void Comm::MessagesAtOnce::receive(MessageAtOnce &message) {
    const Op &op = *message.op;
    if (op.from == no_rank && !message.steps) {
        report_received(op, nothing_received);
        return;
    }
    if (op.from != no_rank) {
        is_prompt_ = is_prompt_ && comes_soon(comm_.team_.post->next_line(op.from)) && receive_now(message);
    }
    if (!is_prompt_) {
        steps_of(message).receive();
    }
}

inline bool Comm::MessagesAtOnce::receive_now(MessageAtOnce &message) {
    const Op &op = *message.op;
    if (message.steps || op.in) {
        return steps_of(message).receive_now();
    }
    Post::Status status;
    const bool is_received = comm_.team_.post->recv_next(op.from, op.recv_tag, op.recv, op.room, status);
    if (is_received) {
        report_received(op, status);
    }
    return is_received;
}

// What peers send to each other they send at the same time (fabric/first_look.h), so one look waits for what was loaded
// before. On a Zen 5 exchanges of 8 bytes take 1.15 times as long without.
inline bool Comm::MessagesAtOnce::comes_soon(const std::optional<Until> &line) {
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

void Comm::MessagesAtOnce::await_all() {
    for (MessageAtOnce &message : messages_) {
        if (message.steps && !message.failure) {
            await(message);
        }
    }
}

// The line that it waits for is all there is to look at, unless others that are not over can move meanwhile.
void Comm::MessagesAtOnce::await(MessageAtOnce &message) {
    UserMessage &steps = *message.steps;
    const bool others = messages_.size() > 1;
    while (!steps.advance()) {
        const Until obstacle = steps.obstacle();
        const bool drives = steps.needs_drive(obstacle) || (others && !comm_.messages_.listens_only_to(obstacle.owner));
        wait(obstacle, comm_.watcher_, patience(drives));
    }
    attempt(message, [&] { steps.finish(); });
}

inline void Comm::MessagesAtOnce::end(MessageAtOnce &message, xcoll_result_t result) {
    comm_.chronicle_.end(message.recorded, result);
    message.steps.reset();
}

inline void Comm::MessagesAtOnce::finish() {
    std::optional<Failure> first;
    for (MessageAtOnce &message : messages_) {
        if (message.is_open) {
            end(message, message.failure ? message.failure->result() : XCOLL_SUCCESS);
        }
        if (message.failure) [[unlikely]] {
            first = first ? first : message.failure;
            message.failure.reset();
        }
    }
    if (first) {
        throw *first;
    }
}

// Their communicator does not survive this.
void Comm::MessagesAtOnce::lose(const Failure &failure) {
    comm_.messages_.cancel_all();
    for (MessageAtOnce &message : messages_) {
        if (!is_noted_) { // whatever became of it
            message.recorded = comm_.chronicle_.begin_message(*message.op);
            message.is_open = true;
        }
        if (message.is_open) {
            end(message, failure.result());
        }
        message.failure.reset();
    }
    comm_.fail_for_good(failure);
}

} // namespace xcoll
