/* An application drawn by a seed, under the profiling layer in the simulator: 1 to 5 broadcasts a
 * step, of up to 3 sizes from up to 3 roots, with computation before each or, one program in four,
 * only before the first of a step; up to 2 ranks are late, each always, at random or in turn.
 *
 *   drawn SEED calm|late
 *
 * Calm, the same broadcasts alone: nobody is late, all compute before each. Prints the medians of
 * "took ROOT BYTES I US", return of I minus entry of the root, and of "late ROOT BYTES I US
 * PERCENT", entry of I minus entry of the root where it was late, and how often that was;
 * "pipelined". */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEPS = 40, MOST = 3, KINDS = MOST * MOST, BROADCASTS = STEPS * 5 };

static int rank, size;
static unsigned seed;

static unsigned draw(unsigned below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 12) % below;
}

struct program {
    int per_step, sizes, roots, bytes[MOST], root[MOST];
    bool pipelined;
    enum { NEVER, ALWAYS, AT_RANDOM, IN_TURN } how; /* this rank's lateness ... */
    unsigned late_us, order;                        /* ... by how much, when */
};

/* All ranks draw alike, and each keeps what is its own. */
static struct program draw_program(void)
{
    static const int bytes[] = {64, 256, 1024, 8192, 65536};
    struct program p = {.per_step = 1 + (int)draw(5), .sizes = 1 + (int)draw(MOST)};
    p.roots = 1 + (int)draw(MOST);
    for (int k = 0; k < MOST; k++) {
        p.bytes[k] = bytes[(draw(2) + 2 * (unsigned)k) % 5];
        p.root[k] = (int)(draw((unsigned)size / MOST) + (unsigned)(k * size / MOST));
    }
    p.pipelined = draw(4) == 0;
    for (unsigned n = draw(3); n > 0; n--) {
        int who = (int)draw((unsigned)size);
        unsigned how = 1 + draw(3), late_us = 400 + 800 * draw(3), order = draw(1000);
        if (who == rank) {
            p.how = how;
            p.late_us = late_us;
            p.order = order;
        }
    }
    return p;
}

static unsigned late_us(const struct program *p, int number)
{
    unsigned at = (unsigned)number + p->order;
    bool now = p->how == ALWAYS      ? true
               : p->how == IN_TURN   ? at / 7 % 2
               : p->how == AT_RANDOM ? (at * 2654435761u >> 16) % 2
                                     : false;
    return now ? p->late_us : 0;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct seen {
    double took[BROADCASTS], late[BROADCASTS];
    int n, n_late;
} seen[KINDS];

static void one(const struct program *p, int number, bool calm, bool first, char *buffer)
{
    int of_size = number % p->sizes, of_root = number / p->sizes % p->roots,
        root = p->root[of_root];
    struct seen *s = &seen[of_size * MOST + of_root];
    double entry, exit, begun;
    bool alone = calm || !p->pipelined;
    if (alone || first) {
        unsigned late = calm || rank == root ? 0 : late_us(p, number);
        PMPI_Barrier(MPI_COMM_WORLD);
        usleep(100 + (rank == root ? 300 : 0) + late + (late ? 300 : 0));
    }
    entry = begun = MPI_Wtime();
    MPI_Bcast(buffer, p->bytes[of_size], MPI_BYTE, root, MPI_COMM_WORLD);
    exit = MPI_Wtime();
    if (!alone)
        return;
    PMPI_Bcast(&begun, 1, MPI_DOUBLE, root, MPI_COMM_WORLD);
    s->took[s->n++] = exit - begun;
    if (rank != root && entry - begun > 1e-4)
        s->late[s->n_late++] = entry - begun;
}

static void print(const struct program *p, int of_size, int of_root)
{
    struct seen *s = &seen[of_size * MOST + of_root];
    double own[3] = {-1, -1, 0}, *all = malloc(sizeof own * (size_t)size);
    qsort(s->took, (size_t)s->n, sizeof(double), compare);
    qsort(s->late, (size_t)s->n_late, sizeof(double), compare);
    if (s->n)
        own[0] = s->took[s->n / 2];
    if (s->n_late)
        own[1] = s->late[s->n_late / 2];
    own[2] = s->n ? 100.0 * s->n_late / s->n : 0;
    PMPI_Gather(own, 3, MPI_DOUBLE, all, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < size; i++) {
        if (all[3 * i] > 0 && i != p->root[of_root])
            printf("took %d %d %d %.3f\n", p->root[of_root], p->bytes[of_size], i,
                   all[3 * i] * 1e6);
        if (all[3 * i + 1] > 0)
            printf("late %d %d %d %.3f %.1f\n", p->root[of_root], p->bytes[of_size], i,
                   all[3 * i + 1] * 1e6, all[3 * i + 2]);
    }
    free(all);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 3)
        MPI_Abort(MPI_COMM_WORLD, 2);
    seed = (unsigned)atoi(argv[1]) * 7919u;
    struct program p = draw_program();
    bool calm = !strcmp(argv[2], "calm");
    char *buffer = calloc(1 << 20, 1);
    for (int step = 0; step < STEPS; step++) {
        PMPI_Barrier(MPI_COMM_WORLD);
        usleep(500); /* what the barrier sent has arrived */
        for (int b = 0; b < p.per_step; b++)
            one(&p, step * p.per_step + b, calm, b == 0, buffer);
    }
    for (int k = 0; k < KINDS; k++)
        print(&p, k / MOST, k % MOST);
    if (rank == 0 && p.pipelined)
        puts("pipelined");
    free(buffer);
    MPI_Finalize();
    return 0;
}
