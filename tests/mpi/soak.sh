#!/bin/sh
# `make soak': an application that makes, names and frees communicators, types and requests without
# end runs for SOAK_SECONDS on SOAK_RANKS ranks, half of it with a trace. After a third of the time
# neither the memory of a rank nor its record grows further, and the profile has counted every call.
. "${srcdir:-.}/tests/mpi/lib.sh"
seconds=${SOAK_SECONDS:-600} n=${SOAK_RANKS:-8}
export CHECK_LIMIT=$((seconds + 150))
cat >soak.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Without pages of files: the record is mapped, and its size has a bound of its own. */
static long own_kib(void)
{
    long resident = 0, of_files = 0;
    FILE *in = fopen("/proc/self/statm", "r");
    if (in && fscanf(in, "%*d %ld %ld", &resident, &of_files) != 2)
        resident = of_files = 0;
    if (in)
        fclose(in);
    return (resident - of_files) * (sysconf(_SC_PAGESIZE) / 1024);
}

/* One of 64 call paths. */
static __attribute__((noinline)) void path(unsigned turns, int depth)
{
    int x = 0;
    if (!depth)
        MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else if (turns & 1)
        path(turns >> 1, depth - 1);
    else
        path(turns >> 1, depth - 1);
    __asm__ volatile("");
}

static void work(unsigned i, int rank, int size)
{
    static char out[1 << 16], in[1 << 16];
    int bytes = 1 << i % 17, next = (rank + 1) % size, last = (rank + size - 1) % size;
    char name[32];
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Request q[4];
    snprintf(name, sizeof name, "step %u", i);
    MPI_Comm_split(MPI_COMM_WORLD, (int)(rank / (1 + i % 3)), rank, &comm);
    MPI_Comm_set_name(comm, name);
    MPI_Ibarrier(comm, &q[0]);
    MPI_Irecv(in, bytes, MPI_CHAR, last, (int)(i % 5), MPI_COMM_WORLD, &q[1]);
    MPI_Isend(out, bytes, MPI_CHAR, next, (int)(i % 5), MPI_COMM_WORLD, &q[2]);
    MPI_Irecv(in, 1, MPI_CHAR, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &q[3]);
    MPI_Cancel(&q[3]);
    MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
    MPI_Comm_free(&comm);
    MPI_Type_contiguous(bytes, MPI_CHAR, &type);
    MPI_Type_commit(&type);
    MPI_Bcast(out, 1, type, (int)(i % (unsigned)size), MPI_COMM_WORLD);
    MPI_Type_free(&type);
    MPI_Send_init(out, 8, MPI_CHAR, next, 7, MPI_COMM_WORLD, &q[0]);
    MPI_Recv_init(in, 8, MPI_CHAR, last, 7, MPI_COMM_WORLD, &q[1]);
    for (int k = 0; k < 3; k++) {
        MPI_Startall(2, q);
        MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&q[0]);
    MPI_Request_free(&q[1]);
    path(i, 6);
}

int main(int argc, char **argv)
{
    double from, seconds = atof(argv[1]);
    int rank, size, part = 0, said = 0;
    unsigned i;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    from = MPI_Wtime();
    for (i = 0; part < 3; i++) {
        work(i, rank, size);
        if (i % 16 == 0) {
            part = (int)(3 * (MPI_Wtime() - from) / seconds);
            MPI_Bcast(&part, 1, MPI_INT, 0, MPI_COMM_WORLD);
        }
        for (; said < part && said < 3; said++) {
            printf("%d %d %ld\n", said, rank, own_kib());
            fflush(stdout);
        }
    }
    if (!rank)
        printf("rounds %u\n", i);
    MPI_Finalize();
    return 0;
}
END
$MPICC -g -w -O1 soak.c -o soak || fail "the program"

bytes_of() { cat $1*/rank-*.ledger 2>/dev/null | wc -c; }

# soak NAME [OPTION...]: half the time, with these options of collprof run.
soak()
{
    name=$1
    shift
    $MPIEXEC -n "$n" "$collprof" run --report=no --keep --yield -o "$name" "$@" ./soak $((seconds / 2)) >out 2>err &
    early=0
    while kill -0 $! 2>/dev/null; do
        sleep 1
        grep -q '^1 ' out || early=$(bytes_of "$name")
    done
    wait $! || fail "$name: $(cat out err)"
    late=$(bytes_of "$name")
    echo "$name: $(sed -n 's/^rounds //p' out) rounds, records of $early and $late bytes"
    # Below 24 MiB a rank a trace may still fill its tables.
    test "$late" -le $((early + early / 20)) || test "$late" -le $((n * 24 << 20)) || fail "$name: the records grow from $early to $late bytes"
    awk -v name="$name" '/^[02] /{ kib[$1, $2] = $3; ranks = $2 > ranks ? $2 : ranks }
        END { for (r = 0; r <= ranks; r++) {
                  printf "%s: rank %d: %d and %d KiB\n", name, r, kib[0, r], kib[2, r]
                  if (kib[2, r] > 1.05 * kib[0, r] + 2048) grows = 1
              }
              exit grows }' out || fail "$name: the memory of a rank grows"
    rounds=$(sed -n 's/^rounds //p' out)
    profile "$name" calls MPI_Comm_split=$((n * rounds)) MPI_Startall=$((3 * n * rounds)) MPI_Allreduce=$((n * rounds))
}
soak counted
soak traced --trace=calls
exit 0
