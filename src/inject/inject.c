#include "inject/inject.h"

#include "inject/inject_inner.h"

#include "wrappers/operations.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* COMMS_MAX: of the layer's own communicators at a time. MPICH has about 2000 in all.
 * COMM_WORTH: collectives on a communicator before anything is done on it together. */
enum { FINDINGS_MAX = 2000, COMMS_MAX = 64, COMM_WORTH = 4 };

static int comms_made;         /* and not freed */
static uint64_t comms_refused; /* communicators that were left alone for lack of more */

static bool together;                       /* see struct injection */
static int met_keyval = MPI_KEYVAL_INVALID; /* see shadow_where_all_meet() */
static struct sync_clock *common_clock;

struct sync_clock *injection_clock(void)
{
    return common_clock;
}

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

static MPI_Comm make_comm(const struct shadow *s)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Group group = layer.comm == MPI_COMM_NULL ? MPI_GROUP_NULL : group_of(s);
    if (!agree(group != MPI_GROUP_NULL, s->of->handle))
        return MPI_COMM_NULL;
    int rc = PMPI_Comm_create_group(layer.comm, group, (int)(s->of->id % 30000), &made);
    PMPI_Group_free(&group);
    if (rc || made == MPI_COMM_NULL)
        return MPI_COMM_NULL;
    PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    return made;
}

MPI_Comm injection_comm(struct shadow *s)
{
    if (s->comm != MPI_COMM_NULL || s->comm_refused)
        return s->comm;
    bool allowed = __atomic_load_n(&comms_made, __ATOMIC_RELAXED) < COMMS_MAX;
    if (agree(allowed, s->of->handle))
        s->comm = make_comm(s);
    s->comm_refused = s->comm == MPI_COMM_NULL;
    if (!s->comm_refused)
        __atomic_fetch_add(&comms_made, 1, __ATOMIC_RELAXED);
    else
        __atomic_fetch_add(&comms_refused, 1, __ATOMIC_RELAXED);
    return s->comm;
}

void *injection_kept(const struct injection *self, struct shadow *s, size_t size)
{
    void **kept = &s->kept[self->index];
    if (*kept || injection_comm(s) == MPI_COMM_NULL)
        return *kept;
    *kept = calloc(1, size);
    if (!agree(*kept != NULL, s->comm)) {
        free(*kept);
        *kept = NULL;
    }
    return *kept;
}

void injection_found(struct injection *self, json_t *finding)
{
    pthread_mutex_lock(&layer.lock);
    if (!finding || json_array_size(self->findings) >= FINDINGS_MAX)
        json_decref(finding);
    else
        json_array_append_new(self->findings, finding);
    pthread_mutex_unlock(&layer.lock);
}

/* --- shadows --- */

static void name_of(const struct comm *c, char *name, size_t size)
{
    char given[MPI_MAX_OBJECT_NAME + 1] = "";
    int length;
    PMPI_Comm_get_name(c->handle, given, &length);
    if (*given)
        snprintf(name, size, "%s", given);
    else
        snprintf(name, size, "comm-%08x", (unsigned)(c->id & 0xffffffff));
}

/* NULL: nothing can be injected on this communicator. */
static struct shadow *shadow_of(struct comm *c)
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

/* How often a member that has no record of the communicator has met the others in it: kept as an
 * attribute. */
static uint64_t meetings_without_record(MPI_Comm comm)
{
    void *value = NULL;
    int found = 0;
    PMPI_Comm_get_attr(comm, met_keyval, &value, &found);
    uintptr_t before = found ? (uintptr_t)value : 0;
    PMPI_Comm_set_attr(comm, met_keyval, (void *)(before + 1));
    return before;
}

/* Where all members meet in a call: NULL on all if they have not yet met often enough, or if they
 * have to do something together and it is on one, for want of memory. *EARLY: the former. Each
 * counts for itself; nothing is sent before they have met so often. */
