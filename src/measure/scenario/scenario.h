/* Times collective operations in a context, such as a late rank or a computation to be overlapped:
 * Gracia, Niethammer, Sethi, section 4.2; doc/methods.md, section 4.
 *
 * A scenario lists the actions that each participant takes in one repetition. The time to
 * completion is T_sc = max(t_end) - min(t_start) over all ranks, on one clock. */
#pragma once

#include "measure/collective/operation.h"
#include "sync/harmonize.h"

#include <stdbool.h>
#include <stddef.h>

enum action_kind {
    ACTION_START, /* take this rank's time stamp t_start */
    ACTION_ISSUE, /* call a blocking operation, or start a non-blocking one */
    ACTION_SYNC,  /* wait for all pending operations */
    ACTION_COMP,  /* do a fixed amount of computation (work.h) */
    ACTION_DELAY, /* wait for a given time, so as to arrive late */
    ACTION_STOP,  /* take this rank's time stamp t_end */
    N_ACTIONS
};

enum { SCENARIO_ACTIONS = 64, SCENARIO_SCRIPTS = 16 };
/* Placeholders for values that are set from each point of the benchmark's sweep. */
#define SWEPT_SECONDS (-1.0)
#define SWEPT_BYTES ((size_t)-1)
#define SWEPT_ROOT (-1)

struct action {
    enum action_kind kind;
    int line; /* line of the scenario file */
    /* For ISSUE: */
    const struct operation *operation; /* NULL: the sweep point's, with its BY and OWN */
    bool twin;                         /* the non-blocking form */
    const struct bcast *by;            /* BY, OWN: as in struct scenario_point */
    collective_run *own;
    int root;
    size_t bytes;
    double seconds; /* duration, for COMP and DELAY */
};

enum participants { WHO_RANKS, WHO_LAST, WHO_DELAYED, WHO_OTHERS };

/* The actions that all ranks of one group of participants take. */
struct script {
    enum participants who; /* WHO_LAST: rank P - 1; DELAYED: the sweep's delayed rank; OTHERS: ranks
                              without another script */
    int first, last;       /* for WHO_RANKS: ranks FIRST to LAST */
    int line;              /* line of the scenario file */
    int n;                 /* actions */
    struct action action[SCENARIO_ACTIONS];
};

struct scenario {
    char name[64];
    int n;
    struct script script[SCENARIO_SCRIPTS];
};

/* One point of a sweep: the values that the benchmark varies. */
struct scenario_point {
    const struct operation *operation;
    bool twin;
    const struct bcast *by; /* a broadcast algorithm of ours; NULL for the library's operation */
    collective_run *own;    /* a user's algorithm; NULL for the library's operation */
    const char *by_name;    /* name of BY or OWN */
    int root;
    size_t bytes;
    int delayed;  /* rank */
    double delay; /* seconds */
    double comp;  /* seconds */
};

/* Sets WHY to an error message, which begins with "line LINE: " unless LINE is 0; returns false. */
enum { SCENARIO_WHY = 200 };
bool scenario_wrong(char why[SCENARIO_WHY], int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether the scenario can run on RANKS ranks with the delayed rank and root of POINT; if not, WHY
 * is the reason. Every rank needs a script from start to stop, with a sync after every non-blocking
 * issue. Ranks and roots must exist. All participants must issue the same operations in the same
 * order, since otherwise MPI would hang. */
bool scenario_check(const struct scenario *s, int ranks, const struct scenario_point *point,
                    char why[SCENARIO_WHY]);

/* Which values the scenario file omits, so that they are taken from a sweep's point. */
struct scenario_sweep {
    bool operation, bytes, delay, comp;
};
struct scenario_sweep scenario_sweeps(const struct scenario *s);

/* The largest sum of a rank's delays, over all RANKS ranks, in seconds; NaN without a delay. */
double scenario_delay(const struct scenario *s, int ranks, const struct scenario_point *point);

/* The actions of RANK out of RANKS, with the values of POINT filled in: of the first script that
 * names the rank, otherwise of "others"; none if there is no such script. */
struct script scenario_script(const struct scenario *s, int rank, int ranks,
                              const struct scenario_point *point);

struct scenario_result {
    struct samples completion; /* T_sc of every repetition in which no rank was late, seconds */
    struct samples after_last; /* max(t_end) - max(arrival); an arrival is a rank's entry to its
                                  first collective operation */
    double comp;               /* seconds of computation in a script, the longest of all ranks */
    double bound;              /* error of T_sc due to the clocks, seconds */
    bool correct;              /* the received data were right on every rank */
    bool over_budget;          /* stopped by the plan's budget */
};

/* Repeats the scenario according to PLAN, each time from a common start (announced by START);
 * collective over START's communicator. scenario_check() must have passed. RESULT is complete on
 * rank 0; every rank may free it. Returns an MPI error code; MPI_ERR_NO_MEM on all ranks if any has
 * no memory for its buffers. */
int scenario_run(const struct scenario *s, const struct scenario_point *point,
                 struct harmony *start, const struct plan *plan, struct scenario_result *result);
void scenario_result_free(struct scenario_result *r);
