/* Profiles of which findings are known, and what is asked of findings. */
#pragma once

#include "profile/model.h"
#include "report/findings.h"

/* A run of one second of RANKS ranks (0: 2). */
struct known {
    const char *key, *absent; /* a finding that must be there, and one that must not; or NULL */
    int rank;                 /* of KEY's; -1: it names none */
    double share;             /* of KEY's, percent; 0: not checked */
    /* In what KEY says; or NULL. SITE "": it names none. */
    const char *text, *site, *advice, *severity;
    uint32_t ranks;
    double mpi[4]; /* seconds in MPI */
    double delayed[4];
    double cpu[4];          /* seconds on a processor; 0: unknown */
    double late_message[4]; /* of a trace: waited for messages */
    double message[4];      /* in calls for messages */
    double polled;          /* by rank 1: between polls */
    double excluded; /* seconds of half of the first calls, delayed by experiments on rank 0 */
    const char *program, *arguments;
    struct {
        const char *operation;
        uint32_t line, best, worst;
        double least, sum; /* seconds in these calls, of the rank with least, of all */
        uint64_t completed, complete;
        double wait;    /* in completing calls */
        uint32_t ranks; /* that make them; 0: all */
    } calls[3];
    struct {
        double wait, cost, low; /* of all ranks in MPI_Barrier in line 40; LOW 0: unknown */
        uint64_t calls;         /* 0: 100 */
    } late;
    struct {
        uint32_t line, rank, state;
        double wait; /* of all ranks */
        uint64_t followed, in_turn;
    } waits[4];
    bool passed_on; /* by all but rank 0, which causes all waits */
    bool simulated, traced;
};

/* The profile that has K's figures; to be freed. */
struct profile *made(const struct known *k);

/* The call site in that LINE of solve.c. */
uint32_t site_in_line(struct profile *p, uint32_t line);

/* Nanoseconds. */
uint64_t ns(double seconds);

/* A document with P's findings, to be freed; frees P. */
struct document *findings_of(struct profile *p);

/* The finding of that KEY; NULL: there is none. */
const json_t *found(const struct document *d, const char *key);

/* What the finding of that KEY has in MEMBER; "" and 0: nothing. */
const char *text_in(const struct document *d, const char *key, const char *member);
double number_in(const struct document *d, const char *key, const char *member);
