/* What figures_*.c have in common: how a figure is taken from a row. */
#ifndef COLLPROF_REPORT_FIGURES_PARTS_H
#define COLLPROF_REPORT_FIGURES_PARTS_H

#include "report/figures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

/* The operation and the call site of rows of TYPE: three columns. */
#define CALL(prefix, type)                                                                         \
    TEXT(prefix##_operation, type, "%s",                                                           \
         e->operation == PROFILE_NONE ? "-" : p->operations.at[e->operation].name)                 \
    TEXT(prefix##_site, type, "%s", e->site == PROFILE_NONE ? "-" : v->label[e->site])             \
    static void prefix##_path(const struct view *v, const void *row, char *text, size_t room)      \
    {                                                                                              \
        site_path(v->p, ((const struct type *)row)->site, text, room);                             \
    }
#define OPERATION(prefix)                                                                          \
    {                                                                                              \
        {"operation", NULL, COLUMN_TEXT, 0, "the MPI function", NULL, 0}, NULL, prefix##_operation \
    }
#define SITE(prefix, in)                                                                           \
    {                                                                                              \
        {"site",                                                                                   \
         NULL,                                                                                     \
         COLUMN_TEXT,                                                                              \
         0,                                                                                        \
         "where it is called: file, line and function; callers where these tell rows apart",       \
         "call site",                                                                              \
         COLUMN_SHORTEN | COLUMN_TEXT_ONLY},                                                       \
            NULL, prefix##_site, in                                                                \
    }
#define PATH(prefix, in)                                                                           \
    {                                                                                              \
        {"call_site",     NULL, COLUMN_TEXT, 0, "where it is called, with all callers", NULL,      \
         COLUMN_DATA_ONLY},                                                                        \
            NULL, prefix##_path, in                                                                \
    }

/* A number of the column KIND. HEAD NULL: only in data. */
#define NUMBER(name, kind, head, meaning, get)                                                     \
    {                                                                                              \
        {name, NULL, COLUMN_##kind, 0, meaning, head, 0}, get                                      \
    }
#define OPTIONAL(name, kind, head, meaning, get)                                                   \
    {                                                                                              \
        {name, NULL, COLUMN_##kind, 0, meaning, head, COLUMN_OPTIONAL}, get                        \
    }
#define DATA(name, kind, meaning, get)                                                             \
    {                                                                                              \
        {name, NULL, COLUMN_##kind, 0, meaning, NULL, COLUMN_DATA_ONLY}, get                       \
    }

#define FIGURES(name)                                                                              \
    const struct figures name##_figures = {list_of_##name,                                         \
                                           sizeof list_of_##name / sizeof *list_of_##name}

/* The listings that share the figures of calls. */
enum { IN_OPERATIONS = 1, IN_SITES = 2, IN_REQUESTS = 4, IN_ENTRIES = 8 };
enum { IN_CALLS = IN_OPERATIONS | IN_SITES | IN_ENTRIES };

/* The rows are one of the profile's own arrays. */
#define LIST(name, array)                                                                          \
    void name(struct listed *rows, const struct profile *p)                                        \
    {                                                                                              \
        *rows = (struct listed){                                                                   \
            .at = (char *)p->array.at, .n = p->array.n, .size = sizeof *p->array.at};              \
    }

static inline double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

#endif
