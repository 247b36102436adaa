/*
 * xcoll.h - collective communication between the ranks of a parallel job.
 *
 * A job is some processes (or threads) that work on one problem together: its ranks, numbered from 0. A collective is
 * an operation that all ranks of a communicator call together, such as adding up an array over all of them.
 *
 *     #include <xcoll.h>
 *
 *     xcoll_comm_t world;
 *     xcoll_init(&world);
 *     xcoll_allreduce(mine, sum, count, XCOLL_FLOAT32, XCOLL_SUM, world);
 *     xcoll_comm_free(&world);
 *     xcoll_finalize();
 *
 * Build it with the flags of `pkg-config --cflags --libs xcoll`, start it with `xcollrun -n 4 ./program`. Started alone
 * it is a job of one rank. Every function has a manual page; xcoll(7) is the introduction, xcoll_env(7) lists the
 * variables.
 *
 * CONVENTIONS
 *   Functions return an xcoll_result_t, and XCOLL_SUCCESS is 0. After a failure xcoll_last_error() has the details:
 *   what was expected, what was seen, on which rank, and what to do.
 *   Parameters come in the order: what is sent, what is received, how much of what type, the operator, the root, the
 *   communicator, the request. Results are handed out through the last pointers.
 *   Counts are elements, not bytes, and may exceed 2^31. With a count of 0 no buffer is looked at, and NULL will do;
 *   the call still counts as one of the operations that all ranks must make. Buffers need no alignment.
 *   Strings, arrays and structs are copied before a call returns. Only data buffers stay with the library: until the
 *   blocking call or the wait returns, with any code. Then neither this rank nor a peer touches them again.
 *   Handles are not shared between processes and not copied by fork.
 *
 * WHAT MUST MATCH
 *   The ranks of a communicator call the same operations in the same order, blocking or not. Kind of operation, count,
 *   type, operator and root must be equal on all ranks. The library compares them in every operation: a rank that
 *   waits for one whose call differs gets XCOLL_ERR_MISMATCH and no data; the message names both calls.
 *
 * TWO KINDS OF ERROR
 *   Call errors (ARGUMENT, TYPE, OP, MISMATCH, TRUNCATE, STATE, NO_MEMORY, UNSUPPORTED) leave the communicator usable,
 *   and no data has moved here; of TRUNCATE, what there was room for may have, and of MISMATCH, what came before
 *   another rank left in the middle of long data or, between machines, before the message that differs. The call takes
 *   its place in the order of operations all the same: a rank that waits for one whose call was refused for its
 *   arguments gets MISMATCH, with the name of that rank, and both go on with their next calls. Only a call without a
 *   valid communicator takes no place, and one from within a function that the library calls.
 *   Functions that make communicators return CONFIG, BOOTSTRAP and AUTH as well: none was made.
 *   Fatal errors (SYSTEM, TRANSPORT, PEER_DEAD, TIMEOUT, ABORTED, DEVICE, BACKEND, INTERNAL) stick to the communicator
 *   they happen on: what the receive buffers hold is undefined, the other ranks are told, and later operations return
 *   the error again. Freeing, aborting and queries still work, and so do other communicators.
 *
 * THREADS
 *   On one communicator, one thread at a time starts operations, because their order is what matches them; with
 *   XCOLL_CHECK=1 in the environment, others get STATE. Different communicators may be driven by different threads at
 *   once, without locks. xcoll_test, xcoll_wait, xcoll_comm_abort and the queries may run on any thread at any time,
 *   but two threads may not wait for one request.
 *
 * FORK
 *   A child of fork has no part in its parent's communicators: its calls return XCOLL_ERR_STATE until it calls exec.
 *
 * STABILITY
 *   Numbers, types and structs of this header keep their values and shapes through version 1; what is new is added.
 */
#ifndef XCOLL_H
#define XCOLL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define XCOLL_API __attribute__((visibility("default")))
#else
#define XCOLL_API
#endif

/* The version of this header; xcoll_version() tells that of the library. */
#define XCOLL_VERSION_MAJOR 1
#define XCOLL_VERSION_MINOR 0
#define XCOLL_VERSION_PATCH 0
/* What xcoll_comm_config_t.api_version says for this header. */
#define XCOLL_API_VERSION 1

/* ------------------------------------------------------------------------------------------------- handles */

/* A communicator: some ranks, with an order of operations of their own. */
typedef struct xcoll_comm *xcoll_comm_t;
/* An operation that was started and not yet waited for, or that can be started again and again. */
typedef struct xcoll_request *xcoll_request_t;
/* An order of operations of an accelerator; NULL on a communicator of processors. */
typedef void *xcoll_stream_t;
#define XCOLL_COMM_NULL ((xcoll_comm_t)0)
#define XCOLL_REQUEST_NULL ((xcoll_request_t)0)

/* ------------------------------------------------------------------------------------------------- results */

/* xcoll_error_name() and xcoll_error_string() turn a result into words. */
typedef int32_t xcoll_result_t;
enum {
    XCOLL_SUCCESS = 0,
    XCOLL_ERR_ARGUMENT = 1,    /* a NULL pointer, a count, rank or root out of range, buffers that overlap */
    XCOLL_ERR_TYPE = 2,        /* not a data type, or one that this operation does not take */
    XCOLL_ERR_OP = 3,          /* not an operator, or one that this type does not have */
    XCOLL_ERR_MISMATCH = 4,    /* the ranks called different operations; the message names both */
    XCOLL_ERR_TRUNCATE = 5,    /* more data arrived than there is room for */
    XCOLL_ERR_STATE = 6,       /* not allowed now: after a fork, on a freed object, out of order */
    XCOLL_ERR_NO_MEMORY = 7,   /* no memory; nothing was changed */
    XCOLL_ERR_SYSTEM = 8,      /* a system call failed, or memory ran out where peers wait; the message says which */
    XCOLL_ERR_UNSUPPORTED = 9, /* valid, but not on this build or communicator */
    XCOLL_ERR_CONFIG = 10,     /* an XCOLL_* variable or a setting is unknown or has a bad value */
    XCOLL_ERR_BOOTSTRAP = 11,  /* the ranks could not find each other */
    XCOLL_ERR_AUTH = 12,       /* a peer could not prove that it belongs to the job */
    XCOLL_ERR_TRANSPORT = 13,  /* the network between two ranks failed */
    XCOLL_ERR_PEER_DEAD = 14,  /* a rank that this one waits for has died */
    XCOLL_ERR_TIMEOUT = 15,    /* a deadline passed; the message says who was waited for */
    XCOLL_ERR_ABORTED = 16,    /* a rank gave the communicator up, or freed it too early */
    XCOLL_ERR_DEVICE = 17,     /* an accelerator failed */
    XCOLL_ERR_BACKEND = 18,    /* a library that xcoll uses failed */
    XCOLL_ERR_INTERNAL = 19,   /* a defect of xcoll: please report it */
    XCOLL_IN_PROGRESS = 20     /* not finished yet */
};

/* ------------------------------------------------------------------------------------- types and operators */

/* What an element is. Predefined types are 0x10000000 | bytes of one element << 8 | number; 0 is no type. Types and
 * operators have different ranges of numbers, so swapped arguments are noticed. */
typedef uint32_t xcoll_dtype_t;
enum {
    XCOLL_INT8 = 0x10000101,
    XCOLL_UINT8 = 0x10000102,
    XCOLL_INT16 = 0x10000203,
    XCOLL_UINT16 = 0x10000204,
    XCOLL_INT32 = 0x10000405,
    XCOLL_UINT32 = 0x10000406,
    XCOLL_INT64 = 0x10000807,
    XCOLL_UINT64 = 0x10000808,
    XCOLL_FLOAT16 = 0x10000209,  /* IEEE binary16; added up in float */
    XCOLL_BFLOAT16 = 0x1000020a, /* the upper half of a float; added up in float */
    XCOLL_FLOAT32 = 0x1000040b,
    XCOLL_FLOAT64 = 0x1000080c,
    XCOLL_FLOAT8_E4M3 = 0x1000010d, /* OCP E4M3FN: +-448, NaN, no infinity; added up in float */
    XCOLL_FLOAT8_E5M2 = 0x1000010e, /* OCP E5M2: the upper half of a float16; added up in float */
    XCOLL_COMPLEX64 = 0x1000080f,   /* two floats, real and imaginary, as in C and Fortran */
    XCOLL_COMPLEX128 = 0x10001010,  /* two doubles */
    XCOLL_BOOL = 0x10000111,        /* one byte: 0 is false and everything else true; results are 0 or 1 */
    /* Pairs of a value and an index, for MINLOC and MAXLOC: the structs below. */
    XCOLL_FLOAT32_INT32 = 0x10000812,
    XCOLL_FLOAT64_INT32 = 0x10001013,
    XCOLL_INT32_INT32 = 0x10000814,
    XCOLL_INT64_INT32 = 0x10001015,
    XCOLL_FLOAT32_INT64 = 0x10001016,
    XCOLL_FLOAT64_INT64 = 0x10001017,
    XCOLL_INT64_INT64 = 0x10001018
};

