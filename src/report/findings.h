/* The findings of a run. The screen, the full report, the page, JSON and the tests use the same
 * ones. To add one: a function in one of the files findings*.c and doubts.c, and its line in the
 * list at the end of findings.c. */
#pragma once

#include "report/tables.h"

/* Adds all findings of V to D. DIRECTORY: that of the run, for advice; NULL if unknown. */
void findings_add(struct document *d, const struct view *v, const char *directory);

/* --- for the files that find them --- */

/* Load imbalance: ranks that spend more time outside of MPI than the others, which wait for them.
 * Needs no trace. If the arrivals of each collective are known, the run is judged by segments.
 *
 * A segment is the time between two successive collectives of all ranks. Segments that end at one
 * call site are judged together; the rest of the run is one more segment. All segments in which the
 * same ranks are slow form one imbalance. */
struct imbalance {
    bool *slow; /* by index in p->ranks: its time is nearer to the longest than to the mean */
    size_t n_slow;
    double cost;              /* longest minus mean time outside of MPI, in seconds */
    double low;               /* what COST is at least, without doubtful parts */
    double slow_time, others; /* time outside of MPI in these segments, in seconds: mean of the slow
                                 ranks, and of the others */
    struct {
        uint32_t operation, site;
        double cost; /* part of COST; 0: no such call is known */
        bool own;    /* a slow rank calls it, too */
    } at;            /* the call in which others wait most for the slow ranks */
    bool reported;
};

struct imbalances {
    struct imbalance *at;
    size_t n, room;
    double cost;   /* of all, seconds */
    bool doubtful; /* another one may have other reasons than the program: see noise_doubt() */
};

/* The imbalances of V that are large enough to report. Free by imbalances_free(). */
struct imbalances imbalances_find(const struct view *v);
void imbalances_free(struct imbalances *list);

/* An imbalance of LIST that is not reported yet and has that rank as a slow one; NULL if none. */
struct imbalance *imbalance_of_rank(const struct imbalances *list, const struct profile *p,
                                    uint32_t rank);

struct finding_context {
    struct document *d;
    const struct view *v;
    const char *directory; /* NULL if unknown */
    double run;            /* seconds */
    double ranks;
    bool polls;    /* most calls only poll whether something is complete */
    bool little;   /* MPI takes too little time to matter */
    bool doubtful; /* a cost that would matter may have other reasons: see noise_doubt() */
    bool traced;   /* the run has a trace */
    struct imbalances imbalances;
};

/* Whether COST seconds per rank, at least LOW (NaN without an interval), matter without DOUBT. */
bool finding_matters(struct finding_context *c, double cost, double low, double doubt);

/* Members of a finding that costs SECONDS per rank, at least LEAST (NaN if unknown). */
#define COSTS(c, seconds, least)                                                                   \
    .cost = {.value = (seconds), .low = (least), .high = 2 * (seconds) - (least)},                 \
    .share = (c)->run > 0 && (seconds) > 0 ? (seconds) / (c)->run : 0

/* "WHY: mpiexec -n RANKS collprof run OPTIONS PROGRAM ARGUMENTS", just "PROGRAM" if several were
 * run. Returns TEXT. */
enum { RUN_AGAIN = 7000 };
const char *run_again(const struct finding_context *c, const char *why, const char *options,
                      char text[RUN_AGAIN]);
#define AS_COMMAND(c, why, options) run_again(c, why, options, (char[RUN_AGAIN]){0})

/* Number of messages from one rank to another. */
uint64_t messages_sent(const struct profile *p, uint32_t from, uint32_t to);

/* "the run would take 345 ms instead of 495 ms (95 % CI 340 to 352 ms), 30 % less" */
enum { PREDICTION_TEXT = 200 };
const char *prediction_text(const struct profile *p, const struct prediction *x,
                            char text[PREDICTION_TEXT]);

/* Finds what the ranks that are SLOW (by index in p->ranks) execute longer than the others. Only in
 * the segment BETWEEN, if that is not NULL. TEXT becomes a sentence, or "" if no function explains
 * a third of EXCESS seconds per rank beyond chance, or some rank could not be sampled. */
enum { SAMPLED_TEXT = 2600 };
void sampled_excess(const struct view *v, const bool *slow, const struct root_cause *between,
                    double excess, char text[SAMPLED_TEXT]);

/* What ranks wait for: first from a trace, then from imbalance, then the rest of the waiting in
 * collectives. Each excludes what the earlier ones explain. */
void find_waits(struct finding_context *c);
void find_imbalances(struct finding_context *c);
void find_late_arrivals(struct finding_context *c);

/* Ranks that did not end well. */
void find_ends(struct finding_context *c);

/* Why figures are incomplete or less certain than they appear. */
void find_doubts(struct finding_context *c);
