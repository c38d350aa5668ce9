#!/bin/sh
# Kill -9 of one rank, or of all, at 50 moments drawn from a seed, from the start to the end of a run, on a
# file system that is slow every other time; and disks that become full at each request for room. The launcher's
# status is one that it also has without the layer; once all ranks are through MPI_Init nothing is lost.
. "${srcdir:-.}/tests/mpi/lib.sh"
test "${CHECK_THOROUGH:-}" = 1 || skip "only with ./check --thorough"

write_program app <<'EOF'
    int sum;
    char name[32];
    snprintf(name, sizeof name, "begun.%d", rank);
    FILE *begun = fopen(name, "w");
    fputs("yes\n", begun);
    fclose(begun);
    for (int i = 0; i < 60; i++) {
        usleep(1000);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
EOF
cat >slow.c <<'EOF'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>
static void delay(void *caller)
{
    Dl_info info;
    if (dladdr(caller, &info) && strstr(info.dli_fname, "libcollprof"))
        usleep(4000);
}
#define SLOW(type, name, declared, ...) \
    type name declared \
    { \
        type(*next) declared = (type(*) declared)dlsym(RTLD_NEXT, #name); \
        delay(__builtin_return_address(0)); \
        return next(__VA_ARGS__); \
    }
SLOW(ssize_t, write, (int fd, const void *from, size_t n), fd, from, n)
SLOW(int, posix_fallocate, (int fd, off_t at, off_t n), fd, at, n)
SLOW(int, openat, (int at, const char *name, int flags, mode_t mode), at, name, flags, mode)
SLOW(int, renameat, (int from, const char *old, int to, const char *new), from, old, to, new)
SLOW(int, linkat, (int from, const char *old, int to, const char *new, int flags), from, old, to, new, flags)
SLOW(int, unlinkat, (int at, const char *name, int flags), at, name, flags)
EOF
$MPICC -O1 app.c -o app && ${CC:-cc} -w -O1 -fPIC -shared slow.c -o slow.so -ldl || fail "cannot compile"

# A rank says its number of a process before it starts.
cat >rank.sh <<'EOF'
echo $$ >pid.${PMI_RANK:-$OMPI_COMM_WORLD_RANK}
exec env LD_PRELOAD="$1" ./app
EOF

# attack WHO MOMENT PRELOAD: starts a run and kills rank 1 or all of them after MOMENT seconds.
attack()
{
    rm -rf pid.* begun.* out
    timeout -k 10 120 $MPIEXEC -n 2 env COLLPROF_OUTPUT=out COLLPROF_REPORT=no sh rank.sh "$3" >said 2>err &
    launcher=$!
    sleep "$2"
    begun=0
    test ! -s begun.0 || test ! -s begun.1 || begun=1
    victims=$(cat pid.1 2>/dev/null)
    test "$1" = one || victims="$victims $(cat pid.0 2>/dev/null)"
    test "$1" != none || victims=
    # shellcheck disable=SC2086 # several
    test -z "$victims" || kill -9 $victims 2>/dev/null
    wait $launcher
    status=$?
}

# How long a run takes, and what the launcher says of one that is killed without the layer.
start=$(date +%s%N)
attack none 0 "$layer $yielding $dir/slow.so"
test $status = 0 || { cat err; fail "the run itself: $status"; }
span=$((($(date +%s%N) - start) / 1000000))
known=" 0 "
for who in one all one all; do
    for part in 4 2; do
        attack $who "$(awk -v t="$span" -v p=$part 'BEGIN { print t / p / 1000 }')" "$yielding"
        known="$known$status "
    done
done

killed=0 kept=0
for i in $(seq 50); do
    moment=$(awk -v seed="$i" -v t="$span" 'BEGIN { srand(seed); print rand() * t * 1.1 / 1000 }')
    test $((i % 2)) = 0 && who=one || who=all
    test $((i % 4)) -lt 2 && preload="$layer $yielding" || preload="$layer $yielding $dir/slow.so"
    attack $who "$moment" "$preload"
    # Other than the launcher's for SIGKILL: of its own trouble with that (255), and of MPI's that has seen
    # first that the other rank is gone (MPI_ERR_OTHER, 15). Hydra notes a 1 for a rank whose connection
    # closes, and keeps it, as if it were SIGHUP, where it has reaped the rank before: some times in 1000,
    # and every time for two shell scripts that close their output and are killed. Not: exit with 1, 6, 11, 124.
    case "$known 9 15 137 143 255 " in
    *" $status "*) ;;
    *) test $status = 1 && grep -q '(signal 1)$' said || {
        cat said err
        fail "try $i, $who after $moment s: status $status, without the layer only:$known"
    } ;;
    esac
    test $status = 0 || killed=$((killed + 1))
    if test $begun = 1 || test -s out/profile.json; then
        mkdir -p read
        "$collprof" report --format=json out >read/profile.json 2>why ||
            { cat why; ls -la out; fail "try $i, $who after $moment s: nothing can be read"; }
        profile read ranks 2
        kept=$((kept + 1))
    elif test -d out; then # records that were being made: read, or refused with a word
        "$collprof" report out >why 2>&1
        test $? -le 1 && test -s why || { cat why; fail "try $i: neither read nor refused"; }
    fi
