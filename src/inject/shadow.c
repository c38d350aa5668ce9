/* Communicators on which members do something together: what is kept for them, and how they meet.
 */
#include "inject/again.h"
#include "inject/inject_inner.h"
#include "sync/politely.h"

#include "base/hash.h"
#include "base/names.h"
#include "base/quote.h"
#include "wrappers/operations.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* COMMS_MAX: of the layer's own communicators at a time. MPICH has about 2000 in all.
 * COMM_WORTH: calls on a communicator before anything is done on it together. */
enum { COMMS_MAX = 64, COMM_WORTH = 4 };

/* Seconds that members wait for each other before a call that some may leave before others enter
 * it: an application may count on that. Who has waited in vain for so much of the run, and some,
 * waits no more. SYNCHRONIZED_PATIENCE: before one that none leaves sooner; longer, not for ever,
 * because a call that failed on some ranks alone makes them count calls differently. */
static const double PATIENCE = 5, SYNCHRONIZED_PATIENCE = 60, VAIN_SHARE = 0.05;
static const double VAIN_MOST = 15;
/* At the end, when all are there, but for what an application's mistake has put out of step. */
static const double END_PATIENCE = 20;

static double began;
static uint64_t vain_ns; /* waited for members who did not come */

static int comms_made;  /* and not freed ... */
static int comms_stuck; /* ... since members did not meet when the application freed theirs */
static uint64_t comms_refused; /* communicators that were left alone for lack of more */
static uint64_t came_late;     /* calls that members came too late to */
static char late_to[400];      /* the first of them */

static int met_keyval = MPI_KEYVAL_INVALID; /* see call_without_record() */

/* The members may have different numbers of communicators, so they have to agree; on the
 * application's communicator, in one of its collectives, all members meet in the same order. */
static bool agree(bool mine, MPI_Comm comm)
{
    int good = mine, all = 0;
    return PMPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS && all;
}

/* The members, as a part of the group of layer.comm: MPICH 4.0 crashes in MPI_Comm_create_group on
 * a group that was not taken from the communicator given. */
static MPI_Group group_of(const struct shadow *s)
{
    MPI_Group of_layer, theirs, group = MPI_GROUP_NULL;
    int *own = malloc(2 * (size_t)s->size * sizeof *own), *ranks = own + s->size;
    if (!own)
        return MPI_GROUP_NULL;
    for (int i = 0; i < s->size; i++)
        own[i] = i;
    PMPI_Comm_group(layer.comm, &of_layer);
    PMPI_Comm_group(s->of->handle, &theirs);
    bool good = !PMPI_Group_translate_ranks(theirs, s->size, own, of_layer, ranks);
    for (int i = 0; good && i < s->size; i++)
        good = ranks[i] >= 0;
    if (good)
        PMPI_Group_incl(of_layer, s->size, ranks, &group);
    PMPI_Group_free(&of_layer);
    PMPI_Group_free(&theirs);
    free(own);
    return group;
}

/* GOOD: as far as this rank knows one may be made. */
static MPI_Comm make_comm(const struct shadow *s, bool good)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Group group = layer.comm == MPI_COMM_NULL ? MPI_GROUP_NULL : group_of(s);
    if (!agree(good && group != MPI_GROUP_NULL, s->of->handle)) {
        if (group != MPI_GROUP_NULL)
            PMPI_Group_free(&group);
        return MPI_COMM_NULL;
    }
    int rc = PMPI_Comm_create_group(layer.comm, group, (int)(s->of->id % 30000), &made);
    PMPI_Group_free(&group);
    if (rc || made == MPI_COMM_NULL)
        return MPI_COMM_NULL;
    PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    return made;
}

static void name_of(const struct comm *c, char *name, size_t size)
{
    char given[MPI_MAX_OBJECT_NAME + 1];
    comm_given_name(c->handle, given);
    quote_plain(given); /* in findings, which are JSON */
    if (*given)
        snprintf(name, size, "%s", given);
    else
        snprintf(name, size, "a communicator of %d ranks", c->size);
}

struct shadow *shadow_of(struct comm *c)
{
    if (!c || c->inter || c->size < 2)
        return NULL;
    if (c->shadow)
        return c->shadow;
    struct shadow *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->of = c;
    s->comm = MPI_COMM_NULL;
    s->rank = c->rank;
    s->size = c->size;
    name_of(c, s->name, sizeof s->name);
    return c->shadow = s;
}

/* --- all members together --- */

enum outcome { LATE, DISAGREED, REFUSED, MET };

static double patience(void)
{
    double vain = 1e-9 * (double)__atomic_load_n(&vain_ns, __ATOMIC_RELAXED);
    return vain < VAIN_MOST + VAIN_SHARE * (clock_now() - began) ? PATIENCE : 0;
}

/* WHAT: members who come to different calls are an application's mistake, which is the library's to
 * find. Nobody is kept for ever: who has waited so long says that it goes on without, and never
 * waits for the others' answer; who finds all there knows that all will answer. Both operations
 * complete behind its back, for all members come to the call some time. */
