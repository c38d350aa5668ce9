/* What differs between two sets of runs, and what of it can be told from noise: the causes before
 * what follows from them. */
#ifndef COLLPROF_COMPARE_DIFFERENCES_H
#define COLLPROF_COMPARE_DIFFERENCES_H

#include "profile/profile.h"

#include <stdio.h>

enum difference_kind {
    DIFFERENCE_WALL,
    DIFFERENCE_OUTSIDE,   /* what one rank does before a collective, since the one before */
    DIFFERENCE_COMPUTING, /* what one rank does outside of MPI in all */
    DIFFERENCE_OWN,       /* a collective, without waiting for the last to come */
    DIFFERENCE_TIME,      /* calls of which it is not known whom they wait for */
    DIFFERENCE_WAIT       /* in a collective, for the last to come */
};

/* How sure it is. */
enum certainty {
    CERTAINTY_NONE, /* cannot be told from noise, or is less than 1 % of the run */
    CERTAINTY_HINT, /* too few runs; but it exceeds the spread within each of them */
    CERTAINTY_TOLD
};

/* All times in ns, of one run and rank. */
struct difference {
    enum difference_kind kind;
    const char *operation, *place; /* "" for what has none */
    bool in[2];                    /* whether a run of that side has it at all */
    int32_t rank;                  /* -1: the mean of all */
    double *value;                 /* of every run; those of A first */
    double median[2], change;      /* of A's runs, of B's; how much more the latter is */
    double low, high;              /* 95 % interval of the change */
    double superiority;            /* share of pairs of runs in which B's value is the larger */
    double p_rank, p_together;     /* see evidence.h; NAN: too few runs */
    double each[2];                /* DIFFERENCE_OUTSIDE: median before one call; else NAN */
    double call_median[2], call_p99[2]; /* of one call, of calls that take time; else 0 */
    double within[2][2]; /* middle 80 % in the runs of a side, as values; NAN: not known */
    enum certainty certainty;
    bool joined;    /* is said by another row: other ranks at the same place, or the same time */
    size_t follows; /* from the row of this index, plus one; 0: that is not known */
    char ranks[64]; /* all that do the same: "1", "0-3" */
    size_t at;      /* index of its place, for the search */
};

enum { PROGRAMS_ROOM = 200 };

struct differences {
    size_t runs[2];
    double wall_ns;     /* median of A's runs */
    bool enough;        /* runs: see evidence_enough() */
    bool outside_known; /* all profiles say what ranks do before collectives */
    double noise; /* largest share of a run that a rank was without a processor; < 0: unknown */
    size_t noise_run;
    size_t ranks[2];                 /* of the runs of a side; 0: not all of one number */
    char programs[2][PROGRAMS_ROOM]; /* that a side's runs were of; "": not known */
    ARRAY(struct difference) list; /* the wall first, then causes, effects, and what is not told */
    void *memory;                  /* places */
};

/* RUN: N of A, then M of B; they stay the caller's, and as long. */
struct differences *differences_find(struct profile *const *run, size_t n, size_t m);
void differences_free(struct differences *d);

/* The wall's, always there. */
const struct difference *differences_wall(const struct differences *d);

/* The first row that grew, as far as can be told, by more than SHARE of the run; NULL: none. */
const struct difference *differences_above(const struct differences *d, double share);

/* One sentence. */
void difference_sentence(const struct differences *d, const struct difference *x, char *text,
                         size_t room);

/* The median of a side; "-": no run of it has that. */
const char *difference_median(const struct difference *x, int side, char text[32]);

/* With its sign: "+1.30 ms". */
const char *difference_time(double ns, char text[40]);

/* In a word or two: "waiting". */
const char *difference_kind_name(enum difference_kind kind);

/* NAME: of the runs, in their order. SHARE: of --fail-above; NAN: not asked for. */
struct differences_page {
    const struct differences *d;
    const char *const *name;
    double share;
    long top;
};

/* What speaks against believing the differences, a sentence a line, for free(); "": nothing. */
char *differences_doubts(const struct differences_page *p);

/* Of one run a side what they are as well, and FIGURE, the key of one of call sites (NULL: time per
 * rank), of each operation and call site in both. */
void differences_two(const struct differences_page *p, const char *figure, FILE *out);

void differences_text(const struct differences_page *p, FILE *out);
void differences_markdown(const struct differences_page *p, FILE *out);
void differences_json(const struct differences_page *p, FILE *out);
void differences_junit(const struct differences_page *p, FILE *out);

#endif
