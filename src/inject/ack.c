/* Acknowledgements injected into the application: OL_i of its own broadcasts (methods.md section
 * 1; de Supinski and Karonis, section 4). Per broadcast one destination, in rotation, or all of
 * them, send an acknowledgement over the layer's communicator; the root has posted the receive
 * before. E_i is the time from the root's entry to the acknowledgement, RTL_i is measured once
 * for each pair, and
 *
 *     OL_i = E_i - RTL_i/2 - hold_i
 *
 * where hold_i is the time between i's return from the broadcast and its sending. Two kinds of
 * samples say nothing of that and are told apart:
 *
 *   late     the destination entered only after the data could have been there: its lateness is
 *            seen, not the broadcast. Entry times on the clock common to all ranks show it.
 *   early    the acknowledgement was there before the root had left its broadcast, so that E_i
 *            is the root's time (the paper's assumption, E_i > g_0, does not hold).
 *
 * Beside it stands the direct figure, exit of i minus entry of the root on the common clock,
 * which needs neither assumption but is only as good as that clock. */
#include "inject/list.h"

#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_ACK = 1, TAG_ROUND_TRIP = 2, ROUND_TRIPS = 21, WARM = 4, SAMPLES = 128 };

struct ack {
    double entry; /* into the broadcast, global seconds */
    double inside, hold;
};

struct sample {
    double latency;  /* E_i - RTL_i/2 - hold */
    double lateness; /* entry of the destination minus entry of the root */
    double inside;   /* the destination's time in the call */
    bool early;
};

/* Every stride-th sample is kept; when the room is used up, every second one of these. */
struct ack_destination {
    uint64_t seen;
    uint32_t n, stride;
    struct sample sample[SAMPLES];
};

/* Broadcasts of one root and size class. */
struct ack_stream {
    struct ack_stream *next;
    int root;
    unsigned size_class;
    uint64_t largest;
    struct ack_destination **to; /* per destination, made when first needed */
};

/* What is kept for a communicator. */
struct acks {
    uint64_t broadcasts; /* acknowledged ones so far: agreed on by all members */
    struct ack_stream *streams;
    double *round_trip; /* at a root, per destination; NaN: not measured */
    bool *answered;     /* at a destination, per root: its round trip was measured */
};

static bool acknowledge_all; /* every destination, every time */

static bool start(void)
{
    acknowledge_all = !strcmp(layer.settings.ack, "all");
    return *layer.settings.ack;
}

static struct ack_stream *stream_of(const struct shadow *s, struct acks *k, int root,
                                    uint64_t bytes)
{
    unsigned size_class = size_class_of(bytes);
    struct ack_stream *a = k->streams;
    while (a && (a->root != root || a->size_class != size_class))
        a = a->next;
    if (!a && (a = calloc(1, sizeof *a))) {
        a->to = calloc((size_t)s->size, sizeof *a->to);
        a->root = root;
        a->size_class = size_class;
        a->next = k->streams;
        k->streams = a;
    }
    if (a && bytes > a->largest)
        a->largest = bytes;
    return a && a->to ? a : NULL;
}

static void add_sample(struct ack_destination *d, struct sample sample)
{
    if (d->seen++ % d->stride)
        return;
    if (d->n == SAMPLES) {
        for (d->n = 0; d->n < SAMPLES / 2; d->n++)
            d->sample[d->n] = d->sample[2 * d->n];
        d->stride *= 2;
    }
    d->sample[d->n++] = sample;
}

/* --- round trips --- */

static void answer_round_trips(const struct shadow *s, struct acks *k, int root)
{
    struct ack a = {0};
    if (!k->answered)
        k->answered = calloc((size_t)s->size, sizeof *k->answered);
    if (!k->answered || k->answered[root])
        return;
    k->answered[root] = true;
    for (int i = 0; i < ROUND_TRIPS + WARM; i++) {
        PMPI_Recv(&a, sizeof a, MPI_BYTE, root, TAG_ROUND_TRIP, s->comm, MPI_STATUS_IGNORE);
        PMPI_Send(&a, sizeof a, MPI_BYTE, root, TAG_ROUND_TRIP, s->comm);
    }
}

