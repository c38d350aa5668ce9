/* The broadcast's path as found from outside: a tree as text, for Graphviz, and as numbers. */
#include "bcast_path.h"
#include "document/save.h"
#include "profile/profile.h"

#include <math.h>
#include <stdlib.h>

struct paths {
    struct document *d;
    const struct bench_point *at;
    struct table *shapes, *ranks;
    json_t *matrices;
    struct save dot;
    bool has_dot, failed;
    int undecided;
    bool half_trips;
};

static const struct column shape_columns[] = {
    {"algorithm", NULL, COLUMN_TEXT, 0, NULL},
    {"ranks", NULL, COLUMN_INTEGER, 0, NULL},
    {"size", "B", COLUMN_INTEGER, 0, NULL},
    {"shape", NULL, COLUMN_TEXT, 0, NULL},
    {"depth", NULL, COLUMN_INTEGER, 0, "longest way from the root, in messages"},
    {"delay", "us", COLUMN_REAL, 0, "by which one rank's entry was put off at a time"},
    {"meaning", NULL, COLUMN_TEXT, 0, NULL},
};

static const struct column rank_columns[] = {
    {"algorithm", NULL, COLUMN_TEXT, 0, NULL},
    {"ranks", NULL, COLUMN_INTEGER, 0, NULL},
    {"size", "B", COLUMN_INTEGER, 0, NULL},
    {"tree", NULL, COLUMN_TEXT, 0, "the rank, under the one that it hears from"},
    {"rank", NULL, COLUMN_INTEGER, 0, NULL},
    {"parent", NULL, COLUMN_INTEGER, 0, NULL},
    {"exit", "us", COLUMN_REAL, 2, "after the root's entry, undisturbed"},
    {"hop", "us", COLUMN_REAL, 2, "the whole message alone from parent to rank"},
    {"waits_for", NULL, COLUMN_TEXT, 0, "ranks without whose entry it cannot leave"},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct paths *paths_new(struct document *d, const char *dot)
{
    struct paths *t = memory_alloc(sizeof *t);
    t->d = d;
    t->matrices = json_array();
    t->shapes = document_table_of(d, "shapes", "who waits for whom", shape_columns);
    t->ranks = document_table_of(d, "path", "the way of the message", rank_columns);
    if (dot) {
        t->has_dot = save_open(&t->dot, dot);
        t->failed = !t->has_dot;
    }
    return t;
}

/* "0-3,8": the ranks other than I and the root that I waits for. */
static char *waits_for(const struct discovery *d, int i)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    const char *comma = "";
    for (int j = 0; j < d->size; j++) {
        int last = j;
        if (!d->depends[i * d->size + j] || j == i)
            continue;
        while (last + 1 < d->size && last + 1 != i && d->depends[i * d->size + last + 1])
            last++;
        if (last > j + 1)
            fprintf(out, "%s%d-%d", comma, j, last);
        else if (last > j)
            fprintf(out, "%s%d,%d", comma, j, last);
        else
            fprintf(out, "%s%d", comma, j);
        comma = ",";
        j = last;
    }
    fclose(out);
    return text;
}

static void put_rank(struct paths *t, const struct discovery *d, int i, const char *branch)
{
    char label[256], *others = waits_for(d, i);
    bench_put_point(t->ranks, t->at);
    snprintf(label, sizeof label, "%s%d", branch, i);
    table_text(t->ranks, label);
    table_integer(t->ranks, i);
    table_integer_if(t->ranks, d->parent[i] >= 0, d->parent[i]);
    table_real(t->ranks, 1e6 * d->exit[i]);
    table_real(t->ranks, d->parent[i] >= 0 ? 1e6 * d->hop[i] : NAN);
    table_text(t->ranks, *others ? others : NULL);
    free(others);
}

/* I's children under it, each with its own; BEFORE is what stands left of them. */
static void put_children(struct paths *t, const struct discovery *d, int i, const char *before)
{
    int left = 0;
    for (int j = 0; j < d->size; j++)
        left += d->parent[j] == i;
    for (int j = 0; j < d->size && left > 0; j++) {
        char branch[200], below[200];
        if (d->parent[j] != i)
            continue;
        left--;
        snprintf(branch, sizeof branch, "%.180s%s", before, left ? "├─ " : "└─ ");
        snprintf(below, sizeof below, "%.180s%s", before, left ? "│  " : "   ");
        put_rank(t, d, j, branch);
        put_children(t, d, j, below);
    }
}

