/* collbench-pairs: the latency of every pair of ranks, as PetaSHA's mmpi.c ("the original tool")
 * measures it, with one-way latencies, the parameters of LogGP and slow ranks in addition. */
#include "base/topology.h"
#include "bench.h"
#include "document/save.h"
#include "measure/pairs/log.h"
#include "measure/pairs/pairs.h"
#include "measure/pairs/slow.h"
#include "results/documents.h"

#include <math.h>
#include <stddef.h>

struct pairs_options {
    struct bench bench;
    int order;       /* enum pairs_order */
    int messages;    /* enum pairs_messages */
    const char *log; /* file to be written in the original tool's log format; NULL: none */
    double suspect;  /* from this factor a pair is reported as slow; 0: no search */
};

static const char *const orders[] = {[PAIRS_PAPER] = "paper",
                                     [PAIRS_TOURNAMENT] = "tournament",
                                     [PAIRS_ONE_AT_A_TIME] = "alone",
                                     NULL};

static const char *const messages[] = {[PAIRS_STANDARD] = "standard",
                                       [PAIRS_PERSISTENT] = "persistent",
                                       [PAIRS_PARTITIONED] = "partitioned",
                                       NULL};

static const struct option_entry option_list[] = {
    {"order", "ORDER",
     "tournament: disjoint pairs at the same time, unless they slow each other down; alone: one "
     "pair at a time; paper: as alone, with repetitions as the outer loop",
     option_take_word, offsetof(struct pairs_options, order), OPTION_WORDS(orders)},
    {"messages", "KIND", "messages of round trips: standard, persistent or partitioned",
     option_take_word, offsetof(struct pairs_options, messages), OPTION_WORDS(messages)},
    {"log-file", "FILE", "write a log of means and standard deviations, as PetaSHA's mmpi.c",
     option_take_text, offsetof(struct pairs_options, log)},
    {"suspect", "FACTOR",
     "name hosts, ranks and pairs that are slower than the others by FACTOR; status 3 if there "
     "are any",
     option_take_real, offsetof(struct pairs_options, suspect),
     OPTION_LIMITS(.least = 1.01, .most = 1e6, .expected = "a factor from 1.01, as 1.5")},
    {0}};

static error_t check(struct option_parser *parser, void *values)
{
    const struct pairs_options *o = values;
    if (o->messages == PAIRS_PARTITIONED && !pairs_partitioned)
        return option_refuse(
            parser,
            "this MPI library has no partitioned messages: use one of MPI 4, such as MPICH 4");
    if (o->messages != PAIRS_STANDARD && o->order == PAIRS_PAPER)
        return option_refuse(parser, "--order=paper: expected --messages=standard");
    return bench_check_ranks(parser, &o->bench, "a pair", 0);
}

static const struct option_program program = {
    "Measures the round trip between every pair of ranks, and shows which ranks are close to each "
    "other.",
    .options = option_list, .check = check};

/* The table of pairs is left out above TABLE_MAX ranks, in text above TEXT_MAX, as too long. */
enum { TABLE_MAX = 256, TEXT_MAX = 8 };

/* Names for enum place_relation: the smallest hardware unit that two ranks share. */
static const char *const relations[] = {[SAME_CORE] = "core",
                                        [SAME_COMPLEX] = "complex",
                                        [SAME_PACKAGE] = "package",
                                        [SAME_NODE] = "node",
                                        [OTHER_NODE] = "other-node"};

static const struct column relation_columns[] = {
    {"relation", NULL, COLUMN_TEXT, 0, "smallest hardware unit that both ranks share"},
    {"pairs", NULL, COLUMN_INTEGER, 0, NULL},
    {"size", "B", COLUMN_INTEGER, 0, NULL},
    {"lowest", "us", COLUMN_REAL, 2, "median round trip of the fastest of these pairs"},
    {"median", "us", COLUMN_REAL, 2, "median of the pairs' medians"},
    {"highest", "us", COLUMN_REAL, 2, NULL},
};

/* Adds T's row: round trips, at the S-th size, of pairs with RELATION. TRIP: room for all pairs. */
static void add_relation(const struct pairs *p, const struct place *place, int s, int relation,
                         double *trip, struct table *t)
{
    size_t n = 0;
    for (int i = 0; i < p->n; i++)
        for (int j = i + 1; j < p->n; j++)
            if ((int)place_relation(&place[i], &place[j]) == relation)
                trip[n++] = 1e6 * p->size[s].of[PAIRS_MEDIAN][pairs_cell(p, i, j)];
    if (n == 0)
        return;
    stats_sort(trip, n);
    table_text(t, relations[relation]);
    table_reals(t, (double)n, (double)p->size[s].bytes, trip[0], stats_quantile(trip, n, 0.5),
                trip[n - 1]);
}

static void add_relations(const struct pairs *p, const struct place *place, struct document *d)
{
    FREED double *trip = malloc((size_t)p->n * (size_t)p->n * sizeof *trip);
    struct table *t =
        document_table_of(d, "relations", "Round trips by what the ranks share", relation_columns);
    for (int s = 0; trip && s < p->n_sizes; s++)
        for (int relation = 0; relation <= OTHER_NODE; relation++)
            add_relation(p, place, s, relation, trip, t);
}

