/* What one rank of a contender does: it waits for commands of the coordinator in a blocking read, so that an idle job
 * disturbs nobody, runs one batch and answers with the times. The commands are lines of text, each with its answer:
 *
 *   check VARIANT OP DTYPE IN_PLACE BYTES
 *   ok WRONG
 *
 *   time VARIANT OP DTYPE IN_PLACE BYTES ONE_ROOT HONEST WARM COUNT
 *   ok LOOP_NS EMPTY_NS WRONG LOST, and the probes before and after
 *
 *   probe
 *   ok ROUND_TRIP_NS FMA_PER_ADD
 *
 *   end
 *
 * ONE_ROOT: rank 0 is the root of all operations; otherwise the root changes every time. LOST: how often the core was
 * taken away meanwhile.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "contender.h"
#include "pattern.h"
#include "probe.h"

enum { largest_message = 64 << 20, line_length = 16384, most_roots = 64 };

struct rank {
    FILE *commands;
    int socket;
    struct party party;
    void *send[MEMORY_COUNT], *recv[MEMORY_COUNT];
};

struct task {
    const struct variant *variant;
    enum dtype dtype;
    int in_place, one_root;
    size_t bytes;
};

static void die(const char *what) {
    fprintf(stderr, "bench: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int pin(int rank) {
    cpu_set_t allowed, mine;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
        die("sched_getaffinity");
    }
    const int cores = CPU_COUNT(&allowed);
    int skip = rank % cores;
    for (int core = 0; core < CPU_SETSIZE; core++) {
        if (!CPU_ISSET((size_t)core, &allowed) || skip-- > 0) {
            continue;
        }
        CPU_ZERO(&mine);
        CPU_SET((size_t)core, &mine);
        if (sched_setaffinity(0, sizeof mine, &mine) != 0) {
            die("sched_setaffinity");
        }
        break;
    }
    return cores;
}

static void connect_to_coordinator(struct rank *self) {
    const char *path = getenv("BENCH_SOCKET");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (path == NULL || strlen(path) >= sizeof address.sun_path) {
        fprintf(stderr, "bench: this program is a part of bench/run.py, which starts it\n");
        exit(1);
    }
    strcpy(address.sun_path, path);
    self->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (self->socket < 0 || connect(self->socket, (struct sockaddr *)&address, sizeof address) != 0) {
        die("connecting to bench/run.py");
    }
}

/* The coordinator answers the greeting with one byte that carries the shared page. */
static struct page *receive_page(struct rank *self) {
    char byte;
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec data = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    if (recvmsg(self->socket, &message, MSG_CMSG_CLOEXEC) != 1) {
        die("receiving the shared page");
    }
    const struct cmsghdr *found = CMSG_FIRSTHDR(&message);
    if (found == NULL || found->cmsg_type != SCM_RIGHTS) {
        die("receiving the shared page");
    }
    int descriptor;
    memcpy(&descriptor, CMSG_DATA(found), sizeof descriptor);
    void *page = mmap(NULL, sizeof(struct page), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (page == MAP_FAILED) {
        die("mapping the shared page");
    }
    close(descriptor);
    return page;
}

static void greet(struct rank *self) {
    char line[line_length];
    int length = snprintf(line, sizeof line, "hello %s %d %d", getenv("BENCH_JOB"), self->party.rank, self->party.size);
    for (const struct variant *variant = contender_variants(); variant->name != NULL; variant++) {
        length += snprintf(line + length, sizeof line - (size_t)length, " %s:%d:%d:%zu:%zu:%d", variant->name,
                           (int)variant->op, (int)variant->memory, variant->min_bytes, variant->max_bytes,
                           variant->max_ranks);
    }
    dprintf(self->socket, "%s\n", line);
    self->party.page = receive_page(self);
    self->commands = fdopen(self->socket, "r");
}

static void *buffer(struct rank *self, void *buffers[], enum memory memory) {
    if (buffers[memory] == NULL) {
        buffers[memory] = contender_alloc(memory, largest_message);
    }
    if (buffers[memory] == NULL) {
        die("allocating buffers");
    }
    (void)self;
    return buffers[memory];
}

/* What a batch calls, and what each of its roots makes of it. */
struct work {
    struct call call;
    size_t input_bytes[most_roots]; /* that this rank writes, of its input */
    struct span *spans[most_roots]; /* that it reads */
    int span_count[most_roots];
    int roots;
    void *input;
};

static int is_rooted(enum op op) {
    return op == OP_BCAST || op == OP_REDUCE || op == OP_GATHER || op == OP_SCATTER || op == OP_GATHERV ||
           op == OP_SCATTERV;
}

static void plan(struct rank *self, const struct task *task, struct work *work) {
    const enum memory memory = task->variant->memory;
    const size_t element = dtype_size(task->dtype);
    void *recv = buffer(self, self->recv, memory);
    void *send = task->in_place ? recv : buffer(self, self->send, memory);
    work->call = (struct call){task->variant, task->dtype, task->bytes / element, send, recv};
    work->input = task->variant->op == OP_BCAST ? recv : send;
    work->roots = is_rooted(task->variant->op) && !task->one_root ? self->party.size : 1;
    if (work->roots > most_roots) {
        die("too many ranks");
    }
    for (int root = 0; root < work->roots; root++) {
        const struct shape shape = {task->variant->op, work->call.count, self->party.rank, self->party.size, root};
        work->input_bytes[root] = shape_sent(&shape) * element;
        work->spans[root] = calloc((size_t)shape_most_spans(&shape), sizeof *work->spans[root]);
        if (work->spans[root] == NULL) {
            die("allocating");
        }
        work->span_count[root] = shape_spans(&shape, work->spans[root]);
    }
}

static void forget(struct work *work) {
    for (int root = 0; root < work->roots; root++) {
        free(work->spans[root]);
    }
}

static size_t check(struct rank *self, const struct task *task) {
    struct work work;
    plan(self, task, &work);
    const size_t element = dtype_size(task->dtype);
    size_t wrong = 0;
    contender_prepare(&work.call);
    for (int root = 0; root < work.roots; root++) {
        for (int i = 0; i < work.span_count[root]; i++) {
            memset((char *)work.call.recv + work.spans[root][i].at * element, 0xff,
                   work.spans[root][i].count * element);
        }
        fill(work.input, work.input_bytes[root] / element, task->dtype, self->party.rank);
        contender_run(&work.call, root);
        for (int i = 0; i < work.span_count[root]; i++) {
            wrong += wrong_elements(work.call.recv, task->dtype, &work.spans[root][i]);
        }
    }
    forget(&work);
    return wrong;
}

static void untouched_loop(const struct work *work, int count) {
    int root = 0;
    for (int i = 0; i < count; i++) {
        contender_run(&work->call, root);
        root = root + 1 == work->roots ? 0 : root + 1;
    }
}

/* Writes all that is sent and reads all that is received, as a program would; without the collective when `empty`. */
static unsigned long honest_loop(struct rank *self, const struct work *work, int count, int empty) {
    const enum dtype dtype = work->call.dtype;
    const size_t element = dtype_size(dtype);
    unsigned long wrong = 0;
    int root = 0;
    for (int i = 0; i < count; i++) {
        if (work->input_bytes[root] > 0) {
            produce(work->input, work->input_bytes[root], dtype, produced(i, self->party.rank));
        }
        if (!empty) {
            contender_run(&work->call, root);
        }
        const struct span *spans = work->spans[root];
        for (int k = 0; k < work->span_count[root]; k++) {
            wrong |= consume((const char *)work->call.recv + spans[k].at * element, spans[k].count * element, dtype,
                             produced_sum(i, spans[k].first, spans[k].end));
        }
        root = root + 1 == work->roots ? 0 : root + 1;
    }
    return wrong;
}

static long times_preempted(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_nivcsw : 0;
}

static void time_batch(struct rank *self, const struct task *task, int honest, int warm, int count) {
    struct work work;
    plan(self, task, &work);
    if (!honest) {
        memset(work.call.recv, 0, task->bytes);
        produce(work.input, work.input_bytes[0], task->dtype, task->in_place ? 0 : 1);
    }
    contender_prepare(&work.call);
    const struct probe before = party_probe(&self->party);
    unsigned long wrong = 0;
    double loop_ns, empty_ns = 0;
    if (honest) {
        wrong |= honest_loop(self, &work, warm, 0);
    } else {
        untouched_loop(&work, warm);
    }
    party_sync(&self->party, 0);
    const long lost = times_preempted();
    uint64_t start = now_ns();
    if (honest) {
        wrong |= honest_loop(self, &work, count, 0);
    } else {
        untouched_loop(&work, count);
    }
    loop_ns = (double)(now_ns() - start) / count;
    party_sync(&self->party, 0);
    if (honest) {
        unsigned long unused = honest_loop(self, &work, warm, 1);
        party_sync(&self->party, 0);
        start = now_ns();
        unused |= honest_loop(self, &work, count, 1);
        empty_ns = (double)(now_ns() - start) / count;
        __asm__ volatile("" ::"r"(unused));
    }
    const long lost_at_end = times_preempted();
    const struct probe after = party_probe(&self->party);
    forget(&work);
    dprintf(self->socket, "ok %.3f %.3f %d %ld %.2f %.3f %.2f %.3f\n", loop_ns, empty_ns, wrong != 0,
            lost_at_end - lost, before.round_trip_ns, before.fma_per_add, after.round_trip_ns, after.fma_per_add);
}

static const struct variant *find_variant(const char *name, int op) {
    for (const struct variant *variant = contender_variants(); variant->name != NULL; variant++) {
        if ((int)variant->op == op && strcmp(variant->name, name) == 0) {
            return variant;
        }
    }
    fprintf(stderr, "bench: no variant %s of operation %d\n", name, op);
    exit(1);
}

static void obey(struct rank *self) {
    char line[line_length], name[64];
    while (fgets(line, sizeof line, self->commands) != NULL) {
        struct task task = {0};
        int op, dtype, honest, warm, count;
        if (sscanf(line, "check %63s %d %d %d %zu", name, &op, &dtype, &task.in_place, &task.bytes) == 5) {
            task.variant = find_variant(name, op);
            task.dtype = (enum dtype)dtype;
            dprintf(self->socket, "ok %zu\n", check(self, &task));
        } else if (sscanf(line, "time %63s %d %d %d %zu %d %d %d %d", name, &op, &dtype, &task.in_place, &task.bytes,
                          &task.one_root, &honest, &warm, &count) == 9) {
            task.variant = find_variant(name, op);
            task.dtype = (enum dtype)dtype;
            time_batch(self, &task, honest, warm, count);
        } else if (strcmp(line, "probe\n") == 0) {
            const struct probe probe = party_probe(&self->party);
            dprintf(self->socket, "ok %.2f %.3f\n", probe.round_trip_ns, probe.fma_per_add);
        } else {
            break;
        }
    }
}

int main(int argc, char **argv) {
    struct rank self = {0};
    const int cores = pin(contender_begin(argc, argv));
    contender_init(&self.party.rank, &self.party.size);
    self.party.crowded = self.party.size > cores;
    connect_to_coordinator(&self);
    greet(&self);
    obey(&self);
    contender_finalize();
    return 0;
}
