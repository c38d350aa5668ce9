/* libcollprof-yield.so: preloaded, it makes waiting ranks give their processor away.
 *
 * MPI libraries busy-wait. With more ranks than processors a rank that waits holds the very
 * processor that the awaited one needs, for a whole scheduler slice: milliseconds. UCX, under
 * MPICH and Open MPI alike, polls in ucp_worker_progress(); when it found nothing, we
 * yield. No MPI here, no state but a counter. */
#include <dlfcn.h>
#include <sched.h>
#include <stdbool.h>

#define EXPORT __attribute__((visibility("default")))

typedef unsigned progress_function(void *worker);

EXPORT unsigned ucp_worker_progress(void *worker);
EXPORT bool collprof_yield_works(void);

static progress_function *real_progress;
static bool called;

__attribute__((constructor)) static void find_real(void)
{
    real_progress = (progress_function *)dlsym(RTLD_NEXT, "ucp_worker_progress");
}

unsigned ucp_worker_progress(void *worker)
{
    if (__builtin_expect(!real_progress, 0)) /* UCX was loaded after us, by dlopen */
        find_real();
    if (!real_progress)
        return 0;
    called = true;
    unsigned done = real_progress(worker);
    if (!done)
        sched_yield();
    return done;
}

/* Whether this MPI library waits in the function above at all. */
bool collprof_yield_works(void)
{
    return called;
}