/* `unused` is neither looked at nor compared; operators leave 0 in it. */
typedef struct {
    float value;
    int32_t index;
} xcoll_float32_int32_t;
typedef struct {
    double value;
    int32_t index;
    int32_t unused;
} xcoll_float64_int32_t;
typedef struct {
    int32_t value;
    int32_t index;
} xcoll_int32_int32_t;
typedef struct {
    int64_t value;
    int32_t index;
    int32_t unused;
} xcoll_int64_int32_t;
typedef struct {
    float value;
    int32_t unused;
    int64_t index;
} xcoll_float32_int64_t;
typedef struct {
    double value;
    int64_t index;
} xcoll_float64_int64_t;
typedef struct {
    int64_t value;
    int64_t index;
} xcoll_int64_int64_t;

/* How two elements become one. Predefined operators are 0x20000000 | number; 0 is no operator.
 * A result that is NaN is always the same quiet NaN, so that ranks never differ in it.
 * 8-bit floats are rounded once, to nearest even, and saturate: a finite result beyond the largest number (448, 57344)
 * becomes that number with its sign, so finite inputs never give infinity. In FLOAT8_E5M2 what comes of an infinite
 * input stays infinite. */
typedef uint32_t xcoll_op_t;
enum {
    XCOLL_SUM = 0x20000001,  /* integers wrap */
    XCOLL_PROD = 0x20000002, /* integers wrap; complex: (ac - bd, ad + bc), without care for infinities */
    XCOLL_MIN = 0x20000003,  /* a NaN wins; -0 is below +0; not for complex numbers */
    XCOLL_MAX = 0x20000004,  /* a NaN wins; -0 is below +0; not for complex numbers */
    XCOLL_AVG = 0x20000005,  /* the sum divided by the number of ranks; integers wrap, then truncate towards zero */
    XCOLL_LAND = 0x20000006, /* logical operators give 0 or 1 in the type of the operands; not for complex numbers */
    XCOLL_LOR = 0x20000007,  /* these three are all that BOOL has */
    XCOLL_LXOR = 0x20000008,
    XCOLL_BAND = 0x20000009, /* bitwise operators take integers only */
    XCOLL_BOR = 0x2000000a,
    XCOLL_BXOR = 0x2000000b,
    XCOLL_MINLOC = 0x2000000c, /* pairs only, and all that they have: the smallest value and its index, */
    XCOLL_MAXLOC = 0x2000000d  /* the largest; order as in MIN and MAX; of equal values the lowest index */
};

/* As `send` (as recv at the root of a scatter): one buffer for both, each operation tells how. The addresses that this
 * stands for may be given as well. Any other overlap of the two is XCOLL_ERR_ARGUMENT; it is not looked for where a
 * type with gaps is used, as two of those may be woven into each other. */
enum { XCOLL_IN_PLACE_ADDRESS = 1 };
#define XCOLL_IN_PLACE ((void *)1)

enum {
    XCOLL_UNDEFINED = -32001,  /* as color of xcoll_comm_split: this rank takes no part */
    XCOLL_ANY_SOURCE = -32002, /* as peer of a receive */
    XCOLL_ANY_TAG = -32003,    /* as tag of a receive */
    XCOLL_NO_RANK = -32004     /* as peer: there is no message, and its other arguments are not looked at */
};

/* -------------------------------------------------------------------------------------- versions and errors */

/* The version of the library that is running, which may be newer than this header. Any pointer may be NULL. */
XCOLL_API xcoll_result_t xcoll_version(int *major, int *minor, int *patch);

/* "XCOLL_ERR_TIMEOUT" and "a deadline passed": constant strings, never NULL, whatever the argument. */
XCOLL_API const char *xcoll_error_name(xcoll_result_t result);
XCOLL_API const char *xcoll_error_string(xcoll_result_t result);

/* The last failure of this thread with all details, "" if there was none. A success does not clear it. Valid until
 * the thread's next call. */
XCOLL_API const char *xcoll_last_error(void);

/* -------------------------------------------------------------------------------------------- communicators */

/* Where ranks meet, and the secret by which they know each other. To be handed to the ranks of one communicator, and to
 * nobody else, as 128 bytes. */
typedef struct {
    unsigned char bytes[128];
} xcoll_unique_id_t;

/* Written by the caller of xcoll_comm_create: gathers `bytes_per_rank` bytes from every rank into recv, in rank order,
 * and returns 0, or another number if that fails. Called only inside xcoll_comm_create, on the thread that called it,
 * by every rank equally often. MPI_Allgather of MPI_BYTE does it in one line. */
typedef xcoll_result_t (*xcoll_allgather_fn)(void *context, const void *send, void *recv, size_t bytes_per_rank);

/* When a reduction of the same numbers gives the same bits again; each level includes those before it. Equal on all
 * ranks. See xcoll_determinism(7). */
enum {
    XCOLL_DETERMINISM_DEFAULT = 0, /* as the variable XCOLL_DETERMINISM says: RUN, if it says nothing */
    XCOLL_DETERMINISM_OFF = 1,     /* on all ranks */
    XCOLL_DETERMINISM_RUN = 2,   /* and in the next run, with the same ranks in the same places and the same settings */
    XCOLL_DETERMINISM_SIZE = 3,  /* and of an element, whatever the size of the message that it is in */
    XCOLL_DETERMINISM_LAYOUT = 4 /* and wherever the ranks run, on one machine or on several */
};

/* How to make a communicator. Start with xcoll_comm_config_defaults(&config, sizeof config) and set what differs.
 * Zero is the default of every field but struct_size. A program with a shorter, older struct gets the defaults of what
 * it does not have; one with a longer, newer struct gets XCOLL_ERR_UNSUPPORTED if it uses what this library lacks. */
typedef struct xcoll_comm_config {
    size_t struct_size;           /* sizeof(xcoll_comm_config_t) */
    uint32_t api_version;         /* XCOLL_API_VERSION, or 0 */
    uint32_t flags;               /* 0 */
    int32_t rank;                 /* xcoll_comm_create: this rank, 0 .. size-1 */
    int32_t size;                 /* xcoll_comm_create: the number of ranks */
    const xcoll_unique_id_t *ids; /* xcoll_comm_create: where the ranks meet, equal on all of them; */
    size_t id_count;              /* one is enough for some hundred ranks */
    xcoll_allgather_fn allgather; /* xcoll_comm_create, instead of ids: how the ranks reach each other already */
    void *allgather_context;      /* handed to allgather */
    int64_t timeout_ms;           /* longest wait of one operation; 0: as XCOLL_TIMEOUT says, < 0: no limit */
    int32_t determinism;          /* XCOLL_DETERMINISM_...; 0: as XCOLL_DETERMINISM says */
    int32_t progress;             /* 0 in this version: operations move inside the calls of this library */
    int32_t device_kind;          /* 0 in this version: buffers lie in the memory of the processor */
    int32_t device_index;         /* 0 in this version */
    const char *name;             /* for messages, or NULL */
    const char *settings;         /* "ALLREDUCE=two_shot;TIMEOUT=30": stronger than the XCOLL_* variables, or NULL */
} xcoll_comm_config_t;
/* Zeroes the struct and sets struct_size. */
XCOLL_API xcoll_result_t xcoll_comm_config_defaults(xcoll_comm_config_t *config, size_t struct_size);

