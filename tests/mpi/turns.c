/* Preloaded below a benchmark, to see what a row's operations are: each PMPI_Allreduce of
 * COUNT_MANY elements or more takes 50 ms longer while the control variable TURNS_VARIABLE of the
 * MPI library (MPICH's) has another value than at the first of them. At exit the number of
 * different buffers that got their results goes to stderr. Knows no mpi.h, so that it fits any:
 * handles are passed on as they come. Of a large PMPI_Bcast that begins
 * in memory that nobody has written yet stderr tells, too; with TURNS_SPOIL its last byte, or that
 * of the PMPI_Allreduce, arrives wrong. Stderr also has each of the latter that takes the buffer of
 * the one before while there are several and, with TURNS_FRESH, whose data nobody has written
 * since. */
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { COUNT_MANY = 500, BUFFERS_MAX = 64, PAGE = 4096 };

static void *seen[BUFFERS_MAX];
static int n_seen;

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
    if (name && (handle || (!get_index(name, &index) && !open(index, NULL, &handle, &count))))
        get(handle, &value);
    return value;
}

static volatile bool written = true;

static void note_write(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    written = true;
    mprotect((void *)((uintptr_t)info->si_addr / PAGE * PAGE), PAGE, PROT_READ | PROT_WRITE);
}

/* The first whole page of the data, until somebody writes to it. */
static void watch_for_writes(const void *data)
{
    static const void *last;
    struct sigaction noting = {.sa_sigaction = note_write, .sa_flags = SA_SIGINFO};
    if (!getenv("TURNS_FRESH"))
        return;
    if (!written && data == last)
        fputs("not written\n", stderr);
    last = data;
    written = false;
    sigaction(SIGSEGV, &noting, NULL);
    mprotect((void *)(((uintptr_t)data + PAGE - 1) / PAGE * PAGE), PAGE, PROT_READ);
}

__attribute__((visibility("default"))) long
PMPI_Allreduce(const void *send, void *receive, long count, long type, long op, long comm)
{
    static long (*real)(const void *, void *, long, long, long, long);
    if (!real)
        real = (long (*)(const void *, void *, long, long, long, long))dlsym(RTLD_NEXT,
                                                                             "PMPI_Allreduce");
    if ((int)count >= COUNT_MANY) {
        static int before = -1;
        int i = 0;
        while (i < n_seen && seen[i] != receive)
            i++;
        if (i == n_seen && n_seen < BUFFERS_MAX) {
            seen[n_seen++] = receive;
            fprintf(stderr, "buffer %d\n", n_seen);
        }
        if (i == before && n_seen > 1)
            fputs("no turn\n", stderr);
        before = i;
        if (getenv("TURNS_VARIABLE") && variable() == atoi(getenv("TURNS_SLOW")))
            usleep(50000);
    }
    long error = real(send, receive, count, type, op, comm);
    if ((int)count >= COUNT_MANY && getenv("TURNS_SPOIL"))
        ((char *)receive)[(int)count - 1] ^= 1;
    if ((int)count >= COUNT_MANY)
        watch_for_writes(send);
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
