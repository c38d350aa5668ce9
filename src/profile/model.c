#include "profile/model.h"

#include "base/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint64_t profile_hash(const void *data, size_t size)
{
    uint64_t hash = hash_bytes(HASH_START, data, size);
    return hash ^ hash >> 29;
}

static uint64_t hash_of_site(const struct profile_site *site)
{
    uint64_t hash = site->depth;
    for (uint32_t f = 0; f < site->depth; f++) {
        uint64_t key[3] = {hash, site->frame[f].module, site->frame[f].address};
        hash = profile_hash(key, sizeof key);
    }
    return hash;
}

static bool same_site(const struct profile_site *a, const struct profile_site *b)
{
    if (a->depth != b->depth)
        return false;
    for (uint32_t f = 0; f < a->depth; f++)
        if (a->frame[f].module != b->frame[f].module || a->frame[f].address != b->frame[f].address)
            return false;
    return true;
}

/* Lists that are looked up: elements are known by their first bytes; sites (0) by their frames. */
struct keyed {
    size_t list, lookup, size, key;
};
#define KEYED(list, key)                                                                           \
    {                                                                                              \
        offsetof(struct profile, list), offsetof(struct profile_index, list),                      \
            sizeof *((struct profile *)0)->list.at, key                                            \
    }
static const struct keyed keyed_comms = KEYED(comms, 2 * sizeof(uint64_t)),
                          keyed_sites = KEYED(sites, 0),
                          keyed_entries = KEYED(entries, 5 * sizeof(uint32_t)),
                          keyed_groups = KEYED(groups, 2 * sizeof(uint32_t));
_Static_assert(offsetof(struct profile_entry, size_class) == 4 * sizeof(uint32_t) &&
                   offsetof(struct profile_group, operation) == sizeof(uint32_t) &&
                   offsetof(struct profile_comm, copy) == 3 * sizeof(uint32_t),
               "keys come first");

static struct lookup *lookup_of(const struct profile *p, const struct keyed *k)
{
    return (struct lookup *)((char *)p->index + k->lookup);
}

static struct array *list_of(const struct profile *p, const struct keyed *k)
{
    return (struct array *)((char *)p + k->list);
}

static uint64_t hash_of(const struct keyed *k, const void *element)
{
    return k->key ? profile_hash(element, k->key) : hash_of_site(element);
}

/* The position of the element with the key of WANTED, or PROFILE_NONE. */
static uint32_t find(const struct profile *p, const struct keyed *k, const void *wanted)
{
    const struct lookup *l = lookup_of(p, k);
    uint64_t hash = hash_of(k, wanted);
    uint32_t step = 0, i;
    while ((i = lookup_next(l, hash, &step)) != PROFILE_NONE) {
        const void *there = (const char *)list_of(p, k)->at + i * k->size;
        if (k->key ? !memcmp(there, wanted, k->key) : same_site(there, wanted))
            break;
    }
    return i;
}

/* Puts a copy of ELEMENT behind the others; returns where. */
static uint32_t add(struct profile *p, const struct keyed *k, const void *element)
{
    struct array *list = list_of(p, k);
    memcpy(array_push(list, k->size), element, k->size);
    lookup_add(lookup_of(p, k), hash_of(k, element), list->n - 1);
    return (uint32_t)list->n - 1;
}

struct profile *profile_new(void)
{
    struct profile *p = memory_alloc(sizeof *p);
    p->index = memory_alloc(sizeof *p->index);
    p->synchronized = true;
    return p;
}

void profile_free(struct profile *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->programs.n; i++)
        free(p->programs.at[i]);
    for (size_t i = 0; i < p->libraries.n; i++)
        free(p->libraries.at[i]);
    for (size_t i = 0; i < p->warnings.n; i++)
        free(p->warnings.at[i]);
    for (size_t i = 0; i < p->findings.n; i++) {
        free(p->findings.at[i].kind);
        json_decref(p->findings.at[i].value);
    }
    for (size_t i = 0; i < p->sites.n; i++) {
        for (uint32_t f = 0; f < p->sites.at[i].depth; f++) {
            free(p->sites.at[i].frame[f].function);
            free(p->sites.at[i].frame[f].file);
        }
    }
    for (size_t i = 0; i < p->entries.n; i++)
        free(p->entries.at[i].histogram);
    for (size_t i = 0; i < n_profile_lists; i++)
        free(list_in(p, &profile_lists[i])->at);
    free(p->index->sites.slot);
    free(p->index->comms.slot);
    free(p->index->entries.slot);
    free(p->index->groups.slot);
    free(p->index->comm_of_ledger);
    free(p->index);
    free(p);
}

