#include "page/layout.h"

#include "base/format.h"
#include "profile/model.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct layout {
    const char *align;
    size_t columns;
    ARRAY(char *) cells;
};

enum { INDENT = 2, GAP = 2, LEAST = 12 };

struct layout *layout_new(const char *align)
{
    struct layout *l = profile_alloc(sizeof *l);
    l->align = align;
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
    *PUSH(&l->cells) = profile_strdup(text);
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

/* Where the last of several " < " begins, by which call sites are told apart; NULL if there is none
 * that leaves room for what comes before. */
static const char *tail_of(const char *cell, size_t room)
{
    const char *tail = NULL;
    for (const char *at = strstr(cell, " < "); at; at = strstr(at + 1, " < "))
        tail = at;
    return tail && strlen(tail) + 8 < room ? tail : NULL;
}

/* Writes CELL into LINE, without a terminator. What is too long is cut, in the middle if its end
 * matters. */
static void set_cell(char *line, const char *cell, size_t room, char align)
{
    size_t length = strlen(cell);
    if (length <= room) {
        memcpy(line + (align == 'r' ? room - length : 0), cell, length);
        return;
    }
    const char *tail = tail_of(cell, room);
    size_t end = tail ? strlen(tail) : 0, head = room - 2 - end;
    memcpy(line, cell, head);
    memcpy(line + head, "..", 2);
    memcpy(line + head + 2, tail ? tail : "", end);
}

/* Widths of the columns; the flexible one takes what the page leaves. */
static size_t *rooms(const struct layout *l, size_t width, size_t *total)
{
    size_t *room = profile_alloc(l->columns * sizeof *room);
    for (size_t i = 0; i < l->cells.n; i++) {
        size_t length = strlen(l->cells.at[i]);
        if (length > room[i % l->columns])
            room[i % l->columns] = length;
    }
    *total = INDENT;
    for (size_t c = 0; c < l->columns; c++)
        *total += room[c] + (room[c] ? GAP : 0);
    for (size_t c = 0; c < l->columns; c++) {
        if (l->align[c] == 'L' && *total > width + GAP) {
            size_t less = *total - width - GAP;
            if (room[c] < less + LEAST)
                less = room[c] > LEAST ? room[c] - LEAST : 0;
            room[c] -= less;
            *total -= less;
        }
    }
    return room;
}

void layout_print(struct layout *l, FILE *out, size_t width)
{
    size_t total, *room = rooms(l, width, &total);
    char *line = profile_alloc(total + 1);
    for (size_t i = 0; i + l->columns <= l->cells.n && out; i += l->columns) {
        size_t at = INDENT;
        memset(line, ' ', total);
        for (size_t c = 0; c < l->columns; c++) {
            set_cell(line + at, l->cells.at[i + c], room[c], l->align[c]);
            at += room[c] + (room[c] ? GAP : 0);
        }
        while (at > 0 && line[at - 1] == ' ')
            at--;
        fprintf(out, "%.*s\n", (int)at, line);
    }
    for (size_t i = 0; i < l->cells.n; i++)
        free(l->cells.at[i]);
    free(line);
    free(room);
    free(l->cells.at);
    free(l);
}
