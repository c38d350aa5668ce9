/* Acknowledgements injected into the application: OL_i of its own broadcasts (doc/methods.md,
 * section 1; de Supinski and Karonis, section 4).
 *
 * Of each stream (root, size) a few broadcasts are acknowledged, as many as --ack-share allows, by
 * one destination in its own random order, or by all. The root has posted the receive before; E_i
 * is the time from its entry to the acknowledgement. It echoes at once, so that the acknowledger
 * sees RTL_i as the acknowledgement really travelled. Every member notes its entry and return.
 * When the run ends, the root of a stream gets these from all and judges (ack_judge.h):
 *
 *     OL_i = E_i - hold_i - RTL_i/2, where hold_i is from i's return to its sending
 *
 * The application must not hang for this, whatever it does: nobody waits for a message that has
 * not been sent already, for longer than a stated time. All messages are smaller than what any MPI
 * sends without waiting for the receiver, and travel on the layer's own communicator of all ranks,
 * so no context is used up and no communicator made. */
#include "inject/ack_inner.h"
#include "inject/list.h"

#include "wrappers/operations.h"

#include <stdlib.h>
#include <string.h>

enum {
    STREAMS_MAX = 64, /* of a communicator, each with its own size; then one for each power of 2 */
    STREAMS_ALL = 512 /* then none */
};
/* Seconds that a root waits for acknowledgements: in MPI_Bcast, and in what completes another one,
 * where others may well come later. */
static const double PATIENCE = 0.05, POSTED_PATIENCE = 0.001;

/* What tells the streams of one root and size apart. Persistent broadcasts may be started in
 * another order on each rank, but are made in one: each is a stream. */
enum way { BLOCKING, POSTED, PERSISTENT /* the first, and so on */ };

static struct {
    bool all;    /* every destination, every time */
    int streams; /* of this root, being acknowledged: they share what --ack-share allows */
    double began;
    uint64_t broadcasts;     /* of this rank as root, in streams that nothing was acknowledged of */
    struct ack_stream *gone; /* of communicators that were freed; by id */
} run;

/* What is kept for a communicator. */
struct acks {
    struct ack_stream *streams;
    int n, persistent;
};

static bool start(void)
{
    run.all = !strcmp(layer.settings.ack, "all");
    run.began = clock_now();
    return *layer.settings.ack && layer.comm != MPI_COMM_NULL;
}

/* --- streams --- */

static struct ack_stream *stream_new(const struct shadow *s, uint64_t id, int way, int root,
                                     uint64_t bytes)
{
    struct ack_stream *a = calloc(1, sizeof *a);
    int *world = malloc((size_t)s->size * sizeof *world),
        *own = malloc((size_t)s->size * sizeof *own);
    MPI_Group group = MPI_GROUP_NULL, of_layer = MPI_GROUP_NULL;
    bool good = a && world && own && PMPI_Comm_group(s->of->handle, &group) == MPI_SUCCESS &&
                PMPI_Comm_group(layer.comm, &of_layer) == MPI_SUCCESS;
    for (int i = 0; good && i < s->size; i++)
        own[i] = i;
    good = good && PMPI_Group_translate_ranks(group, s->size, own, of_layer, world) == MPI_SUCCESS;
    for (int i = 0; good && i < s->size; i++)
        good = world[i] >= 0;
    if (group != MPI_GROUP_NULL)
        PMPI_Group_free(&group);
    if (of_layer != MPI_GROUP_NULL)
        PMPI_Group_free(&of_layer);
    free(own);
    if (!good) {
        free(a);
        free(world);
        return NULL;
    }
    *a = (struct ack_stream){.id = id,
                             .comm = s->of->index,
                             .operation = way == BLOCKING ? "MPI_Bcast"
                                          : way == POSTED ? "MPI_Ibcast"
                                                          : "MPI_Bcast_init",
                             .streams = &run.streams,
                             .lasts = way != BLOCKING,
                             .lock = PTHREAD_MUTEX_INITIALIZER,
                             .root = root,
                             .rank = s->rank,
                             .size = s->size,
                             .world = world,
                             .least = bytes,
                             .most = bytes,
                             .began = clock_now(),
                             .plan = {ACK_WORTH, 0, 0}};
    snprintf(a->name, sizeof a->name, "%s", s->name);
    return a;
}

