/* What both ways of measuring a collective share. Private to the collective*.c files. */
#ifndef COLLPROF_MEASURE_COLLECTIVE_COLLECTIVE_INNER_H
#define COLLPROF_MEASURE_COLLECTIVE_COLLECTIVE_INNER_H

#include "base/clock.h"
#include "base/try.h"
#include "measure/collective/collective.h"
#include "measure/crew.h"

struct collective_run {
    const struct collective_case *c;
    int rank, size;
    double clock_cost; /* of this rank */
    bool collects;
    double started; /* on the collector */
    size_t most;    /* operations in the largest batch */
    double *mine;   /* room for 3 doubles per operation */
};

/* Checks the case and makes room. An MPI error code, the same on all ranks. */
int collective_start(struct collective_run *r, const struct collective_case *c);
void collective_end(struct collective_run *r);

/* PART of what is left of the budget; 0 where there is none, then positive. Collector only. */
double collective_part(const struct collective_run *r, double part);

/* To be called by each rank before every operation. */
static inline void collective_before(const struct collective_run *r)
{
    if (r->c->before)
        r->c->before(r->c->arg);
}

static inline int collective_once(const struct collective_run *r)
{
    return r->c->run(r->c->arg);
}

#endif
