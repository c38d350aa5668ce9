/* The end of --ack: the members' records of each stream come together at its root, which judges
 * them. */
#include "inject/ack.h"

#include "base/format.h"
#include "base/stats.h"
#include "document/json_file.h"
#include "sync/politely.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* --- the finding --- */

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

/* Why there is no latency, or what limits it; the first that holds. KEY is for programs. */
static const char *limit_of(const struct ack_verdict *v, size_t n, bool known, char *text,
                            size_t size)
{
    bool one = v->behind && v->behind_rank >= 0 && v->behind_share > 0.5;
    char most[32];
    *text = '\0';
    if (!known) {
        format_time(most, 1e9 * v->at_most);
        if (v->late == n)
            snprintf(text, size, "not known, at most %s: this rank was late every time", most);
        else if (one)
            snprintf(text, size, "not known, at most %s: rank %d was late, and it may depend on it",
                     most, v->behind_rank);
        else
            snprintf(text, size, "not known, at most %s: a rank that it may depend on was late",
                     most);
        return "unknown";
    }
    if (v->unready) {
        snprintf(text, size, "no rank was waiting: may be less by a round trip");
        return "unready";
    }
    if (v->missing_rank >= 0) {
        snprintf(text, size, "rank %d was late: with it there it may be more", v->missing_rank);
        return "missing_rank";
    }
    if (v->crowded) {
        snprintf(text, size, "right after another MPI call of the root: alone it may be less");
        return "crowded";
    }
    if (one && v->delayed_by > 0) {
        snprintf(text, size, "delayed in %.0f %% by rank %d", 100.0 * (double)v->behind / (double)n,
                 v->behind_rank);
        return "delayed";
    }
    return NULL;
}

static json_t *destination(const struct ack_stream *a, int i, const struct ack_verdict *v)
{
    char text[120];
    double n = (double)a->n;
    size_t came = v->asked - v->given_up;
    const char *limit = limit_of(v, a->n, !isnan(v->direct.value), text, sizeof text);
    json_t *row =
        json_pack("{s:i, s:I, s:I, s:s, s:s?}", "destination", i, "acknowledged", (json_int_t)came,
                  "given_up", (json_int_t)v->given_up, "remark", text, "limit", limit);
    if (!row)
        return NULL;
    put_figure(row, "ol", &v->acknowledged);
    put_figure(row, "direct", &v->direct);
    put_figure(row, "rtl", &v->round_trip);
    json_object_set_new(row, "at_most_us", json_finite(1e6 * v->at_most));
    json_object_set_new(row, "early_percent",
                        came ? json_real(100.0 * (double)v->early / (double)came) : json_null());
    json_object_set_new(row, "late_percent", json_real(100.0 * (double)v->late / n));
    json_object_set_new(row, "late_by_us", json_finite(1e6 * v->late_by));
    json_object_set_new(row, "behind_percent", json_real(100.0 * (double)v->behind / n));
    json_object_set_new(row, "behind_rank",
                        v->behind_rank < 0 ? json_null() : json_integer(v->behind_rank));
    json_object_set_new(row, "delayed_by_us", json_finite(1e6 * v->delayed_by));
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
    json_t *f = json_pack("{s:s, s:s, s:i, s:i, s:I, s:I, s:I, s:I}", "operation", "MPI_Bcast",
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
    json_object_set_new(f, "acknowledged_interval_us", json_finite(1e6 * period(&a->delayed)));
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

/* Seconds: a root waits so long for the records of all its streams together, and a member for its
 * root to take one. */
static const double MISSING_TIMEOUT = 2, TAKING_TIMEOUT = 30;

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
        p->stamp[k].entry = sync_global(injection_clock(), a->stamp[k].entry);
        p->stamp[k].exit = sync_global(injection_clock(), a->stamp[k].exit);
    }
    return p;
}

/* Without memory it sends an empty one. */
static void send_packet(struct ack_stream *a)
{
    static const struct ack_packet none;
    a->packet = pack(a);
    if (a->rank != a->root)
        PMPI_Isend(a->packet ? a->packet : &none, (int)packet_size(a->packet ? a->n : 0), MPI_BYTE,
                   a->world[a->root], ack_tag(a, ACK_TAG_STAMPS), layer.comm, &a->sending);
}

/* A root without memory takes nothing: MPI may still be reading the packet, which then stays. */
static void free_packet(struct ack_stream *a)
{
    bool sent = a->rank == a->root;
    if (!sent)
        wait_politely_for(0, &a->sending, TAKING_TIMEOUT, &sent);
    if (sent)
        free(a->packet);
    else if (a->sending != MPI_REQUEST_NULL)
        PMPI_Request_free(&a->sending);
}

