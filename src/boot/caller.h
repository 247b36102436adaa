// Calls a rank at all of its addresses, one after the other and, where one does not answer at once, side by side. The
// first at which somebody proves to know the secret is it. Never blocks.
#pragma once

#include <list>
#include <optional>
#include <string>

#include "boot/link.h"
#include "xcoll.h"

namespace xcoll {

class Caller {
public:
    // Whoever is refused everywhere fails, unless nobody need listen yet: then it calls again.
    enum class Refused { is_final, comes_later };
    Caller(const Contact &contact, const Key &key, Refused refused);

    // The link once it stands. Throws Failure when no address is left; the message names them all.
    std::optional<Link> step();
    void add_entries(std::vector<pollfd> &entries);
    // "10.0.0.1:4711 (connected, but there was no answer yet)" for each address.
    std::string state() const;
    // When step() has something to do though nothing arrived.
    int64_t next_ms() const;

private:
    struct Attempt {
        size_t address;
        Descriptor socket; // until it is connected
        std::optional<Link> link;
    };
    void begin_next();
    bool begin(Attempt &attempt);
    // False once it has failed.
    bool go_on(Attempt &attempt);
    void note(size_t address, const std::string &what) {
        notes_[address] = what;
    }
    [[noreturn]] void fail_everywhere() const;

    Contact contact_;
    Key key_;
    Refused refused_;
    size_t next_ = 0;        // address to be tried
    int64_t next_at_ms_ = 0; // at this time,
    bool again_ = false;     // because the last round can be repeated
    xcoll_result_t result_ = XCOLL_ERR_BOOTSTRAP;
    std::list<Attempt> attempts_;
    std::string notes_[Contact::most_addresses];
};

} // namespace xcoll
