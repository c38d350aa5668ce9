#include "document/text.h"

#include "base/format.h"
#include "base/memory.h"
#include "base/quote.h"
#include "base/try.h"
#include "document/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 2, GAP = 2, LEAST_NAME = 8, LEAST_WIDEST = 24 };

/* Byte position of the N-th character of TEXT. */
static size_t byte_of(const char *text, size_t n)
{
    size_t at = 0;
    while (text[at] && n-- > 0)
        for (at++; ((unsigned char)text[at] & 0xc0) == 0x80;)
            at++;
    return at;
}

/* Cuts TEXT to ROOM characters (at least 8). Of a call site "line < caller" both remain in part
 * (".."), if the caller leaves enough room, since call sites in a wrapper differ in callers only.
 */
static void cut(char *text, size_t room)
{
    enum { HEAD = 14 };
    char *caller = strstr(text, " < "), *outer = caller ? strstr(caller + 1, " < ") : NULL;
    if (outer && text_length(text) > room)
        *outer = '\0';
    if (text_length(text) <= room)
        return;
    size_t tail = caller ? text_length(caller) : 0;
    if (tail + HEAD > room)
        tail = 0;
    char *end = text + byte_of(text, room - tail - 2);
    memmove(end + 2, tail ? caller : "", tail ? strlen(caller) + 1 : 1);
    memcpy(end, "..", 2);
}

static void real_text(double value, int decimals, char number[CELL_ROOM])
{
    bool zero = fabs(value) < 0.5 * pow(10, -decimals); /* -0.001 would print as "-0.00" */
    snprintf(number, CELL_ROOM, "%.*f", decimals, zero ? 0 : value);
}

static const json_t *cell_at(const struct table *t, size_t row, size_t column)
{
    return json_object_get(t->rows.at[row].cells, t->columns[column].name);
}

const char *cell_data(const struct table *t, size_t row, size_t column, char number[CELL_ROOM])
{
    const json_t *cell = cell_at(t, row, column);
    enum column_kind kind = t->columns[column].kind;
    if (json_is_string(cell))
        return json_string_value(cell);
    if (json_is_integer(cell))
        snprintf(number, CELL_ROOM, "%lld", (long long)json_integer_value(cell));
    else if (json_is_real(cell))
        real_text(json_real_value(cell), kind == COLUMN_REAL ? t->columns[column].decimals : 3,
                  number);
    else
        *number = '\0';
    return number;
}

/* "1.5 ms" becomes "1.5ms": in tables a number with its unit is one word. */
static const char *without_blank(char *text)
{
    char *blank = strchr(text, ' ');
    if (blank)
        memmove(blank, blank + 1, strlen(blank));
    return text;
}

/* The cell as shown to the user: "-" if it is empty. */
static const char *cell_shown(const struct table *t, size_t row, size_t column,
                              char number[CELL_ROOM])
{
    const struct column *c = &t->columns[column];
    const json_t *cell = cell_at(t, row, column);
    double value = json_number_value(cell);
    if (!cell || json_is_null(cell))
        return "-";
    if (json_is_string(cell))
        return json_string_value(cell);
    switch (c->kind) {
    case COLUMN_TIME: {
        const char *sign = value < 0 ? "-" : "";
        snprintf(number, CELL_ROOM, "%s%s", sign, without_blank(AS_TIME(1e3 * fabs(value))));
        return number;
    }
    case COLUMN_BYTES:
        return without_blank(format_bytes(number, value));
    case COLUMN_COUNT:
        return without_blank(format_count(number, (uint64_t)fmax(0, value)));
    case COLUMN_SHARE:
        snprintf(number, CELL_ROOM, "%.1f%%", value);
        return number;
    default:
        cell_data(t, row, column, number);
        if (json_is_real(cell) && fabs(value) >= 1e5) /* its decimals say nothing */
            real_text(value, 0, number);
        return number;
    }
}

/* The layout of a table: a row of heads, a row of units if a column has one, the table's rows. */
struct text_grid {
    const struct table *t;
    size_t columns, heads, rows; /* ROWS includes HEADS, the rows of heads and units */
    char **cell;                 /* ROWS times COLUMNS */
    size_t *room;                /* width of each column; 0: omitted */
};

/* The unit below the head; "" for kinds whose cells have a unit or need none. */
static const char *unit_of(const struct column *c)
{
    return c->unit && c->kind <= COLUMN_REAL ? c->unit : "";
}

