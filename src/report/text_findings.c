/* Measurements made during the run, as tables. */
#include "report/text.h"

#include "base/format.h"
#include "report/findings.h"
#include "report/layout.h"
#include "report/rows.h"

#include <stdlib.h>
#include <string.h>

/* Two rows are of one table if they have the same keys. */
static bool same_keys(const json_t *a, const json_t *b)
{
    const char *key;
    json_t *value;
    if (!json_is_object(a) || !json_is_object(b) || json_object_size(a) != json_object_size(b))
        return false;
    json_object_foreach((json_t *)a, key, value) if (!json_object_get(b, key)) return false;
    return true;
}

/* Where columns are declared a row may leave some out. Returns what is to be said of them, for
 * free(). */
static char *print_rows(FILE *out, const struct finding_kind *as, const json_t *const *row,
                        size_t n)
{
    struct finding_column column[FINDING_COLUMNS];
    char align[FINDING_COLUMNS + 1] = "", text[COMM_LABEL];
    json_t *any = json_object();
    for (size_t i = 0; i < n; i++)
        json_object_update_missing(any, (json_t *)row[i]);
    size_t columns = finding_columns(as, any, column);
    for (size_t c = 0; c < columns; c++)
        align[c] = json_is_string(json_object_get(any, column[c].key)) ? 'L'
                   : c > 2 && column[c].head                           ? 'o'
                                                                       : 'r';
    struct layout *l = layout_new(align);
    for (size_t c = 0; c < columns; c++) {
        finding_head(&column[c], any, text, sizeof text);
        layout_cell(l, "%s", text);
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < columns; c++) {
            finding_cell(column[c].key, row[i], text, sizeof text);
            layout_cell(l, "%s", text);
        }
    }
    json_decref(any);
    char *note = text_note(as->legend ? as->legend : "", l);
    layout_print(l, out, text_width());
    return note;
}

/* What the rows have in common, in one paragraph. */
static void print_facts(FILE *out, const json_t *finding)
{
    const char *key;
    json_t *value;
    char text[2000] = "", one[COMM_LABEL], name[64];
    json_object_foreach((json_t *)finding, key, value)
    {
        size_t n = strlen(text);
        if (json_is_array(value) || json_is_object(value) || json_is_null(value))
            continue;
        finding_key(key, name, sizeof name);
        finding_value(key, value, one, sizeof one);
        /* Among others with commas between: a communicator's, which has some of its own, is quoted.
         */
        const char *mark = !strcmp(key, "communicator") && strchr(one, ',') ? "\"" : "";
        snprintf(text + n, sizeof text - n, "%s%s %s%s%s", n ? ", " : "", name, mark, one, mark);
    }
    if (*text) {
        fputc('\n', out);
        text_paragraph(out, "  ", text);
    }
}

/* A remark is longer than a table is wide. */
static void print_remarks(FILE *out, const json_t *const *row, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *remark = json_string_value(json_object_get(row[i], "remark"));
        const json_t *to = json_object_get(row[i], "destination");
        const char *comm = json_string_value(json_object_get(row[i], "communicator"));
        char text[COMM_LABEL + 300], bytes[32];
        if (!remark || !*remark)
            continue;
        if (to) {
            snprintf(text, sizeof text, "  to rank %lld: ", (long long)json_integer_value(to));
            text_paragraph(out, text, remark);
            continue;
        }
        snprintf(text, sizeof text, "of %s from rank %lld on %s: %s",
                 format_bytes(bytes, json_number_value(json_object_get(row[i], "bytes"))),
                 (long long)json_integer_value(json_object_get(row[i], "root")), comm ? comm : "-",
                 remark);
        text_paragraph(out, "  ", text);
    }
}

/* These belong together: all are shown, but where there are very many. */
static char *print_block(FILE *out, const struct finding_kind *as, const json_t *finding,
                         const json_t *inner, size_t top)
{
    const json_t **list = memory_alloc(json_array_size(inner) * sizeof *list);
    size_t kept = 0, most = top > 16 ? top : 16;
    print_facts(out, finding);
    for (size_t k = 0; k < json_array_size(inner); k++)
        if ((as->column[0].key && json_is_object(json_array_get(inner, k))) ||
            same_keys(json_array_get(inner, 0), json_array_get(inner, k)))
            list[kept++] = json_array_get(inner, k);
    char *note = print_rows(out, as, list, kept < most ? kept : most);
    print_remarks(out, list, kept < most ? kept : most);
    text_more(out, kept, kept < most ? kept : most, "row");
    free(list);
    return note;
}

