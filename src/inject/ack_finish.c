/* The end of --ack: what the members of each stream have noted comes together at its root, which
 * judges it. */
#include "inject/ack.h"
#include "inject/list.h"

#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- what the root says --- */

static json_t *number(double value, double scale)
{
    return isfinite(value) ? json_real(value * scale) : json_null();
}

static void put_figure(json_t *row, const char *name, const struct ack_figure *f)
{
    char key[40];
    snprintf(key, sizeof key, "%s_us", name);
    json_object_set_new(row, key, number(f->value, 1e6));
    snprintf(key, sizeof key, "%s_low_us", name);
    json_object_set_new(row, key, number(f->low, 1e6));
    snprintf(key, sizeof key, "%s_high_us", name);
    json_object_set_new(row, key, number(f->high, 1e6));
}

/* Why there is no latency, or what disturbs it; the first that holds. */
static void remark(const struct ack_verdict *v, size_t n, const struct ack_figure *shown,
                   char *text, size_t size)
{
    *text = '\0';
    if (isnan(shown->value) && v->late == n)
        snprintf(text, size, "not known: it was late itself, every time");
    else if (isnan(shown->value) && v->behind && v->behind_rank >= 0 && v->behind_share > 0.5)
        snprintf(text, size, "not known: rank %d was late, and it may depend on it",
                 v->behind_rank);
    else if (isnan(shown->value) && v->behind)
        snprintf(text, size, "not known: somebody that it may depend on was always late");
    else if (isnan(shown->value))
        snprintf(text, size, "not known");
    else if (v->unready)
        snprintf(text, size, "no rank was waiting: may be less by a round trip");
    else if (v->behind && v->behind_rank >= 0 && v->behind_share > 0.5 && v->delayed_by > 0)
        snprintf(text, size, "delayed in %.0f %% by rank %d", 100.0 * (double)v->behind / (double)n,
                 v->behind_rank);
}

static json_t *destination(const struct ack_stream *a, int i, const struct ack_verdict *v)
{
    char text[100];
    double n = (double)a->n;
    /* On one host the direct figure has no assumption at all; otherwise it has the clock's error.
     */
    remark(v, a->n, &v->direct, text, sizeof text);
    json_t *row = json_pack("{s:i, s:I}", "destination", i, "acknowledged", (json_int_t)v->asked);
    if (!row)
        return NULL;
    put_figure(row, "ol", &v->acknowledged);
    put_figure(row, "direct", &v->direct);
    put_figure(row, "rtl", &v->round_trip);
    json_object_set_new(row, "early_percent",
                        v->asked ? json_real(100.0 * (double)v->early / (double)v->asked)
                                 : json_null());
    json_object_set_new(row, "given_up", json_integer((json_int_t)v->given_up));
    json_object_set_new(row, "late_percent", json_real(100.0 * (double)v->late / n));
    json_object_set_new(row, "late_by_us", number(v->late_by, 1e6));
    json_object_set_new(row, "behind_percent", json_real(100.0 * (double)v->behind / n));
    json_object_set_new(row, "behind_rank",
                        v->behind_rank < 0 ? json_null() : json_integer(v->behind_rank));
    json_object_set_new(row, "delayed_by_us", number(v->delayed_by, 1e6));
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
    json_t *f =
        json_pack("{s:s, s:i, s:i, s:I, s:I, s:I, s:I}", "communicator", a->name, "ranks", a->size,
                  "root", a->root, "bytes", (json_int_t)a->most, "broadcasts", (json_int_t)a->calls,
                  "acknowledged", (json_int_t)a->acknowledged, "given_up", (json_int_t)a->given_up);
    if (!f)
        return NULL;
    if (a->least < a->most)
        json_object_set_new(f, "least_bytes", json_integer((json_int_t)a->least));
    json_object_set_new(f, "cost_percent", json_real(100 * share));
    json_object_set_new(f, "interval_us", number(period(&a->plain), 1e6));
    json_object_set_new(f, "acknowledged_interval_us", number(period(&a->disturbed), 1e6));
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
        json_object_set_new(f, "slowest_us", number(verdict[slowest].direct.value, 1e6));
    }
    json_object_set_new(f, "destinations", rows);
    return f;
}

/* --- gathering --- */

struct packet {
    uint64_t id;
    size_t n;
    double waited;
    struct ack_stamp stamp[];
};

static size_t packet_size(size_t n)
{
    return sizeof(struct packet) + n * sizeof(struct ack_stamp);
}

