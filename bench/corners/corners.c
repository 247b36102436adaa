/* What programs do beside plain collectives, and what no table of sizes shows: messages that are received in another
 * order than they were sent, types with gaps, operators of their own, many calls at once, communicators for a while.
 *
 * Compiled for each library (library.h). Prints a line for each case: its name and the median of its batches, in us. */
#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "library.h"

enum { batches = 9, most_calls = 1000, blocks = 1000, columns = 131072, truths = 65536 };

static comm_t world;
static int rank;
static op_t own_sum;
static type_t column, pieces;
static count_t counts[blocks];
static place_t places[blocks];
static double *matrix, *other, numbers[most_calls];
static unsigned char *bytes;

static double now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

/* Two messages, and an answer. */
static void receive_two(int first, int second) {
    if (rank == 0) {
        must(send(bytes, 8, BYTE, 1, 1, world));
        must(send(bytes, 8, BYTE, 1, 2, world));
        must(recv(bytes, 8, BYTE, 1, 3, world));
    } else {
        must(recv(bytes, 8, BYTE, 0, first, world));
        must(recv(bytes, 8, BYTE, 0, second, world));
        must(send(bytes, 8, BYTE, 0, 3, world));
    }
}
static void two_in_order(void) {
    receive_two(1, 2);
}
static void two_swapped(void) {
    receive_two(2, 1);
}

static void there_and_back(void *out, void *in, type_t type) {
    if (rank == 0) {
        must(send(out, 1, type, 1, 1, world));
        must(recv(in, 1, type, 1, 1, world));
    } else {
        must(recv(in, 1, type, 0, 1, world));
        must(send(out, 1, type, 0, 1, world));
    }
}
static void vector_there_and_back(void) {
    there_and_back(matrix, other, column);
}
static void pieces_there_and_back(void) {
    there_and_back(matrix, other, pieces);
}
static void pieces_to_all(void) {
    must(bcast(matrix, 1, pieces, world));
}
static void make_pieces(void) {
    type_t type = indexed_of(blocks, counts, places);
    must(type_free(&type));
}
static void sum_by_own_operator(void) {
    must(allreduce(numbers, 1, FLOAT64, own_sum, world));
}
static void sum(void) {
    must(allreduce(numbers, 1, FLOAT64, SUM, world));
}
static void join_truths(void) {
    must(allreduce(bytes, truths, TRUTH, LAND, world));
}
static void sums_at_once(int calls) {
    must(group_begin());
    for (int i = 0; i < calls; ++i) {
        must(allreduce(numbers + i, 1, FLOAT64, SUM, world));
    }
    must(group_end());
}
static void sums_200_at_once(void) {
    sums_at_once(200);
}
static void sums_1000_at_once(void) {
    sums_at_once(most_calls);
}
static void burst(void) {
    enum { messages = 100 };
    request_t requests[messages];
    for (int i = 0; i < messages; ++i) {
        if (rank == 0) {
            must(isend(bytes + 8 * i, 8, BYTE, 1, 1, world, &requests[i]));
        } else {
            must(irecv(bytes + 8 * i, 8, BYTE, 0, 1, world, &requests[i]));
        }
    }
    must(waitall(messages, requests));
    must(barrier(world));
}
static void a_copy_of_the_communicator(void) {
    comm_t made;
    must(dup(world, &made));
    must(comm_free(&made));
}
static void a_part_of_the_communicator(void) {
    comm_t made;
    must(split(world, rank, &made));
    must(comm_free(&made));
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Batches of some milliseconds, as many calls in each on all ranks. */
static void measure(const char *name, void (*run)(void), int calls) {
    double times[batches];
    run();
    for (int b = 0; b < batches; ++b) {
        must(barrier(world));
        const double start = now_us();
        for (int i = 0; i < calls; ++i) {
            run();
        }
        times[b] = (now_us() - start) / calls;
    }
    qsort(times, batches, sizeof *times, ascending);
    if (rank == 0) {
        printf("%s\t%.4f\n", name, times[batches / 2]);
    }
}

static void *room(size_t size) {
    void *made = calloc(1, size);
    if (!made) {
        fprintf(stderr, "corners: no memory\n");
        exit(1);
    }
    return made;
}

static void prepare(void) {
    matrix = room(2 * columns * sizeof *matrix);
    other = room(2 * columns * sizeof *other);
    bytes = room(truths);
    memset(bytes, 1, truths);
    place_t end = 0;
    for (int i = 0; i < blocks; ++i) {
        counts[i] = (count_t)(1 + i * 7 % 4);
        places[i] = end;
        end += (place_t)counts[i] + 1 + i % 3;
    }
    own_sum = own_operator();
    column = vector_of(columns, 2);
    pieces = indexed_of(blocks, counts, places);
}

int main(void) {
    world = world_begin(&rank);
    prepare();
    measure("two messages, received in their order", two_in_order, 2000);
    measure("two messages, received the other way round", two_swapped, 2000);
    measure("a column of 131072 numbers, there and back", vector_there_and_back, 5);
    measure("1000 pieces of an indexed type, there and back", pieces_there_and_back, 50);
    measure("1000 pieces of an indexed type, broadcast", pieces_to_all, 100);
    measure("make and free an indexed type of 1000 pieces", make_pieces, 100);
    measure("allreduce of 8 bytes", sum, 5000);
    measure("allreduce of 8 bytes, operator of the program", sum_by_own_operator, 5000);
    measure("allreduce of 65536 truth values", join_truths, 100);
    measure("200 allreduces of 8 bytes at once", sums_200_at_once, 100);
    measure("1000 allreduces of 8 bytes at once", sums_1000_at_once, 30);
    measure("100 messages of 8 bytes with requests", burst, 300);
    measure("copy and free a communicator", a_copy_of_the_communicator, 100);
    measure("split and free a communicator", a_part_of_the_communicator, 100);
    world_end(&world);
    return 0;
}
