/* One-way latencies and round trips of the small message that an acknowledgement is. Private to
 * src/measure. */
#ifndef COLLPROF_MEASURE_PING_H
#define COLLPROF_MEASURE_PING_H

#include "measure/series.h"

/* What an acknowledgement carries, and every ping: they must have one size, since the time of one
 * is subtracted from the other. */
struct ack {
    double held; /* seconds that it was held back, on the sender's clock */
    double exit; /* common clock: when the sender left the operation, or sent a ping; 0: unknown */
};
enum { ACK_DOUBLES = 2 };

enum ping_what {
    PING_TRIP, /* there and back; needs no clock but the timer's */
    PING_HALF, /* half of it: the one-way latency, if the two are alike */
    PING_BACK  /* from the peer to the timer, as their common clock shows it */
};

struct ping {
    enum ping_what what;
    MPI_Comm comm;
    int timer, peer;          /* ranks: who sends first and reads the clock, and who answers */
    int keeper;               /* of the series */
    double clock_cost;        /* of this rank */
    double (*now)(void *arg); /* the common clock, for PING_BACK; otherwise NULL */
    void *now_arg;
    double *scratch; /* the timer's: room for one double per operation of a batch */
};

/* A batch of exchanges between the two, the first of them untimed, while the others wait at
 * the next order. ARG is a struct ping. */
int batch_ping(void *arg, const struct batch *b, double *value, int *n, double *loop);

/* Takes N values from rank FROM to the keeper's VALUE and sets their mean. Called by both, others
 * return at once; MINE is FROM's. */
int values_to_keeper(MPI_Comm comm, int from, int keeper, const double *mine, double *value, int n,
                     double *loop);

#endif
