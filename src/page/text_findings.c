/* Measurements made during the run, shown as tables of whatever they hold: an object is a row, its
 * members are the columns. */
#include "page/text.h"

#include "base/format.h"
#include "base/text.h"
#include "page/layout.h"

#include <stdlib.h>
#include <string.h>

/* What the layer may find (src/inject/list.c), and how its rows are shown. Of other kinds, and
 * without columns, all keys are. */
struct column {
    const char *key, *head;
};
struct shown {
    const char *kind, *title;
    struct column column[16];
    const char *legend;
};
static const struct shown known[] = {
    {.kind = "ack",
     .title = "Broadcast latency by injected acknowledgements",
     .column = {{"destination", "to rank"},
                {"direct_us", "latency"},
                {"direct_low_us", "interval"},
                {"ol_us", "by acks"},
                {"acknowledged", "acks"},
                {"rtl_us", "round trip"},
                {"early_percent", "early"},
                {"late_percent", "late"},
                {"late_by_us", "late by"},
                {"behind_percent", "behind"}},
     .legend =
         "latency: from the root's entry to this rank's return, of the broadcasts that nobody's "
         "lateness can be in (of MPI_Ibcast, MPI_Start: to the return of the call that completed "
         "it). by acks: until its acknowledgement came back, less half that "
         "message's round trip; no clock is trusted. acks: acknowledgements. early: of them, those "
         "that came while the root was still in its broadcast: no sooner is known of them. late: "
         "of the broadcasts, those that this rank entered (or began to wait for) after data could "
         "be there. behind: those "
         "that it was in time for, but a rank that it may depend on was not."},
    {.kind = "benchmark",
     .title = "Measuring methods run before the application's collectives",
     .column = {{"method", "method"},
                {"time_us", "time"},
                {"low_us", "interval"},
                {"destinations", "destinations"},
                {"measures", "measures"}},
     .legend =
         "OL_i: a broadcast's time from the root's entry to the return of rank i. g_j: the least "
         "time between two at rank j; o_i: what one costs rank i itself. M broadcasts in a row, P "
         "ranks. interval: 95 % of the median. destinations: measured, of those that the method "
         "goes through one by one; the time is that of the slowest. >=: one that was left out "
         "may be slower."},
    {.kind = "broadcast",
     .title = "Broadcast replaced",
     .legend =
         "trial, library: the replacement's and the library's broadcast with all ranks there, "
         "before the first call and again later; where the library's is quicker the replacement "
         "is given up, where latencies have changed they are measured anew. seen: last exit - the "
         "root's entry in the application, where ranks may come late."},
};

static const struct shown *shown_as(const char *kind)
{
    static struct shown other;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(kind, known[i].kind))
            return &known[i];
    other.title = kind;
    return &other;
}

/* The unit that a key's ending tells is taken over into the figure. */
static void value_text(const char *key, const json_t *value, char *text, size_t room)
{
    char figure[32];
    if (json_is_string(value))
        snprintf(text, room, "%s", json_string_value(value));
    else if (json_is_boolean(value))
        snprintf(text, room, "%s", json_is_true(value) ? "yes" : "no");
    else if (!json_is_number(value))
        snprintf(text, room, "%s", json_is_null(value) ? "-" : "...");
    else if (text_ends_with(key, "_ns"))
        snprintf(text, room, "%s", format_time(figure, json_number_value(value)));
    else if (text_ends_with(key, "_us"))
        snprintf(text, room, "%s", format_time(figure, json_number_value(value) * 1e3));
    else if (text_ends_with(key, "_seconds"))
        snprintf(text, room, "%s", format_time(figure, json_number_value(value) * 1e9));
    else if (text_ends_with(key, "_percent"))
        snprintf(text, room, "%.3g %%", json_number_value(value));
    else if (!strcmp(key, "bytes") || text_ends_with(key, "_bytes"))
        snprintf(text, room, "%s", format_bytes(figure, json_number_value(value)));
    else if (json_is_integer(value))
        snprintf(text, room, "%lld", (long long)json_integer_value(value));
    else
        snprintf(text, room, "%.4g", json_real_value(value));
}

static void key_text(const char *key, char *text, size_t room)
{
    static const char *const units[] = {"_ns", "_us", "_seconds", "_percent"};
    snprintf(text, room, "%s", key);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (text_ends_with(text, units[i]))
            text[strlen(text) - strlen(units[i])] = '\0';
    for (char *c = text; *c; c++)
        if (*c == '_')
            *c = ' ';
}

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

