/* Protects the answer in short: which sentence is said of which figures, on both sides of every
 * threshold. Trust in the times has its table in disturbed.c. */
#include "base/names.h"
#include "profile/model.h"
#include "report/figures.h"
#include "report/text.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Of a run whose ranks together last a million ns, so that 10,000 are 1 %. */
struct calls {
    const char *operation;
    uint32_t line;
    uint64_t ns;
    uint64_t completed, hidden, wait_ns; /* requests that were started there */
};
struct waits {
    const char *operation;
    uint32_t line, rank, state;
    uint64_t ns, followed, in_turn;
};
struct known {
    const char *said, *unsaid;
    uint64_t mpi_ns;
    uint32_t ranks; /* 0: 2 */
    struct calls calls[3];
    /* Collectives: waiting in them, of 100,000 ns; how many, and in how many rank 1 was last. */
    const char *collective;
    uint64_t late_ns, instances, last;
    uint64_t others_ns;  /* waiting in each of two others */
    uint64_t delayed_ns; /* of rank 1; 0: not known */
    struct waits waits[3];
    double covered; /* by the trace; 0: all */
    double
        cut_off; /* rank 1 was killed in MPI_Recv, s before rank 0's record ends; < 0: not known */
    double measured_high; /* us, of the first calls' operation by itself */
};

static const struct known of_time[] = {
    {.mpi_ns = 9999,
     .calls = {{"MPI_Send", 10, 9999, 0, 0, 0}},
     .said = "operations\tMPI takes 1.0 % of the run: nothing is to be gained there.\n",
     .unsaid = "Most time"},
    {.mpi_ns = 9999, /* neither 1 % nor any other share, though little is known of */
     .calls = {{"MPI_Send", 10, 9999, 0, 0, 0}},
     .cut_off = 8.04,
     .said = "ranks\tWhat part of the run MPI takes is not known: ranks were cut off in calls; "
             "rank 1 in "
             "MPI_Recv, which it had entered 8.04 s before the record of rank 0 ends.\n",
     .unsaid = "nothing is to be gained"},
    {.mpi_ns = 500000,
     .calls = {{"MPI_Send", 10, 500000, 0, 0, 0}},
     .cut_off = -1,
     .said = "ranks\tWhat part of the run MPI takes is not known: ranks were cut off in calls.\n",
     .unsaid = "Most time"},
    {.mpi_ns = 10001,
     .calls = {{"MPI_Send", 10, 10001, 0, 0, 0}},
     .said = "Most time in MPI goes to MPI_Send (100.0 %), all of it at solve.c:10 solve",
     .unsaid = "nothing is to be gained"},
    {.mpi_ns = 500000, .unsaid = "Most time"},
    {.mpi_ns = 500000,
     .calls = {{"MPI_Send", 10, 100000, 0, 0, 0}, {"MPI_Send", 20, 200000, 0, 0, 0}},
     .said = "Most time in MPI goes to MPI_Send (60.0 %), 66.7 % of that at solve.c:20 solve"},
    {.mpi_ns = 500000,
     .calls = {{"MPI_Send", 10, 150000, 0, 0, 0},
               {"MPI_Send", 20, 150000, 0, 0, 0},
               {"MPI_Recv", 30, 200000, 0, 0, 0}},
     .said = "MPI_Send (60.0 %); the costliest call is MPI_Recv at solve.c:30 solve"},
};

