/* Figures of calls, of their durations, and of communicators. */
#include "report/figures_inner.h"

#include "base/format.h"
#include "profile/model.h"

#include <stdlib.h>

#define ENTRY const struct profile_entry *e = row

/* --- calls: rows are struct profile_entry --- */

static const char *region_of(const struct profile *p, uint32_t region)
{
    return region == PROFILE_NONE ? "" : p->regions.at[region].name;
}

TEXT(operation, profile_entry, "%s", p->operations.at[e->operation].name)
TEXT(operation_brief, profile_entry, "%s", text_without_mpi(p->operations.at[e->operation].name))
TEXT(site_brief, profile_entry, "%s", e->site == PROFILE_NONE ? "-" : v->label[e->site])
TEXT(region, profile_entry, "%s", region_of(p, e->region))

static void site(const struct view *v, const void *row, char *text, size_t room)
{
    site_path(v->p, ((const struct profile_entry *)row)->site, text, room);
}

static void communicator(const struct view *v, const void *row, char *text, size_t room)
{
    uint32_t comm = ((const struct profile_entry *)row)->comm;
    *text = '\0'; /* calls without one */
    if (comm != PROFILE_NONE)
        comm_label(v->p, comm, text, room);
}

/* The rank that spends most, and how many times the mean of all ranks that is. */
static void worst_brief(const struct view *v, const void *row, char *text, size_t room)
{
    const struct spread *s = &((const struct profile_entry *)row)->spread;
    *text = '\0';
    if (v->p->ranks.n > 1 && s->ranks && s->sum)
        snprintf(text, room, "%u x%.2f", s->worst, (double)s->max * v->ranks / (double)s->sum);
}

/* Mean time in the completing call, as one request sees it: not shared with others that the same
 * call completed. The time of the post is not recorded by itself; that of all calls stands for it.
 */
static double request_waited_ns(const struct profile_entry *e)
{
    double n = (double)e->completed;
    double timed = (double)entry_timed(e), post = timed > 0 ? (double)e->time_ns / timed : 0;
    double rest = ((double)e->span_ns - (double)e->window_ns) / n - post;
    return rest > (double)e->wait_ns / n ? rest : (double)e->wait_ns / n;
}

/* How far the work between post and completion covers a request, in a word. A request that was
 * found done costs nothing; one that fills most of its life with waiting hides nothing. */
static const char *overlap_of(const struct view *v, const struct profile_entry *e)
{
    if (!e->completed || v->spoiled)
        return "";
    double hidden = (double)e->hidden / (double)e->completed;
    double span = (double)e->span_ns / (double)e->completed;
    double waiting = span > 0 ? request_waited_ns(e) / span : 0;
    if (hidden >= 0.9 || waiting <= 0.05)
        return "hides";
    return waiting >= 0.5 ? "waits" : "partly";
}
TEXT(overlap, profile_entry, "%s", overlap_of(v, e))

GET(done, profile_entry, ratio(100 * (double)e->hidden, (double)e->completed))
static void done_brief(const struct view *v, const void *row, char *text, size_t room)
{
    double value = done(v, row);
    snprintf(text, room, isnan(value) ? "-" : "%.0f %%", value);
}

static void apart_brief(const struct view *v, const void *row, char *text, size_t room)
{
    ENTRY;
    (void)v;
    *text = '\0'; /* a column that is empty is not shown */
    if (e->apart && room >= 32)
        format_count(text, e->apart);
}

GET(size_from, profile_entry, e->size_class ? 1ull << (e->size_class - 1) : 0)
GET(calls, profile_entry, e->calls)
GET(apart, profile_entry, e->apart)
GET(apart_time, profile_entry, e->apart_ns)
GET(errors, profile_entry, e->errors)
GET(bytes, profile_entry, e->bytes)
/* Of calls that never returned, by an error that jumped out of them or since the rank was killed,
 * no time is known. */
