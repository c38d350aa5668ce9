/* The options of collbench-bcast, checked one by one and together. */
#include "bcast_bench.h"
#include "document/save.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char *method_name(size_t i)
{
    return i < n_bcast_methods ? bcast_methods[i]->name : NULL;
}

static const char *method_reality(size_t i)
{
    return bcast_methods[i]->reality;
}

/* The methods that are a matter of the order of roots. */
static const char *const orders[][2] = {
    {"forward", "rounds"}, {"backward", "rounds-backward"}, {"random", "rounds-random"}};
enum { N_ORDERS = sizeof orders / sizeof *orders };

static const char *order_name(size_t i)
{
    return i < N_ORDERS ? orders[i][0] : NULL;
}

static bool is_ours(size_t i, const void *values)
{
    (void)values;
    return bcast_methods[i]->meaning != BCAST_SUITE;
}

/* Other suites: their methods have these names, or longer ones. */
static const char *suite_name(size_t i)
{
    static const char *const names[] = {"osu", "imb", "repro", NULL};
    return names[i];
}

static const struct option_registry methods = {"method", method_name, method_reality, is_ours},
                                    order = {"order", order_name, NULL, NULL},
                                    suites = {"suite", suite_name, NULL, NULL};

static error_t take_destinations(struct option_parser *parser, const struct option_entry *option,
                                 const char *list, void *value)
{
    struct options *o = value;
    char *copy = list ? strdup(list) : NULL, *rest = copy, *word;
    error_t error = 0;
    (void)option;
    o->by_destination = true;
    while (!error && copy && (word = strsep(&rest, ","))) {
        size_t rank;
        if (!option_parse_size(word, &rank) || rank >= (size_t)o->bench.size) {
            error = option_refuse(parser, "impossible destination '%s': ranks are 0 to %d", word,
                                  o->bench.size - 1);
            continue;
        }
        o->destinations =
            reallocarray(o->destinations, (size_t)o->n_destinations + 1, sizeof *o->destinations);
        o->destinations[o->n_destinations++] = (int)rank;
    }
    free(copy);
    return error;
}

/* Of the rounds methods those that --order names, and no others. */
static void apply_orders(struct options *o)
{
    struct option_chosen asked = o->chosen_methods;
    o->chosen_methods.n = 0;
    for (size_t i = 0; i < asked.n; i++) {
        bool is_rounds = false;
        for (int k = 0; k < N_ORDERS; k++)
            is_rounds = is_rounds || strcmp(method_name(asked.at[i]), orders[k][1]) == 0;
        if (!is_rounds)
            option_choose(NULL, &methods, method_name(asked.at[i]), &o->chosen_methods);
    }
    for (size_t k = 0; k < N_ORDERS; k++)
        for (size_t i = 0; i < o->orders.n; i++)
            if (o->orders.at[i] == k)
                option_choose(NULL, &methods, orders[k][1], &o->chosen_methods);
}

/* What was chosen, or else is the default, as the values that are measured. */
static void look_up(struct options *o)
{
    if (o->chosen_methods.n == 0)
        option_choose_all(&methods, &o->bench, &o->chosen_methods);
    if (o->orders.n > 0)
        apply_orders(o);
    for (size_t k = 0; k < o->suites.n; k++)
        for (size_t i = 0; i < n_bcast_methods; i++) {
            const char *suite = suite_name(o->suites.at[k]);
            if (strncmp(bcast_methods[i]->name, suite, strlen(suite)) == 0)
                option_choose(NULL, &methods, bcast_methods[i]->name, &o->chosen_methods);
        }
    if (o->chosen_algorithms.n == 0)
        option_choose(NULL, &bench_algorithms, "native", &o->chosen_algorithms);
    for (size_t i = 0; i < o->chosen_methods.n; i++)
        o->methods[o->n_methods++] = bcast_methods[o->chosen_methods.at[i]];
    for (size_t i = 0; i < o->chosen_algorithms.n; i++)
        o->algorithms[o->n_algorithms++] = bcasts[o->chosen_algorithms.at[i]];
}

