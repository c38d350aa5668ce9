/* What figures*.c have in common: how a figure is taken from a row. */
#ifndef COLLPROF_REPORT_FIGURES_INNER_H
#define COLLPROF_REPORT_FIGURES_INNER_H

#include "base/text.h"
#include "report/figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define GET(name, type, value)                                                                     \
    static double name(const struct view *v, const void *row)                                      \
    {                                                                                              \
        const struct type *e = row;                                                                \
        (void)v;                                                                                   \
        return (double)(value);                                                                    \
    }
#define TEXT(name, type, ...)                                                                      \
    static void name(const struct view *v, const void *row, char *text, size_t room)               \
    {                                                                                              \
        const struct type *e = row;                                                                \
        const struct profile *p = v->p;                                                            \
        (void)p;                                                                                   \
        snprintf(text, room, __VA_ARGS__);                                                         \
    }

/* The rows are one of the profile's own arrays. */
#define LIST(name, array)                                                                          \
    void name(struct listed *rows, const struct profile *p)                                        \
    {                                                                                              \
        *rows = (struct listed){(char *)p->array.at, p->array.n, sizeof *p->array.at, NULL, NULL}; \
    }

#define FIGURES(name)                                                                              \
    const struct figures name##_figures = {list_of_##name,                                         \
                                           sizeof list_of_##name / sizeof *list_of_##name}

enum { IN_OPERATIONS = 1, IN_SITES = 2, IN_ENTRIES = 4, IN_PLACES = IN_SITES | IN_ENTRIES };

extern const struct figures calls_figures, histogram_figures, comm_figures, collective_figures,
    rank_figures, region_figures, wait_figures, message_figures, below_figures;
void list_operations(struct listed *rows, const struct profile *p);
void list_sites(struct listed *rows, const struct profile *p);
void list_entries(struct listed *rows, const struct profile *p);
void list_buckets(struct listed *rows, const struct profile *p);
void list_comms(struct listed *rows, const struct profile *p);
void list_arrivals(struct listed *rows, const struct profile *p);
void list_ranks(struct listed *rows, const struct profile *p);
void list_waits(struct listed *rows, const struct profile *p);
void list_below(struct listed *rows, const struct profile *p);
void list_messages(struct listed *rows, const struct profile *p);
void list_regions(struct listed *rows, const struct profile *p);

static inline double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

#endif
