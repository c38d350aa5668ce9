/* CPU overhead: what of a send the sender's processor pays for, whether or not it has arrived.
 * T_comm is a blocking send's time, as in the paper: what a non-blocking one costs more shows. */
#include "measure/overlap/overlap_inner.h"

static double first(struct overlap_side *s)
{
    double start;
    return overlap_send(s, &start);
}

const struct overlap_benchmark overlap_cpu = {
    .name = "cpu",
    .title = "CPU overhead",
    .summary = "isend, compute, wait, unacknowledged: the processor's cost",
    .base = BASE_CPU,
    BETWEEN_TWO,
    .alone_first = overlap_blocking_send,
    .alone_others = overlap_sender_others,
    .first = first,
    .others = overlap_receive,
};
