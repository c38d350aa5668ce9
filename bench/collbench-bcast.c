/* collbench-bcast: broadcasts, measured by every method; or their path. */
#include "bcast_path.h"
#include "document/save.h"
#include "latency_bench.h"
#include "measure/crew.h"
#include "measure/latency/broadcast.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

static error_t check_together(struct option_parser *parser, void *options)
{
    struct latency_options *o = options;
    bool ring = false, suite = false;
    if (o->discover && (o->methods.n || o->suites.n))
        return option_refuse(parser, "--%s measures and --discover does not: leave one out",
                             o->suites.n ? "as" : "method");
    if (o->things.n == 0)
        option_choose(NULL, &bench_algorithms, "native", &o->things);
    latency_choose(o);
    for (size_t i = 0; i < o->n_methods; i++) {
        ring = ring || o->method[i] == latency_method_find("ring-barrier");
        suite = suite || o->method[i]->meaning == MEANS_SUITE;
    }
    if (o->fresh && suite)
        return option_refuse(parser, "--fresh: the loops of other suites broadcast the same data "
                                     "again and again: leave one out");
    if (o->ring_bytes && (!ring || o->discover))
        return option_refuse(parser, "--ring-size is of the method ring-barrier: add it");
    error_t error = bench_check_ranks(parser, &o->bench, "a broadcast", o->root);
    if (error)
        return error;
    if (o->dot && !o->discover)
        return option_refuse(parser, "--dot=%s draws what --discover finds: add it", o->dot);
    if (o->discover && o->bench.plot)
        return option_refuse(parser, "--plot draws measurements: with --discover use --dot");
    return o->dot && o->bench.rank == 0 && !save_possible(o->dot) ? EINVAL : 0;
}

static const struct option_entry option_list[] = {
    LATENCY_OPTIONS,
    {"algorithm", 0, "LIST",
     "the broadcasts to measure, or all; native (default) is the library's MPI_Bcast", 1,
     option_take_list, LATENCY_AT(things), &bench_algorithms},
    {"destinations", 0, NULL, "the latency to each destination, in a table of its own", 2,
     option_take_flag, LATENCY_AT(by_pair), NULL},
    {"fresh", 0, NULL,
     "the root writes its data anew before every broadcast, as an application does",
     1 | OPTION_RARE, option_take_flag, LATENCY_AT(fresh), NULL},
    {"discover", 0, NULL,
     "instead of measuring, find which ranks each rank's broadcast depends on, and draw the tree",
     3, option_take_flag, LATENCY_AT(discover), NULL},
    {"dot", 0, "FILE", "with --discover: the tree for Graphviz", 3 | OPTION_RARE, option_take_text,
     LATENCY_AT(dot), NULL},
    {0}};

static const struct option_program program = {
    "Measures how long one MPI broadcast takes, by every published method side by side.",
    .options = option_list,
    .listed = (const struct option_registry *const[]){&latency_registry, &bench_algorithms, NULL},
    .check = check_together};

/* What the sweep needs, and what comes out of it on rank 0. */
struct sweep {
    struct latency_options *o;
    struct tables *tables;
    struct paths *paths;
    void *buffer;
    struct sync_clock clock; /* of all ranks, for the method direct */
    int wrong;               /* cases with wrong data */
};

static const char *algorithm_name(const void *arg, size_t which)
{
    return bcasts[((const struct sweep *)arg)->o->things.at[which]]->name;
}

static void discover(struct sweep *s, const struct latency_case *c, const struct bench_point *p)
{
    struct discovery found;
    bench_check(&s->o->bench, discover_broadcast(c, &found), "broadcast ", p);
    if (s->paths)
        paths_add(s->paths, p, &found);
    discovery_free(&found);
}

static void measure(void *arg, const struct bench_point *p, MPI_Comm comm)
{
    struct sweep *s = arg;
    const struct latency_options *o = s->o;
    struct broadcast data = {.bcast = bcasts[o->things.at[p->which]],
                             .buffer = s->buffer,
                             .count = (int)p->bytes,
                             .type = MPI_BYTE,
                             .root = o->root,
                             .comm = comm,
                             .fresh = o->fresh};
    struct latency_case c = broadcast_case(&data);
    c.ring_bytes = o->ring_bytes;
    c.plan = o->bench.plan;
    c.clock = &s->clock;
    c.every = o->by_pair;
    if (o->discover) {
        discover(s, &c, p);
        return;
    }
    struct latency_outcome outcome;
    bench_check(&o->bench, latency_measure(&c, o->method, o->n_methods, &outcome), "broadcast ", p);
    s->wrong += outcome.wrong_ranks > 0;
    struct disturbance disturbed = bench_disturbed(comm);
    if (disturbed.spoiled)
        latency_unjudge(&outcome);
    if (s->tables)
        tables_add(s->tables, p, &outcome, disturbed);
    latency_outcome_free(&outcome);
}

static void start_clocks(void *arg, MPI_Comm comm)
{
    bench_clocks(&((struct sweep *)arg)->clock, comm);
}

static int end(struct sweep *s, struct document *d)
{
    const struct bench *b = &s->o->bench;
    size_t cases = option_steps(&b->sizes) * option_steps(&b->ranks) * s->o->things.n;
    if (d && s->wrong)
        document_finding(
            d,
            &(struct finding){
                .key = "wrong_data", .severity = SEVERITY_ERROR, .number = {{"cases", s->wrong}}},
            "WRONG DATA in %d of %zu cases: these broadcasts do not work.", s->wrong, cases);
    if (s->tables)
        tables_end(s->tables, s->o->things.n, algorithm_name, s);
    bool drawn = !s->paths || paths_end(s->paths);
    free(s->buffer);
    return s->wrong || !drawn;
}

int main(int argc, char **argv)
{
    static struct latency_options o;
    struct sweep s = {.o = &o};
    o.bench.plan = plan_default();
    o.bench.plan.budget_most = 6 * o.bench.plan.budget;
    bench_begin(&o.bench, &argc, &argv, MPI_THREAD_SINGLE, &program);
    struct document *d = bench_document(&o.bench, "collbench-bcast/2");
    s.buffer = crew_buffer(o.bench.sizes.max);
    if (bench_worst(o.bench.comm, !s.buffer))
        bench_refuse(&o.bench, "no memory for messages of %zu bytes: a smaller --sizes",
                     o.bench.sizes.max);
    if (d) {
        document_fact(d, "root", "%d", o.root);
        document_fact(d, "data", "%s",
                      o.fresh ? "written anew by the root before every broadcast, but in loops of "
                                "broadcasts alone (gap, rounds, send-latency, overhead)"
                              : "the same in every broadcast, so in caches already");
        if (o.discover)
            s.paths = paths_new(d, o.dot);
        else
            s.tables = tables_new(&o, d, "algorithm");
    }
    bench_keep(&o.bench, &(const struct bench_so_far){.document = d});
    bench_visit(
        &o.bench,
        &(const struct bench_visit){
            .n = o.things.n, .name = algorithm_name, .enter = start_clocks, .measure = measure},
        &s);
    int status = end(&s, d);
    MPI_Bcast(&status, 1, MPI_INT, 0, o.bench.comm);
    bench_finish(&o.bench, d, status);
}
