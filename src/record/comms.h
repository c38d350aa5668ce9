/* Communicators, each with an id that is equal on all members and is found without communication.
 *
 * The members are identified by a hash of their world ranks in order (in an intercommunicator of
 * both groups, first the group whose rank 0 has the lower world rank). All members create the
 * communicators of the same members in the same order, so the id is a hash of the members and the
 * number of earlier communicators with them. A communicator whose creation was not intercepted is
 * counted at its first use. */
#pragma once

#include "record/layer.h"

struct internal_comm;

struct comm {
    uint64_t id;       /* equal on all members; 0 if the table was full */
    uint64_t sequence; /* number of collectives on this communicator so far */
    uint32_t index;    /* of its ledger_comm in the ledger */
    int size, rank;
    int *world; /* world rank of each possible destination, -1: unknown; NULL: all unknown */
    int others; /* length of WORLD: SIZE, or in an intercommunicator the remote group's size */
    bool inter;
    MPI_Comm handle;
    struct internal_comm *internal; /* its duplicate for measurements (src/inject); NULL: none */
};

/* Sets NAME to the name that the application has given to HANDLE; empty if none. */
void comm_given_name(MPI_Comm handle, char name[MPI_MAX_OBJECT_NAME + 1]);

/* Whether a collective on C involves other ranks: on an intercommunicator it always does. */
static inline bool comm_has_others(const struct comm *c)
{
    return c->size > 1 || c->inter;
}

/* A callback of src/inject (NULL: none): MPI frees a communicator, after which C is freed. */
extern void (*comm_forgotten)(struct comm *c);

/* Calls EACH for every existing communicator. */
void comms_each(void (*each)(struct comm *c, void *arg), void *arg);

/* Call it before the functions below. Returns 0 or EIO. */
int comms_start(void);

/* Adds the communicator HANDLE, created at call site SITE (LEDGER_NO_SITE: unknown), unless it is
 * known. Returns its struct; NULL for MPI_COMM_NULL or without memory. MPI_Comm_free frees it. */
struct comm *comm_add(MPI_Comm handle, uint32_t site);

static inline uint64_t comm_key(MPI_Comm handle)
{
    return (uint64_t)(uintptr_t)handle + 2;
}

/* The communicator with this handle, which may be invalid; NULL if it was not added. */
static inline struct comm *comm_find(MPI_Comm handle)
{
    return (struct comm *)index_find(&layer.comms, comm_key(handle));
}

/* The communicator with this valid handle, added if it is not known; NULL: see comm_add(). */
static inline struct comm *comm_of(MPI_Comm handle)
{
    struct comm *c = handle == MPI_COMM_NULL ? NULL : comm_find(handle);
    return LIKELY(c != NULL) || handle == MPI_COMM_NULL ? c : comm_add(handle, LEDGER_NO_SITE);
}

#define RANK_UNKNOWN UINT32_MAX

/* The world rank of RANK on C (of an intercommunicator: in the remote group); or RANK_UNKNOWN. */
static inline uint32_t comm_world_rank(const struct comm *c, int rank)
{
    if (LIKELY(c->handle == MPI_COMM_WORLD))
        return rank >= 0 ? (uint32_t)rank : RANK_UNKNOWN;
    return c->world && rank >= 0 && rank < c->others ? (uint32_t)c->world[rank] : RANK_UNKNOWN;
}

/* Writes the name that the application has given C into the ledger; LEDGER_SEVERAL_NAMES if another
 * communicator that shares C's element has another name. */
void comm_record_name(const struct comm *c);