/* The other end of an interval: "ol_high_us" for "ol_low_us". False if KEY is no lower end. */
static bool upper_end(const char *key, const json_t *row, char *upper, size_t room)
{
    const char *low = strstr(key, "low_");
    if (!low || (low > key && low[-1] != '_'))
        return false;
    snprintf(upper, room, "%.*shigh_%s", (int)(low - key), key, low + 4);
    return json_object_get(row, upper) != NULL;
}

static bool is_upper_end(const char *key, const json_t *row)
{
    const char *high = strstr(key, "high_");
    char lower[100];
    if (!high || (high > key && high[-1] != '_'))
        return false;
    snprintf(lower, sizeof lower, "%.*slow_%s", (int)(high - key), key, high + 5);
    return json_object_get(row, lower) != NULL;
}

/* A figure's unit goes right behind it: a table has no room for spaces. */
static void squeeze(const json_t *value, char *text)
{
    char *space = json_is_number(value) ? strchr(text, ' ') : NULL;
    if (space)
        memmove(space, space + 1, strlen(space));
}

static void head_cell(struct layout *l, const char *key, const json_t *row)
{
    char text[100], upper[100];
    key_text(key, text, sizeof text);
    if (upper_end(key, row, upper, sizeof upper))
        strcpy(strstr(text, "low"), "interval");
    layout_cell(l, "%s", text);
}

static void text_before(char *text, size_t room, const char *word)
{
    size_t length = strlen(text), more = strlen(word);
    if (length + more < room) {
        memmove(text + more, text, length + 1);
        memcpy(text, word, more);
    }
}

static void value_cell(struct layout *l, const char *key, const json_t *row)
{
    char text[300], high[150], upper[100];
    const json_t *value = json_object_get(row, key);
    value_text(key, value, text, 150);
    squeeze(value, text);
    if (json_is_true(json_object_get(row, "at_least")) && !strcmp(key, "time_us") &&
        json_is_number(value))
        text_before(text, sizeof text, ">= ");
    if (upper_end(key, row, upper, sizeof upper)) {
        const json_t *end = json_object_get(row, upper);
        value_text(upper, end, high, sizeof high);
        squeeze(end, high);
        if (strcmp(text, high))
            snprintf(text + strlen(text), sizeof text - strlen(text), "..%s", high);
        else
            strcpy(text, "-"); /* one sample */
    }
    layout_cell(l, "%s", text);
}

/* The columns of a table of rows like ROW, at most MAX. */
static size_t choose_columns(const struct shown *as, const json_t *row, struct column *column,
                             size_t max)
{
    const char *key;
    json_t *value;
    size_t n = 0;
    for (size_t i = 0; i < max && as->column[i].key; i++)
        if (json_object_get(row, as->column[i].key))
            column[n++] = as->column[i];
    if (n)
        return n;
    json_object_foreach((json_t *)row, key, value)
    {
        if (n < max && !is_upper_end(key, row))
            column[n++] = (struct column){key, NULL};
    }
    return n;
}

static void print_rows(FILE *out, const struct shown *as, const json_t *const *row, size_t n)
{
    struct column column[sizeof as->column / sizeof *as->column];
    char align[sizeof column / sizeof *column + 1] = "";
    size_t columns = choose_columns(as, row[0], column, sizeof column / sizeof *column);
    for (size_t c = 0; c < columns; c++)
        align[c] = json_is_string(json_object_get(row[0], column[c].key)) ? 'l'
                   : c > 2 && column[c].head                              ? 'o'
                                                                          : 'r';
    if (columns && align[columns - 1] == 'l')
        align[columns - 1] = 'L';
    struct layout *l = layout_new(align);
    for (size_t c = 0; c < columns; c++) {
        if (column[c].head)
            layout_cell(l, "%s", column[c].head);
        else
            head_cell(l, column[c].key, row[0]);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < columns; c++)
            value_cell(l, column[c].key, row[i]);
    layout_print(l, out, text_width());
}

/* A finding is a row, or has its rows in a member that is a list; the rest is said before. */
static const json_t *rows_in(const json_t *finding)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)finding, key, value)
    {
        if (json_is_array(value) && json_array_size(value) &&
            json_is_object(json_array_get(value, 0)) && json_object_size(json_array_get(value, 0)))
            return value;
    }
    return NULL;
}