void spread_add(struct spread *s, uint32_t rank, uint64_t ns)
{
    spread_merge(s, &(struct spread){ns, ns, ns, 1, rank, rank});
}

void spread_merge(struct spread *into, const struct spread *from)
{
    if (!from->ranks)
        return;
    if (!into->ranks) {
        *into = *from;
        return;
    }
    if (from->max > into->max || (from->max == into->max && from->worst < into->worst)) {
        into->max = from->max;
        into->worst = from->worst;
    }
    if (from->min < into->min || (from->min == into->min && from->best < into->best)) {
        into->min = from->min;
        into->best = from->best;
    }
    into->sum += from->sum;
    into->ranks += from->ranks;
}

uint32_t profile_add_host(struct profile *p, const struct profile_host *host)
{
    for (size_t i = 0; i < p->hosts.n; i++) {
        struct profile_host *h = &p->hosts.at[i];
        if (strcmp(h->name, host->name))
            continue;
        h->ranks += host->ranks;
        uint32_t together = 0;
        for (size_t w = 0; w < sizeof h->affinity / sizeof *h->affinity; w++) {
            h->affinity[w] |= host->affinity[w];
            together += (uint32_t)__builtin_popcountll(h->affinity[w]);
        }
        if (host->processors > h->processors)
            h->processors = host->processors;
        if (together > h->processors)
            h->processors = together;
        return (uint32_t)i;
    }
    *PUSH(&p->hosts) = *host;
    return (uint32_t)p->hosts.n - 1;
}

uint32_t profile_add_module(struct profile *p, const struct profile_module *module)
{
    for (size_t i = 0; i < p->modules.n; i++) {
        struct profile_module *m = &p->modules.at[i];
        if (strcmp(m->build_id, module->build_id) || strcmp(m->function, module->function) ||
            (!*m->build_id && strcmp(m->path, module->path)))
            continue;
        if (strcmp(module->path, m->path) < 0)
            strcpy(m->path, module->path); /* whatever the order of merging */
        return (uint32_t)i;
    }
    *PUSH(&p->modules) = *module;
    return (uint32_t)p->modules.n - 1;
}

uint32_t profile_add_operation(struct profile *p, const char *name, uint32_t family)
{
    for (size_t i = 0; i < p->operations.n; i++)
        if (!strcmp(p->operations.at[i].name, name))
            return (uint32_t)i;
    struct profile_operation *o = PUSH(&p->operations);
    snprintf(o->name, sizeof o->name, "%s", name);
    o->family = family;
    return (uint32_t)p->operations.n - 1;
}

uint32_t profile_add_comm(struct profile *p, const struct profile_comm *comm)
{
    uint32_t i = find(p, &keyed_comms, comm);
    if (i == PROFILE_NONE)
        return add(p, &keyed_comms, comm);
    struct profile_comm *c = &p->comms.at[i];
    if (comm->created > c->created)
        c->created = comm->created;
    if (*comm->name && (!*c->name || strcmp(comm->name, c->name) < 0))
        strcpy(c->name, comm->name);
    if (comm->root_world_rank < c->root_world_rank)
        c->root_world_rank = comm->root_world_rank;
    c->flags |= comm->flags;
    return i;
}

uint32_t profile_add_region(struct profile *p, const struct profile_region *region)
{
    for (size_t i = 0; i < p->regions.n; i++) {
        if (strcmp(p->regions.at[i].name, region->name))
            continue;
        p->regions.at[i].entered += region->entered;
        p->regions.at[i].time_ns += region->time_ns;
        return (uint32_t)i;
    }
    *PUSH(&p->regions) = *region;
    return (uint32_t)p->regions.n - 1;
}

uint32_t profile_add_site(struct profile *p, const struct profile_site *site)
{
    uint32_t i = find(p, &keyed_sites, site);
    if (i == PROFILE_NONE) {
        struct profile_site s = {.depth = site->depth, .in_part = site->in_part};
        for (uint32_t f = 0; f < site->depth; f++) {
            s.frame[f].module = site->frame[f].module;
            s.frame[f].address = site->frame[f].address;
        }
        return add(p, &keyed_sites, &s);
    }
    p->sites.at[i].in_part |= site->in_part;
    return i;
}

