/* The command line of collbench-tree. */
#include "tree_bench.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static const char *builder_name(size_t i)
{
    return i < n_bcasts ? (bcasts[i]->build ? bcasts[i]->name : "") : NULL;
}

static const struct option_registry builders = {"algorithm", builder_name, NULL, NULL};

void tree_choose_all(struct tree_options *o)
{
    option_choose_all(&builders, &o->bench, &o->builders);
    o->builders.all = true;
}

static error_t take_builders(struct option_parser *parser, const struct option_entry *option,
                             const char *arg, void *value)
{
    struct tree_options *o = value;
    if (strcmp(arg, "none") == 0) {
        o->only_native = true;
        return 0;
    }
    return option_take_list(parser, option, arg, &o->builders);
}

static error_t take_segment(struct option_parser *parser, const struct option_entry *option,
                            const char *arg, void *value)
{
    size_t *segment = value;
    (void)option;
    *segment = SIZE_MAX;
    if (strcmp(arg, "auto") == 0 || option_parse_size(arg, segment))
        return 0;
    return option_refuse(parser, "impossible --segment=%s: bytes, 0 or auto", arg);
}

static error_t take_method(struct option_parser *parser, const struct option_entry *option,
                           const char *arg, void *value)
{
    const struct bcast_method *method = bcast_method_find(arg);
    (void)option;
    if (!method || (strcmp(arg, "direct") != 0 && strcmp(arg, "held") != 0))
        return option_refuse(parser, "impossible --method=%s: direct or held", arg);
    *(const struct bcast_method **)value = method;
    return 0;
}

#define AT(member) offsetof(struct tree_options, member)
static const struct option_entry option_list[] = {
    {"latencies", 0, "LOG",
     "a log of collbench-pairs, or of the original tool; without it the latencies are measured", 1,
     option_take_text, AT(latencies), NULL},
    {"algorithm", 0, "LIST", "all, or of %s; none: the library's own only (all)", 1, take_builders,
     0, &builders},
    {"root", 0, "RANK", "from where", 1, option_take_count, AT(root),
     &(const struct option_limits){0, INT32_MAX, "a rank"}},
    {"segment", 0, "BYTES",
     "send in segments of so many bytes; 0: whole messages; auto: what is predicted best (auto)", 1,
     take_segment, AT(segment), NULL},
    {"step", 0, "N", "sizes 2^N times the one before", 1, option_take_count, AT(step),
     &(const struct option_limits){1, 30, "1 to 30"}},
    {"no-run", 0, NULL, "predict only", 2, option_take_flag, AT(no_run), NULL},
    {"method", 0, "NAME",
     "how a broadcast is measured: direct or held, see collbench-bcast (direct)", 2, take_method,
     AT(method), NULL},
    {"tree", 0, "FILE", "draw the best tree of the largest size: .txt, .dot, .png or .svg", 12,
     option_take_text, AT(tree), NULL},
    {"save", 0, "FILE", "save that tree as JSON", 12, option_take_text, AT(save), NULL},
    {"schedule", 0, "FILE", "load a tree from JSON, and compare it too", 1, option_take_text,
     AT(load), NULL},
    {0}};

const struct option_program tree_program = {
    "Builds broadcast schedules from the latencies between ranks (Mateescu and Taylor), predicts "
    "their completion and runs them against the library's own MPI_Bcast.",
    "With one rank and --latencies nothing is run: a prediction for the ranks of the log.",
    .options = option_list};
