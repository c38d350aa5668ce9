/* A handshake of all members of a communicator before they do something together that the
 * application did not request. No rank waits for ever: a member whose timeout expires continues
 * alone, and the others learn that from its answer. */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* The result is the same on all members. */
enum handshake_result {
    HANDSHAKE_TIMEOUT,   /* some member did not arrive in time */
    HANDSHAKE_DISAGREED, /* members are about to make different calls: the application's error */
    HANDSHAKE_DONE
};

/* Must not move or be freed until handshake_is_over(), since MPI uses it. */
struct handshake {
    MPI_Request here, agreed;
    uint64_t mine[3], all[3];
};

/* Longest wait in seconds for the other members: 5, but in all waits that timed out together at
 * most 1 second and 1 % of the run. */
double handshake_timeout(void);

/* Collective over COMM, an intracommunicator: waits up to TIMEOUT seconds for all members. WHAT:
 * identifies the call that this member is about to make. BOUNDED: a wait that times out is charged
 * to handshake_timeout(). */
enum handshake_result handshake(struct handshake *h, MPI_Comm comm, uint64_t what, double timeout,
                                bool bounded);

/* Whether MPI has finished with H; waits up to TIMEOUT seconds. Open MPI ends a program that frees
 * the communicator earlier. */
bool handshake_is_over(struct handshake *h, double timeout);

/* Seconds that this rank has waited for members that did not arrive. */
double handshake_waited(void);