static void print_kind(const struct profile *p, size_t first, size_t n, FILE *out, long top)
{
    const struct finding_kind *as = finding_kind(p->findings.at[first].kind);
    const json_t **row = memory_alloc((n + 1) * sizeof *row);
    size_t rows = 0, blocks = 0;
    char *note = NULL;
    text_title(out, as->title);
    text_doubt(p, out);
    for (size_t i = first; i < first + n; i++) {
        const json_t *finding = p->findings.at[i].value, *inner = finding_rows(finding);
        const char *key = as->column[0].key;
        /* Of something that was not measured there are no figures for a table. */
        bool bare = !inner && key && json_is_object(finding) && !json_object_get(finding, key);
        if (inner && ++blocks <= (size_t)top) {
            free(note);
            note = print_block(out, as, finding, inner, (size_t)top);
        } else if (bare && ++blocks <= (size_t)top) {
            print_facts(out, finding);
        } else if (!inner && !bare && json_is_object(finding) && json_object_size(finding)) {
            row[rows++] = finding;
        }
    }
    text_more(out, blocks, blocks < (size_t)top ? blocks : (size_t)top, "measurement");
    size_t shown = 0;
    for (size_t i = 0, end; i < rows && shown < (size_t)top; i = end) {
        for (end = i + 1; end < rows && (as->column[0].key || same_keys(row[i], row[end])) &&
                          shown + end - i < (size_t)top;)
            end++;
        free(note);
        note = print_rows(out, as, row + i, end - i);
        if (as->column[0].key)
            print_remarks(out, row + i, end - i);
        shown += end - i;
    }
    text_more(out, rows, shown, "row");
    if (note && *note)
        text_paragraph(out, "  ", note);
    free(note);
    free(row);
}

/* What the application's calls of F's kind took on average, and in all; ns. */
static double seen_mean(const struct profile *p, const struct profile_finding *finding, double *sum)
{
    const json_t *f = finding->value;
    const char *operation = json_string_value(json_object_get(f, "operation")),
               *comm = json_string_value(json_object_get(f, "communicator"));
    json_int_t bytes = json_integer_value(json_object_get(f, "bytes"));
    double calls = 0;
    *sum = 0;
    for (size_t i = 0; operation && comm && bytes >= 0 && i < p->entries.n; i++) {
        const struct profile_entry *e = &p->entries.at[i];
        if (e->comm == PROFILE_NONE || e->size_class != size_class_of((uint64_t)bytes) ||
            strcmp(p->operations.at[e->operation].name, operation) ||
            (finding->comm == PROFILE_NONE ? strcmp(p->comms.at[e->comm].name, comm) != 0
                                           : e->comm != finding->comm))
            continue;
        calls += (double)entry_timed(e);
        *sum += (double)e->time_ns;
    }
    return calls > 0 ? *sum / calls : 0;
}

/* The measured operation on which most time is spent: what it takes by itself, beside that. */
void text_most_measured(const struct view *v, FILE *out)
{
    const struct profile *p = v->p;
    const json_t *most = NULL;
    double alone = 0, seen = 0, of_all = 0;
    for (size_t i = 0; i < p->findings.n; i++) {
        const json_t *f = p->findings.at[i].value, *row;
        size_t k;
        if (strcmp(p->findings.at[i].kind, "benchmark"))
            continue;
        double sum, mean = seen_mean(p, &p->findings.at[i], &sum);
        json_array_foreach(json_object_get(f, "methods"), k, row)
        {
            const char *method = json_string_value(json_object_get(row, "method"));
            double high = json_number_value(json_object_get(row, "high_us"));
            if (!method || strcmp(method, "direct") || high <= 0 || sum < of_all)
                continue;
            most = f;
            of_all = sum;
            seen = mean;
            alone = high * 1e3;
        }
    }
    /* Half as much again is beyond what a mean and a median may differ by. */
    if (!most || of_all < 0.01 * v->mpi_ns || seen < 1.5 * alone)
        return;
    char each[32], by_itself[32], bytes[32];
    fprintf(out,
            "findings\t%s of %s on %s takes at most %s with all ranks there, as measured; the "
            "application's calls took %s on average.\n",
            json_string_value(json_object_get(most, "operation")),
            format_bytes(bytes, json_number_value(json_object_get(most, "bytes"))),
            json_string_value(json_object_get(most, "communicator")), format_time(by_itself, alone),
            format_time(each, seen));
}

void text_findings(const struct profile *p, FILE *out, const struct report_options *o)
{
    for (size_t i = 0, end; i < p->findings.n; i = end) {
        for (end = i + 1;
             end < p->findings.n && !strcmp(p->findings.at[end].kind, p->findings.at[i].kind);)
            end++;
        print_kind(p, i, end - i, out, o->top);
    }
}