static bool save_log(const struct pairs *p, const char *path)
{
    struct save save;
    if (!save_open(&save, path))
        return false;
    pairs_log_write(p, save.out);
    return save_commit(&save);
}

static void add_slow(const struct pairs *p, const struct slow *slow, struct document *d)
{
    static const char *const key[] = {
        [SLOW_HOST] = "slow_host", [SLOW_RANK] = "slow_rank", [SLOW_PAIR] = "slow_pair"};
    struct finding f = {.key = key[slow->kind],
                        .severity = SEVERITY_FINDING,
                        .number = {{"factor", slow->factor}, {"rank", slow->a}}};
    const char *a = p->host[slow->a];
    if (slow->kind == SLOW_PAIR) {
        f.number[2].name = "other_rank";
        f.number[2].value = slow->b;
        document_finding(
            d, &f,
            "Round trips between rank %d on %s and rank %d on %s take at least %.3g times "
            "the median of both ranks' pairs.",
            slow->a, a, slow->b, p->host[slow->b], slow->factor);
    } else if (slow->kind == SLOW_HOST) {
        document_finding(d, &f,
                         "Host %s is slow: the fastest pairs of its ranks take at least %.3g times "
                         "as long as those of the nearest ranks.",
                         a, slow->factor);
    } else {
        document_finding(d, &f,
                         "Rank %d on %s is slow: its fastest pair takes %.3g times as long as "
                         "those of the nearest ranks.",
                         slow->a, a, slow->factor);
    }
}

/* Adds a finding for each slow host, rank and pair. Returns whether there are any. */
static bool add_all_slow(const struct pairs *p, double factor, struct document *d)
{
    size_t n;
    FREED struct slow *slow = pairs_slow(p, factor, &n);
    for (size_t i = 0; i < n; i++)
        add_slow(p, &slow[i], d);
    if (n == 0)
        document_finding(d, FINDING("nothing_slow", NOTE),
                         "No host, rank or pair is slower than the others by a factor of %g and by "
                         "more than three standard deviations.",
                         factor);
    return n > 0;
}

static int report(const struct pairs_options *o, const struct pairs *p, struct document *d)
{
    document_fact(d, "times", "full round trips, not halved");
    document_fact(d, "order", "%s", p->order);
    if (o->messages != PAIRS_STANDARD)
        document_fact(d, "messages", "%s; o_r, g and protocol are of standard messages",
                      messages[o->messages]);
    add_relations(p, o->bench.places, d);
    if (p->n <= TABLE_MAX)
        pairs_table(p, d, p->n <= TEXT_MAX);
    else
        document_finding(d, FINDING("too_many_ranks", NOTE),
                         "The table of pairs is left out for %d ranks: --log-file writes the means "
                         "of all pairs.",
                         p->n);
    if (isinf(p->drift[0]))
        document_finding(d, FINDING("one_way_unknown", DOUBT),
                         "One-way latencies are unknown: the rate of a clock changed.");
    pairs_pictures(d);
    if (p->slowdown > 1.005)
        document_finding(
            d, FINDING("slowdown_among_others", NOTE, .number = {{"factor", p->slowdown}}),
            "Measured at the same time as others, a pair took up to %.3g times as "
            "long as alone%s.",
            p->slowdown,
            p->slowdown > PAIRS_SHARED ? ": all were measured again, one at a time" : "");
    bool slow = o->suspect > 0 && add_all_slow(p, o->suspect, d);
    bool good = !o->log || save_log(p, o->log);
    return !good ? STATUS_FAILED : slow ? STATUS_SLOWER : STATUS_GOOD;
}

int main(int argc, char **argv)
{
    static struct pairs_options o = {.bench = {.sizes = {64, 64, 0}, .without = "warmup stop"},
                                     .order = PAIRS_TOURNAMENT};
    bench_begin(&o.bench, &argc, &argv, &program);
    struct bench *b = &o.bench;
    if (sync_agree(b->rank == 0 && !save_possible(o.log), b->comm))
        bench_leave(STATUS_USAGE);
    if (o.suspect > 0 && b->ranks.max < 4)
        bench_refuse(b, "--suspect needs at least 4 ranks: use: --ranks=4:4, or mpiexec -n 4");

    int status = 0;
    struct bench_group group = {0};
    struct bench_values sizes = bench_values(&b->sizes);
    struct document *d = bench_document(b, "collbench-pairs/2");
    bench_group_open(b, b->ranks.max, &group);
    if (group.comm != MPI_COMM_NULL) {
        struct pairs p;
        struct pairs_plan plan = {.sizes = sizes.at,
                                  .n_sizes = (int)sizes.n,
                                  .repeats = b->plan.repetitions,
                                  .order = (enum pairs_order)o.order,
                                  .messages = (enum pairs_messages)o.messages,
                                  .budget = b->plan.budget,
                                  .receives = true,
                                  .clock = &group.clock};
        const struct bench_point point = {"pairs", .ranks = group.ranks, .bytes = b->sizes.max};
        bench_check(b, pairs_measure(group.comm, &plan, &p), &point);
        if (d)
            status = report(&o, &p, d);
        pairs_free(&p);
    }
    bench_group_close(b, &group);
    MPI_Bcast(&status, 1, MPI_INT, 0, b->comm);
    bench_finish(b, d, status);
}