static struct shadow *shadow_where_all_meet(MPI_Comm comm, bool *early)
{
    struct comm *c = comm_of(comm);
    struct shadow *s = shadow_of(c);
    int inter = 0, size = 0;
    *early = false;
    if (!together || comm == MPI_COMM_NULL || (s && s->has_met) ||
        (c && !s && (c->inter || c->size < 2)))
        return s;
    if (PMPI_Comm_test_inter(comm, &inter) || inter || PMPI_Comm_size(comm, &size) || size < 2)
        return NULL;
    uint64_t meetings = s ? s->meetings++ : meetings_without_record(comm);
    uint64_t worth = comm == MPI_COMM_WORLD ? 0 : COMM_WORTH;
    *early = meetings < worth;
    if (meetings != worth || !agree(s != NULL, comm))
        return NULL;
    s->has_met = true;
    return s;
}

static void drop_shadow(struct comm *c)
{
    struct shadow *s = c->shadow;
    if (!s)
        return;
    c->shadow = NULL;
    for (size_t i = 0; i < n_injections; i++)
        if (injections[i]->on && injections[i]->close)
            injections[i]->close(s);
    if (s->comm != MPI_COMM_NULL) {
        PMPI_Comm_free(&s->comm);
        __atomic_fetch_sub(&comms_made, 1, __ATOMIC_RELAXED);
    }
    free(s);
}

/* --- beginning and end --- */

bool inject_together(void)
{
    return layer.inject && together;
}

void inject_start(struct sync_clock *clock)
{
    common_clock = clock;
    layer.inject = false;
    for (size_t i = 0; i < n_injections; i++) {
        struct injection *j = injections[i];
        j->index = (int)i;
        j->findings = json_array();
        j->on = j->start();
        layer.inject |= j->on;
        together |= j->on && j->together;
    }
    if (!layer.inject)
        return;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &met_keyval, NULL);
    comm_forgotten = drop_shadow;
}

static void least(struct comm *c, void *arg)
{
    struct comm **found = arg;
    if (c->shadow && (!*found || c->id < (*found)->id))
        *found = c;
}

/* Shadows are closed by all members together, so in an order that all agree on. */
static void drop_all(void)
{
    struct comm *next;
    do {
        next = NULL;
        comms_each(least, &next);
        if (next)
            drop_shadow(next);
    } while (next);
}

void inject_end(void)
{
    if (layer.inject)
        drop_all();
    for (size_t i = 0; i < n_injections; i++)
        if (injections[i]->on && injections[i]->finish)
            injections[i]->finish();
    comm_forgotten = NULL;
    layer.inject = false;
}

void inject_findings(void (*add)(void *arg, const char *kind, json_t *finding),
                     void (*warn)(void *arg, const char *text), void *arg)
{
    char text[240];
    if (comms_refused) {
        snprintf(text, sizeof text,
                 "%llu communicators were left alone: the layer makes no more than %d of its own "
                 "at a time, so that the application does not run out of them",
                 (unsigned long long)comms_refused, COMMS_MAX);
        warn(arg, text);
    }
    for (size_t k = 0; k < n_injections; k++) {
        struct injection *j = injections[k];
        size_t i;
        json_t *finding;
        json_array_foreach(j->findings, i, finding) add(arg, j->name, json_incref(finding));
        json_decref(j->findings);
        j->findings = NULL;
        if (*j->remark)
            warn(arg, j->remark);
        if (j->untreated) {
            snprintf(text, sizeof text,
                     "%s: some calls could not be treated and went to the library "
                     "(intercommunicator, argument out of range, or too many signatures)",
                     j->name);
            warn(arg, text);
        }
    }
}

/* --- calls --- */

/* From the inside out: an outer one may run what an inner one prepares. */
static void before(const struct collective *c)
{
    for (size_t i = n_injections; i-- > 0;)
        if (injections[i]->on && injections[i]->before)
            injections[i]->before(c);
}

