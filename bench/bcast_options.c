/* The options of collbench-bcast, checked one by one and together. */
#include "bcast_bench.h"
#include "results/save.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum key {
    KEY_METHOD = 0x200,
    KEY_ALGORITHM,
    KEY_ROOT,
    KEY_ORDER,
    KEY_DESTINATIONS,
    KEY_SAMPLES,
    KEY_FRESH,
    KEY_DISCOVER,
    KEY_DOT
};

static const struct argp_option argp_options[] = {
    {"method", KEY_METHOD, "LIST", 0, "the methods, or all (default); they are listed below", 1},
    {"algorithm", KEY_ALGORITHM, "LIST", 0,
     "the broadcasts to measure, or all; native (default) is the library's MPI_Bcast", 1},
    {"root", KEY_ROOT, "R", 0, "the rank that broadcasts (0)", 1},
    {"order", KEY_ORDER, "LIST", 0, "roots of the rounds method: forward, backward, random", 1},
    {"destinations", KEY_DESTINATIONS, "LIST", OPTION_ARG_OPTIONAL,
     "the latency to each destination, or to those of the list, in a table of its own", 2},
    {"fresh", KEY_FRESH, NULL, 0,
     "the root writes its data anew before every broadcast, as an application does", 1},
    {"samples", KEY_SAMPLES, NULL, 0, "every raw sample too (JSON)", 2},
    {"discover", KEY_DISCOVER, NULL, 0,
     "instead of measuring, find which ranks each rank's broadcast depends on, and draw the tree",
     3},
    {"dot", KEY_DOT, "FILE", 0, "with --discover: the tree for Graphviz", 3},
    {0}};

/* What one word of a list is looked up in, and where it goes. */
struct words {
    struct argp_state *state;
    struct options *options;
    error_t error;
};

static char *names_of(const char *(*name)(size_t), size_t n)
{
    char *list = NULL;
    size_t size;
    FILE *out = open_memstream(&list, &size);
    const char *between = "";
    for (size_t i = 0; i < n; i++) {
        if (*name(i)) {
            fprintf(out, "%s%s", between, name(i));
            between = ", ";
        }
    }
    fclose(out);
    return list;
}

static const char *method_name(size_t i)
{
    return bcast_methods[i]->name;
}

static const char *algorithm_name(size_t i)
{
    return bcasts[i]->run ? bcasts[i]->name : "";
}

static bool unknown(struct words *w, const char *what, const char *word,
                    const char *(*name)(size_t), size_t n)
{
    char *list = names_of(name, n);
    w->error = bench_bad_option(w->state, "unknown %s '%s': all, %s", what, word, list);
    free(list);
    return false;
}

static void add_method(struct options *o, const struct bcast_method *method)
{
    for (size_t i = 0; i < o->n_methods; i++)
        if (o->methods[i] == method)
            return;
    if (o->n_methods < MOST_METHODS)
        o->methods[o->n_methods++] = method;
}

static bool take_method(const char *word, void *arg)
{
    struct words *w = arg;
    const struct bcast_method *method = bcast_method_find(word);
    bool all = strcmp(word, "all") == 0;
    if (!method && !all)
        return unknown(w, "method", word, method_name, n_bcast_methods);
    for (size_t i = 0; all && i < n_bcast_methods; i++)
        add_method(w->options, bcast_methods[i]);
    if (method)
        add_method(w->options, method);
    return true;
}

static void add_algorithm(struct options *o, const struct bcast *algorithm)
{
    for (size_t i = 0; i < o->n_algorithms; i++)
        if (o->algorithms[i] == algorithm)
            return;
    if (o->n_algorithms < MOST_ALGORITHMS)
        o->algorithms[o->n_algorithms++] = algorithm;
}

static bool take_algorithm(const char *word, void *arg)
{
    struct words *w = arg;
    const struct bcast *algorithm = bcast_find(word);
    bool all = strcmp(word, "all") == 0;
    if ((!algorithm || !algorithm->run) && !all)
        return unknown(w, "algorithm", word, algorithm_name, n_bcasts);
    for (size_t i = 0; all && i < n_bcasts; i++)
        if (bcasts[i]->run)
            add_algorithm(w->options, bcasts[i]);
    if (algorithm)
        add_algorithm(w->options, algorithm);
    return true;
}

/* The methods that are a matter of the order of roots, in the order of --order's names. */
static const char *const orders[][2] = {
    {"forward", "rounds"}, {"backward", "rounds-backward"}, {"random", "rounds-random"}};

static bool take_order(const char *word, void *arg)
{
    struct words *w = arg;
    for (unsigned i = 0; i < 3; i++) {
        if (strcmp(word, orders[i][0]) == 0) {
            w->options->orders |= 1u << i;
            return true;
        }
    }
    w->error = bench_bad_option(w->state, "unknown order '%s': forward, backward, random", word);
    return false;
}

