/* The layer's internal communicators, one for each communicator of the application on which
 * injections act collectively, and the handshakes before these actions. */
#include "inject/injection.h"

#include "base/hash.h"
#include "base/quote.h"
#include "record/operations.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* COMMS_MAX: internal communicators at a time. COMM_WORTH: calls on a communicator before
 * injections act on it. */
enum { COMMS_MAX = 64, COMM_WORTH = 4 };

/* Timeout in seconds before a call that no rank leaves until all have entered: the application
 * would wait as long anyway. Not infinite, because ranks count differently after a call that failed
 * on some of them. */
static const double SYNCHRONIZED_TIMEOUT = 60;
/* Timeout in seconds at the end of the run, when all ranks are in MPI_Finalize. */
static const double END_TIMEOUT = 5;

static int comms_made;         /* internal communicators that exist */
static uint64_t comms_refused; /* communicators that got none because of the limit */
static uint64_t failed;        /* failed handshakes */
static char failed_at[400];    /* description of the first one */

/* GOOD: this rank can make one; members may have different numbers of communicators. The members
 * are given as a part of the group of layer.comm: MPICH 4.0 crashes in MPI_Comm_create_group on a
 * group that was not taken from that communicator. */
static MPI_Comm make_comm(const struct internal_comm *s, bool good)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Group of_layer, group;
    const int *ranks = s->of->world; /* NULL: no memory */
    for (int i = 0; ranks && i < s->size; i++)
        good &= ranks[i] >= 0;
    if (sync_all_have(s->of->handle, good && ranks))
        return made;
    PMPI_Comm_group(layer.comm, &of_layer);
    PMPI_Group_incl(of_layer, s->size, ranks, &group);
    if (PMPI_Comm_create_group(layer.comm, group, (int)(s->of->id % 30000), &made))
        made = MPI_COMM_NULL;
    PMPI_Group_free(&of_layer);
    PMPI_Group_free(&group);
    if (made != MPI_COMM_NULL)
        PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    return made;
}

static void name_of(const struct comm *c, char *name, size_t size)
{
    char given[MPI_MAX_OBJECT_NAME + 1];
    comm_given_name(c->handle, given);
    quote_plain(given); /* for findings, which are JSON */
    if (*given)
        snprintf(name, size, "%s", given);
    else
        snprintf(name, size, "a communicator of %d ranks", c->size);
}

struct internal_comm *internal_comm_of(struct comm *c)
{
    if (!c || c->inter || c->size < 2)
        return NULL;
    if (c->internal)
        return c->internal;
    struct internal_comm *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->of = c;
    s->comm = MPI_COMM_NULL;
    s->rank = c->rank;
    s->size = c->size;
    name_of(c, s->name, sizeof s->name);
    return c->internal = s;
}

static void note_failure(const struct collective *c)
{
    pthread_mutex_lock(&layer.lock);
    if (!failed++)
        snprintf(failed_at, sizeof failed_at, "%s on %s", mpi_functions[c->call->operation].name,
                 c->on->name);
    pthread_mutex_unlock(&layer.lock);
}

static bool shake_before(const struct collective *c)
{
    struct internal_comm *s = c->on;
    MPI_Comm comm = s->comm == MPI_COMM_NULL ? c->comm : s->comm;
    bool synchronizing = c->operation->kind == COLLECTIVE_ALL;
    uint64_t what =
        hash_mix(hash_mix((uint64_t)(c->operation - operations), (uint64_t)c->root), c->bytes);
    enum handshake_result all =
        handshake(&s->failed[s->failures], comm, what,
                  synchronizing ? SYNCHRONIZED_TIMEOUT : handshake_timeout(), !synchronizing);
    if (all == HANDSHAKE_TIMEOUT && s->rank == 0)
        note_failure(c);
    if (all == HANDSHAKE_DONE)
        return true;
    call_exclude(s->of->id, 1);
    s->excluded = ++s->failures == HANDSHAKE_FAILURES;
    return false;
}

