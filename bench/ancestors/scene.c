#define _GNU_SOURCE
#include "scene.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "../probe.h"

enum { most_rounds = 400, most_calls = 4000, most_tries = 4 };

/* From this round trip on the two cores have two L3s; harness/regimes.py tells why. */
static const double far_ns = 190;

xcoll_comm_t world;
int rank, ranks;
static struct party party;
static int rounds = 31;
static double batch_ms = 2;

void must(xcoll_result_t result) {
    if (result == XCOLL_SUCCESS) {
        return;
    }
    fprintf(stderr, "rank %d: %s: %s\n", rank, xcoll_error_name(result), xcoll_last_error());
    exit(1);
}

static void die(const char *what) {
    perror(what);
    exit(1);
}

void *room(size_t bytes) {
    void *at = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) {
        die("mmap");
    }
    memset(at, 0, bytes);
    return at;
}

/* Rank 0 makes the page of the probe, and the others open it through /proc. */
static struct page *share_page(void) {
    int where[2] = {(int)getpid(), -1};
    char name[64];
    if (rank == 0) {
        where[1] = memfd_create("page", MFD_CLOEXEC);
        if (where[1] < 0 || ftruncate(where[1], sizeof(struct page)) != 0) {
            die("memfd_create");
        }
    }
    must(xcoll_bcast(where, 2, XCOLL_INT32, 0, world));
    snprintf(name, sizeof name, "/proc/%d/fd/%d", where[0], where[1]);
    const int descriptor = rank == 0 ? where[1] : open(name, O_RDWR | O_CLOEXEC);
    if (descriptor < 0) {
        die(name);
    }
    void *page = mmap(NULL, sizeof(struct page), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (page == MAP_FAILED) {
        die("mmap");
    }
    must(xcoll_barrier(world));
    close(descriptor);
    return page;
}

void begin(int argc, char **argv, const char *title) {
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--rounds") == 0) {
            rounds = atoi(argv[i + 1]);
        } else if (strcmp(argv[i], "--batch-ms") == 0) {
            batch_ms = atof(argv[i + 1]);
        }
    }
    rounds = rounds > most_rounds ? most_rounds : rounds;
    must(xcoll_init(&world));
    must(xcoll_comm_rank(world, &rank));
    must(xcoll_comm_size(world, &ranks));
    const int crowded = ranks > sysconf(_SC_NPROCESSORS_ONLN);
    party = (struct party){.page = share_page(), .rank = rank, .size = ranks, .crowded = crowded};
    if (rank == 0) {
        printf("### %s, %d ranks\n\n", title, ranks);
    }
}

void end(void) {
    must(xcoll_comm_free(&world));
    must(xcoll_finalize());
}

/* ---------------------------------------------------------------------------------------------- one batch */

struct batch {
    double ns, cpu_ns; /* of the slowest rank, and the mean of all, of one call */
    int disturbed;     /* a core was taken away meanwhile */
};

static double cpu_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static long times_preempted(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_nivcsw : 0;
}

static void loop(const struct scene *scene, void (*run)(void), int count) {
    for (int i = 0; i < count; i++) {
        scene->produce((unsigned)i);
        if (run) {
            run();
        }
        const uint64_t seen = scene->consume();
        __asm__ volatile("" ::"r"(seen));
    }
}

struct times {
    double ns, cpu_ns, preempted;
};

static struct times timed_loop(const struct scene *scene, void (*run)(void), int count) {
    loop(scene, run, 1 + count / 4);
    party_sync(&party, 0);
    const long before = times_preempted();
    const double cpu_start = cpu_ns();
    const uint64_t start = now_ns();
    loop(scene, run, count);
    const struct times times = {(double)(now_ns() - start) / count, (cpu_ns() - cpu_start) / count,
                                (double)(times_preempted() - before)};
    party_sync(&party, 0);
    return times;
}

/* One in which a core was taken away is tried again, a few times. */
static struct batch measure(const struct scene *scene, const struct way *way, int count) {
    struct batch batch;
    int tries = 0;
    do {
        const struct times full = timed_loop(scene, way->run, count), empty = timed_loop(scene, NULL, count);
        double slowest[2] = {full.ns - empty.ns, full.preempted + empty.preempted}, cpu = full.cpu_ns - empty.cpu_ns;
        must(xcoll_allreduce(XCOLL_IN_PLACE, slowest, 2, XCOLL_FLOAT64, XCOLL_MAX, world));
        must(xcoll_allreduce(XCOLL_IN_PLACE, &cpu, 1, XCOLL_FLOAT64, XCOLL_AVG, world));
        batch = (struct batch){slowest[0], cpu, slowest[1] > 0};
    } while (batch.disturbed && !party.crowded && ++tries < most_tries);
    return batch;
}

/* As many iterations as fill a batch; every rank takes rank 0's. */
static int iterations(const struct scene *scene, const struct way *way) {
    timed_loop(scene, way->run, 3);
    const double ns = timed_loop(scene, way->run, 3).ns;
    int count = (int)(batch_ms * 1e6 / (ns > 1 ? ns : 1));
    count = count < 2 ? 2 : count;
    must(xcoll_bcast(&count, 1, XCOLL_INT32, 0, world));
    return count;
}

/* ---------------------------------------------------------------------------------------------- all rounds */

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct batch table[most_rounds][most_ways];
static double round_trips[most_rounds][2];

