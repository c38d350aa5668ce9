/* A handshake of all members of a communicator before the layer communicates among them. The
 * application did not request this communication, and a member may be late or never come: a member
 * whose timeout expires continues without this communication, and so do all others. */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* The result of a handshake, equal on all members. */
enum handshake_result {
    HANDSHAKE_TIMEOUT,   /* the timeout of at least one member expired */
    HANDSHAKE_DISAGREED, /* members are about to make different calls: an application error */
    HANDSHAKE_DONE
};

/* A handshake in progress. MPI writes to this struct until handshake_is_over() returns true: do not
 * move or free it before. */
struct handshake {
    MPI_Request here, agreed;
    uint64_t mine[3], all[3];
};

/* The timeout for the next handshake, in seconds: 5, or less, so that all waits that timed out take
 * at most 1 second + 1 % of the run so far in sum. */
double handshake_timeout(void);

/* Collective over COMM, an intracommunicator: waits up to TIMEOUT seconds for all members. WHAT: a
 * hash of the call that this member is about to make. BOUNDED: if the wait times out, it counts in
 * the sum that limits handshake_timeout(). */
enum handshake_result handshake(struct handshake *h, MPI_Comm comm, uint64_t what, double timeout,
                                bool bounded);

/* Waits up to TIMEOUT seconds for MPI to complete H's requests; false if they are still pending:
 * then COMM must not be freed, since Open MPI would abort. */
bool handshake_is_over(struct handshake *h, double timeout);

/* Seconds that this process's threads have spent in waits that timed out. */
double handshake_waited(void);
