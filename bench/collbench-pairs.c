/* The latency of every pair of ranks: PetaSHA's mmpi.c, and what it left to the reader. */
#include "base/status.h"
#include "base/topology.h"
#include "bench.h"
#include "document/save.h"
#include "measure/pairs/log.h"
#include "measure/pairs/pairs.h"
#include "pairs_results.h"
#include "results/pairs_document.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct pairs_options {
    struct bench bench;
    int order; /* enum pairs_order */
    bool only_paper;
    double suspect; /* the factor; 0: no search */
};

static const struct option_entry option_list[] = {
    {"order", 0, "ORDER",
     "tournament: disjoint pairs at a time, unless pairs alone are faster; alone: one pair at a "
     "time; paper: the same, the repeats outermost",
     1, option_take_word, offsetof(struct pairs_options, order),
     &(const struct option_words){(const char *const[]){[PAIRS_PAPER] = "paper",
                                                        [PAIRS_TOURNAMENT] = "tournament",
                                                        [PAIRS_ONE_AT_A_TIME] = "alone",
                                                        NULL}}},
    {"paper-log", 0, NULL, "only the paper's columns in the log", 1, option_take_flag,
     offsetof(struct pairs_options, only_paper), NULL},
    {"suspect", 0, "FACTOR",
     "name hosts, ranks and pairs that are slower than the others by FACTOR; status 3 if there "
     "are any",
     1, option_take_real, offsetof(struct pairs_options, suspect),
     &(const struct option_limits){
         .least = 1.01, .most = 1e6, .expected = "a factor from 1.01, as 1.5"}},
    {0}};

static const struct option_program program = {
    "Measures the round trip between every two ranks and shows who is near whom.",
    "--output=FILE gets the log, in the columns of the original tool (PetaSHA's mmpi) and ours "
    "after them; the pairs and a summary by what two ranks share (hwloc, host names) go to "
    "standard output, in --format. Without --output there is no log; --output=- "
    "writes it to standard output and nothing else.",
    .options = option_list};

/* Rank 0: what hwloc knows of each pair. */
static void fill_relations(struct pairs *p, const struct place *place)
{
    if (!pairs_need_relation(p))
        return;
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j < p->n; j++)
            p->relation[pairs_cell(p, i, j)] = (int)place_relation(&place[i], &place[j]);
}

static bool save_log(const struct pairs *p, const char *path, bool only_paper)
{
    struct save save;
    if (!save_open(&save, path))
        return false;
    pairs_log_write(p, save.out, only_paper);
    return save_commit(&save);
}

static int report(const struct pairs_options *o, const struct pairs *p, struct document *d)
{
    const struct bench *b = &o->bench;
    bool good = !b->output || save_log(p, b->output, o->only_paper);
    pairs_results(p, d);
    pairs_pictures(p, d, "size");
    document_fact(d, "times", "full round trips, not halved, as in the original tool");
    document_fact(d, "order", "%s", p->order);
    if (p->slowdown > 0)
        document_finding(d,
                         &(struct finding){.key = "slowdown_among_others",
                                           .severity = SEVERITY_NOTE,
                                           .number = {{"factor", p->slowdown}}},
                         "Measured at the same time as others, a pair took up to %.3g times as "
                         "long as alone%s.",
                         p->slowdown,
                         p->slowdown > PAIRS_SHARED ? ": all were measured again, one at a time"
                                                    : "");
    if (b->output && strcmp(b->output, "-") != 0)
        document_fact(d, "log", "%s", b->output);
    bool slow = o->suspect > 0 && pairs_results_slow(p, o->suspect, d);
    return !good ? STATUS_FAILED : slow ? STATUS_SLOWER : STATUS_GOOD;
}

int main(int argc, char **argv)
{
    static struct pairs_options o = {.bench = {.sizes = {64, 64, 0}, .without = "warmup stop"},
                                     .order = PAIRS_TOURNAMENT};
    o.bench.plan = plan_default();
    bench_begin(&o.bench, &argc, &argv, MPI_THREAD_SINGLE, &program);
    struct bench *b = &o.bench;
    if (b->ranks.max < 2)
        bench_refuse(b, "a pair needs 2 ranks: start more by mpiexec -n");
    if (o.suspect > 0 && b->ranks.max < 4)
        bench_refuse(b, "--suspect compares at least 4 ranks: start more by mpiexec -n");

    int status = 0;
    struct bench_group group = {0};
    struct bench_values sizes = bench_values(&b->sizes);
    struct document *d = bench_document(b, "collbench-pairs/2");
    struct place *places = bench_places(b);
    bench_group_open(b, b->ranks.max, &group);
    if (group.comm != MPI_COMM_NULL) {
        struct pairs p;
        struct pairs_plan plan = {.sizes = sizes.at,
                                  .n_sizes = (int)sizes.n,
                                  .repeats = b->plan.repetitions,
                                  .order = (enum pairs_order)o.order,
                                  .budget = b->plan.budget,
                                  .receives = true,
                                  .clock = &group.clock};
        if (pairs_measure(group.comm, &plan, &p) != MPI_SUCCESS) {
            reason_say(b->program, "an MPI call failed, or there is too little memory");
            MPI_Abort(b->comm, 1);
        }
        if (d) {
            fill_relations(&p, places);
            status = report(&o, &p, d);
        }
        pairs_free(&p);
    }
    bench_group_close(b, &group);
    free(places);
    MPI_Bcast(&status, 1, MPI_INT, 0, b->comm);
    if (b->output && strcmp(b->output, "-") == 0) { /* the log is all */
        document_free(d);
        d = NULL;
    }
    b->output = NULL;
    bench_finish(b, d, status);
}
