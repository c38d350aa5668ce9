/* The outcome is made at the root of the broadcast and wanted at the collector. */
#include "measure/bcast/bcast_inner.h"

#include <stdlib.h>

enum { TAG_SHIP = 0x6173 };

/* A place in the walk over all arrays of samples of an outcome, in a fixed order. */
struct walk {
    size_t result;
    size_t k; /* 0: the series; then the figures' */
};

/* The next array; NULL at the end. */
static struct samples *walk_on(struct bcast_outcome *o, struct walk *w)
{
    for (; o->result && w->result < o->n_results; w->result++, w->k = 0) {
        struct bcast_result *r = &o->result[w->result];
        size_t figures = r->figure ? (size_t)o->size * N_TIMED : 0;
        size_t k = w->k++;
        if (k == 0)
            return &r->series.samples;
        if (k <= figures)
            return &r->figure[(k - 1) / N_TIMED].timed[(k - 1) % N_TIMED].raw;
    }
    return NULL;
}

void bcast_outcome_free(struct bcast_outcome *o)
{
    struct samples *s;
    for (struct walk w = {0}; (s = walk_on(o, &w)) != NULL;)
        samples_free(s);
    for (size_t k = 0; o->result && k < o->n_results; k++)
        free(o->result[k].figure);
    free(o->result);
    *o = (struct bcast_outcome){0};
}

/* What came over the wire is another process's pointer with our number of samples. */
static bool allocate_samples(struct bcast_outcome *o)
{
    struct samples *s;
    bool good = true;
    for (struct walk w = {0}; (s = walk_on(o, &w)) != NULL;) {
        s->value = s->n && good ? malloc(s->n * sizeof *s->value) : NULL;
        s->room = s->n;
        if (s->n && !s->value) {
            good = false;
            *s = (struct samples){0};
        }
    }
    return good;
}

static int send_outcome(struct bcast_outcome *o, const struct bcast_case *c)
{
    int ready;
    struct samples *s;
    TRY(PMPI_Send(o, sizeof *o, MPI_BYTE, c->collector, TAG_SHIP, c->comm));
    for (size_t k = 0; k < o->n_results; k++) {
        struct bcast_result *r = &o->result[k];
        TRY(PMPI_Send(r, sizeof *r, MPI_BYTE, c->collector, TAG_SHIP, c->comm));
        if (r->figure)
            TRY(PMPI_Send(r->figure, (int)((size_t)o->size * sizeof *r->figure), MPI_BYTE,
                          c->collector, TAG_SHIP, c->comm));
    }
    TRY(PMPI_Recv(&ready, 1, MPI_INT, c->collector, TAG_SHIP, c->comm, MPI_STATUS_IGNORE));
    for (struct walk w = {0}; ready && (s = walk_on(o, &w)) != NULL;)
        if (s->n)
            TRY(PMPI_Send(s->value, (int)s->n, MPI_DOUBLE, c->collector, TAG_SHIP, c->comm));
    return ready ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* RESULT has its figures' room, if its method has any. */
static int receive_result(const struct bcast_outcome *o, struct bcast_result *result,
                          const struct bcast_case *c)
{
    struct bcast_result mine = *result;
    TRY(PMPI_Recv(result, sizeof *result, MPI_BYTE, c->root, TAG_SHIP, c->comm, MPI_STATUS_IGNORE));
    result->method = mine.method;
    result->figure = mine.figure;
    if (!mine.figure)
        return MPI_SUCCESS;
    return PMPI_Recv(mine.figure, (int)((size_t)o->size * sizeof *mine.figure), MPI_BYTE, c->root,
                     TAG_SHIP, c->comm, MPI_STATUS_IGNORE);
}

static int receive_outcome(struct bcast_outcome *o, const struct bcast_case *c)
{
    struct bcast_result *result = o->result;
    struct samples *s;
    TRY(PMPI_Recv(o, sizeof *o, MPI_BYTE, c->root, TAG_SHIP, c->comm, MPI_STATUS_IGNORE));
    o->result = result;
    for (size_t k = 0; k < o->n_results; k++)
        TRY(receive_result(o, &result[k], c));
    int ready = allocate_samples(o);
    TRY(PMPI_Send(&ready, 1, MPI_INT, c->root, TAG_SHIP, c->comm));
    for (struct walk w = {0}; ready && (s = walk_on(o, &w)) != NULL;)
        if (s->n)
            TRY(PMPI_Recv(s->value, (int)s->n, MPI_DOUBLE, c->root, TAG_SHIP, c->comm,
                          MPI_STATUS_IGNORE));
    return ready ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

int outcome_ship(const struct bcast_run *r, struct bcast_outcome *o)
{
    if (r->c->root == r->c->collector)
        return MPI_SUCCESS;
    if (r->roots)
        return send_outcome(o, r->c);
    return r->rank == r->c->collector ? receive_outcome(o, r->c) : MPI_SUCCESS;
}
