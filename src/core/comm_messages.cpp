// Users' messages: as requests, and blocking, where a group of nothing else is run like one. They have no number: they
// are matched by their tags.
#include <new>
#include <optional>
#include <vector>

#include "coll/user_message.h"
#include "core/comm.h"
#include "core/owner.h"
#include "core/starting.h"

namespace xcoll {

struct Comm::Message {
    const Op *op = nullptr;
    Recorded recorded;
    std::optional<UserMessage> steps;
    std::optional<Failure> failure; // of this one alone
};

void Comm::open_post() {
    if (!post_) {
        post_ = std::make_unique<Post>(*window_, *team_.kernels);
        team_.post = post_.get();
    }
}

void Comm::cancel_messages() {
    if (transport_) {
        transport_->cancel_all();
    }
    if (post_) {
        post_->cancel_all();
    }
}

// ---- as requests

void Comm::start_message(Request &request) {
    UserMessage &steps = request.message.emplace(team_, request.what.op);
    try {
        steps.send();
        steps.receive();
    } catch (const Failure &failure) {
        request.failure = failure;
    }
}

// What it waits for moves with all messages (progress_messages()). True if it is done.
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
    return post_ && post_->awaits(peer);
}

void Comm::check_message_peers() {
    const Owner owner(*this);
    if (post_) {
        post_->check_present();
    }
}

// ---- blocking

void Comm::run_message(const Call &call) {
    if (!is_quiet()) {
        run_as_request(call);
        return;
    }
    Message message;
    message.op = &call.op;
    run_messages({&message, 1});
}

bool Comm::try_run_messages(std::span<const Op *const> ops) {
    const Starting starting(*this);
    if (!is_quiet()) {
        return false;
    }
    try {
        std::vector<Message> messages(ops.size());
        for (size_t i = 0; i < ops.size(); ++i) {
            messages[i].op = ops[i];
        }
        run_messages(messages);
        return true;
    } catch (const std::bad_alloc &) { // before any of them began
        const Failure lost = out_of_memory(team_.rank);
        fail_for_good(lost); // peers may wait for them
        throw lost;
    }
}

// All are under way before any is waited for, and what is sent before what is received: a peer's copy of it begins the
// sooner, and a receive that finds an offer knows whether this rank has to send meanwhile (Post::accept).
void Comm::start_messages(std::span<Message> messages) {
    const auto attempt = [](Message &message, auto step) {
        try {
            step();
        } catch (const Failure &failure) {
            if (is_fatal(failure.result())) {
                throw;
            }
            message.failure = failure;
        }
    };
    for (Message &message : messages) {
        attempt(message, [&] { message.steps.emplace(team_, *message.op).send(); });
    }
    for (Message &message : messages) {
        if (!message.failure) {
            attempt(message, [&] { message.steps->receive(); });
        }
    }
}

// The line that it waits for is all there is to look at, unless `others` that are not over can move meanwhile.
void Comm::await_message(Message &message, bool others) {
    UserMessage &steps = *message.steps;
    while (!steps.advance()) {
        const Until obstacle = steps.obstacle();
        const bool drives = steps.needs_drive(obstacle) || (others && !post_->listens_only_to(obstacle.owner));
        wait(obstacle, watcher_, drives ? driving(patience_) : for_one_rank(patience_));
    }
    try {
        steps.finish();
    } catch (const Failure &failure) {
        message.failure = failure;
    }
}

// Throws what went wrong with the first of those that failed, the others being done.
void Comm::run_messages(std::span<Message> messages) {
    open_post();
    for (Message &message : messages) {
        message.recorded = record_message(*message.op);
    }
    const auto lose = [&](const Failure &failure) {
        cancel_messages();
        for (const Message &message : messages) {
            record_end(message.recorded, failure.result());
        }
        fail_for_good(failure);
    };
    try {
        start_messages(messages);
        for (Message &message : messages) {
            if (!message.failure) {
                await_message(message, messages.size() > 1);
            }
        }
    } catch (const Failure &failure) {
        lose(failure);
        throw;
    } catch (const std::bad_alloc &) {
        const Failure failure = out_of_memory(team_.rank);
        lose(failure);
        throw failure;
    }
    const Failure *first = nullptr;
    for (const Message &message : messages) {
        record_end(message.recorded, message.failure ? message.failure->result() : XCOLL_SUCCESS);
        first = !first && message.failure ? &*message.failure : first;
    }
    if (first) {
        throw *first;
    }
}

} // namespace xcoll
