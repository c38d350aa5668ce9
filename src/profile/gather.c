/* Converts one rank's ledger to rows of a profile. The ledger's indices were checked when it was
 * opened. They are checked here, too, since other threads may still write to the ledger of a living
 * process. */
#include "profile/gather.h"
#include "base/clock.h"
#include "base/quote.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Copies a name of at most SIZE bytes, which may lack the final zero, and makes it printable. */
static void copy_name(char *to, size_t room, const char *from, size_t size)
{
    text_copy_part(to, room, from, size);
    quote_plain(to);
}

/* Ticks per second, from the two pairs of (ticks, seconds) in the ledger; 0: unknown. */
static double ledger_clock_rate(const struct ledger_header *h)
{
    double seconds = h->pair[1].seconds - h->pair[0].seconds;
    if (seconds < 1e-3 || h->pair[1].ticks <= h->pair[0].ticks)
        return h->ticks_per_second > 0 || clock_is_counter(h->clock)
                   ? h->ticks_per_second /* killed before the end: no second pair */
                   : 1e9;                /* other clocks count nanoseconds */
    return (double)(h->pair[1].ticks - h->pair[0].ticks) / seconds;
}

/* Modules and operations are added when a row refers to them, since a ledger names all operations
 * of MPI. */
uint32_t module_row(struct gather *g, uint32_t i)
{
    if (i >= count_of(g->l, LEDGER_MODULES))
        return PROFILE_NONE;
    if (g->row[LEDGER_MODULES][i] == PROFILE_NONE) {
        const struct ledger_module *from = &g->l->modules[i];
        struct profile_module module = {0};
        const char *path = ledger_text(g->l, from->path);
        const char *function = ledger_text(g->l, from->function);
        text_copy(module.path, sizeof module.path, path); /* unchanged, since the file will be
                                                             opened */
        copy_name(module.function, sizeof module.function, function, strlen(function));
        for (uint32_t b = 0; b < from->build_id_size && b < sizeof from->build_id; b++)
            snprintf(module.build_id + 2 * b, 3, "%02x", from->build_id[b]);
        g->row[LEDGER_MODULES][i] = profile_add_module(g->p, &module);
    }
    return g->row[LEDGER_MODULES][i];
}

uint32_t operation_row(struct gather *g, uint32_t i)
{
    if (i >= count_of(g->l, LEDGER_OPERATIONS))
        return PROFILE_NONE;
    if (g->row[LEDGER_OPERATIONS][i] == PROFILE_NONE) {
        char name[sizeof g->l->operations[i].name];
        copy_name(name, sizeof name, g->l->operations[i].name, sizeof name);
        g->row[LEDGER_OPERATIONS][i] =
            profile_add_operation(g->p, name, g->l->operations[i].family);
    }
    return g->row[LEDGER_OPERATIONS][i];
}

static void gather_sites(struct gather *g)
{
    for (uint32_t i = 0; i < count_of(g->l, LEDGER_SITES); i++) {
        const struct ledger_site *from = &g->l->sites[i];
        struct profile_site site = {0};
        if (i != LEDGER_NO_SITE)
            site.depth = from->depth < LEDGER_MAX_DEPTH ? from->depth : LEDGER_MAX_DEPTH;
        for (uint32_t f = 0; f < site.depth; f++) {
            site.frame[f].module = module_row(g, from->frame[f].module);
            site.frame[f].address = from->frame[f].address;
        }
        g->row[LEDGER_SITES][i] = profile_add_site(g->p, &site);
    }
}

static void gather_comms(struct gather *g)
{
    for (uint32_t i = 1; i < count_of(g->l, LEDGER_COMMS); i++) {
        const struct ledger_comm *from = &g->l->comms[i];
        struct profile_comm comm = {.id = from->id,
                                    .site = from->site == LEDGER_NO_SITE
                                                ? PROFILE_NONE
                                                : row_of(g, LEDGER_SITES, from->site),
                                    .copy = from->copy ? from->copy : PROFILE_NONE,
                                    .created = from->created,
                                    .size = from->size,
                                    .first = from->first,
                                    .root_world_rank = from->root_world_rank,
                                    .flags = from->flags,
                                    .most = PROFILE_ENTERED(from->entered, g->h->rank, true),
                                    .least = PROFILE_ENTERED(from->entered, g->h->rank, false)};
        copy_name(comm.name, sizeof comm.name, from->name, sizeof from->name);
        g->row[LEDGER_COMMS][i] = profile_add_comm(g->p, &comm);
    }
}

