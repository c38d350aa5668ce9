/* The methods, a file each, in the order in which they are shown. */
#include "measure/bcast/bcast.h"

#include "base/names.h"

#include <string.h>

#define DECLARE(symbol, name) extern const struct bcast_method bcast_##symbol;
#define ADDRESS(symbol, name) &bcast_##symbol,
BCAST_METHODS(DECLARE)
const struct bcast_method *const bcast_methods[] = {BCAST_METHODS(ADDRESS)};
const size_t n_bcast_methods = sizeof bcast_methods / sizeof *bcast_methods;

const struct bcast_method *bcast_method_find(const char *name)
{
    for (size_t i = 0; i < n_bcast_methods; i++)
        if (strcmp(bcast_methods[i]->name, name) == 0)
            return bcast_methods[i];
    return NULL;
}
