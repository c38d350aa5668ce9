/* The benchmarks as whole programs, over the fake MPI: what each prints of a known network. */
#include "fake_mpi.h"
#include "scratch.h"

/* A message takes 10 us and 1 ns a byte; a send takes 1 us. */
static struct fake_network network = {
    .latency = 10e-6, .per_byte = 1e-9, .overhead = 1e-6, .eager = 1 << 16};
static int status; /* that is expected */

static const char *file(void)
{
    static char path[100];
    snprintf(path, sizeof path, "/tmp/collprof-benches-%d", (int)getpid());
    return path;
}

/* Its status; it writes to file(). */
static int run(int ranks, const char *name, const char *options)
{
    char module[100], line[1000], *argv[40], *save = NULL;
    int argc = 0;
    snprintf(module, sizeof module, "tests/unit/%s.so", name);
    snprintf(line, sizeof line, "%s -o %s %s", name, file(), options);
    for (char *word = strtok_r(line, " ", &save); word; word = strtok_r(NULL, " ", &save))
        argv[argc++] = word;
    argv[argc] = NULL;
    return fake_mpi_program(ranks, &(struct fake_program){module, argc, argv}, &network);
}

/* That it writes these lines, or lines that begin so, in this order; "!TEXT": that it does not. */
static void expect(int ranks, const char *name, const char *options, const char *const *want)
{
    FREED char *text = NULL;
    char all[1000];
    size_t room = 0;
    snprintf(all, sizeof all, "--format=csv %s", options);
    cr_assert_eq(run(ranks, name, strncmp(options, "--format", 8) ? all : options), status, "%s %s",
                 name, options);
    FILE *in = fopen(file(), "r");
    cr_assert_not_null(in);
    cr_assert(getdelim(&text, &room, '\0', in) > 0);
    fclose(in);
    unlink(file());
    const char *at = text;
    for (; *want; want++) {
        char line[1000];
        snprintf(line, sizeof line, "\n%s", *want + (**want == '!'));
        const char *found = strstr(**want == '!' ? text : at, line);
        cr_expect((**want == '!') == !found, "%s %s: %s is %s:\n%s", name, options, *want,
                  found ? "there" : "not there", text);
        at = found && **want != '!' ? found + 1 : at;
    }
}
#define LINES(...) ((const char *const[]){__VA_ARGS__, NULL})

