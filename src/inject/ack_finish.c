/* The end of --ack: what the members of each stream have noted comes together at its root, which
 * judges it. */
#include "inject/ack.h"
#include "inject/list.h"

#include "base/format.h"
#include "base/stats.h"
#include "document/json_file.h"
#include "sync/politely.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- what the root says --- */

static void put_figure(json_t *row, const char *name, const struct ack_figure *f)
{
    char key[40];
    snprintf(key, sizeof key, "%s_us", name);
    json_object_set_new(row, key, json_finite(1e6 * f->value));
    snprintf(key, sizeof key, "%s_low_us", name);
    json_object_set_new(row, key, json_finite(1e6 * f->low));
    snprintf(key, sizeof key, "%s_high_us", name);
    json_object_set_new(row, key, json_finite(1e6 * f->high));
}

/* Why there is no latency, or what disturbs it; the first that holds. */
static void remark(const struct ack_verdict *v, size_t n, const struct ack_figure *shown,
                   bool blocking, char *text, size_t size)
{
    const char *was = blocking ? "was late" : "was not waiting yet";
    *text = '\0';
    if (isnan(shown->value)) {
        char most[32];
        snprintf(text, size, "not known, at most %s: ", format_time(most, 1e9 * v->at_most));
        size_t at = strlen(text);
        if (v->late == n)
            snprintf(text + at, size - at, "it %s itself, every time", was);
        else if (v->behind && v->behind_rank >= 0 && v->behind_share > 0.5)
            snprintf(text + at, size - at, "rank %d %s, and it may depend on it", v->behind_rank,
                     was);
        else
            snprintf(text + at, size - at, "somebody that it may depend on was always late");
    } else if (v->unready)
        snprintf(text, size, "no rank was waiting: may be less by a round trip");
    else if (v->missing_rank >= 0)
        snprintf(text, size, "rank %d %s: with it there it may be more", v->missing_rank, was);
    else if (v->crowded)
        snprintf(text, size, "right after another MPI call of the root: alone it may be less");
    else if (v->behind && v->behind_rank >= 0 && v->behind_share > 0.5 && v->delayed_by > 0)
        snprintf(text, size, "delayed in %.0f %% by rank %d", 100.0 * (double)v->behind / (double)n,
                 v->behind_rank);
}

static json_t *destination(const struct ack_stream *a, int i, const struct ack_verdict *v)
{
    char text[100];
    double n = (double)a->n;
    size_t came = v->asked - v->given_up;
    /* On one host the direct figure has no assumption at all; otherwise it has the clock's error.
     */
    remark(v, a->n, &v->direct, !a->lasts, text, sizeof text);
    json_t *row = json_pack("{s:i, s:I}", "destination", i, "acknowledged", (json_int_t)came);
    if (!row)
        return NULL;
    put_figure(row, "ol", &v->acknowledged);
    put_figure(row, "direct", &v->direct);
    put_figure(row, "rtl", &v->round_trip);
    json_object_set_new(row, "at_most_us", json_finite(1e6 * v->at_most));
    json_object_set_new(row, "early_percent",
                        came ? json_real(100.0 * (double)v->early / (double)came) : json_null());
    json_object_set_new(row, "given_up", json_integer((json_int_t)v->given_up));
    json_object_set_new(row, "late_percent", json_real(100.0 * (double)v->late / n));
    json_object_set_new(row, "late_by_us", json_finite(1e6 * v->late_by));
    json_object_set_new(row, "behind_percent", json_real(100.0 * (double)v->behind / n));
    json_object_set_new(row, "behind_rank",
                        v->behind_rank < 0 ? json_null() : json_integer(v->behind_rank));
    json_object_set_new(row, "delayed_by_us", json_finite(1e6 * v->delayed_by));
    json_object_set_new(row, "remark", json_string(text));
    return row;
}

static double period(const struct ack_periods *p)
{
    double value[ACK_PERIODS];
    size_t n = p->n < ACK_PERIODS ? (size_t)p->n : ACK_PERIODS;
    memcpy(value, p->value, n * sizeof *value);
    return n ? stats_median(value, n) : NAN;
}

