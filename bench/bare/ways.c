#define _GNU_SOURCE
#include "ways.h"

#include <stdio.h>
#include <stdlib.h>

enum { kib = 1 << 10, mib = 1 << 20 };

#define ANY SIZE_MAX
#define CACHED STORE_CACHED
#define STREAM STORE_STREAM
#define STRING STORE_STRING
#define DEMOTED STORE_DEMOTED
/* A ring of 4 MiB is larger than an L2: the peer has lost its lines before they are written again. One of 512 KiB stays
 * in the L2 of who writes it. */
static const struct way standard[] = {
    {"lines", OP_BARRIER, 0, 0, LOOP_LINES, 0, 0, CACHED, CACHED},
    {"lines", OP_ALLREDUCE, 0, 7168, LOOP_LINES, 0, 0, CACHED, CACHED},
    {"two", OP_ALLREDUCE, 0, mib, LOOP_RING, 0, ANY, CACHED, CACHED},
    {"two_nt", OP_ALLREDUCE, 512, mib, LOOP_RING, 0, ANY, STREAM, CACHED},
    {"two_steps", OP_ALLREDUCE, kib, 16 * kib, LOOP_RING, 64 * kib, 0, CACHED, CACHED},
    {"swap", OP_ALLREDUCE, 256, mib, LOOP_SWAP, 0, ANY, CACHED, CACHED},
    {"swap_demoted", OP_ALLREDUCE, 128, 16 * kib, LOOP_SWAP, 0, ANY, DEMOTED, CACHED},
    {"swap_chunks", OP_ALLREDUCE, 64 * kib, ANY, LOOP_SWAP, 128 * kib, 32 * kib, CACHED, CACHED},
    {"swap_string", OP_ALLREDUCE, 4 * kib, mib, LOOP_SWAP, 0, ANY, STRING, CACHED},
    {"swap_chunks_string", OP_ALLREDUCE, 64 * kib, ANY, LOOP_SWAP, 128 * kib, 32 * kib, STRING, CACHED},
    {"ring", OP_ALLREDUCE, kib, ANY, LOOP_RING, 4 * mib, 8 * kib, CACHED, CACHED},
    {"ring_l2", OP_ALLREDUCE, 64 * kib, ANY, LOOP_RING, 512 * kib, 32 * kib, CACHED, CACHED},
    {"ring_stream", OP_ALLREDUCE, mib, ANY, LOOP_RING, 512 * kib, 32 * kib, CACHED, STREAM},
    {"ring_nt", OP_ALLREDUCE, kib, ANY, LOOP_RING, 512 * kib, 8 * kib, STREAM, CACHED},
    {"ring_nt_32k", OP_ALLREDUCE, 32 * kib, ANY, LOOP_RING, mib, 32 * kib, STREAM, CACHED},
    {"halves", OP_ALLREDUCE, 4 * kib, ANY, LOOP_HALVES, 2 * mib, 16 * kib, CACHED, CACHED},
    {"halves_l2", OP_ALLREDUCE, 64 * kib, ANY, LOOP_HALVES, 512 * kib, 16 * kib, CACHED, CACHED},
    {"halves_nt", OP_ALLREDUCE, 4 * kib, ANY, LOOP_HALVES, mib, 32 * kib, STREAM, CACHED},
    {"shared", OP_ALLREDUCE, 0, ANY, LOOP_SHARED, 0, 0, CACHED, CACHED},
    {"lines", OP_BCAST, 0, 7168, LOOP_LINES, 0, 0, CACHED, CACHED},
    {"two", OP_BCAST, 0, mib, LOOP_RING, 0, ANY, CACHED, CACHED},
    {"two_demoted", OP_BCAST, 128, 16 * kib, LOOP_RING, 0, ANY, DEMOTED, CACHED},
    {"ring", OP_BCAST, kib, ANY, LOOP_RING, 4 * mib, 16 * kib, CACHED, CACHED},
    {"ring_nt", OP_BCAST, kib, ANY, LOOP_RING, 4 * mib, 16 * kib, STREAM, CACHED},
    {"ring_string", OP_BCAST, kib, ANY, LOOP_RING, 4 * mib, 16 * kib, STRING, STRING},
    {"ring_string_64k", OP_BCAST, 64 * kib, ANY, LOOP_RING, 4 * mib, 64 * kib, STRING, STRING},
};
enum { standard_count = sizeof standard / sizeof standard[0] };

