/* Programs of a few ranks that are played on paper: every wait and its cause follow from the times
 * in them. For tests of what a trace shows. */
#pragma once

#include "causes/causes.h"

enum step_kind {
    COMPUTE,
    SEND,
    SYNCHRONOUS, /* a send that waits for its receive, by its mode or by its size */
    RECEIVE,
    PROBE, /* of a message that the next receive gets */
    POST,  /* a receive that WAIT completes */
    WAIT,
    BARRIER, /* and further collectives */
    BCAST,
    REDUCE,
    SCAN,
    BETWEEN /* two groups, of which each waits for the other one */
};

/* The N-th step of a rank: computes NS, or calls MPI at SITE, for PEER (a collective's root). */
struct step {
    enum step_kind kind;
    int64_t ns; /* of COMPUTE; else the site */
    uint32_t peer;
};

enum {
    RANKS = 16,
    STEPS = 4096,
    LATENCY = 10,
    POSTING = 5,
    RENDEZVOUS = 90 /* sites of large messages */
};

struct played {
    struct step step[RANKS][STEPS];
    uint32_t ranks;
    int64_t percent; /* of its time each computation takes */
    int64_t latency, overhead;
    uint32_t length[RANKS], at[RANKS];
    int64_t now[RANKS], entered[RANKS][STEPS], posted[RANKS];
    uint32_t ordinal[RANKS][RANKS], waiting[RANKS][RANKS], collectives[RANKS];
    struct event *events;
    size_t n;
    uint32_t last_rank;
    int64_t last;
};

/* A program without steps; released by played_free(). */
struct played *program(uint32_t ranks);
void played_free(struct played *p);

/* Adds a step to RANK. */
void does(struct played *p, uint32_t rank, enum step_kind kind, int64_t ns, uint32_t peer);

/* Makes the events of all ranks. */
void play(struct played *p);

/* A number below BELOW; advances SEED. */
uint32_t drawn(uint64_t *seed, uint32_t below);

/* A program of 20 steps in KINDS of ways to communicate, played; one rank computes DELAY longer
 * once: finally the rank in now[0]. PERCENT: of its time each computation takes. */
struct played *drawn_on(uint64_t seed, uint32_t kinds, int64_t delay, int64_t percent,
                        int64_t latency);
struct played *drawn_program(uint64_t seed, int64_t delay);

struct answer {
    struct timeline *t;
    struct event_graph *graph;
    struct causes c;
};

/* What follows from N EVENTS, and from the trace of P, of which windows by MASK are kept (0: all of
 * it). */
struct answer answer_of(const struct event *events, size_t n, const struct causes_run *run);
struct answer analysed(const struct played *p, uint64_t mask);
struct answer play_and_analyse(struct played *p);
void answer_free(struct answer *a);
void answer_end(struct answer *a, struct played *p); /* frees both */

/* Of computation on RANK before the call at SITE; of all kinds where SITE is negative. */
double cost(const struct answer *a, uint32_t rank, int site);
double cost_of_kind(const struct answer *a, enum cause_kind kind);
