/* Chooses the methods, and measures things by them. */
#include "latency_bench.h"

#include <string.h>

static const char *method_name(size_t i)
{
    return i < n_latency_methods ? latency_methods[i]->name : NULL;
}

static const char *method_reality(size_t i)
{
    return latency_methods[i]->reality;
}

static bool is_ours(size_t i, const void *values)
{
    (void)values;
    return latency_methods[i]->meaning != MEANS_SUITE;
}

/* Other suites: their methods have these names, or longer ones. */
static const char *suite_name(size_t i)
{
    static const char *const names[] = {"osu", "imb", "repro", NULL};
    return names[i];
}

const struct option_registry latency_registry = {"method", method_name, method_reality, is_ours},
                             latency_suites = {"suite", suite_name, NULL, NULL};

void latency_choose(struct latency_options *o)
{
    if (o->methods.n == 0)
        option_choose(NULL, &latency_registry, "held,direct", &o->methods);
    for (size_t k = 0; k < o->suites.n; k++)
        for (size_t i = 0; i < n_latency_methods; i++) {
            const char *suite = suite_name(o->suites.at[k]);
            if (strncmp(method_name(i), suite, strlen(suite)) == 0)
                option_choose(NULL, &latency_registry, method_name(i), &o->methods);
        }
    for (size_t i = 0; i < o->methods.n; i++)
        o->method[o->n_methods++] = latency_methods[o->methods.at[i]];
}

/* What the visit of all points needs, and what comes out of it on rank 0. */
struct latency_visit {
    const struct latency_options *o;
    const struct latency_things *things;
    void *arg; /* the things' */
    struct tables *tables;
    struct sync_clock clock;
    int wrong; /* cases with wrong data */
};

static void measure(struct latency_visit *v, const struct bench_point *p,
                    const struct latency_case *c)
{
    const struct latency_options *o = v->o;
    const struct latency_method *methods[OPTION_CHOSEN_MAX];
    struct latency_outcome outcome;
    size_t n = 0;
    for (size_t i = 0; i < o->n_methods; i++)
        if (v->things->broadcasts || o->method[i]->kinds >> c->kind & 1)
            methods[n++] = o->method[i];
    bench_check(&o->bench, latency_measure(c, methods, n, &outcome), "", p);
    v->wrong += outcome.wrong_ranks > 0;
    struct disturbance disturbed = bench_disturbed(c->comm);
    if (v->tables)
        tables_add(v->tables, p, &outcome, disturbed);
    latency_outcome_free(&outcome);
}

static void visit(void *arg, const struct bench_point *p, MPI_Comm comm)
{
    struct latency_visit *v = arg;
    const struct latency_things *things = v->things;
    struct latency_case c;
    bool prepared = things->prepare(v->arg, p, comm, &c);
    c.ring_bytes = v->o->ring_bytes;
    c.plan = v->o->bench.plan;
    c.clock = &v->clock;
    c.every = v->o->by_pair;
    if (bench_worst(comm, !prepared)) {
        if (v->o->bench.rank == 0)
            reason_say(v->o->bench.program,
                       "no memory for %s of %zu bytes among %d ranks: left out", p->name, p->bytes,
                       p->ranks);
    } else {
        measure(v, p, &c);
    }
    if (prepared && things->release)
        things->release(v->arg);
}

static void start_clocks(void *arg, MPI_Comm comm)
{
    bench_clocks(&((struct latency_visit *)arg)->clock, comm);
}

static const char *name_of(const void *arg, size_t which)
{
    const struct latency_visit *v = arg;
    return v->things->name_of(v->arg, which);
}

static bool is_sized(const void *arg, size_t which)
{
    const struct latency_visit *v = arg;
    return !v->things->sized || v->things->sized(v->arg, which);
}

int latency_bench(const struct latency_options *o, const struct latency_things *things, void *arg,
                  struct document *d)
{
    struct latency_visit v = {.o = o, .things = things, .arg = arg};
    if (d)
        v.tables = tables_new(o, d, things->name);
    bench_keep(&o->bench, &(struct bench_so_far){.document = d});
    bench_visit(&o->bench,
                &(const struct bench_visit){.n = things->n,
                                            .name = name_of,
                                            .sized = is_sized,
                                            .enter = start_clocks,
                                            .measure = visit},
                &v);
    if (d && v.wrong)
        document_finding(
            d,
            &(struct finding){
                .key = "wrong_data", .severity = SEVERITY_ERROR, .number = {{"cases", v.wrong}}},
            "WRONG DATA in %d of %zu cases: use no figure of this program run.", v.wrong,
            option_steps(&o->bench.sizes) * option_steps(&o->bench.ranks) * things->n);
    if (v.tables)
        tables_end(v.tables, things, arg);
    return v.wrong;
}