static const struct known of_lateness[] = {
    {.mpi_ns = 500000,
     .collective = "MPI_Bcast",
     .late_ns = 9999,
     .instances = 10,
     .last = 10,
     .unsaid = "is waiting for a rank"},
    {.mpi_ns = 500000,
     .collective = "MPI_Bcast",
     .late_ns = 10001,
     .instances = 10,
     .said = "In collectives, 10.0 % of the time is waiting for a rank that comes late: 1.0 % of "
             "the run.\n",
     .unsaid = "most often"},
    /* Who waits in it for whom is not known. */
    {.mpi_ns = 500000,
     .collective = "MPI_Neighbor_alltoall",
     .late_ns = 50000,
     .instances = 10,
     .unsaid = "is waiting for a rank"},
    /* Of 100 between two, chance gives 50 +- 5: four of that more. */
    {.mpi_ns = 500000,
     .collective = "MPI_Bcast",
     .late_ns = 50000,
     .instances = 100,
     .last = 70,
     .said = "is waiting for a rank",
     .unsaid = "most often"},
    {.mpi_ns = 500000,
     .collective = "MPI_Bcast",
     .late_ns = 50000,
     .instances = 100,
     .last = 71,
     .said = "ranks-1\tRank 1 is the last to enter most often, in 71.0 % of the collectives.\n"},
    /* Nine are too few, whatever they say. */
    {.mpi_ns = 500000,
     .ranks = 100,
     .collective = "MPI_Bcast",
     .late_ns = 50000,
     .instances = 9,
     .last = 9,
     .said = "is waiting for a rank",
     .unsaid = "most often"},
    {.mpi_ns = 500000,
     .ranks = 100,
     .collective = "MPI_Bcast",
     .late_ns = 50000,
     .instances = 10,
     .last = 10,
     .said = "most often, in 100.0 %"},
    /* The last in eight of ten, for which all wait, where half of the waiting is. */
    {.mpi_ns = 500000,
     .collective = "MPI_Allreduce",
     .late_ns = 20000,
     .others_ns = 9999,
     .instances = 10,
     .last = 8,
     .said = ": 4.0 % of the run, most of it at solve.c:40 solve, where rank 1 is nearly always "
             "the last.\n"},
    {.mpi_ns = 500000,
     .collective = "MPI_Allreduce",
     .late_ns = 20000,
     .others_ns = 10000,
     .instances = 10,
     .last = 8,
     .said = ": 4.0 % of the run.\n"},
    {.mpi_ns = 500000,
     .collective = "MPI_Allreduce",
     .late_ns = 20000,
     .instances = 10,
     .last = 7,
     .said = ": 2.0 % of the run.\n"},
    {.mpi_ns = 500000,
     .collective = "MPI_Bcast", /* the root may be another */
     .late_ns = 20000,
     .instances = 10,
     .last = 10,
     .said = ": 2.0 % of the run.\n"},
    {.mpi_ns = 500000,
     .collective = "MPI_Allreduce",
     .late_ns = 20000,
     .instances = 10,
     .last = 10,
     .delayed_ns = 4999,
     .said = "most of it at solve.c"},
    {.mpi_ns = 500000,
     .collective = "MPI_Allreduce",
     .late_ns = 20000,
     .instances = 10,
     .last = 10,
     .delayed_ns = 5001,
     .said = ": 2.0 % of the run.\n"},
};

static const struct known of_requests[] = {
    {.mpi_ns = 500000,
     .calls = {{"MPI_Isend", 10, 100, 5, 2, 9999}},
     .unsaid = "non-blocking requests"},
    {.mpi_ns = 500000,
     .calls = {{"MPI_Isend", 10, 100, 5, 2, 10001}},
     .said = "requests\tOf the non-blocking requests, 40.0 % were done when they were waited for; "
             "waiting for the others is 1.0 % of the run.\n"},
    {.mpi_ns = 500000,
     .calls = {{"MPI_Isend", 10, 100, 5, 2, 9999}, {"MPI_Irecv", 20, 100, 5, 0, 9000}},
     .said = "non-blocking requests, 20.0 %",
     .unsaid = "Most of that"},
    {.mpi_ns = 500000,
     .calls = {{"MPI_Isend", 10, 100, 5, 2, 9000}, {"MPI_Irecv", 20, 100, 5, 0, 10001}},
     .said = "Most of that is for requests of MPI_Irecv at solve.c:20 solve: 5.00 us per rank.\n"},
    /* One Waitall for both: half is not most. */
    {.mpi_ns = 500000,
     .calls = {{"MPI_Isend", 10, 100, 5, 2, 10001}, {"MPI_Irecv", 20, 100, 5, 0, 10001}},
     .said = "non-blocking requests",
     .unsaid = "Most of that"},
    /* Calls without requests: nothing was to be done meanwhile. */
    {.mpi_ns = 500000,
     .calls = {{"MPI_Send", 10, 100, 0, 0, 50000}},
     .unsaid = "non-blocking requests"},
};

