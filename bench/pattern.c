#include "pattern.h"

#include "vec.h"

int produced(int iteration, int rank) {
    return iteration % 7 + 1 + rank;
}

int produced_sum(int iteration, int first, int end) {
    return (end - first) * (iteration % 7 + 1) + (first + end - 1) * (end - first) / 2;
}

static vec_u64 everywhere(enum dtype dtype, int value) {
    const float number = (float)value;
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    if (dtype == DTYPE_BF16) {
        bits |= bits >> 16;
    }
    vec_u32 words = {0};
    return (vec_u64)(words + bits);
}

void produce(void *buffer, size_t bytes, enum dtype dtype, int value) {
    const vec_u64 values = everywhere(dtype, value);
    char *to = buffer;
    size_t at = 0;
    for (; at + 256 <= bytes; at += 256) {
        for (size_t lane = 0; lane < 256; lane += 64) {
            vec_put(to + at + lane, values, STORE_CACHED);
        }
    }
    for (; at + 64 <= bytes; at += 64) {
        vec_put(to + at, values, STORE_CACHED);
    }
    if (at < bytes) {
        tail_copy(to + at, (const char *)&values, bytes - at);
    }
}

unsigned long consume(const void *buffer, size_t bytes, enum dtype dtype, int value) {
    const vec_u64 values = everywhere(dtype, value);
    const char *from = buffer;
    vec_u64 wrong[4] = {{0}, {0}, {0}, {0}};
    size_t at = 0;
    for (; at + 256 <= bytes; at += 256) {
        for (size_t lane = 0; lane < 4; lane++) {
            wrong[lane] |= *(const vec_u64 *)(from + at + 64 * lane) ^ values;
        }
    }
    for (; at + 64 <= bytes; at += 64) {
        wrong[0] |= *(const vec_u64 *)(from + at) ^ values;
    }
    if (at < bytes) {
        vec_u64 rest = values;
        tail_copy((char *)&rest, from + at, bytes - at);
        wrong[0] |= rest ^ values;
    }
    const vec_u64 all = wrong[0] | wrong[1] | wrong[2] | wrong[3];
    return all[0] | all[1] | all[2] | all[3] | all[4] | all[5] | all[6] | all[7];
}

/* At most 15, so that eight ranks add up to numbers that bf16 still holds. 31 is prime: no period of a cache line. */
static int filled(size_t index, int rank) {
    return (int)((index % 31 * 5 + (size_t)rank * 3) % 16);
}

void fill(void *buffer, size_t count, enum dtype dtype, int rank) {
    for (size_t i = 0; i < count; i++) {
        if (dtype == DTYPE_F32) {
            ((float *)buffer)[i] = (float)filled(i, rank);
        } else {
            ((uint16_t *)buffer)[i] = f32_to_bf16((float)filled(i, rank));
        }
    }
}

size_t wrong_elements(const void *received, enum dtype dtype, const struct span *span) {
    size_t wrong = 0;
    for (size_t i = 0; i < span->count; i++) {
        int sum = 0;
        for (int rank = span->first; rank < span->end; rank++) {
            sum += filled(span->from + i, rank);
        }
        const size_t at = span->at + i;
        const float found =
            dtype == DTYPE_F32 ? ((const float *)received)[at] : bf16_to_f32(((const uint16_t *)received)[at]);
        wrong += found != (float)sum;
    }
    return wrong;
}
