/* Protects that one clock for all ranks is as good as it says, where every rank's own has an offset
 * of years and drifts by up to 500 ppm either way: of 1,000 readings none is outside of what the
 * point after them says that they can have been off by; where rates last, nor of the bound
 * stated in the moment. And that ranks which begin together by such a clock leave within what
 * each of them is told that it may be off.
 *
 * And that a rank behind a slow path passes its doubt on to no other.
 *
 * usage: drift CHANGE WITHIN [SLOW]: the rates change by up to CHANGE ppm after 12 of about 30 s;
 * common starts are not further apart than WITHIN us, once the rates are known; the clocks of no
 * more than SLOW ranks (default: all) have a bound above 300 us at their last point. */
#include "base/clock.h"
#include "sync/harmonize.h"
#include "sync/local_clock.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { READINGS = 1000, EVERY = 20 };
static const double middle = 12; /* seconds, of about 30; starts count from 15 on */
static int rank, size;
static double change;

/* What rank R's clock shows at the simulator's moment. */
static double clock_of(int r, double moment)
{
    double drift = 500e-6 * cos(2.4 * r), after = fmax(0, moment - middle);
    return 1e8 * sin(1 + r) + moment * (1 + drift) + after * 1e-6 * change * sin(r);
}

static double drifting_now(void)
{
    return clock_of(rank, MPI_Wtime());
}

static void hold(double seconds)
{
    struct timespec t = {.tv_sec = (time_t)seconds,
                         .tv_nsec = lround((seconds - floor(seconds)) * 1e9)};
    if (seconds > 0)
        nanosleep(&t, NULL);
}

/* Another common start. Whether this rank has left when it was told, by the simulator's moment;
 * *APART: first rank to last. */
static bool starts_together(struct harmony *start, double *apart)
{
    double exit[2], all[2];
    if (harmonize(start) != MPI_SUCCESS)
        return false;
    exit[1] = MPI_Wtime();
    exit[0] = -exit[1];
    MPI_Allreduce(exit, all, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    *apart = fmax(*apart, all[0] + all[1]);
    return change != 0 || fabs(clock_of(0, exit[1]) - start->begin) <= start->off + 5e-8;
}

int main(int argc, char **argv)
{
    int outside = 0, all = 0, astray = 0, slow = 0, slow_ranks = 0;
    double widest = 0, bound = 0, worst = 0, off = 0, apart, spread = 0, wrong[EVERY];
    struct sync_clock clock, followed;
    struct harmony start;
    MPI_Init(&argc, &argv);
    local_clock_start();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    change = argc > 1 ? atof(argv[1]) : 0;
    double within = argc > 2 ? atof(argv[2]) : 0;
    clock_use_external(drifting_now, hold);
    int error = sync_start(&clock, MPI_COMM_WORLD, (uint64_t)rank + 1);
    if (!error)
        error = sync_start(&followed, MPI_COMM_WORLD, (uint64_t)rank + 1);
    if (!error)
        error = harmonize_open(&start, &followed, MPI_COMM_WORLD, 0);
    start.follows = true;
    for (int k = 0; k < READINGS && !error; k++) {
        clock_hold(1e-3 * (1 + (k * 37 + rank * 11) % 60));
        double moment = MPI_Wtime(), local = clock_of(rank, moment);
        /* Offsets of years leave a clock's double 15 ns. */
        wrong[k % EVERY] = fabs(sync_global(&clock, local) - clock_of(0, moment)) - 5e-8;
        outside += change == 0 && wrong[k % EVERY] > sync_bound(&clock, local);
        off = fmax(off, wrong[k % EVERY]);
        if (k % EVERY < EVERY - 1)
            continue;
        error = sync_check(&clock, MPI_COMM_WORLD, -1, &apart);
        for (int i = 0; i < EVERY; i++)
            outside += wrong[i] > clock.missed || wrong[i] > apart;
        widest = fmax(widest, clock.missed);
        if (k == READINGS / 2 - 1)
            spread = 0; /* by now the rates are known */
        astray += !starts_together(&start, &spread);
    }
    outside += astray;
    slow = clock.line.bound > 300e-6;
    MPI_Reduce(&slow, &slow_ranks, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&outside, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&widest, &bound, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&off, &worst, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d clocks: %d of %d readings outside, widest bound %.2f us, largest error %.2f us; "
               "the last %d common starts apart by at most %.2f us; %d ranks above 300 us\n",
               clock.domains, all, size * READINGS, 1e6 * bound, 1e6 * worst,
               READINGS / EVERY / 2 + 1, 1e6 * spread, slow_ranks);
    MPI_Finalize();
    return error || (rank == 0 && (clock.domains != size || all > 0 || !(1e6 * spread < within) ||
                                   slow_ranks > (argc > 3 ? atoi(argv[3]) : size)));
}
