/* A handshake of all members of a communicator before they do something together that the
 * application did not ask for. No rank is kept for ever: a member that has waited for its timeout
 * goes on without, and the others learn that from its answer. */
#ifndef COLLPROF_INJECT_HANDSHAKE_H
#define COLLPROF_INJECT_HANDSHAKE_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* The same on all members. */
enum handshake_result {
    HANDSHAKE_TIMEOUT,   /* some member did not come in time */
    HANDSHAKE_DISAGREED, /* members came to different calls: an error of the application */
    HANDSHAKE_DONE
};

/* Belongs to MPI until handshake_is_over(): it must stay where it is. */
struct handshake {
    MPI_Request here, agreed;
    uint64_t mine[3], all[3];
};

/* Seconds that a call waits for members which may come later than this rank leaves: 5, and in all
 * calls together 1 second and 1 % of the run. */
double handshake_timeout(void);

/* Collective over COMM, an intracommunicator: waits up to TIMEOUT seconds for all members. WHAT:
 * what this member is about to call. BOUNDED: a wait that times out counts for handshake_timeout().
 */
enum handshake_result handshake(struct handshake *h, MPI_Comm comm, uint64_t what, double timeout,
                                bool bounded);

/* Whether MPI is done with H, waiting up to TIMEOUT seconds. Open MPI ends a program that frees the
 * communicator before. */
bool handshake_is_over(struct handshake *h, double timeout);

/* Seconds that this rank has waited for members that did not come. */
double handshake_waited(void);

#endif
