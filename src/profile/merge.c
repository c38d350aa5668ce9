#include "profile/fields.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void add_text(struct array *list, const char *text)
{
    char *const *at = list->at;
    for (size_t i = 0; i < list->n; i++)
        if (!strcmp(at[i], text))
            return;
    *(char **)array_push(list, sizeof text) = memory_strdup(text);
}
#define ADD_TEXT(list, text) add_text((struct array *)(list), text)

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
    static const char key[] = "communicator_index";
    const json_t *comm = json_object_get(finding, key);
    uint32_t at = json_is_integer(comm) ? (uint32_t)json_integer_value(comm) : PROFILE_NONE;
    json_object_del(finding, key);
    *PUSH(&p->findings) = (struct profile_finding){memory_strdup(kind), at, finding};
}

json_t *finding_json(const struct profile_finding *f)
{
    json_t *copy = json_copy(f->value);
    if (f->comm != PROFILE_NONE)
        json_put(copy, "communicator_index", json_integer(f->comm));
    return copy;
}

uint32_t profile_comm_of_ledger(const struct profile *p, uint32_t index)
{
    return index < p->index->n_comm_of_ledger ? p->index->comm_of_ledger[index] : PROFILE_NONE;
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
    into->events_seen += from->events_seen;
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

static void merge_texts(struct profile *into, const struct profile *from)
{
    for (size_t i = 0; i < from->programs.n; i++)
        profile_add_program(into, from->programs.at[i]);
    for (size_t i = 0; i < from->libraries.n; i++)
        profile_add_library(into, from->libraries.at[i]);
    for (size_t i = 0; i < from->warnings.n; i++)
        ADD_TEXT(&into->warnings, from->warnings.at[i]);
}

/* For the place in the one profile of each of the N elements in the other. */
static uint32_t *map_for(size_t n)
{
    return memory_alloc((n + 1) * sizeof(uint32_t));
}

static void merge_sites(struct profile *into, const struct profile *from, uint32_t *site)
{
    uint32_t *module = map_for(from->modules.n);
    for (size_t i = 0; i < from->modules.n; i++)
        module[i] = profile_add_module(into, &from->modules.at[i]);
    for (size_t i = 0; i < from->sites.n; i++) {
        struct profile_site s = from->sites.at[i];
        for (uint32_t f = 0; f < s.depth; f++)
            if (s.frame[f].module != PROFILE_NONE)
                s.frame[f].module = module[s.frame[f].module];
        site[i] = profile_add_site(into, &s);
    }
    free(module);
}

static struct moves merge_places(struct profile *into, const struct profile *from)
{
    struct moves m = {{[FIELD_HOST] = map_for(from->hosts.n),
                       [FIELD_OPERATION] = map_for(from->operations.n),
                       [FIELD_COMM] = map_for(from->comms.n),
                       [FIELD_REGION] = map_for(from->regions.n),
                       [FIELD_SITE] = map_for(from->sites.n)}};
    for (size_t i = 0; i < from->hosts.n; i++)
        m.to[FIELD_HOST][i] = profile_add_host(into, &from->hosts.at[i]);
    for (size_t i = 0; i < from->operations.n; i++)
        m.to[FIELD_OPERATION][i] =
            profile_add_operation(into, from->operations.at[i].name, from->operations.at[i].family);
    for (size_t i = 0; i < from->regions.n; i++)
        m.to[FIELD_REGION][i] = profile_add_region(into, &from->regions.at[i]);
    merge_sites(into, from, m.to[FIELD_SITE]);
    for (size_t i = 0; i < from->comms.n; i++) {
        struct profile_comm comm = from->comms.at[i];
        positions_follow(&fields_comm, &comm, &m);
        m.to[FIELD_COMM][i] = profile_add_comm(into, &comm);
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
    bool *shared = memory_alloc(into->sites.n + 1);
    for (size_t i = 0; i < from->sites.n; i++)
        shared[site[i]] = site[i] < n_before;
    for (size_t i = 0; i < into->sites.n; i++)
        into->sites.at[i].in_part |= !shared[i] && (i < n_before ? doubt_before : doubt_after);
    free(shared);
}

static void merge_counts(struct profile *into, const struct profile *from, const struct moves *m)
{
    for (size_t i = 0; i < from->entries.n; i++) {
        struct profile_entry e = from->entries.at[i];
        positions_follow(&fields_entry, &e, m);
        profile_add_entry(into, &e);
    }
    for (size_t i = 0; i < from->groups.n; i++) {
        struct profile_group g = from->groups.at[i];
        positions_follow(&fields_group, &g, m);
        spread_merge(&profile_group(into, g.site, g.operation)->spread, &g.spread);
    }
    for (size_t i = 0; i < from->findings.n; i++) {
        struct profile_finding f = from->findings.at[i];
        positions_follow(&fields_finding, &f, m);
        f.kind = memory_strdup(f.kind);
        json_incref(f.value);
        *PUSH(&into->findings) = f;
    }
    for (const struct list *l = profile_lists; l < profile_lists + n_profile_lists; l++)
        for (size_t i = 0; l->how & LIST_APPENDED && i < list_in(from, l)->n; i++) {
            void *element = list_push(into, l);
            memcpy(element, list_at(from, l, i), l->size);
            positions_follow(l->fields, element, m);
        }
}

void profile_merge(struct profile *into, struct profile *from)
{
    size_t n_sites = into->sites.n;
    bool dropped_before = dropped_sites(into), dropped_after = dropped_sites(from);
    merge_header(into, from);
    merge_trace(&into->trace, &from->trace);
    merge_texts(into, from);
    struct moves m = merge_places(into, from);
    doubt_sites(into, n_sites, dropped_after, from, m.to[FIELD_SITE], dropped_before);
    merge_counts(into, from, &m);
    events_limit(into, PROFILE_MAX_EVENTS);
    acts_limit(into, PROFILE_MAX_ACTS);
    peers_limit(into, PROFILE_MAX_PEERS);
    for (size_t i = 0; i < FIELD_KINDS; i++)
        free(m.to[i]);
    profile_free(from);
}
