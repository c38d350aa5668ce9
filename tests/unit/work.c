/* Fixed work: protects the "computation" of every overlap figure. That it takes the time that was
 * asked for, that it is work and not a wait (a thread that shares a processor takes longer), and
 * that background threads do run and end. Retried, as the machine may be busy. */
#include "measure/work.h"
#include "base/clock.h"

#include <criterion/criterion.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

Test(work, takes_the_time_asked_for)
{
    const double wanted[] = {2e-6, 50e-6, 1e-3};
    for (int i = 0; i < 3; i++) {
        struct work w = {0};
        bool within = false;
        for (int attempt = 0; attempt < 20 && !within; attempt++) {
            w = work_calibrate(wanted[i], 0.01);
            /* Measured anew, not the figure of the calibration. */
            double least = INFINITY;
            for (int k = 0; k < 200; k++)
                least = fmin(least, work_time(&w));
            within = w.within && fabs(least / wanted[i] - 1) < 0.02;
        }
        cr_expect(within, "%g s wanted, %g s achieved", wanted[i], w.achieved);
    }
}

static int parts;

static void twice(uint64_t units)
{
    parts += 2;
    work_part(units);
    work_part(units);
}

/* What a team takes is calibrated, and done, by the team: here by one that needs twice as long. */
Test(work, by_a_team)
{
    bool within = false;
    for (int attempt = 0; attempt < 20 && !within; attempt++) {
        work_by(NULL);
        struct work alone = work_calibrate(50e-6, 0.01);
        work_by(twice);
        struct work team = work_calibrate(50e-6, 0.01);
        within = team.within && fabs(2 * (double)team.units / (double)alone.units - 1) < 0.05;
        parts = 0;
        work_do(&team);
        cr_expect_eq(parts, 2);
    }
    cr_expect(within);
}

static void with_more(uint64_t units)
{
    clock_hold(20e-6);
    work_part(units);
}

/* Where twice as many units do not take twice as long the amount is corrected; what cannot be had
 * is told as it is. */
Test(work, amounts_are_corrected)
{
    bool within = false;
    work_by(with_more);
    for (int attempt = 0; attempt < 20 && !within; attempt++)
        within = work_calibrate(60e-6, 0.02).within;
    cr_expect(within);
    struct work w = work_calibrate(5e-6, 0.02);
    cr_expect(!w.within && w.achieved >= 20e-6, "%g s", w.achieved);
}

static void share_one_processor(int thread, void *arg)
{
    (void)thread;
    sched_setaffinity(0, sizeof(cpu_set_t), arg);
}

Test(work, sees_a_processor_taken_away)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    struct work w = work_calibrate(0.02, 0.05);
    struct work_threads *t = work_threads_start(3, share_one_processor, &one);
    cr_assert(t);
    clock_hold(0.05); /* lets them start */
    double shared = 0;
    for (int i = 0; i < 10; i++)
        shared += work_time(&w) / 10;
    uint64_t units = work_threads_stop(t);
    cr_expect_gt(shared, 1.5 * w.achieved);
    cr_expect_gt(units, 0);
}

static double fake_time;
static double fake_now(void)
{
    return fake_time;
}
static void fake_hold(double seconds)
{
    fake_time += seconds;
}

Test(work, in_a_simulation_is_simulated)
{
    clock_use(fake_now, fake_hold);
    struct work w = work_calibrate(0.25, 0.01);
    work_do(&w);
    cr_expect(fake_time == 0.25 && w.units > 0);
    cr_expect_null(work_threads_start(1, NULL, NULL));
}

/* Works until it has been interrupted, and says what it lost its processor to. */
static enum work_loss lose_processor(void)
{
    struct work w = {.units = 20000000};
    enum work_loss loss = WORK_UNDISTURBED;
    for (int i = 0; i < 100 && loss == WORK_UNDISTURBED; i++) {
        struct work_watch before = work_watch();
        work_do(&w);
        loss = work_lost(&before);
    }
    return loss;
}

/* A library's progress thread is told from another process, on one processor that all share. */
Test(work, tells_own_threads_from_others, .timeout = 60)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    pid_t child = fork();
    if (child == 0) {
        alarm(30); /* in case nobody ends it */
        for (volatile unsigned spin = 0;; spin++)
            ;
    }
    enum work_loss loss = lose_processor();
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    cr_expect_eq(loss, WORK_LOST_TO_OTHERS);

    struct work_threads *t = work_threads_start(3, share_one_processor, &one);
    cr_assert(t);
    clock_hold(0.05);
    int own = 0, counted = 0;
    for (int i = 0; i < 20 && counted < 5; i++) {
        struct work_watch before = work_watch();
        enum work_loss lost = lose_processor();
        struct work_watch now = work_watch();
        /* Where other processes have more than a quarter of the processor, this one's threads may
         * have been the smaller part of what was lost. */
        if (now.process - before.process < 0.75 * (now.wall - before.wall))
            continue;
        counted++;
        own += lost == WORK_LOST_TO_OWN_THREADS;
    }
    work_threads_stop(t);
    if (counted == 0)
        cr_skip("this machine is too busy to be told anything by it");
    cr_expect_eq(own, counted, "%d of %d", own, counted);
}
