/* An independent counter of MPI calls, to hold the layer's counts against: preloaded before the
 * layer it sees every call that the layer sees, in the same run. It shares nothing with the
 * layer: each function here is three instructions that know no prototype: add one, jump to the
 * next library's function of the same name, whose arguments are still in place.
 *
 * A few functions it times as well, by the system's clock: its time contains the layer's, which
 * contains the library's, so that whatever else runs on the machine takes of all alike.
 *
 * COUNT_DIRECTORY is where each process leaves its counts at exit: count.PID, "NAME CALLS NS" a
 * line, NS being 0 where it is not known. On processors other than x86-64 nothing is counted, and
 * the tests that need it are skipped. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* All that communicates or makes communicators in real applications. Not MPI_Finalize: the
 * layer's books are closed by then. */
/* clang-format off */
#define TIMED(f) \
    f(Send) f(Recv) f(Isend) f(Irecv) f(Wait) f(Waitall) f(Barrier) f(Bcast) f(Allreduce)
#define COUNTED(f) \
    f(Init) f(Init_thread) f(Ssend) f(Bsend) f(Rsend) f(Sendrecv) f(Sendrecv_replace) f(Issend) \
    f(Ibsend) f(Irsend) f(Probe) f(Iprobe) f(Mprobe) f(Improbe) f(Mrecv) f(Imrecv) f(Waitany) \
    f(Waitsome) f(Test) f(Testall) f(Testany) f(Testsome) f(Request_free) f(Cancel) \
    f(Send_init) f(Recv_init) f(Ssend_init) f(Start) f(Startall) f(Gather) f(Gatherv) \
    f(Scatter) f(Scatterv) f(Allgather) f(Allgatherv) f(Alltoall) f(Alltoallv) f(Alltoallw) \
    f(Reduce) f(Reduce_scatter) f(Reduce_scatter_block) f(Scan) f(Exscan) f(Ibarrier) f(Ibcast) \
    f(Igather) f(Iscatter) f(Iallgather) f(Ialltoall) f(Ireduce) f(Iallreduce) f(Iallgatherv) \
    f(Ialltoallv) f(Igatherv) f(Iscatterv) f(Iscan) f(Ireduce_scatter) f(Neighbor_allgather) \
    f(Neighbor_alltoall) f(Comm_dup) f(Comm_idup) f(Comm_split) f(Comm_split_type) \
    f(Comm_create) f(Comm_create_group) f(Comm_free) f(Cart_create) f(Cart_sub) f(Graph_create) \
    f(Intercomm_create) f(Intercomm_merge) f(Win_create) f(Win_allocate) f(Win_fence) \
    f(Win_free) f(Win_lock) f(Win_unlock) f(Win_flush) f(Put) f(Get) f(Accumulate) \
    f(Get_accumulate) f(Fetch_and_op) f(Compare_and_swap) f(File_open) f(File_close) \
    f(File_read) f(File_write) f(File_read_at) f(File_write_at) f(File_read_at_all) \
    f(File_write_at_all) f(Send_c) f(Recv_c) f(Isend_c) f(Irecv_c) f(Bcast_c) f(Allreduce_c) \
    f(Reduce_c) f(Gather_c) f(Allgather_c) f(Alltoall_c) f(Psend_init) f(Precv_init) f(Pready)
/* clang-format on */
#define FUNCTIONS(f) TIMED(f) COUNTED(f)

#if defined(__x86_64__)

#define DEFINE(name)                                                                               \
    __attribute__((visibility("hidden"))) uint64_t count_##name;                                   \
    __attribute__((visibility("hidden"))) void *real_##name;                                       \
    __asm__(".pushsection .text\n.globl MPI_" #name "\n.type MPI_" #name ", @function\n"           \
            "MPI_" #name ":\n"                                                                     \
            "lock incq count_" #name "(%rip)\n"                                                    \
            "jmp *real_" #name "(%rip)\n"                                                          \
            ".size MPI_" #name ", . - MPI_" #name "\n.popsection\n");
COUNTED(DEFINE)

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* None of these has more than seven arguments, all of them integers or addresses. What is not an
 * argument is passed on all the same. */
typedef long any_function(long, long, long, long, long, long, long);

#define DEFINE_TIMED(name)                                                                         \
    static uint64_t count_##name, time_##name;                                                     \
    static any_function *real_##name;                                                              \
    __attribute__((visibility("default"))) any_function MPI_##name;                                \
    long MPI_##name(long a, long b, long c, long d, long e, long f, long g)                        \
    {                                                                                              \
        uint64_t start = now();                                                                    \
        long rc = real_##name(a, b, c, d, e, f, g);                                                \
        __atomic_fetch_add(&time_##name, now() - start, __ATOMIC_RELAXED);                         \
        __atomic_fetch_add(&count_##name, 1, __ATOMIC_RELAXED);                                    \
        return rc;                                                                                 \
    }
TIMED(DEFINE_TIMED)
#define NO_TIME(name) enum { time_##name = 0 };
COUNTED(NO_TIME)

static pid_t loaded_by; /* a fork has its parent's counts, which are not its own */

__attribute__((constructor)) static void find_all(void)
{
    loaded_by = getpid();
#define FIND(name) *(void **)&real_##name = dlsym(RTLD_NEXT, "MPI_" #name);
    FUNCTIONS(FIND)
}

__attribute__((destructor)) static void write_all(void)
{
    uint64_t sum = 0;
#define SUM(name) sum += count_##name;
    FUNCTIONS(SUM)
    const char *directory = getenv("COUNT_DIRECTORY");
    if (sum == 0 || !directory || getpid() != loaded_by)
        return;
    char path[4096];
    snprintf(path, sizeof path, "%s/count.%ld", directory, (long)getpid());
    FILE *out = fopen(path, "w");
    if (!out)
        return;
#define WRITE(name)                                                                                \
    if (count_##name)                                                                              \
        fprintf(out, "MPI_%s %llu %llu\n", #name, (unsigned long long)count_##name,                \
                (unsigned long long)time_##name);
    FUNCTIONS(WRITE)
    fclose(out);
}

#endif