/* What was done for the call until now is neither the library's time nor the application's. */
static void restart(struct call *call)
{
    uint64_t now = clock_ticks();
    thread.left += now - call->entry;
    call->entry = now;
}

void inject_before(struct call *call, MPI_Comm comm, int root, uint64_t bytes,
                   const struct operands *operands)
{
    bool early;
    struct shadow *s = shadow_where_all_meet(comm, &early);
    if (s)
        before(&(struct collective){.call = call,
                                    .on = s,
                                    .comm = comm,
                                    .root = root,
                                    .bytes = bytes,
                                    .operands = operands});
    restart(call);
}

struct injected *inject_started(struct call *call, MPI_Comm comm, int root, uint64_t bytes)
{
    struct shadow *s = shadow_of(comm_of(comm));
    struct injected *last = NULL;
    if (!s)
        return NULL;
    const struct collective c = {.call = call, .on = s, .comm = comm, .root = root, .bytes = bytes};
    for (size_t i = 0; i < n_injections; i++) {
        struct injected *one =
            injections[i]->on && injections[i]->started ? injections[i]->started(&c) : NULL;
        last = one ? one : last; /* no two of them remember a request */
    }
    return last;
}

void inject_begun(struct injected *i, const struct call *call)
{
    if (layer.inject)
        i->by->begun(i, call);
}

void inject_completed(struct injected *i, const struct call *call, bool tested, bool again)
{
    if (layer.inject)
        i->by->completed(i, call, tested, again);
}

static const struct injection *next_after(const struct injection *self)
{
    for (size_t i = self ? (size_t)self->index + 1 : 0; i < n_injections; i++)
        if (injections[i]->on && injections[i]->instead)
            return injections[i];
    return NULL;
}

bool injection_passes(const struct injection *self)
{
    return next_after(self) != NULL;
}

/* Counts beyond an int come by MPI_Bcast_c alone. */
static int library_broadcast(const struct collective *c)
{
#ifdef HAVE_MPI_Bcast_c
    if (c->count > INT_MAX)
        return PMPI_Bcast_c(c->buffer, c->count, c->type, c->root, c->comm);
#endif
    return PMPI_Bcast(c->buffer, (int)c->count, c->type, c->root, c->comm);
}

int injection_pass(const struct injection *self, const struct collective *c)
{
    const struct injection *next = next_after(self);
    c->call->exit = 0;
    restart(c->call);
    int rc = next ? next->instead(c) : library_broadcast(c);
    if (!c->call->exit)
        c->call->exit = clock_ticks();
    return rc;
}

/* Wrong arguments are for the library to find, and where there is nobody to send to, nothing is
 * missed. */
static void count_untreated(MPI_Comm comm)
{
    const struct comm *known = comm_find(comm);
    if (known && known->size == 1 && !known->inter)
        return;
    for (size_t i = 0; i < n_injections; i++)
        if (injections[i]->on)
            injection_untreated(injections[i]);
}

bool inject_broadcast(struct call *call, void *buffer, MPI_Count count, MPI_Datatype type, int root,
                      MPI_Comm comm, int *rc)
{
    bool fit = root >= 0 && count >= 0 && type != MPI_DATATYPE_NULL;
    bool early = false;
    /* What is refused on one rank the others may take part in. */
    struct shadow *s = shadow_where_all_meet(comm, &early);
    fit = fit && s && root < s->size;
    uint64_t bytes = fit ? call_bytes(count, type) : 0;
    if (!fit) {
        if (!early)
            count_untreated(comm);
        call->entry = clock_ticks();
        return false;
    }
    struct collective c = {.call = call,
                           .on = s,
                           .comm = comm,
                           .root = root,
                           .bytes = bytes,
                           .is_broadcast = true,
                           .buffer = buffer,
                           .count = count,
                           .type = type};
    before(&c);
    *rc = injection_pass(NULL, &c);
    return true;
}
