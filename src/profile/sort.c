/* The same order for the same content, in whatever order it was merged. */
#include "base/array.h"
#include "profile/fields.h"

#include <stdlib.h>
#include <string.h>

struct sorting {
    const char *at;
    size_t size;
    int (*compare)(const void *a, const void *b);
};

static int compare_positions(const void *a, const void *b, void *arg)
{
    const struct sorting *o = arg;
    return o->compare(o->at + *(const uint32_t *)a * o->size,
                      o->at + *(const uint32_t *)b * o->size);
}

/* Sorts N elements; the result (malloc) has the new place of each old one. */
static uint32_t *sort(void *at, size_t n, size_t size, int (*compare)(const void *a, const void *b))
{
    uint32_t *from = memory_alloc((n + 1) * sizeof *from);
    uint32_t *to = memory_alloc((n + 1) * sizeof *to);
    char *sorted = memory_alloc(n * size + 1);
    struct sorting o = {at, size, compare};
    for (uint32_t i = 0; i < n; i++)
        from[i] = i;
    qsort_r(from, n, sizeof *from, compare_positions, &o);
    for (uint32_t i = 0; i < n; i++) {
        to[from[i]] = i;
        memcpy(sorted + i * size, (char *)at + from[i] * size, size);
    }
    if (n)
        memcpy(at, sorted, n * size);
    free(sorted);
    free(from);
    return to;
}
#define SORT(array, compare) sort((array)->at, (array)->n, sizeof *(array)->at, compare)

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

#define BY_TEXT(function, type, member)                                                            \
    static int function(const void *a, const void *b)                                              \
    {                                                                                              \
        return strcmp(((const struct type *)a)->member, ((const struct type *)b)->member);         \
    }
BY_TEXT(compare_hosts, profile_host, name)
BY_TEXT(compare_operations, profile_operation, name)
BY_TEXT(compare_regions, profile_region, name)
BY_TEXT(compare_findings, profile_finding, kind)

static int compare_ranks(const void *a, const void *b)
{
    const struct profile_rank *x = a, *y = b;
    return ORDER(x->rank, y->rank) ?: ORDER(x->pid, y->pid);
}

static int compare_modules(const void *a, const void *b)
{
    const struct profile_module *x = a, *y = b;
    return strcmp(x->path, y->path)
               ?: strcmp(x->build_id, y->build_id)
               ?: strcmp(x->function, y->function);
}

/* The largest communicator first; before its copies the first, which no call has made (none: + 1).
 */
static int compare_comms(const void *a, const void *b)
{
    const struct profile_comm *x = a, *y = b;
    return ORDER(y->size, x->size)
               ?: ORDER(x->id, y->id)
               ?: ORDER(x->site + 1, y->site + 1)
               ?: ORDER(x->copy + 1, y->copy + 1);
}

static int compare_sites(const void *a, const void *b)
{
    const struct profile_site *x = a, *y = b;
    int o = 0;
    for (uint32_t f = 0; !o && f < x->depth && f < y->depth; f++)
        o = ORDER(x->frame[f].module, y->frame[f].module)
                ?: ORDER(x->frame[f].address, y->frame[f].address);
    return o ?: ORDER(x->depth, y->depth);
}

static int compare_entries(const void *a, const void *b)
{
    const struct profile_entry *x = a, *y = b;
    return ORDER(x->site, y->site)
               ?: ORDER(x->operation, y->operation)
               ?: ORDER(x->comm, y->comm)
               ?: ORDER(x->region, y->region)
               ?: ORDER(x->size_class, y->size_class);
}

static int compare_groups(const void *a, const void *b)
{
    const struct profile_group *x = a, *y = b;
    return ORDER(x->site, y->site) ?: ORDER(x->operation, y->operation);
}

void profile_sort(struct profile *p)
{
    free(SORT(&p->programs, compare_texts));
    free(SORT(&p->libraries, compare_texts));
    free(SORT(&p->warnings, compare_texts));
    free(SORT(&p->findings, compare_findings));
    uint32_t *module = SORT(&p->modules, compare_modules);
    for (size_t i = 0; i < p->sites.n; i++)
        for (uint32_t f = 0; f < p->sites.at[i].depth; f++)
            if (p->sites.at[i].frame[f].module != PROFILE_NONE)
                p->sites.at[i].frame[f].module = module[p->sites.at[i].frame[f].module];
    free(module);
    struct moves m = {{[FIELD_HOST] = SORT(&p->hosts, compare_hosts),
                       [FIELD_OPERATION] = SORT(&p->operations, compare_operations),
                       [FIELD_REGION] = SORT(&p->regions, compare_regions),
                       [FIELD_SITE] = SORT(&p->sites, compare_sites)}};
    for (size_t i = 0; i < p->comms.n; i++)
        positions_follow(&fields_comm, &p->comms.at[i], &m);
    m.to[FIELD_COMM] = SORT(&p->comms, compare_comms);
    for (const struct list *l = profile_lists; l < profile_lists + n_profile_lists; l++)
        for (size_t i = 0; i < list_in(p, l)->n; i++)
            if (l->fields != &fields_comm) /* done */
                positions_follow(l->fields, list_at(p, l, i), &m);
    for (size_t i = 0; i < FIELD_KINDS; i++)
        free(m.to[i]);
    free(SORT(&p->ranks, compare_ranks));
    stands_sort(p);
    peers_sort(p);
    free(SORT(&p->entries, compare_entries));
    free(SORT(&p->groups, compare_groups));
    events_sort(p);
    profile_reindex(p);
}
