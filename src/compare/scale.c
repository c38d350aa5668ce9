#include "compare/compare.h"

#include "base/array.h"
#include "report/tables.h"

#include <math.h>
#include <stdlib.h>

enum figure {
    TIME,
    GLOBAL,
    COMPUTATION,
    PARALLEL,
    LOAD_BALANCE,
    SERIALISATION,
    TRANSFER,
    COMMUNICATION,
    FIGURES
};

static const struct column columns[] = {
    COLUMN("ranks", INTEGER, NULL, "in MPI_COMM_WORLD"),
    COLUMN("time", TIME, NULL, "from MPI_Init to MPI_Finalize"),
    {"speedup", NULL, COLUMN_REAL, 2, "time with the fewest ranks / time"},
    COLUMN("global", SHARE, NULL, "global efficiency: computation scaling x parallel efficiency"),
    COLUMN("computation", SHARE, "comput.",
           "computation scaling: time outside of MPI with the fewest ranks / with this number; "
           "sums over the ranks, or with --weak their means"),
    COLUMN("parallel", SHARE, NULL, "parallel efficiency: load balance x communication"),
    COLUMN("load_balance", SHARE, "balance", "mean over maximum of the ranks' time outside of MPI"),
    COLUMN("serialisation", SHARE, "serial.",
           "efficiency on an ideal network / load balance (--trace)"),
    COLUMN("transfer", SHARE, NULL, "run time on an ideal network / run time (--trace)"),
    OPTIONAL("communication", SHARE, NULL, "serialisation x transfer"),
    OPTIONAL("runs", COUNT, NULL, "all figures are medians of them"),
};

/* The names of the factors; those that are products of others are left out. */
static const char *const factor_names[FIGURES] = {[COMPUTATION] = "computation scaling",
                                                  [LOAD_BALANCE] = "load balance",
                                                  [SERIALISATION] = "serialisation",
                                                  [TRANSFER] = "transfer",
                                                  [COMMUNICATION] = "communication"};

/* The figures of a run, or the medians of all runs with that number of ranks; NAN: unknown. TIME is
 * in seconds; so is COMPUTATION, until it is scaled. */
struct size {
    int32_t ranks;
    size_t runs;
    double value[FIGURES];
};

static struct size size_of_run(const struct profile *p, bool weak)
{
    const struct efficiency e = efficiency_of(p);
    const double ranks = (double)p->ranks.n;
    struct size s = {.ranks = (int32_t)p->ranks.n,
                     .value = {[TIME] = e.run,
                               [GLOBAL] = NAN,
                               [COMPUTATION] = e.mean * (weak ? 1 : ranks),
                               [PARALLEL] = e.compute,
                               [LOAD_BALANCE] = e.load_balance,
                               [SERIALISATION] = e.serialisation,
                               [TRANSFER] = e.transfer,
                               [COMMUNICATION] = e.communication}};
    for (enum figure f = 0; f < FIGURES && !e.known; f++)
        s.value[f] = NAN;
    return s;
}

/* The N runs have the same number of ranks. */
static struct size medians_of(const struct size *run, size_t n)
{
    struct size s = {.ranks = run->ranks, .runs = n};
    double *known = memory_alloc(n * sizeof *known);
    for (enum figure f = 0; f < FIGURES; f++) {
        size_t m = 0;
        for (size_t i = 0; i < n; i++)
            if (!isnan(run[i].value[f]))
                known[m++] = run[i].value[f];
        s.value[f] = m ? stats_median(known, m) : NAN;
    }
    free(known);
    return s;
}

COMPARISON(by_ranks, struct size, ORDER(x->ranks, y->ranks))

/* For free(). */
static struct size *sizes_of(const struct scale_request *r, size_t *n)
{
    struct size *list = memory_alloc((r->n + 1) * sizeof *list);
    for (size_t i = 0; i < r->n; i++)
        list[i] = size_of_run(r->run[i], r->weak);
    qsort(list, r->n, sizeof *list, by_ranks);
    *n = 0;
    for (size_t i = 0, end; i < r->n; i = end) {
        for (end = i + 1; end < r->n && list[end].ranks == list[i].ranks;)
            end++;
        list[(*n)++] = medians_of(list + i, end - i);
    }
    const double reference = list->value[COMPUTATION];
    for (size_t k = 0; k < *n; k++) {
        list[k].value[COMPUTATION] = reference / list[k].value[COMPUTATION];
        list[k].value[GLOBAL] = list[k].value[PARALLEL] * list[k].value[COMPUTATION];
    }
    return list;
}

static void put_sizes(struct document *d, const struct size *list, size_t n)
{
    struct table *t = document_table_of(d, "scale", "Efficiencies by number of ranks", columns);
    static const char *const lines[] = {
        "global",        "computation", "parallel",      "load_balance",
        "serialisation", "transfer",    "communication", NULL};
    for (const struct size *s = list; s < list + n; s++) {
        table_integer(t, s->ranks);
        table_real(t, s->value[TIME]);
        table_real(t, list->value[TIME] / s->value[TIME]);
        for (enum figure f = GLOBAL; f < FIGURES; f++)
            table_real(t, 100 * s->value[f]);
        table_integer(t, (long long)s->runs);
    }
    document_picture(d, &(struct picture){.kind = PICTURE_LINES,
                                          .name = "scale",
                                          .title = "Efficiencies by number of ranks",
                                          .table = "scale",
                                          .x = "ranks",
                                          .columns = lines,
                                          .y_label = "percent",
                                          .x_log = true});
}

/* The factor that falls most from the fewest to the most ranks. With a trace, communication is a
 * product of two others. */
static void put_findings(struct document *d, const struct size *list, size_t n)
{
    const struct size *last = &list[n - 1];
    const bool traced = !isnan(list->value[TRANSFER]) && !isnan(last->value[TRANSFER]);
    enum figure most = GLOBAL;
    double least = 1;
    for (enum figure f = 0; f < (traced ? COMMUNICATION : FIGURES); f++) {
        const double fell = last->value[f] / list->value[f];
        if (factor_names[f] && fell < least) {
            least = fell;
            most = f;
        }
    }
    for (size_t k = 0; k < n; k++)
        if (isnan(list[k].value[PARALLEL]))
            document_finding(d, FINDING("unknown_factors", DOUBT),
                             "The efficiencies with %d ranks are unknown: ranks were cut off in "
                             "calls, or several threads of a rank call MPI.",
                             list[k].ranks);
    if (least < 1)
        document_finding(d, FINDING("falls_most", FINDING),
                         "From %d to %d ranks, %s falls most: from %.1f %% to %.1f %%.",
                         list->ranks, last->ranks, factor_names[most], 100 * list->value[most],
                         100 * last->value[most]);
}

struct document *scaling_document(const struct scale_request *request, double *least, bool *known)
{
    struct document *d = document_new("collprof-scale/1");
    size_t n;
    struct size *list = sizes_of(request, &n);
    *least = INFINITY;
    *known = true;
    document_fact(d, "scaling", "%s",
                  request->weak ? "weak: the work of a rank is the same"
                                : "strong: the work of all ranks is the same");
    put_sizes(d, list, n);
    put_findings(d, list, n);
    for (size_t k = 0; k < n; k++) {
        *least = fmin(*least, list[k].value[GLOBAL]);
        *known = *known && !isnan(list[k].value[GLOBAL]);
    }
    free(list);
    return d;
}
