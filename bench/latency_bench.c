/* Chooses the methods, and measures things by them. */
#include "latency_bench.h"

#include <stdio.h>
#include <stdlib.h>
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

/* What the measurement of all points needs, and what comes out of it on rank 0. */
struct latency_visit {
    const struct latency_options *o;
    const struct latency_things *things;
    void *arg; /* the things' */
    struct tables *tables;
    struct sync_clock clock;
    size_t done, total; /* points */
    int wrong;          /* cases with wrong data */
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
    struct disturbance disturbed = bench_disturbed(c->comm);
    if (v->tables)
        tables_add(v->tables, p, &outcome, disturbed);
    latency_outcome_free(&outcome);
}

static void visit(struct latency_visit *v, const struct bench_point *p, MPI_Comm comm)
{
    const struct latency_things *things = v->things;
    struct latency_case c;
    bool prepared = things->prepare(v->arg, p, comm, &c);
    c.ring_bytes = v->o->ring_bytes;
    c.plan = v->o->bench.plan;
    c.clock = &v->clock;
    c.every = v->o->by_pair;
    if (!bench_worst(comm, !prepared))
        measure(v, p, &c);
    else if (v->tables)
        reason_say(v->o->bench.program, "no memory for %s of %zu bytes among %d ranks: left out",
                   p->name, p->bytes, p->ranks);
    if (prepared && things->release)
        things->release(v->arg);
}

/* What is measured among RANKS, in random order, the same on all ranks, or as listed; to be freed.
 */
static struct bench_point *points_of(const struct latency_visit *v, size_t ranks, size_t *n)
{
    const struct latency_things *things = v->things;
    const struct bench *b = &v->o->bench;
    unsigned short state[3] = {(unsigned short)b->seed, (unsigned short)(b->seed >> 16), 0x330e};
    struct bench_point *point = calloc(option_steps(&b->sizes) * things->n, sizeof *point);
    if (!point)
        bench_refuse(b, "no memory for so many sizes");
    *n = 0;
    for (size_t which = 0; which < things->n; which++) {
        bool sized = !things->sized || things->sized(v->arg, which);
        size_t bytes = sized ? b->sizes.min : 0;
        do {
            size_t k = b->seed > 0 ? (size_t)(erand48(state) * (double)(*n + 1)) : *n;
            point[*n] = point[k];
            point[k] = (struct bench_point){.name = things->name_of(v->arg, which),
                                            .which = which,
                                            .place = v->done + *n,
                                            .ranks = (int)ranks,
                                            .bytes = bytes};
            ++*n;
        } while (sized && option_next(&b->sizes, &bytes));
    }
    return point;
}

/* All points among the first RANKS of all ranks, on a communicator of their own, which returns
 * errors; the others wait. */
static void visit_ranks(struct latency_visit *v, size_t ranks)
{
    const struct bench *b = &v->o->bench;
    MPI_Comm comm;
    size_t n;
    MPI_Comm_split(b->comm, (size_t)b->rank < ranks ? 0 : MPI_UNDEFINED, b->rank, &comm);
    if (comm != MPI_COMM_NULL) {
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        bench_clocks(&v->clock, comm);
    }
    struct bench_point *point = points_of(v, ranks, &n);
    for (size_t i = 0; i < n; i++) {
        char what[96];
        const struct bench_point *p = &point[i];
        snprintf(what, sizeof what, "%s, %d ranks, %zu B", p->name, p->ranks, p->bytes);
        bench_place_rows(p->place);
        bench_step(b, v->done++, v->total, what);
        if (comm != MPI_COMM_NULL)
            visit(v, p, comm);
    }
    free(point);
    bench_wait(b->comm);
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
}

int latency_bench(const struct latency_options *o, const struct latency_things *things, void *arg,
                  struct document *d)
{
    const struct bench *b = &o->bench;
    size_t ranks = b->ranks.min;
    struct latency_visit v = {.o = o,
                              .things = things,
                              .arg = arg,
                              .total =
                                  option_steps(&b->sizes) * option_steps(&b->ranks) * things->n};
    if (d)
        v.tables = tables_new(o, d, things->name);
    bench_keep(b, &(struct bench_so_far){.document = d});
    do
        visit_ranks(&v, ranks);
    while (option_next(&b->ranks, &ranks));
    bench_progress_end(b);
    if (d && v.wrong)
        document_finding(
            d,
            &(struct finding){
                .key = "wrong_data", .severity = SEVERITY_ERROR, .number = {{"cases", v.wrong}}},
            "WRONG DATA in %d of %zu cases: use no figure of this program run.", v.wrong, v.total);
    if (v.tables)
        tables_end(v.tables, things, arg);
    return v.wrong;
}
