#include "record/comms.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct comm_table *comm_table;
void (*comm_made)(struct comm *c);
void (*comm_forgotten)(struct comm *c);

static int keyval = MPI_KEYVAL_INVALID;
static uint64_t used; /* slots that are not empty, freed ones included */

/* --- the table: written under layer.lock, read without --- */

static struct comm_table *table_new(uint64_t slots)
{
    struct comm_table *t = malloc(sizeof *t);
    if (!t)
        return NULL;
    t->slot = calloc(slots, sizeof *t->slot);
    t->mask = slots - 1;
    if (!t->slot) {
        free(t);
        return NULL;
    }
    return t;
}

static void table_put(struct comm_table *t, struct comm *c)
{
    uint64_t key = comm_key(c->handle), i = comm_hash(key);
    while (t->slot[i & t->mask].key > 1 && t->slot[i & t->mask].key != key)
        i++;
    struct comm_slot *slot = &t->slot[i & t->mask];
    used += slot->key == 0;
    slot->comm = c;
    __atomic_store_n(&slot->key, key, __ATOMIC_RELEASE);
}

/* A table half full of live and freed slots is made anew. Another thread may still be reading
 * the old one, so that is kept: it is as large as all its predecessors together, or was full of
 * freed slots, which takes that many communicators made and freed. */
static bool table_grow(void)
{
    uint64_t live = 0;
    for (uint64_t i = 0; i <= comm_table->mask; i++)
        live += comm_table->slot[i].key > 1;
    struct comm_table *old = comm_table;
    struct comm_table *t = table_new(live * 4 > old->mask ? 2 * (old->mask + 1) : old->mask + 1);
    if (!t)
        return false;
    used = 0;
    for (uint64_t i = 0; i <= old->mask; i++)
        if (old->slot[i].key > 1)
            table_put(t, old->slot[i].comm);
    __atomic_store_n(&comm_table, t, __ATOMIC_RELEASE);
    if (!layer.threaded) {
        free(old->slot);
        free(old);
    }
    return true;
}

/* Runs inside MPI_Comm_free, also where the wrapper of that was not called. */
static int on_delete(MPI_Comm handle, int key, void *value, void *extra)
{
    (void)key;
    (void)extra;
    struct comm *c = value;
    pthread_mutex_lock(&layer.lock);
    uint64_t wanted = comm_key(handle);
    for (uint64_t i = comm_hash(wanted); comm_table->slot[i & comm_table->mask].key; i++) {
        struct comm_slot *slot = &comm_table->slot[i & comm_table->mask];
        if (slot->key == wanted && slot->comm == c) {
            __atomic_store_n(&slot->key, 1, __ATOMIC_RELEASE);
            break;
        }
    }
    pthread_mutex_unlock(&layer.lock);
    if (comm_forgotten && layer.phase == LAYER_RUNNING)
        comm_forgotten(c);
    free(c);
    return MPI_SUCCESS;
}

/* --- identity --- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0xff51afd7ed558ccdull;
    return hash ^ hash >> 32;
}

/* The hash of a group's world ranks in order, and the world rank of its first. */
static uint64_t hash_group(MPI_Group group, int *leader)
{
    int n = 0;
    *leader = MPI_UNDEFINED;
    PMPI_Group_size(group, &n);
    uint64_t hash = mix(0x2545f4914f6cdd1dull, (uint64_t)n);
    int *local = malloc(2 * (size_t)(n ? n : 1) * sizeof *local), *world = local + n;
    if (local && layer.world != MPI_GROUP_NULL) {
        for (int i = 0; i < n; i++)
            local[i] = i;
        PMPI_Group_translate_ranks(group, n, local, layer.world, world);
        *leader = n ? world[0] : MPI_UNDEFINED;
        for (int i = 0; i < n; i++)
            hash = mix(hash, (uint64_t)(int64_t)world[i]);
    }
    free(local);
    return hash;
}

