/* The methods, in the order in which they are shown. */
#include "measure/latency/latency.h"

#include <string.h>

#define DECLARE(symbol, name) extern const struct latency_method latency_##symbol;
#define ADDRESS(symbol, name) &latency_##symbol,
BCAST_METHODS(DECLARE)
const struct latency_method *const latency_methods[] = {BCAST_METHODS(ADDRESS)};
const size_t n_latency_methods = sizeof latency_methods / sizeof *latency_methods;

const struct latency_method *latency_method_find(const char *name)
{
    for (size_t i = 0; i < n_latency_methods; i++)
        if (strcmp(latency_methods[i]->name, name) == 0)
            return latency_methods[i];
    return NULL;
}
