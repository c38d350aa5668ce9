#include "tune/rules.h"

#include "base/histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The numbers are those of Open MPI's enum COLLTYPE. Its rules for scans do not go by size. */
static const struct tuned_operation operations[] = {
    {"MPI_Allgather", "allgather", "ALLGATHER", 0, true, false},
    {"MPI_Allreduce", "allreduce", "ALLREDUCE", 2, false, true},
    {"MPI_Alltoall", "alltoall", "ALLTOALL", 3, true, false},
    {"MPI_Barrier", "barrier", "BARRIER", 6, false, false},
    {"MPI_Bcast", "bcast", "BCAST", 7, false, false},
    {"MPI_Gather", "gather", "GATHER", 9, true, false},
    {"MPI_Reduce", "reduce", "REDUCE", 11, false, true},
    {"MPI_Reduce_scatter_block", "reduce_scatter_block", "REDUCE_SCATTER_BLOCK", 13, true, true},
    {"MPI_Scatter", "scatter", "SCATTER", 15, true, false},
};
enum { N_OPERATIONS = sizeof operations / sizeof *operations };

const struct tuned_operation *tuned_operation_find(const char *mpi_name)
{
    for (int i = 0; i < N_OPERATIONS; i++)
        if (!strcmp(operations[i].mpi_name, mpi_name))
            return &operations[i];
    return NULL;
}

/* --- one algorithm for several signatures --- */

/* Whether A and B are the same algorithm; false if either is NULL. */
static bool is_same(const struct algorithm *a, const struct algorithm *b)
{
    return a && b && a->number == b->number && a->segment == b->segment;
}

/* The time with A in relation to that of the library's choice; NaN if unknown. */
static struct estimate ratio_of(const struct tuned *t, const struct algorithm *a)
{
    for (int k = 1; k < t->n; k++)
        if (is_same(&t->candidate[k], a))
            return t->ratio[k];
    return ESTIMATE_UNKNOWN;
}

struct estimate tuned_saving(const struct tuned *t, const struct algorithm *a)
{
    const struct estimate ratio = ratio_of(t, a);
    const double now = t->time[0].value;
    return (struct estimate){now * (1 - ratio.value), now * (1 - ratio.high),
                             now * (1 - ratio.low)};
}

bool tuned_open(const struct tuned *t)
{
    bool open = false;
    for (int k = 1; t->best == 0 && k < t->n; k++)
        open |= t->ratio[k].value < 1 - TUNED_TIE && !(t->ratio[k].low >= 1 - TUNED_TIE);
    return open;
}

const struct algorithm *tuned_ours(const struct tuned *t)
{
    double least = 1 - TUNED_TIE;
    const struct algorithm *ours = NULL;
    for (int k = 1; k < t->n; k++)
        if (!algorithm_is_ours(&t->candidate[k]))
            least = fmin(least, t->ratio[k].low);
    for (int k = 1; k < t->n; k++)
        if (algorithm_is_ours(&t->candidate[k]) && t->ratio[k].high < least) {
            least = t->ratio[k].high;
            ours = &t->candidate[k];
        }
    return ours;
}

/* Seconds that A saves over all signatures; 0 or less if it must not be used. */
static double saved_by(const struct algorithm *a, const struct rule *r)
{
    double saved = 0;
    bool faster = false;
    for (size_t i = 0; i < r->n; i++) {
        const struct estimate ratio = ratio_of(r->of[i], a);
        if (r->of[i]->refuted || !(ratio.high <= 1 + TUNED_TIE))
            return 0;
        faster |= ratio.high < 1 && ratio.value < 1 - TUNED_TIE;
        saved += tuned_saving(r->of[i], a).value;
    }
    return faster ? saved : 0;
}

static const struct algorithm *choose(const struct rule *r)
{
    double most = 0;
    const struct algorithm *best = NULL;
    for (int k = 1; k < r->of[0]->n; k++) {
        double saved = saved_by(&r->of[0]->candidate[k], r);
        if (saved > most && !algorithm_is_ours(&r->of[0]->candidate[k])) {
            most = saved;
            best = &r->of[0]->candidate[k];
        }
    }
    return best;
}

static int by_operation_ranks_bytes(const void *x, const void *y)
{
    const struct tuned *a = *(struct tuned *const *)x, *b = *(struct tuned *const *)y;
    return ORDER(a->operation, b->operation) ?: ORDER(a->ranks, b->ranks)
                                             ?: ORDER(a->bytes, b->bytes);
}

static bool shares(const struct rules *r, const struct tuned *a, const struct tuned *b)
{
    return a->operation == b->operation &&
           (!r->by_size ||
            (a->ranks == b->ranks && size_class_of(a->bytes) == size_class_of(b->bytes)));
}

