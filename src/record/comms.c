#include "record/comms.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

void (*comm_forgotten)(struct comm *c);

static int keyval = MPI_KEYVAL_INVALID;

/* Whether Open MPI has generated NAME: its number may differ in the next run. */
static bool is_made_up(const char *name)
{
    return !strncmp(name, "MPI COMM", 8) || !strncmp(name, "MPI_COMMUNICATOR ", 17);
}

void comm_given_name(MPI_Comm handle, char name[MPI_MAX_OBJECT_NAME + 1])
{
    int length;
    if (PMPI_Comm_get_name(handle, name, &length) || is_made_up(name))
        *name = '\0';
}

void comm_record_name(const struct comm *c)
{
    char given[MPI_MAX_OBJECT_NAME + 1];
    struct ledger_comm *l = &layer.ledger.comms[c->index];
    comm_given_name(c->handle, given);
    if (c->index == LEDGER_NO_COMM || !*given)
        return;
    pthread_mutex_lock(&layer.lock);
    bool other = l->created > 1 && *l->name && strncmp(l->name, given, sizeof l->name - 1);
    text_copy(l->name, sizeof l->name, other ? LEDGER_SEVERAL_NAMES : given);
    pthread_mutex_unlock(&layer.lock);
}

/* A callback that MPI calls when a communicator is freed, even if no wrapper has seen that. */
static int on_delete(MPI_Comm handle, int key, void *value, void *extra)
{
    (void)key;
    (void)extra;
    struct comm *c = value;
    pthread_mutex_lock(&layer.lock);
    index_remove(&layer.comms, comm_key(handle), (uintptr_t)c);
    pthread_mutex_unlock(&layer.lock);
    if (comm_forgotten && layer.phase == LAYER_RUNNING)
        comm_forgotten(c);
    free(c->world);
    free(c);
    return MPI_SUCCESS;
}

/* Returns the world ranks of GROUP's *N members in order (-1: unknown), an array that the caller
 * frees; NULL without memory or MPI_COMM_WORLD's group. Adds them to HASH. Frees GROUP. */
static int *world_ranks(MPI_Group group, int *n, uint64_t *hash)
{
    PMPI_Group_size(group, n);
    const size_t bytes = (size_t)(*n ? *n : 1) * sizeof(int);
    FREED int *local = malloc(bytes);
    int *world = malloc(bytes);
    *hash = hash_mix(*hash, (uint64_t)*n);
    for (int i = 0; local && i < *n; i++)
        local[i] = i;
    if (!local || !world || layer.world == MPI_GROUP_NULL) {
        free(world);
        world = NULL;
    } else {
        PMPI_Group_translate_ranks(group, *n, local, layer.world, world);
    }
    for (int i = 0; world && i < *n; i++) {
        world[i] = world[i] == MPI_UNDEFINED ? -1 : world[i];
        *hash = hash_mix(*hash, (uint64_t)(int64_t)world[i]);
    }
    PMPI_Group_free(&group);
    return world;
}

/* Fills C and L with what MPI knows of C->handle. */
static void identify(struct comm *c, struct ledger_comm *l)
{
    MPI_Group group;
    int inter = 0;
    uint64_t hash = 0x2545f4914f6cdd1dull, other = hash;
    PMPI_Comm_test_inter(c->handle, &inter);
    PMPI_Comm_size(c->handle, &c->size);
    PMPI_Comm_rank(c->handle, &c->rank);
    PMPI_Comm_group(c->handle, &group);
    c->inter = inter;
    c->world = world_ranks(group, &c->others, &hash);
    int leader = c->world && c->others ? c->world[0] : -1;
    l->size = (uint32_t)c->size;
    if (inter) {
        free(c->world);
        PMPI_Comm_remote_group(c->handle, &group);
        c->world = world_ranks(group, &c->others, &other);
        int other_leader = c->world && c->others ? c->world[0] : -1;
        bool first = leader < other_leader;
        hash = first ? hash_mix(hash_mix(7, hash), other) : hash_mix(hash_mix(7, other), hash);
        leader = first ? leader : other_leader;
        l->first = (uint32_t)(first ? c->size : c->others);
        l->rank = first ? 0 : l->first;
        l->size += (uint32_t)c->others;
    }
    l->id = hash;
    l->rank += (uint32_t)c->rank;
    l->root_world_rank = (uint32_t)leader;
    l->flags =
        (inter ? LEDGER_COMM_INTER : 0) | (c->handle == MPI_COMM_WORLD ? LEDGER_COMM_WORLD : 0);
}

/* Communicators that one call site creates with the same members have up to four ledger elements:
 * each of the first three has its own, and all others share the fourth. */
enum { ROWS = 4 };

/* Finds or adds the ledger's element for C, counts C there, and sets C's index and id. The id has
 * the number of earlier communicators with these members, equal on all members (see comms.h). */
static void number(struct comm *c, struct ledger_comm *found)
{
    struct ledger_comm *comms = layer.ledger.comms, *row = NULL, *last = NULL;
    const uint32_t count = layer.ledger.header->section[LEDGER_COMMS].count;
    uint64_t before = 0;
    for (uint32_t i = 1; i < count; i++) {
        if (comms[i].id != found->id)
            continue;
        before += comms[i].created;
        if (comms[i].site == found->site) {
            last = &comms[i];
            found->copy++;
        }
    }
    if (found->copy < ROWS && (!last || ledger_grow(&layer.ledger, LEDGER_COMMS)))
        row = ledger_append(&layer.ledger, LEDGER_COMMS, found);
    row = row ?: last;
    if (!row) /* the table is full: C keeps id 0 */
        return;
    row->created++;
    c->index = (uint32_t)(row - comms);
    c->id = hash_mix(found->id, before) | 1;
}

int comms_start(void)
{
    return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &keyval, NULL) ? EIO : 0;
}

struct comm *comm_add(MPI_Comm handle, uint32_t site)
{
    struct ledger_comm found = {.site = site};
    if (handle == MPI_COMM_NULL)
        return NULL;
    struct comm *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->handle = handle;
    identify(c, &found);
    pthread_mutex_lock(&layer.lock);
    struct comm *there = comm_find(handle);
    if (!there)
        number(c, &found);
    bool room = there || index_put(&layer.comms, comm_key(handle), (uintptr_t)c, layer.threaded);
    pthread_mutex_unlock(&layer.lock);
    if (there || !room) {
        free(c->world);
        free(c);
        return there;
    }
    PMPI_Comm_set_attr(handle, keyval, c);
    comm_record_name(c);
    return c;
}

void comms_each(void (*each)(struct comm *c, void *arg), void *arg)
{
    const struct index_table *t = layer.comms.table;
    for (uint64_t i = 0; i <= t->mask; i++)
        if (t->slot[i].key >= INDEX_LEAST_KEY)
            each((struct comm *)t->slot[i].value, arg);
}
