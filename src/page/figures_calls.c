/* Figures of calls, of their durations, and of communicators. */
#include "page/figures_inner.h"

#include "base/format.h"

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

/* How much of the transfer was hidden: 0 all of it, 1 nothing (Denis and Trahay's ratio). */
static double hidden_ratio(const struct view *v, const void *row)
{
    ENTRY;
    double n = (double)e->completed;
    if (!v->base || !v->base->n || !e->completed || !e->completed_bytes)
        return NAN;
    return base_round_ratio(v->base, (double)e->window_ns / n / 1e9, request_waited_ns(e) / 1e9,
                            (double)e->completed_bytes / (double)entry_requests(e));
}

static void ratio_brief(const struct view *v, const void *row, char *text, size_t room)
{
    double value = hidden_ratio(v, row);
    if (isnan(value))
        snprintf(text, room, "%s", v->base && v->base->n ? "-" : "");
    else
        snprintf(text, room, value > 99 ? ">99" : "%.2f", value);
}

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
    {"operation", "operation", UNIT_TEXT, NULL, "the MPI function", operation, operation_brief, 0},
    {"call_site", "call site", UNIT_TEXT, NULL,
     "where it is called: file, line and function; callers where these tell rows apart", site,
     site_brief, IN_PLACES},
    {"communicator", NULL, UNIT_TEXT, NULL, "on which communicator", communicator, NULL,
     IN_ENTRIES},
    {"region", NULL, UNIT_TEXT, NULL, "inside which region of the application", region, NULL,
     IN_ENTRIES},
    {"size_from", NULL, UNIT_BYTES, size_from, "size of its messages, up to below twice that", NULL,
     NULL, IN_ENTRIES},
    {"calls", "calls", UNIT_COUNT, calls, "how many calls, of all ranks", NULL, NULL, 0},
    {"apart", "apart", UNIT_COUNT, apart,
     "calls during or right after what collprof injected: in no time but that", NULL, apart_brief,
     0},
    {"apart_time", NULL, UNIT_TIME, apart_time, "time in these, all ranks together", NULL, NULL, 0},
    {"errors", NULL, UNIT_COUNT, errors, "calls that returned an error", NULL, NULL, 0},
    {"bytes", "bytes", UNIT_BYTES, bytes, "data that the calls name, of all ranks", NULL, NULL, 0},
    {"time", NULL, UNIT_TIME, time_all, "time in these calls, all ranks together", NULL, NULL, 0},
    {"time_per_rank", "time/rank", UNIT_TIME, time_per_rank,
     "time in these calls, mean of all ranks of the run", NULL, NULL, 0},
    {"share", "% MPI", UNIT_SHARE, share, "part of all time in MPI", NULL, NULL, 0},
    {"mean", "mean", UNIT_TIME, mean, "time of a call", NULL, NULL, 0},
    {"median", "median", UNIT_TIME, median, "half of the calls were shorter (within 6 %)", NULL,
     NULL, 0},
    {"p99", "p99", UNIT_TIME, p99, "99 of 100 calls were shorter (within 6 %)", NULL, NULL, 0},
    {"min", NULL, UNIT_TIME, least, "the shortest call", NULL, NULL, 0},
    {"max", "max", UNIT_TIME, most, "the longest call", NULL, NULL, 0},
    {"ranks", NULL, UNIT_COUNT, ranks, "ranks that made such calls", NULL, NULL, 0},
    {"rank_min", NULL, UNIT_TIME, rank_min, "time of the rank that spent least in them", NULL, NULL,
     0},
    {"rank_max", NULL, UNIT_TIME, rank_max, "time of the rank that spent most in them", NULL, NULL,
     0},
    {"worst_rank", "worst", UNIT_RANK, worst_rank,
     "the rank that spent most; on the page also how many times the mean that is", NULL,
     worst_brief, 0},
    {"requests", "requests", UNIT_COUNT, requests, "requests posted here and seen complete", NULL,
     NULL, IN_PLACES},
    {"size", "size", UNIT_BYTES, size, "mean size of these requests' messages", NULL, NULL,
     IN_PLACES},
    {"open", "open", UNIT_TIME, open_for, "from post to completion of a request, mean", NULL, NULL,
     IN_PLACES},
    {"until_wait", "until wait", UNIT_TIME, until_wait,
     "from the post of a request to the call that completed it, mean", NULL, NULL, IN_PLACES},
    {"in_wait", "in wait", UNIT_TIME, in_wait, "in the call that completed a request, mean", NULL,
     NULL, IN_PLACES},
    {"done_before", NULL, UNIT_COUNT, done_before, "requests found complete when asked for", NULL,
     NULL, IN_PLACES},
    {"done", "done", UNIT_SHARE, done, "part of the requests found complete when asked for", NULL,
     done_brief, IN_PLACES},
    {"wait", NULL, UNIT_TIME, wait,
     "time in the completing calls, all ranks; a call that completes several shared out evenly",
     NULL, NULL, IN_PLACES},
    {"wait_per_rank", "cost/rank", UNIT_TIME, wait_per_rank,
     "time in the completing calls, mean of all ranks; a call that completes several shared out "
     "evenly",
     NULL, NULL, IN_PLACES},
    {"hidden_ratio", "ratio", UNIT_NUMBER, hidden_ratio,
     "0 where the transfer was hidden, 1 where nothing of it was; with --base-round", NULL,
     ratio_brief, IN_PLACES},
    {"overlap", "overlap", UNIT_TEXT, NULL,
     "hides: 90 % or more done when asked for, or waiting is 5 % of their life or less; waits: "
     "waiting is half of it or more; partly: between these",
     overlap, NULL, IN_PLACES},
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
    {"operation", NULL, UNIT_TEXT, NULL, "the MPI function", operation, NULL, 0},
    {"call_site", NULL, UNIT_TEXT, NULL, "where it is called", site, NULL, 0},
    {"communicator", NULL, UNIT_TEXT, NULL, "on which communicator", communicator, NULL, 0},
    {"region", NULL, UNIT_TEXT, NULL, "inside which region", region, NULL, 0},
    {"size_from", NULL, UNIT_BYTES, size_from, "size of its messages, up to below twice that", NULL,
     NULL, 0},
    {"from", NULL, UNIT_TIME, bucket_from, "calls of at least this duration", NULL, NULL, 0},
    {"below", NULL, UNIT_TIME, bucket_below, "and less than this", NULL, NULL, 0},
    {"calls", NULL, UNIT_COUNT, bucket_calls, "how many, of all ranks", NULL, NULL, 0},
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
    {"communicator", "communicator", UNIT_TEXT, NULL,
     "its name; of those without one made at one place, or alike in name, size and place, a row is "
     "of all",
     comm_name, comm_name, 0},
    {"members", "members", UNIT_COUNT, comm_size, "ranks in it", NULL, NULL, 0},
    {"groups", "groups", UNIT_COUNT, comm_groups,
     "communicators of that name and size with different members", NULL, NULL, 0},
    {"made", "made", UNIT_COUNT, comm_made, "how often such a one was made", NULL, NULL, 0},
    {"calls", "calls", UNIT_COUNT, calls, "calls on them, of all ranks", NULL, NULL, 0},
    {"bytes", "bytes", UNIT_BYTES, bytes, "data that these name, of all ranks", NULL, NULL, 0},
    {"time", NULL, UNIT_TIME, time_all, "time in these calls, all ranks together", NULL, NULL, 0},
    {"time_per_rank", "time/rank", UNIT_TIME, time_per_rank,
     "time in these calls, mean of all ranks of the run", NULL, NULL, 0},
    {"share", "% MPI", UNIT_SHARE, share, "part of all time in MPI", NULL, NULL, 0},
    {"made_at", "made at", UNIT_TEXT, NULL,
     "the call that made it; empty: MPI itself, or it was first seen in use", comm_made_at,
     comm_made_at_brief, 0},
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
    struct kind_of_comm *row = profile_alloc((sums->entries.n + 1) * sizeof *row);
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
