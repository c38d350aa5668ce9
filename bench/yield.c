/* Starting again with the yielding library loaded (src/yield/yield.c). */
#include "bench_inner.h"

#include "base/beside.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Open MPI yields by itself: as it is told, else where its launcher says that ranks are too many.
 */
static bool open_mpi_yields(void)
{
    const char *told = getenv("OMPI_MCA_mpi_yield_when_idle");
    if (!told)
        told = getenv("OMPI_MCA_mpi_oversubscribe");
    return told && *told && strchr("1tTyYeE", *told) && dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world");
}

/* For the others our library has to be there. */
bool bench_yields(void)
{
    bool (*works)(void) = (bool (*)(void))dlsym(RTLD_DEFAULT, "collprof_yield_works");
    return (works && works()) || open_mpi_yields();
}

#ifdef COLLPROF_SIMULATED
void bench_yield(int argc, char **argv)
{
    (void)argc, (void)argv; /* simulated ranks take turns anyway */
}
#else

/* argp is not asked before MPI_Init; it also takes "--yi". */
static bool asked_for(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strlen(argv[i]) >= 3 && strncmp("--yield", argv[i], strlen(argv[i])) == 0)
            return true;
    return false;
}

static void preload(const char *library)
{
    char *list;
    const char *others = getenv("LD_PRELOAD");
    if (asprintf(&list, "%s%s%s", library, others && *others ? ":" : "", others ? others : "") < 0)
        return;
    setenv("LD_PRELOAD", list, 1);
    free(list);
}

void bench_yield(int argc, char **argv)
{
    static const char mark[] = "_COLLBENCH_YIELD_STARTED"; /* so that it is done only once */
    char self[4096], library[4200];
    if (!asked_for(argc, argv) || getenv(mark))
        return;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        return;
    self[length] = '\0';
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 1);
    if (!beside_find("libcollprof-yield.so", library, sizeof library)) {
        fprintf(stderr, "%s: --yield: %s is missing: make install\n", program_invocation_short_name,
                library);
        return;
    }
    preload(library);
    setenv(mark, "1", 1);
    execv(self, argv);
    fprintf(stderr, "%s: --yield: cannot start again: %s\n", program_invocation_short_name,
            strerror(errno));
}
#endif
