#include "export/pictures.h"

#include "base/array.h"
#include "base/text.h"
#include "export/timeline.h"
#include "profile/noise.h"
#include "report/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void picture_caption(struct document *d, const struct profile *p)
{
    bool doubtful = noise_of(p).level == NOISE_SPOILED;
    char when[64], of[24] = "";
    if ((int64_t)p->ranks.n < p->size)
        snprintf(of, sizeof of, " of %d", p->size);
    for (uint32_t i = 0; i < p->hosts.n; i++)
        doubtful = doubtful || noise_crowded(p, i);
    profile_started(p, ", %Y-%m-%d %H:%M", when);
    document_caption(d, "%.60s on %zu%s rank%s%s, %.60s%s",
                     p->programs.n ? text_base_of(p->programs.at[0]) : "an application", p->ranks.n,
                     of, !*of && p->ranks.n == 1 ? "" : "s", when,
                     p->libraries.n ? p->libraries.at[0] : "unknown MPI",
                     doubtful ? "; CPU contention: timings are not meaningful" : "");
}

/* "MPI_Bcast heat.c:12 exchange" */
static void call_label(const struct profile *p, uint32_t operation, const char *site, char *text,
                       size_t room)
{
    snprintf(text, room, "%s %s", p->operations.at[operation].name, site);
}

/* --- durations: in ascending order, so that the flat parts are what most calls take --- */

static const struct column duration_columns[] = {
    {"call", NULL, COLUMN_TEXT, 0, "operation and call site"},
    {"calls", NULL, COLUMN_SHARE, 0, "share of its calls that take at most this long"},
    {"duration", NULL, COLUMN_TIME, 0, NULL},
};

static bool add_durations(struct document *d, const struct profile *p,
                          const struct picture_view *view)
{
    struct rows rows = rows_of(p, ROWS_BY_SITE);
    struct table *t = NULL;
    char **site = site_labels(p);
    for (size_t i = 0, drawn = 0; i < rows.n && drawn < view->top; i++) {
        const struct profile_entry *e = &rows.at[i];
        char label[600];
        if (e->calls < 2)
            continue;
        call_label(p, e->operation, e->site == PROFILE_NONE ? "-" : site[e->site], label,
                   sizeof label);
        if (!drawn++)
            t = document_table_of(d, "durations", "Durations in ascending order", duration_columns);
        for (int percent = 0; percent <= 100; percent += percent < 96 ? 4 : 1) {
            double ns = entry_quantile(e, percent / 100.0);
            table_text(t, label);
            table_real(t, percent);
            table_real(t, ns > 0 ? ns / 1e9 : (double)NAN);
        }
    }
    rows_free(&rows);
    site_labels_free(p, site);
    if (t)
        document_picture(d, &(struct picture){.kind = PICTURE_LINES,
                                              .name = "durations",
                                              .title = "Durations of the costliest calls, in "
                                                       "ascending order",
                                              .table = "durations",
                                              .x = "calls",
                                              .y = "duration",
                                              .series = "call",
                                              .y_log = true});
    return t != NULL;
}

/* --- ranks --- */

static const struct column rank_columns[] = {
    {"rank", NULL, COLUMN_RANK, 0, NULL},
    {"part", NULL, COLUMN_TEXT, 0, "of its run"},
    {"time", NULL, COLUMN_TIME, 0, NULL},
};

static void rank_part(struct table *t, int32_t rank, const char *part, double ns)
{
    table_integer(t, rank);
    table_text(t, part);
    table_real(t, fmax(0, ns) / 1e9);
}

/* Parts that together are its wall time; of a rank that was cut off in a call that is unknown. */
static void rank_parts(struct table *t, const struct profile_rank *r)
{
    bool known = r->collective_ns >= 0 && r->message_ns >= 0, late = known && r->late_wait_ns >= 0;
    double mpi = (double)r->mpi_ns, collective = (double)r->collective_ns,
           message = (double)r->message_ns, wait = late ? (double)r->late_wait_ns : 0;
    if (r->in_call)
        return;
    rank_part(t, r->rank, "outside of MPI", 1e9 * r->wall - mpi - (double)r->lifecycle_ns);
    rank_part(t, r->rank, "messages", known ? message : 0);
    rank_part(t, r->rank, "waiting for late ranks", wait);
    rank_part(t, r->rank, "collectives", known ? collective - wait : 0);
    rank_part(t, r->rank, "other MPI calls", known ? mpi - collective - message : mpi);
    rank_part(t, r->rank, "start and end of MPI", (double)r->lifecycle_ns);
}

