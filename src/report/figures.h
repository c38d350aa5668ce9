/* A figure of the rows of a profile, and what is worked out once for all of them. */
#ifndef COLLPROF_REPORT_FIGURES_H
#define COLLPROF_REPORT_FIGURES_H

#include "document/document.h"
#include "profile/noise.h"
#include "report/efficiency.h"
#include "report/rows.h"

/* A profile, and what is worked out once for all that is shown of it. */
struct view {
    const struct profile *p;
    double mpi_ns; /* of all ranks together; NaN: unknown for some */
    double ranks;  /* at least 1 */
    struct noise noise;
    struct efficiency where;
    char **label; /* of each call site */
};
void view_open(struct view *v, const struct profile *p);
void view_close(struct view *v);

struct figure {
    struct column column; /* its name is the key in --sort; a time is given in ns by GET */
    double (*get)(const struct view *v, const void *row); /* NaN: unknown; NULL: a text */
    void (*text)(const struct view *v, const void *row, char *text, size_t room);
    unsigned in; /* which listings of several that share a list; 0: all */
};

struct listed {
    const char *at;
    size_t n, size;
    void *memory;
    struct rows rows; /* that the list is made from, or none */
};

struct figures {
    const struct figure *at;
    size_t n;
};

/* The figure in the unit of data (us), and its name there: "mean_us". */
double figure_data(const struct figure *f, const struct view *v, const void *row);
void figure_name(const struct figure *f, char name[64]);
/* As text for people. */
void figure_brief(const struct figure *f, const struct view *v, const void *row, char *text,
                  size_t room);

/* VALUE of such a figure as text: "1.23ms". */
void figure_show(const struct figure *f, double value, char *text, size_t room);

#endif
