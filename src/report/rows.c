#include "report/rows.h"

#include "base/array.h"
#include "profile/model.h"

#include <stdlib.h>
#include <string.h>

struct profile *rows_of(const struct profile *p, enum rows_by by)
{
    struct profile *rows = profile_new();
    for (size_t i = 0; i < p->entries.n; i++) {
        struct profile_entry e = p->entries.at[i];
        if (p->operations.at[e.operation].family == FAMILY_LIFECYCLE)
            continue;
        e.region = PROFILE_NONE;
        if (by != ROWS_BY_SITE)
            e.site = PROFILE_NONE;
        if (by != ROWS_BY_COMM)
            e.comm = PROFILE_NONE;
        if (by != ROWS_BY_SIZE)
            e.size_class = 0;
        profile_add_entry(rows, &e);
    }
    for (size_t i = 0; i < rows->entries.n && (by == ROWS_BY_OPERATION || by == ROWS_BY_SITE);
         i++) {
        struct profile_entry *e = &rows->entries.at[i];
        e->spread = (struct spread){0};
        const struct profile_group *group = profile_group_find(p, e->site, e->operation);
        if (group)
            e->spread = group->spread;
    }
    return rows;
}

static int larger_first(const void *a, const void *b, void *member)
{
    const struct profile_entry *e = a, *f = b;
    uint64_t x, y;
    memcpy(&x, (const char *)a + *(size_t *)member, sizeof x);
    memcpy(&y, (const char *)b + *(size_t *)member, sizeof y);
    return ORDER(y, x) ?: ORDER(f->time_ns, e->time_ns) ?: ORDER(e->operation, f->operation)
        ?: ORDER(e->site, f->site);
}

void rows_sort(struct profile *rows, size_t member)
{
    if (rows->entries.n)
        qsort_r(rows->entries.at, rows->entries.n, sizeof *rows->entries.at, larger_first, &member);
}
