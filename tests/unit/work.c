/* Fixed work: protects the "computation" of every overlap figure. That it takes the time that was
 * asked for, that it is work and not a wait (a thread that shares a processor takes longer), and
 * that background threads do run and end. Retried, as the machine may be busy. */
#include "measure/work.h"
#include "base/clock.h"
#include "simulated_clock.h"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

Test(work, takes_the_time_asked_for)
{
    const double wanted[] = {2e-6, 50e-6, 1e-3};
    for (int i = 0; i < 3; i++) {
        struct work w = {0};
        bool within = false;
        for (int attempt = 0; attempt < 20 && !within; attempt++) {
            w = work_calibrate(wanted[i]);
            /* Measured anew, not the figure of the calibration. */
            double least = INFINITY;
            for (int k = 0; k < 200; k++)
                least = fmin(least, work_time(&w));
            within = fabs(w.achieved / wanted[i] - 1) <= 0.01 && fabs(least / wanted[i] - 1) < 0.02;
        }
        cr_expect(within, "%g s wanted, %g s achieved", wanted[i], w.achieved);
    }
}

Test(work, sees_a_processor_taken_away)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    struct work w = work_calibrate(0.01);
    struct work_threads *t = work_threads_start(3); /* on the same processor */
    cr_assert(t);
    clock_hold(0.05); /* lets them start */
    double shared = 0;
    for (int i = 0; i < 5; i++)
        shared += work_time(&w) / 5;
    work_threads_stop(t);
    cr_expect_gt(shared, 1.5 * w.achieved);
}

Test(work, in_a_simulation_is_simulated)
{
    clock_use_external(simulated_now, simulated_hold);
    struct work w = work_calibrate(0.25);
    work_do(&w);
    cr_expect(simulated == 0.25 && w.units > 0);
    cr_expect_null(work_threads_start(1));
}
