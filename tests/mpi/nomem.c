/* Preloaded before the layer: on rank NOMEM_RANK, memory that the layer asks for is refused from
 * the entry of MPI_Init on (NOMEM_FROM=begin), from its return (run), from MPI_Type_commit (type)
 * or MPI_Finalize on (end). NOMEM_LIST=once, always: the list of the run's members cannot be opened
 * again, or at all; denied: not written. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);

static int refusing;

static int is_for_layer(const void *caller)
{
    Dl_info info;
    return dladdr(caller, &info) && strstr(info.dli_fname, "libcollprof-layer.so");
}

EXPORTED void *malloc(size_t size)
{
    return refusing && is_for_layer(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

EXPORTED void *calloc(size_t n, size_t size)
{
    return refusing && is_for_layer(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

EXPORTED void *realloc(void *old, size_t size)
{
    return refusing && is_for_layer(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}

static int is_meant(void)
{
    const char *pmi = getenv("PMI_RANK"), *wanted = getenv("NOMEM_RANK");
    const char *mine = pmi ? pmi : getenv("OMPI_COMM_WORLD_RANK");
    return mine && wanted && !strcmp(mine, wanted);
}

static void refuse_from(const char *moment)
{
    const char *from = getenv("NOMEM_FROM");
    if (is_meant() && !strcmp(from ? from : "end", moment))
        refusing = 1;
}

/* What is opened for a record: first its file, then that for the ranks that only look for it. */
EXPORTED int openat(int directory, const char *name, int flags, ...)
{
    static int opened;
    int (*next)(int, const char *, int, ...) =
        (int (*)(int, const char *, int, ...))dlsym(RTLD_NEXT, "openat");
    const char *list = getenv("NOMEM_LIST"), *end = strrchr(name, '.');
    va_list more;
    va_start(more, flags);
    int mode = va_arg(more, int);
    va_end(more);
    if (list && end && !strcmp(end, ".ledger") && is_meant() &&
        (strcmp(list, "once") ? 1 : !opened++)) {
        errno = *list == 'd' ? EACCES : EMFILE;
        return -1;
    }
    return next(directory, name, flags, mode);
}

EXPORTED int MPI_Type_commit(void *type)
{
    int (*next)(void *) = (int (*)(void *))dlsym(RTLD_NEXT, "MPI_Type_commit");
    refuse_from("type");
    return next(type);
}

EXPORTED int MPI_Init(int *argc, char ***argv)
{
    int (*next)(int *, char ***) = (int (*)(int *, char ***))dlsym(RTLD_NEXT, "MPI_Init");
    refuse_from("begin");
    int rc = next(argc, argv);
    refuse_from("run");
    return rc;
}

EXPORTED int MPI_Init_thread(int *argc, char ***argv, int wanted, int *got)
{
    int (*next)(int *, char ***, int, int *) =
        (int (*)(int *, char ***, int, int *))dlsym(RTLD_NEXT, "MPI_Init_thread");
    refuse_from("begin");
    int rc = next(argc, argv, wanted, got);
    refuse_from("run");
    return rc;
}

EXPORTED int MPI_Finalize(void)
{
    int (*next)(void) = (int (*)(void))dlsym(RTLD_NEXT, "MPI_Finalize");
    refuse_from("end");
    return next();
}
