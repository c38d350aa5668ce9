/* Two profiles side by side. */
#ifndef COLLPROF_PAGE_COMPARE_H
#define COLLPROF_PAGE_COMPARE_H

#include "profile/model.h"

#include <stdio.h>

/* One operation, or one operation at one call site, before and after. */
struct compared {
    const struct profile_entry *before, *after; /* NULL: not there */
    double change;                              /* of the time per rank, ns */
};

struct comparison {
    struct profile *rows[2];     /* own the entries */
    ARRAY(struct compared) list; /* largest change first, up or down */
};

/* BY_SITE: by operation and call site, otherwise by operation. */
void compare_profiles(struct comparison *c, const struct profile *before,
                      const struct profile *after, bool by_site);
void compare_free(struct comparison *c);

/* The comparison as a page. The names are those of the directories. */
void compare_text(const struct profile *before, const struct profile *after,
                  const char *name_before, const char *name_after, FILE *out, long top);

#endif