/* Called after the first handshake. */
static void open_comm(struct internal_comm *s)
{
    bool good = __atomic_load_n(&comms_made, __ATOMIC_RELAXED) < COMMS_MAX;
    for (size_t i = 0; i < n_injections; i++) {
        const struct injection *j = injections[i];
        if (j->on)
            good = (s->kept[i] = calloc(1, j->keeps)) && good;
    }
    s->comm = make_comm(s, good);
    s->excluded = s->comm == MPI_COMM_NULL;
    if (s->excluded)
        __atomic_fetch_add(&comms_refused, s->rank == 0, __ATOMIC_RELAXED);
    else
        __atomic_fetch_add(&comms_made, 1, __ATOMIC_RELAXED);
}

void internal_comm_before(const struct collective *c)
{
    bool due[INJECTIONS_MAX] = {false}, any = false, together = false;
    struct internal_comm *s = c->on;
    for (size_t i = 0; i < n_injections; i++)
        any |= due[i] = injections[i]->on && injections[i]->wants(c);
    if (!any || !s || s->excluded || (s->comm == MPI_COMM_NULL && s->calls++ < COMM_WORTH))
        return;
    if (s->comm == MPI_COMM_NULL && (together = shake_before(c)))
        open_comm(s);
    if (s->comm == MPI_COMM_NULL)
        return;
    any = false;
    for (size_t i = 0; i < n_injections; i++)
        any |= due[i] = due[i] && injections[i]->due && injections[i]->due(c);
    if (!any || (!together && !shake_before(c)))
        return;
    for (size_t i = n_injections; i-- > 0;)
        if (due[i]) {
            double begin = clock_now();
            injections[i]->before(c);
            __atomic_fetch_add(&injections[i]->spent_ns, (uint64_t)(1e9 * (clock_now() - begin)),
                               __ATOMIC_RELAXED);
        }
}

/* A member may continue before others arrive, or free communicators in another order. Memory that
 * MPI may still use is not freed. */
static void close_comm(struct comm *c, double timeout)
{
    struct internal_comm *s = c->internal;
    if (!s)
        return;
    c->internal = NULL;
    bool any = s->comm != MPI_COMM_NULL;
    bool all = any && handshake(&s->end, s->comm, 0, timeout, true) == HANDSHAKE_DONE;
    for (size_t i = 0; i < n_injections; i++)
        if (injections[i]->on)
            injections[i]->close(s, all);
    bool over = all || !any;
    for (int i = 0; i < s->failures; i++)
        over = handshake_is_over(&s->failed[i], fmin(timeout, handshake_timeout())) && over;
    if (!over)
        return;
    if (any) {
        PMPI_Comm_free(&s->comm);
        __atomic_fetch_sub(&comms_made, 1, __ATOMIC_RELAXED);
    }
    free(s);
}

/* Excludes MPI_Comm_free from timing, since it waits here for the other members. */
static void close_freed(struct comm *c)
{
    if (c->internal && !thread.excluded.of)
        thread.excluded = (struct exclusion){c->id, 1, 1};
    close_comm(c, handshake_timeout());
}

void internal_comms_start(void)
{
    comm_forgotten = close_freed;
    struct internal_comm *world = internal_comm_of(comm_of(MPI_COMM_WORLD));
    if (layer.size > 1 && !sync_all_have(layer.comm, world != NULL))
        open_comm(world);
    else if (world)
        world->excluded = true;
}

static void least(struct comm *c, void *arg)
{
    struct comm **found = arg;
    if (c->internal && (!*found || c->id < (*found)->id))
        *found = c;
}

void internal_comms_end(void)
{
    struct comm *next;
    do {
        next = NULL;
        comms_each(least, &next);
        if (next)
            close_comm(next, END_TIMEOUT);
    } while (next);
    comm_forgotten = NULL;
    if (failed)
        injection_warn("ranks waited %.2g s for others before %llu call%s, first %s, and then "
                       "skipped the experiment (--ack, --benchmark, --tune, --bcast): a rank "
                       "arrives late, or the application leaves the call before all ranks enter it",
                       handshake_waited(), (unsigned long long)failed, failed > 1 ? "s" : "",
                       failed_at);
    if (comms_refused)
        injection_warn(
            "%llu communicator%s excluded from --ack, --benchmark, --tune and --bcast: the layer "
            "has at most %d internal communicators at a time, to leave enough to the application",
            (unsigned long long)comms_refused, comms_refused > 1 ? "s were" : " was", COMMS_MAX);
}