uint64_t entry_timed(const struct profile_entry *e)
{
    uint64_t n = 0;
    for (unsigned b = 0; e->histogram && b < HISTOGRAM_BUCKETS; b++)
        n += e->histogram[b];
    return n;
}

static void add_counts(struct profile_entry *e, const struct profile_entry *from)
{
    if (entry_timed(from) && (!entry_timed(e) || from->min_ns < e->min_ns))
        e->min_ns = from->min_ns;
    if (from->max_ns > e->max_ns)
        e->max_ns = from->max_ns;
#define ADD(member) e->member += from->member;
    LEDGER_SUMS(ADD)
    spread_merge(&e->spread, &from->spread);
    for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++)
        e->histogram[b] += from->histogram[b];
}

void profile_add_entry(struct profile *p, const struct profile_entry *entry)
{
    uint32_t i = find(p, &keyed_entries, entry);
    if (i == PROFILE_NONE)
        i = add(p, &keyed_entries,
                &(struct profile_entry){
                    .site = entry->site,
                    .operation = entry->operation,
                    .comm = entry->comm,
                    .region = entry->region,
                    .size_class = entry->size_class,
                    .histogram = memory_alloc(HISTOGRAM_BUCKETS * sizeof *entry->histogram)});
    add_counts(&p->entries.at[i], entry);
}

struct profile_group *profile_group(struct profile *p, uint32_t site, uint32_t operation)
{
    struct profile_group key = {.site = site, .operation = operation};
    uint32_t i = find(p, &keyed_groups, &key);
    if (i == PROFILE_NONE)
        i = add(p, &keyed_groups, &key);
    return &p->groups.at[i];
}

const struct profile_group *profile_group_find(const struct profile *p, uint32_t site,
                                               uint32_t operation)
{
    struct profile_group key = {.site = site, .operation = operation};
    uint32_t i = find(p, &keyed_groups, &key);
    return i == PROFILE_NONE ? NULL : &p->groups.at[i];
}

static void reindex(struct profile *p, const struct keyed *k)
{
    struct lookup *l = lookup_of(p, k);
    free(l->slot);
    *l = (struct lookup){0};
    for (size_t i = 0; i < list_of(p, k)->n; i++)
        lookup_add(l, hash_of(k, (const char *)list_of(p, k)->at + i * k->size), i);
}

void profile_reindex(struct profile *p)
{
    reindex(p, &keyed_comms);
    reindex(p, &keyed_sites);
    reindex(p, &keyed_entries);
    reindex(p, &keyed_groups);
}

void profile_set_end(struct profile *p, double seconds)
{
    for (size_t i = 0; i < p->ranks.n; i++)
        if (p->ranks.at[i].rank == 0)
            p->ranks.at[i].merge_ns = whole_count(1e9 * seconds);
}

uint32_t *comm_kinds(const struct profile *p, bool by_place)
{
    uint32_t *kind = memory_alloc((p->comms.n + 1) * sizeof *kind);
    for (uint32_t i = 0; i < p->comms.n; i++) {
        const struct profile_comm *c = &p->comms.at[i];
        kind[i] = i;
        for (uint32_t k = 0; k < i && kind[i] == i; k++)
            if (kind[k] == k && p->comms.at[k].size == c->size &&
                (p->comms.at[k].site == c->site || (!by_place && comm_is_named(c))) &&
                !strcmp(p->comms.at[k].name, c->name))
                kind[i] = k;
    }
    return kind;
}

double profile_wall_ns(const struct profile *p)
{
    double sum = 0;
    for (size_t i = 0; i < p->ranks.n; i++)
        sum += 1e9 * p->ranks.at[i].wall;
    return sum;
}

double profile_longest_ns(const struct profile *p)
{
    double longest = 0;
    for (size_t i = 0; i < p->ranks.n; i++)
        longest = fmax(longest, 1e9 * p->ranks.at[i].wall);
    return longest;
}

double profile_mpi_ns(const struct profile *p)
{
    double sum = 0;
    for (size_t i = 0; i < p->ranks.n; i++)
        sum += p->ranks.at[i].in_call ? (double)NAN : (double)p->ranks.at[i].mpi_ns;
    return sum;
}

const char *profile_started(const struct profile *p, const char *format, char text[64])
{
    /* A simulated run starts at 0; a forged date may not fit. */
    bool known = p->started_unix >= 86400 && p->started_unix < 1e11;
    time_t started = known ? (time_t)p->started_unix : 0;
    struct tm local;
    if (!known || !localtime_r(&started, &local) || !strftime(text, 64, format, &local))
        *text = '\0';
    return text;
}