static json_t *describe(const struct ack_stream *a, const struct ack_verdict *verdict, double share)
{
    json_t *f = json_pack("{s:s, s:s, s:i, s:i, s:I, s:I, s:I, s:I}", "operation", a->operation,
                          "communicator", a->name, "ranks", a->size, "root", a->root, "bytes",
                          (json_int_t)a->most, "broadcasts", (json_int_t)a->calls, "asked",
                          (json_int_t)a->acknowledged, "given_up", (json_int_t)a->given_up);
    if (!f)
        return NULL;
    if (a->least < a->most)
        json_object_set_new(f, "least_bytes", json_integer((json_int_t)a->least));
    if (a->n < a->acknowledged)
        json_object_set_new(f, "kept_for_figures", json_integer((json_int_t)a->n));
    json_object_set_new(f, "cost_percent", json_real(100 * share));
    json_object_set_new(f, "interval_us", json_finite(1e6 * period(&a->plain)));
    json_object_set_new(f, "acknowledged_interval_us", json_finite(1e6 * period(&a->disturbed)));
    json_t *rows = json_array();
    int known = 0, slowest = -1;
    for (int i = 0; i < a->size; i++) {
        if (i == a->root)
            continue;
        json_array_append_new(rows, destination(a, i, &verdict[i]));
        known += !isnan(verdict[i].direct.value);
        if (!isnan(verdict[i].direct.value) &&
            (slowest < 0 || verdict[i].direct.value > verdict[slowest].direct.value))
            slowest = i;
    }
    json_object_set_new(f, "known_destinations", json_sprintf("%d of %d", known, a->size - 1));
    if (slowest >= 0) {
        json_object_set_new(f, "slowest_destination", json_integer(slowest));
        json_object_set_new(f, "slowest_us", json_finite(1e6 * verdict[slowest].direct.value));
    }
    json_object_set_new(f, "destinations", rows);
    return f;
}

/* --- gathering --- */

/* Seconds, at the root for all streams together: what is not there by then was never sent. And for
 * a root to take what it is sent. */
static const double MISSING_PATIENCE = 2, TAKING_PATIENCE = 30;

struct ack_packet {
    uint64_t id;
    size_t n;
    double waited;
    struct ack_stamp stamp[];
};

static size_t packet_size(size_t n)
{
    return sizeof(struct ack_packet) + n * sizeof(struct ack_stamp);
}

static struct ack_packet *pack(const struct ack_stream *a)
{
    struct ack_packet *p = malloc(packet_size(a->n));
    if (!p)
        return NULL;
    *p = (struct ack_packet){.id = a->id, .n = a->n, .waited = a->waited};
    for (size_t k = 0; k < a->n; k++) {
        p->stamp[k] = a->stamp[k];
        struct ack_stamp *s = &p->stamp[k];
        double *moment[] = {&s->begun, &s->left, &s->entry, &s->exit};
        for (int m = 0; m < 4; m++)
            *moment[m] = sync_global(injection_clock(), *moment[m]);
    }
    return p;
}

/* Without memory it says so by an empty one. */
static void send_packet(struct ack_stream *a)
{
    static const struct ack_packet none;
    a->packet = pack(a);
    if (a->rank != a->root)
        PMPI_Isend(a->packet ? a->packet : &none, (int)packet_size(a->packet ? a->n : 0), MPI_BYTE,
                   a->world[a->root], ack_tag(a, ACK_TAG_STAMPS), layer.comm, &a->sending);
}

/* The root may be without memory, and take nothing. */
static void free_packet(struct ack_stream *a)
{
    bool sent = a->rank == a->root;
    if (!sent)
        wait_politely_for(0, &a->sending, TAKING_PATIENCE, &sent);
    if (sent)
        free(a->packet);
    else if (a->sending != MPI_REQUEST_NULL)
        PMPI_Request_free(&a->sending); /* the library may still be reading there: it stays */
}

/* Into member J's places. False if it has another record than the root. */
static bool unpack(const struct ack_stream *a, const struct ack_packet *p, int j,
                   struct ack_stamp *stamp)
{
    if (p->id != a->id || p->n != a->n)
        return false;
    for (size_t k = 0; k < a->n; k++)
        stamp[k * (size_t)a->size + (size_t)j] = p->stamp[k];
    return true;
}

/* The bytes of member J's packet; 0: it has sent none, having had no memory for the stream or
 * missed a plan. */
static int await_packet(const struct ack_stream *a, int j, double *patience)
{
    int flag = 0, bytes = 0;
    MPI_Status status;
    double start = clock_now(), most = fmax(*patience, 1e-3);
    while (!PMPI_Iprobe(a->world[j], ack_tag(a, ACK_TAG_STAMPS), layer.comm, &flag, &status) &&
           !flag && clock_now() - start < most)
        sched_yield();
    *patience -= clock_now() - start;
    if (flag)
        PMPI_Get_count(&status, MPI_BYTE, &bytes);
    return bytes;
}

/* NULL without memory or if it sent none. Cut off at nothing, it is off the sender's hands too: by
 * MPI_Recv, for of a request that is cut off MPICH tells MPI_COMM_WORLD, which ends the run. */
static struct ack_packet *receive_packet(const struct ack_stream *a, int j, double *patience)
{
    int bytes = await_packet(a, j, patience);
    struct ack_packet *p = bytes ? malloc((size_t)bytes) : NULL;
    if (bytes)
        PMPI_Recv(p, p ? bytes : 0, MPI_BYTE, a->world[j], ack_tag(a, ACK_TAG_STAMPS), layer.comm,
                  MPI_STATUS_IGNORE);
    return p;
}

/* What nobody expects, of members that have another record: the transport would say so. All has
 * been sent. The simulator's collectives are messages, too, with tags below. */
