/* The arithmetic of --ack; no MPI. A stream is the sequence of broadcasts of one size from one root
 * on one communicator; STREAM is its identity. All members compute alike, without a message, which
 * of its broadcasts are acknowledged, and by which member. From these broadcasts the latency to
 * each destination is estimated, excluding the delay of late arrivals:
 *
 * OL_i is the time from the root's entry to i's return when no rank on i's path was late. The
 * entries and returns of all members are known on one clock. So it can be decided for every
 * broadcast and destination whether a late arrival may have delayed it:
 *
 *   - i does not depend on j if i once returned before j had entered. Without such a proof, i may
 *     depend on j.
 *   - j is on time if it enters no later than a message from the root could reach it: half the
 *     shortest round trip after the root's entry. If it enters later, it may delay the ranks that
 *     depend on it, by at most its own lateness.
 *
 * A broadcast is *clean* for i if no rank that i may depend on, i included, can have delayed it by
 * more than ACK_TOLERANCE of its latency. The latency is estimated from clean broadcasts only;
 * without any it is unknown. In a rendezvous protocol the receiver of a large message reports that
 * it is ready. So broadcasts in which all ranks had entered at least one message time *before* the
 * root are preferred; if there are none, the result is marked UNREADY. */
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

/* The member that acknowledges the stream's TURN-th acknowledged broadcast: round robin over all
 * members except ROOT. Each round of SIZE - 1 turns starts at a pseudo-random member. */
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
    ACK_SEEN,    /* it arrived while the root was waiting for it */
    ACK_EARLY,   /* it had arrived before the root left its broadcast: AFTER is an upper bound */
    ACK_GIVEN_UP /* it did not arrive while the root waited */
};

/* What the root saw of a broadcast's acknowledgement. */
struct ack_seen {
    int from;
    enum ack_arrival arrival;
    double after; /* E_i: seconds since the root's entry */
};

/* Times are in seconds; NaN: unknown. An estimate with HIGH alone is an upper bound. */
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

/* V as a row of the profile, for destination I. BROADCASTS: number of acknowledged broadcasts. */
json_t *ack_finding(const struct ack_verdict *v, int i, size_t broadcasts);

/* The median of N samples, some of them left-censored: where IS_BOUND, the true value is at most
 * VALUE. The 95 % interval holds whatever the true values are. NaN if half of the samples are
 * bounds. Overwrites VALUE. */
struct estimate ack_median(double *value, const bool *is_bound, size_t n);

#endif
