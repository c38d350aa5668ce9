/* Every table of a profile, declared once: the report, --table, --sort, --explain, compare, CSV,
 * SQLite and the page read these lists. Where to add a figure: a line in a figures_*.c. */
#ifndef COLLPROF_REPORT_LISTINGS_H
#define COLLPROF_REPORT_LISTINGS_H

#include "report/figures.h"

/* A kind of rows, and what is known of each: a table. */
struct listing {
    const char *name, *title, *about;
    const struct figures *figures;
    unsigned in;
    const char *sort; /* key; NULL: in the order of the profile */
    void (*list)(struct listed *rows, const struct profile *p);
    bool data_only; /* not in the report */
};
extern const struct listing listings[];
extern const size_t n_listings;

const struct listing *listing_find(const char *name); /* NULL: there is none */
/* NULL: there is none of that key in L. */
const struct figure *figure_find(const struct listing *l, const char *key);

/* Largest first by the figure KEY; NULL, or a key that L lacks: by L's own. Equal ones keep the
 * order of the profile. */
void listed_open(struct listed *rows, const struct listing *l, const struct view *v,
                 const char *key);
void listed_close(struct listed *rows);

/* Adds the table of L with all its columns to D, sorted like that; NULL: no memory. */
struct table *listing_table(struct document *d, const struct listing *l, const struct view *v,
                            const char *sort);

/* Whether the rows of L have F. */
bool listing_has(const struct listing *l, const struct figure *f);

#endif
