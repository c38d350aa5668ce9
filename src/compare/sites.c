#include "compare/sites.h"

#include "base/hash.h"
#include "base/stats.h"
#include "report/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of ranks beyond, nothing is compared one by one. */
enum { MOST_RANKS = 65536 };

/* One call site and operation of one run. */
struct used {
    uint32_t site, operation;
    uint64_t address;
    char functions[2300];
};

static int in_order(const void *a, const void *b)
{
    const struct used *x = *(struct used *const *)a, *y = *(struct used *const *)b;
    return ORDER(x->operation, y->operation)
        ?: strcmp(x->functions, y->functions) ?: ORDER(x->address, y->address)
        ?: ORDER(x->site, y->site);
}

static struct compared_site *site_of(struct compared_sites *s, const char *key,
                                     const char *operation, const char *label)
{
    uint64_t hash = hash_bytes(HASH_START, key, strlen(key));
    uint32_t step = 0, at;
    while ((at = lookup_next(&s->by_key, hash, &step)) != UINT32_MAX)
        if (!strcmp(s->list.at[at]->key, key))
            return s->list.at[at];
    struct compared_site *new = memory_alloc(sizeof *new);
    *new = (struct compared_site){.key = memory_strdup(key),
                                  .operation = memory_strdup(operation),
                                  .label = memory_strdup(label),
                                  .time = memory_alloc(s->runs * sizeof(double)),
                                  .wait = memory_alloc(s->runs * sizeof(double)),
                                  .calls = memory_alloc(s->runs * sizeof(double)),
                                  .outside = memory_alloc(s->runs * sizeof(double *))};
    *PUSH(&s->list) = new;
    lookup_add(&s->by_key, hash, s->list.n - 1);
    return new;
}

/* Which site every pair of a run's call sites and operations is; for free(). */
static struct compared_site **name_sites(struct compared_sites *s, const struct profile *p)
{
    size_t n = p->sites.n * p->operations.n, n_used = 0;
    struct compared_site **of = memory_alloc((n + 1) * sizeof *of);
    struct used **used = memory_alloc((n + 1) * sizeof *used);
    char **label = site_labels(p);
    bool *seen = memory_alloc(n + 1);
    for (size_t i = 0; i < p->entries.n; i++) {
        const struct profile_entry *e = &p->entries.at[i];
        size_t at = e->site * p->operations.n + e->operation;
        if (e->site == PROFILE_NONE || p->operations.at[e->operation].family == FAMILY_LIFECYCLE ||
            seen[at])
            continue;
        seen[at] = true;
        struct used *u = used[n_used++] = memory_alloc(sizeof *u);
        *u = (struct used){.site = e->site, .operation = e->operation};
        u->address = p->sites.at[e->site].depth ? p->sites.at[e->site].frame[0].address : 0;
        site_functions(p, e->site, u->functions, sizeof u->functions);
    }
    qsort(used, n_used, sizeof *used, in_order);
    for (size_t i = 0, nth = 0; i < n_used; i++) {
        char key[2400];
        const struct used *u = used[i];
        bool same = i && u->operation == used[i - 1]->operation &&
                    !strcmp(u->functions, used[i - 1]->functions);
        nth = same ? nth + 1 : 0;
        const char *operation = p->operations.at[u->operation].name;
        snprintf(key, sizeof key, "%zu %s %s", nth, operation, u->functions);
        of[u->site * p->operations.n + u->operation] = site_of(s, key, operation, label[u->site]);
    }
    for (size_t i = 0; i < n_used; i++)
        free(used[i]);
    free(used);
    free(seen);
    site_labels_free(p, label);
    return of;
}

static void add_entry(struct compared_site *at, size_t run, const struct profile *p,
                      const struct profile_entry *e)
{
    /* Calls that are excluded from timing are taken to be as long as the others. */
    double ranks = p->ranks.n ? (double)p->ranks.n : 1, timed = (double)entry_timed(e);
    double grown = timed > 0 ? 1 + (double)e->apart / timed : 1;
    const struct profile_group *group = profile_group_find(p, e->site, e->operation);
    at->time[run] += grown * (double)e->time_ns / ranks;
    at->calls[run] +=
        (double)e->calls / (group && group->spread.ranks ? (double)group->spread.ranks : ranks);
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
        if (of[i])
            of[i]->wait[run] = time[i] > 0 ? wait[i] / time[i] : NAN;
    free(time);
    free(wait);
}

/* What a rank did before one collective. */
struct moment {
    struct compared_site *at;
    uint32_t rank;
    double ns;
};

static int by_site(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;
    return ORDER(x->at, y->at) ?: ORDER(x->rank, y->rank) ?: ORDER(x->ns, y->ns);
}

static void add_outside(const struct compared_sites *s, struct compared_site **of, size_t run,
                        const struct profile *p)
{
    ARRAY(struct moment) list = {0};
    for (size_t i = 0; i < p->events.n; i++) {
        const struct profile_event *e = &p->events.at[i];
        if (e->site != PROFILE_NONE && e->outside_ns >= 0 && e->rank < s->ranks &&
            of[e->site * p->operations.n + e->operation])
            *PUSH(&list) = (struct moment){of[e->site * p->operations.n + e->operation], e->rank,
                                           (double)e->outside_ns};
    }
    if (list.n)
        qsort(list.at, list.n, sizeof *list.at, by_site);
    for (size_t i = 0, end; i < list.n; i = end) {
        const struct moment *m = &list.at[i];
        for (end = i; end < list.n && list.at[end].at == m->at && list.at[end].rank == m->rank;)
            end++;
        if (!m->at->outside[run])
            m->at->outside[run] = memory_alloc((s->ranks + 1) * sizeof(double));
        m->at->outside[run][m->rank] = list.at[i + (end - i) / 2].ns;
    }
    free(list.at);
}

struct compared_sites *sites_find(struct profile *const *run, size_t n)
{
    struct compared_sites *s = memory_alloc(sizeof *s);
    s->runs = n;
    for (size_t i = 0; i < n; i++)
        for (size_t r = 0; r < run[i]->ranks.n; r++)
            if ((size_t)run[i]->ranks.at[r].rank >= s->ranks)
                s->ranks = (size_t)run[i]->ranks.at[r].rank + 1;
    s->ranks = s->ranks < MOST_RANKS ? s->ranks : MOST_RANKS;
    for (size_t i = 0; i < n; i++) {
        const struct profile *p = run[i];
        struct compared_site **of = name_sites(s, p);
        for (size_t k = 0; k < p->entries.n; k++) {
            const struct profile_entry *e = &p->entries.at[k];
            struct compared_site *at =
                e->site == PROFILE_NONE ? NULL : of[e->site * p->operations.n + e->operation];
            if (at)
                add_entry(at, i, p, e);
        }
        add_waits(of, i, p);
        add_outside(s, of, i, p);
        free(of);
    }
    return s;
}

void sites_free(struct compared_sites *s)
{
    for (size_t i = 0; i < s->list.n; i++) {
        struct compared_site *at = s->list.at[i];
        for (size_t run = 0; run < s->runs; run++)
            free(at->outside[run]);
        free(at->key);
        free(at->operation);
        free(at->label);
        free(at->time);
        free(at->wait);
        free(at->calls);
        free(at->outside);
        free(at);
    }
    free(s->list.at);
    free(s->by_key.slot);
    free(s);
}
