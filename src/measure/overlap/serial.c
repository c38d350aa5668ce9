/* The control: communication first, computation afterwards. Whatever the library does, this is
 * serialised, and must read 1. */
#include "measure/overlap/overlap_inner.h"

#include "base/clock.h"

static double first(struct overlap_side *s)
{
    overlap_hear(s, s->peer, OVERLAP_TAG_READY);
    double start = clock_now();
    PMPI_Send(s->send, s->count, s->type, s->peer, OVERLAP_TAG_DATA, s->comm);
    overlap_hear(s, s->peer, OVERLAP_TAG_ACK);
    overlap_compute(s);
    return overlap_elapsed(s, start) - s->latency;
}

const struct overlap_benchmark overlap_serial = {
    .name = "serial",
    .title = "control: serial",
    .summary = "blocking send, then compute: must read 1",
    .base = BASE_CONTIGUOUS,
    BETWEEN_TWO,
    .first = first,
    .others = overlap_sender_others,
};
