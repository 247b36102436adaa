// One rank's part of a round of random messages: sends and receives in any form, started so that nobody waits for what
// somebody else has yet to start.
#pragma once

#include "letters.h"

namespace letters {

class PostOffice {
public:
    PostOffice(uint64_t number, const Place &place)
        : number_(number), place_(place), own_(values::mix(number * 64 + static_cast<uint64_t>(place.rank))),
          round_(number, place.size), way_(static_cast<Way>(roll(own_, ways))) {
        for (const Letter &letter : round_.letters) {
            if (letter.from == place.rank) {
                add_send(letter);
            }
        }
        add_receives();
    }
    const Place &place() const {
        return place_;
    }
    // All sends are on their way when this waits for a receive.
    void start() {
        const size_t count = sends_.size() + receives_.size();
        requests_.assign(count, XCOLL_REQUEST_NULL);
        switch (way_) {
        case Way::immediate:
            mixed([&](size_t k) { send_by(deeds::Form::immediate, k); },
                  [&](size_t k) { receive_by(deeds::Form::immediate, k); });
            break;
        case Way::persistent:
            mixed([&](size_t k) { send_by(deeds::Form::persistent, k); },
                  [&](size_t k) { receive_by(deeds::Form::persistent, k); });
            ranks::succeed(xcoll_startall(count, requests_.data()));
            break;
        case Way::pairs:
            send_and_receive();
            break;
        case Way::receives_wait:
            for (size_t k = 0; k < sends_.size(); ++k) {
                send_by(deeds::Form::immediate, k);
            }
            for (size_t k = 0; k < receives_.size(); ++k) {
                receive_by(deeds::Form::blocking, k);
            }
            break;
        case Way::group:
            ranks::succeed(xcoll_group_start());
            mixed([&](size_t k) { send_by(deeds::Form::blocking, k); },
                  [&](size_t k) { receive_by(deeds::Form::blocking, k); });
            ranks::succeed(roll(own_, 2) == 0 ? xcoll_group_end() : xcoll_group_iend(&group_));
        }
    }
    void finish() {
        std::vector<xcoll_status_t> statuses(requests_.size());
        ranks::succeed(xcoll_wait(&group_));
        ranks::succeed(xcoll_waitall_status(requests_.size(), requests_.data(), statuses.data()));
        for (size_t k = 0; k < receives_.size(); ++k) {
            const bool told = way_ == Way::immediate || way_ == Way::persistent;
            receives_[k].status = statuses[sends_.size() + k];
            receives_[k].status.source = told ? receives_[k].status.source : XCOLL_UNDEFINED;
        }
        for (xcoll_request_t &request : requests_) {
            ranks::succeed(xcoll_request_free(&request));
        }
        const std::string name = "round " + std::to_string(number_) + " of " + std::to_string(place_.size) +
                                 " ranks, way " + std::to_string(static_cast<int>(way_));
        for (const Send &send : sends_) {
            send.memory.expect(send.content, name + ", send");
        }
        explain(round_, place_.rank, receives_, name);
        ranks::succeed(xcoll_barrier(place_.comm)); // a message of the next round could go to a receive of this one
    }

private:
    enum class Way : int { immediate, persistent, pairs, receives_wait, group };
    static constexpr uint64_t ways = 5;
    struct Send {
        int to, tag;
        Part part;
        Memory memory;
        Bytes content;
    };

