/* collbench-bcast: a broadcast, measured by every method. */
#include "bcast_bench.h"
#include "sync/sync.h"

#include <stdlib.h>

/* Progress, and what comes out of it, on rank 0. */
struct sweep {
    struct options *o;
    struct tables *tables;
    struct plots *plots;
    struct paths *paths;
    void *buffer;
    struct sync_clock clock; /* of all ranks, for the method direct */
    size_t done, total;
    int wrong; /* cases with wrong data */
};

static void check(const struct sweep *s, int error, const struct point *p)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    if (error == MPI_SUCCESS)
        return;
    MPI_Error_string(error, text, &length);
    fprintf(stderr, "%s: broadcast %s of %zu bytes among %d ranks: %s\n", s->o->bench.program,
            p->algorithm->name, p->bytes, p->ranks, text);
    MPI_Abort(s->o->bench.comm, 1);
}

static void run_case(struct sweep *s, const struct point *p, MPI_Comm comm)
{
    const struct options *o = s->o;
    struct bcast_case c = {.comm = comm,
                           .bcast = p->algorithm,
                           .buffer = s->buffer,
                           .count = (int)p->bytes,
                           .type = MPI_BYTE,
                           .root = o->root,
                           .fresh = o->fresh,
                           .plan = o->bench.plan,
                           .clock = &s->clock,
                           .destinations = o->destinations,
                           .n_destinations = o->n_destinations};
    if (o->discover) {
        struct discovery found;
        check(s, discover_bcast(&c, &found), p);
        if (o->bench.rank == 0)
            paths_add(s->paths, p, &found);
        discovery_free(&found);
        return;
    }
    struct bcast_outcome outcome;
    check(s, bcast_measure(&c, o->methods, o->n_methods, &outcome), p);
    s->wrong += outcome.wrong_ranks > 0;
    if (o->bench.rank == 0) {
        tables_add(s->tables, p, &outcome);
        if (s->plots)
            plots_add(s->plots, p, &outcome);
    }
    bcast_outcome_free(&outcome);
}

static void sweep_sizes(struct sweep *s, size_t algorithm, int ranks, MPI_Comm comm)
{
    const struct bench *b = &s->o->bench;
    struct point p = {s->o->algorithms[algorithm], ranks, b->sizes.min};
    do {
        char what[96];
        snprintf(what, sizeof what, "%s, %d ranks, %zu B", p.algorithm->name, ranks, p.bytes);
        bench_progress(b, s->done++, s->total, what);
        if (comm != MPI_COMM_NULL)
            run_case(s, &p, comm);
    } while (bench_next(&b->sizes, &p.bytes));
}

/* The first n ranks, as the paper does it. */
static void sweep_ranks(struct sweep *s)
{
    const struct bench *b = &s->o->bench;
    size_t ranks = b->ranks.min;
    do {
        MPI_Comm comm;
        MPI_Comm_split(b->comm, (size_t)b->rank < ranks ? 0 : MPI_UNDEFINED, b->rank, &comm);
        if (comm != MPI_COMM_NULL)
            MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        for (size_t a = 0; a < s->o->n_algorithms; a++)
            sweep_sizes(s, a, (int)ranks, comm);
        bench_wait(b->comm);
        sync_again(&s->clock, b->comm); /* drift; nothing where all ranks share a clock */
        if (comm != MPI_COMM_NULL)
            MPI_Comm_free(&comm);
    } while (bench_next(&b->ranks, &ranks));
    bench_progress_end(b);
}

static void allocate(struct sweep *s)
{
    const struct bench *b = &s->o->bench;
    s->buffer = calloc(b->sizes.max + 1, 1);
    int failed = !s->buffer, any;
    MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, b->comm);
    if (any)
        bench_refuse(b, "no memory for messages of %zu bytes: a smaller --sizes", b->sizes.max);
    s->total = bench_steps(&b->sizes) * bench_steps(&b->ranks) * s->o->n_algorithms;
}

/* Where there are several clocks, a second is spent on how they drift: without it the bound
 * would grow by a microsecond or so with every 10 ms. */
static void start_clocks(struct sweep *s)
{
    MPI_Comm comm = s->o->bench.comm;
    sync_start(&s->clock, comm, NULL);
    if (s->clock.domains > 1)
        sync_settle(&s->clock, comm, 4, 0.25);
}

static int end(struct sweep *s, struct document *d)
{
    bool drawn = true;
    if (d && s->wrong)
        document_note(d, "WRONG DATA in %d of %zu cases: these broadcasts do not work", s->wrong,
                      s->total);
    if (s->tables)
        tables_end(s->tables);
    if (s->plots)
        drawn = plots_end(s->plots, d);
    if (s->paths)
        drawn = paths_end(s->paths);
    free(s->buffer);
    free(s->o->destinations);
    return s->wrong || !drawn;
}

int main(int argc, char **argv)
{
    static struct options o;
    struct sweep s = {.o = &o};
    bench_start(&o.bench, &argc, &argv, MPI_THREAD_SINGLE, &bcast_argp);
    struct document *d = bench_document(&o.bench, "collbench-bcast/1");
    allocate(&s);
    if (d) {
        document_fact(d, "root", "%d", o.root);
        document_fact(d, "data", "%s",
                      o.fresh ? "written anew by the root before every broadcast"
                              : "the same in every broadcast, so in caches already");
        if (o.discover)
            s.paths = paths_new(&o, d);
        else
            s.tables = tables_new(&o, d);
        if (o.bench.plot)
            s.plots = plots_new(&o);
    }
    start_clocks(&s);
    if (d && s.clock.domains > 1)
        document_fact(d, "clocks", "%d, made one within %.2f us", s.clock.domains,
                      1e6 * s.clock.worst_bound);
    sweep_ranks(&s);
    int status = end(&s, d);
    MPI_Bcast(&status, 1, MPI_INT, 0, o.bench.comm);
    bench_finish(&o.bench, d, status);
}