static enum outcome meet(struct meeting *m, MPI_Comm comm, enum outcome mine, uint64_t what,
                         double most)
{
    bool here;
    double start = clock_now();
    wait_politely_for(PMPI_Ibarrier(comm, &m->here), &m->here, most, &here);
    m->mine[0] = here ? mine : LATE;
    m->mine[1] = what;
    m->mine[2] = ~what;
    int rc = PMPI_Iallreduce(m->mine, m->all, 3, MPI_UINT64_T, MPI_MIN, comm, &m->agreed);
    enum outcome all = here && !wait_politely(rc, &m->agreed) ? (enum outcome)m->all[0] : LATE;
    if (all == MET && m->all[1] != ~m->all[2])
        all = DISAGREED;
    if (all == LATE && most <= PATIENCE)
        __atomic_fetch_add(&vain_ns, (uint64_t)(1e9 * (clock_now() - start)), __ATOMIC_RELAXED);
    return all;
}

/* Who cannot leave the call before all have entered it waits for them anyway. */
static double patience_before(const struct collective *c)
{
    const struct again_kind *kind = again_find(c->call->operation);
    const char *name = mpi_functions[c->call->operation].name;
    bool synchronized = kind && !again_varies(kind) && collective_kind(name) == COLLECTIVE_ALL;
    return synchronized ? SYNCHRONIZED_PATIENCE : patience();
}

static bool meet_before(const struct collective *c)
{
    struct shadow *s = c->on;
    MPI_Comm comm = s->comm == MPI_COMM_NULL ? c->comm : s->comm;
    bool varies = c->operands && again_varies(again_find(c->call->operation));
    uint64_t what = hash_mix(hash_mix(again_plain(c->call->operation), (uint64_t)c->root),
                             varies ? 0 : c->bytes);
    enum outcome all = meet(&s->meeting[s->late], comm, MET, what, patience_before(c));
    if (all == LATE && s->rank == 0) {
        pthread_mutex_lock(&layer.lock);
        if (!came_late++)
            snprintf(late_to, sizeof late_to, "%s on %s", mpi_functions[c->call->operation].name,
                     s->name);
        pthread_mutex_unlock(&layer.lock);
    }
    if (all <= DISAGREED) {
        call_keep_apart(s->of->id, 1);
        s->late++;
    }
    s->left_alone = all == REFUSED || s->late == TRIES;
    return all == MET;
}

/* All members are here. */
static void open_shadow(struct shadow *s)
{
    bool good = __atomic_load_n(&comms_made, __ATOMIC_RELAXED) < COMMS_MAX;
    for (size_t i = 0; i < n_injections; i++) {
        const struct injection *j = injections[i];
        if (j->on && j->keeps)
            good = (s->kept[i] = calloc(1, j->keeps)) && good;
    }
    s->comm = make_comm(s, good);
    s->left_alone = s->comm == MPI_COMM_NULL;
    if (s->left_alone)
        __atomic_fetch_add(&comms_refused, s->rank == 0, __ATOMIC_RELAXED);
    else
        __atomic_fetch_add(&comms_made, 1, __ATOMIC_RELAXED);
}

/* A member that has no record of the communicator says so when the others want to meet there. How
 * many calls there were is kept as an attribute. */
static void call_without_record(const struct collective *c)
{
    const struct comm *known = comm_find(c->comm);
    void *value = NULL;
    int found = 0, inter = 0, size = 0;
    if (c->comm == MPI_COMM_NULL || c->comm == MPI_COMM_WORLD ||
        (known && (known->inter || known->size < 2)) || PMPI_Comm_test_inter(c->comm, &inter) ||
        inter || PMPI_Comm_size(c->comm, &size) || size < 2)
        return;
    PMPI_Comm_get_attr(c->comm, met_keyval, &value, &found);
    uintptr_t calls = found ? (uintptr_t)value : 0, last = COMM_WORTH + TRIES;
    bool due = calls >= COMM_WORTH && calls < last;
    static bool spare_taken; /* it may have no record because it has no memory */
    static struct meeting spare;
    struct meeting *m = due ? malloc(sizeof *m) : NULL;
    if (due && !m && !__atomic_exchange_n(&spare_taken, true, __ATOMIC_ACQUIRE))
        m = &spare;
    bool told = m && meet(m, c->comm, REFUSED, 0, patience_before(c)) != LATE;
    if (told && m == &spare) /* otherwise the library may still be writing there: it stays */
        __atomic_store_n(&spare_taken, false, __ATOMIC_RELEASE);
    else if (told)
        free(m);
    PMPI_Comm_set_attr(c->comm, met_keyval, (void *)(told ? last : calls + 1));
}

