#include "made_findings.h"

#include "base/clock.h"

#include <string.h>

uint32_t site_in_line(struct profile *p, uint32_t line)
{
    struct profile_site s = {.depth = 1};
    s.frame[0] = (struct profile_frame){.module = PROFILE_NONE, .address = line};
    uint32_t site = profile_add_site(p, &s);
    struct profile_frame *f = &p->sites.at[site].frame[0];
    if (!f->function) {
        f->function = memory_strdup("solve");
        f->file = memory_strdup("solve.c");
        f->line = line;
    }
    return site;
}

uint64_t ns(double seconds)
{
    return (uint64_t)(1e9 * seconds + 0.5);
}

static void add_calls(struct profile *p, const struct known *k, uint32_t comm)
{
    uint64_t histogram[HISTOGRAM_BUCKETS] = {10};
    for (size_t i = 0; i < 3 && k->calls[i].operation; i++) {
        uint32_t site = site_in_line(p, k->calls[i].line),
                 operation = profile_add_operation(p, k->calls[i].operation, FAMILY_SENDRECV);
        profile_add_entry(p, &(struct profile_entry){.site = site,
                                                     .operation = operation,
                                                     .comm = comm,
                                                     .region = PROFILE_NONE,
                                                     .calls = 10,
                                                     .time_ns = ns(k->calls[i].sum),
                                                     .completed = k->calls[i].completed,
                                                     .complete_at_wait = k->calls[i].complete,
                                                     .wait_ns = ns(k->calls[i].wait),
                                                     .histogram = histogram});
        profile_group(p, site, operation)->spread =
            (struct spread){.sum = ns(k->calls[i].sum),
                            .min = ns(k->calls[i].least),
                            .max = ns(k->calls[i].ranks == 1 ? k->calls[i].sum
                                                             : k->calls[i].sum - k->calls[i].least),
                            .ranks = k->calls[i].ranks ?: (uint32_t)p->ranks.n,
                            .best = k->calls[i].best,
                            .worst = k->calls[i].worst};
    }
}

/* Each wait has a cause on the rank that is waited for, but for those that rank 0 causes and others
 * pass on. */
static void add_cause(struct profile *p, const struct known *k, size_t i)
{
    uint64_t cost = ns(k->waits[i].wait);
    uint32_t rank = k->passed_on ? 0 : k->waits[i].rank;
    p->trace.wait_ns += cost;
    if (k->passed_on && p->causes.n) {
        p->causes.at[0].passed_ns += cost;
        return;
    }
    *PUSH(&p->causes) =
        (struct root_cause){.kind = CAUSE_COMPUTATION,
                            .rank = rank,
                            .from_site = PROFILE_NONE,
                            .from_operation = PROFILE_NONE,
                            .site = site_in_line(p, 50),
                            .operation = profile_add_operation(p, "MPI_Send", FAMILY_SEND),
                            .direct_ns = cost,
                            .followed = k->waits[i].followed,
                            .in_turn = k->waits[i].in_turn,
                            .wait_site = site_in_line(p, k->waits[i].line),
                            .wait_operation = profile_add_operation(p, "MPI_Recv", FAMILY_RECV),
                            .wait_state = k->waits[i].state};
}

struct profile *made(const struct known *k)
{
    struct profile *p = profile_new();
    uint32_t ranks = k->ranks ? k->ranks : 2,
             host = profile_add_host(p, &(struct profile_host){.name = "alpha", .ranks = ranks}),
             comm = profile_add_comm(p, &(struct profile_comm){.id = 1,
                                                               .created = 1,
                                                               .site = PROFILE_NONE,
                                                               .size = ranks,
                                                               .name = "MPI_COMM_WORLD"});
    p->stack_depth = 1;
    p->clock = k->simulated ? CLOCK_SOURCE_EXTERNAL : CLOCK_SOURCE_TSC;
    for (uint32_t r = 0; r < ranks; r++)
        *PUSH(&p->ranks) = (struct profile_rank){.rank = (int32_t)r,
                                                 .host = host,
                                                 .state = LEDGER_FINALIZED,
                                                 .wall = 1,
                                                 .polled_ns = r == 1 ? (int64_t)ns(k->polled) : 0,
                                                 .cpu_ns = (int64_t)ns(k->cpu[r]) ?: -1,
                                                 .mpi_ns = ns(k->mpi[r]),
                                                 .message_ns = ns(k->message[r]),
                                                 .message_wait_ns = ns(k->late_message[r]),
                                                 .delayed_ns = (int64_t)ns(k->delayed[r])};
    add_calls(p, k, comm);
    if (k->excluded > 0) {
        p->entries.at[0].excluded = 5;
        p->entries.at[0].excluded_ns = p->ranks.at[0].injected_ns = ns(k->excluded);
    }
    if (k->program) {
        profile_add_text(p, TABLE_PROGRAMS, k->program);
        strcpy(p->arguments, k->arguments);
    }
    p->trace.on = k->traced;
    if (k->late.wait > 0)
        *PUSH(&p->arrivals) = (struct profile_arrival){
            .site = site_in_line(p, 40),
            .operation = profile_add_operation(p, "MPI_Barrier", FAMILY_COLLECTIVE),
            .comm = comm,
            .instances = k->late.calls ?: 100,
            .population = 100,
            .skew_median_ns = ns(k->late.wait / 100),
            .time_ns = ns(0.5),
            .wait_ns = ns(k->late.wait),
            .cost_rank = 1,
            .cost_ns = ns(k->late.cost),
            .cost_low_ns = (int64_t)ns(k->late.low) ?: -1};
    for (size_t i = 0; i < 4 && k->waits[i].line; i++) {
        p->trace.on = true;
        p->trace.covered = 1;
        add_cause(p, k, i);
        *PUSH(&p->waits) =
            (struct wait){.site = site_in_line(p, k->waits[i].line),
                          .operation = profile_add_operation(p, "MPI_Recv", FAMILY_RECV),
                          .state = k->waits[i].state,
                          .rank = k->waits[i].rank,
                          .calls = 1,
                          .wait_ns = ns(k->waits[i].wait)};
    }
    return p;
}

/* The finding of that KEY; NULL: there is none. */
const json_t *found(const struct document *d, const char *key)
{
    const json_t *list = document_finding_list(d), *f;
    size_t i;
    json_array_foreach(list, i, f)
        if (!strcmp(json_string_value(json_object_get(f, "key")), key))
            return f;
    return NULL;
}

/* What the finding of that KEY has there; "": nothing. */
const char *text_in(const struct document *d, const char *key, const char *member)
{
    const char *text = json_string_value(json_object_get(found(d, key), member));
    return text ? text : "";
}

struct document *findings_of(struct profile *p)
{
    struct document *d = document_new("test/1");
    struct view v;
    view_open(&v, p);
    findings_add(d, &v, NULL);
    view_close(&v);
    profile_free(p);
    return d;
}

double number_in(const struct document *d, const char *key, const char *member)
{
    return json_number_value(json_object_get(found(d, key), member));
}
