/*
 * Ranks without a launcher: a program that makes its own processes, as a server or a framework does. A unique id says
 * where they meet; here they have it by fork, elsewhere by a file, a socket or a store of the framework.
 *
 *     cc -o 08_unique_id 08_unique_id.c $(pkg-config --cflags --libs xcoll)
 *     ./08_unique_id 4
 *
 * Under xcollrun each of its ranks does this for itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xcoll.h>

static void check(xcoll_result_t result) {
    if (result != XCOLL_SUCCESS) {
        fprintf(stderr, "%s: %s\n", xcoll_error_name(result), xcoll_last_error());
        exit(1);
    }
}

/* What each process does: it needs to know the id, its number and how many there are, nothing else. */
static void work(const xcoll_unique_id_t *id, int rank, int size) {
    xcoll_comm_config_t config;
    check(xcoll_comm_config_defaults(&config, sizeof config));
    config.ids = id;
    config.id_count = 1;
    config.rank = rank;
    config.size = size;
    config.timeout_ms = 30000; /* a process that does not come is named after half a minute */
    xcoll_comm_t comm;
    check(xcoll_comm_create(&config, &comm));

    int sum;
    check(xcoll_allreduce(&rank, &sum, 1, XCOLL_INT32, XCOLL_SUM, comm));
    if (rank == 0) {
        char how[4096];
        size_t room = sizeof how;
        check(xcoll_comm_describe(comm, how, &room));
        printf("%d processes met; their ranks add up to %d\n%.90s...\n", size, sum, how);
    }
    if (sum != size * (size - 1) / 2) {
        fprintf(stderr, "rank %d: wrong sum %d\n", rank, sum);
        exit(1);
    }
    check(xcoll_comm_free(&comm));
}

int main(int argc, char **argv) {
    char *end = "";
    const long size = argc > 1 ? strtol(argv[1], &end, 10) : 3;
    if (argc > 2 || *end != '\0' || size < 1 || size > 1024) {
        fprintf(stderr, "usage: %s [processes], from 1 to 1024\n", argv[0]);
        return 2;
    }

    /* Before the processes are made: whoever makes the id keeps a socket open for it, which a child may take over. */
    xcoll_unique_id_t id;
    check(xcoll_get_unique_id(&id));
    for (int rank = 0; rank < size; ++rank) {
        const pid_t child = fork();
        if (child < 0) {
            perror("fork");
            return 1;
        }
        if (child == 0) {
            work(&id, rank, (int)size);
            exit(0);
        }
    }

    int failed = 0;
    for (int rank = 0; rank < size; ++rank) {
        int status;
        failed |= wait(&status) < 0 || status != 0;
    }
    return failed;
}
