// Users' messages that begin together, and are waited for one after the other: a group of nothing else, or one that
// blocks. Most are short and over at once, the ones as they are sent, the others as they are there when somebody looks.
//
//     send ... send   note all of them   look, receive ... look, receive   note that they are over
//
// All are under way before any is waited for, and what is sent before what is received: a peer's copy of it begins the
// sooner, and a receive that finds an offer knows whether this rank has to send meanwhile (Post::accept). What is noted
// is noted while the peers' lines are on their way.
#pragma once

#include <optional>
#include <span>
#include <utility>

#include "core/comm.h"
#include "core/message_at_once.h"

namespace xcoll {

class Comm::MessagesAtOnce {
public:
    MessagesAtOnce(Comm &comm, std::span<MessageAtOnce> messages) : comm_(comm), messages_(messages) {
    }
    // To their end. Throws what went wrong with the first of those that failed.
    void run();

private:
    void start();
    void claim_next_lines();
    void note(MessageAtOnce &message);
    void send(MessageAtOnce &message);
    void receive(MessageAtOnce &message);
    bool receive_now(MessageAtOnce &message);
    bool comes_soon(const std::optional<Until> &line);
    void await_all();
    void await(MessageAtOnce &message);
    void end(MessageAtOnce &message, xcoll_result_t result);
    void finish();
    void lose(const Failure &failure);
    UserMessage &steps_of(MessageAtOnce &message) {
        has_steps_ = true;
        return message.steps ? *message.steps : message.steps.emplace(comm_.team_, *message.op);
    }
    Patience patience(bool drives) {
        Patience left = drives ? driving(comm_.patience_) : for_one_rank(comm_.patience_);
        left.spins = std::exchange(has_spun_, false) ? 0 : left.spins;
        return left;
    }

    Comm &comm_;
    const std::span<MessageAtOnce> messages_;
    bool is_noted_ = false;
    bool has_steps_ = false;  // one of them
    bool is_prompt_ = true;   // all that was started is over
    bool has_looked_ = false; // for a line
    bool has_spun_ = false;   // for one that did not come
};

} // namespace xcoll
