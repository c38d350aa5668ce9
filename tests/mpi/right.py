#!/usr/bin/env python3
"""make right-runs: runs that go on, with a watchdog, of which none may be reported as stuck.

RIGHT_RUNS runs (1,000) drawn by RIGHT_SEED: programs of the tests and examples, 2 to 4 ranks, a watchdog of 1 or 5 s, with
and without --yield; some have a rank that is stopped for 2 s, some one that writes to disk while the others wait. Each is a
line of right-runs.log in the build directory: what is there already is not run again. A rank that computes, sleeps or is in
a system call for longer than the watchdog's time may be named as such; every other report is a false alarm.
"""
import json, os, random, re, shutil, signal, subprocess, sys, tempfile, time

build, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
runs, seed = int(os.environ.get("RIGHT_RUNS", 1000)), int(os.environ.get("RIGHT_SEED", 1))
log = f"{build}/right-runs.log"
work = tempfile.mkdtemp()

IO = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank;
    static char block[1 << 16];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    FILE *out = rank == 1 ? tmpfile() : NULL;
    for (double end = MPI_Wtime() + atof(argv[1]); out && MPI_Wtime() < end;) {
        rewind(out);
        fwrite(block, sizeof block, 1, out);
        fflush(out);
        fsync(fileno(out));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""


def programs(mpi):
    """[[command...]]: those that can be built for MPI, and, for the tests' own one, those that are built."""
    with open(f"{work}/io.c", "w") as out:
        out.write(IO)
    found = []
    for name, file, arguments in (("heat", f"{source}/examples/heat.c", ["-s", "3000"]), ("io", f"{work}/io.c", ["3"]),
                                  ("comms", f"{source}/tests/mpi/comms.c", ["many", "300"])):
        made = f"{work}/{name}.{mpi}"
        if subprocess.run([f"mpicc.{mpi}", "-g", "-O1", "-o", made, file, "-lm"], capture_output=True).returncode == 0:
            found.append([made] + arguments)
    if mpi == os.environ.get("CHECK_MPI"):
        found += [[f"{build}/tests/mpi/{name}"] + more for name, more in
                  (("messages", ["kinds"]), ("strange", ["longjmp"]), ("awkward", []))]
    return found


def stop_one(command, pause, choose):
    """Stops one process of COMMAND for PAUSE seconds."""
    time.sleep(0.5)
    pids = subprocess.run(["pgrep", "-f", "^" + re.escape(command[0])], capture_output=True, text=True).stdout.split()
    for pid in choose.sample(pids, min(1, len(pids))):
        try:
            os.kill(int(pid), signal.SIGSTOP)
            time.sleep(pause)
            os.kill(int(pid), signal.SIGCONT)
        except ProcessLookupError:
            pass


def run(n, mpis):
    choose = random.Random(f"{seed} {n}")
    mpi = choose.choice(sorted(mpis))
    command = choose.choice(mpis[mpi])
    ranks = 4 if "messages" in command[0] else 2 if f"{build}/tests" in command[0] else choose.randint(2, 4)
    seconds, stops = choose.choice((1, 5)), choose.random() < 0.2
    if stops:
        seconds = 5
    options = [f"--watchdog={seconds}", "--watchdog-abort"] + ["--yield"] * (choose.random() < 0.7 or ranks > os.cpu_count())
    begin = time.monotonic()
    with tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen(["timeout", "120", f"mpiexec.{mpi}", "-n", str(ranks), f"{build}/collprof", "run", *options,
                                    "--report=no", "-o", f"{work}/out", *command], cwd=work, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=err)
        if stops:
            stop_one(command, 2, choose)
        status = process.wait()
        err.seek(0)
        said = " ".join(err.read().split())
    reports = re.split(r"collprof watchdog: ", said)[1:]
    alarms = [r for r in reports if not re.search(r"^rank[^:]*, awaited in [^:]*(:\d+ \w+)?: (computing|sleeping|in a system call)", r)]
    return {"n": n, "seed": seed, "mpi": mpi, "command": [os.path.basename(command[0])] + command[1:], "ranks": ranks,
            "options": options, "stopped": stops, "status": status, "notices": len(reports) - len(alarms), "alarms": alarms,
            "seconds": round(time.monotonic() - begin, 1)}


try:
    done = [json.loads(line) for line in open(log)] if os.path.exists(log) else []
    done = {r["n"]: r for r in done if r["seed"] == seed}
    mpis = {mpi: programs(mpi) for mpi in ("mpich", "openmpi")
            if os.path.exists(f"{build}/layers/{mpi}") and shutil.which(f"mpicc.{mpi}")}
    for n in range(runs):
        if n not in done:
            done[n] = run(n, mpis)
            with open(log, "a") as out:
                print(json.dumps(done[n]), file=out)
finally:
    shutil.rmtree(work)
alarms = [r for r in done.values() if r["alarms"]]
ended = [r for r in done.values() if r["status"] != 0]
for r in alarms + ended:
    print(json.dumps(r))
print(f"{len(done)} runs of seed {seed}: {len(alarms)} with a false alarm, {len(ended)} with another status than 0, "
      f"{sum(r['notices'] for r in done.values())} notices of ranks outside of MPI")
sys.exit(1 if alarms or ended or not done else 0)
