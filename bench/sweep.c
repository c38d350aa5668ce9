/* Iterates over all combinations of the requested values: numbers of ranks, sizes and others. */
#include "bench.h"

#include "base/clock.h"
#include "sync/yielding.h"

struct bench_values bench_values(const struct option_range *range)
{
    struct bench_values v = {0};
    size_t value = range->min;
    do
        v.at[v.n++] = value;
    while (v.n < BENCH_VALUES_MAX && option_next(range, &value));
    return v;
}

void bench_group_open(const struct bench *b, size_t ranks, struct bench_group *g)
{
    if (g->ranks == (int)ranks)
        return;
    bench_group_close(b, g);
    g->ranks = (int)ranks;
    MPI_Comm_split(b->comm, b->rank < g->ranks ? 0 : MPI_UNDEFINED, b->rank, &g->comm);
    if (g->comm == MPI_COMM_NULL)
        return;
    MPI_Comm_set_errhandler(g->comm, MPI_ERRORS_RETURN);
    bench_clocks(&g->clock, g->comm, g->first);
}

/* Ranks outside of the group send to each other in pairs until the group has measured. Both ranks
 * of a pair stop after the same message, which says whether its sender's barrier is complete. */
static void send_meanwhile(const struct bench *b, const struct bench_group *g)
{
    enum { BYTES = 64 << 10 };
    static char out[BYTES], in[BYTES];
    int peer = g->ranks + ((b->rank - g->ranks) ^ 1), done = 0;
    MPI_Request barrier;
    PMPI_Ibarrier(b->comm, &barrier);
    while (!done && peer < b->size) {
        PMPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
        out[0] = (char)done;
        double start = clock_now();
        PMPI_Sendrecv(out, BYTES, MPI_BYTE, peer, 0, in, BYTES, MPI_BYTE, peer, 0, b->comm,
                      MPI_STATUS_IGNORE);
        clock_hold((100.0 / b->traffic - 1) * (clock_now() - start));
        done |= in[0];
    }
    PMPI_Wait(&barrier, MPI_STATUS_IGNORE);
}

void bench_group_close(const struct bench *b, struct bench_group *g)
{
    MPI_Request barrier;
    if (b->traffic && g->ranks && g->comm == MPI_COMM_NULL)
        send_meanwhile(b, g);
    else /* in MPI_Barrier early ranks would take processors from those that still measure */
        wait_yielding(PMPI_Ibarrier(b->comm, &barrier), &barrier);
    if (g->ranks && g->comm != MPI_COMM_NULL)
        MPI_Comm_free(&g->comm);
    g->ranks = 0;
}

void bench_sweep(const struct bench *b, const size_t *length, int n_axes,
                 void (*measure)(void *arg, const size_t *at), void *arg)
{
    size_t at[BENCH_AXES_MAX], total = 1;
    for (int axis = 0; axis < n_axes; axis++)
        total *= length[axis];
    for (size_t done = 0; done < total; done++) {
        size_t rest = done;
        for (int axis = n_axes - 1; axis >= 0; rest /= length[axis--])
            at[axis] = rest % length[axis];
        bench_progress(b, done, total);
        bench_watch();
        measure(arg, at);
    }
    bench_progress_end(b);
}

void bench_check(const struct bench *b, int error, const struct bench_point *point)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    if (error == MPI_SUCCESS)
        return;
    MPI_Error_string(error, text, &length);
    reason_print(b->program, "%s of %zu bytes among %d ranks: %s", point->name, point->bytes,
                 point->ranks, text);
    MPI_Abort(b->comm, 1);
}