static const struct known of_waits[] = {
    {.mpi_ns = 500000,
     .waits = {{"MPI_Recv", 10, 1, WAIT_LATE_SENDER, 19999}},
     .unsaid = "of the waiting"},
    {.mpi_ns = 500000,
     .waits = {{"MPI_Recv", 10, 1, WAIT_LATE_SENDER, 20001}},
     .said =
         "waits\t100.0 % of the waiting in MPI_Recv at solve.c:10 solve (10.0 us per rank) is for "
         "rank 1, which sends late.\n"},
    /* A trace of half the run. */
    {.mpi_ns = 500000,
     .covered = 0.5,
     .waits = {{"MPI_Recv", 10, 1, WAIT_LATE_SENDER, 9999}},
     .unsaid = "of the waiting"},
    {.mpi_ns = 500000,
     .covered = 0.5,
     .waits = {{"MPI_Recv", 10, 1, WAIT_WRONG_ORDER, 10001}},
     .said = "rank 1, which sends late, while earlier messages lie ready."},
    /* A place is the sum of those waited for there; the longest of them is named. */
    {.mpi_ns = 500000,
     .waits = {{"MPI_Send", 10, 0, WAIT_LATE_RECEIVER, 10000},
               {"MPI_Bcast", 20, 0, WAIT_LATE_ROOT, 25000},
               {"MPI_Send", 10, 1, WAIT_LATE_RECEIVER, 20000}},
     .said =
         "66.7 % of the waiting in MPI_Send at solve.c:10 solve (15.0 us per rank) is for rank 1, "
         "which receives late.\n",
     .unsaid = "MPI_Bcast at"},
    /* What is for one rank is one sum, whatever it is called. */
    {.mpi_ns = 500000,
     .waits = {{"MPI_Recv", 10, 1, WAIT_LATE_SENDER, 11000},
               {"MPI_Recv", 10, 0, WAIT_LATE_SENDER, 12000},
               {"MPI_Recv", 10, 1, WAIT_WRONG_ORDER, 7000}},
     .said =
         "60.0 % of the waiting in MPI_Recv at solve.c:10 solve (15.0 us per rank) is for rank 1, "
         "which sends late."},
    {.mpi_ns = 500000,
     .waits = {{"MPI_Bcast", 20, 0, WAIT_LATE_ROOT, 25000}},
     .said = "rank 0, which is its root and comes late."},
    {.mpi_ns = 500000,
     .waits = {{"MPI_Barrier", 20, 1, WAIT_N_TO_N, 25000}},
     .said = "rank 1, which comes late."},
    /* Three are waited for: the longest for half of it, and for more. */
    {.mpi_ns = 500000,
     .waits = {{"MPI_Barrier", 20, 1, WAIT_N_TO_N, 20000, 5, 5},
               {"MPI_Barrier", 20, 0, WAIT_N_TO_N, 10000, 2, 2},
               {"MPI_Barrier", 20, 2, WAIT_N_TO_N, 10000, 0, 0}},
     .said = "rank 1, which comes late; no rank alone is: 3 are waited for.",
     .unsaid = "The pattern is"},
    {.mpi_ns = 500000,
     .waits = {{"MPI_Barrier", 20, 1, WAIT_N_TO_N, 20000, 5, 5},
               {"MPI_Barrier", 20, 0, WAIT_N_TO_N, 10000, 5, 4},
               {"MPI_Barrier", 20, 2, WAIT_N_TO_N, 10000, 0, 0}},
     .said = "3 are waited for.\nwaits\tThe pattern is a diffuse procedure: "},
    {.mpi_ns = 500000,
     .waits = {{"MPI_Barrier", 20, 1, WAIT_N_TO_N, 20000, 5, 5},
               {"MPI_Barrier", 20, 0, WAIT_N_TO_N, 10000, 5, 3},
               {"MPI_Barrier", 20, 2, WAIT_N_TO_N, 10000, 0, 0}},
     .said = "no rank alone is: 3 are waited for.",
     .unsaid = "The pattern is"},
    {.mpi_ns = 500000,
     .waits = {{"MPI_Barrier", 20, 1, WAIT_N_TO_N, 20000, 5, 4},
               {"MPI_Barrier", 20, 0, WAIT_N_TO_N, 10000, 5, 2},
               {"MPI_Barrier", 20, 2, WAIT_N_TO_N, 10000, 0, 0}},
     .said = "3 are waited for.\nwaits\tThe pattern is a random barrier: "},
    {.mpi_ns = 500000,
     .waits = {{"MPI_Barrier", 20, 1, WAIT_N_TO_N, 20001},
               {"MPI_Barrier", 20, 0, WAIT_N_TO_N, 10000},
               {"MPI_Barrier", 20, 2, WAIT_N_TO_N, 10000}},
     .unsaid = "no rank alone"},
};