/* Into member J's stamps. False if it has another record than the root. */
static bool unpack(const struct ack_stream *a, const struct ack_packet *p, int j,
                   struct ack_stamp *stamp)
{
    if (p->id != a->id || p->n != a->n)
        return false;
    for (size_t k = 0; k < a->n; k++)
        stamp[k * (size_t)a->size + (size_t)j] = p->stamp[k];
    return true;
}

/* The bytes of member J's packet; 0: it has sent none, since it had no memory for the stream or
 * missed a plan. */
static int await_packet(const struct ack_stream *a, int j, double *timeout)
{
    int flag = 0, bytes = 0;
    MPI_Status status;
    double start = clock_now(), most = fmax(*timeout, 1e-3);
    while (!PMPI_Iprobe(a->world[j], ack_tag(a, ACK_TAG_STAMPS), layer.comm, &flag, &status) &&
           !flag && clock_now() - start < most)
        sched_yield();
    *timeout -= clock_now() - start;
    if (flag)
        PMPI_Get_count(&status, MPI_BYTE, &bytes);
    return bytes;
}

/* NULL without memory or if it sent none. Without memory it is received truncated, by MPI_Recv: of
 * a truncated request MPICH reports to MPI_COMM_WORLD, which ends the run. */
static struct ack_packet *receive_packet(const struct ack_stream *a, int j, double *timeout)
{
    int bytes = await_packet(a, j, timeout);
    struct ack_packet *p = bytes ? malloc((size_t)bytes) : NULL;
    if (bytes)
        PMPI_Recv(p, p ? bytes : 0, MPI_BYTE, a->world[j], ack_tag(a, ACK_TAG_STAMPS), layer.comm,
                  MPI_STATUS_IGNORE);
    return p;
}

/* Messages that no stream expects, of members with another record: UCX would warn of them. All have
 * been sent. The simulator's collectives are messages, too, with lower tags. */
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

static void judge(struct ack_stream *a, double elapsed, double *timeout)
{
    struct ack_stamp *stamp = calloc(a->n * (size_t)a->size, sizeof *stamp);
    struct ack_verdict *verdict = calloc((size_t)a->size, sizeof *verdict);
    bool good = stamp && verdict && a->packet && unpack(a, a->packet, a->root, stamp);
    double most = a->waited;
    for (int j = 0; j < a->size; j++) {
        if (j == a->root)
            continue;
        struct ack_packet *p = receive_packet(a, j, timeout);
        good = good && p && unpack(a, p, j, stamp);
        most = p ? fmax(most, p->waited) : most;
        free(p);
    }
    double bound = injection_clock()->domains > 1 ? 2 * injection_clock()->worst_bound : 0;
    if (good && ack_judge(stamp, a->n, a->size, a->root, a->seen, a->n_seen, bound, verdict))
        injection_found(&ack_injection, a->comm, describe(a, verdict, most / elapsed));
    else
        snprintf(ack_injection.remark, sizeof ack_injection.remark,
                 "ack: not every stream of broadcasts is judged: a member had no memory for its "
                 "record, or missed the root's plan");
    free(stamp);
    free(verdict);
}

/* BROADCASTS: of this rank as root, in streams without an acknowledgement. */
static void remark_share(const struct ack_stream *streams, uint64_t broadcasts, double elapsed)
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
                 "ack: none of %llu broadcasts was acknowledged: of one size from one root the "
                 "fifth is the first that may be, as --ack-share allows",
                 (unsigned long long)all[1]);
    else
        snprintf(text, room,
                 "ack: %llu of %llu broadcasts were acknowledged, which took a rank up to %.2g %% "
                 "of the run (--ack-share=%g): these and the calls up to the next collective are "
                 "excluded from all times",
                 (unsigned long long)all[0], (unsigned long long)all[1], 100 * most / elapsed,
                 layer.settings.ack_share);
}

void ack_report(struct ack_stream *streams, uint64_t broadcasts, double elapsed)
{
    double timeout = MISSING_TIMEOUT;
    MPI_Request all_have_sent;
    for (int as_root = 1; as_root >= 0; as_root--)
        for (struct ack_stream *a = streams; a; a = a->next)
            ack_drain(a, as_root);
    for (struct ack_stream *a = streams; a; a = a->next)
        if (a->n)
            send_packet(a);
    wait_politely(PMPI_Ibarrier(layer.comm, &all_have_sent), &all_have_sent);
    remark_share(streams, broadcasts, elapsed);
    for (struct ack_stream *a = streams; a; a = a->next)
        if (a->n && a->rank == a->root)
            judge(a, elapsed, &timeout);
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