/* A communicator of all ranks of this job: under xcollrun those that it started, else those of which XCOLL_RANK,
 * XCOLL_SIZE and XCOLL_ROOT or torchrun's variables tell, otherwise this process alone. Collective over them. Every
 * call hands out a fresh communicator, to be freed. No other function needs it first. */
XCOLL_API xcoll_result_t xcoll_init(xcoll_comm_t *world);
/* The same with timeout_ms, determinism, name and settings of a configuration; its rank, size, ids and allgather are
 * not looked at. */
XCOLL_API xcoll_result_t xcoll_init_config(const xcoll_comm_config_t *config, xcoll_comm_t *world);

/* Gives back what xcoll_init took; to be called as often. Local. Communicators stay valid until they are freed. */
XCOLL_API xcoll_result_t xcoll_finalize(void);

/* Makes an id for one communicator. The caller hands it to all ranks of it, which give it to xcoll_comm_create, and is
 * one of them itself, or leaves that to a child that it forks after this call: from now on a socket waits here for the
 * others. Local. */
XCOLL_API xcoll_result_t xcoll_get_unique_id(xcoll_unique_id_t *id);
/* A communicator of config->size ranks that find each other through config->ids or config->allgather; a single rank
 * needs neither. Collective over them. */
XCOLL_API xcoll_result_t xcoll_comm_create(const xcoll_comm_config_t *config, xcoll_comm_t *comm);

/* `size` ranks inside this process: comms[i] is rank i, to be used by one thread. Local; free each of them. */
XCOLL_API xcoll_result_t xcoll_comm_create_threads(int size, xcoll_comm_t comms[]);

/* Ranks with the same color >= 0 form a new communicator, ordered by key, then by their rank in comm; with
 * XCOLL_UNDEFINED *out becomes XCOLL_COMM_NULL. It has the settings of comm. Collective over comm. */
XCOLL_API xcoll_result_t xcoll_comm_split(xcoll_comm_t comm, int color, int key, xcoll_comm_t *out);
/* The same with timeout_ms, determinism, name and settings of a configuration, equal on all ranks of a color; NULL:
 * those of comm. */
XCOLL_API xcoll_result_t xcoll_comm_split_config(xcoll_comm_t comm, int color, int key,
                                                 const xcoll_comm_config_t *config, xcoll_comm_t *out);
/* The same ranks in the same order, with an order of operations of its own. Collective over comm. */
XCOLL_API xcoll_result_t xcoll_comm_dup(xcoll_comm_t comm, xcoll_comm_t *out);
/* Local: waits for nobody. Requests still in flight finish with XCOLL_ERR_ABORTED, and so do operations of other ranks
 * that wait for a part of this one. *comm becomes XCOLL_COMM_NULL, which may be freed as well. XCOLL_ERR_STATE, and
 * nothing is freed, while the group that this thread has open has calls on it. */
XCOLL_API xcoll_result_t xcoll_comm_free(xcoll_comm_t *comm);

/* This rank, from 0, and the number of ranks. */
XCOLL_API xcoll_result_t xcoll_comm_rank(xcoll_comm_t comm, int *rank);
XCOLL_API xcoll_result_t xcoll_comm_size(xcoll_comm_t comm, int *size);
/* The same among those ranks of comm that share this machine's memory. */
XCOLL_API xcoll_result_t xcoll_comm_local_rank(xcoll_comm_t comm, int *rank);
XCOLL_API xcoll_result_t xcoll_comm_local_size(xcoll_comm_t comm, int *size);

/* The rank in `to` of rank `rank` of `from`, XCOLL_UNDEFINED if it is not in it. XCOLL_NO_RANK stays what it is. */
XCOLL_API xcoll_result_t xcoll_comm_translate_rank(xcoll_comm_t from, int rank, xcoll_comm_t to, int *translated);

/* Gives comm up: here every operation from now on fails with XCOLL_ERR_ABORTED; on the other ranks operations that wait
 * end with it and this reason. Local, any thread. */
XCOLL_API xcoll_result_t xcoll_comm_abort(xcoll_comm_t comm, const char *reason);
/* XCOLL_SUCCESS, or the fatal error that this rank has met on comm. */
XCOLL_API xcoll_result_t xcoll_comm_get_async_error(xcoll_comm_t comm, xcoll_result_t *error);
/* The ranks whose processes have died; on another machine, once a wait on comm has failed by it. *count: in, the room
 * in ranks; out, how many there are. With ranks NULL they are only counted. */
XCOLL_API xcoll_result_t xcoll_comm_failed_ranks(xcoll_comm_t comm, size_t *count, int ranks[]);
/* What comm is, which algorithm serves which size, the settings, the build and the machine, as JSON. *len: in, the
 * room; out, what is needed with the NUL. What does not fit is cut off; with json NULL only *len is set. */
XCOLL_API xcoll_result_t xcoll_comm_describe(xcoll_comm_t comm, char *json, size_t *len);
/* The longest wait of one operation on this rank from now on; < 0: no limit, 0 is XCOLL_ERR_ARGUMENT. */
XCOLL_API xcoll_result_t xcoll_comm_set_timeout(xcoll_comm_t comm, int64_t milliseconds);
/* How many operations this rank has started on comm: the numbers that messages name. */
XCOLL_API xcoll_result_t xcoll_comm_sequence(xcoll_comm_t comm, uint64_t *number);

/* -------------------------------------------------------------------------------------------------- memory */

/* Collectives on memory that all ranks of a machine map copy less: large ones read and write it where it lies. Whether
 * a buffer lies in such memory is each rank's own affair, and results are the same, bit for bit. All of these are local
 * calls, for any thread. */

/* `bytes` bytes of this rank's symmetric heap, zero and aligned to 4096; NULL if bytes is 0. They serve every
 * communicator of the same job, and live until they are freed, even if all communicators are freed before. Ranks that
 * make equal sequences of calls get memory at equal places of their heaps. There is XCOLL_HEAP of it for each rank. */
XCOLL_API xcoll_result_t xcoll_mem_alloc(xcoll_comm_t comm, size_t bytes, void **ptr);
/* Gives back what xcoll_mem_alloc returned, which no operation may be using any more, neither here nor, through
 * xcoll_mem_peer, elsewhere. comm may be any communicator of this process, or XCOLL_COMM_NULL; ptr may be NULL. */
XCOLL_API xcoll_result_t xcoll_mem_free(xcoll_comm_t comm, void *ptr);
/* Tells that memory of the caller's own will be used in operations of comm, and stays where it is until it is
 * deregistered or comm is freed. A hint, which this version needs nowhere: memory that peers cannot map is copied as
 * before. flags is 0. */
XCOLL_API xcoll_result_t xcoll_mem_register(xcoll_comm_t comm, void *ptr, size_t bytes, uint32_t flags);
XCOLL_API xcoll_result_t xcoll_mem_deregister(xcoll_comm_t comm, void *ptr);
/* The place of `rank`'s heap at which ptr lies in this rank's, for loads and stores: its ptr, if both ranks have made
 * equal sequences of calls. NULL if ptr does not lie in memory of xcoll_mem_alloc, or rank is on another machine; of
 * this rank it is ptr, wherever that lies. Valid as long as this rank has comm or the memory at ptr. When the memory
 * there may be read is the program's affair. */
XCOLL_API xcoll_result_t xcoll_mem_peer(xcoll_comm_t comm, const void *ptr, int rank, void **peer);

/* ----------------------------------------------------------------------------- types and operators that are made */

/* Made types tell where the data of an item lie. All of their elements are of one predefined type, and ranks match if
 * that type and the number of elements are equal, whatever the types they name. A call of `count` items finds them one
 * extent behind the other. The first byte of an item is that of displacement 0.
 * They move data. Reductions combine them with operators of xcoll_op_create only, and only where items lie together:
 * opaque ones, and others without gaps before, between or behind their elements. All ranks name items of one size then.
 * Types are local: making and freeing one waits for nobody. A freed one lives on in calls that use it. */

/* `blocks` blocks of block_count items of dtype each, `stride` items from the begin of one to that of the next. */
XCOLL_API xcoll_result_t xcoll_type_vector(size_t blocks, size_t block_count, ptrdiff_t stride, xcoll_dtype_t dtype,
                                           xcoll_dtype_t *type);
