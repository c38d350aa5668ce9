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
                {"behind_percent", "behind"},
                {"remark", "remark"}},
     .legend =
         "latency: from the root's entry to this rank's return, of the broadcasts that nobody's "
         "lateness can be in. by acks: until its acknowledgement came back, less half that "
         "message's round trip; no clock is trusted. acks: acknowledgements. early: of them, those "
         "that came while the root was still in its broadcast: no sooner is known of them. late: "
         "of the broadcasts, those that this rank entered after data could be there. behind: those "
         "that it was in time for, but a rank that it may depend on was not."},
    {.kind = "benchmark", .title = "Measuring methods run before the application's collectives"},
    {.kind = "broadcast", .title = "Broadcast replaced"},
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

static void value_cell(struct layout *l, const char *key, const json_t *row)
{
    char text[300], high[150], upper[100];
    const json_t *value = json_object_get(row, key);
    value_text(key, value, text, 150);
    squeeze(value, text);
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

/* These belong together: all are shown, but where there are very many. */
static void print_block(FILE *out, const struct shown *as, const json_t *finding,
                        const json_t *inner, size_t top)
{
    const json_t **list = profile_alloc(json_array_size(inner) * sizeof *list);
    size_t kept = 0, most = top > 16 ? top : 16;
    print_facts(out, finding);
    for (size_t k = 0; k < json_array_size(inner); k++)
        if (same_keys(json_array_get(inner, 0), json_array_get(inner, k)))
            list[kept++] = json_array_get(inner, k);
    print_rows(out, as, list, kept < most ? kept : most);
    text_more(out, kept, kept < most ? kept : most, "row");
    free(list);
}

static void print_kind(const struct profile *p, size_t first, size_t n, FILE *out, long top)
{
    const struct shown *as = shown_as(p->findings.at[first].kind);
    const json_t **row = profile_alloc((n + 1) * sizeof *row);
    size_t rows = 0, blocks = 0;
    text_title(out, as->title);
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

void text_findings(const struct profile *p, FILE *out, const struct report_options *o)
{
    for (size_t i = 0, end; i < p->findings.n; i = end) {
        for (end = i + 1;
             end < p->findings.n && !strcmp(p->findings.at[end].kind, p->findings.at[i].kind);)
            end++;
        print_kind(p, i, end - i, out, o->top);
    }
}