static void gather_regions(struct gather *g)
{
    for (uint32_t i = 1; i < count_of(g->l, LEDGER_REGIONS); i++) {
        const struct ledger_region *from = &g->l->regions[i];
        struct profile_region region = {
            .entered = from->entered, .time_ns = from->time_ns, .longest_ns = from->time_ns};
        copy_name(region.name, sizeof region.name, from->name, sizeof from->name);
        g->row[LEDGER_REGIONS][i] = profile_add_region(g->p, &region);
    }
}

/* Adds E. If its call site was not recorded, E gets the site without frames. */
static void add_entry(struct profile *p, struct profile_entry *e)
{
    if (e->operation == PROFILE_NONE)
        return;
    if (e->site == PROFILE_NONE)
        e->site = profile_add_site(p, &(struct profile_site){0});
    profile_add_entry(p, e);
}

static void gather_entries(struct gather *g)
{
    uint64_t histogram[HISTOGRAM_BUCKETS];
    for (uint32_t i = 0; i < count_of(g->l, LEDGER_ENTRIES); i++) {
        const struct ledger_entry *from = &g->l->entries[i];
        if (!(from->calls || from->completed || from->excluded_requests || from->cancelled))
            continue;
        struct profile_entry e = {.site = row_of(g, LEDGER_SITES, from->site),
                                  .operation = operation_row(g, from->operation),
                                  .comm = row_of(g, LEDGER_COMMS, from->comm),
                                  .region = row_of(g, LEDGER_REGIONS, from->region),
                                  .size_class = from->size_class,
#define COPY(member) .member = from->member,
                                  LEDGER_SUMS(COPY).min_ns =
                                      from->min_ns < UINT64_MAX ? from->min_ns : 0,
                                  .max_ns = from->max_ns,
                                  .histogram = histogram};
        for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++)
            histogram[b] = from->histogram[b];
        add_entry(g->p, &e);
    }
}

/* Adds p->groups. First sums all calls of a group, since a spread counts the rank once. */
static void spread_out(struct profile *p, uint32_t rank)
{
    for (EACH(const struct profile_entry, e, p->entries)) {
        profile_group(p, e->site, e->operation)->spread.sum += e->time_ns;
        profile_group(p, PROFILE_NONE, e->operation)->spread.sum += e->time_ns;
    }
    for (size_t i = 0; i < p->groups.n; i++) {
        uint64_t sum = p->groups.at[i].spread.sum;
        p->groups.at[i].spread = (struct spread){0};
        spread_add(&p->groups.at[i].spread, rank, sum);
    }
}

/* Adds the rank's time outside of MPI in each region. A region with less time than its MPI calls
 * was open when the process was killed: its time is unknown and not added. */
static void spread_regions(struct profile *p, uint32_t rank)
{
    for (size_t i = 0; i < p->regions.n; i++) {
        struct profile_region *r = &p->regions.at[i];
        uint64_t mpi = 0;
        for (size_t k = 0; k < p->entries.n; k++)
            if (p->entries.at[k].region == i)
                mpi += p->entries.at[k].time_ns + p->entries.at[k].excluded_ns;
        if (r->entered && r->time_ns >= mpi)
            spread_add(&r->outside, rank, r->time_ns - mpi);
    }
}

/* Sums the rank's times by families of calls. Time in MPI excludes calls that start and end MPI,
 * which do not communicate for the application. */
static void sum_calls(struct profile *p)
{
    struct profile_rank *r = &p->ranks.at[0];
    for (EACH(const struct profile_entry, e, p->entries)) {
        uint32_t family = p->operations.at[e->operation].family;
        uint64_t ns = e->time_ns + e->excluded_ns;
        r->calls += e->calls;
        *(family == FAMILY_LIFECYCLE ? &r->lifecycle_ns : &r->mpi_ns) += ns;
        if (family == FAMILY_COLLECTIVE || family == FAMILY_ICOLLECTIVE)
            r->collective_ns += (int64_t)ns;
        else if (family >= FAMILY_SEND && family <= FAMILY_PROBE)
            r->message_ns += (int64_t)ns;
    }
}

