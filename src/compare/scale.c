#include "compare/scale.h"

#include "base/array.h"
#include "report/efficiency.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum factor {
    GLOBAL,
    COMPUTATION,
    PARALLEL,
    LOAD_BALANCE,
    SERIALISATION,
    TRANSFER,
    COMMUNICATION,
    FACTORS
};

#define C(name, kind, head, meaning)                                                               \
    {                                                                                              \
        name, NULL, COLUMN_##kind, 2, meaning, head, 0                                             \
    }
#define OPTIONAL(name, kind, meaning)                                                              \
    {                                                                                              \
        name, NULL, COLUMN_##kind, 2, meaning, NULL, COLUMN_OPTIONAL                               \
    }
static const struct column columns[] = {
    C("ranks", INTEGER, NULL, "in MPI_COMM_WORLD"),
    C("time", TIME, NULL, "from MPI_Init to MPI_Finalize"),
    C("speedup", REAL, NULL, "time of the fewest ranks over that time"),
    C("global", SHARE, NULL, "global efficiency: computation scaling x parallel efficiency"),
    C("computation", SHARE, "comput.",
      "computation scaling: time outside of MPI of the fewest ranks over that time, of all ranks "
      "together, or with --weak per rank"),
    C("parallel", SHARE, NULL, "parallel efficiency: load balance x communication"),
    C("load_balance", SHARE, "balance", "mean over maximum of the ranks' time outside of MPI"),
    C("serialisation", SHARE, "serial.",
      "efficiency on an ideal network, over load balance (--trace)"),
    C("transfer", SHARE, NULL, "run time on an ideal network over run time (--trace)"),
    OPTIONAL("communication", SHARE, "serialisation x transfer"),
    OPTIONAL("runs", COUNT, "all figures are medians of them"),
};

static const char *const factor_names[FACTORS] = {"global efficiency",   "computation scaling",
                                                  "parallel efficiency", "load balance",
                                                  "serialisation",       "transfer",
                                                  "communication"};

/* The runs with one number of ranks. */
struct size {
    int32_t ranks;
    size_t runs;
    double value[FACTORS]; /* medians; NAN: unknown. COMPUTATION: seconds, until scaled */
    double time;           /* median, seconds */
};

/* A factor of one run; FACTORS: its time. NAN: unknown. */
static double factor_of(const struct efficiency *e, const struct scale_request *r, size_t run,
                        enum factor f)
{
    const double ranks = (double)r->run[run]->ranks.n;
    const double all[FACTORS + 1] = {[GLOBAL] = NAN,
                                     [COMPUTATION] = e->mean * (r->weak ? 1 : ranks),
                                     [PARALLEL] = e->compute,
                                     [LOAD_BALANCE] = e->load_balance,
                                     [SERIALISATION] = e->serialisation,
                                     [TRANSFER] = e->transfer,
                                     [COMMUNICATION] = e->communication,
                                     [FACTORS] = e->run};
    return e->known ? all[f] : NAN;
}

/* The median of a factor over all runs with that number of ranks. */
static double median_of(const struct efficiency *of_run, const struct scale_request *r,
                        int32_t ranks, enum factor f)
{
    double *x = memory_alloc((r->n + 1) * sizeof *x);
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        const double value = factor_of(&of_run[i], r, i, f);
        if ((int32_t)r->run[i]->ranks.n == ranks && !isnan(value))
            x[n++] = value;
    }
    const double median = n ? stats_median(x, n) : NAN;
    free(x);
    return median;
}

static int by_ranks(const void *a, const void *b)
{
    const struct size *x = a, *y = b;
    return ORDER(x->ranks, y->ranks);
}

/* For free(). */
static struct size *sizes_of(const struct scale_request *r, size_t *n)
{
    struct size *list = memory_alloc((r->n + 1) * sizeof *list);
    struct efficiency *of_run = memory_alloc((r->n + 1) * sizeof *of_run);
    *n = 0;
    for (size_t i = 0; i < r->n; i++) {
        of_run[i] = efficiency_of(r->run[i]);
        const int32_t ranks = (int32_t)r->run[i]->ranks.n;
        size_t k = 0;
        while (k < *n && list[k].ranks != ranks)
            k++;
        list[k].ranks = ranks;
        list[k].runs++;
        *n += k == *n;
    }
    qsort(list, *n, sizeof *list, by_ranks);
    for (size_t k = 0; k < *n; k++) {
        list[k].time = median_of(of_run, r, list[k].ranks, FACTORS);
        for (enum factor f = 0; f < FACTORS; f++)
            list[k].value[f] = median_of(of_run, r, list[k].ranks, f);
    }
    free(of_run);
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
    for (size_t k = 0; k < n; k++) {
        const struct size *s = &list[k];
        table_integer(t, s->ranks);
        table_real(t, s->time);
        table_real(t, list->time / s->time);
        for (enum factor f = 0; f < FACTORS; f++)
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

/* The factor that falls most from the fewest to the most ranks, of those that are no products of
 * others. */
static void put_findings(struct document *d, const struct size *list, size_t n)
{
    const struct size *last = &list[n - 1];
    const bool traced = !isnan(list->value[TRANSFER]) && !isnan(last->value[TRANSFER]);
    enum factor most = GLOBAL;
    double least = 1;
    for (enum factor f = 0; f < FACTORS; f++) {
        const bool product = f == GLOBAL || f == PARALLEL || (f == COMMUNICATION && traced);
        const double fell = last->value[f] / list->value[f];
        if (!product && fell < least) {
            least = fell;
            most = f;
        }
    }
    for (size_t k = 0; k < n; k++)
        if (isnan(list[k].value[PARALLEL]))
            document_finding(
                d, &(struct finding){.key = "unknown_factors", .severity = SEVERITY_DOUBT},
                "The efficiencies with %d ranks are unknown: ranks were cut off in "
                "calls, or several threads of a rank call MPI.",
                list[k].ranks);
    if (least < 1)
        document_finding(d, &(struct finding){.key = "falls_most", .severity = SEVERITY_FINDING},
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
