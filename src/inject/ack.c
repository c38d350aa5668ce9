/* Acknowledgements injected into the application: OL_i of its own broadcasts (methods.md section
 * 1; de Supinski and Karonis, section 4). Per broadcast one destination, in rotation, or all of
 * them, send an acknowledgement over the layer's communicator; the root has posted the receive
 * before. E_i is the time from the root's entry to the acknowledgement, RTL_i is measured once
 * for each pair, and
 *
 *     OL_i = E_i - RTL_i/2 - hold_i
 *
 * where hold_i is the time between i's return from the broadcast and its sending. A destination
 * that enters the broadcast only after the data could have been there measures its own lateness
 * and not the broadcast: entry times, on the clock common to all ranks, tell such samples apart. */
#include "inject/inject.h"
#include "inject/shadow.h"

#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

enum { TAG_ACK = 1, TAG_ROUND_TRIP = 2, ROUND_TRIPS = 21, WARM = 4, SAMPLES = 128 };

struct ack {
    double entry; /* into the broadcast, global seconds */
    double inside, hold;
};

/* Every stride-th sample is kept; when the room is used up, every second one of these. */
struct ack_destination {
    uint64_t seen;
    uint32_t n, stride;
    float latency[SAMPLES], lateness[SAMPLES], inside[SAMPLES]; /* us */
};

/* Broadcasts of one root and size class. */
struct ack_stream {
    struct ack_stream *next;
    int root;
    unsigned size_class;
    uint64_t largest;
    struct ack_destination **to; /* per destination, made when first needed */
};

static struct ack_stream *stream_of(struct shadow *s, int root, uint64_t bytes)
{
    unsigned size_class = size_class_of(bytes);
    struct ack_stream *a = s->acks;
    while (a && (a->root != root || a->size_class != size_class))
        a = a->next;
    if (!a && (a = calloc(1, sizeof *a))) {
        a->to = calloc((size_t)s->size, sizeof *a->to);
        a->root = root;
        a->size_class = size_class;
        a->next = s->acks;
        s->acks = a;
    }
    if (a && bytes > a->largest)
        a->largest = bytes;
    return a && a->to ? a : NULL;
}

static void add_sample(struct ack_destination *d, double latency, double lateness, double inside)
{
    if (d->seen++ % d->stride)
        return;
    if (d->n == SAMPLES) {
        for (d->n = 0; d->n < SAMPLES / 2; d->n++) {
            d->latency[d->n] = d->latency[2 * d->n];
            d->lateness[d->n] = d->lateness[2 * d->n];
            d->inside[d->n] = d->inside[2 * d->n];
        }
        d->stride *= 2;
    }
    d->latency[d->n] = (float)(latency * 1e6);
    d->lateness[d->n] = (float)(lateness * 1e6);
    d->inside[d->n] = (float)(inside * 1e6);
    d->n++;
}

/* --- round trips --- */

static void answer_round_trips(struct shadow *s, int root)
{
    struct ack a = {0};
    if (!s->answered)
        s->answered = calloc((size_t)s->size, sizeof *s->answered);
    if (!s->answered || s->answered[root])
        return;
    s->answered[root] = true;
    for (int k = 0; k < ROUND_TRIPS + WARM; k++) {
        PMPI_Recv(&a, sizeof a, MPI_BYTE, root, TAG_ROUND_TRIP, s->comm, MPI_STATUS_IGNORE);
        PMPI_Send(&a, sizeof a, MPI_BYTE, root, TAG_ROUND_TRIP, s->comm);
    }
}

static double round_trip(struct shadow *s, int destination)
{
    struct ack a = {0};
    double time[ROUND_TRIPS];
    if (!isnan(s->round_trip[destination]))
        return s->round_trip[destination];
    for (int k = -WARM; k < ROUND_TRIPS; k++) {
        double start = clock_now();
        PMPI_Send(&a, sizeof a, MPI_BYTE, destination, TAG_ROUND_TRIP, s->comm);
        PMPI_Recv(&a, sizeof a, MPI_BYTE, destination, TAG_ROUND_TRIP, s->comm,
                  MPI_STATUS_IGNORE);
        if (k >= 0)
            time[k] = clock_now() - start;
    }
    return s->round_trip[destination] = stats_median(time, ROUND_TRIPS);
}

static bool prepare_round_trips(struct shadow *s)
{
    if (s->round_trip)
        return true;
    s->round_trip = malloc((size_t)s->size * sizeof *s->round_trip);
    for (int i = 0; s->round_trip && i < s->size; i++)
        s->round_trip[i] = NAN;
    return s->round_trip != NULL;
}

/* --- the two sides --- */

static void keep(struct ack_stream *stream, int i, double latency, double lateness, double inside)
{
    if (stream && !stream->to[i] && (stream->to[i] = calloc(1, sizeof **stream->to)))
        stream->to[i]->stride = 1;
    if (stream && stream->to[i])
        add_sample(stream->to[i], latency, lateness, inside);
}

struct expected {
    int n;
    MPI_Request *request;
    struct ack *ack;
    int *from;
    double *arrived;
};

static void expect_free(struct expected *e)
{
    free(e->request);
    free(e->ack);
    free(e->from);
    free(e->arrived);
}

/* Receives from one destination or from all. Without memory the acknowledgements are still
 * received, at the end: their senders do not know. */
