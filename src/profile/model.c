#include "profile/model.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local jmp_buf *way_out;

void profile_out_of_memory(void)
{
    if (way_out)
        longjmp(*way_out, 1);
    abort(); /* called from outside of profile_try() */
}

bool profile_try(void (*work)(void *arg), void *arg)
{
    jmp_buf here, *outer = way_out;
    if (setjmp(here)) {
        way_out = outer;
        return false;
    }
    way_out = &here;
    work(arg);
    way_out = outer;
    return true;
}

void *profile_alloc(size_t size)
{
    void *memory = calloc(1, size);
    if (!memory)
        profile_out_of_memory();
    return memory;
}

char *profile_strdup(const char *text)
{
    return strcpy(profile_alloc(strlen(text) + 1), text);
}

void *array_push(void **at, size_t *n, size_t *room, size_t size)
{
    if (*n == *room) {
        *room = *room ? *room * 2 : 8;
        void *larger = realloc(*at, *room * size);
        if (!larger)
            profile_out_of_memory();
        *at = larger;
    }
    return memset((char *)*at + (*n)++ * size, 0, size);
}

uint64_t profile_hash(const void *data, size_t size)
{
    const unsigned char *byte = data;
    uint64_t hash = 14695981039346656037ull;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * 1099511628211ull;
    return hash ^ hash >> 29;
}

static void lookup_put(struct lookup *l, uint64_t hash, uint32_t position)
{
    uint32_t i = (uint32_t)hash & (l->room - 1);
    while (l->slot[i].position)
        i = (i + 1) & (l->room - 1);
    l->slot[i] = (struct lookup_slot){hash, position};
}

static void lookup_add(struct lookup *l, uint64_t hash, size_t index)
{
    if (2 * (l->used + 1) > l->room) {
        struct lookup old = *l;
        l->room = old.room ? old.room * 2 : 64;
        l->slot = profile_alloc(l->room * sizeof *l->slot);
        for (uint32_t i = 0; i < old.room; i++)
            if (old.slot[i].position)
                lookup_put(l, old.slot[i].hash, old.slot[i].position);
        free(old.slot);
    }
    lookup_put(l, hash, (uint32_t)index + 1);
    l->used++;
}

/* The position of the element with HASH for which SAME holds, or PROFILE_NONE. */
static uint32_t lookup_find(const struct lookup *l, uint64_t hash, const struct profile *p,
                            const void *key,
                            bool (*same)(const struct profile *, uint32_t, const void *))
{
    if (!l->room)
        return PROFILE_NONE;
    for (uint32_t i = (uint32_t)hash & (l->room - 1); l->slot[i].position;
         i = (i + 1) & (l->room - 1))
        if (l->slot[i].hash == hash && same(p, l->slot[i].position - 1, key))
            return l->slot[i].position - 1;
    return PROFILE_NONE;
}

