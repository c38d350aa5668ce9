/* Figures of calls, of requests, of durations, and of communicators. */
#include "report/figures_parts.h"

/* --- calls: rows are struct profile_entry --- */

CALL(call, profile_entry)
TEXT(region, profile_entry, "%s", e->region == PROFILE_NONE ? "" : p->regions.at[e->region].name)

static void communicator(const struct view *v, const void *row, char *text, size_t room)
{
    uint32_t comm = ((const struct profile_entry *)row)->comm;
    *text = '\0'; /* calls without one */
    if (comm != PROFILE_NONE)
        comm_label(v->p, comm, text, room);
}

/* Mean time in the completing call, as one request sees it: not shared with others that the same
 * call completed. The time of the post is not recorded by itself; that of all calls stands for it.
 */
static double request_waited_ns(const struct profile_entry *e)
{
    double n = (double)e->completed;
    double timed = (double)entry_timed(e), post = timed > 0 ? (double)e->time_ns / timed : 0;
    double rest = ((double)e->span_ns - (double)e->window_ns) / n - post;
    return fmax(rest, (double)e->wait_ns / n);
}

/* How far the work between post and completion covers a request. A request that was found complete
 * costs nothing; one that fills most of its life with waiting is not overlapped. */
static const char *overlap_of(const struct view *v, const struct profile_entry *e)
{
    if (!e->completed || v->noise.level == NOISE_SPOILED)
        return "";
    double complete = (double)e->hidden / (double)e->completed;
    double span = (double)e->span_ns / (double)e->completed;
    double waiting = span > 0 ? request_waited_ns(e) / span : 0;
    if (complete >= 0.9 || waiting <= 0.05)
        return "yes";
    return waiting >= 0.5 ? "no" : "partly";
}
TEXT(overlap, profile_entry, "%s", overlap_of(v, e))

GET(complete, profile_entry, ratio(100 * (double)e->hidden, (double)e->completed))
GET(size_from, profile_entry, e->size_class ? 1ull << (e->size_class - 1) : 0)
GET(calls, profile_entry, e->calls)
GET(apart, profile_entry, e->apart ? (double)e->apart : NAN)
GET(errors, profile_entry, e->errors)
GET(bytes, profile_entry, e->bytes)
/* Of calls that never returned, by an error that jumped out of them or since the rank was killed,
 * no time is known. */
GET(time_all, profile_entry, entry_timed(e) || !e->calls || e->apart ? (double)e->time_ns : NAN)
GET(time_per_rank, profile_entry, time_all(v, e) / v->ranks)
/* Of MPI_Init and its like, which are not in the time in MPI, it is no part. */
GET(share, profile_entry,
    v->p->operations.at[e->operation].family == FAMILY_LIFECYCLE
        ? (double)NAN
        : ratio(100 * time_all(v, e), v->mpi_ns))
GET(mean, profile_entry, ratio((double)e->time_ns, (double)entry_timed(e)))
GET(median, profile_entry, entry_timed(e) ? entry_quantile(e, 0.5) : NAN)
GET(p99, profile_entry, entry_timed(e) ? entry_quantile(e, 0.99) : NAN)
GET(least, profile_entry, entry_timed(e) ? (double)e->min_ns : NAN)
GET(most, profile_entry, entry_timed(e) ? (double)e->max_ns : NAN)
GET(ranks, profile_entry, e->spread.ranks)
GET(rank_min, profile_entry, e->spread.min)
GET(rank_max, profile_entry, e->spread.max)
GET(worst_rank, profile_entry, e->spread.ranks ? (double)e->spread.worst : NAN)
GET(worst_times, profile_entry, ratio((double)e->spread.max * v->ranks, (double)e->spread.sum))
GET(requests, profile_entry, entry_requests(e))
GET(size, profile_entry, ratio((double)e->completed_bytes, (double)entry_requests(e)))
GET(open_for, profile_entry, ratio((double)e->span_ns, (double)e->completed))
GET(until_wait, profile_entry, ratio((double)e->window_ns, (double)e->completed))
GET(in_wait, profile_entry, e->completed ? request_waited_ns(e) : NAN)
GET(wait, profile_entry, e->wait_ns)
GET(wait_per_rank, profile_entry, (double)e->wait_ns / v->ranks)
GET(complete_before, profile_entry, e->hidden)

#define OF(listings, ...)                                                                          \
    {                                                                                              \
        __VA_ARGS__, .in = (listings)                                                              \
    }