/* A linear broadcast passes the data on twice: 3 x (1 us + 11 us). Some methods wait for more. */
Test(benches, bcast)
{
    expect(4, "collbench-bcast",
           "--sizes=1000 --stop=fixed -i 3 -x 1 --algorithm=linear,native --method=all",
           LINES("# MPI: MPICH 0.1", "# clock: simulated: one for all ranks, exact",
                 "# ranks: 4 on 4 hosts", "# root: 0", "linear,4,1000,direct,36.0",
                 "linear,4,1000,held,36.0", "linear,4,1000,ol,36.0",
                 "linear,4,1000,send-latency,1.0", "linear,4,1000,rounds,13.0",
                 "linear,4,1000,rounds-backward,36.0", "linear,4,1000,barrier,50.1",
                 "linear,4,1000,ring-barrier,48.1", "linear,4,1000,acknowledge,47.0",
                 "linear,4,1000,gap,1.0", "linear,4,1000,overhead,1.0", "native,4,1000,direct,14.0",
                 "native,4,1000,send-latency,3.", "!linear,4,1000,osu", "!# clocks"));
    expect(3, "collbench-bcast",
           "--sizes=8:32 --ranks=2:3:1 --method=direct,held --algorithm=native,linear --root=1 "
           "--stop=fixed -i 3",
           LINES("# root: 1", "native,2,8,direct,11.0", "native,2,16,direct,11.0",
                 "native,2,32,direct,11.0", "linear,2,32,held,11.05,", "native,3,8,direct,12.0",
                 "linear,3,32,held,22.10,", "!flat,", "!# control variable"));
    /* To rank 0 by way of rank 3, which the root sends to first; other suites' loops. */
    expect(4, "collbench-bcast",
           "--sizes=1000 --stop=fixed -i 12 -x 1 --as=all --method=held,ol,direct --destinations "
           "--algorithm=linear --root=2",
           LINES("linear,4,1000,direct,36.06,36.06,36.06,", "linear,4,1000,held,36.06,36.06,36.06,",
                 "linear,4,1000,ol,36.0", "linear,4,1000,osu,21.05,",
                 "linear,4,1000,osu-max,37.06,", "linear,4,1000,imb,13.06,",
                 "linear,4,1000,imb-max,13.06,", "linear,4,1000,repro-barrier,37.06,",
                 "linear,4,1000,repro-window,36.06,", "# table: pairs",
                 "linear,4,1000,direct,2,3,13.04,",
                 "linear,4,1000,held,2,0,25.06,25.06,25.06,42.28,36.10,11.04,",
                 "linear,4,1000,held,2,1,36.06,36.06,36.06,42.28,47.10,11.04,",
                 "linear,4,1000,held,2,3,13.04,13.04,13.04,42.28,24.08,11.04,",
                 "linear,4,1000,ol,2,0,25.06,25.06,25.06,,36.10,22.08,,no",
                 "linear,4,1000,ol,2,1,36.0"));
    /* Messages that wait for their receivers: 131 us each. A rank, but the last, is in the call for
     * one message more than comes before it; a ring of as large ones overlaps with the broadcast.
     */
    expect(4, "collbench-bcast",
           "--sizes=100000 --stop=fixed -i 12 -x 1 --as=all --algorithm=linear "
           "--method=direct,rounds-backward,ring-barrier --ring-size=100000",
           LINES("linear,4,100000,direct,393.06,", "linear,4,100000,rounds-backward,393.06,",
                 "linear,4,100000,ring-barrier,1026.16,", "linear,4,100000,osu,288.04,",
                 "linear,4,100000,osu-max,384.06,", "linear,4,100000,imb,382.06,",
                 "linear,4,100000,imb-max,382.06,", "linear,4,100000,repro-barrier,384.06,",
                 "linear,4,100000,repro-window,393.06,"));
    /* g_j and o_i of de Supinski and Karonis, section 2: a rank sends to each child in o_i; the
     * interval between broadcasts at j is the largest o_i of j and those above it. */
    expect(4, "collbench-bcast",
           "--sizes=8 --stop=fixed -i 3 -x 1 --method=gap,overhead,send-latency --destinations "
           "--algorithm=linear,binomial,flat,backward",
           LINES("linear,4,8,send-latency,1.02,", "linear,4,8,gap,1.04,", "binomial,4,8,gap,2.04,",
                 "flat,4,8,gap,3.06,", "linear,4,8,gap,0,0,1.02,", "linear,4,8,gap,3,3,1.04,",
                 "linear,4,8,overhead,0,0,1.02,", "linear,4,8,overhead,2,2,1.04,",
                 "linear,4,8,overhead,3,3,0.02,", "binomial,4,8,gap,0,0,2.04,",
                 "binomial,4,8,gap,1,1,2.04,", "binomial,4,8,gap,3,3,2.04,",
                 "binomial,4,8,overhead,0,0,2.04,", "binomial,4,8,overhead,1,1,0.02,",
                 "binomial,4,8,overhead,2,2,1.04,", "flat,4,8,gap,3,3,3.06,",
                 "flat,4,8,overhead,0,0,3.06,", "flat,4,8,overhead,3,3,0.02,",
                 "backward,4,8,gap,1,1,1.04,", "backward,4,8,overhead,1,1,0.02,",
                 "backward,4,8,overhead,3,3,1.04,"));
    expect(4, "collbench-bcast",
           "--sizes=8 --ranks=2 --stop=fixed -i 3 --method=direct --traffic=50",
           LINES("# traffic: other ranks send 64 KiB", "native,2,8,direct,11.0"));
    /* Where two loops of it would take longer than the budget, a method is left out. */
    expect(4, "collbench-bcast",
           "--sizes=8 --algorithm=linear --method=rounds,send-latency --budget=1e-4",
           LINES("linear,4,8,send-latency,1.0", "linear,4,8,rounds,,"));
    /* A picture for each algorithm, with a line for each method, and the other way round. */
    expect(4, "collbench-bcast",
           "--format=json --sizes=8 --stop=fixed -i 3 --algorithm=flat,linear --method=direct,gap",
           LINES("   \"name\": \"flat\",", "   \"series\": \"method\",", "   \"name\": \"linear\",",
                 "   \"name\": \"direct\",", "   \"series\": \"algorithm\",",
                 "   \"name\": \"gap\","));
}

