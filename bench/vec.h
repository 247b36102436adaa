/* 64-byte vectors for any instruction set: the compiler splits them where the machine's are shorter. */
#ifndef BENCH_VEC_H
#define BENCH_VEC_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "contender.h"

typedef uint64_t vec_u64 __attribute__((vector_size(64), aligned(1), may_alias));
typedef float vec_f32 __attribute__((vector_size(64), aligned(1), may_alias));
typedef uint32_t vec_u32 __attribute__((vector_size(64), aligned(1), may_alias));
typedef uint16_t vec_u16 __attribute__((vector_size(32), aligned(1), may_alias));

/* STRING is one instruction, for copies only. Where there is none it is CACHED. DEMOTED is CACHED, and vec_demote()
 * behind the announcement. */
enum store { STORE_CACHED, STORE_STREAM, STORE_STRING, STORE_DEMOTED };

/* Not libc's memcpy, which is any of these, by size and machine. */
static inline __attribute__((always_inline)) void vec_put(char *at, vec_u64 value, enum store store) {
#if defined(__AVX512F__)
    if (store == STORE_STREAM) {
        _mm512_stream_si512((__m512i *)(void *)at, (__m512i)value);
        return;
    }
#elif defined(__AVX2__)
    if (store == STORE_STREAM) {
        __m256i half[2];
        memcpy(half, &value, sizeof half);
        _mm256_stream_si256((__m256i *)(void *)at, half[0]);
        _mm256_stream_si256((__m256i *)(void *)(at + 32), half[1]);
        return;
    }
#else
    (void)store;
#endif
    *(vec_u64 *)at = value;
}

/* Makes streamed stores visible before whatever is stored next. */
static inline void vec_drain(enum store store) {
#if defined(__x86_64__)
    if (store == STORE_STREAM) {
        _mm_sfence();
    }
#else
    (void)store;
#endif
}

/* Sends lines on to the cache that all cores share, where the processor can (CLDEMOTE). */
static inline void vec_demote(const char *at, size_t bytes, enum store store) {
#if defined(__x86_64__)
    for (size_t i = 0; store == STORE_DEMOTED && i < bytes; i += 64) {
        __asm__ volatile("cldemote %0" ::"m"(at[i]));
    }
#else
    (void)at;
    (void)bytes;
    (void)store;
#endif
}

