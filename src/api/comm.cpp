// The life of communicators, and questions about them.
#include "api/config.h"
#include "api/handle.h"
#include "core/thread_group.h"

using namespace xcoll::api;
using xcoll::fail;

namespace {

// Calls ask(comm) for a value and hands it out.
template <class T, class Ask>
xcoll_result_t query(const char *function, xcoll_comm_t comm, T *value, const char *name, Ask ask) noexcept {
    return guarded(function, [&] { out(value, name) = ask(checked(comm)); });
}

// Hands out what make() returns; *comm is NULL after an error.
template <class Make>
xcoll_result_t create(const char *function, xcoll_comm_t *comm, const char *name, Make make) noexcept {
    return guarded(function, [&] {
        xcoll_comm_t &handle = out(comm, name);
        handle = XCOLL_COMM_NULL;
        check_may_wait();
        handle = handle_of(make().release());
    });
}

// The same from a communicator, as wish(parent) has it. If this rank's arguments are refused, the ranks that have
// called it too are told.
template <class Wish, class Make>
xcoll_result_t derive(const char *function, xcoll_comm_t parent, xcoll_comm_t *comm, Wish wish, Make make) noexcept {
    return guarded(function, [&] {
        xcoll::Comm &from = checked(parent);
        xcoll::check_outside_operators();
        xcoll::check_outside_callback(from);
        xcoll::Wishes wishes;
        try {
            out(comm, "out") = XCOLL_COMM_NULL;
            wishes = wish(from);
        } catch (...) {
            from.refuse();
            throw;
        }
        *comm = handle_of(make(from, wishes).release());
    });
}

// A communicator over the job, as wish() has it. Here, too, the ranks that have called it are told if it is refused.
template <class Wish> xcoll_result_t initialize(const char *function, xcoll_comm_t *world, Wish wish) noexcept {
    return guarded(function, [&] {
        check_may_wait();
        xcoll::Wishes wishes;
        try {
            out(world, "world") = XCOLL_COMM_NULL;
            wishes = wish();
        } catch (...) {
            xcoll::refuse_world();
            throw;
        }
        *world = handle_of(xcoll::world(wishes).release());
    });
}

void check_color(int color) {
    if (color < 0 && color != XCOLL_UNDEFINED) {
        fail(XCOLL_ERR_ARGUMENT, "color is %d: expected 0 or more, or XCOLL_UNDEFINED", color);
    }
}

int ranks_here_below(const xcoll::Comm &comm, int rank) {
    int count = 0;
    for (int r = 0; r < rank; ++r) {
        count += comm.membership().peers[static_cast<size_t>(r)].node_rank >= 0;
    }
    return count;
}

xcoll::Comm &unused_by_group(xcoll::Comm &comm) {
    if (const xcoll::Group *group = xcoll::current_group(); group && group->uses(comm)) {
        fail(XCOLL_ERR_STATE, "comm has calls in the group that this thread has open: end or cancel the group first");
    }
    return comm;
}

} // namespace