static void print_facts(FILE *out, const json_t *finding)
{
    const char *key;
    json_t *value;
    char text[256], name[64];
    int column = 0;
    json_object_foreach((json_t *)finding, key, value)
    {
        if (json_is_array(value) || json_is_object(value) || json_is_null(value))
            continue;
        key_text(key, name, sizeof name);
        value_text(key, value, text, sizeof text);
        int width = (int)(strlen(name) + strlen(text) + 3);
        bool fits = column + width < (int)text_width();
        column = (fits ? column : 0) + width;
        fprintf(out, "%s%s %s", column == width ? (fits ? "\n  " : ",\n    ") : ", ", name, text);
    }
    if (column)
        fputc('\n', out);
}

/* A remark is longer than a table is wide. */
static void print_remarks(FILE *out, const json_t *const *row, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *remark = json_string_value(json_object_get(row[i], "remark"));
        char mark[40];
        snprintf(mark, sizeof mark, "  to rank %lld: ",
                 (long long)json_integer_value(json_object_get(row[i], "destination")));
        if (remark && *remark)
            text_paragraph(out, mark, remark);
    }
}

/* These belong together: all are shown, but where there are very many. */
static void print_block(FILE *out, const struct shown *as, const json_t *finding,
                        const json_t *inner, size_t top)
{
    const json_t **list = profile_alloc(json_array_size(inner) * sizeof *list);
    size_t kept = 0, most = top > 16 ? top : 16;
    print_facts(out, finding);
    /* Where the columns are declared a row may leave some out. */
    for (size_t k = 0; k < json_array_size(inner); k++)
        if ((as->column[0].key && json_is_object(json_array_get(inner, k))) ||
            same_keys(json_array_get(inner, 0), json_array_get(inner, k)))
            list[kept++] = json_array_get(inner, k);
    print_rows(out, as, list, kept < most ? kept : most);
    print_remarks(out, list, kept < most ? kept : most);
    text_more(out, kept, kept < most ? kept : most, "row");
    free(list);
}

static void print_kind(const struct profile *p, size_t first, size_t n, FILE *out, long top)
{
    const struct shown *as = shown_as(p->findings.at[first].kind);
    const json_t **row = profile_alloc((n + 1) * sizeof *row);
    size_t rows = 0, blocks = 0;
    text_title(out, as->title);
    text_doubt(p, out);
    for (size_t i = first; i < first + n; i++) {
        const json_t *finding = p->findings.at[i].value, *inner = rows_in(finding);
        if (inner && ++blocks <= (size_t)top)
            print_block(out, as, finding, inner, (size_t)top);
        else if (!inner && json_is_object(finding) && json_object_size(finding))
            row[rows++] = finding;
    }
    text_more(out, blocks, blocks < (size_t)top ? blocks : (size_t)top, "measurement");
    size_t shown = 0;
    for (size_t i = 0, end; i < rows && shown < (size_t)top; i = end) {
        for (end = i + 1;
             end < rows && same_keys(row[i], row[end]) && shown + end - i < (size_t)top;)
            end++;
        print_rows(out, as, row + i, end - i);
        shown += end - i;
    }
    text_more(out, rows, shown, "row");
    if (as->legend)
        text_paragraph(out, "  ", as->legend);
    free(row);
}

/* What the application's calls of F's kind took on average, and in all; ns. */
static double seen_mean(const struct profile *p, const json_t *f, double *sum)
{
    const char *operation = json_string_value(json_object_get(f, "operation")),
               *comm = json_string_value(json_object_get(f, "communicator"));
    json_int_t bytes = json_integer_value(json_object_get(f, "bytes"));
    double calls = 0;
    *sum = 0;
    for (size_t i = 0; operation && comm && bytes >= 0 && i < p->entries.n; i++) {
        const struct profile_entry *e = &p->entries.at[i];
        if (e->comm == PROFILE_NONE || e->size_class != size_class_of((uint64_t)bytes) ||
            strcmp(p->operations.at[e->operation].name, operation) ||
            strcmp(p->comms.at[e->comm].name, comm))
            continue;
        calls += (double)e->calls;
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
        double sum, mean = seen_mean(p, f, &sum);
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