static void put_ranks(struct paths *t, const struct discovery *d)
{
    bool tree = d->depth[d->root] == 0 && d->size > 1 && d->parent[d->root == 0] >= 0;
    if (!tree) {
        for (int i = 0; i < d->size; i++)
            put_rank(t, d, i, "");
        return;
    }
    put_rank(t, d, d->root, "");
    put_children(t, d, d->root, "");
}

static int deepest(const struct discovery *d)
{
    int depth = 0;
    for (int i = 0; i < d->size; i++)
        depth = d->depth[i] > depth ? d->depth[i] : depth;
    return depth;
}

static void put_shape(struct paths *t, const struct bench_point *p, const struct discovery *d)
{
    bench_put_point(t->shapes, p);
    table_text(t->shapes, discover_shape_name(d->shape));
    table_integer_if(t->shapes, deepest(d) > 0, deepest(d));
    table_real(t->shapes, 1e6 * d->delay);
    table_text(t->shapes, discover_shape_meaning(d->shape));
}

static void put_matrix(struct paths *t, const struct bench_point *p, const struct discovery *d)
{
    json_t *rows = json_array();
    for (int i = 0; i < d->size; i++) {
        json_t *row = json_array();
        for (int j = 0; j < d->size; j++)
            json_array_append_new(row, json_integer(d->depends[i * d->size + j]));
        json_array_append_new(rows, row);
    }
    json_array_append_new(t->matrices,
                          json_pack("{s:s, s:i, s:I, s:s, s:o}", "algorithm", p->name, "ranks",
                                    p->ranks, "size", (json_int_t)p->bytes, "shape",
                                    discover_shape_name(d->shape), "depends", rows));
}

/* Where there is no tree, an edge from every rank waited for. */
static void put_dot(FILE *out, const struct bench_point *p, const struct discovery *d)
{
    bool tree = deepest(d) > 0;
    fprintf(out, "digraph \"%s, %d ranks, %zu B\" {\n", p->name, p->ranks, p->bytes);
    fprintf(out, "  label=\"%s broadcast, %d ranks, %zu B: %s\"; labelloc=t;\n", p->name, p->ranks,
            p->bytes, discover_shape_name(d->shape));
    fprintf(out, "  node [shape=box, style=rounded, fontname=\"sans\"];\n");
    for (int i = 0; i < d->size; i++)
        fprintf(out, "  %d [label=\"%d\\n%.2f us\"];\n", i, i, 1e6 * d->exit[i]);
    for (int i = 0; i < d->size; i++)
        for (int j = 0; j < d->size; j++)
            if (tree ? d->parent[i] == j : i != j && d->depends[i * d->size + j])
                fprintf(out, "  %d -> %d;\n", j, i);
    fprintf(out, "}\n");
}

void paths_add(struct paths *t, const struct bench_point *p, const struct discovery *d)
{
    t->at = p;
    put_shape(t, p, d);
    put_ranks(t, d);
    put_matrix(t, p, d);
    if (t->has_dot)
        put_dot(t->dot.out, p, d);
    t->undecided += d->undecided;
    t->half_trips = t->half_trips || d->half_trips;
}

bool paths_end(struct paths *t)
{
    if (t->half_trips)
        document_finding(t->d, &(struct finding){.key = "ways_differ", .severity = SEVERITY_DOUBT},
                         "exit, hop: between hosts from half of round trips; off by as much as the "
                         "one-way latencies differ.");
    if (t->undecided)
        document_finding(
            t->d,
            &(struct finding){.key = "undecided",
                              .severity = SEVERITY_DOUBT,
                              .number = {{"dependencies", t->undecided}}},
            "%d dependencies were not the same in every experiment: the smallest shift "
            "counts. Measure again on a quiet machine.",
            t->undecided);
    document_attach(t->d, "matrices", t->matrices);
    bool saved = !t->failed && (!t->has_dot || save_commit(&t->dot));
    free(t);
    return saved;
}
