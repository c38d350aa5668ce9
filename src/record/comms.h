/* Communicators: an identity that all members agree on, found without communication.
 *
 * The id of a communicator's *members* is a hash of their world ranks in order (of both groups for
 * an intercommunicator, the group of the lower leader first). Every member makes all communicators
 * of the same members in the same order, so (members, number of earlier ones) identifies one
 * communicator on all of them. A communicator whose creation was not intercepted is counted at its
 * first use. */
#pragma once

#include "record/layer.h"

struct internal_comm;

struct comm {
    uint64_t id;       /* identifies this communicator; 0 if unknown */
    uint64_t sequence; /* number of collectives so far */
    uint32_t index;    /* in the ledger */
    int size, rank;
    int *world; /* ranks in MPI_COMM_WORLD to which messages go, -1: unknown; or NULL */
    int others; /* number of elements of WORLD */
    bool inter;
    MPI_Comm handle;
    struct internal_comm *internal; /* for src/inject */
};

/* The name that the application has given; empty if none. */
void comm_given_name(MPI_Comm handle, char name[MPI_MAX_OBJECT_NAME + 1]);

/* Whether a collective waits for other ranks: in an intercommunicator even if the group has one
 * member. */
static inline bool comm_has_others(const struct comm *c)
{
    return c->size > 1 || c->inter;
}

/* Called by all members when a communicator is freed, before its record is; for injections. May be
 * NULL. */
extern void (*comm_forgotten)(struct comm *c);

/* Calls EACH for every existing communicator. */
void comms_each(void (*each)(struct comm *c, void *arg), void *arg);

int comms_start(void);

/* Adds a communicator just made at the call site SITE of the ledger. NULL for MPI_COMM_NULL or
 * without memory. */
struct comm *comm_add(MPI_Comm handle, uint32_t site);

static inline uint64_t comm_key(MPI_Comm handle)
{
    return (uint64_t)(uintptr_t)handle + 2;
}

/* NULL if it was not seen before. */
static inline struct comm *comm_find(MPI_Comm handle)
{
    return (struct comm *)index_find(&layer.comms, comm_key(handle));
}

/* The record of a valid communicator, made now if it was not seen before. */
static inline struct comm *comm_of(MPI_Comm handle)
{
    struct comm *c = handle == MPI_COMM_NULL ? NULL : comm_find(handle);
    return LIKELY(c != NULL) || handle == MPI_COMM_NULL ? c : comm_add(handle, LEDGER_NO_SITE);
}

#define RANK_UNKNOWN UINT32_MAX

/* The rank in MPI_COMM_WORLD to which messages to RANK on C go; or RANK_UNKNOWN. */
static inline uint32_t comm_world_rank(const struct comm *c, int rank)
{
    if (LIKELY(c->handle == MPI_COMM_WORLD))
        return rank >= 0 ? (uint32_t)rank : RANK_UNKNOWN;
    return c->world && rank >= 0 && rank < c->others ? (uint32_t)c->world[rank] : RANK_UNKNOWN;
}

/* Writes the name that the application has given, if any, into the ledger: the last one, or a
 * placeholder if communicators that share a row have different ones. */
void comm_record_name(const struct comm *c);
