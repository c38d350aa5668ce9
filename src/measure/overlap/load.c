/* N threads load: N threads compute on both nodes, while a thread of their own communicates with
 * blocking calls. */
#include "measure/overlap/overlap_inner.h"

static bool begin(struct overlap_side *s)
{
    s->own = work_threads_start(s->threads, s->bind, s->bind_arg);
    return s->own != NULL;
}

static void end(struct overlap_side *s)
{
    work_threads_stop(s->own);
}

const struct overlap_benchmark overlap_load = {
    .name = "load",
    .title = "N threads load: times slower",
    .summary = "blocking send and receive while N threads compute: slowdown",
    .base = BASE_CONTIGUOUS,
    .least_ranks = 2,
    .most_ranks = 2,
    .thread_level = MPI_THREAD_FUNNELED,
    .by_threads = true,
    .begin = begin,
    .end = end,
    .first = overlap_ping,
    .others = overlap_pong,
};
