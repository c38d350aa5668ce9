/* Protects that the two ways of a pair are told apart as far as clocks allow, and no farther: where
 * all ranks read one clock they are what they are; where each has its own, of which no more can be
 * known than what messages tell, they are within what is said to be in doubt, which is little more
 * than half of the longest round trip for each of the two clocks. On askew.xml odd ranks are 1 ms
 * away from even ones, and 9 ms back. With SIM_DRIFT the clocks are in fact not the same.
 *
 * usage: ways */
#include "base/clock.h"
#include "measure/pairs/choose.h"
#include "measure/pairs/pairs.h"
#include "sync/local_clock.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { RANKS = 4, REPEATS = 5, TAG = 1, DOUBLES = 8 }; /* 64 B */

static double way[RANKS][RANKS]; /* by the simulator's clock, of one message that carries it */

static void see_ways(int rank)
{
    double mine[RANKS][RANKS] = {{0}}, sent[DOUBLES] = {0};
    for (int i = 0; i < RANKS; i++) {
        for (int j = 0; j < RANKS; j++) {
            MPI_Barrier(MPI_COMM_WORLD);
            if (rank == i)
                clock_hold(0.1); /* until the other waits for it */
            sent[0] = MPI_Wtime();
            if (rank == i && i != j)
                MPI_Send(sent, DOUBLES, MPI_DOUBLE, j, TAG, MPI_COMM_WORLD);
            if (rank == j && i != j) {
                MPI_Recv(sent, DOUBLES, MPI_DOUBLE, i, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                mine[i][j] = MPI_Wtime() - sent[0];
            }
        }
    }
    MPI_Allreduce(mine, way, RANKS * RANKS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* Whether all ways of P are right, to 1 %, within what is in doubt of them. */
static bool are_right(const struct pairs *p, bool one_clock)
{
    bool right = true;
    for (int i = 0; i < p->n; i++) {
        for (int j = 0; j < p->n; j++) {
            size_t k = pairs_cell(p, i, j);
            double off = fabs(p->size[0].of[PAIRS_ONE_WAY][k] - way[i][j]),
                   doubt = p->size[0].of[PAIRS_BOUND][k];
            double trip = way[i][j] + way[j][i];
            if (i == j ||
                (off <= doubt + 0.01 * way[i][j] && doubt <= 1.5 * (way[0][1] + way[1][0]) &&
                 (doubt == 0) == one_clock && fabs(p->size[0].of[PAIRS_MIN][k] / trip - 1) < 0.01))
                continue;
            printf("FAIL: %d to %d: %g s, not %g, in doubt %g, round trip %g\n", i, j,
                   p->size[0].of[PAIRS_ONE_WAY][k], way[i][j], doubt, p->size[0].of[PAIRS_MIN][k]);
            right = false;
        }
    }
    return right;
}

/* A broadcast from rank 1 takes the long way, and where that is known its prediction says so. */
static bool is_predicted(const struct pairs *p, bool one_clock)
{
    struct choice c;
    char why[256] = "";
    if (!choice_find(p, 1, 64, &tree_grid, 0, &c, why, sizeof why)) {
        printf("FAIL: %s\n", why);
        return false;
    }
    double predicted = c.s[0].completion;
    choice_free(&c);
    if (!one_clock || fabs(predicted / way[1][0] - 1) < 0.01)
        return true;
    printf("FAIL: predicted %g s\n", predicted);
    return false;
}

int main(int argc, char **argv)
{
    struct pairs_plan plan = pairs_plan_default();
    struct sync_clock clock;
    struct pairs p;
    int rank, good = 1;
    MPI_Init(&argc, &argv);
    local_clock_start();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    see_ways(rank);
    plan.repeats = REPEATS;
    for (int apart = getenv("SIM_DRIFT") != NULL; apart < 2; apart++) {
        sync_start(&clock, MPI_COMM_WORLD, apart ? 1 + (unsigned)rank : 0);
        plan.clock = &clock;
        good = pairs_measure(MPI_COMM_WORLD, &plan, &p) == MPI_SUCCESS && good;
        good = good && (rank > 0 || (are_right(&p, !apart) && is_predicted(&p, !apart)));
        pairs_free(&p);
    }
    MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return !good;
}
