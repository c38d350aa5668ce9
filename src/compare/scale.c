#include "compare/compare.h"

#include "base/array.h"
#include "report/tables.h"

#include <math.h>
#include <stdlib.h>

enum figure {
    TIME,
    SPEEDUP,
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
    {"speedup", NULL, COLUMN_REAL, 2, "run time with the fewest ranks / run time"},
    COLUMN("global", SHARE, NULL, "global efficiency: computation scaling x parallel efficiency"),
    COLUMN("computation", SHARE, "comput.",
           "computation scaling: time outside of MPI with the fewest ranks / with this number; "
           "sums over the ranks, or with --weak their means"),
    COLUMN("parallel", SHARE, NULL, "parallel efficiency: load balance x communication"),
    COLUMN("load_balance", SHARE, "balance", "mean / maximum of the ranks' time outside of MPI"),
    COLUMN("serialisation", SHARE, "serial.",
           "parallel efficiency on an ideal network / load balance (--trace)"),
    COLUMN("transfer", SHARE, NULL, "run time on an ideal network / run time (--trace)"),
    OPTIONAL("communication", SHARE, NULL, "serialisation x transfer"),
};

/* The names of the factors that put_findings() may report. */
static const char *const factor_names[FIGURES] = {[COMPUTATION] = "computation scaling",
                                                  [LOAD_BALANCE] = "load balance",
                                                  [SERIALISATION] = "serialisation",
                                                  [TRANSFER] = "transfer",
                                                  [COMMUNICATION] = "communication"};

/* A run's values; NAN: unknown. In seconds: TIME, and COMPUTATION until sizes_of() scales it. */
struct size {
    int32_t ranks;
    double value[FIGURES];
};

static struct size size_of(const struct profile *p, bool weak)
{
    const struct efficiency e = efficiency_of(p);
    const double ranks = (double)p->ranks.n;
    struct size s = {.ranks = (int32_t)p->ranks.n,
                     .value = {[TIME] = e.run,
                               [COMPUTATION] = e.mean * (weak ? 1 : ranks),
                               [PARALLEL] = e.compute,
                               [LOAD_BALANCE] = e.load_balance,
                               [SERIALISATION] = e.serialisation,
                               [TRANSFER] = e.transfer,
                               [COMMUNICATION] = e.communication}};
    const bool known = e.known && profile_longest_known(p);
    for (enum figure f = 0; f < FIGURES && !known; f++)
        s.value[f] = NAN;
    return s;
}

COMPARISON(by_ranks, struct size,
           ORDER(x->ranks, y->ranks) ?: ORDER(isnan(x->value[TIME]), isnan(y->value[TIME]))
               ?: ORDER(x->value[TIME], y->value[TIME]))

/* Whether RUN[I] is an earlier element's run: run-* matches a run's directory and links to it.
 * Simulated runs all start at time 0, so their numbers of ranks are compared, too. */
static bool is_again(struct profile *const *run, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (run[k] == run[i] ||
            (run[i]->run_id && run[k]->run_id == run[i]->run_id && run[k]->size == run[i]->size))
            return true;
    return false;
}

/* The values of all runs by number of ranks; release by free(). *N becomes the number of different
 * runs. */
static struct size *sizes_of(struct profile *const *run, size_t *n, bool weak)
{
    struct size *list = memory_alloc((*n + 1) * sizeof *list);
    size_t different = 0;
    for (size_t i = 0; i < *n; i++)
        if (!is_again(run, i))
            list[different++] = size_of(run[i], weak);
    *n = different;
    qsort(list, *n, sizeof *list, by_ranks);
    const struct size reference = list[0];
    for (struct size *s = list; s < list + *n; s++) {
        s->value[SPEEDUP] = reference.value[TIME] / s->value[TIME];
        s->value[COMPUTATION] = reference.value[COMPUTATION] / s->value[COMPUTATION];
        s->value[GLOBAL] = s->value[PARALLEL] * s->value[COMPUTATION];
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
        for (enum figure f = 0; f < FIGURES; f++)
            table_real(t, f < GLOBAL ? s->value[f] : 100 * s->value[f]);
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

/* Reports the factor that falls most between the fastest runs with the fewest and the most ranks.
 * Omits communication if both runs have a trace, which gives its two factors. */
static void put_findings(struct document *d, const struct size *list, size_t n)
{
    const struct size *last = &list[n - 1];
    for (; last > list && last[-1].ranks == last->ranks; last--)
        continue;
    const bool traced = !isnan(list->value[TRANSFER]) && !isnan(last->value[TRANSFER]);
    enum figure most = GLOBAL;
    double least = 1;
    size_t unknown = 0;
    for (enum figure f = COMPUTATION; f < (traced ? COMMUNICATION : FIGURES); f++) {
        const double fell = last->value[f] / list->value[f];
        if (factor_names[f] && fell < least) {
            least = fell;
            most = f;
        }
    }
    for (size_t k = 0; k < n; k++)
        unknown += isnan(list[k].value[PARALLEL]);
    if (unknown)
        document_finding(d, FINDING("unknown_factors", DOUBT),
                         "The efficiencies of %zu of %zu runs are unknown: ranks ended in a call, "
                         "or several threads of a rank call MPI.",
                         unknown, n);
    if (least < 1)
        document_finding(d, FINDING("falls_most", FINDING),
                         "From %d to %d ranks, %s falls most: from %.1f %% to %.1f %%.",
                         list->ranks, last->ranks, factor_names[most], 100 * list->value[most],
                         100 * last->value[most]);
}

struct document *scaling_document(struct profile *const *run, size_t n, bool weak, double limit,
                                  enum status *gate)
{
    struct document *d = document_new("collprof-scale/2");
    FREED struct size *list = sizes_of(run, &n, weak);
    bool below = false, known = true;
    document_fact(d, "scaling", "%s",
                  weak ? "weak: the work of each rank is the same in all runs"
                       : "strong: the work of all ranks together is the same in all runs");
    put_sizes(d, list, n);
    put_findings(d, list, n);
    for (size_t k = 0; k < n; k++) {
        below = below || list[k].value[GLOBAL] < limit;
        known = known && (isnan(limit) || !isnan(list[k].value[GLOBAL]));
    }
    *gate = below ? STATUS_SLOWER : known ? STATUS_GOOD : STATUS_UNDECIDED;
    return d;
}
