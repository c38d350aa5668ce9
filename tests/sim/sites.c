/* Latencies of two sites that are not alike inside, on the exact clock (grid.xml). Protects that
 * one pair which stands for many is what they are when measured by themselves, in everything; that
 * the seconds which are affordable say how all are measured; that time which is up, wherever some
 * are by then, is up for all; and that of a log a communicator gets its own ranks', or is refused.
 *
 * usage: sites LOG, a path that is written to */
#include "measure/pairs/sites.h"
#include "base/clock.h"
#include "measure/pairs/grid.h"
#include "measure/pairs/log.h"
#include "measure/pairs/pairs.h"
#include "sync/local_clock.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static const size_t sizes[] = {64, 32768};
enum { N_SIZES = sizeof sizes / sizeof *sizes };
static int rank, n;
static bool good = true;

static void expect(bool right, const char *what)
{
    if (!right)
        printf("FAIL: rank %d: %s\n", rank, what ? what : "another order");
    good = good && right;
}

/* To 1 %, or 0.1 us. P's row I is RIGHT's of N - 1 - I where it is BACKWARD. */
static void compare(const struct pairs *p, const struct pairs *right, bool backward)
{
    for (int s = 0; s < N_SIZES; s++) {
        const struct pairs_size *x = &p->size[s], *y = &right->size[s];
        const double *const of[][2] = {
            {x->min, y->min}, {x->mean, y->mean}, {x->send, y->send},     {x->gap, y->gap},
            {x->way, y->way}, {x->post, y->post}, {x->sooner, y->sooner}, {x->pace, y->pace}};
        static const char *const names[] = {"min", "mean", "send",   "gap",
                                            "way", "post", "sooner", "pace"};
        for (size_t m = 0; m < (backward ? 5 : sizeof of / sizeof *of); m++) {
            for (int k = 0; k < n * n; k++) {
                double here = of[m][0][k], there = of[m][1][backward ? n * n - 1 - k : k];
                if (k / n == k % n || fabs(here - there) <= fmax(1e-7, 0.01 * fabs(there)))
                    continue;
                printf("FAIL: %s of %zu B, %d to %d: %g s, not %g\n", names[m], x->bytes, k / n,
                       k % n, here, there);
                good = false;
            }
        }
    }
}

/* Whether all ranks return the same. */
static int measure(double most, double affordable, struct pairs *p)
{
    int error = pairs_measure_by_sites(MPI_COMM_WORLD, NULL, sizes, N_SIZES, most, affordable, p);
    int both[2] = {error, -error}, all[2];
    MPI_Allreduce(both, all, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    expect(all[0] == -all[1], "some are told of an error, others not");
    return error;
}

/* NULL: not all pairs. */
static void check_order(double affordable, const char *order)
{
    struct pairs p;
    measure(0, affordable, &p);
    expect(rank > 0 || (order ? p.order && !strcmp(p.order, order) : !p.order), order);
    pairs_free(&p);
}

/* COMM has all ranks, the last one first. */
static void check_log(const struct pairs *alone, const char *log, MPI_Comm comm)
{
    struct grid g = {0};
    struct pairs whole, few;
    char why[256] = "";
    FILE *out;
    if (rank == 0 && (out = fopen(log, "w"))) {
        pairs_log_write(alone, out, false);
        fclose(out);
    }
    MPI_Barrier(comm);
    if (grid_open(&g, comm, log, NULL, 0, 0, why, sizeof why)) {
        double cost = 0;
        if (rank == n - 1 && pairs_log_load(log, &whole, why, sizeof why)) {
            compare(&g.pairs, &whole, true);
            pairs_free(&whole);
        }
        MPI_Allreduce(&g.cost, &cost, 1, MPI_DOUBLE, MPI_MAX, comm);
        expect(cost == g.cost, "what it took is not the same for all");
        grid_close(&g);
    } else {
        expect(false, why);
    }
    if (rank == 0 && pairs_new(&few, 2) && (out = fopen(log, "w"))) {
        pairs_add_size(&few, 64, 1, false);
        few.size[0].mean[1] = few.size[0].mean[2] = few.size[0].sd[1] = few.size[0].sd[2] = 1e-6;
        pairs_log_write(&few, out, true);
        fclose(out);
        pairs_free(&few);
    }
    MPI_Barrier(comm);
    g = (struct grid){0};
    expect(!grid_open(&g, comm, log, NULL, 0, 0, why, sizeof why), "a log of two ranks is taken");
    expect(strstr(why, "it is for 2 ranks, there are 8") != NULL, why);
}

int main(int argc, char **argv)
{
    struct pairs alone, p;
    MPI_Init(&argc, &argv);
    local_clock_start();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    struct pairs_plan plan = pairs_plan_quick(NULL, sizes, N_SIZES, 0);
    plan.order = PAIRS_ONE_AT_A_TIME;
    expect(pairs_measure(MPI_COMM_WORLD, &plan, &alone) == MPI_SUCCESS, "not measured alone");
    expect(measure(0, 0, &p) == MPI_SUCCESS, "not measured by sites");
    expect(rank > 0 || !p.order, "all pairs were measured");
    if (rank == 0)
        compare(&p, &alone, false);
    pairs_free(&p);

    /* All pairs take 21 to 29 s, a fourth of it in a tournament, of which messages of 64 B do not
     * tell that pairs share the way. */
    check_order(5, NULL);
    check_order(8, "one pair at a time, since pairs share a way or a processor");
    check_order(300, "one pair at a time");

    double start = clock_now();
    measure(0, 0, &p);
    pairs_free(&p);
    double whole = clock_now() - start;
    for (int k = 1; k < 60; k++) {
        bool over = measure(whole * k / 60, 0, &p) == PAIRS_TOO_LONG;
        expect(over || k >= 30, "there was more time than there was");
        pairs_free(&p);
    }

    MPI_Comm backward;
    MPI_Comm_split(MPI_COMM_WORLD, 0, n - rank, &backward);
    if (argc == 2)
        check_log(&alone, argv[1], backward);
    MPI_Comm_free(&backward);
    pairs_free(&alone);
    int mine = good, all;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Finalize();
    return !all;
}
