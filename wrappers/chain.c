/* Sets the functions that the wrappers call: PMPI_NAME, or MPI_NAME of another tool that was
 * preloaded after this library, so that the other tool sees the calls, too. */
#include "wrappers/prologue.h"

#include <dlfcn.h>

__attribute__((constructor)) static void chain(void)
{
    /* In a layer that dlopen() loaded, RTLD_NEXT finds nothing: libcollprof.so uses it instead. */
    void *(*after)(const char *) = dlsym(RTLD_DEFAULT, "collprof_after");
    Dl_info mpi;
    void *library = dladdr(dlsym(RTLD_DEFAULT, "PMPI_Init"), &mpi) && mpi.dli_fname
                        ? dlopen(mpi.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
                        : NULL;
    for (unsigned i = 0; library && i < n_mpi_functions; i++) {
        const char *name = mpi_functions[i].name;
        void *theirs = after ? after(name) : dlsym(RTLD_NEXT, name);
        if (theirs && theirs != dlsym(library, name))
            mpi_next[i] = theirs;
    }
}
