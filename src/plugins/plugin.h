/*
 * What the library and its plug-ins say to each other.
 *
 * A plug-in is a shared object that exports one function, which gives a table of functions. It is opened when it is
 * first useful, and never unloaded. C types only, no exception crosses, and neither side prints. The two are built
 * together: tables of another XCOLL_PLUGIN_ABI or another version of the library are refused.
 */
#ifndef XCOLL_PLUGIN_H
#define XCOLL_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#include "xcoll.h"

#ifdef __cplusplus
extern "C" {
#endif

#define XCOLL_PLUGIN_ABI 1u
/* The build that a table belongs to. */
#define XCOLL_PLUGIN_VERSION (XCOLL_VERSION_MAJOR * 1000000u + XCOLL_VERSION_MINOR * 1000u + XCOLL_VERSION_PATCH)

/* Every table begins with it. */
struct xcoll_plugin_head {
    uint32_t abi, version;
};
typedef const struct xcoll_plugin_head *(*xcoll_plugin_fn)(void);

/* ---- Messages between machines: opened when the ranks of a job turn out to be on several. The library calls a
 * network's functions from one thread at a time, under its own lock. The plug-in calls back only from inside such a
 * call, and never from `send`, `fetch`, `drop` and `reach`. */
#define XCOLL_PLUGIN_NETWORK_SYMBOL "xcoll_plugin_network"

/* What travels in front of every message, for the library to read; it fits into every network's header. */
#define XCOLL_NETWORK_HEADER_BYTES 64u

/* The library's side. `context` is what was given to `open`, `token` what was given to `send` or `fetch`. */
struct xcoll_network_events {
    struct xcoll_plugin_head head;
    /* A message has come. With `data`, that is all of it, valid during this call only. Without, its `bytes` are still
     * with the sender: returning 1 keeps `message` for one `fetch` or `drop`, which may happen inside this call.
     * Returning 0 drops it. Messages of a peer may come in another order than they were sent in. */
    int32_t (*arrived)(void *context, const void *header, size_t header_bytes, const void *data, size_t bytes,
                       void *message);
    /* A send or fetch that was in progress is over; its buffer is not touched any more. */
    void (*done)(void *context, void *token, xcoll_result_t result);
    /* The connection to this peer has failed; `why` is valid during this call. What was in progress with it is reported
     * by `done` on its own. */
    void (*lost)(void *context, size_t peer, xcoll_result_t result, const char *why);
};

/* The plug-in's side. Functions return an xcoll_result_t unless they say otherwise. */
struct xcoll_network_plugin {
    struct xcoll_plugin_head head;
    const char *name; /* for messages: "UCX" */

    /* One endpoint of this process. `why` (NUL-terminated) tells what went wrong. */
    xcoll_result_t (*open)(const struct xcoll_network_events *events, void *context, void **network, char *why,
                           size_t why_bytes);
    /* Where peers reach it; valid until `close`. */
    xcoll_result_t (*address)(void *network, const void **bytes, size_t *length);
    /* Who the peers are: addresses[i] belongs to peer i. Copied. Connections are made when they are needed. */
    xcoll_result_t (*peers)(void *network, size_t count, const void *const *addresses, const size_t *lengths);
    /* From now on the loss of this peer is reported, even if nothing is sent to it. */
    xcoll_result_t (*reach)(void *network, size_t peer);

    /* Header (at most XCOLL_NETWORK_HEADER_BYTES, copied) and data. XCOLL_SUCCESS: the buffer is free again;
     * XCOLL_IN_PROGRESS: `done` will tell, except that a message without token is nobody's concern any more. */
    xcoll_result_t (*send)(void *network, size_t peer, const void *header, size_t header_bytes, const void *data,
                           size_t bytes, void *token);
    /* Brings the bytes of a message that `arrived` announced. Results as those of `send`. */
    xcoll_result_t (*fetch)(void *network, void *message, void *to, size_t bytes, void *token);
    void (*drop)(void *network, void *message);

    /* Moves what can be moved. Not 0 if something moved. */
    int32_t (*progress)(void *network);
    /* XCOLL_SUCCESS: *descriptor becomes readable when there is something to move. XCOLL_IN_PROGRESS: there is already.
     * Anything else: there is no descriptor. */
    xcoll_result_t (*arm)(void *network, int *descriptor);
    /* Cuts the connection, for good. What is in progress with this peer is reported as done soon. */
    void (*hang_up)(void *network, size_t peer);
    /* Sends what is on its way, for a bounded time, and ends. Reports nothing any more. */
    void (*close)(void *network);
};

/* ---- Hashes and keyed hashes: opened when ranks meet over TCP and know each other by a secret. Any thread calls. */
#define XCOLL_PLUGIN_CRYPTO_SYMBOL "xcoll_plugin_crypto"
#define XCOLL_HASH_BYTES 32u

struct xcoll_bytes {
    const void *data;
    size_t bytes;
};

/* Functions return an xcoll_result_t. What is hashed are the parts one after the other. */
struct xcoll_crypto_plugin {
    struct xcoll_plugin_head head;
    /* `said` (NUL-terminated): the library that serves and its version, "OpenSSL 3.0.15"; or, with an error, why none
     * does. */
    xcoll_result_t (*open)(void **crypto, char *said, size_t said_bytes);
    /* SHA-256. */
    xcoll_result_t (*hash)(void *crypto, const struct xcoll_bytes *parts, size_t count,
                           unsigned char hash[XCOLL_HASH_BYTES]);
    /* HMAC with SHA-256. */
    xcoll_result_t (*keyed_hash)(void *crypto, struct xcoll_bytes key, const struct xcoll_bytes *parts, size_t count,
                                 unsigned char hash[XCOLL_HASH_BYTES]);
    void (*close)(void *crypto);
};

/* ---- The machine as a tree: opened when sysfs does not describe it, or when the user describes one. Any thread calls.
 */
#define XCOLL_PLUGIN_TOPOLOGY_SYMBOL "xcoll_plugin_topology"

/* Processors with equal numbers share that cache, memory node or socket; -1: unknown. Caches are named by the first of
 * their processors, all others as the kernel does. */
struct xcoll_processor {
    int32_t cpu, l2, l3, numa, socket;
};

struct xcoll_machine {
    struct xcoll_processor *processors; /* in any order */
    size_t count;
    uint64_t l2_bytes, l3_bytes; /* of the smallest caches; 0: unknown */
};

/* Functions return an xcoll_result_t. */
struct xcoll_topology_plugin {
    struct xcoll_plugin_head head;
    /* The machine of this process, or the one that a file or a text describes, at most one of which is not NULL. `said`
     * (NUL-terminated): what serves, "hwloc, interface 2.8"; or, with an error, why nothing does. */
    xcoll_result_t (*read)(const char *xml_file, const char *synthetic, struct xcoll_machine *machine, char *said,
                           size_t said_bytes);
    /* The memory of a machine that was read. */
    void (*release)(struct xcoll_machine *machine);
};

#ifdef __cplusplus
}
#endif
#endif
