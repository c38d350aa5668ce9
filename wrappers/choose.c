/* Chooses the layer (libcollprof-layer.so) at the process's first MPI call. A layer works only with
 * the MPI library from whose mpi.h it was built; a machine may have several MPI libraries, and an
 * interpreter, as of Python, loads its MPI library late. */
#include "wrappers/choose.h"

#include "base/beside.h"
#include "base/launcher.h"
#include "base/reason.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool chosen;

/* Prints one line, on rank 0 only. */
#define SAY(...) (launcher_speaks() ? reason_print("collprof", __VA_ARGS__) : (void)0)

enum { PATH = 4096 };

/* For dl_iterate_phdr(): if INFO is an MPI library, stores its path in PATH and ends the search. */
static int note_mpi(struct dl_phdr_info *info, size_t size, void *path)
{
    (void)size;
    if (!info->dlpi_name || !mpi_of_library(info->dlpi_name))
        return 0;
    snprintf(path, PATH, "%s", info->dlpi_name);
    return 1;
}

/* Whether dlsym() finds PMPI_Init by HANDLE; PATH becomes that of the library that defines it. */
static bool defines_mpi(void *handle, char path[PATH])
{
    Dl_info info;
    void *function = dlsym(handle, "PMPI_Init");
    if (!function || !dladdr(function, &info) || !info.dli_fname)
        return false;
    snprintf(path, PATH, "%s", info.dli_fname);
    return true;
}

/* Sets PATH to that of the MPI library which CALLER's code would use without collprof: the one it
 * is linked with, otherwise the first one that was loaded. False if there is none. */
static bool find_mpi(void *caller, char path[PATH])
{
    Dl_info info;
    bool found = false;
    if (dladdr(caller, &info) && info.dli_fname) {
        void *handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
        found = handle && defines_mpi(handle, path);
        if (handle)
            dlclose(handle);
    }
    return found || defines_mpi(RTLD_DEFAULT, path) || dl_iterate_phdr(note_mpi, path);
}

static void missing_function(void)
{
    fprintf(stderr, "collprof: the application called a function that its MPI library lacks\n");
    abort();
}

/* Used instead of the functions for regions (collprof.h) if there is no layer. */
static void do_nothing(void)
{
}

/* For chain.c in a layer: function NAME of the next preloaded tool or of the MPI library. */
EXPORT void *collprof_after(const char *name);
void *collprof_after(const char *name)
{
    void *after = dlsym(RTLD_NEXT, name); /* RTLD_NEXT needs the caller's address: no tail call */
    __asm__ volatile("" : "+r"(after));
    return after;
}

static void *load_layer(const struct mpi_built *of, const char *library)
{
    char name[256], path[4200];
    snprintf(name, sizeof name, "%s/libcollprof-layer.so", of->folder);
    if (!beside_find(name, path, sizeof path)) {
        SAY("the layer for %s, %s, is neither beside libcollprof.so nor in the configured "
            "directory: nothing is recorded: use: make install",
            of->title, name);
        return NULL;
    }
    /* The layer finds its PMPI functions in the global symbol scope. But an interpreter may have
     * loaded its MPI library outside of this scope, or another MPI library may be first in it. */
    char seen[PATH] = "";
    dlopen(library, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
    if (defines_mpi(RTLD_DEFAULT, seen) && strcmp(seen, library)) {
        SAY("nothing is recorded: this program calls %s, but the globally visible MPI library is "
            "%s: load one MPI library only, or open both with RTLD_LOCAL",
            library, seen);
        return NULL;
    }
    void *layer = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!layer)
        SAY("cannot load %s: %s: nothing is recorded", path, dlerror());
    return layer;
}

static void *load(const char *library)
{
    const struct mpi_built *of = mpi_of_library(library);
    if (of)
        return load_layer(of, library);
    SAY("this program uses %s, which this collprof does not support: nothing is recorded: expected "
        "an MPI that `collprof info` lists",
        library);
    return NULL;
}

static void send_stubs(void *layer, void *library)
{
    for (unsigned i = 0; i < n_stubs; i++) {
        bool ours = !strncmp(stubs[i].name, "collprof_", 9);
        void *to = layer ? dlsym(layer, stubs[i].name) : NULL;
        if (!to)
            to = ours ? (void *)do_nothing : dlsym(library, stubs[i].name);
        *stubs[i].to = to ? to : (void *)missing_function;
    }
}

/* Without an MPI library, the called stub can only be one for regions: it does nothing. */
void *stubs_choose_mpi(void *caller, void **to)
{
    char path[PATH];
    pthread_mutex_lock(&lock);
    bool found = chosen || find_mpi(caller, path);
    if (found && !chosen) {
        void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
        send_stubs(load(path), library ? library : RTLD_NEXT);
        chosen = true;
    }
    pthread_mutex_unlock(&lock);
    return found ? *to : (void *)do_nothing;
}

/* Whether `collprof run` became this very process, neither its child nor a shell. */
static bool is_application(void)
{
    const char *pid = getenv("_COLLPROF_APPLICATION");
    return pid && atoi(pid) == getpid();
}

static bool is_ours(const void *function)
{
    Dl_info of, own;
    return function && dladdr(function, &of) && dladdr(&n_stubs, &own) &&
           of.dli_fbase == own.dli_fbase;
}

/* Whether an MPI library is loaded and MPI has been initialized. */
static bool mpi_has_begun(void)
{
    char path[PATH];
    int begun = 0;
    bool loaded = dl_iterate_phdr(note_mpi, path);
    void *library = loaded ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    int (*initialized)(int *) = library ? (int (*)(int *))dlsym(library, "PMPI_Initialized") : NULL;
    if (initialized)
        initialized(&begun);
    return begun;
}

/* Reports at the process's end why nothing was recorded; says nothing if the program's MPI_Init is
 * not ours, since it is then linked with a layer or with another tool. */
__attribute__((destructor)) static void say_if_unused(void)
{
    if (chosen || !is_ours(dlsym(RTLD_DEFAULT, "MPI_Init")))
        return;
    if (mpi_has_begun())
        SAY("MPI was opened by dlopen: nothing was recorded: use: RTLD_GLOBAL in dlopen, and "
            "dlsym(RTLD_DEFAULT, ...)");
    else if (is_application()) /* says "itself", since a child, as of strace, may have used MPI */
        SAY("%s itself used no MPI", program_invocation_short_name);
}
