#include "tune/rules.h"

#include "base/memory.h"
#include "base/quote.h"
#include "base/reason.h"
#include "document/save.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The numbers are those of Open MPI's enum COLLTYPE. Its rules for scans do not go by size. */
static const struct tuned_operation operations[] = {
    {"MPI_Allgather", "allgather", 0, true, false},
    {"MPI_Allreduce", "allreduce", 2, false, true},
    {"MPI_Alltoall", "alltoall", 3, true, false},
    {"MPI_Barrier", "barrier", 6, false, false},
    {"MPI_Bcast", "bcast", 7, false, false},
    {"MPI_Gather", "gather", 9, true, false},
    {"MPI_Reduce", "reduce", 11, false, true},
    {"MPI_Reduce_scatter_block", "reduce_scatter_block", 13, true, true},
    {"MPI_Scatter", "scatter", 15, true, false},
};
enum { N_OPERATIONS = sizeof operations / sizeof *operations };

const struct tuned_operation *tuned_operation_find(const char *mpi_name)
{
    for (int i = 0; i < N_OPERATIONS; i++)
        if (!strcmp(operations[i].mpi_name, mpi_name))
            return &operations[i];
    return NULL;
}

/* --- one candidate for several signatures --- */

static bool is_same(const struct algorithm *a, const struct algorithm *b)
{
    return a->number == b->number && a->segment == b->segment;
}

static int candidate_find(const struct tuned *t, const struct algorithm *a)
{
    for (int k = 1; k < t->n; k++)
        if (is_same(&t->candidate[k], a))
            return k;
    return 0;
}

/* Seconds that A saves over all signatures; 0 or less if it must not be used. */
static double saved_by(const struct algorithm *a, const struct tuned *const *t, size_t n)
{
    double saved = 0;
    bool faster = false;
    for (size_t i = 0; i < n; i++) {
        int k = candidate_find(t[i], a);
        if (!k || t[i]->refuted || !(t[i]->ratio[k].high <= 1 + TUNED_TIE))
            return 0;
        faster |= t[i]->ratio[k].high < 1 && t[i]->ratio[k].value < 1 - TUNED_TIE;
        saved += t[i]->time[0].value * (1 - t[i]->ratio[k].value);
    }
    return faster ? saved : 0;
}

int tuned_common(const struct tuned *const *t, size_t n)
{
    double most = 0;
    int best = 0;
    for (int k = 1; k < t[0]->n; k++) {
        double saved = saved_by(&t[0]->candidate[k], t, n);
        if (saved > most) {
            most = saved;
            best = k;
        }
    }
    return best;
}