extern "C" {

xcoll_result_t xcoll_init(xcoll_comm_t *world) {
    return initialize(__func__, world, [] { return wishes_of(nullptr); });
}

xcoll_result_t xcoll_init_config(const xcoll_comm_config_t *config, xcoll_comm_t *world) {
    return initialize(__func__, world, [config] {
        const xcoll_comm_config_t c = read_config(config);
        return wishes_of(&c);
    });
}

xcoll_result_t xcoll_finalize(void) {
    return guarded(__func__, [] {
        check_not_forked();
        if (!xcoll::release_world()) {
            fail(XCOLL_ERR_STATE, "there is no xcoll_init that this call would give back");
        }
    });
}

xcoll_result_t xcoll_get_unique_id(xcoll_unique_id_t *id) {
    return guarded(__func__, [&] {
        out(id, "id");
        check_not_forked();
        *id = xcoll::process().own_ids().make(wishes_of(nullptr).settings.interface);
    });
}

xcoll_result_t xcoll_comm_create(const xcoll_comm_config_t *config, xcoll_comm_t *comm) {
    return create(__func__, comm, "comm", [&] {
        const xcoll_comm_config_t c = read_config(config);
        if (c.size < 1 || c.rank < 0 || c.rank >= c.size) {
            fail(XCOLL_ERR_ARGUMENT, "config.rank %d of config.size %d: expected 0 <= rank < size", c.rank, c.size);
        }
        check_way_to_peers(c);
        if (c.ids) {
            return xcoll::connect_by_ids({c.ids, c.id_count}, c.rank, c.size, wishes_of(&c));
        }
        const xcoll::OutsideGroup outside; // for what that function calls
        if (c.size == 1) {
            return xcoll::connect(*xcoll::boot_alone(), wishes_of(&c));
        }
        const auto boot = xcoll::boot_callback(c.rank, c.size, c.allgather, c.allgather_context);
        xcoll::check_places(*boot);
        return xcoll::connect(*boot, wishes_of(&c));
    });
}

xcoll_result_t xcoll_comm_create_threads(int size, xcoll_comm_t comms[]) {
    return guarded(__func__, [&] {
        out(comms, "comms");
        check_may_wait();
        // As many ranks as the kernel lets a process have threads by default would not fit the address space.
        constexpr int most = 4096;
        if (size < 1 || size > most) {
            fail(XCOLL_ERR_ARGUMENT, "size is %d: expected 1 to %d ranks", size, most);
        }
        auto made = xcoll::connect_thread_ranks(size, wishes_of(nullptr));
        for (int i = 0; i < size; ++i) {
            comms[i] = handle_of(made[static_cast<size_t>(i)].release());
        }
    });
}

xcoll_result_t xcoll_comm_split_config(xcoll_comm_t comm, int color, int key, const xcoll_comm_config_t *config,
                                       xcoll_comm_t *out) {
    const auto wish = [&](const xcoll::Comm &parent) {
        check_color(color);
        if (!config) {
            return xcoll::inherited(parent);
        }
        const xcoll_comm_config_t c = read_config(config);
        xcoll::Wishes wishes = wishes_of(&c);
        const xcoll::Settings &settings = wishes.settings;
        xcoll::process().traces().open(settings.trace, parent.team().rank, settings.trace_events);
        return wishes;
    };
    return derive(__func__, comm, out, wish, [&](xcoll::Comm &parent, const xcoll::Wishes &wishes) {
        return xcoll::split(parent, color, key, wishes);
    });
}

xcoll_result_t xcoll_comm_split(xcoll_comm_t comm, int color, int key, xcoll_comm_t *out) {
    const auto wish = [&](const xcoll::Comm &parent) {
        check_color(color);
        return xcoll::inherited(parent);
    };
    return derive(__func__, comm, out, wish, [&](xcoll::Comm &parent, const xcoll::Wishes &wishes) {
        return xcoll::split(parent, color, key, wishes);
    });
}

xcoll_result_t xcoll_comm_dup(xcoll_comm_t comm, xcoll_comm_t *out) {
    return derive(__func__, comm, out, xcoll::inherited, xcoll::dup);
}

xcoll_result_t xcoll_comm_free(xcoll_comm_t *comm) {
    return guarded(__func__, [&] {
        xcoll_comm_t &handle = handle_at(comm, "comm");
        if (handle == XCOLL_COMM_NULL) {
            return;
        }
        // A child of fork has the object but not the memory that it would tidy up.
        if (!xcoll::process().forked()) {
            xcoll::Comm &used = unused_by_group(checked(handle));
            xcoll::check_outside_callback(used);
            delete &used;
        }
        handle = XCOLL_COMM_NULL;
    });
}

xcoll_result_t xcoll_comm_rank(xcoll_comm_t comm, int *rank) {
    return query(__func__, comm, rank, "rank", [](const xcoll::Comm &c) { return c.team().rank; });
}

xcoll_result_t xcoll_comm_size(xcoll_comm_t comm, int *size) {
    return query(__func__, comm, size, "size", [](const xcoll::Comm &c) { return c.team().size; });
}

xcoll_result_t xcoll_comm_local_rank(xcoll_comm_t comm, int *rank) {
    return query(__func__, comm, rank, "rank", [](const xcoll::Comm &c) { return ranks_here_below(c, c.team().rank); });
}

xcoll_result_t xcoll_comm_local_size(xcoll_comm_t comm, int *size) {
    return query(__func__, comm, size, "size", [](const xcoll::Comm &c) { return ranks_here_below(c, c.team().size); });
}

xcoll_result_t xcoll_comm_abort(xcoll_comm_t comm, const char *reason) {
    return guarded(__func__, [&] {
        xcoll::Comm &doomed = checked(comm);
        xcoll::check_outside_operators();
        doomed.abort(reason ? reason : "no reason given");
    });
}

xcoll_result_t xcoll_comm_get_async_error(xcoll_comm_t comm, xcoll_result_t *error) {
    return query(__func__, comm, error, "error", [](const xcoll::Comm &c) { return c.trouble(); });
}

xcoll_result_t xcoll_comm_set_timeout(xcoll_comm_t comm, int64_t milliseconds) {
    return guarded(__func__, [&] {
        if (milliseconds == 0) {
            fail(XCOLL_ERR_ARGUMENT, "milliseconds is 0: expected a time, or a negative number for no limit");
        }
        checked(comm).watcher().set_timeout(milliseconds);
    });
}

xcoll_result_t xcoll_comm_sequence(xcoll_comm_t comm, uint64_t *number) {
    return query(__func__, comm, number, "number", [](const xcoll::Comm &c) { return c.sequence(); });
}
}
