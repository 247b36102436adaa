// Jobs whose ranks meet over TCP, with unique ids.
#include "boot/network.h"

#include <algorithm>

#include "base/error.h"
#include "boot/gathering.h"
#include "boot/unique_id.h"

namespace xcoll {

namespace {

// Of all lengths by which a rank takes memory, the only one that does not come from an authenticated message.
constexpr int most_ranks = 65536;

class NetworkBootstrap : public GatheringBootstrap {
public:
    NetworkBootstrap(Tree tree, int64_t timeout_ms, std::string how)
        : tree_(std::move(tree)), timeout_ms_(timeout_ms), how_(std::move(how)) {
    }
    int rank() const override {
        return tree_.rank();
    }
    int size() const override {
        return tree_.size();
    }
    std::string how() const override {
        return how_;
    }
    void allgather(const void *send, void *recv, size_t bytes) override {
        tree_.allgather(send, recv, bytes, timeout_ms_);
    }

private:
    Tree tree_;
    const int64_t timeout_ms_;
    const std::string how_;
};

Key key_of(const std::vector<UniqueId> &ids, const Crypto &crypto) {
    std::vector<xcoll_bytes> secrets;
    for (const UniqueId &id : ids) {
        secrets.push_back({id.secret.data(), id.secret.size()});
    }
    const Secret<Hash> all{crypto.hash(secrets)};
    return Key(crypto, all);
}

} // namespace

std::unique_ptr<Bootstrap> boot_meeting(Invitation invitation, const std::string &place) {
    if (invitation.size > most_ranks) {
        fail(XCOLL_ERR_ARGUMENT, "size is %d: this version starts at most %d ranks", invitation.size, most_ranks);
    }
    const int64_t timeout_ms = invitation.timeout_ms;
    Meeting meeting(std::move(invitation));
    Tree tree = meeting.run();
    return std::make_unique<NetworkBootstrap>(std::move(tree), timeout_ms, place + " from " + meeting.route());
}

std::unique_ptr<Bootstrap> boot_ids(OwnIds &own, Cryptos &cryptos, std::span<const xcoll_unique_id_t> ids, int rank,
                                    int size, const Settings &settings) {
    std::vector<UniqueId> contents;
    for (size_t i = 0; i < ids.size(); ++i) {
        contents.push_back(read_id(ids[i], format("config.ids[%zu]", i)));
    }
    Invitation invitation(rank, size, key_of(contents, cryptos.get(settings)));
    invitation.refused = Caller::Refused::is_final;
    invitation.interface = settings.interface;
    invitation.timeout_ms = settings.timeout_ms;
    invitation.advice =
        "All ranks need the same ids, in the same order and not used before, and each process that made "
        "one, or its child, must call xcoll_comm_create too";
    for (const UniqueId &id : contents) {
        invitation.hosts.push_back(id.contact);
    }
    for (size_t i = 0; i < ids.size(); ++i) {
        if (auto claim = own.claim(ids[i])) {
            auto &leases = claim->listener ? invitation.held : invitation.watched;
            leases.push_back(std::move(claim->lease));
            if (claim->listener) {
                invitation.listeners.push_back(std::move(*claim->listener));
            }
            invitation.is_root = invitation.is_root || (claim->listener && i == 0);
        }
    }
    return size == 1 ? boot_alone() : boot_meeting(std::move(invitation), "unique id");
}

} // namespace xcoll