static bool add_ranks(struct document *d, const struct profile *p, const struct picture_view *view)
{
    static const char *const order[] = {"messages",
                                        "waiting for late ranks",
                                        "collectives",
                                        "other MPI calls",
                                        "start and end of MPI",
                                        "outside of MPI",
                                        NULL};
    (void)view;
    if (p->ranks.n < 2)
        return false;
    struct table *t = document_table_of(d, "rank_parts", "Time of each rank", rank_columns);
    for (size_t i = 0; i < p->ranks.n; i++)
        rank_parts(t, &p->ranks.at[i]);
    document_picture(d, &(struct picture){.kind = PICTURE_BARS,
                                          .name = "ranks",
                                          .title = "Where the ranks spent their time",
                                          .table = "rank_parts",
                                          .x = "rank",
                                          .y = "time",
                                          .series = "part",
                                          .order = order});
    return true;
}

/* --- arrivals --- */

static const struct column arrival_columns[] = {
    {"call", NULL, COLUMN_TEXT, 0, "operation, call site and communicator"},
    {"at", "s", COLUMN_REAL, 6, "entry of the first rank, since the first recorded collective"},
    {"spread", NULL, COLUMN_TIME, 0, "last entry minus first entry"},
};

struct arrival_point {
    double at_s, spread_s;
};

static int by_time(const void *a, const void *b)
{
    const struct arrival_point *x = a, *y = b;
    return ORDER(x->at_s, y->at_s);
}

/* Each recorded instance of PLACE at its time: those of its communicators become one line. */
static void arrival_points(const struct profile *p, const struct profile_arrival *place,
                           const uint32_t *kind, const char *label, struct table *t)
{
    ARRAY(struct arrival_point) points = {0};
    int64_t origin = events_origin(p);
    for (size_t i = 0, end; i < p->events.n; i = end) {
        const struct profile_event *e = &p->events.at[i];
        int64_t first = e->entry_ns, last = e->entry_ns;
        end = events_next(p, i);
        for (const struct profile_event *other = e + 1; other < p->events.at + end; other++) {
            first = other->entry_ns < first ? other->entry_ns : first;
            last = other->entry_ns > last ? other->entry_ns : last;
        }
        if (e->operation == place->operation && e->site == place->site &&
            kind[e->comm] == place->comm && end - i == p->comms.at[e->comm].size && last > first)
            *PUSH(&points) = (struct arrival_point){(double)(first - origin) / 1e9,
                                                    (double)(last - first) / 1e9};
    }
    if (points.n)
        qsort(points.at, points.n, sizeof *points.at, by_time);
    for (size_t i = 0; i < points.n; i++) {
        table_text(t, label);
        table_real(t, points.at[i].at_s);
        table_real(t, points.at[i].spread_s);
    }
    free(points.at);
}

static bool add_arrivals(struct document *d, const struct profile *p,
                         const struct picture_view *view)
{
    uint32_t *kind = comm_kinds(p, false);
    char **sites = site_labels(p);
    struct table *t = document_table_of(d, "arrival_spread", "Spread of arrivals", arrival_columns);
    for (size_t a = 0, drawn = 0; a < p->arrivals.n && drawn < view->top; a++) {
        const struct profile_arrival *place = &p->arrivals.at[a];
        char comm[COMM_LABEL], on[900], label[1000];
        if (place->instances < 2)
            continue;
        comm_label(p, place->comm, comm);
        snprintf(on, sizeof on, "%s on %s", place->site == PROFILE_NONE ? "-" : sites[place->site],
                 comm);
        call_label(p, place->operation, on, label, sizeof label);
        arrival_points(p, place, kind, label, t);
        drawn++;
    }
    free(kind);
    site_labels_free(p, sites);
    if (table_rows(t))
        document_picture(d, &(struct picture){.kind = PICTURE_LINES,
                                              .name = "arrivals",
                                              .title = "How late the last rank enters",
                                              .table = "arrival_spread",
                                              .x = "at",
                                              .y = "spread",
                                              .series = "call",
                                              .y_log = true});
    return table_rows(t) > 0;
}

/* --- sizes --- */

static const struct column size_columns[] = {
    {"operation", NULL, COLUMN_TEXT, 0, NULL},
    {"size", NULL, COLUMN_BYTES, 0, "from here to below twice that"},
    {"median", NULL, COLUMN_TIME, 0, "duration of a call"},
};