Test(benches, collective)
{
    expect(4, "collbench-collective",
           "--sizes=8 --stop=fixed -i 3 --operation=all --method=direct,held",
           LINES("barrier,4,0,direct,24.0", "broadcast,4,8,direct,13.0", "broadcast,4,8,held,13.0",
                 "gather,4,8,direct,11.0", "gather,4,8,held,11.0", "allgather,4,8,direct,24.0",
                 "allgather,4,8,held,24.0", "allreduce,4,8,direct,24.0", "reduce,4,8,held,11.0",
                 "scatter,4,8,direct,13.0", "alltoall,4,8,direct,49.1",
                 "reduce-scatter,4,8,held,24.0", "scan,4,8,direct,33.0", "scan,4,8,held,33.0",
                 "neighbor-allgather,4,8,direct,14.0", "neighbor-alltoall,4,8,direct,14.0",
                 "!neighbor-alltoall,4,8,held"));
    expect(4, "collbench-collective",
           "--sizes=8 --stop=fixed -i 3 --operation=bcast,MPI_Allreduce --method=direct",
           LINES("# root: 0", "broadcast,4,8,direct,13.0", "allreduce,4,8,direct,24.0"));
    expect(4, "collbench-collective", "--sizes=8 --stop=fixed -i 3 --method=overhead",
           LINES("reduce,4,8,overhead", "!allreduce"));
    /* From rank to rank: along the scan, to and from the root, by way of rank 0. */
    expect(4, "collbench-collective",
           "--sizes=8 --stop=fixed -i 3 --operation=scan,gather,scatter,allgather --method=held "
           "--pairs --root=2",
           LINES("# root: 2", "scan,4,8,held,0,1,12.03,", "scan,4,8,held,0,2,23.04,",
                 "scan,4,8,held,0,3,33.04,", "scan,4,8,held,1,2,12.03,", "scan,4,8,held,1,3,22.04,",
                 "scan,4,8,held,2,3,11.03,", "gather,4,8,held,0,2,11.03,",
                 "gather,4,8,held,1,2,11.03,", "gather,4,8,held,2,2,0.02,",
                 "gather,4,8,held,3,2,11.03,", "scatter,4,8,held,2,0,11.03,",
                 "scatter,4,8,held,2,1,12.03,", "scatter,4,8,held,2,2,3.02,",
                 "scatter,4,8,held,2,3,13.03,", "allgather,4,8,held,0,1,11.07,",
                 "allgather,4,8,held,0,3,13.07,", "allgather,4,8,held,1,0,14.05,",
                 "allgather,4,8,held,1,3,24.08,", "allgather,4,8,held,3,0,14.05,",
                 "allgather,4,8,held,3,2,23.08,", "!scan,4,8,held,1,0", "!gather,4,8,held,2,0",
                 "!scatter,4,8,held,0,2"));
    /* A barrier is 24 us of messages, of which a last rank that comes as late finds the half. */
    expect(4, "collbench-collective",
           "--stop=fixed -i 6 --operation=barrier,broadcast --method=direct "
           "--arrivals=late:3,ramp,late:3,random --sizes=8 --pairs",
           LINES("# sizes: a barrier has none", "# pairs: none measured: use --method=held",
                 "barrier,4,0,direct,24.0",
                 "barrier,4,0,direct (late:3),24.05,24.05,24.05,24.05,6,rule,\n",
                 "barrier,4,0,direct (ramp),",
                 "broadcast,4,8,direct (late:3),0.02,0.02,0.02,0.02,6,rule,no_wait\n"));
}

