/* A fake MPI for unit tests: the ranks are threads of the test's process, and time is virtual.
 *
 * Only one rank runs at a time, the one whose clock is least, until it calls MPI: every run is the
 * same, takes no real time to wait, and what a message costs is known exactly. Where no rank can
 * go on the run ends as a deadlock. It defines the PMPI_ functions that src/ calls, for predefined
 * datatypes; a function that a test needs and that is missing is a link error.
 *
 *   static void ring(int rank, void *arg) { ... PMPI_Send(...); ... }
 *   cr_assert(fake_mpi_run(4, ring, NULL, &(struct fake_network){.latency = 10e-6}));
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct fake_network {
    double latency;  /* seconds of a message of 0 bytes, from its sending to its arrival */
    double per_byte; /* seconds for each byte more */
    double overhead; /* seconds that a send occupies its sender */
    size_t eager;    /* larger messages wait for their receive to be posted; 0: none does */
    /* Seconds of a message on its way, instead of LATENCY and PER_BYTE; or NULL. */
    double (*way)(int from, int to, size_t bytes);
    int fails; /* the number, from 1 on, of each rank's collective call that is done and returns an
                  error; 0: none. Those that a collective consists of count, too */
    int split_fails; /* the rank whose MPI_Comm_split_type alone returns an error; 0: none */
    /* What rank's own clock shows at the true time T; or NULL: T. */
    double (*clock)(int rank, double t);
};

enum { FAKE_RANKS_MAX = 64 };

/* Runs MAIN as RANKS ranks (1 to FAKE_RANKS_MAX), each from time 0 on. False, with a line for each
 * rank that waits on stderr, if all that have not returned wait for ever. */
bool fake_mpi_run(int ranks, void (*main)(int rank, void *arg), void *arg,
                  const struct fake_network *network);

/* How many messages of the last run no rank has received. */
int fake_mpi_unreceived(void);

/* A program as a module that is linked with src/base and no MPI. */
struct fake_program {
    const char *module; /* file */
    int argc;
    char **argv;
};

/* Runs its main() as each of RANKS ranks, which have variables of their own; exit() ends the
 * calling rank. Returns the largest status of a rank; -1: a deadlock. */
int fake_mpi_program(int ranks, const struct fake_program *program,
                     const struct fake_network *network);

/* What the calling rank's clock shows. */
double fake_mpi_clock(void);

/* The true time of the calling rank, in seconds; lets it pass. */
double fake_mpi_now(void);
void fake_mpi_compute(double seconds);

/* How many collective calls the calling rank has made. */
int fake_mpi_collectives(void);

/* How many messages have been sent so far, in all. */
size_t fake_mpi_messages(void);
