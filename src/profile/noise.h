/* Whether a run was left alone enough for its times to be believed. */
#ifndef COLLPROF_PROFILE_NOISE_H
#define COLLPROF_PROFILE_NOISE_H

#include "profile/model.h"

enum noise_level {
    NOISE_UNKNOWN,
    NOISE_QUIET,  /* less than 1 % of the run, at every rank, and no stretch of it with a quarter */
    NOISE_FELT,   /* more; figures of that size are doubtful */
    NOISE_SPOILED /* 10 % of the run, or half of the time in MPI: no conclusion is drawn */
};

struct noise {
    enum noise_level level;
    double share;       /* of the run that the rank that was worst off had no processor */
    double seconds;     /* that is */
    int32_t worst_rank; /* which */
    double mean;        /* of the ranks' shares, at most SHARE */
    double load;        /* highest of the hosts at the end; negative: not known */
    size_t unknown;     /* ranks that it is not known of */
    double unseen;      /* share of its run after the last look at a rank; 0: too short to matter */
    /* The worst stretch of all: of rank, from so many seconds after MPI_Init, so long, of which
     * such a share without a processor; rank -1: not known. */
    int32_t bad_rank;
    double bad_from, bad_length, bad_share;
    int64_t bad_switches; /* how often it lost its processor in that; negative: not known */
    double bad_pressure;  /* part of that in which anything on its host had to wait; or negative */
    double pressure;      /* of the run, on the host that was worst off; negative: not known */
    double frequency;     /* the largest ratio of two frequencies that one rank saw; 0: not known */
};

struct noise noise_of(const struct profile *p);

/* Whether some stretch of the run was much worse than the whole. */
bool noise_has_bad_stretch(const struct noise *n);

/* Whether more ranks than processors ran on a host; where their number is not known, no. */
bool noise_crowded(const struct profile *p, uint32_t host);

#endif
