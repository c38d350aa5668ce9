/* Ways and round trips of the small message that a go or an acknowledgement is. Private to
 * src/measure. */
#ifndef COLLPROF_MEASURE_PING_H
#define COLLPROF_MEASURE_PING_H

#include "measure/series.h"

/* What an acknowledgement carries, and the go of a mirrored measurement, and every ping: they must
 * have one size, since the time of one is subtracted from the other. */
struct ack {
    double held; /* seconds it was held back, on the sender's clock; of a ping's answer: how long
                    the question was on its way */
    double exit; /* common clock: when the sender left the operation, or sent a ping; 0: not
                    looked at */
};
enum { ACK_DOUBLES = 2 };

enum ping_what {
    PING_TRIP, /* there and back; needs no clock but the timer's */
    PING_HALF, /* half of it: a way, if the two are alike */
    PING_OUT,  /* from the timer to the peer, as their common clock shows it */
    PING_BACK  /* from the peer to the timer */
};

struct ping {
    enum ping_what what;
    MPI_Comm comm;
    int timer, peer;          /* ranks: who sends first and looks at the clock, and who answers */
    int keeper;               /* of the series */
    double clock_cost;        /* of this rank */
    double (*now)(void *arg); /* the common clock; for PING_OUT and PING_BACK */
    void *now_arg;
    double *scratch; /* the timer's: room for one double per operation of a batch */
};

/* A batch of exchanges between the two, the first of them untimed, while the others wait at
 * the next order. ARG is a struct ping. */
int batch_ping(void *arg, const struct batch *b, double *value, int *n, double *loop);

/* Takes N values from rank FROM to the keeper's VALUE and sets their mean; nothing to do where
 * they are one and the same. Called by both; MINE is FROM's. */
int values_to_keeper(MPI_Comm comm, int from, int keeper, const double *mine, double *value, int n,
                     double *loop);

#endif
