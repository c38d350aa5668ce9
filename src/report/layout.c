#include "report/layout.h"

#include "report/model.h"

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

void layout_end_row(struct layout *l)
{
    while (l->cells.n % l->columns)
        layout_cell(l, "%s", "");
}

size_t layout_rows(const struct layout *l)
{
    return l->cells.n / l->columns;
}

static void print_cell(FILE *out, const char *text, int room, char align, bool last)
{
    int length = (int)strlen(text);
    if (length > room) /* the end says more than the beginning: a line, a function */
        fprintf(out, "..%s", text + length - room + 2);
    else if (align == 'r')
        fprintf(out, "%*s", room, text);
    else
        fprintf(out, "%-*s", last ? 0 : room, text);
}

void layout_print(struct layout *l, FILE *out, int width)
{
    int *room = profile_alloc(l->columns * sizeof *room);
    int total = INDENT - GAP;
    for (size_t i = 0; i < l->cells.n; i++) {
        int length = (int)strlen(l->cells.at[i]);
        if (length > room[i % l->columns])
            room[i % l->columns] = length;
    }
    for (size_t c = 0; c < l->columns; c++)
        total += room[c] + (room[c] ? GAP : 0);
    if (total > width && room[0] > LEAST)
        room[0] = room[0] - (total - width) > LEAST ? room[0] - (total - width) : LEAST;
    for (size_t i = 0; i < l->cells.n; i++) {
        size_t c = i % l->columns;
        if (c == 0 && out)
            fprintf(out, "%*s", INDENT, "");
        if (room[c] && out) {
            print_cell(out, l->cells.at[i], room[c], l->align[c], c + 1 == l->columns);
            fprintf(out, "%*s", c + 1 < l->columns ? GAP : 0, "");
        }
        if (c + 1 == l->columns && out)
            fputc('\n', out);
        free(l->cells.at[i]);
    }
    free(room);
    free(l->cells.at);
    free(l);
}
