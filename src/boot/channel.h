// What two ranks say to each other over a stream of bytes, from the first byte on: three greetings by which each proves
// that it knows the job's secret, then frames, each with a tag that only the two can make. Knows no socket.
//
//     caller                                   listener
//       | Greeting: its nonce                      |
//       |----------------------------------------->|
//       |      Answer: nonce, proof over both      |      whoever calls learns nothing that it could use
//       |<-----------------------------------------|      elsewhere: proofs hold for these two nonces alone
//       | Proof over both                          |
//       |----------------------------------------->|
//       | frames  <----------------------------->  |      tags count: a frame said twice is not one
//
// Secrets are not encrypted, and neither is what follows: who listens learns addresses, who interferes is noticed.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "boot/key.h"

namespace xcoll {

enum class FrameKind : uint32_t {
    join = 1,  // to the root: I am this rank, and here I can be reached
    elsewhere, // from a host without room: ask the rank there
    seat,      // from the root: your parent in the tree can be reached there
    seated,    // to the root: I am connected to my parent and my children
    go,        // from the root: so are all
    child,     // to a parent in the tree: I am this rank
    block,     // between the two: a part of what is gathered
    ended,     // to anybody: it has failed; why
};

struct Frame {
    FrameKind kind;
    std::vector<uint8_t> body;
};

class Channel {
public:
    enum class Role { caller, listener };
    enum class State {
        greeting,
        open,
        // The other side...
        no_rank,       // ... says something else than a rank would
        other_version, // ... is a rank with another version of this protocol
        wrong_secret,  // ... cannot prove that it knows the secret
        forged,        // ... was interrupted by somebody
    };
    static constexpr size_t frame_limit = 64 * 1024; // bytes of a body

    Channel(Role role, const Key &key);
    State state() const {
        return state_;
    }
    bool failed() const {
        return state_ > State::open;
    }

    // Bytes that have arrived, in any portions. After a failure they are dropped.
    void receive(const uint8_t *data, size_t bytes);
    // The next frame that is whole: false if there is none.
    bool take(Frame &frame);
    // Once open. At most frame_limit bytes.
    void send(FrameKind kind, const void *body, size_t bytes);
    // What must go to the other side, oldest first; the user takes it from the front.
    std::vector<uint8_t> &outgoing() {
        return outgoing_;
    }

private:
    using Nonce = Hash;
    struct Header {
        FrameKind kind;
        uint32_t bytes;
    };
    size_t wanted() const;
    void take_greeting(const uint8_t *bytes);
    void take_answer(const uint8_t *bytes);
    void take_proof(const uint8_t *bytes);
    void take_frame(const uint8_t *bytes);
    void say(const void *data, size_t bytes);
    Hash proof(Role of) const;
    Hash tag(Role from, uint64_t number, const Header &header, const void *body) const;
    void open();

    Role role_;
    State state_ = State::greeting;
    bool greeted_ = false; // as the listener: the caller's nonce has come
    Key key_;              // of the job; once open, of this connection
    Nonce mine_, theirs_{};
    std::vector<uint8_t> arriving_; // the beginning of what comes next
    std::vector<uint8_t> outgoing_;
    std::deque<Frame> frames_;
    uint64_t sent_ = 0, received_ = 0; // frames
};

} // namespace xcoll