struct profile *profile_new(void)
{
    struct profile *p = profile_alloc(sizeof *p);
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
    void *owned[] = {
        p->programs.at,  p->libraries.at,  p->warnings.at,   p->hosts.at,    p->ranks.at,
        p->modules.at,   p->operations.at, p->comms.at,      p->regions.at,  p->sites.at,
        p->entries.at,   p->groups.at,     p->events.at,     p->arrivals.at, p->findings.at,
        p->peers.at,     p->acts.at,       p->waits.at,      p->stands.at,   p->by_site.slot,
        p->by_comm.slot, p->by_entry.slot, p->by_group.slot, p->nets.at,     p->below.at};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
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

static bool same_comm(const struct profile *p, uint32_t i, const void *key)
{
    return p->comms.at[i].id == ((const struct profile_comm *)key)->id;
}

static uint64_t hash_of_comm(const struct profile_comm *comm)
{
    return profile_hash(&comm->id, sizeof comm->id);
}

uint32_t profile_add_comm(struct profile *p, const struct profile_comm *comm)
{
    uint64_t hash = hash_of_comm(comm);
    uint32_t i = lookup_find(&p->by_comm, hash, p, comm, same_comm);
    if (i == PROFILE_NONE) {
        *PUSH(&p->comms) = *comm;
        lookup_add(&p->by_comm, hash, p->comms.n - 1);
        return (uint32_t)p->comms.n - 1;
    }
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

static bool same_site(const struct profile *p, uint32_t i, const void *key)
{
    const struct profile_site *a = &p->sites.at[i], *b = key;
    if (a->depth != b->depth)
        return false;
    for (uint32_t f = 0; f < a->depth; f++)
        if (a->frame[f].module != b->frame[f].module || a->frame[f].address != b->frame[f].address)
            return false;
    return true;
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

uint32_t profile_add_site(struct profile *p, const struct profile_site *site)
{
    uint64_t hash = hash_of_site(site);
    uint32_t i = lookup_find(&p->by_site, hash, p, site, same_site);
    if (i != PROFILE_NONE) {
        p->sites.at[i].in_part |= site->in_part;
        return i;
    }
    struct profile_site *s = PUSH(&p->sites);
    s->depth = site->depth;
    s->in_part = site->in_part;
    for (uint32_t f = 0; f < site->depth; f++) {
        s->frame[f].module = site->frame[f].module;
        s->frame[f].address = site->frame[f].address;
    }
    lookup_add(&p->by_site, hash, p->sites.n - 1);
    return (uint32_t)p->sites.n - 1;
}

static bool same_entry(const struct profile *p, uint32_t i, const void *key)
{
    const struct profile_entry *a = &p->entries.at[i], *b = key;
    return a->site == b->site && a->operation == b->operation && a->comm == b->comm &&
           a->region == b->region && a->size_class == b->size_class;
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

static uint64_t hash_of_entry(const struct profile_entry *entry)
{
    uint32_t key[5] = {entry->site, entry->operation, entry->comm, entry->region,
                       entry->size_class};
    return profile_hash(key, sizeof key);
}

void profile_add_entry(struct profile *p, const struct profile_entry *entry)
{
    uint64_t hash = hash_of_entry(entry);
    uint32_t i = lookup_find(&p->by_entry, hash, p, entry, same_entry);
    if (i == PROFILE_NONE) {
        struct profile_entry *e = PUSH(&p->entries);
        e->site = entry->site;
        e->operation = entry->operation;
        e->comm = entry->comm;
        e->region = entry->region;
        e->size_class = entry->size_class;
        e->histogram = profile_alloc(HISTOGRAM_BUCKETS * sizeof *e->histogram);
        i = (uint32_t)p->entries.n - 1;
        lookup_add(&p->by_entry, hash, i);
    }
    add_counts(&p->entries.at[i], entry);
}

static bool same_group(const struct profile *p, uint32_t i, const void *key)
{
    const struct profile_group *a = &p->groups.at[i], *b = key;
    return a->site == b->site && a->operation == b->operation;
}

static uint64_t hash_of_group(const struct profile_group *group)
{
    uint32_t key[2] = {group->site, group->operation};
    return profile_hash(key, sizeof key);
}

struct profile_group *profile_group(struct profile *p, uint32_t site, uint32_t operation)
{
    struct profile_group key = {.site = site, .operation = operation};
    uint64_t hash = hash_of_group(&key);
    uint32_t i = lookup_find(&p->by_group, hash, p, &key, same_group);
    if (i == PROFILE_NONE) {
        *PUSH(&p->groups) = key;
        i = (uint32_t)p->groups.n - 1;
        lookup_add(&p->by_group, hash, i);
    }
    return &p->groups.at[i];
}

const struct profile_group *profile_group_find(const struct profile *p, uint32_t site,
                                               uint32_t operation)
{
    struct profile_group key = {.site = site, .operation = operation};
    uint32_t i = lookup_find(&p->by_group, hash_of_group(&key), p, &key, same_group);
    return i == PROFILE_NONE ? NULL : &p->groups.at[i];
}

static void lookup_clear(struct lookup *l)
{
    free(l->slot);
    *l = (struct lookup){0};
}

void profile_reindex(struct profile *p)
{
    lookup_clear(&p->by_comm);
    lookup_clear(&p->by_site);
    lookup_clear(&p->by_entry);
    lookup_clear(&p->by_group);
    for (size_t i = 0; i < p->comms.n; i++)
        lookup_add(&p->by_comm, hash_of_comm(&p->comms.at[i]), i);
    for (size_t i = 0; i < p->sites.n; i++)
        lookup_add(&p->by_site, hash_of_site(&p->sites.at[i]), i);
    for (size_t i = 0; i < p->entries.n; i++)
        lookup_add(&p->by_entry, hash_of_entry(&p->entries.at[i]), i);
    for (size_t i = 0; i < p->groups.n; i++)
        lookup_add(&p->by_group, hash_of_group(&p->groups.at[i]), i);
}

void profile_set_end(struct profile *p, double seconds)
{
    for (size_t i = 0; i < p->ranks.n; i++)
        if (p->ranks.at[i].rank == 0)
            p->ranks.at[i].merge_ns = whole_count(1e9 * seconds);
}

uint32_t *comm_kinds(const struct profile *p)
{
    uint32_t *kind = profile_alloc((p->comms.n + 1) * sizeof *kind);
    for (uint32_t i = 0; i < p->comms.n; i++) {
        const struct profile_comm *c = &p->comms.at[i];
        kind[i] = i;
        for (uint32_t k = 0; k < i && kind[i] == i; k++)
            if (kind[k] == k && p->comms.at[k].size == c->size &&
                !strcmp(p->comms.at[k].name, c->name))
                kind[i] = k;
    }
    return kind;
}
