/* collbench-bcast: a broadcast, measured by every method. */
#include "bcast_bench.h"

#include "measure/crew.h"

#include <stdlib.h>

/* What the sweep needs and what comes out of it, on rank 0. */
struct sweep {
    struct options *o;
    struct tables *tables;
    struct plots *plots;
    struct paths *paths;
    void *buffer;
    struct sync_clock clock; /* of all ranks, for the method direct */
    int wrong;               /* cases with wrong data */
};

static const char *algorithm_name(const void *arg, size_t which)
{
    return ((const struct sweep *)arg)->o->algorithms[which]->name;
}

/* Every case has an order of its own, the same on all ranks. */
static unsigned seed_of(const struct options *o, const struct bench_point *p)
{
    unsigned mixed = (unsigned)p->ranks * 31 + (unsigned)p->which * 7 + (unsigned)p->bytes;
    return o->bench.seed > 0 ? (unsigned)o->bench.seed + mixed : 0;
}

static void measure(void *arg, const struct bench_point *p, MPI_Comm comm)
{
    struct sweep *s = arg;
    const struct options *o = s->o;
    struct bcast_case c = {.comm = comm,
                           .bcast = o->algorithms[p->which],
                           .buffer = s->buffer,
                           .count = (int)(p->bytes / operation_element(o->datatype)),
                           .type = o->type,
                           .root = o->root,
                           .fresh = o->fresh,
                           .holes = true,
                           .ring_bytes = o->ring_bytes,
                           .seed = seed_of(o, p),
                           .plan = o->bench.plan,
                           .clock = &s->clock,
                           .destinations = o->destinations,
                           .n_destinations = o->n_destinations,
                           .every = o->by_destination};
    if (o->discover) {
        struct discovery found;
        bench_check(&o->bench, discover_bcast(&c, &found), "broadcast ", p);
        if (o->bench.rank == 0)
            paths_add(s->paths, p, &found);
        discovery_free(&found);
        return;
    }
    struct bcast_outcome outcome;
    bench_check(&o->bench, bcast_measure(&c, o->methods, o->n_methods, &outcome), "broadcast ", p);
    s->wrong += outcome.wrong_ranks > 0;
    struct disturbance disturbed = bench_disturbed(comm);
    if (disturbed.spoiled)
        bcast_unjudge(&outcome);
    if (o->bench.rank == 0) {
        tables_add(s->tables, p, &outcome, disturbed);
        if (s->plots)
            plots_add(s->plots, p, &outcome);
    }
    bcast_outcome_free(&outcome);
}

static void allocate(struct sweep *s)
{
    const struct bench *b = &s->o->bench;
    s->buffer = crew_buffer(b->sizes.max * operation_span(s->o->datatype));
    if (bench_worst(b->comm, !s->buffer || !operation_make_type(s->o->datatype, &s->o->type)))
        bench_refuse(b, "no memory for messages of %zu bytes: a smaller --sizes", b->sizes.max);
}

static void start_clocks(void *arg, MPI_Comm comm)
{
    bench_clocks(&((struct sweep *)arg)->clock, comm);
}

static int end(struct sweep *s, struct document *d)
{
    bool drawn = true;
    if (d && s->wrong)
        document_note(d, "WRONG DATA in %d of %zu cases: these broadcasts do not work", s->wrong,
                      option_steps(&s->o->bench.sizes) * option_steps(&s->o->bench.ranks) *
                          s->o->n_algorithms);
    if (s->tables)
        tables_end(s->tables);
    if (s->plots)
        drawn = plots_end(s->plots, d);
    if (s->paths)
        drawn = paths_end(s->paths);
    if (s->o->datatype == TYPE_STRIDED)
        MPI_Type_free(&s->o->type);
    free(s->buffer);
    free(s->o->destinations);
    return s->wrong || !drawn;
}

int main(int argc, char **argv)
{
    static struct options o;
    struct sweep s = {.o = &o};
    o.bench.plan = plan_default();
    o.bench.plan.budget_most = 6 * o.bench.plan.budget;
    bench_begin(&o.bench, &argc, &argv, MPI_THREAD_SINGLE, &bcast_program);
    struct document *d = bench_document(&o.bench, "collbench-bcast/1");
    allocate(&s);
    if (d) {
        document_fact(d, "root", "%d", o.root);
        document_fact(
            d, "data", "%s, %s", operation_types[o.datatype],
            o.fresh ? "written anew by the root before every broadcast, but in loops of broadcasts "
                      "alone (gap, rounds, send-latency, overhead)"
                    : "the same in every broadcast, so in caches already");
        if (o.discover)
            s.paths = paths_new(&o, d);
        else
            s.tables = tables_new(&o, d);
        if (o.bench.plot)
            s.plots = plots_new(&o);
    }
    bench_keep(&o.bench, &(struct bench_so_far){.document = d});
    bench_visit(
        &o.bench,
        &(const struct bench_visit){
            .n = o.n_algorithms, .name = algorithm_name, .enter = start_clocks, .measure = measure},
        &s);
    int status = end(&s, d);
    MPI_Bcast(&status, 1, MPI_INT, 0, o.bench.comm);
    bench_finish(&o.bench, d, status);
}
