/* Two profiles side by side. */
#ifndef COLLPROF_PAGE_COMPARE_H
#define COLLPROF_PAGE_COMPARE_H

#include "page/figures.h"

#include <stdio.h>

/* One operation, or one operation at one call site, before and after. */
struct compared {
    const struct profile_entry *before, *after; /* NULL: not there */
    double change;                              /* of the figure */
};

struct comparison {
    struct view view[2];
    struct profile *rows[2]; /* own the entries */
    const struct figure *by;
    ARRAY(struct compared) list; /* largest change first, up or down */
};

/* BY_SITE: by operation and call site, otherwise by operation. FIGURE: key of a figure of call
 * sites; NULL: time per rank. */
void compare_profiles(struct comparison *c, const struct profile *before,
                      const struct profile *after, bool by_site, const char *figure);
void compare_free(struct comparison *c);

struct compare_options {
    long top;           /* lines per table */
    const char *figure; /* as above */
    int width;          /* as in struct report_options */
};

/* The comparison as a page. The names are those of the directories. */
void compare_text(const struct profile *before, const struct profile *after,
                  const char *name_before, const char *name_after, FILE *out,
                  const struct compare_options *options);

#endif
