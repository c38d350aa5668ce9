/* Pages for a browser: the documents of a run, of a benchmark, and of a comparison. */
#include "base/text.h"
#include "document/page.h"
#include "document/read.h"
#include "export/export.h"
#include "export/pictures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void export_page(const struct profile *p, const struct profile *trace,
                 const struct report_options *o, FILE *out)
{
    const struct picture_view view = {.top = 6, .from = -1, .to = -1};
    struct document *d = report_document(p, o);
    char title[300];
    if (!d)
        memory_out();
    picture_caption(d, p);
    for (size_t i = 0; i < n_run_pictures; i++)
        if (!run_pictures[i].traced || trace)
            run_pictures[i].add(d, run_pictures[i].traced ? trace : p, &view);
    snprintf(title, sizeof title, "%.200s on %zu rank%s",
             p->programs.n ? text_base_of(p->programs.at[0]) : "an application", p->ranks.n,
             p->ranks.n == 1 ? "" : "s");
    page_write(d, title, NULL, out);
    document_free(d);
}

bool export_is_document(const json_t *json)
{
    const char *schema = json_string_value(json_object_get(json, "schema"));
    return schema && strncmp(schema, "collbench-", 10) == 0 &&
           json_is_object(json_object_get(json, "tables"));
}

void export_document_page(const json_t *json, FILE *out)
{
    const char *schema = json_string_value(json_object_get(json, "schema"));
    struct document *d = document_from_json(json);
    char title[100];
    if (!d)
        memory_out();
    snprintf(title, sizeof title, "%.*s", (int)strcspn(schema, "/"), schema);
    page_write(d, title, NULL, out);
    document_free(d);
}

/* --- a comparison --- */

static const struct column difference_columns[] = {
    {"part", NULL, COLUMN_TEXT, 0, "which part of the run"},
    {"operation", NULL, COLUMN_TEXT, 0, "the MPI function"},
    {"call_site", NULL, COLUMN_TEXT, 0, "where it is called", "call site"},
    {"rank", NULL, COLUMN_RANK, 0, "of which rank; empty: the mean of all ranks"},
    {"a", NULL, COLUMN_TIME, 0, "median of A's runs", "A"},
    {"b", NULL, COLUMN_TIME, 0, "median of B's runs", "B"},
    {"change", NULL, COLUMN_TIME, 0, "B minus A, per run and rank"},
    {"share", NULL, COLUMN_SHARE, 0, "the change as part of the median run of A", "of the run"},
    {"low", NULL, COLUMN_TIME, 0, "95 % interval of the change"},
    {"high", NULL, COLUMN_TIME, 0, NULL},
    {"certainty", NULL, COLUMN_TEXT, 0, "whether the change can be told from noise"},
};

static void difference_row(struct table *t, const struct differences *d, const struct difference *x)
{
    static const char *const certainty[] = {
        [CERTAINTY_NONE] = "no", [CERTAINTY_HINT] = "a hint", [CERTAINTY_TOLD] = "yes"};
    bool interval = d->enough && isfinite(x->low) && isfinite(x->high);
    table_text(t, difference_kind_name(x->kind));
    table_text(t, x->operation);
    table_text(t, x->place);
    table_integer(t, x->rank);
    table_real(t, x->in[0] ? 1e-9 * x->median[0] : (double)NAN);
    table_real(t, x->in[1] ? 1e-9 * x->median[1] : (double)NAN);
    table_real(t, 1e-9 * x->change);
    table_real(t, d->wall_ns > 0 ? 100 * x->change / d->wall_ns : (double)NAN);
    table_real(t, interval ? 1e-9 * x->low : (double)NAN);
    table_real(t, interval ? 1e-9 * x->high : (double)NAN);
    table_text(t, certainty[x->certainty]);
}

void export_differences_page(const struct differences_page *p, FILE *out)
{
    const struct differences *of = p->d;
    struct document *d = document_new("collprof-compare/1");
    char title[80], text[1200], *doubts = differences_doubts(p), *rest = doubts;
    if (!d)
        memory_out();
    for (const char *line; (line = strsep(&rest, "\n")) && *line;)
        document_finding(d, &(struct finding){.key = "doubt", .severity = SEVERITY_DOUBT}, "%s",
                         line);
    free(doubts);
    for (size_t side = 0, run = 0; side < 2; side++) {
        for (size_t i = 0; i < of->runs[side]; i++, run++) {
            char key[40];
            snprintf(key, sizeof key, "%c %zu", side ? 'B' : 'A', i + 1);
            document_fact(d, key, "%s", p->name[run]);
        }
    }
    struct table *t =
        document_table_of(d, "differences", "What changed from A to B", difference_columns);
    for (size_t i = 0, said = 0; i < of->list.n; i++) {
        const struct difference *x = &of->list.at[i];
        difference_row(t, of, x);
        if ((i && (x->certainty == CERTAINTY_NONE || x->joined)) || said++ >= (size_t)p->top)
            continue;
        difference_sentence(of, x, text, sizeof text);
        document_finding(d, &(struct finding){.key = "difference", .severity = SEVERITY_FINDING},
                         "%s", text);
    }
    snprintf(title, sizeof title, "%zu run%s against %zu", of->runs[1], of->runs[1] == 1 ? "" : "s",
             of->runs[0]);
    page_write(d, title, NULL, out);
    document_free(d);
}
