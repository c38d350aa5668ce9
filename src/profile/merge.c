#include "profile/model.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void add_text(char ***at, size_t *n, size_t *room, const char *text)
{
    for (size_t i = 0; i < *n; i++)
        if (!strcmp((*at)[i], text))
            return;
    *(char **)array_push((void **)at, n, room, sizeof(char *)) = profile_strdup(text);
}
#define ADD_TEXT(array, text) add_text(&(array)->at, &(array)->n, &(array)->room, text)

void profile_add_program(struct profile *p, const char *path)
{
    if (*path)
        ADD_TEXT(&p->programs, path);
}

void profile_add_library(struct profile *p, const char *version)
{
    if (*version)
        ADD_TEXT(&p->libraries, version);
}

void profile_warn(struct profile *p, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ADD_TEXT(&p->warnings, text);
}

void profile_add_finding(struct profile *p, const char *kind, json_t *finding)
{
    *PUSH(&p->findings) = (struct profile_finding){profile_strdup(kind), finding};
}

static void merge_header(struct profile *into, const struct profile *from)
{
    if (!into->run_id)
        into->run_id = from->run_id;
    if (from->started_unix > 0 &&
        (!(into->started_unix > 0) || from->started_unix < into->started_unix))
        into->started_unix = from->started_unix;
    if (from->size > into->size)
        into->size = from->size;
    if (from->thread_level > into->thread_level)
        into->thread_level = from->thread_level;
    into->threads_at_once = into->threads_at_once || from->threads_at_once;
    if (from->clock > into->clock)
        into->clock = from->clock; /* the least good one */
    if (from->stack_depth > into->stack_depth)
        into->stack_depth = from->stack_depth;
    if (from->clock_bound > into->clock_bound)
        into->clock_bound = from->clock_bound;
    into->synchronized = into->synchronized && from->synchronized;
    into->crashed = into->crashed || from->crashed;
    into->yields = into->yields || from->yields;
    if (!*into->launcher)
        memcpy(into->launcher, from->launcher, sizeof into->launcher);
    into->sample_mask |= from->sample_mask;
    into->events_dropped += from->events_dropped;
    into->peers_dropped += from->peers_dropped;
}

static void merge_trace(struct profile_trace *into, const struct profile_trace *from)
{
    if (!from->on)
        return;
    if (!into->on || from->first_ns < into->first_ns)
        into->first_ns = from->first_ns;
    if (!into->on || from->last_ns > into->last_ns)
        into->last_ns = from->last_ns;
    into->time_mask |= from->time_mask;
    if (from->network > into->network)
        into->network = from->network;
    into->outside_polls += from->outside_polls;
    into->outside_empty += from->outside_empty;
    into->on = true;
}

static void merge_ranks(struct profile *into, const struct profile *from)
{
    uint32_t *host = profile_alloc((from->hosts.n + 1) * sizeof *host);
    for (size_t i = 0; i < from->hosts.n; i++)
        host[i] = profile_add_host(into, &from->hosts.at[i]);
    for (size_t i = 0; i < from->ranks.n; i++) {
        struct profile_rank *r = PUSH(&into->ranks);
        *r = from->ranks.at[i];
        r->host = host[r->host];
    }
    free(host);
}

static void merge_texts(struct profile *into, const struct profile *from)
{
    for (size_t i = 0; i < from->programs.n; i++)
        profile_add_program(into, from->programs.at[i]);
    for (size_t i = 0; i < from->libraries.n; i++)
        profile_add_library(into, from->libraries.at[i]);
    for (size_t i = 0; i < from->warnings.n; i++)
        ADD_TEXT(&into->warnings, from->warnings.at[i]);
    for (size_t i = 0; i < from->findings.n; i++)
        profile_add_finding(into, from->findings.at[i].kind,
                            json_incref(from->findings.at[i].value));
}

/* Index in the one profile to index in the other. */
struct maps {
    uint32_t *module, *operation, *comm, *region, *site;
};

static uint32_t mapped(const uint32_t *map, uint32_t i)
{
    return i == PROFILE_NONE ? PROFILE_NONE : map[i];
}

