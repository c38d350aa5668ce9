/* What a wrapper calls: the PMPI_ function or, with COLLPROF_CHAIN=yes, the function of the same
 * name in whatever was preloaded after this library, so that two tools see the same calls. */
#include "record/operations.h"
#include "wrappers/next.h"

#include "base/settings.h"

#include <dlfcn.h>

__attribute__((constructor)) static void chain(void)
{
    static struct settings s;
    settings_read(&s, settings_environment(), NULL, NULL);
    if (!s.chain)
        return;
    /* A layer was loaded last: what comes after libcollprof.so is known there. */
    void *(*after)(const char *) = dlsym(RTLD_DEFAULT, "collprof_after");
    void **function = (void **)&next;
    for (unsigned i = 0; i < n_mpi_functions; i++) {
        const char *name = mpi_functions[i].name;
        void *theirs = after ? after(name) : dlsym(RTLD_NEXT, name);
        if (theirs)
            function[i] = theirs;
    }
}