static double round_trip(const struct shadow *s, struct acks *k, int destination)
{
    struct ack a = {0};
    double time[ROUND_TRIPS];
    if (!isnan(k->round_trip[destination]))
        return k->round_trip[destination];
    for (int i = -WARM; i < ROUND_TRIPS; i++) {
        double start = clock_now();
        PMPI_Send(&a, sizeof a, MPI_BYTE, destination, TAG_ROUND_TRIP, s->comm);
        PMPI_Recv(&a, sizeof a, MPI_BYTE, destination, TAG_ROUND_TRIP, s->comm, MPI_STATUS_IGNORE);
        if (i >= 0)
            time[i] = clock_now() - start;
    }
    return k->round_trip[destination] = stats_median(time, ROUND_TRIPS);
}

static bool prepare_round_trips(const struct shadow *s, struct acks *k)
{
    if (k->round_trip)
        return true;
    k->round_trip = malloc((size_t)s->size * sizeof *k->round_trip);
    for (int i = 0; k->round_trip && i < s->size; i++)
        k->round_trip[i] = NAN;
    return k->round_trip != NULL;
}

/* --- the two sides --- */

static void keep(struct ack_stream *stream, int i, struct sample sample)
{
    if (stream && !stream->to[i] && (stream->to[i] = calloc(1, sizeof **stream->to)))
        stream->to[i]->stride = 1;
    if (stream && stream->to[i])
        add_sample(stream->to[i], sample);
}

struct expected {
    int n;
    MPI_Request *request;
    struct ack *ack;
    int *from;
    double *arrived;
    bool *early;
};

static void expect_free(struct expected *e)
{
    free(e->request);
    free(e->ack);
    free(e->from);
    free(e->arrived);
    free(e->early);
}

/* Receives from one destination or from all. Without memory the acknowledgements are still
 * received, at the end: their senders do not know. */
static void expect(struct expected *e, const struct shadow *s, int root, int one)
{
    size_t n = (size_t)(acknowledge_all ? s->size - 1 : 1);
    *e = (struct expected){.n = (int)n,
                           .request = malloc(n * sizeof *e->request),
                           .ack = malloc(n * sizeof *e->ack),
                           .from = malloc(n * sizeof *e->from),
                           .arrived = malloc(n * sizeof *e->arrived),
                           .early = calloc(n, sizeof *e->early)};
    if (!e->request || !e->ack || !e->from || !e->arrived || !e->early) {
        expect_free(e);
        *e = (struct expected){0};
        return;
    }
    for (int k = 0; k < e->n; k++) {
        e->from[k] = acknowledge_all ? (root + 1 + k) % s->size : one;
        PMPI_Irecv(&e->ack[k], sizeof *e->ack, MPI_BYTE, e->from[k], TAG_ACK, s->comm,
                   &e->request[k]);
    }
}

/* Takes the acknowledgements. Those that are there at the first look came before the root left
 * its broadcast. */
static void await(struct expected *e)
{
    int index, flag;
    int left = e->n;
    for (int k = 0; k < e->n; k++) {
        PMPI_Test(&e->request[k], &flag, MPI_STATUS_IGNORE);
        if (flag) {
            e->arrived[k] = clock_now();
            e->early[k] = true;
            left--;
        }
    }
    for (; left > 0; left--) {
        PMPI_Waitany(e->n, e->request, &index, MPI_STATUS_IGNORE);
        e->arrived[index] = clock_now();
    }
}

static int as_root(const struct collective *c, struct acks *k, int one)
{
    const struct shadow *s = c->on;
    int n = acknowledge_all ? s->size - 1 : 1;
    struct expected e;
    expect(&e, s, c->root, one);
    double entry = clock_now();
    int rc = injection_pass(&ack_injection, c);
    await(&e);
    for (int i = e.n; i < n; i++) {
        struct ack ignored;
        int from = acknowledge_all ? (c->root + 1 + i) % s->size : one;
        PMPI_Recv(&ignored, sizeof ignored, MPI_BYTE, from, TAG_ACK, s->comm, MPI_STATUS_IGNORE);
    }
    struct ack_stream *stream = stream_of(s, k, c->root, c->bytes);
    for (int i = 0; i < e.n && prepare_round_trips(s, k); i++) {
        double e_i = e.arrived[i] - entry, rtl = round_trip(s, k, e.from[i]);
        if (rc == MPI_SUCCESS)
            keep(stream, e.from[i],
                 (struct sample){.latency = e_i - rtl / 2 - e.ack[i].hold,
                                 .lateness = e.ack[i].entry - sync_global(injection_clock(), entry),
                                 .inside = e.ack[i].inside,
                                 .early = e.early[i]});
    }
    expect_free(&e);
    return rc;
}

