/* The arithmetic of --ack; no MPI. A stream is the broadcasts of one size from one root on one
 * communicator, STREAM its identity. Which of its broadcasts are acknowledged, and by whom, is
 * computed by all members alike, without a message. The latency of its destinations follows from
 * these, without what late arrivals add to it:
 *
 * OL_i is from the root's entry to i's return when no rank on i's path was late. Here are the
 * entries and returns of all members, on one clock, so that for every broadcast and destination it
 * can be decided whether a late arrival may be in it:
 *
 *   - i does not depend on j if i once returned before j had even entered. Only such a proof clears
 *     j; on all others i may depend.
 *   - a message needs time: j is not late if it has entered by the time that a message from the
 *     root takes, half the shortest round trip seen. Later, it may delay those that depend on it,
 *     and by no more than what it is later.
 *
 * A broadcast is *clean* for i if no rank that i may depend on, i included, can have delayed it by
 * more than ACK_TOLERANCE of its latency. Only clean ones make the latency; without any it is not
 * known. Some libraries report to the sender of a large message that its receiver is ready; so
 * where there are broadcasts that all ranks were ready for by the time of a message *before* the
 * root entered, only these are taken, and where there are none this is marked. */
#ifndef COLLPROF_INJECT_ACK_JUDGE_H
#define COLLPROF_INJECT_ACK_JUDGE_H

#include "base/stats.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the stream's broadcast NUMBER (from 0) is acknowledged: one of EVERY, at a random
 * position among them. EVERY: at least 1. */
bool ack_is_chosen(uint64_t stream, uint64_t number, uint64_t every);

/* The member that acknowledges the stream's TURN-th acknowledged broadcast: in SIZE - 1 turns each
 * but ROOT once, from another one on in each round. */
int ack_destination(uint64_t stream, int size, int root, uint64_t turn);

#define ACK_TOLERANCE 0.005

/* One member in one acknowledged broadcast; global seconds. */
struct ack_stamp {
    double entry, exit;
    double hold;       /* from the return to the sending of the acknowledgement; NaN: none sent */
    double round_trip; /* of the acknowledgement and its echo, seen by its sender; NaN: none */
    double idle;       /* from its last return from MPI to the entry */
};

enum ack_arrival {
    ACK_SEEN,    /* the root was waiting for it */
    ACK_EARLY,   /* it was there when the root left its broadcast: it came by then, or before */
    ACK_GIVEN_UP /* it did not come while the root waited */
};

/* What the root saw of a broadcast's acknowledgement. */
struct ack_seen {
    int from;
    enum ack_arrival arrival;
    double after; /* E_i: seconds since the root's entry */
};

/* Times in seconds, NaN: not known; HIGH alone: a bound. */
struct ack_verdict {
    struct estimate acknowledged; /* E_i - hold - RTL_i/2 */
    struct estimate direct;       /* return of i - entry of the root */
    size_t clean;                 /* broadcasts that DIRECT is from */
    struct estimate round_trip;   /* RTL_i */
    double at_most;               /* for the median of the direct figure, with all ranks there */
    bool unready;     /* no rank was late, but in no broadcast all were ready: up to RTL_i of the
                         latency may be waiting for readiness to be reported */
    bool crowded;     /* most followed another call of the root: the latency alone may be less */
    int missing_rank; /* this rank was late in most of these broadcasts: with it there the latency
                         may be more; -1 */
    size_t asked, early, given_up; /* acknowledgements */
    size_t late;                   /* broadcasts that i itself entered late */
    double late_by;                /* median of i's entry - the root's over these; NaN */
};

/* SIZE members, N broadcasts; stamp[j * n + k] is member j in broadcast k, seen[k] its
 * acknowledgement. BOUND is the error between any two ranks' clocks. Fills verdict[0 .. size), the
 * root's with nothing known. False without memory. */
bool ack_judge(const struct ack_stamp *stamp, size_t n, int size, int root,
               const struct ack_seen *seen, double bound, struct ack_verdict *verdict);

/* V as a row of the profile, of destination I in so many BROADCASTS. */
json_t *ack_finding(const struct ack_verdict *v, int i, size_t broadcasts);

/* The median of N samples of which those that are bounds are only known to be at most their value,
 * with an interval that holds wherever they really are. NaN if half of them are bounds. Changes
 * VALUE. */
struct estimate ack_median(double *value, const bool *is_bound, size_t n);

#endif