/* By operation, ranks, bytes. */
static int compare(const void *x, const void *y)
{
    const struct tuned *a = *(const struct tuned *const *)x, *b = *(const struct tuned *const *)y;
    if (a->operation != b->operation)
        return a->operation < b->operation ? -1 : 1;
    if (a->ranks != b->ranks)
        return a->ranks < b->ranks ? -1 : 1;
    return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

static const struct tuned **sorted(const struct tuned *t, size_t n)
{
    const struct tuned **at = memory_alloc((n + 1) * sizeof *at);
    for (size_t i = 0; i < n; i++)
        at[i] = &t[i];
    qsort(at, n, sizeof *at, compare);
    return at;
}

/* How many of T[0 .. N-1] belong to the first one's operation and, if ALIKE, are of its ranks and
 * bytes. */
static size_t run_of(const struct tuned *const *t, size_t n, bool alike)
{
    size_t i = 1;
    while (i < n && t[i]->operation == t[0]->operation && (!alike || !compare(&t[0], &t[i])))
        i++;
    return i;
}

/* --- Open MPI --- */

/* A list under way: its lines, and how many there are. */
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

/* Ends the list; OUT may be NULL. */
static void list_write(struct list *l, FILE *out, const char *what)
{
    fclose(l->out);
    if (out)
        fprintf(out, "%zu # %s\n%s", l->n, what, l->text);
    free(l->text);
}

/* Open MPI forces an algorithm with trees of this fan-out, so a rule has it, too. */
enum { FAN_OUT = 4 };

static void rule_add(struct list *l, size_t from, const struct algorithm *a)
{
    fprintf(l->out, "%zu %d %d %d # %s\n", from, a->number < 0 ? 0 : a->number, FAN_OUT, a->segment,
            a->name);
    l->n++;
}

/* The rules for one communicator size: T[0 .. N-1] in ascending order of bytes. Returns the number
 * of sizes that get another algorithm. */
static size_t sizes_write(FILE *out, const struct tuned *const *t, size_t n)
{
    static const struct algorithm own = {"the library's choice", -1, 0};
    struct list rules;
    const struct algorithm *now = &own; /* in force for the sizes that follow */
    size_t next = 0, changed = 0, count;
    list_open(&rules);
    if (t[0]->bytes > 0)
        rule_add(&rules, 0, &own);
    for (size_t i = 0; i < n; i += count) {
        count = run_of(t + i, n - i, true);
        size_t factor = t[0]->operation->by_ranks ? (size_t)t[0]->ranks : 1;
        size_t from = t[i]->bytes * factor;
        int k = tuned_common(t + i, count);
        const struct algorithm *a = k ? &t[i]->candidate[k] : &own;
        if (!is_same(a, now) && now != &own && from > next) {
            now = &own;
            rule_add(&rules, next, now);
        }
        if (!is_same(a, now) || (i == 0 && t[0]->bytes == 0))
            rule_add(&rules, from, a);
        next = from + 1;
        now = a;
        changed += k > 0;
    }
    if (now != &own)
        rule_add(&rules, next, &own);
    list_write(&rules, out, "sizes");
    return changed;
}

/* A rule for a communicator size is also used for larger ones, up to the next rule, and the first
 * rule for smaller ones: so others are excluded by rules of their own. */
static void other_ranks_write(struct list *l, int ranks)
{
    fprintf(l->out, "%d # ranks or more\n1 # sizes\n0 0 0 0 # the library's choice\n", ranks);
    l->n++;
}

/* Nothing is written for an operation that keeps the library's choice. */
static size_t operation_write(struct list *all, const struct tuned *const *t, size_t n)
{
    struct list of_ranks;
    size_t changed = 0, count;
    list_open(&of_ranks);
    other_ranks_write(&of_ranks, 0);
    for (size_t i = 0; i < n; i += count) {
        for (count = 1; i + count < n && t[i + count]->ranks == t[i]->ranks;)
            count++;
        fprintf(of_ranks.out, "%d # ranks\n", t[i]->ranks);
        of_ranks.n++;
        changed += sizes_write(of_ranks.out, t + i, count);
        if (i + count == n || t[i + count]->ranks > t[i]->ranks + 1)
            other_ranks_write(&of_ranks, t[i]->ranks + 1);
    }
    FILE *out = changed ? all->out : NULL;
    if (out)
        fprintf(out, "%d # %s\n", t[0]->operation->openmpi, t[0]->operation->mpi_name);
    list_write(&of_ranks, out, "numbers of ranks");
    all->n += changed > 0;
    return changed;
}

size_t rules_openmpi_write(FILE *out, const struct tuned *t, size_t n)
{
    struct list all;
    const struct tuned **at = sorted(t, n);
    size_t changed = 0, count;
    list_open(&all);
    for (size_t i = 0; i < n; i += count) {
        count = run_of(at + i, n - i, false);
        changed += operation_write(&all, at + i, count);
    }
    list_write(&all, out, "operations");
    free(at);
    return changed;
}

/* --- MPICH --- */

size_t rules_mpich_write(FILE *out, const struct tuned *t, size_t n)
{
    const struct tuned **at = sorted(t, n);
    size_t changed = 0, count;
    for (size_t i = 0; i < n; i += count) {
        char stem[32];
        count = run_of(at + i, n - i, false);
        int k = tuned_common(at + i, count);
        if (!k)
            continue;
        for (size_t c = 0; (stem[c] = (char)toupper(at[i]->operation->stem[c])); c++)
            ;
        /* The device's own algorithms would come before the general ones. */
        if (changed++ == 0)
            fputs("export MPIR_CVAR_DEVICE_COLLECTIVES=percoll\n", out);
        fprintf(out,
                "export MPIR_CVAR_%s_DEVICE_COLLECTIVE=0\nexport MPIR_CVAR_%s_INTRA_ALGORITHM=%s\n",
                stem, stem, at[i]->candidate[k].name);
    }
    free(at);
    return changed;
}

/* --- either --- */

static bool is_openmpi(const char *library)
{
    return !strncmp(library, "Open MPI", 8);
}

static bool is_mpich(const char *library)
{
    return !strncmp(library, "MPICH", 5);
}

int rules_candidate(const char *library, const struct tuned *t, size_t n, size_t i)
{
    const struct tuned **at = memory_alloc((n + 1) * sizeof *at), *mine = &t[i];
    size_t m = 0;
    for (size_t k = 0; k < n; k++)
        if (t[k].operation == mine->operation &&
            (is_mpich(library) || (t[k].ranks == mine->ranks && t[k].bytes == mine->bytes)))
            at[m++] = &t[k];
    int k = is_openmpi(library) || is_mpich(library) ? tuned_common(at, m) : 0;
    k = k ? candidate_find(mine, &at[0]->candidate[k]) : 0;
    free(at);
    return k;
}

/* --- files --- */

bool rules_possible(const char *directory)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/env.sh", directory);
    if (mkdir(directory, 0777) && errno != EEXIST)
        return reason_give("%s: %s", directory, strerror(errno));
    return save_possible(path);
}

static bool file_open(struct save *s, const char *directory, const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return save_open(s, path);
}

static long openmpi_save(const char *directory, FILE *env, const struct tuned *t, size_t n)
{
    struct save rules;
    char *full = realpath(directory, NULL), path[PATH_MAX + 32], word[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/openmpi.rules", full ? full : directory);
    free(full);
    quote_shell(path, word, sizeof word);
    if (!file_open(&rules, directory, "openmpi.rules"))
        return -1;
    long changed = (long)rules_openmpi_write(rules.out, t, n);
    if (changed)
        fprintf(env,
                "export OMPI_MCA_coll_tuned_use_dynamic_rules=1\n"
                "export OMPI_MCA_coll_tuned_dynamic_rules_filename=%s\n",
                word);
    return save_commit(&rules) ? changed : -1;
}

long rules_save(const char *directory, const char *library, const struct tuned *t, size_t n)
{
    struct save env;
    if (!rules_possible(directory) || !file_open(&env, directory, "env.sh"))
        return -1;
    fprintf(env.out, "# library: %s\n", library);
    long changed = 0;
    if (is_openmpi(library))
        changed = openmpi_save(directory, env.out, t, n);
    else if (is_mpich(library))
        changed = (long)rules_mpich_write(env.out, t, n);
    return save_commit(&env) ? changed : -1;
}