    made::Type some_type() {
        return roll(own_, 2) == 0 ? round_.element : made::any_of(own_, round_.element, round_.unit);
    }
    Memory memory_for(const Part &part) {
        return {part.reach(), roll(own_, 2) * roll(own_, 70), roll(own_, 2) == 0 ? place_.comm : XCOLL_COMM_NULL};
    }
    void add_send(const Letter &letter) {
        const Part part = part_of(round_, some_type(), letter.units);
        Send send{letter.to, letter.tag, part, memory_for(part), {}};
        send.memory.clear();
        deeds::put(send.memory.data(), part, content(round_, letter));
        send.content = send.memory.copy();
        sends_.push_back(std::move(send));
    }
    // One for each message. First those of one sender and tag, then those of one of the two, then those of any: a
    // message that one of the first can take never needs one of the others.
    void add_receives() {
        const bool by_source = roll(own_, 2) == 0;
        std::vector<const Letter *> mine;
        size_t most = 0;
        for (const Letter &letter : round_.letters) {
            if (letter.to == place_.rank) {
                mine.push_back(&letter);
                most = std::max(most, letter.units);
            }
        }
        std::shuffle(mine.begin(), mine.end(), own_);
        std::vector<int> openness(mine.size());
        for (size_t k = 0; k < mine.size(); ++k) {
            openness[k] = mine[k]->units == 0 ? 0 : static_cast<int>(roll(own_, 3));
        }
        for (int open = 0; open < 3; ++open) {
            for (size_t k = 0; k < mine.size(); ++k) {
                if (openness[k] == open) {
                    const bool any_source = open == 2 || (open == 1 && !by_source);
                    const bool any_tag = open == 2 || (open == 1 && by_source);
                    add_receive(any_source ? XCOLL_ANY_SOURCE : mine[k]->from, any_tag ? XCOLL_ANY_TAG : mine[k]->tag,
                                most + roll(own_, 3));
                }
            }
        }
    }
    void add_receive(int source, int tag, size_t units) {
        const Part part = part_of(round_, some_type(), units);
        Receive receive{source, tag, part, memory_for(part), {}, {}};
        receive.memory.clear();
        receive.before = receive.memory.copy();
        receives_.push_back(std::move(receive));
    }
    // Sends and receives each in their order, one among the other.
    template <class SendOne, class ReceiveOne> void mixed(SendOne send_one, ReceiveOne receive_one) {
        for (size_t s = 0, r = 0; s < sends_.size() || r < receives_.size();) {
            if (r == receives_.size() || (s < sends_.size() && roll(own_, 2) == 0)) {
                send_one(s++);
            } else {
                receive_one(r++);
            }
        }
    }
    void send_by(deeds::Form form, size_t k) {
        const Send &send = sends_[k];
        ranks::succeed(deeds::call_by({form, place_.comm, &requests_[k]}, FORMS_OF(send), send.memory.data(),
                                      send.part.count, send.part.type.handle, send.to, send.tag));
    }
    void receive_by(deeds::Form form, size_t k) {
        const Receive &receive = receives_[k];
        ranks::succeed(deeds::call_by({form, place_.comm, &requests_[sends_.size() + k]}, FORMS_OF(recv),
                                      static_cast<void *>(receive.memory.data()), receive.part.count,
                                      receive.part.type.handle, receive.source, receive.tag));
    }
    // A pair has one type, so only those go together that have.
    void send_and_receive() {
        for (size_t k = 0; k < std::max(sends_.size(), receives_.size()); ++k) {
            const bool sends = k < sends_.size(), receives = k < receives_.size();
            if (sends && receives && sends_[k].part.type.handle == receives_[k].part.type.handle) {
                const Send &send = sends_[k];
                const Receive &receive = receives_[k];
                ranks::succeed(xcoll_isendrecv(send.memory.data(), send.part.count, send.to, send.tag,
                                               receive.memory.data(), receive.part.count, receive.source, receive.tag,
                                               send.part.type.handle, place_.comm, &requests_[k]));
                continue;
            }
            if (sends) {
                send_by(deeds::Form::immediate, k);
            }
            if (receives) {
                receive_by(deeds::Form::immediate, k);
            }
        }
    }

    uint64_t number_;
    Place place_;
    Dice own_;
    Round round_;
    Way way_;
    std::vector<Send> sends_;
    std::vector<Receive> receives_; // in the order in which they are started
    std::vector<xcoll_request_t> requests_;
    xcoll_request_t group_ = XCOLL_REQUEST_NULL;
};

} // namespace letters