/* Ten calls each; measured by itself with all ranks there. */
static const struct known of_measured[] = {
    {.mpi_ns = 500000,
     .calls = {{"MPI_Bcast", 10, 4999, 0, 0, 0}},
     .measured_high = 0.1,
     .unsaid = "as measured"},
    {.mpi_ns = 500000,
     .calls = {{"MPI_Bcast", 10, 5001, 0, 0, 0}},
     .measured_high = 0.1,
     .said =
         "findings\tMPI_Bcast of 8 B on MPI_COMM_WORLD takes at most 100 ns with all ranks there, "
         "as measured; the application's calls took 500 ns on average.\n"},
    {.mpi_ns = 500000,
     .calls = {{"MPI_Bcast", 10, 150000, 0, 0, 0}},
     .measured_high = 10.01,
     .unsaid = "as measured"},
    {.mpi_ns = 500000,
     .calls = {{"MPI_Bcast", 10, 150000, 0, 0, 0}},
     .measured_high = 9.99,
     .said = "as measured; the application's calls took 15.0 us"},
};

static uint32_t site_in_line(struct profile *p, uint32_t line)
{
    struct profile_site s = {.depth = 1};
    s.frame[0] = (struct profile_frame){.module = PROFILE_NONE, .address = line};
    uint32_t site = profile_add_site(p, &s);
    struct profile_frame *f = &p->sites.at[site].frame[0];
    if (!f->function) {
        f->function = memory_strdup("solve");
        f->file = memory_strdup("solve.c");
        f->line = line;
    }
    return site;
}

static void add_calls(struct profile *p, const struct calls *c, uint32_t comm)
{
    uint64_t histogram[HISTOGRAM_BUCKETS] = {10};
    profile_add_entry(p, &(struct profile_entry){
                             .site = site_in_line(p, c->line),
                             .operation = profile_add_operation(p, c->operation, FAMILY_PLAIN),
                             .comm = comm,
                             .region = PROFILE_NONE,
                             .size_class = size_class_of(8),
                             .calls = 10,
                             .time_ns = c->ns,
                             .completed = c->completed,
                             .hidden = c->hidden,
                             .wait_ns = c->wait_ns,
                             .histogram = histogram});
}

static struct profile *made(const struct known *k)
{
    struct profile *p = profile_new();
    uint32_t ranks = k->ranks ? k->ranks : 2,
             host = profile_add_host(p, &(struct profile_host){.name = "alpha", .ranks = ranks}),
             comm = profile_add_comm(
                 p, &(struct profile_comm){
                        .id = 1, .created = 1, .size = ranks, .name = "MPI_COMM_WORLD"});
    p->stack_depth = 1;
    p->trace.covered = k->covered > 0 ? k->covered : 1;
    for (uint32_t r = 0; r < ranks; r++)
        *PUSH(&p->ranks) = (struct profile_rank){
            .rank = (int32_t)r,
            .host = host,
            .state = LEDGER_FINALIZED,
            .wall = 1e-3 / ranks,
            .mpi_ns = r ? 0 : k->mpi_ns,
            .late = r == 1 ? k->last : 0,
            .in_call = r == 1 && k->cut_off,
            .delayed_ns = r == 1 && k->delayed_ns ? (int64_t)k->delayed_ns : -1};
    for (size_t i = 0; i < 3 && k->calls[i].operation; i++)
        add_calls(p, &k->calls[i], comm);
    for (size_t i = 0; i < 3 && k->waits[i].operation; i++)
        *PUSH(&p->waits) = (struct wait){
            .site = site_in_line(p, k->waits[i].line),
            .operation = profile_add_operation(p, k->waits[i].operation, FAMILY_PLAIN),
            .state = k->waits[i].state,
            .rank = k->waits[i].rank,
            .calls = 1,
            .wait_ns = k->waits[i].ns,
            .followed = k->waits[i].followed,
            .in_turn = k->waits[i].in_turn};
    for (uint32_t i = 0; i < 3 && k->collective && (!i || k->others_ns); i++)
        *PUSH(&p->arrivals) = (struct profile_arrival){
            .site = site_in_line(p, 40 + i),
            .operation = profile_add_operation(p, k->collective, FAMILY_COLLECTIVE),
            .comm = comm,
            .instances = k->instances,
            .time_ns = 100000,
            .wait_ns = i ? k->others_ns : k->late_ns,
            .late_rank = 1,
            .late_count = k->last};
    if (k->cut_off)
        *PUSH(&p->stands) =
            (struct profile_stand){.rank = 1,
                                   .operation = profile_add_operation(p, "MPI_Recv", FAMILY_RECV),
                                   .site = PROFILE_NONE,
                                   .comm = PROFILE_NONE,
                                   .seconds = -1,
                                   .witnessed = k->cut_off};
    if (k->measured_high > 0)
        profile_add_finding(p, "benchmark",
                            json_pack("{s:s, s:s, s:i, s:[{s:s, s:f}]}", "operation",
                                      k->calls[0].operation, "communicator", "MPI_COMM_WORLD",
                                      "bytes", 8, "methods", "method", "direct", "high_us",
                                      k->measured_high));
    return p;
}

