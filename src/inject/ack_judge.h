/* Computes the latencies of the application's broadcasts for --ack (doc/methods.md, section 1), and
 * which late ranks may have distorted them. Does not use MPI.
 *
 * A stream is all broadcasts of one size from one root on one communicator; STREAM is a hash of the
 * three. Each member computes from this hash and the broadcast's number whether the broadcast is
 * acknowledged and by which member, so the members need no message to agree.
 *
 * OL_i is the time from the root's entry to i's return when no rank on i's path was late. The entry
 * and return times of all members are known on one clock. They show for each broadcast and
 * destination i whether a late rank j may have delayed i:
 *
 *   - i does not depend on j if i returned before j entered in at least one broadcast. Otherwise
 *     i is assumed to depend on j.
 *   - j is late if it enters after a message from the root could have reached it, which takes half
 *     of j's shortest round trip. A late j may delay the ranks that depend on j.
 *
 * A rank that is late by less than ACK_TOLERANCE of i's latency counts as on time. */
#pragma once

#include "base/stats.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the stream's broadcast NUMBER (from 0) is acknowledged: one of each EVERY (at least 1)
 * consecutive broadcasts is, at a pseudo-random position. */
bool ack_is_chosen(uint64_t stream, uint64_t number, uint64_t every);

/* The member that acknowledges the stream's acknowledged broadcast TURN (from 0): round robin over
 * all members except ROOT. Each round of SIZE - 1 turns starts at a pseudo-random member. */
int ack_destination(uint64_t stream, int size, int root, uint64_t turn);

#define ACK_TOLERANCE 0.005

/* What may have distorted the latency to destination i in one broadcast, in order of harm. OL_i is
 * computed from the broadcasts with the lowest value only; unknown if that is ACK_DELAYED. */
enum ack_doubt {
    ACK_NO_DOUBT,
    ACK_CROWDED, /* the root's previous MPI call ended less than OL_i before: its messages may have
                    competed with those to i, so the latency may be too high */
    ACK_MISSING, /* a rank that i does not depend on was late: its messages did not compete with
                    those to i, so the latency may be too low */
    ACK_UNREADY, /* a rank that i may depend on entered less than a message time before the root,
                    or after it: in a rendezvous protocol up to RTL_i of the latency may be a wait
                    for that rank's reply */
    ACK_DELAYED  /* a rank that i may depend on, or i itself, was late */
};

/* Times of one member in one acknowledged broadcast, seconds; ENTRY, EXIT: on the global clock. */
struct ack_stamp {
    double entry, exit;
    double hold;       /* from EXIT to sending the acknowledgement; NaN if it sent none */
    double round_trip; /* RTL_i: from sending the acknowledgement to its echo; NaN if unknown */
    double idle;       /* from the end of the member's previous MPI call to ENTRY */
};

enum ack_arrival {
    ACK_SEEN,    /* the acknowledgement arrived while the root was waiting for it */
    ACK_EARLY,   /* arrived while the root was in the broadcast: AFTER is an upper bound */
    ACK_GIVEN_UP /* the root's timeout expired before the acknowledgement arrived */
};

/* The acknowledgement of a broadcast as seen by the root. */
struct ack_seen {
    int from;
    enum ack_arrival arrival;
    double after; /* E_i: seconds from the root's entry to the acknowledgement's arrival */
};

/* The result for destination i. Times are in seconds, NaN if unknown. An estimate of which only
 * HIGH is known is an upper bound. */
struct ack_verdict {
    struct estimate acknowledged; /* OL_i = E_i - HOLD - RTL_i/2, from medians */
    struct estimate direct;       /* OL_i = return of i - entry of the root, median */
    size_t clean;                 /* number of broadcasts of which DIRECT is the median */
    enum ack_doubt doubt;         /* what may have distorted each of these CLEAN broadcasts */
    int missing_rank; /* if ACK_MISSING: the latest rank in the last of these broadcasts */
    struct estimate round_trip; /* RTL_i */
    size_t asked, given_up;     /* acknowledgements requested, and those that timed out */
};

/* Computes verdict[i] for each of SIZE members from N broadcasts: stamp[j * n + k] is member j in
 * broadcast k, seen[k] the acknowledgement of broadcast k. BOUND: by how many seconds two members'
 * clocks may differ. The root's own verdict is unknown. False if there is no memory. */
bool ack_judge(const struct ack_stamp *stamp, size_t n, int size, int root,
               const struct ack_seen *seen, double bound, struct ack_verdict *verdict);

/* The element of "destinations" in profile.json (collprof-profile(5)) for destination I. The caller
 * owns it. */
json_t *ack_finding(const struct ack_verdict *v, int i);

/* The median and its 95 % interval of N samples, some of them left-censored: where IS_BOUND, the
 * true sample is between 0 and VALUE, and the interval allows for each such value. The median and
 * LOW are NaN if at least half of the samples are bounds. Overwrites VALUE. */
struct estimate ack_median(double *value, const bool *is_bound, size_t n);
