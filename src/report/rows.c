#include "report/rows.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

static int by_key(const void *a, const void *b)
{
    const struct profile_entry *x = a, *y = b;
    return ORDER(x->operation, y->operation) ?: ORDER(x->site, y->site);
}

static int longest_first(const void *a, const void *b)
{
    const struct profile_entry *x = a, *y = b;
    return ORDER(y->time_ns, x->time_ns) ?: by_key(a, b);
}

static void add(struct profile_entry *to, const struct profile_entry *from)
{
#define ADD(member) to->member += from->member;
    LEDGER_SUMS(ADD)
#undef ADD
    if (entry_timed(from)) {
        to->min_ns = from->min_ns < to->min_ns ? from->min_ns : to->min_ns;
        to->max_ns = from->max_ns > to->max_ns ? from->max_ns : to->max_ns;
    }
    for (unsigned b = 0; b < HISTOGRAM_BUCKETS && from->histogram; b++)
        to->histogram[b] += from->histogram[b];
}

/* E with nothing but its key. */
static struct profile_entry empty_row(const struct profile_entry *e, bool by_site)
{
    return (struct profile_entry){.site = by_site ? e->site : PROFILE_NONE,
                                  .operation = e->operation,
                                  .comm = PROFILE_NONE,
                                  .region = PROFILE_NONE,
                                  .min_ns = UINT64_MAX};
}

static bool is_counted(const struct profile *p, const struct profile_entry *e)
{
    return p->operations.at[e->operation].family != FAMILY_LIFECYCLE;
}

/* The different keys, in order. */
static struct rows keys_of(const struct profile *p, bool by_site)
{
    struct rows rows = {memory_alloc((p->entries.n + 1) * sizeof *rows.at), 0};
    size_t all = 0;
    for (size_t i = 0; i < p->entries.n; i++)
        if (is_counted(p, &p->entries.at[i]))
            rows.at[all++] = empty_row(&p->entries.at[i], by_site);
    qsort(rows.at, all, sizeof *rows.at, by_key);
    for (size_t i = 0; i < all; i++)
        if (!rows.n || by_key(&rows.at[rows.n - 1], &rows.at[i]))
            rows.at[rows.n++] = rows.at[i];
    for (size_t i = 0; i < rows.n; i++)
        rows.at[i].histogram = memory_alloc(HISTOGRAM_BUCKETS * sizeof *rows.at[i].histogram);
    return rows;
}

struct rows rows_of(const struct profile *p, bool by_site)
{
    struct rows rows = keys_of(p, by_site);
    for (size_t i = 0; i < p->entries.n; i++) {
        const struct profile_entry key = empty_row(&p->entries.at[i], by_site);
        if (is_counted(p, &p->entries.at[i]))
            add(bsearch(&key, rows.at, rows.n, sizeof *rows.at, by_key), &p->entries.at[i]);
    }
    for (size_t i = 0; i < rows.n; i++) {
        if (rows.at[i].min_ns == UINT64_MAX)
            rows.at[i].min_ns = 0;
    }
    qsort(rows.at, rows.n, sizeof *rows.at, longest_first);
    return rows;
}

void rows_free(struct rows *rows)
{
    for (size_t i = 0; i < rows->n; i++)
        free(rows->at[i].histogram);
    free(rows->at);
    *rows = (struct rows){0};
}