GET(time_all, profile_entry, entry_timed(e) || !e->calls || e->apart ? (double)e->time_ns : NAN)
GET(time_per_rank, profile_entry, time_all(v, e) / v->ranks)
/* Of MPI_Init and its like, which are not in the time in MPI, it is no part. */
GET(share, profile_entry,
    v->p->operations.at[e->operation].family == FAMILY_LIFECYCLE ? (double)NAN
    : v->mpi_ns == 0                                             ? 0
                                                                 : 100 * time_all(v, e) / v->mpi_ns)
GET(mean, profile_entry, ratio((double)e->time_ns, (double)entry_timed(e)))
GET(median, profile_entry, entry_timed(e) ? entry_quantile(e, 0.5) : NAN)
GET(p99, profile_entry, entry_timed(e) ? entry_quantile(e, 0.99) : NAN)
GET(least, profile_entry, entry_timed(e) ? (double)e->min_ns : NAN)
GET(most, profile_entry, entry_timed(e) ? (double)e->max_ns : NAN)
GET(ranks, profile_entry, e->spread.ranks)
GET(rank_min, profile_entry, e->spread.min)
GET(rank_max, profile_entry, e->spread.max)
GET(worst_rank, profile_entry, e->spread.ranks ? (double)e->spread.worst : NAN)
GET(requests, profile_entry, entry_requests(e))
GET(size, profile_entry, ratio((double)e->completed_bytes, (double)entry_requests(e)))
GET(open_for, profile_entry, ratio((double)e->span_ns, (double)e->completed))
GET(until_wait, profile_entry, ratio((double)e->window_ns, (double)e->completed))
GET(in_wait, profile_entry, e->completed ? request_waited_ns(e) : NAN)
GET(wait, profile_entry, e->wait_ns)
GET(wait_per_rank, profile_entry, (double)e->wait_ns / v->ranks)
GET(done_before, profile_entry, e->hidden)

static const struct figure list_of_calls[] = {
    {"operation", "operation", UNIT_TEXT, "the MPI function", .text = operation,
     .brief = operation_brief},
    {"call_site", "call site", UNIT_TEXT,
     "where it is called: file, line and function; callers where these tell rows apart",
     .text = site, .brief = site_brief, .in = IN_PLACES},
    {"communicator", NULL, UNIT_TEXT, "on which communicator", .text = communicator,
     .in = IN_ENTRIES},
    {"region", NULL, UNIT_TEXT, "inside which region of the application", .text = region,
     .in = IN_ENTRIES},
    {"size_from", NULL, UNIT_BYTES, "size of its messages, up to below twice that",
     .get = size_from, .in = IN_ENTRIES},
    {"calls", "calls", UNIT_COUNT, "how many calls, of all ranks", .get = calls},
    {"apart", "apart", UNIT_COUNT,
     "calls during or right after what collprof injected: in no time but that", .get = apart,
     .brief = apart_brief},
    {"apart_time", NULL, UNIT_TIME, "time in these, all ranks together", .get = apart_time},
    {"errors", NULL, UNIT_COUNT, "calls that returned an error", .get = errors},
    {"bytes", "bytes", UNIT_BYTES, "data that the calls name, of all ranks", .get = bytes},
    {"time", NULL, UNIT_TIME, "time in these calls, all ranks together", .get = time_all},
    {"time_per_rank", "time/rank", UNIT_TIME, "time in these calls, mean of all ranks of the run",
     .get = time_per_rank},
    {"share", "% MPI", UNIT_SHARE, "part of all time in MPI", .get = share},
    {"mean", "mean", UNIT_TIME, "time of a call", .get = mean},
    {"median", "median", UNIT_TIME, "half of the calls were shorter (within 6 %)", .get = median},
    {"p99", "p99", UNIT_TIME, "99 of 100 calls were shorter (within 6 %)", .get = p99},
    {"min", NULL, UNIT_TIME, "the shortest call", .get = least},
    {"max", "max", UNIT_TIME, "the longest call", .get = most},
    {"ranks", NULL, UNIT_COUNT, "ranks that made such calls", .get = ranks},
    {"rank_min", NULL, UNIT_TIME, "time of the rank that spent least in them", .get = rank_min},
    {"rank_max", NULL, UNIT_TIME, "time of the rank that spent most in them", .get = rank_max},
    {"worst_rank", "worst", UNIT_RANK,
     "the rank that spent most; on the page also how many times the mean that is",
     .get = worst_rank, .brief = worst_brief},
    {"requests", "requests", UNIT_COUNT, "requests posted here and seen complete", .get = requests,
     .in = IN_PLACES},
    {"size", "size", UNIT_BYTES, "mean size of these requests' messages", .get = size,
     .in = IN_PLACES},
    {"open", "open", UNIT_TIME, "from post to completion of a request, mean", .get = open_for,
     .in = IN_PLACES},
    {"until_wait", "until wait", UNIT_TIME,
     "from the post of a request to the call that completed it, mean", .get = until_wait,
     .in = IN_PLACES},
    {"in_wait", "in wait", UNIT_TIME, "in the call that completed a request, mean", .get = in_wait,
     .in = IN_PLACES},
    {"done_before", NULL, UNIT_COUNT, "requests found complete when asked for", .get = done_before,
     .in = IN_PLACES},
    {"done", "done", UNIT_SHARE, "part of the requests found complete when asked for", .get = done,
     .brief = done_brief, .in = IN_PLACES},
    {"wait", NULL, UNIT_TIME,
     "time in the completing calls, all ranks; a call that completes several shared out evenly",
     .get = wait, .in = IN_PLACES},
    {"wait_per_rank", "cost/rank", UNIT_TIME,
     "time in the completing calls, mean of all ranks; a call that completes several shared out "
     "evenly",
     .get = wait_per_rank, .in = IN_PLACES},
    {"overlap", "overlap", UNIT_TEXT,
     "hides: 90 % or more done when asked for, or waiting is 5 % of their life or less; waits: "
     "waiting is half of it or more; partly: between these",
     .text = overlap, .in = IN_PLACES},
};
FIGURES(calls);

