#include "picture/curves.h"

#include <stdlib.h>

struct plot_series *curves_line(struct curves *c, const char *label, size_t room)
{
    struct plot_series *line = PUSH(&c->line);
    line->label = memory_strdup(label);
    line->x = memory_alloc((4 * room + 1) * sizeof *line->x); /* and y, low and high behind it */
    line->y = line->x + room;
    return line;
}

void curves_point(struct plot_series *line, double x, double y)
{
    ((double *)line->x)[line->n] = x;
    ((double *)line->y)[line->n++] = y;
}

/* What is printed as 0.00 us would stretch a logarithmic axis over many empty decades. */
static const double least_us = 0.005;

void curves_estimate(struct plot_series *line, double x, struct estimate e)
{
    if (1e6 * e.value < least_us)
        return;
    ptrdiff_t room = line->y - line->x;
    line->low = line->y + room;
    line->high = line->low + room;
    ((double *)line->low)[line->n] = 1e6 * e.low;
    ((double *)line->high)[line->n] = 1e6 * e.high;
    curves_point(line, x, 1e6 * e.value);
}

void curves_free(struct curves *c)
{
    for (size_t i = 0; i < c->line.n; i++) {
        free((char *)c->line.at[i].label);
        free((double *)c->line.at[i].x);
    }
    free(c->line.at);
}
