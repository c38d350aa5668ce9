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
 * Lateness below ACK_TOLERANCE of i's latency is ignored. What is left to doubt about a broadcast
 * is ordered (enum ack_doubt): the latency is estimated from the broadcasts with the least doubt,
 * and unknown if each may be delayed. */
#pragma once

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

enum ack_doubt {
    ACK_NO_DOUBT,
    ACK_CROWDED, /* shortly after another call of the root, whose messages may have competed with
                    those to i: without it the latency may be lower */
    ACK_MISSING, /* a rank that i does not depend on was late: with it on time the latency may be
                    higher */
    ACK_UNREADY, /* not all ranks had entered one message time before the root: in a rendezvous
                    protocol up to RTL_i of the latency may be waiting for the receiver's reply */
    ACK_DELAYED  /* a rank that i may depend on, i included, was late */
};

/* One member in one acknowledged broadcast; seconds on the global clock. */
struct ack_stamp {
    double entry, exit;
    double hold; /* from its return to sending the acknowledgement; NaN if none was sent */
    double
        round_trip; /* of the acknowledgement and its echo, timed by its sender; NaN if unknown */
    double idle;    /* from its previous return from MPI to its entry */
};

enum ack_arrival {
    ACK_SEEN,    /* it arrived while the root was waiting for it */
    ACK_EARLY,   /* it had arrived before the root left its broadcast: AFTER is an upper bound */
    ACK_GIVEN_UP /* it did not arrive while the root waited */
};

/* The acknowledgement of a broadcast as seen by the root. */
struct ack_seen {
    int from;
    enum ack_arrival arrival;
    double after; /* E_i: seconds since the root's entry */
};

/* Times are in seconds, NaN if unknown. An estimate with only HIGH is an upper bound. */
struct ack_verdict {
    struct estimate acknowledged; /* E_i - hold - RTL_i/2 */
    struct estimate direct;       /* return of i - entry of the root */
    size_t clean;                 /* number of broadcasts that DIRECT is based on */
    enum ack_doubt doubt;         /* about each of them */
    int missing_rank;             /* ACK_MISSING: the late rank in one of them */
    struct estimate round_trip;   /* RTL_i */
    size_t asked, given_up;       /* numbers of acknowledgements */
};

/* Judges N broadcasts among SIZE members: stamp[j * n + k] is member j in broadcast k, seen[k] its
 * acknowledgement. BOUND is the error between any two ranks' clocks. Fills verdict[0 .. size); the
 * root's has only unknown values. False if there is no memory. */
bool ack_judge(const struct ack_stamp *stamp, size_t n, int size, int root,
               const struct ack_seen *seen, double bound, struct ack_verdict *verdict);

/* Makes a finding of the profile from V, for destination I. The caller owns it. */
json_t *ack_finding(const struct ack_verdict *v, int i);

/* The median of N samples, some of them left-censored: where IS_BOUND, the true value is at most
 * VALUE. The 95 % interval holds whatever the true values are. NaN if half of the samples are
 * bounds. Overwrites VALUE. */
struct estimate ack_median(double *value, const bool *is_bound, size_t n);