/* n blocks: counts[k] items of dtype, displs[k] items behind the begin. They are sent in this order. */
XCOLL_API xcoll_result_t xcoll_type_indexed(size_t n, const size_t counts[], const ptrdiff_t displs[],
                                            xcoll_dtype_t dtype, xcoll_dtype_t *type);
/* The same data, but the next item lies extent_bytes behind: a column of a matrix with the extent of one element is a
 * type whose items are its columns. */
XCOLL_API xcoll_result_t xcoll_type_resized(xcoll_dtype_t dtype, size_t extent_bytes, xcoll_dtype_t *type);
/* Items of so many bytes that mean nothing to this library: to be moved, and combined by operators of
 * xcoll_op_create. Matches opaque types only, where types are compared: not by messages and xcoll_alltoallw. */
XCOLL_API xcoll_result_t xcoll_type_opaque(size_t bytes, xcoll_dtype_t *type);
/* Of any type: the bytes of one item's data, and the bytes from one item to the next. The extent of a made type reaches
 * from the begin of its first item to the end of its last, each as long as its own extent, unless it was resized. */
XCOLL_API xcoll_result_t xcoll_type_size(xcoll_dtype_t dtype, size_t *bytes);
XCOLL_API xcoll_result_t xcoll_type_extent(xcoll_dtype_t dtype, size_t *bytes);
/* *type becomes 0, which may be freed as well. */
XCOLL_API xcoll_result_t xcoll_type_free(xcoll_dtype_t *type);

/* Combines two lists of `count` elements: inout[i] becomes in[i] o inout[i], where in comes from lower ranks than
 * inout. The operator must be associative. dtype is the type that the caller of the reduction named, and of one that
 * was made the lists are of whole items. A call may hand over any number of them, at any address. The function is
 * called on the thread that moves the operation. Calls from within that start, test or wait for anything, make, free
 * or abort a communicator, a request or a group are XCOLL_ERR_STATE: they would wait for the very operation that calls
 * it. Another result than XCOLL_SUCCESS fails the operation with XCOLL_ERR_OP. */
typedef xcoll_result_t (*xcoll_reduce_fn)(const void *in, void *inout, size_t count, xcoll_dtype_t dtype,
                                          void *context);
/* For flags of the functions below. Elements are always combined in the order of ranks; this says that it matters. */
enum { XCOLL_OP_NONCOMMUTATIVE = 1 };
/* An operator for the reductions. Ranks match if their operators have the same name, of which 19 computed bits
 * are compared. destroy(context), if it is not NULL, is called once: when the operator was freed and the last call that
 * uses it is over. */
XCOLL_API xcoll_result_t xcoll_op_create(xcoll_reduce_fn fn, void *context, void (*destroy)(void *), const char *name,
                                         uint32_t flags, xcoll_op_t *op);
/* XCOLL_SUM of what each rank multiplies by a number of its own first: *scalar, an element of dtype, which is the type
 * of the reductions too. Each product is rounded to that type. */
XCOLL_API xcoll_result_t xcoll_op_create_premul(const void *scalar, xcoll_dtype_t dtype, uint32_t flags,
                                                xcoll_op_t *op);
/* *op becomes 0, which may be freed as well. */
XCOLL_API xcoll_result_t xcoll_op_free(xcoll_op_t *op);

/* ---------------------------------------------------------------------------------------------- collectives */

/* Each operation has four forms:
 *
 *   xcoll_NAME          returns when this rank's buffers are final.
 *
 *   xcoll_iNAME         returns at once with a request; the operation goes on inside later calls of this process that
 *                       test or wait, for this or any other operation. All requests of a rank may be in flight at once.
 *
 *   xcoll_NAME_init     makes a persistent request, which xcoll_start starts as often as it is wanted. Local: a call's
 *                       place in the order of operations is that of its start.
 *
 *   xcoll_NAME_enqueue  on a communicator of processors stream is NULL: begins when all earlier operations of comm are
 *                       done, and returns when this one is.
 *
 * The ranks may use different forms of the same operation.
 *
 * In place is XCOLL_IN_PLACE as send (as recv at the root of a scatter), with the meaning that each operation tells. */