/* NULL: there are too many, or no memory. A member without memory is one that never answers. */
static struct ack_stream *stream_of(struct shadow *s, enum way way, int root, uint64_t bytes)
{
    struct acks **kept = (struct acks **)&s->kept[ack_injection.index];
    if (!*kept && !(*kept = calloc(1, sizeof **kept)))
        return NULL;
    struct acks *k = *kept;
    uint64_t nth = (uint64_t)way + (way == PERSISTENT ? (uint64_t)k->persistent++ : 0);
    uint64_t base = ack_mix(ack_mix(s->of->id, (uint64_t)root), nth);
    uint64_t id = ack_mix(base, bytes), pooled = ack_mix(base, ~(uint64_t)size_class_of(bytes));
    for (struct ack_stream *a = k->streams; a; a = a->next)
        if (a->id == id || (k->n >= STREAMS_MAX && a->id == pooled))
            return a;
    if (k->n >= STREAMS_ALL)
        return NULL;
    struct ack_stream *a = stream_new(s, k->n >= STREAMS_MAX ? pooled : id, way, root, bytes);
    if (a) {
        a->next = k->streams;
        k->streams = a;
    }
    k->n++;
    return a;
}

/* --- the broadcast --- */

static void lock(struct ack_stream *a)
{
    if (layer.threaded)
        pthread_mutex_lock(&a->lock);
}

static void unlock(struct ack_stream *a)
{
    if (layer.threaded)
        pthread_mutex_unlock(&a->lock);
}

/* Seconds between the last return from MPI and the call's entry. */
static double idle_before(const struct call *call)
{
    return (double)ticks_to_ns(call->entry - thread.left) * 1e-9;
}

static int instead(const struct collective *c)
{
    struct ack_stream *a = NULL;
    struct ack_open o;
    double idle = idle_before(c->call);
    if (c->bytes == 0)
        return injection_pass(&ack_injection, c);
    if (!c->on->of->id || !(a = stream_of(c->on, BLOCKING, c->root, c->bytes))) {
        injection_untreated(&ack_injection);
        return injection_pass(&ack_injection, c);
    }
    lock(a);
    ack_begin(a, &o, c->bytes, run.all);
    unlock(a);
    int rc = injection_pass(&ack_injection, c);
    if (o.kind == ACK_NOTHING) {
        a->inside += (double)ticks_to_ns(c->call->exit - c->call->entry) * 1e-9;
        return rc;
    }
    o.left = clock_now();
    o.idle = idle;
    /* By the plan some member is late to this one, by an acknowledgement to the next. */
    call_keep_apart(c->on->of->id, o.kind == ACK_NOW ? 2 : 1);
    lock(a);
    ack_complete(&o, &(struct ack_end){o.begun, o.left, true, true, PATIENCE}, run.all);
    unlock(a);
    return rc;
}

/* --- what is begun in one call and completed in another --- */

struct posted {
    struct injected is; /* first */
    struct ack_open o;
    struct ack_stream *stream;
    uint64_t bytes, comm; /* its id */
    uint64_t left;        /* ticks */
};

/* Ticks of this moment or before, as clock_now() gives it. */
static double seconds_at(uint64_t ticks)
{
    return clock_now() - (double)ticks_to_ns(clock_ticks() - ticks) * 1e-9;
}

