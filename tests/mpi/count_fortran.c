/* An independent counter of the MPI calls of Fortran programs: preloaded, it has the names by which
 * they call their bindings, in each of the forms that bindings use (mpif.h and the module mpi;
 * mpi_f08; mpi_f08 with descriptors), counts and jumps on. What a binding calls in turn it does not
 * see. COUNT_DIRECTORY and processors as in count.c; times are not taken. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FUNCTIONS(f)                                                                               \
    f(Init, init) f(Comm_split, comm_split) f(Comm_free, comm_free) f(Bcast, bcast)                \
        f(Isend, isend) f(Irecv, irecv) f(Wait, wait) f(Waitall, waitall) f(Test, test)            \
            f(Cancel, cancel) f(Allreduce, allreduce) f(Allgather, allgather) f(Barrier, barrier)  \
                f(Reduce, reduce)

#if defined(__x86_64__)

#define FORM(lower, form)                                                                          \
    __attribute__((visibility("hidden"))) void *real_##lower##form;                                \
    __asm__(".pushsection .text\n.globl mpi_" #lower #form "\n.type mpi_" #lower #form             \
            ", @function\n"                                                                        \
            "mpi_" #lower #form ":\n"                                                              \
            "lock incq count_" #lower "(%rip)\n"                                                   \
            "jmp *real_" #lower #form "(%rip)\n"                                                   \
            ".size mpi_" #lower #form ", . - mpi_" #lower #form "\n.popsection\n");
#define DEFINE(name, lower)                                                                        \
    __attribute__((visibility("hidden"))) uint64_t count_##lower;                                  \
    FORM(lower, _)                                                                                 \
    FORM(lower, _f08_)                                                                             \
    FORM(lower, _f08ts_)
FUNCTIONS(DEFINE)

__attribute__((constructor)) static void find_all(void)
{
#define FIND(name, lower)                                                                          \
    real_##lower##_ = dlsym(RTLD_NEXT, "mpi_" #lower "_");                                         \
    real_##lower##_f08_ = dlsym(RTLD_NEXT, "mpi_" #lower "_f08_");                                 \
    real_##lower##_f08ts_ = dlsym(RTLD_NEXT, "mpi_" #lower "_f08ts_");
    FUNCTIONS(FIND)
}

__attribute__((destructor)) static void write_all(void)
{
    const char *directory = getenv("COUNT_DIRECTORY");
    char path[4096];
    if (!directory || count_init == 0)
        return;
    snprintf(path, sizeof path, "%s/count.%ld", directory, (long)getpid());
    FILE *out = fopen(path, "w");
    if (!out)
        return;
#define WRITE(name, lower)                                                                         \
    if (count_##lower)                                                                             \
        fprintf(out, "MPI_%s %llu 0\n", #name, (unsigned long long)count_##lower);
    FUNCTIONS(WRITE)
    fclose(out);
}

#endif