static void expect(struct expected *e, const struct shadow *s, int root, int one)
{
    size_t n = (size_t)(inject.ack_all ? s->size - 1 : 1);
    *e = (struct expected){.n = (int)n,
                           .request = malloc(n * sizeof *e->request),
                           .ack = malloc(n * sizeof *e->ack),
                           .from = malloc(n * sizeof *e->from),
                           .arrived = malloc(n * sizeof *e->arrived)};
    if (!e->request || !e->ack || !e->from || !e->arrived) {
        expect_free(e);
        *e = (struct expected){0};
        return;
    }
    for (int k = 0; k < e->n; k++) {
        e->from[k] = inject.ack_all ? (root + 1 + k) % s->size : one;
        PMPI_Irecv(&e->ack[k], sizeof *e->ack, MPI_BYTE, e->from[k], TAG_ACK, s->comm,
                   &e->request[k]);
    }
}

static int as_root(struct call *c, struct shadow *s, void *buffer, int count, MPI_Datatype type,
                   int root, MPI_Comm comm, int one)
{
    struct expected e;
    expect(&e, s, root, one);
    double entry = clock_now();
    c->entry = clock_ticks();
    int rc = replace_broadcast(s, buffer, count, type, root, comm);
    c->exit = clock_ticks();
    for (int k = 0, index; k < e.n; k++) {
        PMPI_Waitany(e.n, e.request, &index, MPI_STATUS_IGNORE);
        e.arrived[index] = clock_now();
    }
    for (int k = e.n; k < (inject.ack_all ? s->size - 1 : 1); k++) {
        struct ack ignored;
        PMPI_Recv(&ignored, sizeof ignored, MPI_BYTE, inject.ack_all ? (root + 1 + k) % s->size : one,
                  TAG_ACK, s->comm, MPI_STATUS_IGNORE);
    }
    struct ack_stream *stream = stream_of(s, root, call_bytes(count, type));
    for (int k = 0; k < e.n && prepare_round_trips(s); k++)
        keep(rc ? NULL : stream, e.from[k],
             e.arrived[k] - entry - round_trip(s, e.from[k]) / 2 - e.ack[k].hold,
             e.ack[k].entry - sync_global(inject.clock, entry), e.ack[k].inside);
    expect_free(&e);
    return rc;
}

static int as_destination(struct call *c, struct shadow *s, void *buffer, int count,
                          MPI_Datatype type, int root, MPI_Comm comm)
{
    double entry = clock_now();
    c->entry = clock_ticks();
    int rc = replace_broadcast(s, buffer, count, type, root, comm);
    c->exit = clock_ticks();
    double exit = clock_now();
    struct ack a = {.entry = sync_global(inject.clock, entry), .inside = exit - entry};
    a.hold = clock_now() - exit;
    PMPI_Send(&a, sizeof a, MPI_BYTE, root, TAG_ACK, s->comm);
    answer_round_trips(s, root);
    return rc;
}

int ack_broadcast(struct call *c, struct shadow *s, void *buffer, int count, MPI_Datatype type,
                  int root, MPI_Comm comm)
{
    int one = (int)((uint64_t)(root + 1) + s->broadcasts++ % (uint64_t)(s->size - 1)) % s->size;
    if (s->rank == root)
        return as_root(c, s, buffer, count, type, root, comm, one);
    if (inject.ack_all || s->rank == one)
        return as_destination(c, s, buffer, count, type, root, comm);
    c->entry = clock_ticks();
    int rc = replace_broadcast(s, buffer, count, type, root, comm);
    c->exit = clock_ticks();
    return rc;
}

/* --- what was found --- */

/* Late: entered when the fastest broadcast seen would have been over at that destination. */
static json_t *describe(const struct shadow *s, const struct ack_stream *a, int i)
{
    const struct ack_destination *d = a->to[i];
    double on_time[SAMPLES], inside[SAMPLES], fastest = INFINITY, lateness = 0;
    size_t n = 0;
    for (uint32_t k = 0; k < d->n; k++)
        fastest = fmin(fastest, d->latency[k]);
    for (uint32_t k = 0; k < d->n; k++) {
        inside[k] = d->inside[k];
        if (d->lateness[k] < fastest)
            on_time[n++] = d->latency[k];
        else
            lateness += d->lateness[k];
    }
    struct summary ol = stats_summarize(on_time, n);
    json_t *f = json_pack("{s:s, s:i, s:i, s:I, s:i, s:I, s:f}", "communicator", s->name, "ranks",
                          s->size, "root", a->root, "bytes", (json_int_t)a->largest,
                          "destination", i, "acknowledged", (json_int_t)d->seen, "late_percent",
                          100.0 * (double)(d->n - n) / d->n);
    if (f && n) {
        json_object_set_new(f, "ol_us", json_real(ol.median));
        json_object_set_new(f, "ol_low_us", json_real(ol.median_low));
        json_object_set_new(f, "ol_high_us", json_real(ol.median_high));
        json_object_set_new(f, "ol_p99_us", json_real(ol.p99));
    }
    if (f) {
        json_object_set_new(f, "inside_us", json_real(stats_median(inside, d->n)));
        json_object_set_new(f, "late_by_us",
                            d->n > n ? json_real(lateness / (double)(d->n - n)) : json_null());
        json_object_set_new(f, "rtl_us", json_real(s->round_trip[i] * 1e6));
    }
    return f;
}

void ack_close(struct shadow *s)
{
    while (s->acks) {
        struct ack_stream *a = s->acks;
        s->acks = a->next;
        for (int i = 0; a->to && i < s->size; i++) {
            if (a->to[i] && a->to[i]->n)
                shadow_finding(FINDING_ACK, describe(s, a, i));
            free(a->to[i]);
        }
        free(a->to);
        free(a);
    }
}
