#include "report/layout.h"

#include "base/format.h"
#include "base/quote.h"
#include "document/style.h"
#include "profile/profile.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct layout {
    char *align;
    size_t columns;
    ARRAY(char *) cells;
};

enum { INDENT = 2, GAP = 2, LEAST = 24, LEAST_NAME = 8 };

struct layout *layout_new(const char *align)
{
    struct layout *l = memory_alloc(sizeof *l);
    l->align = memory_strdup(align); /* the caller's may be gone when it is printed */
    l->columns = strlen(align);
    return l;
}

void layout_cell(struct layout *l, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    quote_plain(text);
    *PUSH(&l->cells) = memory_strdup(text);
}

void layout_heading(struct layout *l, const char *names)
{
    for (;;) {
        size_t length = strcspn(names, "|");
        layout_cell(l, "%.*s", (int)length, names);
        if (!names[length])
            return;
        names += length + 1;
    }
}

static void unspaced_cell(struct layout *l, const char *text)
{
    size_t figure = strcspn(text, " ");
    layout_cell(l, "%.*s%s", (int)figure, text, text[figure] ? text + figure + 1 : "");
}

void layout_time(struct layout *l, double ns)
{
    char text[32];
    unspaced_cell(l, format_time(text, ns));
}

void layout_bytes(struct layout *l, double bytes)
{
    char text[32];
    unspaced_cell(l, bytes > 0 ? format_bytes(text, bytes) : "");
}

void layout_count(struct layout *l, uint64_t n)
{
    char text[32];
    unspaced_cell(l, format_count(text, n));
}

size_t layout_rows(const struct layout *l)
{
    return l->cells.n / l->columns;
}