/* Between two ranks; the operation is filled in. The limit of lines is in messages. */
static const struct way between_two[] = {
    {"lines", OP_BARRIER, 0, 7168, LOOP_PAIR_LINES, 2, 0, CACHED, CACHED},
    {"lines_ahead", OP_BARRIER, 0, 7168, LOOP_PAIR_LINES, most_line_messages, 0, CACHED, CACHED},
    {"two", OP_BARRIER, 256, mib, LOOP_PAIR_SLOTS, 0, ANY, CACHED, CACHED},
    {"two_nt", OP_BARRIER, 512, mib, LOOP_PAIR_SLOTS, 0, ANY, STREAM, CACHED},
    {"ring", OP_BARRIER, 512, ANY, LOOP_PAIR_SLOTS, 4 * mib, 8 * kib, CACHED, CACHED},
    {"ring_l2", OP_BARRIER, 64 * kib, ANY, LOOP_PAIR_SLOTS, 512 * kib, 32 * kib, CACHED, CACHED},
    {"ring_nt", OP_BARRIER, 4 * kib, ANY, LOOP_PAIR_SLOTS, 512 * kib, 16 * kib, STREAM, CACHED},
    {"ring_string", OP_BARRIER, 4 * kib, ANY, LOOP_PAIR_SLOTS, 4 * mib, 16 * kib, STRING, STRING},
    {"swap_lines", OP_BARRIER, 0, 7168, LOOP_PAIR_SWAPPED_LINES, 1, 0, CACHED, CACHED},
    {"swap", OP_BARRIER, 256, mib, LOOP_PAIR_SWAPPED_SLOTS, 0, ANY, CACHED, CACHED},
};

/* What one rank sends, in parts as a size is meant: at most so many times that. */
static size_t most_parts(enum op op) {
    switch (op) {
    case OP_GROUP:
    case OP_GROUP_ALLREDUCE:
        return group_calls;
    case OP_REDUCE:
    case OP_SCAN:
    case OP_EXSCAN:
    case OP_SENDRECV:
    case OP_PINGPONG:
        return 1;
    default:
        return 2;
    }
}

/* In each call as much goes as comes. */
static int in_turn(enum op op) {
    switch (op) {
    case OP_REDUCE_SCATTER:
    case OP_ALLGATHER:
    case OP_ALLTOALL:
    case OP_ALLTOALLV:
    case OP_GROUP:
    case OP_GROUP_ALLREDUCE:
    case OP_SENDRECV:
    case OP_PINGPONG:
    case OP_HALO:
        return 1;
    default:
        return 0;
    }
}

static int add_between_two(struct ways *found, int ways) {
    for (enum op op = OP_REDUCE; op <= OP_GROUP_ALLREDUCE; op++) {
        for (size_t i = 0; i < sizeof between_two / sizeof between_two[0]; i++) {
            struct way *way = &found->ways[ways];
            *way = between_two[i];
            way->op = op;
            way->most = way->most == ANY ? ANY : way->most / most_parts(op);
            ways += in_turn(op) || !swaps(way->loop);
        }
    }
    return ways;
}

static int parse_store(const char *text, enum store *store) {
    *store = strcmp(text, "stream") == 0 ? STORE_STREAM : strcmp(text, "string") == 0 ? STORE_STRING : STORE_CACHED;
    return *store != STORE_CACHED || strcmp(text, "cached") == 0;
}

static int parse_way(char *text, struct way *way) {
    char *loop, *slot, *result;
    int end = 0;
    if (sscanf(text, "%*[^:]:%m[^:]:%zu:%zu:%m[^:]:%m[a-z]%n", &loop, &way->limit, &way->chunk, &slot, &result, &end) !=
            5 ||
        text[end] != 0) {
        return 0;
    }
    way->op = OP_ALLREDUCE;
    way->most = ANY;
    way->loop = strcmp(loop, "ring") == 0 ? LOOP_RING : strcmp(loop, "swap") == 0 ? LOOP_SWAP : LOOP_HALVES;
    const int known = way->loop != LOOP_HALVES || strcmp(loop, "halves") == 0;
    /* The chunks of a ring that are in use at once; see ring.c and halves.c. */
    const int fits =
        way->limit <= 8 * mib && way->chunk > 0 && way->chunk % line_bytes == 0 && way->limit / way->chunk >= 8;
    return known && fits && parse_store(slot, &way->slot) && parse_store(result, &way->result);
}

int find_ways(struct ways *found, int count, char **texts) {
    int ways = 0;
    for (; ways < standard_count; ways++) {
        found->ways[ways] = standard[ways];
    }
    ways = add_between_two(found, ways);
    for (int i = 0; i < count && ways < most_ways; i++, ways++) {
        if (!parse_way(texts[i], &found->ways[ways])) {
            return 0;
        }
        texts[i][strcspn(texts[i], ":")] = 0;
        found->ways[ways].name = texts[i];
    }
    for (int i = 0; i < ways; i++) {
        const struct way *way = &found->ways[i];
        const struct variant variant = {
            way->name,  way->op,   way->loop == LOOP_SHARED ? MEMORY_SHARED : MEMORY_PRIVATE,
            way->least, way->most, way->loop >= LOOP_SWAP ? pair : most_ranks};
        found->variants[i] = variant;
    }
    return 1;
}
