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
        to->min_ns = to->max_ns && to->min_ns < from->min_ns ? to->min_ns : from->min_ns;
        to->max_ns = from->max_ns > to->max_ns ? from->max_ns : to->max_ns;
    }
    for (unsigned b = 0; b < HISTOGRAM_BUCKETS && from->histogram; b++)
        to->histogram[b] += from->histogram[b];
}

struct rows rows_of(const struct profile *p, bool by_site)
{
    struct rows rows = {memory_alloc((p->entries.n + 1) * sizeof *rows.at), 0};
    struct profile_entry *entry = memory_alloc((p->entries.n + 1) * sizeof *entry);
    size_t n = 0;
    for (size_t i = 0; i < p->entries.n; i++)
        if (p->operations.at[p->entries.at[i].operation].family != FAMILY_LIFECYCLE) {
            entry[n] = p->entries.at[i];
            entry[n].site = by_site ? entry[n].site : PROFILE_NONE;
            n++;
        }
    qsort(entry, n, sizeof *entry, by_key);
    for (size_t i = 0; i < n; i++) {
        if (!i || by_key(&entry[i - 1], &entry[i]))
            rows.at[rows.n++] = (struct profile_entry){
                .site = entry[i].site,
                .operation = entry[i].operation,
                .comm = PROFILE_NONE,
                .region = PROFILE_NONE,
                .histogram = memory_alloc(HISTOGRAM_BUCKETS * sizeof(uint64_t))};
        add(&rows.at[rows.n - 1], &entry[i]);
    }
    qsort(rows.at, rows.n, sizeof *rows.at, longest_first);
    free(entry);
    return rows;
}

void rows_free(struct rows *rows)
{
    for (size_t i = 0; i < rows->n; i++)
        free(rows->at[i].histogram);
    free(rows->at);
    *rows = (struct rows){0};
}
