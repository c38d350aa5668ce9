#include "inject/signature.h"

#include "base/try.h"

#include <math.h>

struct signature *signature_of(const struct injection *self, const struct collective *c)
{
    struct signatures *known = c->on->kept[self->index];
    struct signature *g = known->at, *end = g + known->n;
    while (g < end && (g->operation != c->operation || g->root != c->root || g->bytes != c->bytes))
        g++;
    if (g < end)
        return g;
    if (known->n == SIGNATURES_MAX)
        return NULL;
    *g = (struct signature){.operation = c->operation, .root = c->root, .bytes = c->bytes};
    known->n++;
    return g;
}

struct signature *signature_count(const struct injection *self, const struct collective *c)
{
    struct signature *g = signature_of(self, c);
    const uint64_t before = g ? g->calls - 1 : 0;
    if (g && !g->done && (before ^ (before + ARRIVALS)) > before)
        g->entered[g->calls % ARRIVALS] = sync_global(injection_clock(), clock_now());
    if (g)
        g->calls++;
    return g;
}

/* Sets CALL to the library's broadcast with the application's arguments, including its buffer. */
static void use_broadcast(struct operation_call *call, const struct collective *c)
{
    *call = (struct operation_call){.operation = c->operation,
                                    .comm = c->on->comm,
                                    .rank = c->on->rank,
                                    .size = c->on->size,
                                    .root = c->root,
                                    .bytes = c->bytes,
                                    .recv = c->buffer,
                                    .recv_bytes = type_is_plain(c->type) ? c->bytes : 0,
                                    .recv_count = (int)c->count,
                                    .recv_type = c->type};
}

/* Ignores ROOT: a replica has buffers only for the application's root. */
static int run_replica(void *arg, int root)
{
    (void)root;
    return operation_run(arg);
}

/* In place of a check of the received data, which would overwrite the application's, makes one
 * broadcast: the caller uses its duration to skip methods that would exceed the budget. */
static int make_one(void *arg, int *wrong)
{
    *wrong = 0;
    return operation_run(arg);
}

bool subject_open(struct subject *u, const struct collective *c)
{
    struct replica *a = &u->replica;
    bool made = true;
    *u = (struct subject){.on = c->on, .is_broadcast = c->is_broadcast};
    if (c->is_broadcast)
        use_broadcast(&a->call, c);
    else
        made = replica_make(a, c->operation, c->operands, c->root, c->on->comm);
    u->c = operation_case(&a->call, c->is_broadcast);
    if (!c->is_broadcast)
        u->c.run = run_replica;
    u->c.check = c->is_broadcast ? make_one : NULL;
    u->c.together = !c->is_broadcast;
    u->c.clock = injection_clock();
    return sync_all_have(c->on->comm, made) == MPI_SUCCESS;
}

void subject_close(struct subject *u)
{
    replica_free(&u->replica);
}

int subject_budget(const struct subject *u, double budget, int least, double wait, double *left,
                   double *one)
{
    double mine, begin = clock_now();
    TRY(PMPI_Barrier(u->on->comm));
    mine = clock_now();
    TRY(u->c.run(u->c.arg, u->c.root));
    mine = clock_now() - mine;
    TRY(PMPI_Allreduce(&mine, one, 1, MPI_DOUBLE, MPI_MAX, u->on->comm));
    bool fits = least * (*one + wait) <= budget;
    *left = fits ? fmax(begin + budget - clock_now(), 1e-3) : 0;
    return PMPI_Bcast(left, 1, MPI_DOUBLE, 0, u->on->comm);
}

int subject_arrivals(const struct subject *u, const struct signature *g, double *after,
                     double *apart)
{
    double first[ARRIVALS], late[ARRIVALS], median, least;
    TRY(PMPI_Allreduce(g->entered, first, ARRIVALS, MPI_DOUBLE, MPI_MIN, u->on->comm));
    for (int k = 0; k < ARRIVALS; k++)
        late[k] = g->entered[k] - first[k];
    median = stats_median(late, ARRIVALS);
    TRY(PMPI_Allreduce(&median, &least, 1, MPI_DOUBLE, MPI_MIN, u->on->comm));
    *after = median - least;
    return PMPI_Allreduce(after, apart, 1, MPI_DOUBLE, MPI_MAX, u->on->comm);
}