static void assert_sentences(const struct known *known, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct profile *p = made(&known[i]);
        struct view v;
        view_open(&v, p);
        char *text = text_sentences(&v);
        cr_expect(!known[i].said || strstr(text, known[i].said), "case %zu: no '%s' in\n%s", i,
                  known[i].said, text);
        cr_expect(!known[i].unsaid || !strstr(text, known[i].unsaid), "case %zu: '%s' in\n%s", i,
                  known[i].unsaid, text);
        free(text);
        view_close(&v);
        profile_free(p);
    }
}

#define SENTENCES(subject)                                                                         \
    Test(sentences, subject)                                                                       \
    {                                                                                              \
        assert_sentences(subject, sizeof subject / sizeof *subject);                               \
    }

SENTENCES(of_time)
SENTENCES(of_lateness)
SENTENCES(of_requests)
SENTENCES(of_waits)
SENTENCES(of_measured)

/* A thousand messages of 256 B, one way, for which the time is 2 % of the run; then less of each.
 */
static const struct small {
    uint64_t messages, bytes, back;
    int64_t ns;
    bool said;
} small[] = {{1000, 256000, 10, 20000, true},
             {999, 999, 0, 20000, false},
             {1000, 256001, 10, 20000, false},
             {1000, 256000, 11, 20000, false},
             {1000, 256000, 10, 19999, false}};

Test(sentences, of_small_messages)
{
    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        const struct known known = {.mpi_ns = 500000,
                                    .calls = {{"MPI_Send", 10, small[i].ns, 0, 0, 0}}};
        struct profile *p = made(&known);
        const struct profile_entry *e = &p->entries.at[0];
        *PUSH(&p->peers) = (struct profile_peer){e->site,           e->operation,  0, 1, 0,
                                                 small[i].messages, small[i].bytes};
        *PUSH(&p->peers) =
            (struct profile_peer){e->site, e->operation, 1, 0, 0, small[i].back, 8 * small[i].back};
        struct view v;
        view_open(&v, p);
        char *text = text_sentences(&v);
        const char *said =
            strstr(text, "messages\tMPI_Send at solve.c:10 solve sends small messages "
                         "one by one: 1,000 of 256 B from rank 0 to rank 1");
        cr_expect_eq(said != NULL, small[i].said, "case %zu: %s", i, text);
        free(text);
        view_close(&v);
        profile_free(p);
    }
}

/* In a trace of windows of 2.1 ms a wait of a quarter of that is seen too rarely: where a tenth of
 * the time may be such ones, it is not known for whom most is waited. */
static const struct windows {
    uint64_t mask, call_ns, time_ns;
    bool said;
} windows[] = {{~0ull << 21, 600000, 5800000, true},
               {~0ull << 21, 600000, 6100000, false},
               {~0ull << 21, 520000, 520000, false},
               {0, 600000, 600000, false}};

Test(sentences, of_waits_that_windows_cut)
{
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        const struct known known = {
            .mpi_ns = 500000,
            .calls = {{"MPI_Allreduce", 10, (int64_t)windows[i].time_ns, 0, 0, 0}}};
        struct profile *p = made(&known);
        struct profile_entry *e = &p->entries.at[0];
        free(e->histogram);
        e->histogram = calloc(HISTOGRAM_BUCKETS, sizeof *e->histogram);
        e->histogram[histogram_bucket(windows[i].call_ns)] = 1;
        e->time_ns = windows[i].time_ns;
        p->trace.on = true;
        p->trace.time_mask = windows[i].mask;
        struct view v;
        view_open(&v, p);
        char *text = text_sentences(&v);
        cr_expect_eq(strstr(text, "For whom most is waited is not known") != NULL, windows[i].said,
                     "case %zu: %s", i, text);
        free(text);
        view_close(&v);
        profile_free(p);
    }
}
