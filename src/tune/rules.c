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

/* False if either is NULL. */
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

double tuned_saving(const struct tuned *t, const struct algorithm *a)
{
    return t->time[0].value * (1 - ratio_of(t, a).value);
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
        saved += tuned_saving(r->of[i], a);
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

/* --- Open MPI --- */

/* A line of the file: an algorithm (NULL: the library's choice) for messages from FROM bytes on, up
 * to the next line. The lines of an operation begin with RANKS 0, those of a number of ranks with
 * FROM 0. */
struct line {
    const struct tuned_operation *operation;
    int ranks;
    size_t from;
    const struct algorithm *algorithm;
    bool measured; /* with the library's choice: it was measured as the best; false: a gap */
};
struct lines {
    ARRAY(struct line) list;
};

/* Adds a line for T's operation. If two neighbours have one algorithm, so do the sizes between. */
static void add_line(struct lines *l, const struct tuned *t, int ranks, size_t from,
                     const struct algorithm *a)
{
    struct line *last = l->list.n ? &l->list.at[l->list.n - 1] : NULL;
    const bool follows = last && last->operation == t->operation && last->ranks == ranks;
    const bool gap = follows && !last->algorithm && last->from > 0 && !last->measured;
    if (follows && !last->algorithm && !a) {
        last->measured = true;
        return;
    }
    if (follows && (last->from == from || (gap && is_same(last[-1].algorithm, a))))
        l->list.n--;
    if (!gap || !is_same(last[-1].algorithm, a))
        *PUSH(&l->list) = (struct line){t->operation, ranks, from, a, false};
}

/* Open MPI uses lines also for more ranks, up to the next number, and the first ones for fewer: so
 * numbers that were not measured get the library's choice. Operations without rules get no lines.
 */
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
        if (first || before->ranks != t->ranks)
            add_line(&l, t, t->ranks, 0, NULL);
        add_line(&l, t, t->ranks, t->bytes * factor, x->algorithm);
        add_line(&l, t, t->ranks, x->of[x->n - 1]->bytes * factor + 1, NULL);
        if (last || after->ranks > t->ranks + 1)
            add_line(&l, t, t->ranks + 1, 0, NULL);
        any |= x->algorithm != NULL;
        if (last && !any)
            l.list.n = begin;
    }
    return l;
}

/* Open MPI forces an algorithm with trees of this fan-out, so a rule has it, too. */
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
    for (size_t i = 0; i < r->list.n; i++) {
        const struct rule *rule = &r->list.at[i];
        const char *name = rule->of[0]->operation->mpich;
        if (rule->algorithm)
            fprintf(out,
                    "export MPIR_CVAR_%s_DEVICE_COLLECTIVE=0\n"
                    "export MPIR_CVAR_%s_INTRA_ALGORITHM=%s\n",
                    name, name, rule->algorithm->name);
    }
}
