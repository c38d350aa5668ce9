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
    return (struct estimate){NAN, NAN, NAN};
}

double tuned_saving(const struct tuned *t, const struct algorithm *a)
{
    return t->time[0].value * (1 - ratio_of(t, a).value);
}

const struct algorithm *tuned_ours(const struct tuned *t)
{
    double least = fmin(t->best ? t->ratio[t->best].low : 1, 1 - TUNED_TIE);
    const struct algorithm *ours = NULL;
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

static bool is_openmpi(const struct tuned_set *s)
{
    return !strncmp(s->library, "Open MPI", 8);
}

static bool is_mpich(const struct tuned_set *s)
{
    return !strncmp(s->library, "MPICH", 5);
}

struct rules rules_of(struct tuned_set *s)
{
    struct rules r = {.by_size = is_openmpi(s)};
    const size_t n = is_openmpi(s) || is_mpich(s) ? s->list.n : 0;
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

/* A list under way: its lines, and how many entries they are. */
struct list {
    FILE *out;
    char *text;
    size_t size, n;
};

static void list_open(struct list *l)
{
    *l = (struct list){0};
    l->out = memory_open_text(&l->text, &l->size);
}

static void list_write(struct list *l, FILE *out, const char *what)
{
    fclose(l->out);
    fprintf(out, "%zu # %s\n%s", l->n, what, l->text);
    free(l->text);
}

/* Open MPI forces an algorithm with trees of this fan-out, so a rule has it, too. A: NULL for the
 * library's choice. */
static void add_size(struct list *l, size_t from, const struct algorithm *a)
{
    enum { FAN_OUT = 4 };
    fprintf(l->out, "%zu %d %d %d # %s\n", from, a ? a->number : 0, FAN_OUT, a ? a->segment : 0,
            a ? a->name : "the library's choice");
    l->n++;
}

/* An entry of the file is for sizes up to the next one. R[0 .. N-1] are for one number of ranks. */
static void sizes_write(FILE *out, const struct rule *r, size_t n)
{
    struct list sizes;
    const size_t factor = r->of[0]->operation->by_ranks ? (size_t)r->of[0]->ranks : 1;
    list_open(&sizes);
    if (!r->algorithm || r->of[0]->bytes > 0)
        add_size(&sizes, 0, NULL);
    for (size_t i = 0; i < n; i++) {
        const struct rule *before = i > 0 ? &r[i - 1] : NULL, *after = i + 1 < n ? &r[i + 1] : NULL;
        const size_t end = r[i].of[r[i].n - 1]->bytes * factor + 1;
        if (!r[i].algorithm)
            continue;
        if (!before || !is_same(before->algorithm, r[i].algorithm))
            add_size(&sizes, r[i].of[0]->bytes * factor, r[i].algorithm);
        bool goes_on = after && is_same(after->algorithm, r[i].algorithm),
             next = after && after->algorithm && after->of[0]->bytes * factor == end;
        if (!goes_on && !next)
            add_size(&sizes, end, NULL);
    }
    list_write(&sizes, out, "sizes");
}

/* An entry for a number of ranks is also for more, up to the next one, and the first one for fewer:
 * so others are excluded by entries of their own. */
static void other_ranks_write(struct list *l, int ranks)
{
    fprintf(l->out, "%d # ranks or more\n1 # sizes\n0 0 0 0 # the library's choice\n", ranks);
    l->n++;
}

/* R[0 .. N-1] are for one operation. */
static void operation_write(FILE *out, const struct rule *r, size_t n)
{
    struct list of_ranks;
    list_open(&of_ranks);
    other_ranks_write(&of_ranks, 0);
    for (size_t i = 0, count; i < n; i += count) {
        const int ranks = r[i].of[0]->ranks;
        for (count = 1; i + count < n && r[i + count].of[0]->ranks == ranks;)
            count++;
        fprintf(of_ranks.out, "%d # ranks\n", ranks);
        of_ranks.n++;
        sizes_write(of_ranks.out, r + i, count);
        if (i + count == n || r[i + count].of[0]->ranks > ranks + 1)
            other_ranks_write(&of_ranks, ranks + 1);
    }
    fprintf(out, "%d # %s\n", r->of[0]->operation->openmpi, r->of[0]->operation->mpi_name);
    list_write(&of_ranks, out, "numbers of ranks");
}

/* Nothing is written for an operation that keeps the library's choice. */
void rules_openmpi_write(FILE *out, const struct rules *r)
{
    struct list all;
    list_open(&all);
    for (size_t i = 0, n; i < r->list.n; i += n) {
        const struct rule *first = &r->list.at[i];
        bool any = false;
        for (n = 0; i + n < r->list.n && first[n].of[0]->operation == first->of[0]->operation; n++)
            any |= first[n].algorithm != NULL;
        if (any)
            operation_write(all.out, first, n);
        all.n += any;
    }
    list_write(&all, out, "operations");
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
