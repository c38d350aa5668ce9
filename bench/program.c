#include "program.h"

#include "base/array.h"
#include "base/text.h"
#include "bench_inner.h"
#include "trees/bcast.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_KEY = 0x200, OPTIONS_MAX = 48 };

static const char *algorithm_name(size_t i)
{
    return i < n_bcasts ? (bcasts[i]->run ? bcasts[i]->name : "") : NULL;
}

static const char *algorithm_summary(size_t i)
{
    return bcasts[i]->summary;
}

const struct bench_registry bench_algorithms = {"algorithm", algorithm_name, algorithm_summary,
                                                NULL};

static void add(struct bench_chosen *c, size_t i)
{
    for (size_t k = 0; k < c->n; k++)
        if (c->at[k] == i)
            return;
    if (c->n < BENCH_CHOSEN_MAX)
        c->at[c->n++] = i;
}

void bench_choose_all(const struct bench *b, const struct bench_registry *r,
                      struct bench_chosen *chosen)
{
    for (size_t i = 0; r->name(i); i++)
        if (*r->name(i) && (!r->in_all || r->in_all(i, b)))
            add(chosen, i);
}

static bool choose_word(const struct bench_registry *r, const char *word,
                        struct bench_chosen *chosen)
{
    for (size_t i = 0; *word && r->name(i); i++) {
        if (strcmp(r->name(i), word) == 0) {
            add(chosen, i);
            return true;
        }
    }
    return false;
}

error_t bench_choose(struct argp_state *state, const struct bench_registry *r, const char *list,
                     struct bench_chosen *chosen)
{
    char *copy = strdup(list), *rest = copy, *word;
    bool known = copy != NULL;
    while (known && (word = strsep(&rest, ","))) {
        if (strcmp(word, "all") == 0) {
            chosen->all = true;
            bench_choose_all(state->input, r, chosen);
        } else {
            known = choose_word(r, word, chosen);
        }
    }
    free(copy);
    if (known)
        return 0;
    char *names = bench_names(r);
    error_t error =
        bench_bad_option(state, "unknown %s in '%s': all, %s", r->what, list, names ? names : "");
    free(names);
    return error;
}

char *bench_names(const struct bench_registry *r)
{
    char *list = NULL;
    size_t size;
    const char *between = "";
    FILE *out = open_memstream(&list, &size);
    for (size_t i = 0; out && r->name(i); i++) {
        if (*r->name(i)) {
            fprintf(out, "%s%s", between, r->name(i));
            between = ", ";
        }
    }
    if (out)
        fclose(out);
    return list;
}

error_t bench_take_flag(struct argp_state *state, const struct bench_option *o, const char *arg,
                        void *value)
{
    (void)state, (void)o, (void)arg;
    *(bool *)value = true;
    return 0;
}

error_t bench_take_text(struct argp_state *state, const struct bench_option *o, const char *arg,
                        void *value)
{
    (void)state, (void)o;
    *(const char **)value = arg;
    return 0;
}

error_t bench_take_list(struct argp_state *state, const struct bench_option *o, const char *arg,
                        void *value)
{
    return bench_choose(state, o->from, arg, value);
}

error_t bench_take_word(struct argp_state *state, const struct bench_option *o, const char *arg,
                        void *value)
{
    const char *const *word = ((const struct bench_words *)o->from)->word;
    char right[256] = "";
    for (int i = 0; word[i]; i++) {
        if (strcmp(word[i], arg) == 0) {
            *(int *)value = i;
            return 0;
        }
        size_t used = strlen(right);
        snprintf(right + used, sizeof right - used, "%s%s",
                 !i            ? ""
                 : word[i + 1] ? ", "
                               : " or ",
                 word[i]);
    }
    return bench_bad_option(state, "impossible --%s=%s: %s", o->name, arg, right);
}

error_t bench_take_count(struct argp_state *state, const struct bench_option *o, const char *arg,
                         void *value)
{
    const struct bench_limits *limits = o->from;
    size_t count;
    if (!bench_parse_size(arg, &count) || count < (size_t)limits->least ||
        count > (size_t)limits->most)
        return bench_bad_option(state, "impossible --%s=%s: %s", o->name, arg, limits->right);
    *(int *)value = (int)count;
    return 0;
}

error_t bench_take_root(struct argp_state *state, const struct bench_option *o, const char *arg,
                        void *value)
{
    const struct bench *b = state->input;
    size_t rank;
    (void)o;
    if (!bench_parse_size(arg, &rank) || rank >= (size_t)b->size)
        return bench_bad_option(state, "impossible root '%s': ranks are 0 to %d", arg, b->size - 1);
    *(int *)value = (int)rank;
    return 0;
}

error_t bench_take_times(struct argp_state *state, const struct bench_option *o, const char *arg,
                         void *value)
{
    struct bench_range *range = value;
    if (bench_parse_range(arg, range) && range->min > 0 && range->max <= 100000000)
        return 0;
    return bench_bad_option(state,
                            "impossible --%s=%s: MIN:MAX in microseconds, at least 1, as in 16:256",
                            o->name, arg);
}

