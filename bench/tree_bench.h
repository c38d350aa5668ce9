/* What the files of collbench-tree share. */
#ifndef COLLPROF_BENCH_TREE_BENCH_H
#define COLLPROF_BENCH_TREE_BENCH_H

#include "bench.h"
#include "measure/bcast/bcast.h"
#include "measure/pairs/grid.h"
#include "sync/sync.h"

#include <stdbool.h>
#include <stddef.h>

enum { TREE_ALGORITHMS_MAX = 32 };

struct tree_options {
    struct bench bench;
    const char *latencies, *tree, *save, *load;
    struct option_chosen builders; /* of bcasts[], those with a build() */
    const struct bcast_method *method;
    size_t segment; /* SIZE_MAX: the best, 0: whole */
    int root;
    bool no_run, only_native;
    int step; /* how many powers of two from one size to the next */
};

extern const struct option_program tree_program; /* its options are a struct tree_options */
void tree_choose_all(struct tree_options *o);
static inline const struct bcast *tree_builder(const struct tree_options *o, size_t i)
{
    return bcasts[o->builders.at[i]];
}

/* One algorithm at one size. */
struct tree_row {
    int ranks;
    size_t bytes, segment;
    char name[40];
    int depth, most_children;
    struct estimate predicted, seen; /* seconds; NaN where it is not known */
    bool advised;
    char remarks[160];
};

struct tree_session {
    const struct tree_options *o;
    struct bench_values ranks, sizes;
    MPI_Comm comm; /* of the ranks at present, the first of all; MPI_COMM_NULL on others */
    int n;         /* so many */
    struct grid grid;
    struct sync_clock clock;
    double clock_bound; /* the largest of the broadcasts seen directly */
    bool run;
    struct tree_row *row; /* rank 0 */
    size_t n_rows;
    struct schedule best; /* of the largest size, rank 0 */
    double best_seconds;
    struct schedule loaded;
};

/* The table of what was measured so far: SESSION is a struct tree_session. */
void tree_tell_rows(void *session, struct document *d);

/* Fills D (rank 0) and draws; BYTES is the last size. The status to end with. */
int tree_report(struct tree_session *t, struct document *d, size_t bytes);

#endif
