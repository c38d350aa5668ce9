/* The findings of a run, for the screen, the full report, the page and JSON. To add a finding: a
 * function in one of the files findings*.c or doubts.c, and its line in the list at the end of
 * findings.c. */
#pragma once

#include "report/tables.h"

/* Adds all findings of V to D. DIRECTORY: that of the run, for advice; NULL if unknown. */
void findings_add(struct document *d, const struct view *v, const char *directory);

/* Load imbalance: some ranks spend more time outside of MPI than the others, which wait for them.
 * No trace is needed.
 *
 * A segment is the time between two successive collectives of all ranks. If these were recorded,
 * the segments that end at one call site are examined together, and the rest of the run as one
 * segment. All segments in which the same ranks are slow form one imbalance. */
struct imbalance {
    bool *slow; /* by index in p->ranks: the rank's time is nearer to the longest than the mean */
    size_t n_slow;
    double cost;              /* longest minus mean time outside of MPI, in seconds */
    double low;               /* lower bound of COST: see noise_at_least() */
    double slow_time, others; /* time outside of MPI in these segments, in seconds: mean of the slow
                                 ranks, and of the others */
    struct {
        uint32_t operation, site;
        double cost; /* part of COST; 0: no such call is known */
        bool own;    /* a slow rank makes this call, too */
    } at;            /* the call in which others wait most for the slow ranks */
    bool once;       /* it is a single delay */
    bool reported;   /* a finding has already explained this imbalance */
};

struct imbalances {
    struct imbalance *at;
    size_t n, room;
    double cost;   /* seconds, sum over all imbalances */
    bool doubtful; /* an imbalance was left out, as it may be noise: see noise_doubt() */
    bool polls;    /* one was left out, as it may be waiting between polls */
};

/* The imbalances of V that are large enough to report. Free by imbalances_free(). */
struct imbalances imbalances_find(const struct view *v);
void imbalances_free(struct imbalances *list);

/* An imbalance of LIST that is not reported yet and in which RANK is slow; NULL if there is none.
 */
struct imbalance *imbalance_of_rank(const struct imbalances *list, const struct profile *p,
                                    uint32_t rank);

struct finding_context {
    struct document *d;
    const struct view *v;
    const char *directory; /* quoted for a shell; "DIR" if unknown */
    double run;            /* run time, seconds */
    double ranks;          /* number of ranks */
    bool polls;            /* most calls only poll whether something is complete */
    bool little;           /* MPI takes too little time for findings about waiting */
    bool doubtful;         /* a cost was left out, as it may be noise: see noise_doubt() */
    bool traced;           /* find_waits() has evaluated a trace */
    struct imbalances imbalances;
};

/* noise_matters() of COST, in seconds per rank. If only DOUBT is too large, sets C->doubtful. */
bool finding_matters(struct finding_context *c, double cost, double low, double doubt);

/* Members of a struct finding that costs SECONDS per rank, at least LEAST (NaN: unknown). */
#define COSTS(c, seconds, least)                                                                   \
    .cost = {.value = (seconds), .low = (least), .high = 2 * (seconds) - (least)},                 \
    .share = (c)->run > 0 && (seconds) > 0 ? (seconds) / (c)->run : 0

/* Advice: "WHY: mpiexec -n RANKS collprof run OPTIONS PROGRAM ARGUMENTS", with the program of this
 * run, or the word PROGRAM if the run had several. Returns TEXT. */
enum { RUN_AGAIN = 7000 };
const char *run_again(const struct finding_context *c, const char *why, const char *options,
                      char text[RUN_AGAIN]);
#define AS_COMMAND(c, why, options) run_again(c, why, options, (char[RUN_AGAIN]){0})

/* Number of messages from one rank to another. */
uint64_t messages_sent(const struct profile *p, uint32_t from, uint32_t to);

/* "the run would take 345 ms instead of 495 ms (95 % CI 340 to 352 ms), 30 % less". Returns TEXT.
 */
enum { PREDICTION_TEXT = 200 };
const char *prediction_text(const struct profile *p, const struct prediction *x,
                            char text[PREDICTION_TEXT]);

/* Finds the function that the ranks that are SLOW (by index in p->ranks) execute longer than the
 * others, by --sample. BETWEEN: only in that segment; or NULL. TEXT becomes a sentence; "" if no
 * function explains a third of EXCESS (seconds per rank) beyond chance, or a rank has no samples.
 */
enum { SAMPLED_TEXT = 2600 };
void sampled_excess(const struct view *v, const bool *slow, const struct root_cause *between,
                    double excess, char text[SAMPLED_TEXT]);

/* Add findings about waiting: by causes in a trace; by load imbalance; other waiting in
 * collectives. Called in this order, each leaves out waiting that an earlier function explained. */
void find_waits(struct finding_context *c);
void find_imbalances(struct finding_context *c);
void find_late_arrivals(struct finding_context *c);

void find_ends(struct finding_context *c);   /* ranks that ended without MPI_Finalize */
void find_doubts(struct finding_context *c); /* why figures are incomplete or uncertain */