/* The library's faster algorithm is found, and the settings with which the library uses it. A
 * tuning that was ended goes on with what it had measured. */
Test(benches, tune, .init = scratch_make, .fini = scratch_remove)
{
    char options[200], text[300];
    snprintf(options, sizeof options,
             "--sizes=8:16 --stop=fixed -i 10 --operation=broadcast,barrier --arrivals=late:3 "
             "--tune=%s",
             scratch);
    expect(4, "collbench-collective", options,
           LINES("# tuned: 2 of 6 cases have a faster algorithm than the choice of MPICH 0.1; 1 "
                 "rules, also between these cases, make none of them slower. To use the rules: .",
                 "broadcast,4,8,punctual,13.03,ring,,11.03,15.352,15.352,15.352,1.181",
                 "broadcast,4,8,late:3,0.02,,,,,,,1.000", "broadcast,4,16,punctual,13.04,ring,",
                 "barrier,4,0,late:3,24.05,,,"));
    scratch_read("env.sh", text, sizeof text);
    cr_expect_str_eq(text, "# library: MPICH 0.1\nexport MPIR_CVAR_DEVICE_COLLECTIVES=percoll\n"
                           "export MPIR_CVAR_BCAST_DEVICE_COLLECTIVE=0\n"
                           "export MPIR_CVAR_BCAST_INTRA_ALGORITHM=ring\n");
    snprintf(text, sizeof text,
             "sed -i 's/\"complete\": true/\"complete\": false/; s/ 13.028[0-9]*/ 99/' "
             "%s/tuned.json",
             scratch);
    cr_assert_eq(system(text), 0);
    expect(4, "collbench-collective", options,
           LINES("broadcast,4,8,punctual,99.00,ring,,11.03,", "broadcast,4,16,punctual,13.04,"));
    snprintf(text, sizeof text, "--format=json %s", options);
    expect(4, "collbench-collective", text,
           LINES("   \"kind\": \"heat\",", "   \"name\": \"broadcast\",",
                 "   \"table\": \"tuned\",", "   \"label\": \"best\",",
                 "   \"name\": \"barrier\","));
    snprintf(text, sizeof text, "--operation=barrier --budget=1e-6 --tune=%s", scratch);
    expect(4, "collbench-collective", text,
           LINES("# tuned: No case was measured", "barrier,4,0,punctual,,,,,,,,,no_result"));
    expect(
        4, "collbench-bcast",
        "--sizes=8 --method=direct --stop=fixed -i 3 --cvar=MPIR_CVAR_BCAST_INTRA_ALGORITHM=2",
        LINES("# control variable: MPIR_CVAR_BCAST_INTRA_ALGORITHM=2", "native,4,8,direct,11.03"));
}

