/* The same order for the same content, in whatever order it was merged. */
#include "profile/model.h"

#include <stdlib.h>
#include <string.h>

struct order {
    const char *at;
    size_t size;
    int (*compare)(const void *a, const void *b);
};

static int compare_positions(const void *a, const void *b, void *arg)
{
    const struct order *o = arg;
    return o->compare(o->at + *(const uint32_t *)a * o->size,
                      o->at + *(const uint32_t *)b * o->size);
}

/* Sorts N elements; the result (malloc) has the new place of each old one. */
static uint32_t *sort(void *at, size_t n, size_t size, int (*compare)(const void *a, const void *b))
{
    uint32_t *from = profile_alloc((n + 1) * sizeof *from);
    uint32_t *to = profile_alloc((n + 1) * sizeof *to);
    char *sorted = profile_alloc(n * size + 1);
    struct order o = {at, size, compare};
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

static int order(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int compare_hosts(const void *a, const void *b)
{
    return strcmp(((const struct profile_host *)a)->name, ((const struct profile_host *)b)->name);
}

static int compare_ranks(const void *a, const void *b)
{
    const struct profile_rank *x = a, *y = b;
    return x->rank != y->rank ? (x->rank < y->rank ? -1 : 1)
                              : order((uint64_t)x->pid, (uint64_t)y->pid);
}

static int compare_modules(const void *a, const void *b)
{
    const struct profile_module *x = a, *y = b;
    int path = strcmp(x->path, y->path), id = strcmp(x->build_id, y->build_id);
    return path ? path : id ? id : strcmp(x->function, y->function);
}

static int compare_operations(const void *a, const void *b)
{
    return strcmp(((const struct profile_operation *)a)->name,
                  ((const struct profile_operation *)b)->name);
}

/* The largest communicator first. */
static int compare_comms(const void *a, const void *b)
{
    const struct profile_comm *x = a, *y = b;
    return x->size != y->size ? order(y->size, x->size) : order(x->id, y->id);
}

static int compare_regions(const void *a, const void *b)
{
    return strcmp(((const struct profile_region *)a)->name,
                  ((const struct profile_region *)b)->name);
}

static int compare_sites(const void *a, const void *b)
{
    const struct profile_site *x = a, *y = b;
    for (uint32_t f = 0; f < x->depth && f < y->depth; f++) {
        if (x->frame[f].module != y->frame[f].module)
            return order(x->frame[f].module, y->frame[f].module);
        if (x->frame[f].address != y->frame[f].address)
            return order(x->frame[f].address, y->frame[f].address);
    }
    return order(x->depth, y->depth);
}

static int compare_entries(const void *a, const void *b)
{
    const struct profile_entry *x = a, *y = b;
    const uint32_t p[] = {x->site, x->operation, x->comm, x->region, x->size_class};
    const uint32_t q[] = {y->site, y->operation, y->comm, y->region, y->size_class};
    for (size_t i = 0; i < sizeof p / sizeof *p; i++)
        if (p[i] != q[i])
            return order(p[i], q[i]);
    return 0;
}

static int compare_groups(const void *a, const void *b)
{
    const struct profile_group *x = a, *y = b;
    return x->site != y->site ? order(x->site, y->site) : order(x->operation, y->operation);
}

static int compare_findings(const void *a, const void *b)
{
    return strcmp(((const struct profile_finding *)a)->kind,
                  ((const struct profile_finding *)b)->kind);
}

static void follow(uint32_t *reference, const uint32_t *to)
{
    if (*reference != PROFILE_NONE)
        *reference = to[*reference];
}

static void sort_simple(struct profile *p)
{
    free(SORT(&p->programs, compare_texts));
    free(SORT(&p->libraries, compare_texts));
    free(SORT(&p->warnings, compare_texts));
    free(SORT(&p->findings, compare_findings));
    uint32_t *host = SORT(&p->hosts, compare_hosts);
    for (size_t i = 0; i < p->ranks.n; i++)
        follow(&p->ranks.at[i].host, host);
    free(host);
    free(SORT(&p->ranks, compare_ranks));
}

void profile_sort(struct profile *p)
{
    sort_simple(p);
    uint32_t *module = SORT(&p->modules, compare_modules);
    for (size_t i = 0; i < p->sites.n; i++)
        for (uint32_t f = 0; f < p->sites.at[i].depth; f++)
            follow(&p->sites.at[i].frame[f].module, module);
    uint32_t *site = SORT(&p->sites, compare_sites);
    uint32_t *operation = SORT(&p->operations, compare_operations);
    uint32_t *comm = SORT(&p->comms, compare_comms);
    uint32_t *region = SORT(&p->regions, compare_regions);
    for (size_t i = 0; i < p->entries.n; i++) {
        follow(&p->entries.at[i].site, site);
        follow(&p->entries.at[i].operation, operation);
        follow(&p->entries.at[i].comm, comm);
        follow(&p->entries.at[i].region, region);
    }
    for (size_t i = 0; i < p->groups.n; i++) {
        follow(&p->groups.at[i].site, site);
        follow(&p->groups.at[i].operation, operation);
    }
    for (size_t i = 0; i < p->events.n; i++) {
        follow(&p->events.at[i].site, site);
        follow(&p->events.at[i].operation, operation);
        follow(&p->events.at[i].comm, comm);
    }
    for (size_t i = 0; i < p->acts.n; i++) {
        follow(&p->acts.at[i].site, site);
        follow(&p->acts.at[i].operation, operation);
    }
    for (size_t i = 0; i < p->nets.n; i++) {
        follow(&p->nets.at[i].site, site);
        follow(&p->nets.at[i].operation, operation);
    }
    for (size_t i = 0; i < p->peers.n; i++) {
        follow(&p->peers.at[i].site, site);
        follow(&p->peers.at[i].operation, operation);
    }
    for (size_t i = 0; i < p->stands.n; i++) {
        follow(&p->stands.at[i].site, site);
        follow(&p->stands.at[i].operation, operation);
        follow(&p->stands.at[i].comm, comm);
    }
    stands_sort(p);
    peers_sort(p);
    free(SORT(&p->entries, compare_entries));
    free(SORT(&p->groups, compare_groups));
    events_sort(p);
    profile_reindex(p);
    free(module);
    free(site);
    free(operation);
    free(comm);
    free(region);
}