static inline float bf16_to_f32(uint16_t half) {
    const uint32_t bits = (uint32_t)half << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint16_t f32_to_bf16(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

static inline __attribute__((always_inline)) vec_u64 vec_add_f32(vec_u64 a, vec_u64 b) {
    return (vec_u64)((vec_f32)a + (vec_f32)b);
}

/* The lower and the upper halves of 16 words are added apart, so that nothing has to be widened or packed. */
static inline __attribute__((always_inline)) vec_u64 vec_add_bf16(vec_u64 a, vec_u64 b) {
#if defined(__AVX512BF16__) && defined(__AVX512BW__)
    const __m512i top = _mm512_set1_epi32((int)0xffff0000u);
    const __m512 low =
        _mm512_add_ps((__m512)_mm512_slli_epi32((__m512i)a, 16), (__m512)_mm512_slli_epi32((__m512i)b, 16));
    const __m512 high =
        _mm512_add_ps((__m512)_mm512_and_si512((__m512i)a, top), (__m512)_mm512_and_si512((__m512i)b, top));
    const __m512i low_bits = _mm512_cvtepu16_epi32((__m256i)_mm512_cvtneps_pbh(low));
    const __m512i high_bits = _mm512_slli_epi32(_mm512_cvtepu16_epi32((__m256i)_mm512_cvtneps_pbh(high)), 16);
    return (vec_u64)_mm512_or_si512(low_bits, high_bits);
#else
    const vec_u32 low = (vec_u32)((vec_f32)((vec_u32)a << 16) + (vec_f32)((vec_u32)b << 16));
    const vec_u32 high = (vec_u32)((vec_f32)((vec_u32)a & 0xffff0000u) + (vec_f32)((vec_u32)b & 0xffff0000u));
    const vec_u32 low_bits = (low + 0x7fff + ((low >> 16) & 1)) >> 16;
    const vec_u32 high_bits = (high + 0x7fff + ((high >> 16) & 1)) & 0xffff0000u;
    return (vec_u64)(low_bits | high_bits);
#endif
}

static inline __attribute__((always_inline)) vec_u64 vec_add(vec_u64 a, vec_u64 b, enum dtype dtype) {
    return dtype == DTYPE_F32 ? vec_add_f32(a, b) : vec_add_bf16(a, b);
}

/* Fewer than 64 bytes, a whole number of elements. */
static inline void tail_copy(char *to, const char *from, size_t bytes) {
#if defined(__AVX512BW__)
    const __mmask64 mask = (1ull << bytes) - 1;
    _mm512_mask_storeu_epi8(to, mask, _mm512_maskz_loadu_epi8(mask, from));
#else
    for (; bytes >= 8; bytes -= 8, to += 8, from += 8) {
        memcpy(to, from, 8);
    }
    for (; bytes >= 2; bytes -= 2, to += 2, from += 2) {
        memcpy(to, from, 2);
    }
#endif
}

static inline void tail_add(char *to, const char *a, const char *b, size_t bytes, enum dtype dtype) {
#if defined(__AVX512BW__)
    const __mmask64 mask = (1ull << bytes) - 1;
    const vec_u64 sum =
        vec_add((vec_u64)_mm512_maskz_loadu_epi8(mask, a), (vec_u64)_mm512_maskz_loadu_epi8(mask, b), dtype);
    _mm512_mask_storeu_epi8(to, mask, (__m512i)sum);
#else
    for (size_t at = 0; at < bytes; at += dtype_size(dtype)) {
        if (dtype == DTYPE_F32) {
            float x, y;
            memcpy(&x, a + at, 4);
            memcpy(&y, b + at, 4);
            x += y;
            memcpy(to + at, &x, 4);
        } else {
            uint16_t x, y;
            memcpy(&x, a + at, 2);
            memcpy(&y, b + at, 2);
            x = f32_to_bf16(bf16_to_f32(x) + bf16_to_f32(y));
            memcpy(to + at, &x, 2);
        }
    }
#endif
}

/* Streamed stores need `to` on a 64-byte line. */
static inline __attribute__((always_inline)) void copy_as(char *to, const char *from, size_t bytes, enum store store) {
    size_t at = 0;
    for (; at + 256 <= bytes; at += 256) {
        const vec_u64 a = *(const vec_u64 *)(from + at), b = *(const vec_u64 *)(from + at + 64);
        const vec_u64 c = *(const vec_u64 *)(from + at + 128), d = *(const vec_u64 *)(from + at + 192);
        vec_put(to + at, a, store);
        vec_put(to + at + 64, b, store);
        vec_put(to + at + 128, c, store);
        vec_put(to + at + 192, d, store);
    }
    for (; at + 64 <= bytes; at += 64) {
        vec_put(to + at, *(const vec_u64 *)(from + at), store);
    }
    if (at < bytes) {
        tail_copy(to + at, from + at, bytes - at);
    }
}

static inline __attribute__((always_inline)) void add_as(char *to, const char *a, const char *b, size_t bytes,
                                                         enum dtype dtype, enum store store) {
    size_t at = 0;
    for (; at + 256 <= bytes; at += 256) {
        for (size_t lane = 0; lane < 256; lane += 64) {
            vec_put(to + at + lane,
                    vec_add(*(const vec_u64 *)(a + at + lane), *(const vec_u64 *)(b + at + lane), dtype), store);
        }
    }
    for (; at + 64 <= bytes; at += 64) {
        vec_put(to + at, vec_add(*(const vec_u64 *)(a + at), *(const vec_u64 *)(b + at), dtype), store);
    }
    if (at < bytes) {
        tail_add(to + at, a + at, b + at, bytes - at, dtype);
    }
}

static inline void vec_copy(void *to, const void *from, size_t bytes, enum store store) {
#if defined(__x86_64__)
    if (store == STORE_STRING) {
        __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes)::"memory");
        return;
    }
#endif
    if (store == STORE_STREAM) {
        copy_as((char *)to, (const char *)from, bytes, STORE_STREAM);
    } else {
        copy_as((char *)to, (const char *)from, bytes, STORE_CACHED);
    }
}

/* to = a + b. `to` may be a or b. */
static inline void vec_sum(void *to, const void *a, const void *b, size_t bytes, enum dtype dtype, enum store store) {
    if (dtype == DTYPE_F32 && store == STORE_STREAM) {
        add_as((char *)to, (const char *)a, (const char *)b, bytes, DTYPE_F32, STORE_STREAM);
    } else if (dtype == DTYPE_F32) {
        add_as((char *)to, (const char *)a, (const char *)b, bytes, DTYPE_F32, STORE_CACHED);
    } else if (store == STORE_STREAM) {
        add_as((char *)to, (const char *)a, (const char *)b, bytes, DTYPE_BF16, STORE_STREAM);
    } else {
        add_as((char *)to, (const char *)a, (const char *)b, bytes, DTYPE_BF16, STORE_CACHED);
    }
}

#endif