/* Release by free(). */
static char *text_of(const struct text_grid *g, size_t row, size_t column)
{
    const struct column *c = &g->t->columns[column];
    char number[CELL_ROOM], *text;
    if (row == 0)
        return memory_strdup(c->head ? c->head : c->name);
    if (row < g->heads) {
        const char *unit = unit_of(c);
        snprintf(number, sizeof number, "%s%.30s%s", *unit ? "(" : "", unit, *unit ? ")" : "");
        return memory_strdup(number);
    }
    text = memory_strdup(cell_shown(g->t, row - g->heads, column, number));
    quote_plain(text);
    return text;
}

static void fill_grid(struct text_grid *g, bool brief)
{
    for (size_t c = 0; c < g->columns; c++) {
        unsigned flags = g->t->columns[c].flags;
        bool empty = g->rows > g->heads;
        size_t widest = 0;
        for (size_t r = 0; r < g->rows; r++) {
            char *cell = g->cell[r * g->columns + c] = text_of(g, r, c);
            size_t length = text_length(cell);
            widest = length > widest ? length : widest;
            empty = empty && (r < g->heads || !length || strcmp(cell, "-") == 0);
        }
        bool left_out =
            (flags & COLUMN_DATA_ONLY) || ((flags & COLUMN_OPTIONAL) && (brief || empty));
        g->room[c] = left_out ? 0 : widest;
    }
}

static size_t total_of(const struct text_grid *g)
{
    size_t total = INDENT;
    for (size_t c = 0; c < g->columns; c++)
        total += g->room[c] ? g->room[c] + GAP : 0;
    return total - GAP;
}

static size_t widest_name(const struct text_grid *g)
{
    size_t found = g->columns;
    for (size_t c = 0; c < g->columns; c++)
        if ((g->t->columns[c].flags & COLUMN_SHORTEN) &&
            (found == g->columns || g->room[c] > g->room[found]))
            found = c;
    return found;
}

/* Makes the table at most WIDTH wide. Omits optional columns, from the right, until a quarter of
 * the width is left for the widest text column; then makes text columns narrower. BRIEF: cuts their
 * cells off; otherwise these continue on the next line. */
static void fit_grid(struct text_grid *g, size_t width, bool brief)
{
    size_t name = widest_name(g), wanted = name < g->columns ? g->room[name] : 0;
    size_t least = width / 4 > LEAST_WIDEST ? width / 4 : LEAST_WIDEST;
    size_t spare = wanted > least ? wanted - least : 0;
    for (size_t c = g->columns; c-- > 0;)
        if ((g->t->columns[c].flags & COLUMN_OPTIONAL) && total_of(g) > width + spare)
            g->room[c] = 0;
    while (total_of(g) > width) {
        name = widest_name(g);
        if (name == g->columns || g->room[name] <= LEAST_NAME)
            break;
        g->room[name]--;
    }
    for (size_t i = g->heads * g->columns; brief && i < g->rows * g->columns; i++)
        if (g->room[i % g->columns])
            cut(g->cell[i], g->room[i % g->columns]);
}

static void put_remarks(const struct table *t, size_t row, FILE *out, bool comment, size_t width)
{
    FREED char *text = table_row_remarks(t, row, "text", "; ");
    if (!text)
        return;
    quote_plain(text);
    text_paragraph_write(out, comment ? "#   " : "    ", text, width);
}

/* Bytes of TEXT that fit into ROOM characters: if not all, up to the last blank, if any. */
static size_t fitting(const char *text, size_t room)
{
    size_t most = byte_of(text, room), bytes = most;
    if (!text[most])
        return most;
    while (bytes > 0 && text[bytes] != ' ')
        bytes--;
    return bytes ? bytes : most;
}

/* Prints one line of row R: what fits of each cell from byte FROM[column] on. Advances FROM.
 * Returns whether all cells are complete. Lines have no trailing blanks. */
static bool put_line(const struct text_grid *g, size_t r, size_t *from, bool comment, FILE *out)
{
    size_t blank = comment ? INDENT - 1 : INDENT;
    bool complete = true;
    fputs(comment ? "#" : "", out);
    for (size_t c = 0; c < g->columns; c++) {
        const char *text = g->cell[r * g->columns + c] + from[c];
        bool left = g->t->columns[c].kind == COLUMN_TEXT;
        if (!g->room[c])
            continue;
        size_t bytes = fitting(text, g->room[c]),
               length = text_length(text) - text_length(text + bytes), pad = g->room[c] - length;
        if (length) {
            fprintf(out, "%*s%.*s", (int)(blank + (left ? 0 : pad)), "", (int)bytes, text);
            blank = 0;
        }
        blank += GAP + (left || !length ? pad : 0);
        from[c] += bytes + strspn(text + bytes, " ");
        complete = complete && !g->cell[r * g->columns + c][from[c]];
    }
    fputc('\n', out);
    return complete;
}

