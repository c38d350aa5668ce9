/* Chooses the methods and measures algorithms or operations by them. */
#include "latency_bench.h"

#include <string.h>

OPTION_TEXT(method_name, n_latency_methods, latency_methods[i]->name)
OPTION_TEXT(method_reality, n_latency_methods, latency_methods[i]->reality)

static bool is_ours(size_t i, const void *values)
{
    (void)values;
    return latency_methods[i]->meaning != MEANS_SUITE;
}

/* Names of other suites; the names of their methods begin with these. */
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

/* The sweep over ranks, algorithms or operations ("things"), and sizes; rank 0 has the results. */
struct latency_visit {
    const struct latency_options *o;
    const struct latency_things *things;
    void *arg; /* argument of the functions of struct latency_things */
    struct tables *tables;
    struct tune *tune; /* NULL without --tune */
    struct bench_values ranks, sizes;
    struct bench_group group;
    int wrong; /* number of cases with wrong data */
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
    bench_check(&o->bench, latency_measure(c, methods, n, &outcome), p);
    v->wrong += outcome.wrong_ranks > 0;
    struct contention contention = bench_contention(c->comm);
    if (v->tables)
        latency_tables_add(v->tables, p, &outcome, contention);
    latency_outcome_free(&outcome);
}

static const char *visit(void *arg, const size_t *at)
{
    enum { RANKS, THING, SIZE };
    struct latency_visit *v = arg;
    const struct latency_things *things = v->things;
    bool sized = !things->sized || things->sized(v->arg, at[THING]);
    bench_group_open(&v->o->bench, v->ranks.at[at[RANKS]], &v->group);
    if (v->group.comm == MPI_COMM_NULL || (at[SIZE] && !sized))
        return NULL;
    struct bench_point p = {.name = things->name_of(v->arg, at[THING]),
                            .which = at[THING],
                            .ranks = v->group.ranks,
                            .bytes = sized ? v->sizes.at[at[SIZE]] : 0};
    struct latency_case c;
    bool prepared = things->prepare(v->arg, &p, v->group.comm, &c);
    c.ring_bytes = v->o->ring_bytes;
    c.plan = v->o->bench.plan;
    c.clock = &v->group.clock;
    c.every = v->o->by_pair;
    if (bench_worst(v->group.comm, !prepared)) {
        if (v->o->bench.rank == 0)
            reason_print(v->o->bench.program,
                         "no memory for %s of %zu bytes among %d ranks: left out", p.name, p.bytes,
                         p.ranks);
    } else if (v->tune)
        bench_check(&v->o->bench, tune_point(v->tune, &p, &c), &p);
    else
        measure(v, &p, &c);
    if (prepared)
        things->release(v->arg);
    return p.name;
}

_Noreturn void latency_main(int argc, char **argv, const struct option_program *program,
                            struct latency_options *o, const struct latency_things *things,
                            void *arg)
{
    struct bench *b = &o->bench;
    b->plan = plan_default();
    b->plan.budget_most = 6 * b->plan.budget;
    bench_begin(b, &argc, &argv, MPI_THREAD_SINGLE, program);
    struct latency_visit v = {.o = o,
                              .things = things,
                              .arg = arg,
                              .ranks = bench_values(&b->ranks),
                              .sizes = bench_values(&b->sizes)};
    const size_t length[] = {v.ranks.n, o->things.n, v.sizes.n};
    struct document *d = bench_document(b, things->schema);
    if (d) {
        document_fact(d, "root", "%d", o->root);
        if (b->plan.stop == STOP_PAPER)
            document_fact(d, "value", "mean of the batches' means, as the paper has it");
        v.tables = o->tune ? NULL : latency_tables_new(o, things, d);
    }
    if (o->tune)
        v.tune = tune_new(o, things, d);
    bench_keep(b, d);
    bench_sweep(b, length, 3, visit, &v);
    bench_group_close(b, &v.group);
    if (d && v.wrong)
        document_finding(d,
                         &(struct finding){.key = "wrong_data",
                                           .severity = SEVERITY_ERROR,
                                           .number = {{"cases", v.wrong}}},
                         "WRONG DATA in %d of %zu cases: use no figure of this program run.",
                         v.wrong, v.ranks.n * o->things.n * v.sizes.n);
    bool saved = true;
    if (d && v.tune)
        saved = tune_end(v.tune, arg);
    else if (d)
        latency_tables_end(v.tables, arg);
    bench_finish(b, d, bench_worst(b->comm, v.wrong > 0 || !saved));
}