/* What only all the options together tell. */
static error_t check_together(struct option_parser *parser, void *options)
{
    struct options *o = options;
    bool ring = false, suite = false;
    if (o->discover && (o->chosen_methods.n || o->suites.n))
        return option_refuse(parser, "--%s measures and --discover does not: leave one out",
                             o->suites.n ? "as" : "method");
    look_up(o);
    for (size_t i = 0; i < o->n_methods; i++) {
        ring = ring || o->methods[i] == bcast_method_find("ring-barrier");
        suite = suite || o->methods[i]->meaning == BCAST_SUITE;
    }
    if (o->fresh && suite)
        return option_refuse(parser, "--fresh: the loops of other suites broadcast the same data "
                                     "again and again: leave one out");
    if (o->ring_bytes && (!ring || o->discover))
        return option_refuse(parser, "--ring-size is of the method ring-barrier: add it");
    if (o->axes && !o->bench.plot)
        return option_refuse(parser, "--axes is of what --plot draws: add it");
    error_t error = bench_check_sizes(parser, &o->bench, operation_types[o->datatype],
                                      operation_element(o->datatype));
    if (!error)
        error = bench_check_ranks(parser, &o->bench, "a broadcast", o->root);
    if (error)
        return error;
    for (int i = 0; i < o->n_destinations; i++)
        if (o->destinations[i] == o->root || o->destinations[i] >= (int)o->bench.ranks.min)
            return option_refuse(parser,
                                 "impossible destination %d: not the root, and among "
                                 "the first %zu ranks",
                                 o->destinations[i], o->bench.ranks.min);
    if (o->dot && !o->discover)
        return option_refuse(parser, "--dot=%s draws what --discover finds: add it", o->dot);
    if (o->discover && o->bench.plot)
        return option_refuse(parser, "--plot draws measurements: with --discover use --dot");
    if (o->dot && o->bench.rank == 0 && !save_possible(o->dot))
        return EINVAL;
    return 0;
}

#define AT(member) offsetof(struct options, member)
static const struct option_entry option_list[] = {
    {"method", 0, "LIST", "the methods, or all (default: all of ours); they are listed below", 1,
     option_take_list, AT(chosen_methods), &methods},
    {"as", 0, "LIST",
     "beside them what the loops of other suites make of the same broadcasts: osu, imb, repro, or "
     "all; and how far that is from the operation latency",
     1, option_take_list, AT(suites), &suites},
    {"algorithm", 0, "LIST",
     "the broadcasts to measure, or all; native (default) is the library's MPI_Bcast", 1,
     option_take_list, AT(chosen_algorithms), &bench_algorithms},
    {"root", 0, "R", "the rank that broadcasts (0)", 1, bench_take_root, AT(root), NULL},
    {"order", 0, "LIST", "roots of the rounds method: forward, backward, random", 1,
     option_take_list, AT(orders), &order},
    {"destinations", 0, "[LIST]",
     "the latency to each destination, or to those of the list, in a table of its own", 2,
     take_destinations, 0, NULL},
    {"fresh", 0, NULL,
     "the root writes its data anew before every broadcast, as an application does", 1,
     option_take_flag, AT(fresh), NULL},
    {"datatype", 0, "TYPE", "byte, int, double, or strided: 32 bytes of every 64", 1,
     option_take_word, AT(datatype), &(const struct option_words){operation_types}},
    {"ring-size", 0, "SIZE", "bytes of each message of ring-barrier's barrier", 1,
     option_take_count, AT(ring_bytes), &(const struct option_limits){0, 1 << 30, "0 to 1G"}},
    {"axes", 0, "KIND", "of pictures: times on a log or linear axis, or both", 2, option_take_word,
     AT(axes), &(const struct option_words){(const char *const[]){"log", "linear", "both", NULL}}},
    {"samples", 0, NULL, "every raw sample too (JSON)", 2, option_take_flag, AT(samples), NULL},
    {"discover", 0, NULL,
     "instead of measuring, find which ranks each rank's broadcast depends on, and draw the tree",
     3, option_take_flag, AT(discover), NULL},
    {"dot", 0, "FILE", "with --discover: the tree for Graphviz", 3, option_take_text, AT(dot),
     NULL},
    {0}};

const struct option_program bcast_program = {
    "Measures how long one MPI broadcast takes, by every published method side by side.",
    .options = option_list,
    .listed = (const struct option_registry *const[]){&methods, &bench_algorithms, NULL},
    .check = check_together};