size_t layout_length(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

/* Where the N-th character of TEXT begins. */
static size_t byte_of(const char *text, size_t n)
{
    size_t at = 0;
    while (text[at] && n-- > 0)
        for (at++; ((unsigned char)text[at] & 0xc0) == 0x80;)
            at++;
    return at;
}

/* How many characters A and B have in common at their beginnings. */
static size_t common(const char *a, const char *b)
{
    size_t bytes = 0;
    while (a[bytes] && a[bytes] == b[bytes])
        bytes++;
    size_t n = 0;
    for (size_t i = 0; i < bytes; i++)
        n += ((unsigned char)a[i] & 0xc0) != 0x80;
    return n && ((unsigned char)a[bytes] & 0xc0) == 0x80 ? n - 1 : n;
}

/* How long the "file:line" is that TEXT begins with; 0 if it begins with none. */
static size_t place_length(const char *text)
{
    size_t colon = strcspn(text, ": ");
    size_t digits = text[colon] == ':' ? strspn(text + colon + 1, "0123456789") : 0;
    size_t end = colon + 1 + digits;
    if (!digits || (text[end] != ' ' && text[end]))
        return 0;
    return layout_length(text) - layout_length(text + end);
}

/* TEXT's first characters, .., and those from FROM on, ROOM in all. The line of a call site is
 * among the first ones wherever a few more have room. */
static char *cut(const char *text, size_t from, size_t room)
{
    enum { LEAST_TAIL = 3 };
    size_t length = layout_length(text), place = place_length(text), head = (room - 2) / 2;
    if (place > head && place + 2 + LEAST_TAIL <= room)
        head = place;
    size_t tail = room - 2 - head;
    if (from > length - tail)
        from = length - tail;
    size_t begin = byte_of(text, from), end = begin + byte_of(text + begin, tail);
    size_t first = byte_of(text, head);
    char *short_one = memory_alloc(first + 2 + (end - begin) + 1);
    sprintf(short_one, "%.*s..%.*s", (int)first, text, (int)(end - begin), text + begin);
    return short_one;
}

/* As much of each of the N texts (every STEP-th of AT) as ROOM characters hold: beginning and end,
 * so that equal ones stay equal and different ones do not become equal. For one that would, the
 * second part is not its end, but begins where it differs from the text that is most like it; if
 * that does not help either, it ends in a number. */
void layout_shorten(char **at, size_t n, size_t step, size_t room)
{
    char **cell = memory_alloc((n + 1) * sizeof *cell);
    for (size_t i = 0; i < n; i++)
        if (layout_length(at[i * step]) > room)
            cell[i] = cut(at[i * step], SIZE_MAX / 2, room);
    /* How much of it each has in common with the one most like it, if its short form is another's,
     * too; all of them before any is mended. */
    size_t *alike = memory_alloc((n + 1) * sizeof *alike);
    bool *clash = memory_alloc(n + 1);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n && cell[i]; k++) {
            const char *other = cell[k] ? cell[k] : at[k * step];
            if (k == i || !strcmp(at[i * step], at[k * step]))
                continue;
            size_t shared = common(at[i * step], at[k * step]);
            alike[i] = shared > alike[i] ? shared : alike[i];
            clash[i] = clash[i] || !strcmp(other, cell[i]);
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (!clash[i])
            continue;
        free(cell[i]);
        cell[i] = cut(at[i * step], alike[i], room);
        for (size_t k = 0; k < i; k++) {
            if (cell[k] && !strcmp(cell[k], cell[i]) && strcmp(at[i * step], at[k * step])) {
                char mark[24];
                size_t length = (size_t)snprintf(mark, sizeof mark, "~%zu", i + 1);
                size_t begin = byte_of(cell[i], room - length);
                cell[i] = realloc(cell[i], begin + length + 1);
                if (!cell[i])
                    memory_out();
                strcpy(cell[i] + begin, mark);
                break;
            }
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (cell[i]) {
            free(at[i * step]);
            at[i * step] = cell[i];
        }
    }
    free(alike);
    free(clash);
    free(cell);
}

static size_t total_of(const struct layout *l, const size_t *room)
{
    size_t total = INDENT;
    for (size_t c = 0; c < l->columns; c++)
        total += room[c] + (room[c] ? GAP : 0);
    return total - GAP;
}

/* Widths of the columns; 0: left out. Where the page is too narrow, those on the right that may
 * go ('o') go before the widest column of names ('L') falls below a quarter; if that is not enough
 * the widest of these gives way, again and again. */
static size_t *rooms(const struct layout *l, size_t width)
{
    size_t *room = memory_alloc(l->columns * sizeof *room), flexible = l->columns;
    for (size_t c = 0; c < l->columns; c++) {
        bool empty = true;
        for (size_t i = l->columns + c; i < l->cells.n; i += l->columns)
            empty =
                empty && (!*l->cells.at[i] || (l->align[c] == 'o' && !strcmp(l->cells.at[i], "-")));
        for (size_t i = c; i < l->cells.n && !empty; i += l->columns) {
            size_t length = layout_length(l->cells.at[i]);
            room[c] = length > room[c] ? length : room[c];
        }
        if (l->align[c] == 'L' && (flexible == l->columns || room[c] >= room[flexible]))
            flexible = c;
    }
    size_t wanted = flexible < l->columns ? room[flexible] : 0,
           least = width / 4 > LEAST ? width / 4 : LEAST;
    least = wanted < least ? wanted : least;
    for (size_t c = l->columns; c-- > 0;)
        if (l->align[c] == 'o' && total_of(l, room) - wanted + least > width)
            room[c] = 0;
    for (size_t total; (total = total_of(l, room)) > width; room[flexible]--) {
        for (size_t c = 0; c < l->columns; c++)
            if (l->align[c] == 'L' && (flexible == l->columns || room[c] > room[flexible]))
                flexible = c;
        if (flexible == l->columns || room[flexible] <= LEAST_NAME)
            break;
    }
    return room;
}

bool layout_has(const struct layout *l, const char *heading)
{
    for (size_t c = 0; c < l->columns && c < l->cells.n; c++)
        if (!strcmp(l->cells.at[c], heading))
            return true;
    return false;
}

bool layout_shows_column(const struct layout *l, size_t column, size_t width)
{
    size_t *room = rooms(l, width);
    bool shown = room[column] > 0;
    free(room);
    return shown;
}

bool layout_shows(const struct layout *l, const char *heading, size_t width)
{
    bool shown = false;
    for (size_t c = 0; c < l->columns && c < l->cells.n; c++)
        shown = shown || (!strcmp(l->cells.at[c], heading) && layout_shows_column(l, c, width));
    return shown;
}

static void print_cell(FILE *out, const char *text, size_t room, char align, size_t *blank)
{
    size_t length = layout_length(text), pad = room - length;
    bool right = align == 'r' || align == 'o';
    if (length) {
        fprintf(out, "%*s%s", (int)(*blank + (right ? pad : 0)), "", text);
        *blank = 0;
    }
    *blank += GAP + (right && length ? 0 : pad);
}

void layout_print(struct layout *l, FILE *out, size_t width)
{
    size_t rows = layout_rows(l), *room = rooms(l, width);
    for (size_t c = 0; c < l->columns; c++)
        if (l->align[c] == 'L' && room[c] >= LEAST_NAME)
            layout_shorten(l->cells.at + c, rows, l->columns, room[c]);
    for (size_t i = 0; i + l->columns <= l->cells.n && out; i += l->columns) {
        size_t blank = INDENT;
        fputs(i ? "" : style_on(STYLE_HEAD), out);
        for (size_t c = 0; c < l->columns; c++)
            if (room[c])
                print_cell(out, l->cells.at[i + c], room[c], l->align[c], &blank);
        fprintf(out, "%s\n", i ? "" : style_off());
    }
    for (size_t i = 0; i < l->cells.n; i++)
        free(l->cells.at[i]);
    free(room);
    free(l->cells.at);
    free(l->align);
    free(l);
}
