/* Preloaded below a benchmark. Each PMPI_Allreduce of COUNT_MANY elements or more takes 50 ms
 * longer while the control variable TURNS_VARIABLE of the MPI library (MPICH's) has the value
 * TURNS_SLOW. stderr reports each PMPI_Bcast of as many whose buffer nobody has written yet. With
 * TURNS_SPOIL the last byte of both arrives wrong. Includes no mpi.h, so that it fits any MPI:
 * handles are passed on as they come. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { COUNT_MANY = 500 };

static int variable(void)
{
    int (*get_index)(const char *, int *) =
        (int (*)(const char *, int *))dlsym(RTLD_DEFAULT, "PMPI_T_cvar_get_index");
    int (*open)(int, void *, void **, int *) =
        (int (*)(int, void *, void **, int *))dlsym(RTLD_DEFAULT, "PMPI_T_cvar_handle_alloc");
    int (*get)(void *, void *) = (int (*)(void *, void *))dlsym(RTLD_DEFAULT, "PMPI_T_cvar_read");
    const char *name = getenv("TURNS_VARIABLE");
    int index, count, value = 0;
    static void *handle;
    int (*start)(int, int *) = (int (*)(int, int *))dlsym(RTLD_DEFAULT, "PMPI_T_init_thread");
    if (name && (handle || !start(0, &count)) &&
        (handle || (!get_index(name, &index) && !open(index, NULL, &handle, &count))))
        get(handle, &value);
    return value;
}

__attribute__((visibility("default"))) long
PMPI_Allreduce(const void *send, void *receive, long count, long type, long op, long comm)
{
    static long (*real)(const void *, void *, long, long, long, long);
    if (!real)
        real = (long (*)(const void *, void *, long, long, long, long))dlsym(RTLD_NEXT,
                                                                             "PMPI_Allreduce");
    if ((int)count >= COUNT_MANY && getenv("TURNS_VARIABLE") &&
        variable() == atoi(getenv("TURNS_SLOW")))
        usleep(50000);
    long error = real(send, receive, count, type, op, comm);
    if ((int)count >= COUNT_MANY && getenv("TURNS_SPOIL"))
        ((char *)receive)[(int)count - 1] ^= 1;
    return error;
}

__attribute__((visibility("default"))) long PMPI_Bcast(void *buffer, long count, long type,
                                                       long root, long comm)
{
    static long (*real)(void *, long, long, long, long);
    if (!real)
        real = (long (*)(void *, long, long, long, long))dlsym(RTLD_NEXT, "PMPI_Bcast");
    if ((int)count >= COUNT_MANY && !((char *)buffer)[(int)count - 1])
        fputs("a buffer of zeros\n", stderr);
    long error = real(buffer, count, type, root, comm);
    int (*get_rank)(long, int *) = (int (*)(long, int *))dlsym(RTLD_DEFAULT, "PMPI_Comm_rank");
    int rank = (int)root;
    get_rank(comm, &rank);
    if ((int)count >= COUNT_MANY && getenv("TURNS_SPOIL") && rank != (int)root)
        ((char *)buffer)[(int)count - 1] ^= 1;
    return error;
}