static void begun(struct injected *injected, const struct call *call)
{
    struct posted *p = (struct posted *)injected;
    struct ack_stream *a = p->stream;
    p->left = call->exit;
    lock(a);
    double entry = seconds_at(call->entry);
    ack_begin(a, &p->o, p->bytes, run.all);
    p->o.begun = entry;
    p->o.left = clock_now();
    p->o.idle = idle_before(call);
    p->o.next = a->open;
    a->open = &p->o;
    unlock(a);
}

static enum way way_of(const struct call *call)
{
    switch (call->operation) {
    case OP_Ibcast:
#ifdef HAVE_MPI_Ibcast_c
    case OP_Ibcast_c:
#endif
        return POSTED;
#ifdef HAVE_MPI_Bcast_init
    case OP_Bcast_init:
#endif
#ifdef HAVE_MPI_Bcast_init_c
    case OP_Bcast_init_c:
#endif
#if defined HAVE_MPI_Bcast_init || defined HAVE_MPI_Bcast_init_c
        return PERSISTENT;
#endif
    default:
        return BLOCKING;
    }
}

static struct injected *started(const struct collective *c)
{
    enum way way = way_of(c->call);
    if (way == BLOCKING || c->bytes == 0)
        return NULL;
    struct ack_stream *a = c->on->of->id ? stream_of(c->on, way, c->root, c->bytes) : NULL;
    struct posted *p = a ? calloc(1, sizeof *p) : NULL;
    if (!p) {
        injection_untreated(&ack_injection);
        return NULL;
    }
    *p = (struct posted){
        .is = {&ack_injection}, .stream = a, .bytes = c->bytes, .comm = c->on->of->id};
    if (way == POSTED) {
        begun(&p->is, c->call);
        if (p->o.kind != ACK_NOTHING)
            call_keep_apart(p->comm, 1);
    }
    return &p->is;
}

static void completed(struct injected *injected, const struct call *call, bool tested, bool again)
{
    struct posted *p = (struct posted *)injected;
    struct ack_stream *a = p->stream;
    struct ack_open **at = &a->open;
    lock(a);
    struct ack_end end = {.entry = seconds_at(call->entry),
                          .exit = seconds_at(call->exit),
                          .at_once = thread.left == p->left,
                          .may_wait = !tested,
                          .patience = POSTED_PATIENCE};
    while (*at && *at != &p->o)
        at = &(*at)->next;
    if (*at) {
        *at = p->o.next;
        ack_complete(&p->o, &end, run.all);
        if (p->o.kind != ACK_NOTHING)
            call_keep_apart(p->comm, 1);
    }
    unlock(a);
    if (!again)
        free(p);
}

/* --- the end --- */

void ack_stream_free(struct ack_stream *a)
{
    free(a->world);
    free(a->stamp);
    free(a->seen);
    free(a);
}

/* What has been acknowledged is judged at the end of the run, when all ranks meet. */
static void close_shadow(struct shadow *s, bool all)
{
    (void)all;
    struct acks *k = s->kept[ack_injection.index];
    while (k && k->streams) {
        struct ack_stream *a = k->streams;
        k->streams = a->next;
        if (!a->n && !a->pending && !a->lasts) {
            __atomic_fetch_add(&run.broadcasts, a->rank == a->root ? a->calls : 0,
                               __ATOMIC_RELAXED);
            ack_stream_free(a);
            continue;
        }
        pthread_mutex_lock(&layer.lock);
        struct ack_stream **at = &run.gone;
        while (*at && (*at)->id < a->id)
            at = &(*at)->next;
        a->next = *at;
        *at = a;
        pthread_mutex_unlock(&layer.lock);
    }
    free(k);
}

static void finish(void)
{
    ack_finish(run.gone, run.broadcasts, clock_now() - run.began);
    run.gone = NULL;
}

struct injection ack_injection = {.name = "ack",
                                  .start = start,
                                  .instead = instead,
                                  .started = started,
                                  .begun = begun,
                                  .completed = completed,
                                  .close = close_shadow,
                                  .finish = finish};