static void identify(struct comm *c, struct ledger_comm *l)
{
    MPI_Group group;
    int leader, other_leader, inter = 0, remote = 0;
    PMPI_Comm_test_inter(c->handle, &inter);
    PMPI_Comm_size(c->handle, &c->size);
    PMPI_Comm_rank(c->handle, &c->rank);
    PMPI_Comm_group(c->handle, &group);
    uint64_t hash = hash_group(group, &leader);
    PMPI_Group_free(&group);
    c->inter = inter;
    if (inter) {
        PMPI_Comm_remote_size(c->handle, &remote);
        PMPI_Comm_remote_group(c->handle, &group);
        uint64_t other = hash_group(group, &other_leader);
        PMPI_Group_free(&group);
        hash = leader < other_leader ? mix(mix(7, hash), other) : mix(mix(7, other), hash);
        leader = leader < other_leader ? leader : other_leader;
    }
    l->id = hash;
    l->size = (uint32_t)(c->size + remote);
    l->rank = (uint32_t)c->rank;
    l->root_world_rank = leader == MPI_UNDEFINED ? UINT32_MAX : (uint32_t)leader;
    l->flags = (inter ? LEDGER_COMM_INTER : 0) |
               (c->handle == MPI_COMM_WORLD ? LEDGER_COMM_WORLD : 0) |
               (c->size == 1 && !inter ? LEDGER_COMM_SELF : 0);
}

/* The ledger's communicator with these members, counted once more. */
static void number(struct comm *c, const struct ledger_comm *found)
{
    struct ledger_header *h = layer.ledger.header;
    struct ledger_comm *comms = layer.ledger.comms;
    uint32_t count = h->section[LEDGER_COMMS].count, i = 1;
    while (i < count && comms[i].id != found->id)
        i++;
    if (i == count && count == h->section[LEDGER_COMMS].capacity) {
        h->section[LEDGER_COMMS].dropped++;
        return; /* index LEDGER_NO_COMM, id 0 */
    }
    if (i == count) {
        comms[i] = *found;
        h->section[LEDGER_COMMS].count = count + 1;
    }
    c->index = i;
    c->id = mix(found->id, comms[i].created++) | 1;
}

/* --- public --- */

int comms_start(void)
{
    layer.ledger.header->section[LEDGER_COMMS].count = 1; /* LEDGER_NO_COMM */
    comm_table = table_new(64);
    if (!comm_table)
        return ENOMEM;
    return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &keyval, NULL) ? EIO : 0;
}

struct comm *comm_add(MPI_Comm handle)
{
    struct ledger_comm found = {0};
    if (handle == MPI_COMM_NULL)
        return NULL;
    struct comm *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->handle = handle;
    identify(c, &found);
    pthread_mutex_lock(&layer.lock);
    struct comm *there = comm_find(handle);
    bool room = there || 2 * used < comm_table->mask || table_grow();
    if (!there && room) {
        number(c, &found);
        table_put(comm_table, c);
    }
    pthread_mutex_unlock(&layer.lock);
    if (there || !room) {
        free(c);
        return there;
    }
    PMPI_Comm_set_attr(handle, keyval, c);
    return c;
}

void comms_each(void (*each)(struct comm *c, void *arg), void *arg)
{
    for (uint64_t i = 0; i <= comm_table->mask; i++)
        if (comm_table->slot[i].key > 1)
            each(comm_table->slot[i].comm, arg);
}

static void name(struct comm *c, void *arg)
{
    (void)arg;
    char given[MPI_MAX_OBJECT_NAME + 1] = "";
    int length = 0;
    if (c->index == LEDGER_NO_COMM)
        return;
    PMPI_Comm_get_name(c->handle, given, &length);
    struct ledger_comm *l = &layer.ledger.comms[c->index];
    if (*given && !*l->name)
        text_copy(l->name, sizeof l->name, given);
}

void comms_name(void)
{
    comms_each(name, NULL);
}