struct rules rules_of(struct tuned_set *s)
{
    struct rules r = {.by_size = !strncmp(s->library, "Open MPI", 8)};
    const size_t n = r.by_size || !strncmp(s->library, "MPICH", 5) ? s->list.n : 0;
    r.sorted = memory_alloc((n + 1) * sizeof *r.sorted);
    for (size_t i = 0; i < n; i++)
        r.sorted[i] = &s->list.at[i];
    qsort(r.sorted, n, sizeof *r.sorted, by_operation_ranks_bytes);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || !shares(&r, r.sorted[i - 1], r.sorted[i]))
            PUSH(&r.list)->of = &r.sorted[i];
        r.list.at[r.list.n - 1].n++;
    }
    for (size_t i = 0; i < r.list.n; i++)
        r.list.at[i].algorithm = choose(&r.list.at[i]);
    return r;
}

void rules_free(struct rules *r)
{
    free(r->sorted);
    free(r->list.at);
}

size_t rules_count(const struct rules *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->list.n; i++)
        n += r->list.at[i].algorithm != NULL;
    return n;
}

/* --- signatures between those that were measured --- */

/* By how much the ratio to the library's choice may be higher than interpolated: with it rules make
 * one of 120 signatures slower on simulated networks (tests/sim/tune.py). */
static const double interpolation_error = 0.15;

/* The neighbour after A among the first N signatures, by ranks or by bytes; NULL if there is none.
 * Algorithms differ most between powers of two and other numbers of ranks. */
static const struct tuned *next_after(const struct tuned *a, bool by_ranks,
                                      const struct tuned_set *s, size_t n)
{
    const struct tuned *next = NULL;
    for (const struct tuned *x = s->list.at; x < s->list.at + n; x++) {
        const bool after =
            by_ranks ? x->bytes == a->bytes && x->ranks > a->ranks &&
                           is_power_of_2((size_t)x->ranks) == is_power_of_2((size_t)a->ranks)
                     : x->ranks == a->ranks && x->bytes > a->bytes;
        if (after && x->operation == a->operation && !strcmp(x->arrival, a->arrival) &&
            !(next && next->ranks <= x->ranks && next->bytes <= x->bytes))
            next = x;
    }
    return next;
}

/* The next number of ranks for which there is a rule: the next power of two, or the next other
 * number. Of large numbers some are left out, so that the files stay small. */
static size_t next_ranks(size_t ranks)
{
    size_t step = 1;
    if (is_power_of_2(ranks))
        return 2 * ranks;
    while (64 * step <= ranks)
        step *= 2;
    return ranks + step + is_power_of_2(ranks + step);
}

/* The ratio PART of the way from A to B, on a logarithmic scale. A candidate that was dropped as
 * far slower has no interval. */
static struct estimate interpolate(struct estimate a, struct estimate b, double part)
{
    const double high_a = log(fmax(a.value, a.high)), high_b = log(fmax(b.value, b.high));
    return (struct estimate){exp((1 - part) * log(a.value) + part * log(b.value)), NAN,
                             exp((1 - part) * high_a + part * high_b)};
}

/* Adds the signatures between A and B, which differ in their ranks or in their bytes. */
static void add_between(struct tuned_set *s, const struct tuned a, const struct tuned b)
{
    const bool by_ranks = a.ranks != b.ranks;
    const size_t from = by_ranks ? (size_t)a.ranks : a.bytes,
                 to = by_ranks ? (size_t)b.ranks : b.bytes;
    for (size_t at = from; (at = by_ranks ? next_ranks(at) : 2 * at) < to && at > 0;) {
        const double part = log((double)at / (double)from) / log((double)to / (double)from);
        struct tuned *t = PUSH(&s->list);
        *t = a;
        t->ranks = by_ranks ? (int)at : a.ranks;
        t->bytes = by_ranks ? a.bytes : at;
        t->between = true;
        t->best = 0;
        t->time[0] = interpolate(a.time[0], b.time[0], part);
        for (int k = 1; k < t->n; k++)
            t->ratio[k] = interpolate(a.ratio[k], ratio_of(&b, &a.candidate[k]), part);
    }
}

/* Keeps only the library's choice and the fastest of its algorithms. */
static void keep_fastest(struct tuned *t)
{
    int best = 0;
    for (int k = 1; k < t->n; k++)
        if (!algorithm_is_ours(&t->candidate[k]) &&
            t->ratio[k].value < (best ? t->ratio[best].value : INFINITY))
            best = k;
    t->n = best ? 2 : 1;
    t->candidate[1] = t->candidate[best];
    t->ratio[1] = t->ratio[best];
    t->ratio[1].high += interpolation_error;
    t->time[1].value = t->time[0].value * t->ratio[1].value;
}

void tuned_set_interpolate(struct tuned_set *s)
{
    for (int pass = 0; pass < 2 && !strncmp(s->library, "Open MPI", 8); pass++)
        for (size_t n = s->list.n, i = 0; i < n; i++) {
            const struct tuned *a = &s->list.at[i], *b = next_after(a, pass > 0, s, n);
            if (b)
                add_between(s, *a, *b);
        }
    for (size_t i = 0; i < s->list.n; i++)
        if (s->list.at[i].between)
            keep_fastest(&s->list.at[i]);
}

/* --- Open MPI --- */

