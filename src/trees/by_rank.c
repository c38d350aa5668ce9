/* Broadcast algorithms that need no measured latencies. */
#include "base/try.h"
#include "trees/bcast.h"
#include "trees/positions.h"
#include "trees/schedule.h"
#include "trees/schedule_run.h"

/* These broadcasts run on an internal communicator, where no other code uses this tag. */
enum { TAG = 0x6263 };

static int native(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                  const void *arg)
{
    (void)arg;
    return PMPI_Bcast(buffer, count, type, root, comm);
}

const struct bcast tree_native = {.name = "native", .run = native};

/* Allocates no memory, since it may replace an application's broadcast, which must not fail. */
static int run_by_rank(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                       const void *arg)
{
    const struct by_rank *tree = arg;
    int rank, n;
    TRY(PMPI_Comm_size(comm, &n));
    TRY(PMPI_Comm_rank(comm, &rank));
    int me = (tree->backward ? root - rank + n : rank - root + n) % n;
    if (me > 0)
        TRY(PMPI_Recv(buffer, count, type, by_rank_at(tree, tree->parent(me, n), root, n), TAG,
                      comm, MPI_STATUS_IGNORE));
    for (int to = 0; (to = tree->next(me, n, to)) != 0;)
        TRY(PMPI_Send(buffer, count, type, by_rank_at(tree, to, root, n), TAG, comm));
    return MPI_SUCCESS;
}

static bool build_by_rank(const struct bcast *b, const struct graph *g, struct schedule *s)
{
    const struct by_rank *tree = b->arg;
    int n = s->n, known = 0;
    (void)g;
    s->order[known++] = s->root;
    for (int head = 0; head < known; head++) {
        int u = s->order[head], me = (u - s->root + n) % n;
        for (int to = 0; (to = tree->next(me, n, to)) != 0;) {
            int v = (to + s->root) % n;
            s->parent[v] = u;
            s->order[known++] = v;
        }
    }
    return true;
}

#define BY_RANK(symbol, WHICH, ...)                                                                \
    const struct bcast tree_##symbol = {                                                           \
        .name = #symbol, .run = run_by_rank, .arg = &by_rank_trees[BY_RANK_##WHICH], __VA_ARGS__};
BY_RANK(binomial, BINOMIAL, .build = build_by_rank, .by_rank = true)
BY_RANK(flat, FLAT, .build = build_by_rank, .by_rank = true)
BY_RANK(linear, LINEAR)
BY_RANK(backward, BACKWARD)

static int chain(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                 const void *arg)
{
    int rank, n;
    TRY(PMPI_Comm_size(comm, &n));
    TRY(PMPI_Comm_rank(comm, &rank));
    int me = (rank - root + n) % n;
    const int child = (rank + 1) % n;
    const struct schedule_part part = {.root = root,
                                       .parent = me > 0 ? (rank - 1 + n) % n : -1,
                                       .n_children = me + 1 < n,
                                       .child = &child,
                                       .segment = *(const size_t *)arg,
                                       .in_flight = 2};
    return bcast_from_schedule(&part).run(buffer, count, type, root, comm, &part);
}

/* Bytes: large enough that the latency of a segment does not dominate, small enough that 64 KiB
 * over 8 ranks are pipelined. */
static const size_t chain_segment = 8192;

const struct bcast tree_chain = {
    .name = "chain", .run = chain, .arg = &chain_segment, .build = build_earliest, .children = 1};