static void gather_events(struct gather *g)
{
    for (uint32_t i = 0; i < count_of(g->l, LEDGER_INSTANCES); i++) {
        const struct ledger_instance *from = &g->l->instances[i];
        uint32_t operation = operation_row(g, from->operation);
        uint32_t comm = row_of(g, LEDGER_COMMS, from->comm);
        if (operation == PROFILE_NONE || comm == PROFILE_NONE ||
            !ledger_is_sampled(from->comm_id, from->sequence, from->spared, g->h->sample_mask) ||
            !from->exit_ticks)
            continue;
        *PUSH(&g->p->instances) = (struct profile_instance){
            .comm_id = from->comm_id,
            .bytes = from->bytes,
            .entry_ns = global_ns(g, from->entry_ticks),
            .exit_ns = global_ns(g, from->exit_ticks),
            .outside_ns = (int64_t)from->outside_ticks < 0
                              ? -1
                              : whole_ns((double)from->outside_ticks / g->rate),
            .sequence = from->sequence,
            .rank = (uint32_t)g->h->rank,
            .site = row_of(g, LEDGER_SITES, from->site),
            .operation = operation,
            .comm = comm,
            .comm_rank = g->l->comms[from->comm].rank,
            .spared = from->spared,
            .root = from->root,
            .signature = from->signature};
    }
    g->p->sample_mask = g->h->sample_mask;
    g->p->ranks.at[0].polled_ns = whole_ns((double)g->h->polled / g->rate);
}

static void gather_peers(struct gather *g)
{
    for (uint32_t i = 0; i < count_of(g->l, LEDGER_MESSAGES); i++) {
        const struct ledger_messages *from = &g->l->messages[i];
        if (from->n)
            profile_add(
                g->p, TABLE_PEERS,
                &(struct profile_peer){.site = row_of(g, LEDGER_SITES, from->site),
                                       .operation = operation_row(g, from->operation),
                                       .rank = (uint32_t)g->h->rank,
                                       .peer = from->peer < INT32_MAX ? from->peer : INT32_MAX,
                                       .received = from->received,
                                       .messages = from->n,
                                       .bytes = from->bytes});
    }
    g->p->peers_dropped = g->h->section[LEDGER_MESSAGES].dropped;
}

void gather_balances(struct gather *g)
{
    const struct ledger *l = g->l;
    const uint32_t rank = (uint32_t)g->h->rank, n_comms = count_of(l, LEDGER_COMMS);
    for (uint32_t i = 0; i < count_of(l, LEDGER_MESSAGES); i++) {
        const struct ledger_messages *m = &l->messages[i];
        uint32_t k = 1;
        while (k < n_comms && l->comms[k].last != m->comm_id)
            k++;
        profile_add(g->p, TABLE_BALANCES,
                    &(struct profile_balance){
                        .comm_id = m->comm_id,
                        .comm = row_of(g, LEDGER_COMMS, k),
                        .from = m->received ? m->peer : rank,
                        .to = m->received ? rank : m->peer,
                        .tag = m->tag,
                        .operation = PROFILE_NONE,
                        .site = PROFILE_NONE,
                        .sender = m->received ? PROFILE_NONE : row_of(g, LEDGER_SITES, m->site),
                        .sent = m->received ? 0 : m->n,
                        .received = m->received ? m->n : 0,
                        .types = (uint64_t)m->types << (m->received ? 32 : 0)});
    }
    for (uint32_t i = 0; i < count_of(l, LEDGER_REQUESTS); i++) {
        const struct ledger_request *q = &l->requests[i];
        if (q->posted && q->active)
            profile_add(g->p, TABLE_BALANCES,
                        &(struct profile_balance){.comm_id = q->comm_id,
                                                  .comm = row_of(g, LEDGER_COMMS, q->comm),
                                                  .from = rank,
                                                  .to = (uint32_t)q->peer,
                                                  .tag = q->tag,
                                                  .operation = operation_row(g, q->operation),
                                                  .site = row_of(g, LEDGER_SITES, q->site),
                                                  .sender = PROFILE_NONE,
                                                  .sent = 1});
    }
}