/* The I-th of all options: the program's own, then those that all share; NULL behind the last. */
static const struct bench_option *option_at(const struct bench_program *p, size_t i)
{
    const struct bench_option *o = p->options;
    for (; o && (o->name || o->letter); o++)
        if (i-- == 0)
            return o;
    o = &bench_common[i];
    return o->name || o->letter ? o : NULL;
}

static int key_of(const struct bench_program *p, size_t i)
{
    int letter = option_at(p, i)->letter;
    return letter ? letter : FIRST_KEY + (int)i;
}

static const struct bench_option *option_of(const struct bench_program *p, int key)
{
    for (size_t i = 0; option_at(p, i); i++)
        if (key_of(p, i) == key)
            return option_at(p, i);
    return NULL;
}

/* Whether the program does without it. */
static bool refused(const struct bench *b, const struct bench_option *o)
{
    const char *at = b->without && o->name ? strstr(b->without, o->name) : NULL;
    return at && (at[strlen(o->name)] == ' ' || !at[strlen(o->name)]);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct bench *b = state->input;
    const struct bench_program *p = b->declared;
    const struct bench_option *o = option_of(p, key);
    if (o && refused(b, o))
        return bench_bad_option(state, "--%s would change nothing here: leave it out", o->name);
    if (o)
        return o->take(state, o, arg, (char *)b + o->offset);
    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = NULL; /* one line is enough */
        return 0;
    case ARGP_KEY_ARG:
        return p->word ? p->word(state, b, arg)
                       : bench_bad_option(state, "unexpected argument '%s': see --help", arg);
    case ARGP_KEY_END:
        return p->check ? p->check(state, b) : 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* "  NAME   TEXT", TEXT in a column of its own, at the width of the options above it. */
static void put_entry(FILE *out, int indent, const char *name, const char *text)
{
    enum { WIDTH = 77 };
    int at = fprintf(out, "  %-*s", indent - 2, name);
    while (*text) {
        int word = (int)strcspn(text, " ");
        if (at + word >= WIDTH)
            at = fprintf(out, "\n%*s", indent, "") - 1;
        else if (at > indent)
            at += fprintf(out, " ");
        at += fprintf(out, "%.*s", word, text);
        text += word + (text[word] == ' ');
    }
    fputs("\n", out);
}

static char *list_registries(const struct bench_registry *const *listed)
{
    char *list = NULL;
    size_t size;
    FILE *out = open_memstream(&list, &size);
    int longest = 0;
    for (size_t k = 0; listed[k]; k++)
        for (size_t i = 0; listed[k]->name(i); i++)
            if ((int)strlen(listed[k]->name(i)) > longest)
                longest = (int)strlen(listed[k]->name(i));
    for (size_t k = 0; out && listed[k]; k++) {
        const struct bench_registry *r = listed[k];
        fprintf(out, "%s%c%ss:\n", k ? "\n" : "", *r->what - 'a' + 'A', r->what + 1);
        for (size_t i = 0; r->name(i); i++)
            if (*r->name(i))
                put_entry(out, longest + 4, r->name(i), r->summary(i));
    }
    if (out)
        fclose(out);
    return list;
}

/* Puts the names of registries into the help, where the declaration leaves room for them. */
static char *fill_in(int key, const char *text, void *input)
{
    const struct bench *b = input;
    const struct bench_option *o = b ? option_of(b->declared, key) : NULL;
    char *filled = NULL;
    if (b && key == ARGP_KEY_HELP_POST_DOC && b->declared->listed)
        return list_registries(b->declared->listed);
    if (!o || !text || !strstr(text, "%s"))
        return (char *)text;
    int before = (int)(strstr(text, "%s") - text);
    char *names = bench_names(o->from);
    if (asprintf(&filled, "%.*s%s%s", before, text, names ? names : "", text + before + 2) < 0)
        filled = NULL;
    free(names);
    return filled ? filled : (char *)text;
}

void bench_begin(struct bench *b, int *argc, char ***argv, int level,
                 const struct bench_program *program)
{
    struct argp_option list[OPTIONS_MAX + 1] = {{0}};
    char doc[1024];
    const struct bench_option *o;
    for (size_t n = 0; (o = option_at(program, n)) && n < OPTIONS_MAX; n++) {
        bool may_miss = o->arg && strcmp(o->arg, "[LIST]") == 0;
        list[n] = (struct argp_option){.name = o->name,
                                       .key = key_of(program, n),
                                       .arg = may_miss ? "LIST" : o->arg,
                                       .flags = (may_miss ? OPTION_ARG_OPTIONAL : 0) |
                                                (!o->help || refused(b, o) ? OPTION_HIDDEN : 0),
                                       .doc = o->help,
                                       .group = o->group};
    }
    const char *behind = program->note ? program->note : program->listed ? " " : NULL;
    snprintf(doc, sizeof doc, "%s%s%s", program->does ? program->does : "", behind ? "\v" : "",
             behind ? behind : "");
    struct argp argp = {.options = list, .parser = parse, .help_filter = fill_in, .doc = doc};
    b->declared = program;
    bench_start(b, argc, argv, level, &argp);
}

struct bench_values bench_values(const struct bench_range *range)
{
    struct bench_values v = {0};
    size_t value = range->min;
    do
        v.at[v.n++] = value;
    while (v.n < BENCH_VALUES_MAX && bench_next(range, &value));
    return v;
}

/* One further, the last axis fastest; false behind the end. */
static bool advance(const size_t *length, int n_axes, size_t *at)
{
    for (int axis = n_axes - 1; axis >= 0; axis--) {
        if (++at[axis] < length[axis])
            return true;
        at[axis] = 0;
    }
    return false;
}

void bench_sweep(const struct bench *b, const size_t *length, int n_axes,
                 const char *(*measure)(void *arg, const size_t *at), void *arg)
{
    size_t at[BENCH_AXES_MAX] = {0}, done = 0, total = 1;
    for (int axis = 0; axis < n_axes; axis++)
        total *= length[axis];
    const char *what = "";
    do {
        bench_progress(b, done++, total, what);
        bench_watch();
        const char *now = measure(arg, at);
        what = now ? now : what;
    } while (advance(length, n_axes, at));
    bench_progress_end(b);
}

static void visit_point(const struct bench *b, const struct bench_visit *v, void *arg,
                        const struct bench_point *p, MPI_Comm comm, size_t done)
{
    char what[96];
    size_t total = bench_steps(&b->sizes) * bench_steps(&b->ranks) * v->n;
    snprintf(what, sizeof what, "%s, %d ranks, %zu B", p->name, p->ranks, p->bytes);
    bench_progress(b, done, total, what);
    bench_watch();
    if (comm != MPI_COMM_NULL)
        v->measure(arg, p, comm);
}

/* What is visited among RANKS, in the order of the lists; to be freed. */
static struct bench_point *points_of(const struct bench *b, const struct bench_visit *v,
                                     const void *arg, size_t ranks, size_t *n)
{
    struct bench_point *point = calloc(bench_steps(&b->sizes) * v->n, sizeof *point);
    if (!point)
        bench_refuse(b, "no memory for so many sizes");
    *n = 0;
    for (size_t which = 0; which < v->n; which++) {
        bool sized = !v->sized || v->sized(arg, which);
        size_t bytes = sized ? b->sizes.min : 0;
        do {
            point[(*n)++] = (struct bench_point){
                .name = v->name(arg, which), .which = which, .ranks = (int)ranks, .bytes = bytes};
        } while (sized && bench_next(&b->sizes, &bytes));
    }
    return point;
}

void bench_put_point(struct table *t, const struct bench_point *p)
{
    table_text(t, p->name);
    table_integer(t, p->ranks);
    table_integer(t, (long long)p->bytes);
}

int bench_by_point(const void *a, const void *b)
{
    const struct bench_point *x = a, *y = b;
    return ORDER(x->ranks, y->ranks) ?: ORDER(x->which, y->which) ?: ORDER(x->bytes, y->bytes);
}

/* ORDER is 0 to N - 1, as listed or at random, the same on all ranks. */
static void choose_order(const struct bench *b, size_t *order, size_t n)
{
    unsigned short state[3] = {(unsigned short)b->seed, (unsigned short)(b->seed >> 16), 0x330e};
    for (size_t i = 0; i < n; i++) {
        size_t k = b->seed > 0 ? (size_t)(erand48(state) * (double)(i + 1)) : i;
        order[i] = order[k];
        order[k] = i;
    }
}

void bench_visit(const struct bench *b, const struct bench_visit *v, void *arg)
{
    size_t ranks = b->ranks.min, done = 0;
    do {
        MPI_Comm comm;
        MPI_Comm_split(b->comm, (size_t)b->rank < ranks ? 0 : MPI_UNDEFINED, b->rank, &comm);
        if (comm != MPI_COMM_NULL)
            MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        if (comm != MPI_COMM_NULL && v->enter)
            v->enter(arg, comm);
        size_t n, first = done;
        struct bench_point *point = points_of(b, v, arg, ranks, &n);
        size_t *order = calloc(n, sizeof *order);
        if (!order)
            bench_refuse(b, "no memory for so many sizes");
        choose_order(b, order, n);
        for (size_t i = 0; i < n; i++) {
            bench_place_rows(first + order[i]);
            visit_point(b, v, arg, &point[order[i]], comm, done++);
        }
        free(order);
        free(point);
        bench_wait(b->comm);
        if (comm != MPI_COMM_NULL)
            MPI_Comm_free(&comm);
    } while (bench_next(&b->ranks, &ranks));
    bench_progress_end(b);
}

void bench_check(const struct bench *b, int error, const char *what,
                 const struct bench_point *point)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    if (error == MPI_SUCCESS)
        return;
    MPI_Error_string(error, text, &length);
    reason_say(b->program, "%s%s of %zu bytes among %d ranks: %s", what, point->name, point->bytes,
               point->ranks, text);
    MPI_Abort(b->comm, 1);
}