static void take_rest(void)
{
    int flag = 0;
    MPI_Status status;
    while (!PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, layer.comm, &flag, &status) && flag &&
           status.MPI_TAG >= ACK_TAG_FIRST) {
        int bytes = 0;
        PMPI_Get_count(&status, MPI_BYTE, &bytes);
        char *rest = malloc((size_t)bytes + 1);
        PMPI_Recv(rest, rest ? bytes : 0, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, layer.comm,
                  MPI_STATUS_IGNORE);
        free(rest);
    }
}

/* Only broadcasts that every member has seen the end of: a request may have been freed, say. */
static void drop_unfinished(struct ack_stream *a, struct ack_stamp *stamp)
{
    size_t size = (size_t)a->size, kept = 0;
    for (size_t k = 0; k < a->n; k++) {
        bool whole = true;
        for (size_t j = 0; j < size; j++)
            whole = whole && !isnan(stamp[k * size + j].exit);
        for (size_t s = 0; s < a->n_seen; s++)
            if (a->seen[s].broadcast == k)
                a->seen[s].broadcast = whole ? kept : SIZE_MAX;
        if (whole)
            memmove(&stamp[kept++ * size], &stamp[k * size], size * sizeof *stamp);
    }
    a->n = kept;
}

static void judge(struct ack_stream *a, double elapsed, double *patience)
{
    struct ack_stamp *stamp = calloc(a->n * (size_t)a->size, sizeof *stamp);
    struct ack_verdict *verdict = calloc((size_t)a->size, sizeof *verdict);
    bool good = stamp && verdict && a->packet && unpack(a, a->packet, a->root, stamp);
    double most = a->waited;
    for (int j = 0; j < a->size; j++) {
        if (j == a->root)
            continue;
        struct ack_packet *p = receive_packet(a, j, patience);
        good = good && p && unpack(a, p, j, stamp);
        most = p ? fmax(most, p->waited) : most;
        free(p);
    }
    if (good)
        drop_unfinished(a, stamp);
    good = good && a->n;
    double bound = injection_clock()->domains > 1 ? 2 * injection_clock()->worst_bound : 0;
    if (good && ack_judge(stamp, a->n, a->size, a->root, a->seen, a->n_seen, bound, verdict))
        injection_found(&ack_injection, a->comm, describe(a, verdict, most / elapsed));
    else
        snprintf(ack_injection.remark, sizeof ack_injection.remark,
                 "ack: not every stream of broadcasts is judged: a member had no memory for its "
                 "record, or missed the root's plan, or no broadcast was completed by all");
    free(stamp);
    free(verdict);
}

/* The layer's own waiting is in no table, but others wait for who waits here. BROADCASTS: of this
 * rank as root, in streams that are gone. */
static void say_share(const struct ack_stream *streams, uint64_t broadcasts, double elapsed)
{
    double waited = 0, most = 0;
    uint64_t mine[2] = {0, broadcasts}, all[2] = {0, 0}; /* acknowledged, of so many */
    char *text = ack_injection.remark;
    size_t room = sizeof ack_injection.remark;
    for (const struct ack_stream *a = streams; a; a = a->next) {
        waited += a->waited;
        mine[0] += a->rank == a->root ? a->acknowledged : 0;
        mine[1] += a->rank == a->root ? a->calls : 0;
    }
    PMPI_Reduce(&waited, &most, 1, MPI_DOUBLE, MPI_MAX, 0, layer.comm);
    PMPI_Reduce(mine, all, 2, MPI_UINT64_T, MPI_SUM, 0, layer.comm);
    if (layer.rank != 0 || *text)
        return;
    if (!all[0])
        snprintf(text, room,
                 "ack: none of %llu broadcasts was acknowledged: of one size from one root it is "
                 "the fifth at the earliest, and as --ack-share allows",
                 (unsigned long long)all[1]);
    else
        snprintf(
            text, room,
            "ack: %llu of %llu broadcasts were to be acknowledged, which took a rank up to %.2g %% "
            "of the run (--ack-share=%g): these and the calls up to the next collective after "
            "them are kept apart, since somebody may be late to them",
            (unsigned long long)all[0], (unsigned long long)all[1], 100 * most / elapsed,
            layer.settings.ack_share);
}

void ack_finish(struct ack_stream *streams, uint64_t broadcasts, double elapsed)
{
    double patience = MISSING_PATIENCE;
    MPI_Request all_have_sent;
    for (int as_root = 1; as_root >= 0; as_root--)
        for (struct ack_stream *a = streams; a; a = a->next)
            ack_drain(a, as_root);
    for (struct ack_stream *a = streams; a; a = a->next)
        if (a->n)
            send_packet(a);
    wait_politely(PMPI_Ibarrier(layer.comm, &all_have_sent), &all_have_sent);
    say_share(streams, broadcasts, elapsed);
    for (struct ack_stream *a = streams; a; a = a->next)
        if (a->n && a->rank == a->root)
            judge(a, elapsed, &patience);
    take_rest();
    while (streams) {
        struct ack_stream *a = streams;
        streams = a->next;
        if (a->n || a->packet)
            free_packet(a);
        ack_stream_free(a);
    }
    wait_politely(PMPI_Ibarrier(layer.comm, &all_have_sent), &all_have_sent);
}
