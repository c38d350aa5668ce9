/* Protects that collprof run, which has no MPI, takes just the names that the layer knows. */
#include "base/settings.h"
#include "measure/bcast/bcast.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const char *set(const char *variable, const char *value)
{
    struct settings s;
    settings_default(&s);
    return settings_set(&s, settings_find_variable(variable, strlen(variable)), value);
}

/* How many names the refusal lists. */
static size_t listed(const char *variable)
{
    const char *right = set(variable, "nonsense");
    size_t n = 1;
    for (const char *c = right; *c; c++)
        n += *c == '|';
    return n;
}

Test(names, of_broadcasts)
{
    for (size_t i = 0; i < n_bcasts; i++)
        cr_assert_null(set("COLLPROF_BCAST", bcasts[i].name), "%s", bcasts[i].name);
    cr_assert_null(set("COLLPROF_BCAST", "grid"));
    cr_assert_eq(listed("COLLPROF_BCAST"), n_bcasts + 1);
    cr_assert_not_null(set("COLLPROF_BCAST", "binomial,flat"));
}

Test(names, of_methods)
{
    char all[512] = "";
    for (size_t i = 0; i < n_bcast_methods; i++) {
        size_t at = strlen(all);
        snprintf(all + at, sizeof all - at, "%s%s", i ? "," : "", bcast_methods[i]->name);
        cr_assert_null(set("COLLPROF_BENCHMARK", bcast_methods[i]->name));
    }
    cr_assert_null(set("COLLPROF_BENCHMARK", all));
    cr_assert_null(set("COLLPROF_BENCHMARK", "all"));
    cr_assert_eq(listed("COLLPROF_BENCHMARK"), n_bcast_methods + 1);
    cr_assert_not_null(set("COLLPROF_BENCHMARK", "held,"));
    cr_assert_not_null(set("COLLPROF_BENCHMARK", "hel"));
}