static int as_destination(const struct collective *c, struct acks *k)
{
    double entry = clock_now();
    int rc = injection_pass(&ack_injection, c);
    double exit = clock_now();
    struct ack a = {.entry = sync_global(injection_clock(), entry), .inside = exit - entry};
    a.hold = clock_now() - exit;
    PMPI_Send(&a, sizeof a, MPI_BYTE, c->root, TAG_ACK, c->on->comm);
    answer_round_trips(c->on, k, c->root);
    return rc;
}

static int instead(const struct collective *c)
{
    const struct shadow *s = c->on;
    struct acks *k = s->kept[ack_injection.index];
    if (!k)
        return injection_pass(&ack_injection, c);
    int one = (int)((uint64_t)(c->root + 1) + k->broadcasts++ % (uint64_t)(s->size - 1)) % s->size;
    if (s->rank == c->root)
        return as_root(c, k, one);
    if (acknowledge_all || s->rank == one)
        return as_destination(c, k);
    return injection_pass(&ack_injection, c);
}

static void before(const struct collective *c)
{
    if (c->is_broadcast)
        injection_kept(&ack_injection, c->on, sizeof(struct acks));
}

/* --- what was found --- */

static void set_us(json_t *finding, const char *key, double seconds, bool known)
{
    json_object_set_new(finding, key, known ? json_real(seconds * 1e6) : json_null());
}

/* Late: entered when the fastest broadcast seen would have been over at that destination. */
static json_t *describe(const struct shadow *s, const struct acks *k, const struct ack_stream *a,
                        int i)
{
    const struct ack_destination *d = a->to[i];
    double latency[SAMPLES], direct[SAMPLES], inside[SAMPLES], fastest = INFINITY, lateness = 0;
    size_t n = 0, on_time = 0, early = 0;
    for (uint32_t j = 0; j < d->n; j++)
        fastest = fmin(fastest, d->sample[j].lateness + d->sample[j].inside);
    for (uint32_t j = 0; j < d->n; j++) {
        const struct sample *x = &d->sample[j];
        inside[j] = x->inside;
        early += x->early;
        if (x->lateness >= fastest) {
            lateness += x->lateness;
            continue;
        }
        direct[on_time++] = x->lateness + x->inside;
        if (!x->early)
            latency[n++] = x->latency;
    }
    uint32_t late = d->n - (uint32_t)on_time;
    struct summary ol = stats_summarize(latency, n), exit = stats_summarize(direct, on_time);
    json_t *f = json_pack("{s:s, s:i, s:i, s:I, s:i, s:I}", "communicator", s->name, "ranks",
                          s->size, "root", a->root, "bytes", (json_int_t)a->largest, "destination",
                          i, "acknowledged", (json_int_t)d->seen);
    if (!f)
        return NULL;
    set_us(f, "ol_us", ol.median, n > 0);
    set_us(f, "ol_low_us", ol.median_low, n > 0);
    set_us(f, "ol_high_us", ol.median_high, n > 0);
    set_us(f, "direct_us", exit.median, on_time > 0);
    set_us(f, "inside_us", stats_median(inside, d->n), true);
    json_object_set_new(f, "late_percent", json_real(100.0 * late / d->n));
    set_us(f, "late_by_us", lateness / late, late > 0);
    json_object_set_new(f, "early_percent", json_real(100.0 * (double)early / d->n));
    set_us(f, "rtl_us", k->round_trip[i], true);
    return f;
}

static void close_shadow(struct shadow *s)
{
    struct acks *k = s->kept[ack_injection.index];
    if (!k)
        return;
    while (k->streams) {
        struct ack_stream *a = k->streams;
        k->streams = a->next;
        for (int i = 0; a->to && i < s->size; i++) {
            if (a->to[i] && a->to[i]->n)
                injection_found(&ack_injection, describe(s, k, a, i));
            free(a->to[i]);
        }
        free(a->to);
        free(a);
    }
    free(k->round_trip);
    free(k->answered);
    free(k);
}

struct injection ack_injection = {
    .name = "ack", .start = start, .before = before, .instead = instead, .close = close_shadow};
