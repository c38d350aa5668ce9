/* libcollprof-yield.so: preloaded, it makes waiting ranks release their processor.
 *
 * MPI libraries busy-wait. With more ranks than processors a waiting rank occupies the processor
 * that the awaited one needs, for a whole scheduler time slice: milliseconds. UCX, under both MPICH
 * and Open MPI, polls in ucp_worker_progress(); when that found nothing, we yield. This library
 * does not call MPI. */
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
    if (__builtin_expect(!real_progress, 0)) /* UCX was loaded later, by dlopen */
        find_real();
    if (!real_progress)
        return 0;
    called = true;
    unsigned done = real_progress(worker);
    if (!done)
        sched_yield();
    return done;
}

/* Whether this MPI library waits in ucp_worker_progress() at all. */
bool collprof_yield_works(void)
{
    return called;
}
