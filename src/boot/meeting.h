// How ranks that know nothing but where to meet become a tree (tree.h).
//
// One of them is the root: everybody calls it, or, with several hosts, one of those who hand on what is said to and by
// the root, and says where it can be reached itself. When all have come, the root tells each where its parent in the
// tree is; each calls its parent and waits for its children, and says that it is seated; when all are, they go on.
// Until then every rank keeps the connection over which it came: a rank that ends or fails is noticed at once, and why
// is told to all. Whoever is called has room for some; later ones are sent on to these, in turn, who then hand on what
// is said like hosts. So nobody needs more descriptors than its process may have, however many ranks there are.
//
//     rank 5 ---join---> host ---join---> root       all have come
//     rank 5 <---seat--- host <---seat--- root       "your parent is rank 2, at 10.0.0.3:4711"
//     rank 5 ---child---> rank 2
//     rank 5 --seated--> host --seated--> root       all are seated
//     rank 5 <----go---- host <----go---- root
//
//     rank 9 <-elsewhere- host                       "ask rank 5, at 10.0.0.4:3210"
//     rank 9 ---join---> rank 5 ---join---> host ---join---> root
#pragma once

#include <list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "boot/caller.h"
#include "boot/lease.h"
#include "boot/reception.h"
#include "boot/roster.h"
#include "boot/tree.h"

namespace xcoll {

struct Invitation {
    Invitation(int its_rank, int its_size, Key its_key) : rank(its_rank), size(its_size), key(std::move(its_key)) {
    }

    int rank, size;
    Key key;                    // by which all know each other
    std::vector<Contact> hosts; // the root first
    // Of this rank, if it is one of the hosts.
    std::vector<Listener> listeners;
    bool is_root = false;
    std::vector<Lease> held;    // while this rank serves,
    std::vector<Lease> watched; // by relatives who do: whether they live
    Caller::Refused refused{};  // may the hosts come later than those who call them?
    std::string interface;      // XCOLL_INTERFACE
    int64_t timeout_ms = -1;    // < 0: none
    std::string advice;         // for people whose ranks do not meet
};

class Meeting {
public:
    explicit Meeting(Invitation invitation);
    // Collective: all ranks get their place, or all that have come get the same Failure.
    Tree run();
    // "10.0.0.3 (eth0)": the interface by which the others reach this rank; known after run().
    const std::string &route() const {
        return route_;
    }

private:
    struct Visitor {
        Link link;
        Contact contact;        // where it can be called itself
        std::vector<int> ranks; // that came over it
    };
    struct Child {
        int rank;
        Link link;
    };

    void step();
    void wait();
    // ---- those who come to us
    bool receives() const;
    void receive_arrivals();
    void receive_join(Link link, const Frame &join);
    void hear_visitors();
    void hear(Visitor &visitor, const Frame &frame);
    void admit(Visitor &visitor, const JoinWord &word);
    // ---- the root
    void assign_seats();
    void tell_latecomers(const EndedWord &word);
    // ---- the others
    void call_host();
    void go_elsewhere(const Contact &contact);
    void hear_host();
    void obey(const Frame &frame);
    [[noreturn]] void fail_unmet(const Failure &failure) const;
    // ---- everybody
    JoinWord introduce(const Address &own);
    void sit_down(const SeatWord &seat);
    void call_parent();
    bool has_all_children() const;
    void say_when_seated();
    void check_time() const;
    Tree take_place();
    std::vector<Link *> visitor_links();
    void tell_all(const EndedWord &word);

    Invitation invitation_;
    const bool is_host_;
    Reception reception_;
    const size_t room_; // for so many visitors
    size_t sent_on_ = 0;
    int64_t patience_end_ms_, deadline_ms_; // the latter may be later for the root's last word
    std::string route_;

    std::optional<Roster> roster_; // of the root
    std::optional<Caller> host_call_, parent_call_;
    Address host_address_{};            // for errors: a connection that is lost does not know it any more
    std::optional<Link> host_, parent_; // of the others
    std::list<Visitor> visitors_;
    std::map<int, Link *> way_to_; // to the ranks that came over them
    std::vector<Child> children_;  // and whoever says that it is one
    std::optional<SeatWord> seat_;
    TreePlace place_{};
    bool assigned_ = false, said_seated_ = false, over_ = false;
};

} // namespace xcoll