/* When the process ended or, if it is alive, now: as clock_now(); NAN if the process was killed. */
static double end_of(const struct ledger_header *h)
{
    if (h->state != LEDGER_RUNNING)
        return h->pair[1].seconds;
    return ledger_is_alive(h) ? clock_now() : (double)NAN;
}

/* Adds calls that had not returned. The time in these calls counts unless the process was killed,
 * since the time of its end is then unknown. */
static void gather_calls(struct gather *g)
{
    struct profile_rank *r = &g->p->ranks.at[0];
    double end = end_of(g->h) - g->h->pair[0].seconds;
    for (uint32_t i = 0; i < count_of(g->l, LEDGER_CALLS); i++) {
        const struct ledger_call *from = &g->l->calls[i];
        uint64_t histogram[HISTOGRAM_BUCKETS] = {0};
        uint32_t operation = from->since ? operation_row(g, from->operation) : PROFILE_NONE;
        if (operation == PROFILE_NONE || g->h->state == LEDGER_FINALIZED)
            continue;
        double entered = (double)(int64_t)(from->since - g->h->pair[0].ticks) / g->rate;
        bool known = end - entered >= 0;
        uint64_t ns = known ? (uint64_t)whole_ns(end - entered) : 0;
        struct profile_entry e = {.site = row_of(g, LEDGER_SITES, from->site),
                                  .operation = operation,
                                  .comm = row_of(g, LEDGER_COMMS, from->comm),
                                  .region = PROFILE_NONE,
                                  .calls = 1,
                                  .time_ns = ns,
                                  .min_ns = ns,
                                  .max_ns = ns,
                                  .histogram = histogram};
        histogram[histogram_bucket(ns)] = known;
        add_entry(g->p, &e);
        r->wall = fmax(r->wall, known ? end : entered); /* the process lived at least so long */
        r->in_call = r->in_call || !known;
    }
    /* After the last call the process was outside of MPI until its end. */
    if (!isnan(end) && g->h->state != LEDGER_FINALIZED)
        r->wall = fmax(r->wall, end);
}

/* Seconds from the record's beginning to the end of MPI or, if the process was killed, to its last
 * call. */
static double wall_time(const struct ledger_header *h)
{
    double closed = h->pair[1].seconds - h->pair[0].seconds;
    double last = h->ticks_per_second > 0 && h->last_ticks > h->pair[0].ticks
                      ? (double)(h->last_ticks - h->pair[0].ticks) / h->ticks_per_second
                      : 0;
    return closed > last ? closed : last;
}

static int64_t grown(int64_t before, int64_t after)
{
    return before >= 0 && after >= before ? after - before : -1;
}

static void gather_noise(struct profile_rank *r, const struct ledger_header *h)
{
    const struct noise_totals *from = &h->noise[0], *to = &h->noise[1];
    bool known = to->cpu_ns > 0;
    r->cpu_ns = known ? grown(from->cpu_ns, to->cpu_ns) : -1;
    r->delayed_ns = known ? grown(from->delayed_ns, to->delayed_ns) : -1;
}

static void gather_rank(struct profile *p, const struct ledger *l)
{
    const struct ledger_header *h = l->header;
    struct profile_host host = {.ranks = 1};
    copy_name(host.name, sizeof host.name, h->host, sizeof h->host);
    struct profile_rank *r = PUSH(&p->ranks);
    *r = (struct profile_rank){.rank = h->rank,
                               .host = profile_add_host(p, &host),
                               .pid = h->pid,
                               .state = h->state,
                               .state_detail = h->state_detail,
                               .wall = wall_time(h),
                               .collective_wait_ns = -1,
                               .untracked_requests = h->untracked_requests,
                               .failed_collectives = h->failed_collectives,
                               .started_late = h->started_late,
                               .messages_lost = h->messages_lost,
                               .grow_error = h->grow_error,
                               .init_ns = h->init_ns,
                               .injected_ns = h->injected_ns,
                               .call_ns = h->call_ns >= 0 && h->call_ns < 1e9 ? h->call_ns : 0};
    gather_noise(r, h);
    for (int s = 0; s < LEDGER_SECTIONS; s++)
        r->dropped[s] = h->section[s].dropped;
}

