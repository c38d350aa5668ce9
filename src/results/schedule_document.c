#include "results/schedule_document.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct column tree_columns[] = {
    {"arrival", "us", COLUMN_REAL, 2, "predicted, of the message at this rank"},
    {"tree", NULL, COLUMN_TEXT, 0, "ranks below their parents, in the order of sending"},
    {"host", NULL, COLUMN_TEXT, 0, NULL},
    {"rank", NULL, COLUMN_INTEGER, 0, NULL, .flags = COLUMN_DATA_ONLY},
    {"parent", NULL, COLUMN_INTEGER, 0, NULL, .flags = COLUMN_DATA_ONLY},
    {"end", "us", COLUMN_REAL, 2, "arrival at the last of its children", .flags = COLUMN_DATA_ONLY},
};

static const struct column message_columns[] = {
    {"arrival", "us", COLUMN_REAL, 2, "at the sender", .flags = COLUMN_DATA_ONLY},
    {"rank", NULL, COLUMN_INTEGER, 0, "the sender", .flags = COLUMN_DATA_ONLY},
    {"end", "us", COLUMN_REAL, 2, "arrival at the receiver", .flags = COLUMN_DATA_ONLY},
    {"to", NULL, COLUMN_INTEGER, 0, "the receiver", .flags = COLUMN_DATA_ONLY},
};

struct schedule_drawing {
    const struct schedule *s;
    char *const *host;
    struct table *tree, *messages;
    char *line; /* "|  " for each ancestor with more children, "|- " or "`- " for the rank itself */
};

/* Recursion is as deep as the tree; a chain of 4,096 ranks is no problem. INDENT: three characters
 * for each ancestor. */
static void add_rank(struct schedule_drawing *w, int u, size_t indent)
{
    const struct schedule *s = w->s;
    double end = s->arrival[u];
    for (int i = s->first[u]; i < s->first[u + 1]; i++)
        end = s->arrival[s->child[i]] > end ? s->arrival[s->child[i]] : end;
    snprintf(w->line + indent, 16, "%d", u);
    table_real(w->tree, 1e6 * s->arrival[u]);
    table_text(w->tree, w->line);
    table_text(w->tree, w->host ? w->host[u] : NULL);
    table_integer(w->tree, u);
    table_real(w->tree, u != s->root ? (double)s->parent[u] : NAN);
    table_real(w->tree, 1e6 * end);
    if (indent > 0)
        memcpy(w->line + indent - 3, w->line[indent - 3] == '`' ? "   " : "|  ", 3);
    for (int i = s->first[u]; i < s->first[u + 1]; i++) {
        int v = s->child[i];
        table_real(w->messages, 1e6 * s->arrival[u]);
        table_integer(w->messages, u);
        table_real(w->messages, 1e6 * s->arrival[v]);
        table_integer(w->messages, v);
        memcpy(w->line + indent, i + 1 == s->first[u + 1] ? "`- " : "|- ", 3);
        add_rank(w, v, indent + 3);
    }
}

void schedule_document(const struct schedule *s, char *const *host, struct document *d)
{
    struct schedule_drawing w = {s, host, document_table_of(d, "tree", s->name, tree_columns),
                                 document_table_of(d, "tree_messages", NULL, message_columns),
                                 malloc(3 * (size_t)s->n + 32)};
    if (!w.line)
        return;
    add_rank(&w, s->root, 0);
    free(w.line);
    if (isnan(s->completion))
        return;
    document_picture(d, &(struct picture){.kind = PICTURE_TIMELINE,
                                          .name = "tree",
                                          .title = s->name,
                                          .table = "tree",
                                          .x = "arrival",
                                          .x_end = "end",
                                          .y = "rank",
                                          .y_end = "to",
                                          .label = "rank",
                                          .x_label = "predicted arrival (us)",
                                          .y_label = "rank",
                                          .arrows = "tree_messages"});
}
