/* What knows the processor, on aarch64: the jumps of libcollprof.so, the first call of a function
 * and those that follow; and the clock, by CLOCK_MONOTONIC and by the processor's own counter. */
#include "base/clock.h"

#include <math.h>
#include <stdio.h>

static int chosen;

static double sum(int a, long b, void *c, int d, int e, int f, int g, int h, int i, long j,
                  double x, double y)
{
    return a + (double)b + (double)(long)c + d + e + f + g + h + i + (double)j + x + y;
}

/* As in wrappers/choose.c: asked once, the jump is to be set. */
void *stubs_choose_mpi(const void *caller, void **to)
{
    chosen += caller != NULL;
    return *to = (void *)(long)sum;
}

double MPI_Send(int a, long b, void *c, int d, int e, int f, int g, int h, int i, long j, double x,
                double y);

static int jumps(void)
{
    double got = 0;
    for (int k = 0; k < 3; k++)
        got += MPI_Send(1, 2, (void *)3, 4, 5, 6, 7, 8, 9, 10, 0.25, 0.5);
    printf("jumps: %g, chosen %d times\n", got, chosen);
    return got != 3 * 55.75 || chosen != 1;
}

static int clocks(enum clock_source source)
{
    clock_source = source;
    struct clock_pair from = clock_read_pair();
    while (clock_now() < from.seconds + 0.05)
        ;
    struct clock_pair to = clock_read_pair();
    double seconds = (double)(to.ticks - from.ticks) / clock_rate(from, to);
    printf("%s: %.0f ticks per second\n", clock_names[clock_source], clock_rate(from, to));
    return !(fabs(seconds - (to.seconds - from.seconds)) < 1e-3) || to.ticks <= from.ticks;
}

int main(void)
{
    return jumps() | clocks(CLOCK_SOURCE_MONOTONIC) | clocks(CLOCK_SOURCE_CNTVCT);
}
