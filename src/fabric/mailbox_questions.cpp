// Ranks that wait for each other in different calls, without a message between them: who waits for long asks.
#include <algorithm>

#include "fabric/disagreement.h"
#include "fabric/mailbox.h"

namespace xcoll {

const Envelope *Mailbox::answer(const Question &question) {
    const uint64_t operation = question.envelope.operation;
    const Fingerprint &call = question.envelope.call;
    if (is_to_come(operation)) {
        questions_.push_back(question);
        return nullptr;
    }
    if (Alive *alive = find_alive(operation)) {
        if (alive->envelope.call == call) {
            return nullptr;
        }
        take_nothing(question.peer, operation);
        if (!alive->failure) {
            alive->failure = mismatch(operation, rank_, alive->envelope.call, question.peer, call);
            fail_receives(*alive);
        }
        return &alive->envelope;
    }
    const auto ended = std::find_if(ended_.begin(), ended_.end(),
                                    [=](const Envelope &envelope) { return envelope.operation == operation; });
    return ended != ended_.end() && ended->call != call ? &*ended : nullptr;
}

// It may wait until its buffers are free.
void Mailbox::take_nothing(int peer, uint64_t operation) {
    parcel_count_ -= peer_of(peer).parcels.remove_if(
        [=](const Parcel &parcel) { return !parcel.left && parcel.envelope.operation == operation; });
}

void Mailbox::fail_receives(const Alive &alive) {
    for (Peer &peer : peers_) {
        std::erase_if(peer.expected, [&](uint32_t slot) {
            const bool concerned = items_[slot].envelope.operation == alive.envelope.operation;
            if (concerned) {
                close(items_[slot], *alive.failure);
            }
            return concerned;
        });
    }
}

std::vector<Mailbox::Question> Mailbox::take_questions() {
    std::vector<Question> taken;
    std::erase_if(questions_, [&](const Question &question) {
        const bool is_due = !is_to_come(question.envelope.operation);
        if (is_due) {
            taken.push_back(question);
        }
        return is_due;
    });
    return taken;
}

std::vector<Mailbox::Question> Mailbox::overdue() {
    std::vector<Question> questions;
    for (Item &item : items_) {
        if (item.has_ticket && !item.is_torn && is_open(item) && ++item.looks == patient_looks) {
            questions.push_back({item.peer, item.envelope});
        }
    }
    return questions;
}

} // namespace xcoll
