/* The methods to choose from. */
#include "latency_bench.h"

#include <string.h>

static const char *method_name(size_t i)
{
    return i < n_latency_methods ? latency_methods[i]->name : NULL;
}

static const char *method_reality(size_t i)
{
    return latency_methods[i]->reality;
}

static bool is_ours(size_t i, const void *values)
{
    (void)values;
    return latency_methods[i]->meaning != MEANS_SUITE;
}

/* Other suites: their methods have these names, or longer ones. */
static const char *suite_name(size_t i)
{
    static const char *const names[] = {"osu", "imb", "repro", NULL};
    return names[i];
}

const struct option_registry latency_registry = {"method", method_name, method_reality, is_ours},
                             latency_suites = {"suite", suite_name, NULL, NULL};

void latency_choose(struct latency_options *o)
{
    if (o->methods.n == 0)
        option_choose(NULL, &latency_registry, "held,direct", &o->methods);
    for (size_t k = 0; k < o->suites.n; k++)
        for (size_t i = 0; i < n_latency_methods; i++) {
            const char *suite = suite_name(o->suites.at[k]);
            if (strncmp(method_name(i), suite, strlen(suite)) == 0)
                option_choose(NULL, &latency_registry, method_name(i), &o->methods);
        }
    for (size_t i = 0; i < o->methods.n; i++)
        o->method[o->n_methods++] = latency_methods[o->methods.at[i]];
}

size_t latency_meaningful(const struct latency_options *o, bool is_broadcast,
                          enum collective_kind kind, const struct latency_method **some)
{
    size_t n = 0;
    for (size_t i = 0; i < o->n_methods; i++)
        if (is_broadcast || o->method[i]->kinds >> kind & 1)
            some[n++] = o->method[i];
    return n;
}