/* Predictions are what the network's figures say, and what is measured is as predicted. */
Test(benches, tree)
{
    expect(4, "collbench-tree", "--sizes=1000 --stop=fixed -i 3 -x 1",
           LINES("# method: direct", "4,1000,MPI_Bcast,,,,,14.02,",
                 "4,1000,grid,,14.06,12.01,14.07,14.06,,,0.0,1.00,no,,,,look-ahead",
                 "4,1000,binomial,,24.04,24.02,25.09,24.04,,,0.0,0.58,,,",
                 "4,1000,flat,,14.06,12.01,14.07,14.06,,,0.0,1.00,,,",
                 "4,1000,chain,,36.06,36.02,36.10,36.06,,,0.0,0.39,,,"));
    expect(4, "collbench-tree",
           "--sizes=1000 --stop=fixed -i 3 -x 1 --segment=250 --algorithm=chain,flat --root=1 "
           "--ranks=2:4:2",
           LINES("2,1000,MPI_Bcast,,,,,12.02,", "2,1000,chain,250,,,,14.49,,,,0.83,",
                 "4,1000,MPI_Bcast,", "4,1000,chain,250,,,,37.07,", "4,1000,flat,250,,,,22.81,"));
    expect(4, "collbench-tree", "--sizes=8:128 --step=2 --stop=fixed -i 3 -x 1 --algorithm=flat",
           LINES("4,8,MPI_Bcast,", "4,32,MPI_Bcast,", "4,128,flat,", "!4,16,", "!4,8,grid"));
    expect(4, "collbench-tree", "--sizes=1000 --no-run --algorithm=chain",
           LINES("# not_run: Nothing was run: --no-run.", "4,1000,chain,,36.0"));
    expect(4, "collbench-tree",
           "--format=json --sizes=1000 --stop=fixed -i 3 -x 1 --algorithm=chain",
           LINES(" \"schema\": \"collbench-tree/3\""));
}

/* There and back: 2 x (1 us + 10.064 us) and a few calls. */
Test(benches, pairs)
{
    expect(3, "collbench-pairs", "-i 3",
           LINES("# times: full round trips", "other-node,3,64,22.17,22.17,22.17",
                 "0,1,64,22.168,0.000,22.168,22.168,11.084,0.000,1.020,0.020,1.020,eager,10.044,",
                 "0,2,64,22.168,", "1,0,64,22.168,", "1,2,64,", "2,0,64,", "2,1,64,22.168,",
                 "!0,0,64"));
    expect(3, "collbench-pairs", "-i 3 --sizes=64:128 --order=alone",
           LINES("0,1,64,22.168,", "0,1,128,22.296,"));
}

/* Rank 4 has twice the latency, and ranks 0 and 1 have three times that. */
static double slow_way(int from, int to, size_t bytes)
{
    const int factor = from + to == 1 ? 3 : from == 4 || to == 4 ? 2 : 1;
    return factor * network.latency + (double)bytes * network.per_byte;
}

Test(benches, slow_pairs)
{
    network.way = slow_way;
    status = 3;
    expect(7, "collbench-pairs", "-i 3 --order=paper --suspect=1.5",
           LINES("# slow_host: Host node-4 is slow",
                 "# slow_pair: Round trips between rank 0 on node-0 and rank 1 on", "0,1,64,",
                 "0,4,64,42."));
}

/* A broadcast takes 14.06 us; what computation hides of it is stated. */
Test(benches, scenario)
{
    expect(4, "collbench-scenario", "--scenario=1 --sizes=1K --ranks=2:4 --stop=fixed -i 3",
           LINES("1024,2,12.06", "1024,4,14.06"));
    expect(4, "collbench-scenario",
           "--scenario=1 --algorithm=linear,binomial --sizes=1K --stop=fixed -i 3",
           LINES("1024,4,36.152,", "1024,4,24.108,"));
    expect(4, "collbench-scenario", "--scenario=2 --delay=5 --sizes=1K --stop=fixed -i 3",
           LINES("1024,4,14.064,14.064,14.064,0.000,14.064,5.000,,9.054,"));
    expect(4, "collbench-scenario", "--scenario=2 --delay=16:64 --sizes=1K --stop=fixed -i 3",
           LINES("1024,4,16.040,16.040,16.040,0.000,16.040,16.000,,0.030,,16.040,16.040,3,0.010,"
                 "broadcast,2,",
                 "1024,4,32.040,", "1024,4,64.040,"));
    expect(4, "collbench-scenario",
           "--scenario=2 --delayed=first --delay=16:32 --sizes=1K --stop=fixed -i 3",
           LINES("1024,4,30.06", "1024,4,46.06"));
    expect(
        4, "collbench-scenario",
        "--scenario=3 --comp=16:64 --sizes=1K --stop=fixed -i 3 --operation=ibroadcast,broadcast",
        LINES("1024,4,14.064,",
              "1024,4,19.060,19.060,19.060,0.000,19.060,,16.000,19.050,78.2,19.060,19.060,3,"
              "0.010,ibroadcast,3,",
              "1024,4,35.060,", "1024,4,67.060,", "1024,4,14.064,",
              "1024,4,30.064,30.064,30.064,0.000,30.064,,16.000,30.054,0.0,30.064,30.064,3,",
              "1024,4,78.064,"));
}