/* From the inside out: an outer one may run what an inner one prepares. */
void shadow_before(const struct collective *c)
{
    bool due[INJECTIONS_MAX] = {false}, any = false, met = false;
    struct shadow *s = c->on;
    for (size_t i = 0; i < n_injections; i++)
        any |= due[i] = injections[i]->on && injections[i]->wants && injections[i]->wants(c);
    if (any && !s)
        call_without_record(c);
    if (!any || !s || s->left_alone)
        return;
    if (s->comm == MPI_COMM_NULL) {
        if (s->calls++ < COMM_WORTH || !(met = meet_before(c)))
            return;
        open_shadow(s);
    }
    if (s->left_alone)
        return;
    any = false;
    for (size_t i = 0; i < n_injections; i++)
        any |= due[i] = due[i] && injections[i]->due(c);
    if (!any || (!met && !meet_before(c)))
        return;
    for (size_t i = n_injections; i-- > 0;)
        if (due[i])
            injections[i]->before(c);
}

/* A meeting that is not over by now is the library's: its memory stays. Open MPI ends a program
 * that frees a communicator before; it is over when the last member has come to the call, if it
 * ever does: no more is waited for that in all. */
static bool is_over(struct meeting *m)
{
    static uint64_t waited_ns;
    double waited = 1e-9 * (double)__atomic_load_n(&waited_ns, __ATOMIC_RELAXED);
    bool here, agreed = false;
    double start = clock_now(), most = fmax(0, END_PATIENCE - waited);
    wait_politely_for(0, &m->here, most, &here);
    if (here)
        wait_politely_for(0, &m->agreed, fmax(0, most - (clock_now() - start)), &agreed);
    if (!agreed)
        __atomic_fetch_add(&waited_ns, (uint64_t)(1e9 * (clock_now() - start)), __ATOMIC_RELAXED);
    return agreed;
}

/* MOST: seconds. A member may go on from here before others come, or free communicators in an order
 * of its own. */
static void drop(struct comm *c, double most)
{
    struct shadow *s = c->shadow;
    if (!s)
        return;
    c->shadow = NULL;
    bool any = s->comm != MPI_COMM_NULL, over = true;
    bool all = any && meet(&s->meeting[TRIES], s->comm, MET, 0, most) == MET;
    for (size_t i = 0; i < n_injections; i++)
        if (injections[i]->on && injections[i]->close)
            injections[i]->close(s, all);
    for (int i = 0; i < s->late; i++)
        over = is_over(&s->meeting[i]) && over;
    over = over && (all || !any);
    if (!over) {
        if (any && s->rank == 0)
            __atomic_fetch_add(&comms_stuck, 1, __ATOMIC_RELAXED);
        return;
    }
    if (s->comm != MPI_COMM_NULL) {
        PMPI_Comm_free(&s->comm);
        __atomic_fetch_sub(&comms_made, 1, __ATOMIC_RELAXED);
    }
    free(s);
}

static void drop_shadow(struct comm *c)
{
    drop(c, patience());
}

/* --- beginning and end --- */

void shadows_start(bool together)
{
    began = clock_now();
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &met_keyval, NULL);
    comm_forgotten = drop_shadow;
    struct shadow *world = together ? shadow_of(comm_of(MPI_COMM_WORLD)) : NULL;
    if (together && layer.size > 1 && agree(world != NULL, layer.comm))
        open_shadow(world);
    else if (world)
        world->left_alone = true;
}

static void least(struct comm *c, void *arg)
{
    struct comm **found = arg;
    if (c->shadow && (!*found || c->id < (*found)->id))
        *found = c;
}

/* Shadows are closed by all members together, so in an order that all agree on. */
void shadows_end(bool together)
{
    struct comm *next;
    MPI_Request all_here;
    if (together)
        wait_politely(PMPI_Ibarrier(layer.comm, &all_here), &all_here);
    do {
        next = NULL;
        comms_each(least, &next);
        if (next)
            drop(next, END_PATIENCE);
    } while (next);
    comm_forgotten = NULL;
}

void shadows_warn(void (*warn)(void *arg, const char *text), void *arg)
{
    char text[1200];
    if (came_late) {
        snprintf(text, sizeof text,
                 "ranks waited for others before %s and then went on without what --benchmark "
                 "and --bcast do there: either some come more than %g s late (%g s where none can "
                 "leave before all are there), or the application counts on leaving the call "
                 "before others enter it (%llu such call%s; after %d on a communicator no more is "
                 "tried there, and after %g s in all and %g %% of the run nobody waits for "
                 "those who may leave, but up to %g s where a communicator is freed)",
                 late_to, PATIENCE, SYNCHRONIZED_PATIENCE, (unsigned long long)came_late,
                 came_late > 1 ? "s" : "", TRIES, VAIN_MOST, 100 * VAIN_SHARE, END_PATIENCE);
        warn(arg, text);
    }
    if (comms_refused) {
        int length = snprintf(
            text, sizeof text,
            "%llu communicator%s left alone: the layer makes no more than %d of its own "
            "at a time, so that the application does not run out of them",
            (unsigned long long)comms_refused, comms_refused > 1 ? "s were" : " was", COMMS_MAX);
        if (comms_stuck)
            snprintf(text + length, sizeof text - (size_t)length,
                     "; %d could not be freed, since members did not meet when the application "
                     "freed its own",
                     comms_stuck);
        warn(arg, text);
    }
}