static bool add_sizes(struct document *d, const struct profile *p, const struct picture_view *view)
{
    struct rows operations = rows_of(p, ROWS_BY_OPERATION), rows = rows_of(p, ROWS_BY_SIZE);
    struct table *t = document_table_of(d, "size_times", "Time of a call by size", size_columns);
    for (size_t i = 0, drawn = 0; i < operations.n && drawn < view->top; i++) {
        uint32_t operation = operations.at[i].operation;
        if (!operations.at[i].bytes)
            continue;
        drawn++;
        for (uint32_t k = 1; k < 64; k++)
            for (size_t r = 0; r < rows.n; r++) {
                const struct profile_entry *e = &rows.at[r];
                if (e->operation != operation || e->size_class != k || !e->calls)
                    continue;
                table_text(t, p->operations.at[operation].name);
                table_integer(t, 1ll << (k - 1));
                table_real(t, entry_quantile(e, 0.5) / 1e9);
            }
    }
    rows_free(&operations);
    rows_free(&rows);
    if (table_rows(t))
        document_picture(d, &(struct picture){.kind = PICTURE_LINES,
                                              .name = "sizes",
                                              .title = "Time of a call by message size",
                                              .table = "size_times",
                                              .x = "size",
                                              .y = "median",
                                              .series = "operation",
                                              .x_log = true,
                                              .y_log = true});
    return table_rows(t) > 0;
}

/* --- matrix --- */

static const struct column matrix_columns[] = {
    {"to", NULL, COLUMN_RANK, 0, "receiver"},
    {"from", NULL, COLUMN_RANK, 0, "sender"},
    {"bytes", NULL, COLUMN_BYTES, 0, "sent"},
};

/* Bytes from row to column; of many ranks some that follow each other share a cell. */
static bool add_matrix(struct document *d, const struct profile *p, const struct picture_view *view)
{
    enum { MOST_CELLS = 256 };
    size_t ranks = 0;
    (void)view;
    for (size_t i = 0; i < p->peers.n; i++) {
        const struct profile_peer *e = &p->peers.at[i];
        size_t larger = e->rank > e->peer ? e->rank : e->peer;
        ranks = larger >= ranks ? larger + 1 : ranks;
    }
    size_t share = (ranks + MOST_CELLS - 1) / MOST_CELLS, n = ranks ? (ranks - 1) / share + 1 : 0;
    uint64_t *bytes = memory_alloc((n * n + 1) * sizeof *bytes), most = 0;
    for (size_t i = 0; i < p->peers.n; i++) {
        const struct profile_peer *e = &p->peers.at[i];
        uint64_t *cell = &bytes[e->rank / share * n + e->peer / share];
        *cell += e->received ? 0 : e->bytes;
        most = *cell > most ? *cell : most;
    }
    struct table *t =
        most ? document_table_of(d, "matrix", "Bytes from rank to rank", matrix_columns) : NULL;
    for (size_t i = 0; t && i < n * n; i++) {
        table_integer(t, (long long)(i % n * share));
        table_integer(t, (long long)(i / n * share));
        table_integer_if(t, bytes[i] > 0, (long long)bytes[i]);
    }
    free(bytes);
    /* From a ten-thousandth of the most on, so that what is nearly equal looks so. */
    if (t)
        document_picture(d, &(struct picture){.kind = PICTURE_HEAT,
                                              .name = "matrix",
                                              .title = "Bytes sent, by sender and receiver",
                                              .table = "matrix",
                                              .x = "to",
                                              .y = "from",
                                              .x_label = "to rank",
                                              .y_label = "from rank",
                                              .value = "bytes",
                                              .palette = PALETTE_AMOUNT,
                                              .value_log = true,
                                              .value_low = (double)most / 1e4,
                                              .value_high = (double)most});
    return t != NULL;
}

const struct run_picture run_pictures[] = {
    {"durations", "how long the calls of the costliest call sites take", "no calls were recorded",
     add_durations, false},
    {"ranks", "where each rank spent its time", "there is one rank alone", add_ranks, false},
    {"arrivals", "how late the last rank enters collectives, over time",
     "no collective was recorded on all of its ranks", add_arrivals, false},
    {"sizes", "time of a call by message size", "no call carried bytes", add_sizes, false},
    {"matrix", "how much each rank sent to each other", "no message was sent", add_matrix, false},
    {"timeline", "what the ranks did over time, and the messages between them",
     "the run was not traced (collprof run --trace), or did nothing then", add_timeline, true},
};
const size_t n_run_pictures = sizeof run_pictures / sizeof *run_pictures;