Test(benches, overlap)
{
    expect(2, "collbench-overlap",
           "-i 50 --sizes=4K:16K --comp=20:80 --step=2 --benchmark=sender,receiver,serial,cpu",
           LINES("# repetitions: 50", "# computation: fixed work, calibrated within 0.00 %",
                 "# latency: 11.020 us, 0 bytes, one way", "sender,9,9,0.07,0.04",
                 "receiver,9,9,0.00,0.00", "serial,9,9,1.00,1.00", "cpu,9,9,,",
                 "4096,15.116,15.116,1.020", "8192,19.212,19.212,1.020",
                 "16384,27.404,27.404,1.020", "receiver,8192,20,,19.212,20.000,19.212,0.000,",
                 "serial,4096,20,,15.116,20.000,35.116,1.000,0.000,50,35.116,1.000,1.000,comp",
                 "receiver,8192,40,,19.212,40.000,30.050,0.003,0.000,50,30.050,-0.518,0.003,comp",
                 "sender,16384,80,,27.394,80.000,81.040,",
                 "serial,16384,80,,27.404,80.000,107.404,1.000,0.000,50,107.404,1.000,1.000,comp",
                 "cpu,16384,80,,1.020,80.000,81.040,1.020,0.000,50,81.040,1.020,1.020,comp",
                 "# table: t_comm", "sender,4096,15.106,T_comm", "cpu,16384,1.020,T_comm"));
    expect(3, "collbench-overlap",
           "-i 50 --sizes=4K --comp=20:80 --step=2 --benchmark=destinations",
           LINES("destinations,3,3,0.13,0.13",
                 "destinations,4096,20,,16.116,20.000,22.080,0.129,0.000,50,16.116,,0.129,comp"));
    /* The paper takes off the latency of an acknowledgement that has been there for long. */
    expect(2, "collbench-overlap",
           "-i 50 --sizes=4K --comp=8:100 --step=16 --benchmark=both,pending,sender",
           LINES("both,4096,8,,15.116,8.000,15.116,0.000,",
                 "both,4096,100,,15.116,100.000,100.540,0.036,0.000,50,100.540,0.036,",
                 "pending,4096,100,,18.662,100.000,108.320,0.446,0.000,50,97.420,,",
                 "sender,4096,100,,15.106,100.000,101.040,0.069,0.000,50,90.140,-0.652,"));
    expect(
        2, "collbench-overlap",
        "-i 50 --sizes=1K:1M --step=32 --comp=16:4K --benchmark=sender,receiver",
        LINES("# overlap_behaviour: Small messages overlap on both sides, large messages on both"));
    expect(4, "collbench-overlap", "-i 50 --sizes=4K --comp=100 --benchmark=destinations",
           LINES("destinations,4096,100,,17.126,100.000,103.120,0.182,0.000,50,92.460,,"));
}

