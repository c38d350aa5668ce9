/* Where the time of a run is spent: POP's parallel efficiency and its factors. */
#pragma once

#include "profile/profile.h"

/* Useful time is time outside of MPI. With C(r) of rank r, over n ranks, and the run time T, from
 * MPI_Init to MPI_Finalize of the rank where that is longest, both without --ack and the like:
 *   load balance = mean C / max C     communication efficiency = max C / T
 *   parallel efficiency = mean C / T = load balance x communication efficiency
 * With a trace, and T0 the run time of its replay on an ideal network:
 *   serialisation = max C / T0        transfer = T0 / T
 *   communication efficiency = serialisation x transfer
 * Shares are of n x T. */
struct efficiency {
    bool known; /* false if a rank was killed in a call, or has several threads in MPI at once */
    double run; /* T, seconds */
    double compute; /* useful share: the parallel efficiency */
    double waiting; /* share that certainly is waiting for other ranks */
    double other;   /* remaining share in MPI: transfer, and waiting that is not recognized */
    double load_balance, communication;
    double serialisation, transfer; /* NAN if unknown */
    double mean, most;              /* of C, seconds */
};

struct efficiency efficiency_of(const struct profile *p);

/* "66.0 % = load balance 71.0 % x serialisation 98.0 % x transfer 95.0 %", or with communication if
 * these two are unknown. E must be known. */
enum { EFFICIENCY_TEXT = 120 };
const char *efficiency_text(const struct efficiency *e, char text[EFFICIENCY_TEXT]);

/* PART: the parts that a rank's wall time consists of, in ns: outside of MPI; at least so much
 * waiting; messages, collectives and other time in MPI; measurements by collprof. NaN: unknown, as
 * for a rank that was killed in a call, or no measurements. MOST: as in struct efficiency. */
enum { RANK_PARTS = 6 };
void rank_parts(const struct profile_rank *r, double most, double part[RANK_PARTS]);