static void put_grid(const struct text_grid *g, FILE *out, bool comments, size_t width)
{
    FREED size_t *from = memory_alloc(g->columns * sizeof *from);
    for (size_t r = 0; r < g->rows; r++) {
        memset(from, 0, g->columns * sizeof *from);
        while (!put_line(g, r, from, comments && r < g->heads, out))
            ;
        if (r >= g->heads)
            put_remarks(g->t, r - g->heads, out, comments, width);
    }
}

static void put_meanings(const struct text_grid *g, FILE *out, size_t width)
{
    char mark[80];
    for (size_t c = 0; c < g->columns; c++) {
        if (!g->room[c] || !g->t->columns[c].meaning)
            continue;
        snprintf(mark, sizeof mark, "  %.70s: ", g->cell[c]);
        text_paragraph_write(out, mark, g->t->columns[c].meaning, width);
    }
}

void table_text_write(const struct table *t, FILE *out, const struct text_options *o)
{
    struct text_grid g = {.t = t, .columns = t->n_columns, .heads = 1, .rows = table_rows(t)};
    if (o->rows && g.rows > o->rows)
        g.rows = o->rows;
    size_t left = table_rows(t) - g.rows;
    for (size_t c = 0; c < g.columns; c++)
        g.heads = *unit_of(&t->columns[c]) ? 2 : g.heads;
    g.rows += g.heads;
    g.cell = memory_alloc(g.rows * g.columns * sizeof *g.cell);
    g.room = memory_alloc(g.columns * sizeof *g.room);
    fill_grid(&g, o->brief);
    if (o->width)
        fit_grid(&g, o->width, o->brief || o->comments);
    put_grid(&g, out, o->comments, o->width);
    if (left && !o->brief)
        fprintf(out, "  and %zu more\n", left);
    if (o->explain)
        put_meanings(&g, out, o->width);
    for (size_t i = 0; i < g.rows * g.columns; i++)
        free(g.cell[i]);
    free(g.cell);
    free(g.room);
}

static void put_facts(const struct document *d, FILE *out, const struct text_options *o)
{
    const char *key;
    json_t *value;
    json_object_foreach(document_part(d, "header"), key, value) {
        char mark[160];
        snprintf(mark, sizeof mark, "%s%s: ", o->comments ? "# " : "", key);
        text_paragraph_write(out, mark, json_string_value(value), o->width);
    }
}

static void put_findings(const struct document *d, FILE *out, const struct text_options *o)
{
    size_t i;
    json_t *finding;
    json_array_foreach(document_part(d, "findings"), i, finding) {
        const char *advice = json_string_value(json_object_get(finding, "advice"));
        const char *severity = json_string_value(json_object_get(finding, "severity"));
        text_paragraph_write(out,
                             !strcmp(severity, "error")   ? "ERROR: "
                             : !strcmp(severity, "doubt") ? "doubtful: "
                                                          : "",
                             json_string_value(json_object_get(finding, "text")), o->width);
        if (advice)
            text_paragraph_write(out, "  -> ", advice, o->width);
    }
}

/* Whether to show T: some column is visible, and T has rows or COMMENTS is set. */
static bool is_shown(const struct table *t, bool comments)
{
    for (size_t c = 0; c < t->n_columns; c++)
        if (!(t->columns[c].flags & COLUMN_DATA_ONLY))
            return comments || table_rows(t);
    return false;
}

void document_text_write(const struct document *d, FILE *out, const struct text_options *o)
{
    const bool findings = json_array_size(document_part(d, "findings"));
    bool above = findings || (!o->comments && json_object_size(document_part(d, "header")));
    if (!o->comments)
        put_facts(d, out, o);
    if (findings && !o->comments)
        fputs("\nFindings\n", out);
    put_findings(d, out, o);
    for (size_t i = 0; i < d->tables.n; i++) {
        const struct table *t = d->tables.at[i];
        if (!is_shown(t, o->comments))
            continue;
        fputs(above ? "\n" : "", out);
        above = true;
        if (t->title)
            fprintf(out, "%s%s\n", o->comments ? "# " : "", t->title);
        table_text_write(t, out, o);
    }
    if (o->comments && json_object_size(document_part(d, "header"))) {
        fputs("\n", out);
        put_facts(d, out, o);
    }
}
