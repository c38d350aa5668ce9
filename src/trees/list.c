/* All broadcasts, in the order in which they are shown. */
#include "trees/builders.h"

#include <string.h>

#define ADDRESS(symbol, name, how) &tree_##symbol,
const struct bcast *const bcasts[] = {BCASTS(ADDRESS)};
const size_t n_bcasts = sizeof bcasts / sizeof *bcasts;

const struct bcast *bcast_find(const char *name)
{
    for (size_t i = 0; i < n_bcasts; i++)
        if (strcmp(bcasts[i]->name, name) == 0)
            return bcasts[i];
    return NULL;
}
