/* Going through what is to be measured. */
#include "bench_inner.h"

#include "base/array.h"

#include <stdio.h>
#include <stdlib.h>

struct bench_values bench_values(const struct option_range *range)
{
    struct bench_values v = {0};
    size_t value = range->min;
    do
        v.at[v.n++] = value;
    while (v.n < BENCH_VALUES_MAX && option_next(range, &value));
    return v;
}

/* One further, the last axis fastest; false behind the end. */
static bool advance(const size_t *length, int n_axes, size_t *at)
{
    for (int axis = n_axes - 1; axis >= 0; axis--) {
        if (++at[axis] < length[axis])
            return true;
        at[axis] = 0;
    }
    return false;
}

void bench_sweep(const struct bench *b, const size_t *length, int n_axes,
                 const char *(*measure)(void *arg, const size_t *at), void *arg)
{
    size_t at[BENCH_AXES_MAX] = {0}, done = 0, total = 1;
    for (int axis = 0; axis < n_axes; axis++)
        total *= length[axis];
    const char *what = "";
    do {
        bench_progress(b, done++, total, what);
        bench_watch();
        const char *now = measure(arg, at);
        what = now ? now : what;
    } while (advance(length, n_axes, at));
    bench_progress_end(b);
}

static void visit_point(const struct bench *b, const struct bench_visit *v, void *arg,
                        const struct bench_point *p, MPI_Comm comm, size_t done)
{
    char what[96];
    size_t total = option_steps(&b->sizes) * option_steps(&b->ranks) * v->n;
    snprintf(what, sizeof what, "%s, %d ranks, %zu B", p->name, p->ranks, p->bytes);
    bench_progress(b, done, total, what);
    bench_watch();
    if (comm != MPI_COMM_NULL)
        v->measure(arg, p, comm);
}

/* What is visited among RANKS, in the order of the lists; to be freed. */
static struct bench_point *points_of(const struct bench *b, const struct bench_visit *v,
                                     const void *arg, size_t ranks, size_t *n)
{
    struct bench_point *point = calloc(option_steps(&b->sizes) * v->n, sizeof *point);
    if (!point)
        bench_refuse(b, "no memory for so many sizes");
    *n = 0;
    for (size_t which = 0; which < v->n; which++) {
        bool sized = !v->sized || v->sized(arg, which);
        size_t bytes = sized ? b->sizes.min : 0;
        do {
            point[(*n)++] = (struct bench_point){
                .name = v->name(arg, which), .which = which, .ranks = (int)ranks, .bytes = bytes};
        } while (sized && option_next(&b->sizes, &bytes));
    }
    return point;
}

void bench_put_point(struct table *t, const struct bench_point *p)
{
    table_text(t, p->name);
    table_integer(t, p->ranks);
    table_integer(t, (long long)p->bytes);
}

int bench_by_point(const void *a, const void *b)
{
    const struct bench_point *x = a, *y = b;
    return ORDER(x->ranks, y->ranks) ?: ORDER(x->which, y->which) ?: ORDER(x->bytes, y->bytes);
}

/* ORDER is 0 to N - 1, as listed or at random, the same on all ranks. */
static void choose_order(const struct bench *b, size_t *order, size_t n)
{
    unsigned short state[3] = {(unsigned short)b->seed, (unsigned short)(b->seed >> 16), 0x330e};
    for (size_t i = 0; i < n; i++) {
        size_t k = b->seed > 0 ? (size_t)(erand48(state) * (double)(i + 1)) : i;
        order[i] = order[k];
        order[k] = i;
    }
}

void bench_visit(const struct bench *b, const struct bench_visit *v, void *arg)
{
    size_t ranks = b->ranks.min, done = 0;
    do {
        MPI_Comm comm;
        MPI_Comm_split(b->comm, (size_t)b->rank < ranks ? 0 : MPI_UNDEFINED, b->rank, &comm);
        if (comm != MPI_COMM_NULL)
            MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        if (comm != MPI_COMM_NULL && v->enter)
            v->enter(arg, comm);
        size_t n, first = done;
        struct bench_point *point = points_of(b, v, arg, ranks, &n);
        size_t *order = calloc(n, sizeof *order);
        if (!order)
            bench_refuse(b, "no memory for so many sizes");
        choose_order(b, order, n);
        for (size_t i = 0; i < n; i++) {
            bench_place_rows(first + order[i]);
            visit_point(b, v, arg, &point[order[i]], comm, done++);
        }
        free(order);
        free(point);
        bench_wait(b->comm);
        if (comm != MPI_COMM_NULL)
            MPI_Comm_free(&comm);
    } while (option_next(&b->ranks, &ranks));
    bench_progress_end(b);
}

void bench_check(const struct bench *b, int error, const char *what,
                 const struct bench_point *point)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    if (error == MPI_SUCCESS)
        return;
    MPI_Error_string(error, text, &length);
    reason_say(b->program, "%s%s of %zu bytes among %d ranks: %s", what, point->name, point->bytes,
               point->ranks, text);
    MPI_Abort(b->comm, 1);
}
