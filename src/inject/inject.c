#include "inject/inject.h"

#include "inject/shadow.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FINDINGS_MAX = 2000 };
static const char *const kind_name[FINDING_KINDS] = {"ack", "benchmark", "broadcast"};

struct inject inject;

void shadow_finding(enum finding_kind kind, json_t *finding)
{
    pthread_mutex_lock(&layer.lock);
    if (!finding || json_array_size(inject.findings[kind]) >= FINDINGS_MAX)
        json_decref(finding);
    else
        json_array_append_new(inject.findings[kind], finding);
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

static void add_shadow(struct comm *c)
{
    if (c->inter || c->size < 2 || c->shadow)
        return;
    struct shadow *s = calloc(1, sizeof *s);
    if (!s || PMPI_Comm_dup(c->handle, &s->comm)) {
        free(s);
        return;
    }
    PMPI_Comm_set_errhandler(s->comm, MPI_ERRORS_RETURN);
    s->rank = c->rank;
    s->size = c->size;
    name_of(c, s->name, sizeof s->name);
    c->shadow = s;
}

static void drop_shadow(struct comm *c)
{
    struct shadow *s = c->shadow;
    if (!s)
        return;
    c->shadow = NULL;
    ack_close(s);
    replace_close(s);
    PMPI_Comm_free(&s->comm);
    free(s->round_trip);
    free(s->answered);
    free(s);
}

/* --- beginning and end --- */

void inject_start(const struct sync_clock *clock)
{
    const struct settings *set = &layer.settings;
    inject.clock = clock;
    inject.ack = *set->ack != '\0';
    inject.ack_all = !strcmp(set->ack, "all");
    inject.benchmark = *set->benchmark && benchmark_start(set->benchmark);
    bool replaced = *set->bcast && replace_start(set->bcast, set->latencies);
    for (int k = 0; k < FINDING_KINDS; k++)
        inject.findings[k] = json_array();
    layer.inject = inject.ack || inject.benchmark || replaced;
    if (!layer.inject)
        return;
    comm_made = add_shadow;
    comm_forgotten = drop_shadow;
    add_shadow(comm_find(MPI_COMM_WORLD));
}

/* Shadows are closed by all members together, so in an order that all agree on. */
struct comm_list {
    struct comm **at;
    size_t n, room;
};

static void list(struct comm *c, void *arg)
{
    struct comm_list *l = arg;
    if (c->shadow && l->n < l->room)
        l->at[l->n++] = c;
}

static void count(struct comm *c, void *arg)
{
    struct comm_list *l = arg;
    l->room += c->shadow != NULL;
}

static int by_id(const void *a, const void *b)
{
    uint64_t x = (*(struct comm *const *)a)->id, y = (*(struct comm *const *)b)->id;
    return (x > y) - (x < y);
}

static void drop_all(void)
{
    struct comm_list l = {0};
    comms_each(count, &l);
    l.at = calloc(l.room + 1, sizeof *l.at);
    if (!l.at)
        return;
    comms_each(list, &l);
    qsort(l.at, l.n, sizeof *l.at, by_id);
    for (size_t i = 0; i < l.n; i++)
        drop_shadow(l.at[i]);
    free(l.at);
}

void inject_end(void)
{
    if (layer.inject)
        drop_all();
    comm_made = comm_forgotten = NULL;
    layer.inject = false;
}

void inject_findings(void (*add)(void *arg, const char *kind, json_t *finding),
                     void (*warn)(void *arg, const char *text), void *arg)
{
    char text[240];
    for (int k = 0; k < FINDING_KINDS; k++) {
        size_t i;
        json_t *finding;
        json_array_foreach(inject.findings[k], i, finding)
            add(arg, kind_name[k], json_incref(finding));
        json_decref(inject.findings[k]);
        inject.findings[k] = NULL;
        if (inject.untreated[k]) {
            snprintf(
                text, sizeof text,
                "%s: some calls could not be treated and went to the library "
                "(communicator not seen made, intercommunicator, argument out of range, or more "
                "than %d signatures)",
                kind_name[k], SIGNATURES_MAX);
            warn(arg, text);
        }
    }
}

/* --- calls --- */

static struct shadow *shadow_of(MPI_Comm comm)
{
    const struct comm *c = comm == MPI_COMM_NULL ? NULL : comm_find(comm);
    return c ? c->shadow : NULL;
}

static void untreated(enum finding_kind kind)
{
    __atomic_fetch_add(&inject.untreated[kind], 1, __ATOMIC_RELAXED);
}

void inject_before(struct call *c, MPI_Comm comm, int root, uint64_t bytes)
{
    struct shadow *s = shadow_of(comm);
    if (inject.benchmark && s)
        benchmark_collective(s, c->operation, root, bytes);
    c->entry = clock_ticks();
}

bool inject_broadcast(struct call *c, void *buffer, MPI_Count count, MPI_Datatype type, int root,
                      MPI_Comm comm, int *rc)
{
    struct shadow *s = shadow_of(comm);
    /* Wrong arguments are for the library to find. */
    bool fit = s && root >= 0 && root < s->size && count >= 0 && count <= INT_MAX &&
               type != MPI_DATATYPE_NULL;
    uint64_t bytes = fit ? call_bytes(count, type) : 0;
    if (!fit || bytes > INT_MAX) {
        const struct comm *known = comm_find(comm);
        if (!known || known->size > 1 || known->inter)
            untreated(inject.ack         ? FINDING_ACK
                      : inject.benchmark ? FINDING_BENCHMARK
                                         : FINDING_BROADCAST);
        c->entry = clock_ticks();
        return false;
    }
    replace_prepare(s, root, bytes);
    if (inject.benchmark)
        benchmark_broadcast(s, buffer, (int)count, type, root, bytes);
    if (inject.ack) {
        *rc = ack_broadcast(c, s, buffer, (int)count, type, root, comm);
        return true;
    }
    c->entry = clock_ticks();
    *rc = replace_broadcast(s, buffer, (int)count, type, root, comm);
    c->exit = clock_ticks();
    return true;
}