static void gather_header(struct profile *p, const struct ledger *l)
{
    const struct ledger_header *h = l->header;
    char text[sizeof h->program + 1];
    p->run_id = h->run_id;
    p->started_unix = h->started_unix;
    p->size = h->size;
    /* mpi4py requests MPI_THREAD_MULTIPLE also for one thread, so threads in MPI are counted. */
    p->threads_at_once = h->threads_at_once && count_of(l, LEDGER_CALLS) > 1;
    p->clock = h->clock;
    p->stack_depth = h->stack_depth;
    p->synchronized = h->synchronized;
    p->clock_bound = h->synchronized ? h->global_bound : 0;
    copy_name(text, sizeof text, h->program, sizeof h->program);
    if (*h->script) {
        char script[sizeof h->script + 1], both[sizeof script + 300];
        copy_name(script, sizeof script, h->script, sizeof h->script);
        snprintf(both, sizeof both, "%s (%.255s)", script, text_base_of(text));
        profile_add_text(p, TABLE_PROGRAMS, both);
    } else
        profile_add_text(p, TABLE_PROGRAMS, text);
    copy_name(text, sizeof text, h->mpi_library, sizeof h->mpi_library);
    profile_add_text(p, TABLE_LIBRARIES, text);
    copy_name(p->arguments, sizeof p->arguments, h->arguments, sizeof h->arguments - 1);
    copy_name(p->launcher, sizeof p->launcher, h->launcher, sizeof h->launcher - 1);
}

json_t *profile_injected(const struct ledger *l)
{
    json_t *all = json_array();
    for (json_int_t at = l->header->findings, next; at; at = next) {
        json_t *list = json_loads(ledger_text(l, (uint32_t)at), 0, NULL);
        const json_t *last = json_array_get(list, json_array_size(list) - 1);
        const json_int_t before = json_integer_value(json_object_get(last, "before"));
        next = before > 0 && before < at ? before : 0;
        json_array_extend(all, list);
        json_decref(list);
    }
    json_make_printable(all);
    return all;
}

/* Adds the results of experiments, whose communicators are indices in the ledger. */
static void gather_findings(struct gather *g)
{
    json_t *list = profile_injected(g->l), *finding;
    size_t i;
    json_array_foreach(list, i, finding) {
        const char *kind = json_string_value(json_object_get(finding, "kind"));
        const char *warning = json_string_value(json_object_get(finding, "warning"));
        json_t *value = json_object_get(finding, "value");
        json_t *comm = json_object_get(value, "communicator_index");
        if (json_is_integer(comm))
            json_integer_set(comm, row_of(g, LEDGER_COMMS, (uint32_t)json_integer_value(comm)));
        if (kind && json_is_object(value))
            profile_add_finding(g->p, kind, json_incref(value));
        if (warning)
            profile_warn(g->p, "%s", warning);
    }
    json_decref(list);
}

struct gather gather_begin(struct profile *p, const struct ledger *l)
{
    static const enum ledger_section named[] = {LEDGER_MODULES, LEDGER_OPERATIONS, LEDGER_COMMS,
                                                LEDGER_REGIONS, LEDGER_SITES};
    struct gather g = {.p = p, .l = l, .h = l->header, .rate = ledger_clock_rate(l->header)};
    for (size_t k = 0; k < sizeof named / sizeof *named; k++) {
        const size_t bytes = count_of(l, named[k]) * sizeof(uint32_t);
        g.row[named[k]] = memory_alloc(bytes + 1);
        memset(g.row[named[k]], 0xff, bytes); /* PROFILE_NONE */
    }
    return g;
}

void gather_end(struct gather *g)
{
    for (int s = 0; s < LEDGER_SECTIONS; s++)
        free(g->row[s]);
}

void gather_rows(struct gather *g)
{
    const uint32_t rank = (uint32_t)g->h->rank;
    gather_header(g->p, g->l);
    gather_rank(g->p, g->l);
    gather_regions(g);
    gather_sites(g);
    gather_comms(g);
    gather_entries(g);
    gather_peers(g);
    if (g->h->state == LEDGER_FINALIZED)
        gather_balances(g); /* before MPI_Finalize messages in transit would seem lost */
    if (g->rate > 0)
        gather_calls(g);
    spread_out(g->p, rank);
    spread_regions(g->p, rank);
    sum_calls(g->p);
    if (g->rate > 0)
        gather_events(g);
    gather_findings(g);
}
