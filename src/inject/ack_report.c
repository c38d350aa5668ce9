/* The end of --ack: the members' records of each stream come together at its root, which judges
 * them. */
#include "inject/ack.h"

#include "base/format.h"
#include "document/json_file.h"
#include "sync/politely.h"

#include <math.h>
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

/* Why there is no latency, or what limits it; the first that holds. Returns its key, for programs;
 * NULL: nothing. */
static const char *limit_of(const struct ack_verdict *v, size_t n, char *text, size_t size)
{
    char most[32];
    *text = '\0';
    if (isnan(v->direct.value)) {
        int at = snprintf(text, size, "unknown, at most %s: ", format_time(most, 1e9 * v->at_most));
        if (v->late == n)
            snprintf(text + at, size - (size_t)at, "this rank was late every time");
        else if (v->behind_rank >= 0)
            snprintf(text + at, size - (size_t)at, "rank %d was late, and it may depend on it",
                     v->behind_rank);
        else
            snprintf(text + at, size - (size_t)at, "a rank that it may depend on was late");
        return "unknown";
    }
    if (v->unready) {
        snprintf(text, size, "no rank was waiting: may be less by a round trip");
        return "unready";
    }
    if (v->missing_rank >= 0) {
        snprintf(text, size, "rank %d was late: may be more when it is on time", v->missing_rank);
        return "missing_rank";
    }
    if (v->crowded) {
        snprintf(text, size, "right after another MPI call of the root: may be less alone");
        return "crowded";
    }
    if (v->behind_rank >= 0 && v->delayed_by > 0) {
        snprintf(text, size, "delayed in %.0f %% of the broadcasts by rank %d",
                 100.0 * (double)v->behind / (double)n, v->behind_rank);
        return "delayed";
    }
    return NULL;
}