/* A line of the file: an algorithm (NULL: the library's choice) for messages from FROM bytes on, up
 * to the next line. The lines of an operation begin with RANKS 0, those of a number of ranks with
 * FROM 0. */
struct line {
    const struct tuned_operation *operation;
    int ranks;
    size_t from;
    const struct algorithm *algorithm;
};
struct lines {
    ARRAY(struct line) list;
};

/* Adds a line for T's operation, instead of the last one if that begins at the same size. */
static void add_line(struct lines *l, const struct tuned *t, int ranks, size_t from,
                     const struct algorithm *a)
{
    const struct line *last = l->list.n ? &l->list.at[l->list.n - 1] : NULL;
    l->list.n -=
        last && last->operation == t->operation && last->ranks == ranks && last->from == from;
    *PUSH(&l->list) = (struct line){t->operation, ranks, from, a};
}

/* Whether the lines for RANKS apply up to those for NEXT, since no power of two lies between. */
static bool goes_on(int ranks, const struct tuned *next)
{
    return next->between && (ranks ^ (next->ranks - 1)) < ranks;
}

/* Open MPI applies the lines for a number of ranks up to the next number in the file, and the first
 * ones to fewer ranks, too. So numbers that were not measured get lines with the library's choice.
 * Operations without rules get no lines. */
static struct lines lines_of(const struct rules *r)
{
    struct lines l = {0};
    size_t begin = 0;
    bool any = false;
    for (size_t i = 0; i < r->list.n; i++) {
        const struct rule *x = &r->list.at[i];
        const struct tuned *t = x->of[0], *before = i > 0 ? x[-1].of[0] : NULL,
                           *after = i + 1 < r->list.n ? x[1].of[0] : NULL;
        const size_t factor = t->operation->by_ranks ? (size_t)t->ranks : 1;
        const bool first = !before || before->operation != t->operation,
                   last = !after || after->operation != t->operation;
        if (first) {
            begin = l.list.n;
            any = false;
            add_line(&l, t, 0, 0, NULL);
        }
        const bool smaller = !first && before->ranks == t->ranks, /* has a rule, too */
            larger = !last && after->ranks == t->ranks;
        if (!smaller)
            add_line(&l, t, t->ranks, 0, NULL);
        /* Where two neighbours agree, their algorithm is also for the sizes between. */
        if (x->algorithm && !(smaller && is_same(x[-1].algorithm, x->algorithm)))
            add_line(&l, t, t->ranks, t->bytes * factor, x->algorithm);
        if (x->algorithm && !(larger && is_same(x[1].algorithm, x->algorithm)))
            add_line(&l, t, t->ranks, x->of[x->n - 1]->bytes * factor + 1, NULL);
        if (last || (after->ranks > t->ranks + 1 && !goes_on(t->ranks, after)))
            add_line(&l, t, t->ranks + 1, 0, NULL);
        any |= x->algorithm != NULL;
        if (last && !any)
            l.list.n = begin;
    }
    return l;
}

/* Fan-out of trees: Open MPI's default for forced algorithms, with which they were measured. */
enum { FAN_OUT = 4 };

void rules_openmpi_write(FILE *out, const struct rules *r)
{
    struct lines l = lines_of(r);
    size_t all = 0;
    for (size_t i = 0; i < l.list.n; i++)
        all += l.list.at[i].ranks == 0;
    fprintf(out, "%zu # operations\n", all);
    for (size_t i = 0; i < l.list.n; i++) {
        const struct line *x = &l.list.at[i], *end = l.list.at + l.list.n;
        const struct algorithm *a = x->algorithm;
        size_t ranks = 1, sizes = 1;
        for (const struct line *y = x + 1; y < end && y->ranks > 0; y++)
            ranks += y->from == 0;
        while (x + sizes < end && x[sizes].from > 0)
            sizes++;
        if (x->ranks == 0)
            fprintf(out, "%d # %s\n%zu # numbers of ranks\n", x->operation->openmpi,
                    x->operation->mpi_name, ranks);
        if (x->from == 0)
            fprintf(out, "%d # ranks\n%zu # sizes\n", x->ranks, sizes);
        fprintf(out, "%zu %d %d %d # %s\n", x->from, a ? a->number : 0, FAN_OUT, a ? a->segment : 0,
                a ? a->name : "the library's choice");
    }
    free(l.list.at);
}

/* --- MPICH --- */

void rules_mpich_write(FILE *out, const struct rules *r)
{
    /* The device's own algorithms would come before the general ones. */
    if (rules_count(r))
        fputs("export MPIR_CVAR_DEVICE_COLLECTIVES=percoll\n", out);
    for (EACH(const struct rule, rule, r->list)) {
        const char *name = rule->of[0]->operation->mpich;
        if (rule->algorithm)
            fprintf(out,
                    "export MPIR_CVAR_%s_DEVICE_COLLECTIVE=0\n"
                    "export MPIR_CVAR_%s_INTRA_ALGORITHM=%s\n",
                    name, name, rule->algorithm->name);
    }
}