/* Mistakes: a line that says what was wrong, and nothing is measured. */
Test(benches, refusals, .init = scratch_make, .fini = scratch_remove)
{
    static const struct {
        int ranks;
        const char *program, *options, *says;
    } bad[] = {
        {4, "bcast", "--ranks=3 --traffic=50", "--traffic"},
        {4, "bcast", "--root=4", "--root=4: expected one of the first 4 ranks"},
        {4, "bcast", "--ranks=2:5", "4 ranks are running"},
        {4, "bcast", "--method=held,best", "unknown method 'best': expected: all, direct, "},
        {4, "bcast", "--metod=all", "unknown option --metod: did you mean --method?"},
        {4, "bcast", "--as=skampi", "skampi"},
        {1, "bcast", "--sizes=9:8", "--sizes is '9:8'"},
        {1, "bcast", "--sizes=8", "a broadcast needs at least 2 ranks: use: mpiexec -n 2"},
        {2, "bcast", "--fresh --as=osu", "--fresh: the loops of other suites"},
        {2, "bcast", "--cvar=MPIR_CVAR_NONE=2", "no control variable of that name"},
        {2, "bcast", "--cvar=MPIR_CVAR_BCAST_INTRA_ALGORITHM=ring", "expected NAME=NUMBER"},
        {4, "collective", "--operation=persistent-scan --tune=DIR", "persistent-scan"},
        {4, "collective", "--operation=ireduce", "unknown operation of this MPI 'ireduce'"},
        {4, "collective", "--operation=barrier,scan --root=1", "--root=1: expected an operation"},
        {4, "collective", "--ranks=1:1", "ranks: use: --ranks=2:2"},
        {2, "collective", "--arrivals=ramp --method=held", "--arrivals needs --tune=DIR"},
        {2, "collective", "--arrivals=late:99", "expected a rank below 2"},
        {2, "collective", "--operation=neighbor-alltoall --method=held", "use: --method=direct"},
        {4, "collective", "--method=acknowledge", "use: --method=direct"},
        {4, "collective", "--traffic=9", "beyond --ranks: use: mpiexec -n 4, --ranks=2"},
        {2, "collective", "--arrivals=late", "expected late:RANK, ramp, random, or the directory"},
        {1, "tree", "--sizes=8", "at least 2 ranks: use: mpiexec -n 2"},
        {4, "tree", "--step=0", "--step"},
        {2, "pairs", "--step=1", "unknown option --step"},
        {4, "tree", "--ranks=2:4 --root=3", "--root=3: expected one of the first 2 ranks"},
        {1, "pairs", "-i 3", "a pair needs at least 2 ranks"},
        {2, "pairs", "--order=paper --messages=persistent",
         "--order=paper: expected --messages=standard"},
        {1, "scenario", "--scenario=1", "a scenario needs at least 2 ranks: use: mpiexec -n 2"},
        {4, "scenario", "--scenario=none", "scenario 'none': No such file or directory"},
        {4, "scenario", "--delayed=second", "--delayed is 'second'"},
        {2, "scenario", "--operation=gather --algorithm=flat", "have only native"},
        {2, "scenario", "--operation=barrier,iscan --root=1", "--root=1: expected an operation"},
        {1, "overlap", "--sizes=4K", "overlap needs 2 ranks, not 1"},
        {3, "overlap", "--benchmark=sender", "sender needs 2 ranks, not 3"},
        {2, "overlap", "--benchmark=destinations", "needs 3 ranks or more, not 2"},
        {2, "overlap", "--sizes=0:64", "--sizes: 0 bytes have nothing to overlap"},
        {2, "overlap", "--step=1 --benchmark=cpu", "step is '1'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char name[40], path[100], text[1000];
        snprintf(name, sizeof name, "collbench-%s", bad[i].program);
        snprintf(path, sizeof path, "%s/said", scratch);
        cr_assert_not_null(freopen(path, "w", stderr));
        cr_expect_eq(run(bad[i].ranks, name, bad[i].options), 2, "%s %s", name, bad[i].options);
        fflush(stderr);
        scratch_read("said", text, sizeof text);
        cr_expect(strstr(text, bad[i].says) && strchr(text, '\n') == strrchr(text, '\n'),
                  "%s %s: %s", name, bad[i].options, text);
        cr_expect(access(file(), F_OK), "%s %s: something was written", name, bad[i].options);
    }
}