/* Is finished when every rank has called it. */
XCOLL_API xcoll_result_t xcoll_barrier(xcoll_comm_t comm);
XCOLL_API xcoll_result_t xcoll_ibarrier(xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_barrier_init(xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_barrier_enqueue(xcoll_comm_t comm, xcoll_stream_t stream);

/* Copies buf of the root into buf of every other rank. The root is finished when its buffer may be changed. */
XCOLL_API xcoll_result_t xcoll_bcast(void *buf, size_t count, xcoll_dtype_t dtype, int root, xcoll_comm_t comm);
XCOLL_API xcoll_result_t xcoll_ibcast(void *buf, size_t count, xcoll_dtype_t dtype, int root, xcoll_comm_t comm,
                                      xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_bcast_init(void *buf, size_t count, xcoll_dtype_t dtype, int root, xcoll_comm_t comm,
                                          xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_bcast_enqueue(void *buf, size_t count, xcoll_dtype_t dtype, int root, xcoll_comm_t comm,
                                             xcoll_stream_t stream);

/* recv of the root becomes op over send of all ranks, element by element. Off the root recv is not looked at; on it
 * send may be XCOLL_IN_PLACE. */
XCOLL_API xcoll_result_t xcoll_reduce(const void *send, void *recv, size_t count, xcoll_dtype_t dtype, xcoll_op_t op,
                                      int root, xcoll_comm_t comm);
XCOLL_API xcoll_result_t xcoll_ireduce(const void *send, void *recv, size_t count, xcoll_dtype_t dtype, xcoll_op_t op,
                                       int root, xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_reduce_init(const void *send, void *recv, size_t count, xcoll_dtype_t dtype,
                                           xcoll_op_t op, int root, xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_reduce_enqueue(const void *send, void *recv, size_t count, xcoll_dtype_t dtype,
                                              xcoll_op_t op, int root, xcoll_comm_t comm, xcoll_stream_t stream);

/* recv of every rank becomes op over send of all ranks, element by element: the same bits on every rank. */
XCOLL_API xcoll_result_t xcoll_allreduce(const void *send, void *recv, size_t count, xcoll_dtype_t dtype, xcoll_op_t op,
                                         xcoll_comm_t comm);
XCOLL_API xcoll_result_t xcoll_iallreduce(const void *send, void *recv, size_t count, xcoll_dtype_t dtype,
                                          xcoll_op_t op, xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_allreduce_init(const void *send, void *recv, size_t count, xcoll_dtype_t dtype,
                                              xcoll_op_t op, xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_allreduce_enqueue(const void *send, void *recv, size_t count, xcoll_dtype_t dtype,
                                                 xcoll_op_t op, xcoll_comm_t comm, xcoll_stream_t stream);

/* send is a block of recvcount elements for each rank; recv becomes op over all ranks of the blocks for this one. In
 * place the blocks lie in recv and the result comes to its front; recv may also be this rank's block of send. */
XCOLL_API xcoll_result_t xcoll_reduce_scatter(const void *send, void *recv, size_t recvcount, xcoll_dtype_t dtype,
                                              xcoll_op_t op, xcoll_comm_t comm);
XCOLL_API xcoll_result_t xcoll_ireduce_scatter(const void *send, void *recv, size_t recvcount, xcoll_dtype_t dtype,
                                               xcoll_op_t op, xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_reduce_scatter_init(const void *send, void *recv, size_t recvcount, xcoll_dtype_t dtype,
                                                   xcoll_op_t op, xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_reduce_scatter_enqueue(const void *send, void *recv, size_t recvcount,
                                                      xcoll_dtype_t dtype, xcoll_op_t op, xcoll_comm_t comm,
                                                      xcoll_stream_t stream);

/* The same with blocks of recvcounts[r] elements for rank r, one behind the other. recvcounts is equal on all ranks. */
XCOLL_API xcoll_result_t xcoll_reduce_scatterv(const void *send, void *recv, const size_t recvcounts[],
                                               xcoll_dtype_t dtype, xcoll_op_t op, xcoll_comm_t comm);
XCOLL_API xcoll_result_t xcoll_ireduce_scatterv(const void *send, void *recv, const size_t recvcounts[],
                                                xcoll_dtype_t dtype, xcoll_op_t op, xcoll_comm_t comm,
                                                xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_reduce_scatterv_init(const void *send, void *recv, const size_t recvcounts[],
                                                    xcoll_dtype_t dtype, xcoll_op_t op, xcoll_comm_t comm,
                                                    xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_reduce_scatterv_enqueue(const void *send, void *recv, const size_t recvcounts[],
                                                       xcoll_dtype_t dtype, xcoll_op_t op, xcoll_comm_t comm,
                                                       xcoll_stream_t stream);

/* recv becomes the sendcount elements of every rank, in the order of ranks. In place this rank's own lie there already.
 */
XCOLL_API xcoll_result_t xcoll_allgather(const void *send, size_t sendcount, void *recv, xcoll_dtype_t dtype,
                                         xcoll_comm_t comm);
XCOLL_API xcoll_result_t xcoll_iallgather(const void *send, size_t sendcount, void *recv, xcoll_dtype_t dtype,
                                          xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_allgather_init(const void *send, size_t sendcount, void *recv, xcoll_dtype_t dtype,
                                              xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_allgather_enqueue(const void *send, size_t sendcount, void *recv, xcoll_dtype_t dtype,
                                                 xcoll_comm_t comm, xcoll_stream_t stream);

/* The same with recvcounts[r] elements of rank r, from element displs[r] of recv on; displs NULL: one behind the
 * other. sendcount is this rank's count. */
XCOLL_API xcoll_result_t xcoll_allgatherv(const void *send, size_t sendcount, void *recv, const size_t recvcounts[],
                                          const size_t displs[], xcoll_dtype_t dtype, xcoll_comm_t comm);
XCOLL_API xcoll_result_t xcoll_iallgatherv(const void *send, size_t sendcount, void *recv, const size_t recvcounts[],
                                           const size_t displs[], xcoll_dtype_t dtype, xcoll_comm_t comm,
                                           xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_allgatherv_init(const void *send, size_t sendcount, void *recv,
                                               const size_t recvcounts[], const size_t displs[], xcoll_dtype_t dtype,
                                               xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_allgatherv_enqueue(const void *send, size_t sendcount, void *recv,
                                                  const size_t recvcounts[], const size_t displs[], xcoll_dtype_t dtype,
                                                  xcoll_comm_t comm, xcoll_stream_t stream);

/* send is a block of count elements for each rank; recv becomes the blocks of all ranks for this one. In place what
 * comes replaces what was sent to the same rank. */
XCOLL_API xcoll_result_t xcoll_alltoall(const void *send, void *recv, size_t count, xcoll_dtype_t dtype,
                                        xcoll_comm_t comm);
XCOLL_API xcoll_result_t xcoll_ialltoall(const void *send, void *recv, size_t count, xcoll_dtype_t dtype,
                                         xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_alltoall_init(const void *send, void *recv, size_t count, xcoll_dtype_t dtype,
                                             xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_alltoall_enqueue(const void *send, void *recv, size_t count, xcoll_dtype_t dtype,
                                                xcoll_comm_t comm, xcoll_stream_t stream);

/* The same with sendcounts[r] elements for rank r from element sdispls[r] of send on, and recvcounts[r] of rank r from
 * rdispls[r] of recv on; NULL displacements: one behind the other. In place recvcounts and rdispls count for both. */
XCOLL_API xcoll_result_t xcoll_alltoallv(const void *send, const size_t sendcounts[], const size_t sdispls[],
                                         void *recv, const size_t recvcounts[], const size_t rdispls[],
                                         xcoll_dtype_t dtype, xcoll_comm_t comm);
XCOLL_API xcoll_result_t xcoll_ialltoallv(const void *send, const size_t sendcounts[], const size_t sdispls[],
                                          void *recv, const size_t recvcounts[], const size_t rdispls[],
                                          xcoll_dtype_t dtype, xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_alltoallv_init(const void *send, const size_t sendcounts[], const size_t sdispls[],
                                              void *recv, const size_t recvcounts[], const size_t rdispls[],
                                              xcoll_dtype_t dtype, xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_alltoallv_enqueue(const void *send, const size_t sendcounts[], const size_t sdispls[],
                                                 void *recv, const size_t recvcounts[], const size_t rdispls[],
                                                 xcoll_dtype_t dtype, xcoll_comm_t comm, xcoll_stream_t stream);

/* recv of the root becomes the sendcount elements of every rank, in the order of ranks. In place, or with recv as send,
 * the root's own lie there already. Off the root recv is not looked at. */
XCOLL_API xcoll_result_t xcoll_gather(const void *send, size_t sendcount, void *recv, xcoll_dtype_t dtype, int root,
                                      xcoll_comm_t comm);
XCOLL_API xcoll_result_t xcoll_igather(const void *send, size_t sendcount, void *recv, xcoll_dtype_t dtype, int root,
                                       xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_gather_init(const void *send, size_t sendcount, void *recv, xcoll_dtype_t dtype,
                                           int root, xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_gather_enqueue(const void *send, size_t sendcount, void *recv, xcoll_dtype_t dtype,
                                              int root, xcoll_comm_t comm, xcoll_stream_t stream);

/* The same with recvcounts[r] elements of rank r at displs[r], which only the root looks at. */
XCOLL_API xcoll_result_t xcoll_gatherv(const void *send, size_t sendcount, void *recv, const size_t recvcounts[],
                                       const size_t displs[], xcoll_dtype_t dtype, int root, xcoll_comm_t comm);
XCOLL_API xcoll_result_t xcoll_igatherv(const void *send, size_t sendcount, void *recv, const size_t recvcounts[],
                                        const size_t displs[], xcoll_dtype_t dtype, int root, xcoll_comm_t comm,
                                        xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_gatherv_init(const void *send, size_t sendcount, void *recv, const size_t recvcounts[],
                                            const size_t displs[], xcoll_dtype_t dtype, int root, xcoll_comm_t comm,
                                            xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_gatherv_enqueue(const void *send, size_t sendcount, void *recv,
                                               const size_t recvcounts[], const size_t displs[], xcoll_dtype_t dtype,
                                               int root, xcoll_comm_t comm, xcoll_stream_t stream);

/* send of the root is a block of recvcount elements for each rank; recv becomes the block for this one. Off the root
 * send is not looked at; on it recv may be XCOLL_IN_PLACE or send, and its block stays where it is. */
XCOLL_API xcoll_result_t xcoll_scatter(const void *send, void *recv, size_t recvcount, xcoll_dtype_t dtype, int root,
                                       xcoll_comm_t comm);
XCOLL_API xcoll_result_t xcoll_iscatter(const void *send, void *recv, size_t recvcount, xcoll_dtype_t dtype, int root,
                                        xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_scatter_init(const void *send, void *recv, size_t recvcount, xcoll_dtype_t dtype,
                                            int root, xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_scatter_enqueue(const void *send, void *recv, size_t recvcount, xcoll_dtype_t dtype,
                                               int root, xcoll_comm_t comm, xcoll_stream_t stream);

/* The same with sendcounts[r] elements for rank r from displs[r] on, which only the root looks at. */
XCOLL_API xcoll_result_t xcoll_scatterv(const void *send, const size_t sendcounts[], const size_t displs[], void *recv,
                                        size_t recvcount, xcoll_dtype_t dtype, int root, xcoll_comm_t comm);
XCOLL_API xcoll_result_t xcoll_iscatterv(const void *send, const size_t sendcounts[], const size_t displs[], void *recv,
                                         size_t recvcount, xcoll_dtype_t dtype, int root, xcoll_comm_t comm,
                                         xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_scatterv_init(const void *send, const size_t sendcounts[], const size_t displs[],
                                             void *recv, size_t recvcount, xcoll_dtype_t dtype, int root,
                                             xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_scatterv_enqueue(const void *send, const size_t sendcounts[], const size_t displs[],
                                                void *recv, size_t recvcount, xcoll_dtype_t dtype, int root,
                                                xcoll_comm_t comm, xcoll_stream_t stream);

/* recv becomes op over send of the ranks 0 to this one, added up in the order of ranks. XCOLL_AVG is XCOLL_ERR_OP. */
XCOLL_API xcoll_result_t xcoll_scan(const void *send, void *recv, size_t count, xcoll_dtype_t dtype, xcoll_op_t op,
                                    xcoll_comm_t comm);
XCOLL_API xcoll_result_t xcoll_iscan(const void *send, void *recv, size_t count, xcoll_dtype_t dtype, xcoll_op_t op,
                                     xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_scan_init(const void *send, void *recv, size_t count, xcoll_dtype_t dtype, xcoll_op_t op,
                                         xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_scan_enqueue(const void *send, void *recv, size_t count, xcoll_dtype_t dtype,
                                            xcoll_op_t op, xcoll_comm_t comm, xcoll_stream_t stream);

/* recv becomes op over send of the ranks below this one. Rank 0's recv is left alone. */
XCOLL_API xcoll_result_t xcoll_exscan(const void *send, void *recv, size_t count, xcoll_dtype_t dtype, xcoll_op_t op,
                                      xcoll_comm_t comm);
XCOLL_API xcoll_result_t xcoll_iexscan(const void *send, void *recv, size_t count, xcoll_dtype_t dtype, xcoll_op_t op,
                                       xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_exscan_init(const void *send, void *recv, size_t count, xcoll_dtype_t dtype,
                                           xcoll_op_t op, xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_exscan_enqueue(const void *send, void *recv, size_t count, xcoll_dtype_t dtype,
                                              xcoll_op_t op, xcoll_comm_t comm, xcoll_stream_t stream);

/* Like xcoll_allgather, the items that are sent and those that are received being of different types, of equally many
 * elements of the same base type. */
XCOLL_API xcoll_result_t xcoll_allgather_typed(const void *send, size_t sendcount, xcoll_dtype_t sendtype, void *recv,
                                               size_t recvcount, xcoll_dtype_t recvtype, xcoll_comm_t comm);
XCOLL_API xcoll_result_t xcoll_iallgather_typed(const void *send, size_t sendcount, xcoll_dtype_t sendtype, void *recv,
                                                size_t recvcount, xcoll_dtype_t recvtype, xcoll_comm_t comm,
                                                xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_allgather_typed_init(const void *send, size_t sendcount, xcoll_dtype_t sendtype,
                                                    void *recv, size_t recvcount, xcoll_dtype_t recvtype,
                                                    xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_allgather_typed_enqueue(const void *send, size_t sendcount, xcoll_dtype_t sendtype,
                                                       void *recv, size_t recvcount, xcoll_dtype_t recvtype,
                                                       xcoll_comm_t comm, xcoll_stream_t stream);

/* Like xcoll_alltoall with two types. */
XCOLL_API xcoll_result_t xcoll_alltoall_typed(const void *send, size_t sendcount, xcoll_dtype_t sendtype, void *recv,
                                              size_t recvcount, xcoll_dtype_t recvtype, xcoll_comm_t comm);
XCOLL_API xcoll_result_t xcoll_ialltoall_typed(const void *send, size_t sendcount, xcoll_dtype_t sendtype, void *recv,
                                               size_t recvcount, xcoll_dtype_t recvtype, xcoll_comm_t comm,
                                               xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_alltoall_typed_init(const void *send, size_t sendcount, xcoll_dtype_t sendtype,
                                                   void *recv, size_t recvcount, xcoll_dtype_t recvtype,
                                                   xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_alltoall_typed_enqueue(const void *send, size_t sendcount, xcoll_dtype_t sendtype,
                                                      void *recv, size_t recvcount, xcoll_dtype_t recvtype,
                                                      xcoll_comm_t comm, xcoll_stream_t stream);

/* Like xcoll_gather with two types. Off the root recvcount and recvtype are not looked at. */
XCOLL_API xcoll_result_t xcoll_gather_typed(const void *send, size_t sendcount, xcoll_dtype_t sendtype, void *recv,
                                            size_t recvcount, xcoll_dtype_t recvtype, int root, xcoll_comm_t comm);
XCOLL_API xcoll_result_t xcoll_igather_typed(const void *send, size_t sendcount, xcoll_dtype_t sendtype, void *recv,
                                             size_t recvcount, xcoll_dtype_t recvtype, int root, xcoll_comm_t comm,
                                             xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_gather_typed_init(const void *send, size_t sendcount, xcoll_dtype_t sendtype, void *recv,
                                                 size_t recvcount, xcoll_dtype_t recvtype, int root, xcoll_comm_t comm,
                                                 xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_gather_typed_enqueue(const void *send, size_t sendcount, xcoll_dtype_t sendtype,
                                                    void *recv, size_t recvcount, xcoll_dtype_t recvtype, int root,
                                                    xcoll_comm_t comm, xcoll_stream_t stream);

/* Like xcoll_scatter with two types. Off the root sendcount and sendtype are not looked at. */
XCOLL_API xcoll_result_t xcoll_scatter_typed(const void *send, size_t sendcount, xcoll_dtype_t sendtype, void *recv,
                                             size_t recvcount, xcoll_dtype_t recvtype, int root, xcoll_comm_t comm);
XCOLL_API xcoll_result_t xcoll_iscatter_typed(const void *send, size_t sendcount, xcoll_dtype_t sendtype, void *recv,
                                              size_t recvcount, xcoll_dtype_t recvtype, int root, xcoll_comm_t comm,
                                              xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_scatter_typed_init(const void *send, size_t sendcount, xcoll_dtype_t sendtype,
                                                  void *recv, size_t recvcount, xcoll_dtype_t recvtype, int root,
                                                  xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_scatter_typed_enqueue(const void *send, size_t sendcount, xcoll_dtype_t sendtype,
                                                     void *recv, size_t recvcount, xcoll_dtype_t recvtype, int root,
                                                     xcoll_comm_t comm, xcoll_stream_t stream);

/* Like xcoll_allgatherv, what comes from rank r being recvcounts[r] items of recvtypes[r] at rdispls_bytes[r] bytes.
 * With recv NULL the displacements are addresses. */
XCOLL_API xcoll_result_t xcoll_allgatherw(const void *send, size_t sendcount, xcoll_dtype_t sendtype, void *recv,
                                          const size_t recvcounts[], const size_t rdispls_bytes[],
                                          const xcoll_dtype_t recvtypes[], xcoll_comm_t comm);
XCOLL_API xcoll_result_t xcoll_iallgatherw(const void *send, size_t sendcount, xcoll_dtype_t sendtype, void *recv,
                                           const size_t recvcounts[], const size_t rdispls_bytes[],
                                           const xcoll_dtype_t recvtypes[], xcoll_comm_t comm,
                                           xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_allgatherw_init(const void *send, size_t sendcount, xcoll_dtype_t sendtype, void *recv,
                                               const size_t recvcounts[], const size_t rdispls_bytes[],
                                               const xcoll_dtype_t recvtypes[], xcoll_comm_t comm,
                                               xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_allgatherw_enqueue(const void *send, size_t sendcount, xcoll_dtype_t sendtype,
                                                  void *recv, const size_t recvcounts[], const size_t rdispls_bytes[],
                                                  const xcoll_dtype_t recvtypes[], xcoll_comm_t comm,
                                                  xcoll_stream_t stream);

/* Like xcoll_alltoallv with a count, a displacement in bytes and a type for each rank and direction. With a NULL
 * buffer the displacements are addresses. */
XCOLL_API xcoll_result_t xcoll_alltoallw(const void *send, const size_t sendcounts[], const size_t sdispls_bytes[],
                                         const xcoll_dtype_t sendtypes[], void *recv, const size_t recvcounts[],
                                         const size_t rdispls_bytes[], const xcoll_dtype_t recvtypes[],
                                         xcoll_comm_t comm);
XCOLL_API xcoll_result_t xcoll_ialltoallw(const void *send, const size_t sendcounts[], const size_t sdispls_bytes[],
                                          const xcoll_dtype_t sendtypes[], void *recv, const size_t recvcounts[],
                                          const size_t rdispls_bytes[], const xcoll_dtype_t recvtypes[],
                                          xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_alltoallw_init(const void *send, const size_t sendcounts[], const size_t sdispls_bytes[],
                                              const xcoll_dtype_t sendtypes[], void *recv, const size_t recvcounts[],
                                              const size_t rdispls_bytes[], const xcoll_dtype_t recvtypes[],
                                              xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_alltoallw_enqueue(const void *send, const size_t sendcounts[],
                                                 const size_t sdispls_bytes[], const xcoll_dtype_t sendtypes[],
                                                 void *recv, const size_t recvcounts[], const size_t rdispls_bytes[],
                                                 const xcoll_dtype_t recvtypes[], xcoll_comm_t comm,
                                                 xcoll_stream_t stream);

/* Counts that only the senders know, and only when the operation runs: *sendcount is read when it begins, recvcounts[r]
 * is what rank r sent, written when it ends; both stay with the library like the buffers. max_count, equal on all
 * ranks, is the most that one rank may send another. The part of rank r lies from element r * max_count of recv on;
 * with packed (each rank as it likes) they lie one behind the other. recv has room for max_count elements of each rank.
 * A part of more than max_count elements stays where it is: its sender and those whom it is for get
 * XCOLL_ERR_TRUNCATE, with all other parts and all counts in place, the true one of this part too. In place (not
 * packed) this rank's part lies in recv already. */
XCOLL_API xcoll_result_t xcoll_allgather_dyn(const void *send, const uint64_t *sendcount, void *recv,
                                             uint64_t recvcounts[], size_t max_count, int packed, xcoll_dtype_t dtype,
                                             xcoll_comm_t comm);
XCOLL_API xcoll_result_t xcoll_iallgather_dyn(const void *send, const uint64_t *sendcount, void *recv,
                                              uint64_t recvcounts[], size_t max_count, int packed, xcoll_dtype_t dtype,
                                              xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_allgather_dyn_init(const void *send, const uint64_t *sendcount, void *recv,
                                                  uint64_t recvcounts[], size_t max_count, int packed,
                                                  xcoll_dtype_t dtype, xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_allgather_dyn_enqueue(const void *send, const uint64_t *sendcount, void *recv,
                                                     uint64_t recvcounts[], size_t max_count, int packed,
                                                     xcoll_dtype_t dtype, xcoll_comm_t comm, xcoll_stream_t stream);

/* The same with sendcounts[r] elements for rank r, which lie from element r * max_count of send on, and recvcounts[r]
 * of rank r from element r * max_count of recv on. In place what comes replaces what was sent; sendcounts and
 * recvcounts may be one array then and otherwise. */
XCOLL_API xcoll_result_t xcoll_alltoall_dyn(const void *send, const uint64_t sendcounts[], void *recv,
                                            uint64_t recvcounts[], size_t max_count, xcoll_dtype_t dtype,
                                            xcoll_comm_t comm);
XCOLL_API xcoll_result_t xcoll_ialltoall_dyn(const void *send, const uint64_t sendcounts[], void *recv,
                                             uint64_t recvcounts[], size_t max_count, xcoll_dtype_t dtype,
                                             xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_alltoall_dyn_init(const void *send, const uint64_t sendcounts[], void *recv,
                                                 uint64_t recvcounts[], size_t max_count, xcoll_dtype_t dtype,
                                                 xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_alltoall_dyn_enqueue(const void *send, const uint64_t sendcounts[], void *recv,
                                                    uint64_t recvcounts[], size_t max_count, xcoll_dtype_t dtype,
                                                    xcoll_comm_t comm, xcoll_stream_t stream);

/* ------------------------------------------------------------------------------------------------- messages */

/* Messages between two ranks are matched by peer and tag, in the order in which both start them; they are apart from
 * the order of the collectives. Tags are 0 or more. A send may return before its message is received. Sends and
 * receives of one group, or all started before any is waited for, never lock each other up. A message may be shorter
 * than its receive; a longer one is lost with XCOLL_ERR_TRUNCATE at the receiver. Ranks must share the machine's
 * memory. */
/* Sends count elements to rank peer. */
XCOLL_API xcoll_result_t xcoll_send(const void *buf, size_t count, xcoll_dtype_t dtype, int peer, int tag,
                                    xcoll_comm_t comm);
XCOLL_API xcoll_result_t xcoll_isend(const void *buf, size_t count, xcoll_dtype_t dtype, int peer, int tag,
                                     xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_send_init(const void *buf, size_t count, xcoll_dtype_t dtype, int peer, int tag,
                                         xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_send_enqueue(const void *buf, size_t count, xcoll_dtype_t dtype, int peer, int tag,
                                            xcoll_comm_t comm, xcoll_stream_t stream);

/* Receives up to count elements from rank peer, or XCOLL_ANY_SOURCE, with this tag, or XCOLL_ANY_TAG. Who sent how
 * much: xcoll_wait_for and xcoll_waitall_status. */
XCOLL_API xcoll_result_t xcoll_recv(void *buf, size_t count, xcoll_dtype_t dtype, int peer, int tag, xcoll_comm_t comm);
XCOLL_API xcoll_result_t xcoll_irecv(void *buf, size_t count, xcoll_dtype_t dtype, int peer, int tag, xcoll_comm_t comm,
                                     xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_recv_init(void *buf, size_t count, xcoll_dtype_t dtype, int peer, int tag,
                                         xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_recv_enqueue(void *buf, size_t count, xcoll_dtype_t dtype, int peer, int tag,
                                            xcoll_comm_t comm, xcoll_stream_t stream);

/* Both at once, with different peers or the same one. */
XCOLL_API xcoll_result_t xcoll_sendrecv(const void *send, size_t sendcount, int dest, int sendtag, void *recv,
                                        size_t recvcount, int source, int recvtag, xcoll_dtype_t dtype,
                                        xcoll_comm_t comm);
XCOLL_API xcoll_result_t xcoll_isendrecv(const void *send, size_t sendcount, int dest, int sendtag, void *recv,
                                         size_t recvcount, int source, int recvtag, xcoll_dtype_t dtype,
                                         xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_sendrecv_init(const void *send, size_t sendcount, int dest, int sendtag, void *recv,
                                             size_t recvcount, int source, int recvtag, xcoll_dtype_t dtype,
                                             xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_sendrecv_enqueue(const void *send, size_t sendcount, int dest, int sendtag, void *recv,
                                                size_t recvcount, int source, int recvtag, xcoll_dtype_t dtype,
                                                xcoll_comm_t comm, xcoll_stream_t stream);

/* Without any communicator: inout becomes in op inout, element by element, with the same arithmetic as in xcoll_reduce.
 * Not for XCOLL_AVG, which needs a number of ranks, nor for premultiplied sums. in and inout are different memory or
 * the same. */
XCOLL_API xcoll_result_t xcoll_reduce_local(const void *in, void *inout, size_t count, xcoll_dtype_t dtype,
                                            xcoll_op_t op);

/* ------------------------------------------------------------------------------------------- distributed tensors */

/* As from_dim and to_dim of xcoll_reshard, where no dimension is split. */
enum {
    XCOLL_REPLICATED = -1, /* every rank has all of the tensor */
    XCOLL_PARTIAL = -2     /* from_dim only: every rank has a tensor of the whole shape, and their sum is meant */
};

/* A tensor that is split over the ranks along one dimension. Start with xcoll_tensor_defaults(&tensor, sizeof tensor);
 * zero is the default of every field but struct_size, dtype, ndim and shape. */
typedef struct xcoll_tensor {
    size_t struct_size;          /* sizeof(xcoll_tensor_t) */
    xcoll_dtype_t dtype;         /* a predefined type */
    int32_t ndim;                /* 1 to 16 */
    const int64_t *shape;        /* of the whole tensor: ndim lengths */
    const int64_t *send_strides; /* elements from one index to the next in this rank's part; NULL: packed, row by row */
    const int64_t *recv_strides; /* the same of what it receives */
    const int64_t *from_first;   /* by rank: its first index of from_dim, with from_count; NULL: one behind the other */
    const int64_t *from_count;   /* by rank: how many; NULL: as even as possible, the first ranks have one more */
    const int64_t *to_first;     /* the same of to_dim */
    const int64_t *to_count;
    xcoll_op_t op;  /* what becomes of elements that several ranks have; 0: the lowest rank's copy counts */
    uint32_t flags; /* 0 */
} xcoll_tensor_t;
/* Zeroes the struct and sets struct_size. */
XCOLL_API xcoll_result_t xcoll_tensor_defaults(xcoll_tensor_t *tensor, size_t struct_size);

/* A tensor that is split along from_dim becomes one that is split along to_dim: send is this rank's part before, recv
 * its part after. Every element goes straight to its place, whatever the strides. One call makes split heads of a split
 * sequence and the other way round, cuts a dimension anew (from_dim == to_dim), gathers (to XCOLL_REPLICATED), or adds
 * up and splits along any dimension (from XCOLL_PARTIAL; op 0 is XCOLL_SUM).
 * Parts may differ in size, be empty, and overlap: each rank receives all that its part covers, such as key and value
 * heads that several ranks need. Where parts of from_dim overlap and op is given, op reduces the copies of their
 * holders, which is the way back; AVG divides by the number of holders. With XCOLL_REPLICATED everybody is a holder.
 * dtype, shape, all parts, from_dim and to_dim are equal on all ranks; strides are each rank's own. send and recv are
 * different memory. In a group it is joined with what else moves data, unless it reduces. */
XCOLL_API xcoll_result_t xcoll_reshard(const void *send, void *recv, const xcoll_tensor_t *tensor, int from_dim,
                                       int to_dim, xcoll_comm_t comm);
XCOLL_API xcoll_result_t xcoll_ireshard(const void *send, void *recv, const xcoll_tensor_t *tensor, int from_dim,
                                        int to_dim, xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_reshard_init(const void *send, void *recv, const xcoll_tensor_t *tensor, int from_dim,
                                            int to_dim, xcoll_comm_t comm, xcoll_request_t *request);
XCOLL_API xcoll_result_t xcoll_reshard_enqueue(const void *send, void *recv, const xcoll_tensor_t *tensor, int from_dim,
                                               int to_dim, xcoll_comm_t comm, xcoll_stream_t stream);

/* --------------------------------------------------------------------------------------------------- groups */

/* Calls between xcoll_group_start and xcoll_group_end run together: nothing runs before the end, then all is under way
 * at once, on any number of communicators. What only moves data is joined into one exchange for each communicator, and
 * small reductions of the first stage by predefined operators are joined where all ranks share memory.
 * All ranks make the same calls of a communicator within a group, in the same order. Groups belong to the thread, which
 * ends or cancels them before it ends, and nest: inner ones are part of the outermost. If a call fails, its error comes
 * back at once and again from the end of the group, and nothing of the group runs on this rank: others that wait for it
 * get XCOLL_ERR_MISMATCH. So do those who would have received its messages, or wait for them to be received; those
 * messages are lost.
 * A function with an i gets a request of its own, which may be used after the end; _init is XCOLL_ERR_STATE. */
XCOLL_API xcoll_result_t xcoll_group_start(void);
/* Returns when all calls of the group are done, with the first error. */
XCOLL_API xcoll_result_t xcoll_group_end(void);
/* Returns at once with a request for all of them: part k of it is the k-th call of the group. */
XCOLL_API xcoll_result_t xcoll_group_iend(xcoll_request_t *request);
/* Starts nothing: makes a persistent request of the group. */
XCOLL_API xcoll_result_t xcoll_group_end_init(xcoll_request_t *request);
/* What follows in this group begins when what came before is complete on this rank. */
XCOLL_API xcoll_result_t xcoll_group_then(void);
/* Forgets the calls of all open groups of this thread, and closes them; nothing runs. Requests of such calls are done
 * with XCOLL_ERR_ABORTED. All ranks do it or none. */
XCOLL_API xcoll_result_t xcoll_group_cancel(void);

/* ------------------------------------------------------------------------------------------------- requests */

/* What became of a request. */
typedef struct xcoll_status {
    xcoll_result_t result; /* XCOLL_IN_PROGRESS if it is not done */
    int32_t source;        /* of a received message: its sender */
    int32_t tag;           /* of a received message */
    int32_t rank;          /* at fault, as far as this rank can tell: it died, called something else, sent too much or
                              did not come. XCOLL_UNDEFINED: nobody */
    uint64_t bytes;        /* of a received message */
    uint64_t sequence;     /* the number of the operation */
    uint64_t elapsed_ns;   /* from the start on this rank until it was done; of several operations the longest. 1: no
                              time at all, or not timed, as a persistent one is not whose last end nobody asked a
                              status of */
    uint64_t reserved[3];  /* 0 */
} xcoll_status_t;

/* Moves what is in flight. *done becomes 1 when the operation has finished: then its result is returned and *request
 * becomes XCOLL_REQUEST_NULL, after an error too; a persistent request stays, inactive. Otherwise *done becomes 0. A
 * NULL or inactive request is finished. */
XCOLL_API xcoll_result_t xcoll_test(xcoll_request_t *request, int *done);
/* Returns when the operation has finished, with its result; *request as after xcoll_test. */
XCOLL_API xcoll_result_t xcoll_wait(xcoll_request_t *request);
/* The same for at most so long, < 0: no limit. Running out of time is no error: *done becomes 0. status may be NULL. */
XCOLL_API xcoll_result_t xcoll_wait_for(xcoll_request_t *request, int64_t timeout_ms, int *done,
                                        xcoll_status_t *status);
/* Waits for all of them, after an error too; returns the first error in the order of the array. */
XCOLL_API xcoll_result_t xcoll_waitall(size_t count, xcoll_request_t requests[]);
/* The same, and statuses[i] tells about requests[i]; statuses may be NULL. */
XCOLL_API xcoll_result_t xcoll_waitall_status(size_t count, xcoll_request_t requests[], xcoll_status_t statuses[]);
/* Waits for one of them; *index becomes count if there is none to wait for. */
XCOLL_API xcoll_result_t xcoll_waitany(size_t count, xcoll_request_t requests[], size_t *index);

/* Starts a persistent request that is not active. */
XCOLL_API xcoll_result_t xcoll_start(xcoll_request_t *request);
/* Starts all of them, in this order; none, if one is active, is not persistent or is there twice. All are active then,
 * also those whose communicator has failed, of which the first error is returned: wait for them. */
XCOLL_API xcoll_result_t xcoll_startall(size_t count, xcoll_request_t requests[]);
/* Stream-ordered: stream is NULL on communicators of processors; returns when it is done. */
XCOLL_API xcoll_result_t xcoll_start_enqueue(xcoll_request_t *request, xcoll_stream_t stream);

/* One call of a group: is it done? Waits for it alone. The request stays, also when all its parts are done. The parts
 * of a NULL or inactive request are done. */
XCOLL_API xcoll_result_t xcoll_test_part(xcoll_request_t request, size_t part, int *done);
XCOLL_API xcoll_result_t xcoll_wait_part(xcoll_request_t request, size_t part);

/* Which buffer of a call. */
enum {
    XCOLL_SLOT_SEND = 0,
    XCOLL_SLOT_RECV = 1, /* bcast, send and recv have one buffer: either number means it */
    XCOLL_SLOT_B = 2,    /* this and the next: of products */
    XCOLL_SLOT_BIAS = 3
};
/* A persistent request that is not active uses another buffer of the same size from its next start on: that of call
 * `part` of its group, 0 for a request of one call. A call in place has one buffer, which moves as a whole,
 * also if its addresses were given. A buffer that is not used on this rank, or of no bytes, may be anything. Local. */
XCOLL_API xcoll_result_t xcoll_request_rebind(xcoll_request_t request, size_t part, int slot, void *buffer);

/* fn(context, status) is called once when the request is done, by whichever thread finds that: one that waits or tests,
 * for this request or another one, before it can see that it is done; or by this call, if it is done already. For a
 * persistent request: once for every start. It must not use the communicators of the request, which returns
 * XCOLL_ERR_STATE, nor wait for what another rank does only after this request. One fn for a request. */
XCOLL_API xcoll_result_t xcoll_request_on_done(xcoll_request_t request,
                                               void (*fn)(void *context, const xcoll_status_t *status), void *context);

/* Gives up a request, which becomes XCOLL_REQUEST_NULL. One that is in flight ends its communicator: XCOLL_ERR_ABORTED.
 */
XCOLL_API xcoll_result_t xcoll_request_free(xcoll_request_t *request);

#ifdef __cplusplus
}
#endif
#endif
