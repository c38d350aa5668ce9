/* Every figure that is shown of a profile, declared once: the page, --sort, --explain, compare,
 * CSV, SQLite and the tests of the manual read these lists. Where to add one: a line in figures.c,
 * and its key in the page's table if it is to be printed there. */
#ifndef COLLPROF_REPORT_FIGURES_H
#define COLLPROF_REPORT_FIGURES_H

#include "report/rows.h"

/* A profile, and what is worked out once for all that is shown of it. */
struct view {
    const struct profile *p;
    double mpi_ns; /* of all ranks together; NaN: not known of all of them */
    double ranks;  /* at least 1 */
    bool spoiled;  /* so disturbed that its times are not judged */
    char **label;  /* of each call site */
};

void view_open(struct view *v, const struct profile *p);
void view_close(struct view *v);

enum unit {
    UNIT_TEXT,
    UNIT_COUNT,
    UNIT_NUMBER,
    UNIT_RANK,
    UNIT_BYTES,
    UNIT_TIME, /* ns; us in data */
    UNIT_SHARE /* % */
};

struct figure {
    const char *key;  /* in --sort, and the name of its column in data */
    const char *head; /* on the page; NULL: it is not shown there */
    enum unit unit;
    const char *about;
    double (*get)(const struct view *v, const void *row); /* NaN: not known */
    /* As a text, whole; as it is shown on the page, if that is not how its unit is shown. */
    void (*text)(const struct view *v, const void *row, char *text, size_t room);
    void (*brief)(const struct view *v, const void *row, char *text, size_t room);
    unsigned in; /* which listings of several that share a list; 0: all */
};

struct listed {
    const char *at;
    size_t n, size;
    struct profile *owner; /* of the rows, or NULL */
    void *memory;
};

struct figures {
    const struct figure *at;
    size_t n;
};

/* A kind of rows, and what is to be known of each. */
struct listing {
    const char *name, *about;
    const struct figures *figures;
    unsigned in;
    void (*list)(struct listed *rows, const struct profile *p);
};

extern const struct listing listings[];
extern const size_t n_listings;

const struct listing *listing_find(const char *name);
bool listing_has(const struct listing *l, const struct figure *f);
/* NULL: there is none of that key in L. */
const struct figure *figure_find(const struct listing *l, const char *key);

/* Largest first by the figure KEY; NULL, or a key that L lacks: by time. Equal ones keep an order
 * that depends on content alone. */
void listed_open(struct listed *rows, const struct listing *l, const struct view *v,
                 const char *key);
void listed_close(struct listed *rows);

/* The figure in the unit of data (us), and its name there: "mean_us". */
double figure_data(const struct figure *f, const struct view *v, const void *row);
void figure_name(const struct figure *f, char name[64]);

/* As on the page. */
void figure_brief(const struct figure *f, const struct view *v, const void *row, char *text,
                  size_t room);

/* VALUE of such a figure, as on the page. */
void figure_show(const struct figure *f, double value, char *text, size_t room);

#endif