void list_operations(struct listed *rows, const struct profile *p)
{
    rows->owner = rows_of(p, ROWS_BY_OPERATION);
    *rows = (struct listed){(char *)rows->owner->entries.at, rows->owner->entries.n,
                            sizeof *rows->owner->entries.at, rows->owner, NULL};
}

void list_sites(struct listed *rows, const struct profile *p)
{
    rows->owner = rows_of(p, ROWS_BY_SITE);
    *rows = (struct listed){(char *)rows->owner->entries.at, rows->owner->entries.n,
                            sizeof *rows->owner->entries.at, rows->owner, NULL};
}

LIST(list_entries, entries)

/* --- histograms: a row per bucket in use --- */

struct bucket {
    struct profile_entry e;
    uint64_t from, below, calls;
};
GET(bucket_from, bucket, e->from)
GET(bucket_below, bucket, e->below)
GET(bucket_calls, bucket, e->calls)

static const struct figure list_of_histogram[] = {
    {"operation", NULL, UNIT_TEXT, "the MPI function", .text = operation},
    {"call_site", NULL, UNIT_TEXT, "where it is called", .text = site},
    {"communicator", NULL, UNIT_TEXT, "on which communicator", .text = communicator},
    {"region", NULL, UNIT_TEXT, "inside which region", .text = region},
    {"size_from", NULL, UNIT_BYTES, "size of its messages, up to below twice that",
     .get = size_from},
    {"from", NULL, UNIT_TIME, "calls of at least this duration", .get = bucket_from},
    {"below", NULL, UNIT_TIME, "and less than this", .get = bucket_below},
    {"calls", NULL, UNIT_COUNT, "how many, of all ranks", .get = bucket_calls},
};
FIGURES(histogram);

void list_buckets(struct listed *rows, const struct profile *p)
{
    ARRAY(struct bucket) buckets = {0};
    for (size_t i = 0; i < p->entries.n; i++) {
        const struct profile_entry *e = &p->entries.at[i];
        for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++)
            if (e->histogram[b])
                *PUSH(&buckets) = (struct bucket){*e, histogram_floor(b), histogram_floor(b + 1),
                                                  e->histogram[b]};
    }
    *rows = (struct listed){(char *)buckets.at, buckets.n, sizeof *buckets.at, NULL, buckets.at};
}