static json_t *destination(const struct ack_stream *a, int i, const struct ack_verdict *v)
{
    char text[120];
    double n = (double)a->n;
    size_t came = v->asked - v->given_up;
    const char *limit = limit_of(v, a->n, text, sizeof text);
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

static json_t *describe(const struct ack_stream *a, const struct ack_verdict *verdict, double share)
{
    json_int_t given_up = 0;
    for (size_t k = 0; k < a->n; k++)
        given_up += a->seen[k].arrival == ACK_GIVEN_UP;
    json_t *f = json_pack("{s:s, s:s, s:i, s:i, s:I, s:I, s:I, s:I, s:f}", "operation", "MPI_Bcast",
                          "communicator", a->name, "ranks", a->size, "root", a->root, "bytes",
                          (json_int_t)a->bytes, "broadcasts", (json_int_t)a->calls, "asked",
                          (json_int_t)a->n, "given_up", given_up, "cost_percent", 100 * share);
    if (!f)
        return NULL;
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

/* A member's record of a stream. */
struct ack_packet {
    uint64_t id;
    size_t n;
    double waited;
    struct ack_stamp stamp[];
};

/* What a root receives from one rank: LEFT packets, in the order of their id; NEXT is the first of
 * them, when it has been received. */
struct inbox {
    int left;
    struct ack_packet *next;
};

/* Entries and returns on the common clock. NULL without memory. */
static struct ack_packet *pack(const struct ack_stream *a, size_t *size)
{
    *size = sizeof(struct ack_packet) + a->n * sizeof *a->stamp;
    struct ack_packet *p = malloc(*size);
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

/* Packets that this rank sends, with how many each rank gets. */
struct outbox {
    struct ack_packet **packet;
    MPI_Request *request;
    int *n_to;
    int n;
};

static bool send_packets(const struct ack_stream *streams, struct outbox *out)
{
    int n = 0;
    for (const struct ack_stream *a = streams; a; a = a->next)
        n++;
    *out = (struct outbox){.packet = calloc((size_t)n + 1, sizeof *out->packet),
                           .request = calloc((size_t)n + 1, sizeof *out->request),
                           .n_to = calloc((size_t)layer.size, sizeof *out->n_to)};
    if (!out->packet || !out->request || !out->n_to)
        return false;
    for (const struct ack_stream *a = streams; a; a = a->next) {
        size_t size;
        struct ack_packet *p = a->rank == a->root ? NULL : pack(a, &size);
        if (!p)
            continue;
        int to = a->world[a->root];
        PMPI_Isend(p, (int)size, MPI_BYTE, to, ACK_TAG_STAMPS, layer.comm, &out->request[out->n]);
        out->packet[out->n++] = p;
        out->n_to[to]++;
    }
    return true;
}

static void outbox_free(struct outbox *out)
{
    PMPI_Waitall(out->n, out->request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < out->n; i++)
        free(out->packet[i]);
    free(out->packet);
    free(out->request);
    free(out->n_to);
}

/* The first packet from rank FROM that is not before ID; earlier ones are dropped. NULL: there is
 * none. */
static struct ack_packet *next_packet(struct inbox *in, int from, uint64_t id)
{
    while (in->left > 0 && (!in->next || in->next->id < id)) {
        int bytes = 0;
        MPI_Status status;
        free(in->next);
        PMPI_Probe(from, ACK_TAG_STAMPS, layer.comm, &status);
        PMPI_Get_count(&status, MPI_BYTE, &bytes);
        in->next = malloc((size_t)bytes);
        PMPI_Recv(in->next, in->next ? bytes : 0, MPI_BYTE, from, ACK_TAG_STAMPS, layer.comm,
                  MPI_STATUS_IGNORE);
        in->left--;
    }
    return in->next;
}

/* Into member J's stamps. False if it has another record than the root, or none. */
static bool unpack(const struct ack_stream *a, const struct ack_packet *p, int j,
                   struct ack_stamp *stamp)
{
    if (!p || p->id != a->id || p->n != a->n)
        return false;
    for (size_t k = 0; k < a->n; k++)
        stamp[k * (size_t)a->size + (size_t)j] = p->stamp[k];
    return true;
}

static void judge(const struct ack_stream *a, struct inbox *in, double elapsed)
{
    size_t size;
    struct ack_stamp *stamp = calloc(a->n * (size_t)a->size, sizeof *stamp);
    struct ack_verdict *verdict = calloc((size_t)a->size, sizeof *verdict);
    struct ack_packet *own = pack(a, &size);
    bool good = stamp && verdict && unpack(a, own, a->root, stamp);
    double most = a->waited;
    for (int j = 0; j < a->size; j++) {
        if (j == a->root)
            continue;
        struct ack_packet *p = next_packet(&in[a->world[j]], a->world[j], a->id);
        good = good && unpack(a, p, j, stamp);
        most = good ? fmax(most, p->waited) : most;
    }
    double bound = injection_clock()->domains > 1 ? 2 * injection_clock()->worst_bound : 0;
    if (good && ack_judge(stamp, a->n, a->size, a->root, a->seen, bound, verdict))
        injection_found(&ack_injection, a->comm, describe(a, verdict, most / elapsed));
    else
        snprintf(ack_injection.remark, sizeof ack_injection.remark,
                 "ack: a stream of broadcasts is not judged: a member had no memory for its "
                 "record");
    free(own);
    free(stamp);
    free(verdict);
}

/* All ranks are here. A rank without memory for its boxes keeps all from judging. */
static void judge_all(const struct ack_stream *streams, double elapsed)
{
    struct outbox out;
    struct inbox *in = calloc((size_t)layer.size, sizeof *in);
    int *n_from = calloc((size_t)layer.size, sizeof *n_from);
    uint64_t good = send_packets(streams, &out) && in && n_from, all;
    PMPI_Allreduce(&good, &all, 1, MPI_UINT64_T, MPI_MIN, layer.comm);
    if (all)
        PMPI_Alltoall(out.n_to, 1, MPI_INT, n_from, 1, MPI_INT, layer.comm);
    for (int i = 0; all && i < layer.size; i++)
        in[i].left = n_from[i];
    for (const struct ack_stream *a = streams; all && a; a = a->next)
        if (a->rank == a->root)
            judge(a, in, elapsed);
    for (int i = 0; all && i < layer.size; i++) {
        next_packet(&in[i], i, UINT64_MAX);
        free(in[i].next);
    }
    if (all)
        outbox_free(&out);
    free(in);
    free(n_from);
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
        mine[0] += a->rank == a->root ? a->n : 0;
        mine[1] += a->rank == a->root ? a->calls : 0;
    }
    PMPI_Reduce(&waited, &most, 1, MPI_DOUBLE, MPI_MAX, 0, layer.comm);
    PMPI_Reduce(mine, all, 2, MPI_UINT64_T, MPI_SUM, 0, layer.comm);
    if (layer.rank != 0 || *text)
        return;
    if (!all[0])
        snprintf(text, room,
                 "ack: none of %llu broadcasts was acknowledged: --ack=%g acknowledges about one "
                 "of %.0f of one size from one root, after the first three",
                 (unsigned long long)all[1], layer.settings.ack, 100 / layer.settings.ack);
    else
        snprintf(text, room,
                 "ack: %llu of %llu broadcasts were acknowledged, which took a rank up to %.2g %% "
                 "of the run: these and the calls up to the next collective are excluded from all "
                 "times",
                 (unsigned long long)all[0], (unsigned long long)all[1], 100 * most / elapsed);
}

/* Acknowledgements that no stream awaits, of members with another record: UCX would warn of them.
 * The simulator's collectives are messages, too, with lower tags. */
static void take_rest(void)
{
    int flag = 0;
    MPI_Status status;
    while (!PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, layer.comm, &flag, &status) && flag &&
           status.MPI_TAG >= ACK_TAG_FIRST) {
        struct ack_message rest;
        PMPI_Recv(&rest, sizeof rest, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, layer.comm,
                  MPI_STATUS_IGNORE);
    }
}

void ack_report(struct ack_stream *streams, uint64_t broadcasts, double elapsed)
{
    MPI_Request all_here;
    for (int as_root = 1; as_root >= 0; as_root--)
        for (struct ack_stream *a = streams; a; a = a->next)
            ack_drain(a, as_root);
    wait_politely(PMPI_Ibarrier(layer.comm, &all_here), &all_here);
    take_rest();
    remark_share(streams, broadcasts, elapsed);
    judge_all(streams, elapsed);
    while (streams) {
        struct ack_stream *a = streams;
        streams = a->next;
        ack_stream_free(a);
    }
    wait_politely(PMPI_Ibarrier(layer.comm, &all_here), &all_here);
}