static struct packet *pack(const struct ack_stream *a)
{
    struct packet *p = malloc(packet_size(a->n));
    if (!p)
        return NULL;
    *p = (struct packet){.id = a->id, .n = a->n, .waited = a->waited};
    for (size_t k = 0; k < a->n; k++) {
        p->stamp[k] = a->stamp[k];
        p->stamp[k].entry = sync_global(injection_clock(), a->stamp[k].entry);
        p->stamp[k].exit = sync_global(injection_clock(), a->stamp[k].exit);
    }
    return p;
}

/* Into member J's places. False if it has another record than the root. */
static bool unpack(const struct ack_stream *a, const struct packet *p, int j,
                   struct ack_stamp *stamp)
{
    if (p->id != a->id || p->n != a->n)
        return false;
    for (size_t k = 0; k < a->n; k++)
        stamp[k * (size_t)a->size + (size_t)j] = p->stamp[k];
    return true;
}

static void judge(const struct ack_stream *a, const struct packet *mine, double elapsed)
{
    struct ack_stamp *stamp = calloc(a->n * (size_t)a->size, sizeof *stamp);
    struct ack_verdict *verdict = calloc((size_t)a->size, sizeof *verdict);
    bool good = stamp && verdict && mine && unpack(a, mine, a->root, stamp);
    double most = mine ? mine->waited : NAN;
    for (int j = 0; j < a->size; j++) {
        MPI_Status status;
        int bytes = 0;
        if (j == a->root)
            continue;
        PMPI_Probe(a->world[j], ack_tag(a, ACK_TAG_STAMPS), layer.comm, &status);
        PMPI_Get_count(&status, MPI_BYTE, &bytes);
        struct packet *p = malloc((size_t)bytes + 1);
        if (!p) {
            good = false; /* left unreceived: at the end of the run nobody is harmed */
            continue;
        }
        PMPI_Recv(p, bytes, MPI_BYTE, a->world[j], ack_tag(a, ACK_TAG_STAMPS), layer.comm,
                  MPI_STATUS_IGNORE);
        good = good && unpack(a, p, j, stamp);
        most = fmax(most, p->waited);
        free(p);
    }
    double bound = injection_clock()->domains > 1 ? 2 * injection_clock()->worst_bound : 0;
    if (good && ack_judge(stamp, a->n, a->size, a->root, a->seen, a->n_seen, bound, verdict))
        injection_found(&ack_injection, describe(a, verdict, most / elapsed));
    free(stamp);
    free(verdict);
}

static int by_id(const void *a, const void *b)
{
    uint64_t x = (*(struct ack_stream *const *)a)->id, y = (*(struct ack_stream *const *)b)->id;
    return (x > y) - (x < y);
}

/* Streams in the same order on all ranks. */
static struct ack_stream **sorted(struct ack_stream *streams, size_t *n)
{
    *n = 0;
    for (struct ack_stream *a = streams; a; a = a->next)
        ++*n;
    struct ack_stream **list = calloc(*n + 1, sizeof *list);
    size_t i = 0;
    for (struct ack_stream *a = streams; list && a; a = a->next)
        list[i++] = a;
    if (list)
        qsort(list, *n, sizeof *list, by_id);
    return list;
}

void ack_finish(struct ack_stream *streams, double elapsed)
{
    size_t n;
    for (int as_root = 1; as_root >= 0; as_root--)
        for (struct ack_stream *a = streams; a; a = a->next)
            ack_drain(a, as_root);
    struct ack_stream **list = sorted(streams, &n);
    struct packet **packet = calloc(n + 1, sizeof *packet);
    MPI_Request *request = calloc(n + 1, sizeof *request);
    int posted = 0;
    for (size_t i = 0; list && packet && request && i < n; i++) {
        const struct ack_stream *a = list[i];
        packet[i] = a->n ? pack(a) : NULL;
        static const struct packet none;
        if (a->n && a->rank != a->root)
            PMPI_Isend(packet[i] ? packet[i] : &none, (int)packet_size(packet[i] ? a->n : 0),
                       MPI_BYTE, a->world[a->root], ack_tag(a, ACK_TAG_STAMPS), layer.comm,
                       &request[posted++]);
    }
    for (size_t i = 0; list && packet && request && i < n; i++)
        if (list[i]->n && list[i]->rank == list[i]->root)
            judge(list[i], packet[i], elapsed);
    PMPI_Waitall(posted, request, MPI_STATUSES_IGNORE);
    for (size_t i = 0; packet && i < n; i++)
        free(packet[i]);
    free(packet);
    free(request);
    free(list);
    while (streams) {
        struct ack_stream *a = streams;
        streams = a->next;
        ack_stream_free(a);
    }
}