static int regime(int round) {
    const int first = round_trips[round][0] > far_ns, last = round_trips[round][1] > far_ns;
    return first == last ? first : -1;
}

/* A way's undisturbed batches of this regime, or all of them where they are few. */
static int chosen_batches(int which, int way, struct batch chosen[]) {
    for (int strict = 1; strict >= 0; strict--) {
        int count = 0;
        for (int round = 0; round < rounds; round++) {
            if (regime(round) == which && !(strict && table[round][way].disturbed)) {
                chosen[count++] = table[round][way];
            }
        }
        if (count >= 5 || !strict) {
            return count;
        }
    }
    return 0;
}

static double median_of(const struct batch batches[], int count, int of_cpu, double *least, double *most) {
    static double values[most_rounds];
    for (int i = 0; i < count; i++) {
        values[i] = (of_cpu ? batches[i].cpu_ns : batches[i].ns) / 1e3;
    }
    qsort(values, (size_t)count, sizeof *values, ascending);
    *least = values[0];
    *most = values[count - 1];
    return values[count / 2];
}

static void report(const struct scene *scene, int ways, int which) {
    static struct batch chosen[most_rounds];
    double trip = 0, least, most, first[2] = {0, 0};
    int in_regime = 0;
    for (int round = 0; round < rounds; round++) {
        if (regime(round) == which) {
            trip += round_trips[round][0];
            in_regime++;
        }
    }
    if (in_regime < 5) {
        return;
    }
    printf("%s; %s (ping-pong %.0f ns)\n\n", scene->name, which ? "two L3s" : "one L3", trip / in_regime);
    printf("| | median µs | min | max | n | times xcoll's | CPU µs | times xcoll's | extra KiB |\n"
           "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (int w = 0; w < ways; w++) {
        const int count = chosen_batches(which, w, chosen);
        const double cpu = median_of(chosen, count, 1, &least, &most);
        const double wall = median_of(chosen, count, 0, &least, &most);
        if (w == 0) {
            first[0] = wall;
            first[1] = cpu;
        }
        printf("| %s | %.1f | %.1f | %.1f | %d%s | %.2f | %.1f | %.2f | %zu |\n", scene->ways[w].name, wall, least,
               most, count, count > 0 && chosen[0].disturbed ? " disturbed" : "", wall / first[0], cpu, cpu / first[1],
               (scene->ways[w].extra_bytes + 1023) / 1024);
    }
    printf("\n");
    fflush(stdout);
}

/* Of times in ascending order: how many are in each step of half an octave, if any. */
static void histogram(const double *times, int count) {
    const double step = 1.4142135623730951;
    const int full = 50; /* signs for all calls */
    double limit = 0.125;
    printf("```\n");
    for (int done = 0, here = 0; done < count; limit *= step, here = 0) {
        while (done + here < count && times[done + here] < limit) {
            here++;
        }
        if (here > 0) {
            printf("below %8.2f us %6d %.*s\n", limit, here, (int)((long)here * full / count),
                   "##################################################");
        }
        done += here;
    }
    printf("```\n\n");
}

static void latencies(const struct scene *scene) {
    static double times[most_calls];
    for (int i = 0; i < most_calls; i++) {
        scene->produce((unsigned)i);
        party_sync(&party, 0);
        const uint64_t start = now_ns();
        scene->ways[0].run();
        times[i] = (double)(now_ns() - start) / 1e3;
    }
    qsort(times, most_calls, sizeof *times, ascending);
    if (rank != 0) {
        return;
    }
    printf("single calls, µs: 1 %% %.2f, 10 %% %.2f, median %.2f, 90 %% %.2f, 99 %% %.2f, most %.1f\n\n",
           times[most_calls / 100], times[most_calls / 10], times[most_calls / 2], times[most_calls / 10 * 9],
           times[most_calls / 100 * 99], times[most_calls - 1]);
    histogram(times, most_calls);
}

static void verify(const struct scene *scene, const struct way *way) {
    scene->produce(checked);
    scene->spoil();
    way->run();
    size_t wrong = scene->check();
    if (wrong > 0) {
        fprintf(stderr, "rank %d: %s, %s: %zu wrong results\n", rank, scene->name, way->name, wrong);
    }
    must(xcoll_allreduce(XCOLL_IN_PLACE, &wrong, 1, XCOLL_UINT64, XCOLL_MAX, world));
    if (wrong > 0) {
        exit(1);
    }
}

void play(const struct scene *scene) {
    int ways = 0, counts[most_ways];
    for (; ways < most_ways && scene->ways[ways].name; ways++) {
        verify(scene, &scene->ways[ways]);
        counts[ways] = iterations(scene, &scene->ways[ways]);
    }
    for (int round = 0; round < rounds; round++) {
        round_trips[round][0] = party_probe(&party).round_trip_ns;
        for (int turn = 0; turn < ways; turn++) {
            const int w = (turn + round) % ways;
            table[round][w] = measure(scene, &scene->ways[w], counts[w]);
        }
        round_trips[round][1] = party_probe(&party).round_trip_ns;
    }
    for (int w = 0; w < ways; w++) {
        verify(scene, &scene->ways[w]);
    }
    for (int which = 0; which < 2 && rank == 0; which++) {
        report(scene, ways, which);
    }
    if (scene->collective_latency) {
        latencies(scene);
    }
}
