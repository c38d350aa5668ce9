/* Broadcast data is right on every rank, for every tree, root, size (0 included), datatype with
 * holes, whole and in segments; another root than the schedule's is refused. */
#include "measure/pairs/grid.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static struct graph made_up_graph(void)
{
    struct graph g;
    graph_new(&g, size);
    for (int i = 0; i < size * size; i++) {
        g.w[i] = 1e-6 * (1 + (i * 7919) % 13);
        g.d[i] = 1e-6 * (1 + i / size % 3);
    }
    return g;
}

/* Every second int of 2 N: the holes must stay as they are. */
static int check(const struct bcast *b, int root, int n, bool holes)
{
    int *data = malloc((2 * (size_t)n + 1) * sizeof *data), wrong = 0, step = holes ? 2 : 1;
    MPI_Datatype type = MPI_INT;
    for (int i = 0; i < 2 * n; i++)
        data[i] = rank == root ? 1000 * root + i : -1 - i;
    if (holes) {
        MPI_Datatype one;
        MPI_Type_vector(1, 1, 1, MPI_INT, &one);
        MPI_Type_create_resized(one, 0, 2 * sizeof(int), &type);
        MPI_Type_commit(&type);
        MPI_Type_free(&one);
    }
    if (b->run(data, n, type, root, MPI_COMM_WORLD, b->arg) != MPI_SUCCESS)
        wrong++;
    for (int i = 0; i < 2 * n; i++) {
        bool sent = i % step == 0 && i / step < n;
        wrong += data[i] != (sent || rank == root ? 1000 * root + i : -1 - i);
    }
    if (holes)
        MPI_Type_free(&type);
    free(data);
    return wrong;
}

static int check_schedule(const struct schedule *s, int root)
{
    static const int counts[] = {0, 1, 1000, 5000};
    struct schedule_part *part;
    int wrong = schedule_distribute(s, MPI_COMM_WORLD, &part) != MPI_SUCCESS;
    if (wrong)
        return 1;
    struct bcast b = schedule_bcast(part);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (int holes = 0; holes < 2; holes++)
            wrong += check(&b, root, counts[i], holes);
    int other = (root + 1) % size;
    wrong += size > 1 && b.run(NULL, 0, MPI_INT, other, MPI_COMM_WORLD, b.arg) != MPI_ERR_ROOT;
    free(part);
    return wrong;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    struct graph g = made_up_graph();
    static const size_t segments[] = {0, 3, 1024, 8192};
    int wrong = 0, trees = 0;
    for (size_t i = 0; i < n_bcast_candidates; i++) {
        for (int root = 0; root<size; root += size> 1 ? size - 1 : 1) {
            for (size_t k = 0; k < 4; k++) {
                struct schedule s;
                if (!schedule_build(bcast_candidates[i], &g, root, &s))
                    return 1;
                s.segment = segments[k];
                wrong += check_schedule(rank == 0 ? &s : NULL, root);
                trees++;
                schedule_free(&s);
            }
        }
    }
    /* The whole way: measured, planned, tried out, run. */
    struct grid grid = {0};
    struct grid_plan plan;
    char why[256] = "";
    size_t bytes = 4000;
    if (!grid_open(&grid, MPI_COMM_WORLD, NULL, &bytes, 1, 0, why, sizeof why) ||
        !grid_plan(&grid, size - 1, bytes, &tree_grid, SIZE_MAX, &plan, why, sizeof why)) {
        fprintf(stderr, "rank %d: %s\n", rank, why);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    wrong += check(&plan.bcast, size - 1, 1000, false);
    if (rank == 0)
        printf("%d ranks, %d trees; grid chose %s in %.3f s (latencies %.3f s)\n", size, trees,
               plan.name, plan.cost, grid.cost);
    /* An impossible root and a log that is not there are refused, on all ranks alike. */
    struct grid_plan none;
    wrong += grid_plan(&grid, size, bytes, &tree_grid, SIZE_MAX, &none, why, sizeof why);
    wrong += strstr(why, "there is no root") == NULL;
    grid_plan_free(&plan);
    grid_close(&grid);
    wrong += grid_open(&grid, MPI_COMM_WORLD, "/no/such/log", NULL, 0, 0, why, sizeof why);
    wrong += strcmp(why, "/no/such/log: No such file or directory") != 0;
    /* No time at all: given up by all ranks, who can go on. */
    wrong += grid_open(&grid, MPI_COMM_WORLD, NULL, &bytes, 1, 1e-9, why, sizeof why);
    wrong += !strstr(why, "are not known, measuring takes over");

    int all;
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (wrong)
        fprintf(stderr, "rank %d: %d wrong\n", rank, wrong);
    graph_free(&g);
    MPI_Finalize();
    return all ? 1 : 0;
}