/* --- communicators: of the same name and size, together --- */

struct kind_of_comm {
    struct profile_entry e;
    uint64_t groups, made;
};
static void comm_name(const struct view *v, const void *row, char *text, size_t room)
{
    const char *name = v->p->comms.at[((const struct kind_of_comm *)row)->e.comm].name;
    snprintf(text, room, "%s", *name ? name : "(no name)");
}

static uint32_t comm_site(const struct view *v, const void *row)
{
    return v->p->comms.at[((const struct kind_of_comm *)row)->e.comm].site;
}

static void comm_made_at(const struct view *v, const void *row, char *text, size_t room)
{
    *text = '\0'; /* by MPI itself, or where no wrapper was */
    if (comm_site(v, row) != PROFILE_NONE)
        site_path(v->p, comm_site(v, row), text, room);
}

static void comm_made_at_brief(const struct view *v, const void *row, char *text, size_t room)
{
    uint32_t site = comm_site(v, row);
    snprintf(text, room, "%s", site == PROFILE_NONE ? "" : v->label[site]);
}
GET(comm_size, kind_of_comm, v->p->comms.at[e->e.comm].size)
GET(comm_groups, kind_of_comm, e->groups)
GET(comm_made, kind_of_comm, e->made)

static const struct figure list_of_comm[] = {
    {"communicator", "communicator", UNIT_TEXT,
     "its name; of those without one made at one place, or alike in name, size and place, a row is "
     "of all",
     .text = comm_name, .brief = comm_name},
    {"members", "members", UNIT_COUNT, "ranks in it", .get = comm_size},
    {"groups", "groups", UNIT_COUNT, "communicators of that name and size with different members",
     .get = comm_groups},
    {"made", "made", UNIT_COUNT, "how often such a one was made", .get = comm_made},
    {"calls", "calls", UNIT_COUNT, "calls on them, of all ranks", .get = calls},
    {"bytes", "bytes", UNIT_BYTES, "data that these name, of all ranks", .get = bytes},
    {"time", NULL, UNIT_TIME, "time in these calls, all ranks together", .get = time_all},
    {"time_per_rank", "time/rank", UNIT_TIME, "time in these calls, mean of all ranks of the run",
     .get = time_per_rank},
    {"share", "% MPI", UNIT_SHARE, "part of all time in MPI", .get = share},
    {"made_at", "made at", UNIT_TEXT,
     "the call that made it; empty: MPI itself, or it was first seen in use", .text = comm_made_at,
     .brief = comm_made_at_brief},
};
FIGURES(comm);

void list_comms(struct listed *rows, const struct profile *p)
{
    struct profile *by_comm = rows_of(p, ROWS_BY_COMM), *sums = profile_new();
    uint32_t *kind = comm_kinds(p, true);
    for (size_t i = 0; i < by_comm->entries.n; i++) {
        struct profile_entry *e = &by_comm->entries.at[i];
        if (e->comm == PROFILE_NONE)
            continue;
        e->operation = 0;
        e->comm = kind[e->comm];
        profile_add_entry(sums, e);
    }
    struct kind_of_comm *row = memory_alloc((sums->entries.n + 1) * sizeof *row);
    for (size_t k = 0; k < sums->entries.n; k++) {
        row[k].e = sums->entries.at[k];
        for (uint32_t i = 0; i < p->comms.n; i++) {
            const struct profile_comm *c = &p->comms.at[i];
            uint32_t first = 0;
            if (kind[i] != row[k].e.comm)
                continue;
            while (kind[first] != kind[i] || p->comms.at[first].id != c->id)
                first++;
            row[k].groups += first == i;
            row[k].made += c->created;
        }
    }
    *rows = (struct listed){(char *)row, sums->entries.n, sizeof *row, sums, row};
    profile_free(by_comm);
    free(kind);
}
