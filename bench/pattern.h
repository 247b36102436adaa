/* What the measured programs write into their buffers and read out of them. All values are small integers, so that
 * every sum is exact in every type. */
#ifndef BENCH_PATTERN_H
#define BENCH_PATTERN_H

#include "contender.h"

/* One value everywhere, another one in the next iteration; and the sum of those of the ranks first .. end - 1. */
int produced(int iteration, int rank);
int produced_sum(int iteration, int first, int end);
void produce(void *buffer, size_t bytes, enum dtype dtype, int value);
/* Reads everything; returns 0 when every element is `value`. */
unsigned long consume(const void *buffer, size_t bytes, enum dtype dtype, int value);

/* A value of its own at every place. */
void fill(void *buffer, size_t count, enum dtype dtype, int rank);
/* The number of received elements of this span that differ from what its ranks filled in. */
size_t wrong_elements(const void *received, enum dtype dtype, const struct span *span);

#endif
