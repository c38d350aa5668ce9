#include "inject/signature.h"

struct signature *signature_of(const struct injection *self, const struct collective *c)
{
    struct signatures *known = c->on->kept[self->index];
    struct signature *g = known->at, *end = g + known->n;
    const unsigned operation = replica_plain(c->call->operation);
    while (g < end && (g->operation != operation || g->root != c->root || g->bytes != c->bytes))
        g++;
    if (g < end)
        return g;
    if (known->n == SIGNATURES_MAX)
        return NULL;
    *g = (struct signature){.operation = operation, .root = c->root, .bytes = c->bytes};
    known->n++;
    return g;
}

struct signature *signature_count(const struct injection *self, const struct collective *c)
{
    struct signature *g = signature_of(self, c);
    if (g)
        g->entered[g->calls++ % ARRIVALS] = sync_global(injection_clock(), clock_now());
    return g;
}