static struct maps merge_tables(struct profile *into, const struct profile *from)
{
    struct maps m = {
        profile_alloc((from->modules.n + 1) * sizeof(uint32_t)),
        profile_alloc((from->operations.n + 1) * sizeof(uint32_t)),
        profile_alloc((from->comms.n + 1) * sizeof(uint32_t)),
        profile_alloc((from->regions.n + 1) * sizeof(uint32_t)),
        profile_alloc((from->sites.n + 1) * sizeof(uint32_t)),
    };
    for (size_t i = 0; i < from->modules.n; i++)
        m.module[i] = profile_add_module(into, &from->modules.at[i]);
    for (size_t i = 0; i < from->operations.n; i++)
        m.operation[i] =
            profile_add_operation(into, from->operations.at[i].name, from->operations.at[i].family);
    for (size_t i = 0; i < from->comms.n; i++)
        m.comm[i] = profile_add_comm(into, &from->comms.at[i]);
    for (size_t i = 0; i < from->regions.n; i++)
        m.region[i] = profile_add_region(into, &from->regions.at[i]);
    for (size_t i = 0; i < from->sites.n; i++) {
        struct profile_site site = from->sites.at[i];
        for (uint32_t f = 0; f < site.depth; f++)
            site.frame[f].module = mapped(m.module, site.frame[f].module);
        m.site[i] = profile_add_site(into, &site);
    }
    return m;
}

static bool dropped_sites(const struct profile *p)
{
    uint64_t dropped = 0;
    for (size_t i = 0; i < p->ranks.n; i++)
        dropped += p->ranks.at[i].dropped[LEDGER_SITES];
    return dropped > 0;
}

/* A site that only one of the two has may be among those that the other had no place for. */
static void doubt_sites(struct profile *into, size_t n_before, bool doubt_before,
                        const struct profile *from, const uint32_t *site, bool doubt_after)
{
    bool *shared = profile_alloc(into->sites.n + 1);
    for (size_t i = 0; i < from->sites.n; i++)
        shared[site[i]] = site[i] < n_before;
    for (size_t i = 0; i < into->sites.n; i++)
        into->sites.at[i].in_part |= !shared[i] && (i < n_before ? doubt_before : doubt_after);
    free(shared);
}

static void merge_counts(struct profile *into, const struct profile *from, const struct maps *m)
{
    for (size_t i = 0; i < from->entries.n; i++) {
        struct profile_entry e = from->entries.at[i];
        e.site = mapped(m->site, e.site);
        e.operation = mapped(m->operation, e.operation);
        e.comm = mapped(m->comm, e.comm);
        e.region = mapped(m->region, e.region);
        profile_add_entry(into, &e);
    }
    for (size_t i = 0; i < from->groups.n; i++) {
        const struct profile_group *g = &from->groups.at[i];
        spread_merge(
            &profile_group(into, mapped(m->site, g->site), mapped(m->operation, g->operation))
                 ->spread,
            &g->spread);
    }
    for (size_t i = 0; i < from->events.n; i++) {
        struct profile_event *e = PUSH(&into->events);
        *e = from->events.at[i];
        e->site = mapped(m->site, e->site);
        e->operation = mapped(m->operation, e->operation);
        e->comm = mapped(m->comm, e->comm);
    }
    for (size_t i = 0; i < from->acts.n; i++) {
        struct act *a = PUSH(&into->acts);
        *a = from->acts.at[i];
        a->site = mapped(m->site, a->site);
        a->operation = mapped(m->operation, a->operation);
    }
    for (size_t i = 0; i < from->nets.n; i++) {
        struct net *below = PUSH(&into->nets);
        *below = from->nets.at[i];
        below->site = mapped(m->site, below->site);
        below->operation = mapped(m->operation, below->operation);
    }
    for (size_t i = 0; i < from->stands.n; i++) {
        struct profile_stand *s = PUSH(&into->stands);
        *s = from->stands.at[i];
        s->site = mapped(m->site, s->site);
        s->operation = mapped(m->operation, s->operation);
        s->comm = mapped(m->comm, s->comm);
    }
    for (size_t i = 0; i < from->peers.n; i++) {
        struct profile_peer *peer = PUSH(&into->peers);
        *peer = from->peers.at[i];
        peer->site = mapped(m->site, peer->site);
        peer->operation = mapped(m->operation, peer->operation);
    }
}

void profile_merge(struct profile *into, struct profile *from)
{
    size_t n_sites = into->sites.n;
    bool dropped_before = dropped_sites(into), dropped_after = dropped_sites(from);
    merge_header(into, from);
    merge_trace(&into->trace, &from->trace);
    merge_ranks(into, from);
    merge_texts(into, from);
    struct maps m = merge_tables(into, from);
    doubt_sites(into, n_sites, dropped_after, from, m.site, dropped_before);
    merge_counts(into, from, &m);
    events_limit(into, PROFILE_MAX_EVENTS);
    acts_limit(into, PROFILE_MAX_ACTS);
    peers_limit(into, PROFILE_MAX_PEERS);
    free(m.module);
    free(m.operation);
    free(m.comm);
    free(m.region);
    free(m.site);
    profile_free(from);
}
