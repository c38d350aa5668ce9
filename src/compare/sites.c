#include "compare/sites.h"

#include "report/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct compared_site *site_of(struct compared_sites *s, const char *key,
                                     const char *operation, const char *label)
{
    for (size_t i = 0; i < s->list.n; i++)
        if (!strcmp(s->list.at[i]->key, key))
            return s->list.at[i];
    struct compared_site *new = memory_alloc(sizeof *new);
    *new = (struct compared_site){.key = memory_strdup(key),
                                  .operation = memory_strdup(operation),
                                  .label = memory_strdup(label),
                                  .run = memory_alloc(s->runs * sizeof *new->run)};
    for (size_t i = 0; i < s->runs; i++)
        new->run[i].wait = NAN;
    *PUSH(&s->list) = new;
    return new;
}

static uint64_t address_of(const struct profile *p, uint32_t site)
{
    return p->sites.at[site].depth ? p->sites.at[site].frame[0].address : 0;
}

/* Which site every pair of a run's call sites and operations is, NULL where there are no calls; for
 * free(). */
static struct compared_site **name_sites(struct compared_sites *s, const struct profile *p)
{
    size_t operations = p->operations.n, n = p->sites.n * operations;
    struct compared_site **of = memory_alloc((n + 1) * sizeof *of);
    bool *used = memory_alloc(n + 1);
    char **label = site_labels(p), key[2400], functions[2300];
    char **chain = memory_alloc((p->sites.n + 1) * sizeof *chain);
    for (uint32_t i = 0; i < p->sites.n; i++) {
        site_functions(p, i, functions, sizeof functions);
        chain[i] = memory_strdup(functions);
    }
    for (size_t i = 0; i < p->entries.n; i++) {
        const struct profile_entry *e = &p->entries.at[i];
        if (e->site != PROFILE_NONE && p->operations.at[e->operation].family != FAMILY_LIFECYCLE)
            used[e->site * operations + e->operation] = true;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t site = (uint32_t)(i / operations), operation = (uint32_t)(i % operations);
        const char *name = p->operations.at[operation].name;
        size_t nth = 0;
        for (uint32_t k = 0; used[i] && k < p->sites.n; k++)
            nth += used[k * operations + operation] && !strcmp(chain[k], chain[site]) &&
                   (ORDER(address_of(p, k), address_of(p, site)) ?: ORDER(k, site)) < 0;
        snprintf(key, sizeof key, "%zu %s %s", nth, name, chain[site]);
        if (used[i])
            of[i] = site_of(s, key, name, label[site]);
    }
    for (size_t i = 0; i < p->sites.n; i++)
        free(chain[i]);
    free(chain);
    free(used);
    site_labels_free(p, label);
    return of;
}

static void add_entry(struct site_run *run, const struct profile *p, const struct profile_entry *e)
{
    /* Calls that are excluded from timing are taken to be as long as the others. */
    double ranks = p->ranks.n ? (double)p->ranks.n : 1, timed = (double)entry_timed(e);
    double grown = timed > 0 ? 1 + (double)e->apart / timed : 1;
    run->time += grown * (double)e->time_ns / ranks;
}

static void add_waits(struct compared_site **of, size_t run, const struct profile *p)
{
    size_t n = p->sites.n * p->operations.n;
    double *time = memory_alloc((n + 1) * sizeof *time),
           *wait = memory_alloc((n + 1) * sizeof *wait);
    for (size_t i = 0; i < p->arrivals.n; i++) {
        const struct profile_arrival *a = &p->arrivals.at[i];
        if (a->site == PROFILE_NONE)
            continue;
        time[a->site * p->operations.n + a->operation] += (double)a->time_ns;
        wait[a->site * p->operations.n + a->operation] += (double)a->wait_ns;
    }
    for (size_t i = 0; i < n; i++)
        if (of[i] && time[i] > 0)
            of[i]->run[run].wait = wait[i] / time[i];
    free(time);
    free(wait);
}

struct compared_sites *sites_find(struct profile *const *run, size_t n)
{
    struct compared_sites *s = memory_alloc(sizeof *s);
    s->runs = n;
    for (size_t i = 0; i < n; i++) {
        const struct profile *p = run[i];
        struct compared_site **of = name_sites(s, p);
        for (size_t k = 0; k < p->entries.n; k++) {
            const struct profile_entry *e = &p->entries.at[k];
            struct compared_site *at =
                e->site == PROFILE_NONE ? NULL : of[e->site * p->operations.n + e->operation];
            if (at)
                add_entry(&at->run[i], p, e);
        }
        add_waits(of, i, p);
        free(of);
    }
    return s;
}

void sites_free(struct compared_sites *s)
{
    for (size_t i = 0; i < s->list.n; i++) {
        struct compared_site *at = s->list.at[i];
        free(at->run);
        free(at->key);
        free(at->operation);
        free(at->label);
        free(at);
    }
    free(s->list.at);
    free(s);
}
