/* The outcome is made at the root of the broadcast and wanted at the collector. */
#include "measure/bcast/run.h"

#include <stdlib.h>
#include <string.h>

enum { TAG_SHIP = 0x6173 };

/* All sample arrays of an outcome, in a fixed order; stops at the first that VISIT refuses. */
static int each_samples(struct bcast_outcome *o, int (*visit)(struct samples *, void *), void *arg)
{
    for (int i = 0; o->to && i < o->size; i++) {
        struct bcast_destination *to = &o->to[i];
        struct samples *all[] = {&to->rtl_raw, &to->paper_raw,    &to->held_raw, &to->direct_raw,
                                 &to->gap_raw, &to->overhead_raw, &to->seen_raw};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            TRY(visit(all[k], arg));
    }
    for (size_t k = 0; o->result && k < o->n_results; k++)
        TRY(visit(&o->result[k].series.samples, arg));
    return MPI_SUCCESS;
}

static int visit_free(struct samples *s, void *arg)
{
    (void)arg;
    samples_free(s);
    return MPI_SUCCESS;
}

void bcast_outcome_free(struct bcast_outcome *o)
{
    each_samples(o, visit_free, NULL);
    free(o->to);
    free(o->result);
    *o = (struct bcast_outcome){0};
}

/* What came over the wire is another process's pointer with our number of samples. */
static int visit_allocate(struct samples *s, void *arg)
{
    bool *failed = arg;
    s->room = s->n;
    s->value = s->n && !*failed ? malloc(s->n * sizeof *s->value) : NULL;
    if (s->n && !s->value) {
        *failed = true;
        *s = (struct samples){0};
    }
    return MPI_SUCCESS;
}

static int visit_send(struct samples *s, void *arg)
{
    const struct bcast_case *c = arg;
    return s->n ? PMPI_Send(s->value, (int)s->n, MPI_DOUBLE, c->collector, TAG_SHIP, c->comm)
                : MPI_SUCCESS;
}

static int visit_receive(struct samples *s, void *arg)
{
    const struct bcast_case *c = arg;
    return s->n ? PMPI_Recv(s->value, (int)s->n, MPI_DOUBLE, c->root, TAG_SHIP, c->comm,
                            MPI_STATUS_IGNORE)
                : MPI_SUCCESS;
}

static int send_outcome(struct bcast_outcome *o, const struct bcast_case *c)
{
    int ready;
    TRY(PMPI_Send(o, sizeof *o, MPI_BYTE, c->collector, TAG_SHIP, c->comm));
    TRY(PMPI_Send(o->to, (int)(o->size * sizeof *o->to), MPI_BYTE, c->collector, TAG_SHIP,
                  c->comm));
    TRY(PMPI_Send(o->result, (int)(o->n_results * sizeof *o->result), MPI_BYTE, c->collector,
                  TAG_SHIP, c->comm));
    TRY(PMPI_Recv(&ready, 1, MPI_INT, c->collector, TAG_SHIP, c->comm, MPI_STATUS_IGNORE));
    return ready ? each_samples(o, visit_send, (void *)c) : MPI_ERR_NO_MEM;
}

/* O has its arrays, for as many ranks and results. */
static int receive_outcome(struct bcast_outcome *o, const struct bcast_case *c,
                           const struct bcast_method *const *methods)
{
    MPI_Comm comm = c->comm;
    struct bcast_outcome theirs;
    bool failed = false;
    TRY(PMPI_Recv(&theirs, sizeof theirs, MPI_BYTE, c->root, TAG_SHIP, comm, MPI_STATUS_IGNORE));
    TRY(PMPI_Recv(o->to, (int)(o->size * sizeof *o->to), MPI_BYTE, c->root, TAG_SHIP, comm,
                  MPI_STATUS_IGNORE));
    TRY(PMPI_Recv(o->result, (int)(o->n_results * sizeof *o->result), MPI_BYTE, c->root, TAG_SHIP,
                  comm, MPI_STATUS_IGNORE));
    theirs.to = o->to;
    theirs.result = o->result;
    *o = theirs;
    for (size_t k = 0; k < o->n_results; k++)
        o->result[k].method = methods[k];
    each_samples(o, visit_allocate, &failed);
    int ready = !failed;
    TRY(PMPI_Send(&ready, 1, MPI_INT, c->root, TAG_SHIP, comm));
    return ready ? each_samples(o, visit_receive, (void *)c) : MPI_ERR_NO_MEM;
}

int outcome_ship(const struct bcast_run *r, struct bcast_outcome *o,
                 const struct bcast_method *const *methods)
{
    const struct bcast_case *c = r->c;
    if (c->root == c->collector)
        return MPI_SUCCESS;
    if (r->roots)
        return send_outcome(o, c);
    if (r->rank == c->collector)
        return receive_outcome(o, c, methods);
    return MPI_SUCCESS;
}
