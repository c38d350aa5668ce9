#!/bin/sh
# Protects programs with thousands of call sites: the end takes time in proportion to their number.
. "$srcdir/tests/mpi/lib.sh"

many_sites 500 many500
many_sites 6000 many6000

# Processor time to make the report from the records: twelve times the sites may cost 20 times
# at most (a walk through all functions for each site costs 27 times and more).
for n in 500 6000; do
    COLLPROF_KEEP=yes timeout 120 env LD_PRELOAD="$layer" COLLPROF_OUTPUT="$dir/k$n" \
        COLLPROF_REPORT=no ./many$n || fail "$n sites: status $?"
    rm "k$n/profile.json"
done
python3 - "$collprof" <<'EOF' || fail "the report's time is out of proportion"
import os, subprocess, sys
def cost(n):
    best = 1e9
    for i in range(3):
        before = os.times().children_user
        subprocess.run([sys.argv[1], "report", f"k{n}"], check=True, stdout=subprocess.DEVNULL)
        best = min(best, os.times().children_user - before)
    return best
few, many = max(cost(500), 0.02), cost(6000)
print(f"500 sites: {few:.3f} s, 6000: {many:.3f} s")
sys.exit(many > 20 * few)
EOF

# From the directory as from the records, without a system call for every byte.
timeout 120 env LD_PRELOAD="$layer" COLLPROF_OUTPUT="$dir/p" COLLPROF_REPORT=no ./many6000
$collprof report --format=csv --table=call_sites p >csv || fail "report: status $?"
[ "$(grep -c 'many6000.c:' csv)" -ge 6000 ] || fail "$(grep -c many6000.c csv) of 6000 sites by name"

# 14,000 call paths, whose tables are in no cache: what a call costs is stated as it is then, within a
# third of the processor time. Where they do not fit, the report says what --stack=1 would leave.
python3 - >paths.c <<'EOF'
print("#include <mpi.h>\n#include <stdio.h>\n#include <time.h>\nstatic int v;")
print("static double now(void) { struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);")
print("return 1e9 * (double)t.tv_sec + (double)t.tv_nsec; }\nstatic __attribute__((noinline)) void leafs(void) {")
print(*["    MPI_Bcast(&v, 1, MPI_INT, 0, MPI_COMM_SELF);"] * 100, "}", sep="\n")
print("static void (*volatile f)(void) = leafs;\nstatic __attribute__((noinline)) void all(void) {")
print(*["    f();"] * 140, "}", sep="\n")
print("int main(int argc, char **argv) {\n    MPI_Init(&argc, &argv);\n    all();\n    double start = now();")
print('    for (int i = 0; i < 50; i++)\n        all();\n    printf("%g\\n", (now() - start) / 50 / 14000);')
print("    return MPI_Finalize();\n}")
EOF
$MPICC -g -O1 paths.c -o paths || skip "cannot compile"
bare=$(./paths)
for try in 1 2 3; do
    whole=$(LD_PRELOAD="$layer" COLLPROF_OUTPUT="$dir/q" COLLPROF_REPORT=no COLLPROF_MEMORY=64 ./paths)
    python3 - "$bare" "$whole" q/profile.json <<'EOF' && right=yes && break
import json, sys
bare, whole = map(float, sys.argv[1:3])
stated = json.load(open(sys.argv[3]))["ranks"][0]["call_ns"]
print(f"a call takes {bare:.0f} ns, recorded {whole:.0f}, stated cost {stated:.0f}")
sys.exit(not 0.67 * (whole - bare) <= stated <= 1.5 * (whole - bare))
EOF
done
test -n "${right:-}" || fail "the cost of a call is not the stated one"
LD_PRELOAD="$layer" COLLPROF_OUTPUT="$dir/r" COLLPROF_REPORT=no ./paths >out || fail "paths: status $?"
$collprof report --full r | tr -s ' \n' ' ' >said
grep -q 'or a smaller --stack' said || { cat said; fail "a shorter stack is not proposed"; }
exit 0
