/* One clock for ranks whose clocks truly differ: every rank puts itself into a time namespace
 * of its own with an offset that is known here, so that the error of the estimate is known
 * without another measurement. Prints a line per rank; status 1 if an error is too large, 77 if
 * this kernel or user may not make time namespaces.
 *
 *   sync SECONDS LIMIT_NS [same]   "same": stay in one namespace, where nothing must be measured
 *   sync 0 0 fail                  communicators of hosts fail on rank 1 alone: all return that
 */
#include "base/clock.h"
#include "sync/harmonize.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

struct offset {
    long seconds, nanoseconds;
};

/* Large, small and odd offsets, before MPI is there to give ranks: the launcher's variable. */
static struct offset offset_of_rank(void)
{
    const char *text = getenv("PMI_RANK");
    long rank = text ? strtol(text, NULL, 10) : 0;
    return (struct offset){rank * 7001 + 3, (rank * 123456789 + 250000123) % 1000000000};
}

/* A time namespace holds for children only: the test goes on in one. */
static void enter_namespace(struct offset offset)
{
    char text[64];
    if (unshare(CLONE_NEWTIME) != 0)
        exit(77);
    int file = open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
    int length =
        snprintf(text, sizeof text, "monotonic %ld %ld\n", offset.seconds, offset.nanoseconds);
    if (file < 0 || write(file, text, (size_t)length) != length)
        exit(77);
    close(file);
    pid_t child = fork();
    if (child > 0) {
        int status = 0;
        waitpid(child, &status, 0);
        exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
    }
}

static double seconds_of(struct offset o)
{
    return (double)o.seconds + 1e-9 * (double)o.nanoseconds;
}

/* Global is rank 0's clock: host time plus rank 0's offset. */
static double error_now(const struct sync_clock *clock, double mine, double of_root)
{
    double local = clock_now();
    return sync_global(clock, local) - (local - mine + of_root);
}

static const double NO_LIMIT = 1; /* seconds */

/* All ranks leave a common start together: the moments they saw, on the one clock, are equal
 * but for the time of a processor to notice. Late ones are dropped; some must not be late. */
static int check_begin(struct sync_clock *clock, double limit)
{
    enum { TRIES = 20 };
    int on_time = 0;
    double narrowest = INFINITY;
    struct harmony start;
    if (harmony_open(&start, clock, MPI_COMM_WORLD, 0) != MPI_SUCCESS)
        return 0;
    for (int i = 0; i < TRIES; i++) {
        double late[2], most[2];
        if (harmonize(&start) != MPI_SUCCESS)
            return 0;
        late[0] = start.late;
        late[1] = start.off - sync_bound(clock, clock_now());
        PMPI_Allreduce(late, most, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (most[0] == 0) {
            on_time++;
            narrowest = fmin(narrowest, most[1]);
        }
    }
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf(
            "  %d of %d common starts on time with a slack of %.1f us, the best within %.3f us\n",
            on_time, TRIES, 1e6 * start.slack, 1e6 * narrowest);
    /* Without a limit there are more ranks than processors, and no common start either. */
    return limit >= NO_LIMIT || (on_time > 0 && narrowest < limit);
}

static bool failing;

int PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *new)
{
    int (*real)(MPI_Comm, int, int, MPI_Info, MPI_Comm *) =
        (int (*)(MPI_Comm, int, int, MPI_Info, MPI_Comm *))dlsym(RTLD_NEXT, __func__);
    int rank, rc = real(comm, type, key, info, new);
    PMPI_Comm_rank(comm, &rank);
    if (!failing || rank != 1)
        return rc;
    *new = MPI_COMM_NULL;
    return MPI_ERR_OTHER;
}

/* An error of one rank is an error of all: none waits for it. */
static int check_failure(void)
{
    struct sync_clock clock;
    int rank, known, all;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    failing = true;
    known = sync_start(&clock, MPI_COMM_WORLD, (uint64_t)rank + 1) != MPI_SUCCESS;
    MPI_Allreduce(&known, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    failing = false;
    if (sync_start(&clock, MPI_COMM_WORLD, (uint64_t)rank + 1) != MPI_SUCCESS || clock.domains < 2)
        all = 0;
    MPI_Finalize();
    return all ? 0 : 1;
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 1;
    double limit = argc > 2 ? 1e-9 * strtod(argv[2], NULL) : 5e-7;
    int same = argc > 3 && strcmp(argv[3], "same") == 0;
    struct offset offset = {0, 0};
    bool fail = argc > 3 && strcmp(argv[3], "fail") == 0;
    if (!same && !fail) {
        offset = offset_of_rank();
        enter_namespace(offset);
    }
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    clock_start();
    if (fail)
        return check_failure();

    double mine = seconds_of(offset), of_root = mine;
    MPI_Bcast(&of_root, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    struct sync_clock clock;
    sync_start(&clock, MPI_COMM_WORLD, 0);
    double first = error_now(&clock, mine, of_root);
    usleep((useconds_t)(seconds * 1e6));
    double alone = error_now(&clock, mine, of_root);
    double stated = sync_bound(&clock, clock_now());
    sync_again(&clock);
    double last = error_now(&clock, mine, of_root);
    double between = sync_bound(&clock, clock_now() - seconds / 2);

    printf("rank %d of %d, %d domain(s): error %+.0f ns, after %g s %+.0f ns (bound "
           "%.0f ns), measured again %+.0f ns (bound %.0f ns)\n",
           rank, size, clock.domains, 1e9 * first, seconds, 1e9 * alone, 1e9 * stated, 1e9 * last,
           1e9 * between);
    int good = clock.domains == (same ? 1 : size);
    if (same)
        good = good && clock.n_points == 0 && alone == 0 && clock.worst_bound == 0;
    else
        good = good && fabs(alone) < limit && fabs(last) < limit && fabs(alone) <= stated &&
               fabs(last) <= between + 1e-9;
    /* A spinning rank may be taken off its processor: only the best of 20 has a limit. */
    good = check_begin(&clock, fmax(1e-3, limit)) && good;
    int all;
    MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Finalize();
    return all ? 0 : 1;
}