#define N(name, kind, flags, head, meaning, of)                                                    \
    {name, NULL, COLUMN_##kind, 2, meaning, head, flags}, of

static const struct figure list_of_calls[] = {
    OPERATION(call),
    PATH(call, IN_SITES | IN_REQUESTS | IN_ENTRIES),
    OF(IN_CALLS, N("calls", COUNT, 0, "calls", "how many calls, of all ranks", calls)),
    OF(IN_CALLS, N("apart", COUNT, COLUMN_OPTIONAL, "excluded",
                   "calls during or right after what collprof injected: in no time", apart)),
    OF(IN_CALLS,
       N("errors", COUNT, COLUMN_DATA_ONLY, NULL, "calls that returned an error", errors)),
    OF(IN_CALLS, N("bytes", BYTES, COLUMN_OPTIONAL, "bytes",
                   "data that the calls name, of all ranks", bytes)),
    OF(IN_CALLS, N("time", TIME, COLUMN_DATA_ONLY, NULL, "time in these calls, all ranks together",
                   time_all)),
    OF(IN_CALLS, N("time_per_rank", TIME, 0, "time/rank",
                   "time in these calls, mean of all ranks of the run", time_per_rank)),
    OF(IN_CALLS, N("share", SHARE, 0, "of MPI", "share of all time in MPI", share)),
    OF(IN_CALLS, N("mean", TIME, COLUMN_OPTIONAL, "mean", "time of a call", mean)),
    OF(IN_CALLS, N("median", TIME, COLUMN_OPTIONAL, "median",
                   "half of the calls were shorter (within 6 %)", median)),
    OF(IN_CALLS,
       N("p99", TIME, COLUMN_OPTIONAL, "p99", "99 of 100 calls were shorter (within 6 %)", p99)),
    OF(IN_CALLS, N("min", TIME, COLUMN_DATA_ONLY, NULL, "the shortest call", least)),
    OF(IN_CALLS, N("max", TIME, COLUMN_OPTIONAL, "max", "the longest call", most)),
    OF(IN_CALLS, N("ranks", COUNT, COLUMN_DATA_ONLY, NULL, "ranks that made such calls", ranks)),
    OF(IN_CALLS, N("rank_min", TIME, COLUMN_DATA_ONLY, NULL,
                   "time of the rank that spent least in them", rank_min)),
    OF(IN_CALLS, N("rank_max", TIME, COLUMN_DATA_ONLY, NULL,
                   "time of the rank that spent most in them", rank_max)),
    OF(IN_CALLS,
       N("worst_rank", RANK, COLUMN_OPTIONAL, "slowest", "the rank that spent most", worst_rank)),
    OF(IN_CALLS, N("worst_times", REAL, COLUMN_OPTIONAL, "x mean",
                   "time of that rank, as a multiple of the mean of all", worst_times)),
    OF(IN_REQUESTS,
       N("requests", COUNT, 0, "requests", "requests posted here and seen complete", requests)),
    OF(IN_REQUESTS,
       N("size", BYTES, COLUMN_OPTIONAL, "size", "mean size of these requests' messages", size)),
    OF(IN_REQUESTS, N("open", TIME, COLUMN_OPTIONAL, "open",
                      "from post to completion of a request, mean", open_for)),
    OF(IN_REQUESTS,
       N("until_wait", TIME, COLUMN_OPTIONAL, "compute",
         "from the post of a request to the call that completed it, mean", until_wait)),
    OF(IN_REQUESTS, N("in_wait", TIME, COLUMN_OPTIONAL, "in wait",
                      "in the call that completed a request, mean", in_wait)),
    OF(IN_REQUESTS, N("complete_before", COUNT, COLUMN_DATA_ONLY, NULL,
                      "requests found complete when asked for", complete_before)),
    OF(IN_REQUESTS, N("complete", SHARE, 0, "complete",
                      "share of the requests found complete when asked for", complete)),
    OF(IN_REQUESTS, N("wait", TIME, COLUMN_DATA_ONLY, NULL,
                      "time in the completing calls, all ranks; a call that completes several is "
                      "shared out evenly",
                      wait)),
    OF(IN_REQUESTS,
       N("wait_per_rank", TIME, 0, "wait/rank", "the same, mean of all ranks", wait_per_rank)),
    {{"overlap", NULL, COLUMN_TEXT, 0,
      "yes: 90 % or more complete when asked for, or waiting is 5 % of their life or less; no: "
      "waiting is half of it or more; partly: between these",
      NULL, 0},
     NULL,
     overlap,
     IN_REQUESTS},
    SITE(call, IN_SITES | IN_REQUESTS | IN_ENTRIES),
    {{"communicator", NULL, COLUMN_TEXT, 0, "on which communicator", NULL, 0},
     NULL,
     communicator,
     IN_ENTRIES},
    {{"region", NULL, COLUMN_TEXT, 0, "inside which region of the application", NULL, 0},
     NULL,
     region,
     IN_ENTRIES},
    OF(IN_ENTRIES,
       N("size_from", BYTES, 0, NULL, "size of its messages, up to below twice that", size_from)),
};
FIGURES(calls);

static void list_rows(struct listed *rows, const struct profile *p, enum rows_by by)
{
    *rows = (struct listed){.rows = rows_of(p, by), .size = sizeof(struct profile_entry)};
    rows->at = (char *)rows->rows.at;
    rows->n = rows->rows.n;
}

void list_operations(struct listed *rows, const struct profile *p)
{
    list_rows(rows, p, ROWS_BY_OPERATION);
}

void list_sites(struct listed *rows, const struct profile *p)
{
    list_rows(rows, p, ROWS_BY_SITE);
}

void list_requests(struct listed *rows, const struct profile *p)
{
    list_rows(rows, p, ROWS_BY_SITE);
    struct profile_entry *of = memory_alloc((rows->n + 1) * sizeof *of);
    size_t n = 0;
    for (size_t i = 0; i < rows->n; i++)
        if (entry_requests(&rows->rows.at[i]))
            of[n++] = rows->rows.at[i];
    rows->at = rows->memory = of;
    rows->n = n;
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
    OPERATION(call),
    PATH(call, 0),
    SITE(call, 0),
    {{"communicator", NULL, COLUMN_TEXT, 0, "on which communicator", NULL, 0}, NULL, communicator},
    {{"region", NULL, COLUMN_TEXT, 0, "inside which region", NULL, 0}, NULL, region},
    NUMBER("size_from", BYTES, NULL, "size of its messages, up to below twice that", size_from),
    NUMBER("from", TIME, NULL, "calls of at least this duration", bucket_from),
    NUMBER("below", TIME, NULL, "and less than this", bucket_below),
    NUMBER("calls", COUNT, NULL, "how many, of all ranks", bucket_calls),
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
    *rows = (struct listed){
        .at = (char *)buckets.at, .n = buckets.n, .size = sizeof *buckets.at, .memory = buckets.at};
}

/* --- communicators: of the same name, size and call site, together --- */

TEXT(comm_name, profile_entry, "%s",
     *p->comms.at[e->comm].name ? p->comms.at[e->comm].name : "(no name)")
TEXT(comm_made_at, profile_entry, "%s",
     p->comms.at[e->comm].site == PROFILE_NONE ? "" : v->label[p->comms.at[e->comm].site])
GET(comm_size, profile_entry, v->p->comms.at[e->comm].size)

static double comm_made(const struct view *v, const void *row)
{
    uint32_t *kind = comm_kinds(v->p, true);
    double made = 0;
    for (size_t i = 0; i < v->p->comms.n; i++)
        if (kind[i] == ((const struct profile_entry *)row)->comm)
            made += (double)v->p->comms.at[i].created;
    free(kind);
    return made;
}

static const struct figure list_of_comm[] = {
    {{"communicator", NULL, COLUMN_TEXT, 0,
      "its name; those without one, or alike in name, size and call site, are one row", NULL,
      COLUMN_SHORTEN},
     NULL,
     comm_name},
    NUMBER("members", COUNT, "ranks", "ranks in it", comm_size),
    NUMBER("made", COUNT, "created", "how often such a one was created", comm_made),
    NUMBER("calls", COUNT, "calls", "calls on them, of all ranks", calls),
    OPTIONAL("bytes", BYTES, "bytes", "data that these name, of all ranks", bytes),
    DATA("time", TIME, "time in these calls, all ranks together", time_all),
    NUMBER("time_per_rank", TIME, "time/rank", "time in these calls, mean of all ranks of the run",
           time_per_rank),
    NUMBER("share", SHARE, "of MPI", "share of all time in MPI", share),
    {{"made_at", NULL, COLUMN_TEXT, 0,
      "the call that created it; empty: MPI itself, or it was first seen in use", "created at",
      COLUMN_SHORTEN},
     NULL,
     comm_made_at},
};
FIGURES(comm);

void list_comms(struct listed *rows, const struct profile *p)
{
    list_rows(rows, p, ROWS_BY_COMM);
}
