/* An application under benchmark mode in the simulator: every blocking collective twelve times, as
 * its ranks arrive.
 *
 *   benchmark steady     rank r comes r * APART us after the first
 *   benchmark alternating    twice so, then the other way round
 *   benchmark randomN    as drawn anew each time, from N
 *
 * Then what is true, by PMPI alone: "took OPERATION US" with all arriving together, "median
 * OPERATION US APART" as they did by the median of the last eight before the ninth time; last
 * return minus last entry, and last entry minus first one. */
#include <math.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { APART = 100, MOST = 64, BLOCK = 500, MEASURED = 8, KEPT = 8 };

static int rank, size;
static int *in, out[MOST * BLOCK];

/* Memory after PLACES integers that nobody may touch. */
static int *before_nothing(size_t places)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE),
           room = (places * sizeof(int) + page - 1) / page * page;
    char *at = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED || mprotect(at + room, page, PROT_NONE))
        MPI_Abort(MPI_COMM_WORLD, 1);
    return (int *)(void *)(at + room) - places;
}

/* Reductions have an operation of the application's own that takes 50 us, on a type with a hole. */
struct value {
    int number;
    char unused[12];
    double sum;
};
static struct value value[3], total[3];
static MPI_Datatype value_type;
static MPI_Op slow_sum, slow_sum_in_order;

static void add_slowly(void *from, void *into, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++) {
        ((struct value *)into)[i].number += ((struct value *)from)[i].number;
        ((struct value *)into)[i].sum += ((struct value *)from)[i].sum;
    }
    usleep(50);
}

static void make_reduction(void)
{
    MPI_Datatype packed, part[2] = {MPI_INT, MPI_DOUBLE};
    MPI_Aint at[2] = {offsetof(struct value, number), offsetof(struct value, sum)};
    MPI_Type_create_struct(2, (int[]){1, 1}, at, part, &packed);
    MPI_Type_create_resized(packed, 0, sizeof(struct value), &value_type);
    MPI_Type_commit(&value_type);
    MPI_Op_create(add_slowly, 1, &slow_sum);
    MPI_Op_create(add_slowly, 0, &slow_sum_in_order);
}

#define CALL(name, ...)                                                                            \
    static void name(int layered)                                                                  \
    {                                                                                              \
        if (layered)                                                                               \
            MPI_##name(__VA_ARGS__);                                                               \
        else                                                                                       \
            PMPI_##name(__VA_ARGS__);                                                              \
    }
#define W MPI_COMM_WORLD
#define AT(root, data) (rank == (root) ? (data) : NULL)
CALL(Bcast, in, BLOCK, MPI_INT, 1, W)
CALL(Allgather, in, BLOCK, MPI_INT, out, BLOCK, MPI_INT, W)
CALL(Gather, in, BLOCK, MPI_INT, AT(2, out), BLOCK, MPI_INT, 2, W)
CALL(Scatter, AT(1, in), BLOCK, MPI_INT, out, BLOCK, MPI_INT, 1, W)
CALL(Alltoall, in, BLOCK, MPI_INT, out, BLOCK, MPI_INT, W)
CALL(Reduce, value, AT(0, total), 3, value_type, slow_sum_in_order, 0, W)
CALL(Allreduce, value, total, 3, value_type, slow_sum, W)
CALL(Reduce_scatter_block, in, out, BLOCK, MPI_INT, MPI_MAX, W)
CALL(Scan, in, out, BLOCK, MPI_INT, MPI_SUM, W)
CALL(Barrier, W)

static const struct {
    const char *name;
    void (*call)(int layered);
} calls[] = {{"MPI_Bcast", Bcast},         {"MPI_Allgather", Allgather},
             {"MPI_Gather", Gather},       {"MPI_Scatter", Scatter},
             {"MPI_Alltoall", Alltoall},   {"MPI_Reduce", Reduce},
             {"MPI_Allreduce", Allreduce}, {"MPI_Reduce_scatter_block", Reduce_scatter_block},
             {"MPI_Scan", Scan},           {"MPI_Barrier", Barrier}};

/* All ranks at one moment, and each as long after. */
static void arrive(double after_us)
{
    double now, begin;
    PMPI_Barrier(W);
    now = MPI_Wtime();
    PMPI_Allreduce(&now, &begin, 1, MPI_DOUBLE, MPI_MAX, W);
    begin += 5e-3 + after_us * 1e-6;
    double left = begin - MPI_Wtime();
    usleep(left > 0 ? (unsigned)(left * 1e6) : 0);
    while (MPI_Wtime() < begin) /* the last part of a microsecond */
        ;
}

static double drawn_us(const char *how, int k)
{
    unsigned x = (unsigned)(1000 * k + rank + 1000003 * how[strlen(how) - 1]) * 2654435761u;
    return *how == 'r'                 ? (int)(x >> 16 & 511)
           : *how == 'a' && k % 3 == 2 ? (size - 1 - rank) * APART
                                       : rank * APART;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of the KEPT calls' entries up to MEASURED, after the first rank's. */
static double median_arrival(const double *entered)
{
    double median_us, after[KEPT], least;
    for (int k = 0; k < KEPT; k++) {
        double first;
        PMPI_Allreduce(&entered[MEASURED - k], &first, 1, MPI_DOUBLE, MPI_MIN, W);
        after[k] = 1e6 * (entered[MEASURED - k] - first);
    }
    qsort(after, KEPT, sizeof *after, compare);
    median_us = (after[KEPT / 2 - 1] + after[KEPT / 2]) / 2;
    PMPI_Allreduce(&median_us, &least, 1, MPI_DOUBLE, MPI_MIN, W);
    return median_us - least;
}

static void tell(const char *how, int which, double after_us)
{
    arrive(after_us);
    double moment[3] = {MPI_Wtime(), 0, 0}, last[3];
    calls[which].call(0);
    moment[1] = MPI_Wtime();
    moment[2] = after_us;
    PMPI_Reduce(moment, last, 3, MPI_DOUBLE, MPI_MAX, 0, W);
    if (rank == 0)
        printf("%s %s %.3f %.3f\n", how, calls[which].name, (last[1] - last[0]) * 1e6, last[2]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    make_reduction();
    in = before_nothing((size_t)(size * BLOCK));
    for (int i = 0; i < size * BLOCK; i++)
        in[i] = rank + i;
    for (int which = 0; which < (int)(sizeof calls / sizeof *calls); which++) {
        double entered[12];
        for (int k = 0; k < 12; k++) {
            arrive(drawn_us(argv[1], k));
            entered[k] = MPI_Wtime();
            calls[which].call(1);
        }
        double median_us = median_arrival(entered);
        tell("took", which, 0);
        tell("median", which, median_us);
    }
    MPI_Finalize();
    return 0;
}
