// All that goes in messages on a communicator: those of algorithms over a Transport, where they need one, and those of
// users over a Post, which is made when the first of them comes. With the owner word, or when nothing is in flight.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "fabric/post.h"
#include "fabric/transport.h"

namespace xcoll {

class Messages {
public:
    explicit Messages(std::unique_ptr<Transport> transport) : transport_(std::move(transport)) {
    }
    Transport *transport() {
        return transport_.get();
    }
    Post &open_post(Window &window, const Kernels &kernels) {
        if (!post_) {
            post_ = std::make_unique<Post>(window, kernels);
        }
        return *post_;
    }

    bool progress() {
        const bool moved = transport_ && transport_->progress();
        return (post_ && post_->in_flight() > 0 && post_->progress()) || moved;
    }
    // False at once if there is nothing to sleep for.
    bool sleep(const Until &until, int64_t nanoseconds) {
        return (transport_ && transport_->sleep(until, nanoseconds)) || (post_ && post_->sleep(until, nanoseconds));
    }
    void cancel_all() {
        if (transport_) {
            transport_->cancel_all();
        }
        if (post_) {
            post_->cancel_all();
        }
    }
    // Before what they go over goes away.
    void close() {
        transport_.reset();
        post_.reset();
    }

    // ---- of users (fabric/post.h)
    bool has_news() {
        return post_ && (post_->has_over() || post_->has_news());
    }
    PostWatch *next_over() {
        return post_ ? post_->next_over() : nullptr;
    }
    bool listens_only_to(int peer) const {
        return post_->listens_only_to(peer);
    }
    bool awaits(int peer) {
        return post_ && post_->awaits(peer);
    }
    void check_present() {
        if (post_) {
            post_->check_present();
        }
    }
    size_t refused() const {
        return post_ ? post_->refused() : 0;
    }
    std::optional<Post::Delay> delay(const Op *op) const {
        return post_ ? post_->delay(op) : std::nullopt;
    }

private:
    std::unique_ptr<Transport> transport_;
    std::unique_ptr<Post> post_;
};

} // namespace xcoll