done
echo "$killed of 50 runs were killed; of $kept that had begun, everything could be read ($span ms)"
test $killed -ge 10 && test $kept -ge 10 || fail "the moments are not where they should be"

# A disk that is full from the n-th time on that a rank asks for room, for each n until that is never: at the start, when
# the profile is written, and between.
cat >full.c <<'EOF'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>
static int asked;
static int full(void *caller)
{
    Dl_info info;
    const char *rank = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("OMPI_COMM_WORLD_RANK");
    return dladdr(caller, &info) && strstr(info.dli_fname, "libcollprof") && rank && strstr(getenv("FULL_RANKS"), rank) &&
           ++asked >= atoi(getenv("FULL_FROM"));
}
/* Whatever makes a file longer, or a name. */
#define FULL(type, name, declared, failed, ...) \
    type name declared \
    { \
        type(*next) declared = (type(*) declared)dlsym(RTLD_NEXT, #name); \
        return full(__builtin_return_address(0)) ? (errno = ENOSPC, failed) : next(__VA_ARGS__); \
    }
FULL(ssize_t, write, (int fd, const void *from, size_t n), -1, fd, from, n)
FULL(int, posix_fallocate, (int fd, off_t at, off_t n), ENOSPC, fd, at, n)
FULL(int, ftruncate, (int fd, off_t n), -1, fd, n)
FULL(int, linkat, (int from, const char *old, int to, const char *new, int flags), -1, from, old, to, new, flags)
FULL(int, renameat, (int from, const char *old, int to, const char *new), -1, from, old, to, new)
FULL(int, mkdirat, (int at, const char *name, mode_t mode), -1, at, name, mode)
FULL(int, mkdir, (const char *name, mode_t mode), -1, name, mode)
int fclose(FILE *f)
{
    int (*next)(FILE *) = (int (*)(FILE *))dlsym(RTLD_NEXT, "fclose"), is_full = full(__builtin_return_address(0)), rc = next(f);
    return is_full ? (errno = ENOSPC, EOF) : rc;
}
EOF
${CC:-cc} -w -O1 -fPIC -shared full.c -o full.so -ldl || fail "cannot compile"
for ranks in 0 1 01; do
    for from in $(seq 100); do
        rm -rf out
        timeout -k 10 120 $MPIEXEC -n 2 env FULL_FROM=$from FULL_RANKS=$ranks LD_PRELOAD="$layer $yielding $dir/full.so" \
            COLLPROF_OUTPUT=out COLLPROF_REPORT=no ./app >said 2>err
        status=$?
        test $status = 0 && test ! -s said || { cat said err; fail "full at $from on $ranks: status $status, or output"; }
        if test ! -s err; then # nothing was missing: a whole profile
            profile out ranks 2
            test -n "$("$collprof" report out | grep 'not recorded\|incomplete')" || break
        fi
        grep -q 'No space left' err || { cat err; fail "full at $from on $ranks: not said"; }
        # What has been written is read, or it is said why not.
        "$collprof" report out >why 2>&1 || grep -q 'neither profile.json nor a record\|No such file' why ||
            { cat err why; ls -la out; fail "full at $from on $ranks: what is there is not read"; }
    done
    echo "ranks $ranks: $((from - 1)) times a disk is asked for room"
    test "$from" -gt 2 && test "$from" -lt 100 || fail "ranks $ranks: the disk is never full, or always"
done
exit 0