/* Of the rounds methods those that --order names, and no others. */
static void apply_orders(struct options *o)
{
    size_t kept = 0;
    for (size_t i = 0; i < o->n_methods; i++) {
        bool is_rounds = false;
        for (int k = 0; k < 3; k++)
            is_rounds = is_rounds || strcmp(o->methods[i]->name, orders[k][1]) == 0;
        if (!is_rounds)
            o->methods[kept++] = o->methods[i];
    }
    o->n_methods = kept;
    for (unsigned i = 0; i < 3; i++)
        if (o->orders & 1u << i)
            add_method(o, bcast_method_find(orders[i][1]));
}

static bool take_destination(const char *word, void *arg)
{
    struct words *w = arg;
    struct options *o = w->options;
    size_t rank;
    if (!bench_parse_size(word, &rank) || rank >= (size_t)o->bench.size) {
        w->error = bench_bad_option(w->state, "impossible destination '%s': ranks are 0 to %d",
                                    word, o->bench.size - 1);
        return false;
    }
    o->destinations =
        reallocarray(o->destinations, (size_t)o->n_destinations + 1, sizeof *o->destinations);
    o->destinations[o->n_destinations++] = (int)rank;
    return true;
}

static error_t parse_list(struct argp_state *state, const char *list,
                          bool (*take)(const char *, void *))
{
    struct words w = {.state = state, .options = state->input};
    bench_each_word(list, take, &w);
    return w.error;
}

/* What only all the options together tell. */
static error_t check_together(struct argp_state *state, struct options *o)
{
    error_t error = bench_check_ranks(state, &o->bench, "a broadcast", o->root);
    if (error)
        return error;
    for (int i = 0; i < o->n_destinations; i++)
        if (o->destinations[i] == o->root || o->destinations[i] >= (int)o->bench.ranks.min)
            return bench_bad_option(state,
                                    "impossible destination %d: not the root, and among "
                                    "the first %zu ranks",
                                    o->destinations[i], o->bench.ranks.min);
    if (o->dot && !o->discover)
        return bench_bad_option(state, "--dot=%s draws what --discover finds: add it", o->dot);
    if (o->discover && o->bench.plot)
        return bench_bad_option(state, "--plot draws measurements: with --discover use --dot");
    if (o->dot && o->bench.rank == 0 && !save_possible(o->dot))
        return EINVAL;
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->bench;
        return 0;
    case KEY_METHOD:
        return parse_list(state, arg, take_method);
    case KEY_ALGORITHM:
        return parse_list(state, arg, take_algorithm);
    case KEY_ORDER:
        return parse_list(state, arg, take_order);
    case KEY_ROOT:
        return bench_parse_root(state, arg, &o->bench, &o->root);
    case KEY_DESTINATIONS:
        o->by_destination = true;
        return arg ? parse_list(state, arg, take_destination) : 0;
    case KEY_FRESH:
        o->fresh = true;
        return 0;
    case KEY_SAMPLES:
        o->samples = true;
        return 0;
    case KEY_DISCOVER:
        o->discover = true;
        return 0;
    case KEY_DOT:
        o->dot = arg;
        return 0;
    case ARGP_KEY_END:
        if (o->n_methods == 0)
            parse_list(state, "all", take_method);
        if (o->orders)
            apply_orders(o);
        if (o->n_algorithms == 0)
            parse_list(state, "native", take_algorithm);
        return check_together(state, o);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* "  NAME   TEXT", TEXT in a column of its own, at the width of the options above it. */
static void put_entry(FILE *out, const char *name, const char *text)
{
    enum { INDENT = 19, WIDTH = 77 };
    int at = fprintf(out, "  %-*s", INDENT - 2, name);
    while (*text) {
        int word = (int)strcspn(text, " ");
        if (at + word >= WIDTH)
            at = fprintf(out, "\n%*s", INDENT, "") - 1;
        else if (at > INDENT)
            at += fprintf(out, " ");
        at += fprintf(out, "%.*s", word, text);
        text += word + (text[word] == ' ');
    }
    fputs("\n", out);
}

/* The methods and algorithms after the options of --help, from their declarations. */
static char *help_lists(int key, const char *text, void *input)
{
    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC)
        return (char *)text;
    char *list = NULL;
    size_t size;
    FILE *out = open_memstream(&list, &size);
    fprintf(out, "Methods:\n");
    for (size_t i = 0; i < n_bcast_methods; i++)
        put_entry(out, bcast_methods[i]->name, bcast_methods[i]->reality);
    fprintf(out, "\nAlgorithms:\n");
    for (size_t i = 0; i < n_bcasts; i++)
        if (bcasts[i]->run)
            put_entry(out, bcasts[i]->name, bcasts[i]->summary);
    fclose(out);
    return list;
}

static const struct argp_child children[] = {{&bench_argp, 0, NULL, 0}, {0}};
const struct argp bcast_argp = {
    .options = argp_options,
    .parser = parse,
    .doc = "Measures how long one MPI broadcast takes, by every published method side by side."
           "\v ",
    .children = children,
    .help_filter = help_lists,
};
