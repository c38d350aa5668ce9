/* Protects that collprof run, which has no MPI, takes just the names that the layer knows. */
#include "base/names.h"
#include "base/settings.h"
#include "measure/collective/operation.h"
#include "measure/latency/latency.h"
#include "trees/bcast.h"
#include "unit.h"

#define NAME_AND_HOW(symbol, name, how) name, #how,

static void keep(const char *line, void *arg)
{
    snprintf(arg, 1000, "%s", line);
}

/* What is complained of; NULL: nothing. */
static const char *set(const char *variable, const char *value)
{
    static char line[1000];
    char assignment[600], *env[] = {assignment, NULL};
    struct settings s;
    snprintf(assignment, sizeof assignment, "%s=%s", variable, value);
    *line = '\0';
    settings_read(&s, env, keep, line);
    return *line ? line : NULL;
}

/* How many names the refusal lists. */
static size_t listed(const char *variable)
{
    const char *known = strstr(set(variable, "nonsense"), "expected: ");
    size_t n = 1;
    for (const char *c = strstr(known, ", "); c; c = strstr(c + 1, ", "))
        n++;
    return n;
}

Test(names, of_broadcasts)
{
    static const char *const listed_names[] = {BCASTS(NAME_AND_HOW)};
    size_t running = 1; /* "grid", which the layer builds itself */
    cr_assert_eq(2 * n_bcasts, sizeof listed_names / sizeof *listed_names);
    for (size_t i = 0; i < n_bcasts; i++) {
        const struct bcast *b = bcasts[i];
        cr_assert_str_eq(b->name, listed_names[2 * i]);
        cr_assert_eq(b->run != NULL, strcmp(listed_names[2 * i + 1], "RUNS") == 0, "%s", b->name);
        cr_assert(b->run || b->build, "%s", b->name);
        bool taken = b->run || strcmp(b->name, "grid") == 0;
        cr_assert_eq(set("COLLPROF_BCAST", b->name) == NULL, taken, "%s", b->name);
        running += b->run != NULL;
    }
    cr_assert_eq(listed("COLLPROF_BCAST"), running);
    cr_assert_not_null(set("COLLPROF_BCAST", "binomial,flat"));
    cr_assert_null(bcast_find("binomial,flat"));
}

Test(names, of_methods)
{
    char all[512] = "";
    for (size_t i = 0; i < n_latency_methods; i++) {
        size_t at = strlen(all);
        snprintf(all + at, sizeof all - at, "%s%s", i ? "," : "", latency_methods[i]->name);
        cr_assert_null(set("COLLPROF_BENCHMARK", latency_methods[i]->name));
    }
    cr_assert_null(latency_method_find("hel"));
    cr_assert_null(set("COLLPROF_BENCHMARK", all));
    cr_assert_null(set("COLLPROF_BENCHMARK", "all"));
    cr_assert_eq(listed("COLLPROF_BENCHMARK"), n_latency_methods + 1);
    cr_assert_not_null(set("COLLPROF_BENCHMARK", "held,"));
    cr_assert_not_null(set("COLLPROF_BENCHMARK", "hel"));
}

static bool finds(const struct operation *o, const char *name, bool twin)
{
    bool is_twin = !twin;
    return operation_find(name, &is_twin) == o && is_twin == twin;
}

Test(names, of_operations)
{
    bool twin = false;
    for (size_t i = 0; i < n_operations; i++) {
        const struct operation *o = &operations[i];
        char own[40], twins[40];
        snprintf(own, sizeof own, "i%s", o->name);
        snprintf(twins, sizeof twins, "MPI_I%c%s", o->mpi_name[4] | 0x20, o->mpi_name + 5);
        cr_expect(finds(o, o->name, false) && finds(o, own, true), "%s", o->name);
        cr_expect(finds(o, o->mpi_name, false) && finds(o, twins, true), "%s", o->name);
        cr_expect(finds(o, o->mpi_name + 4, false) && finds(o, twins + 4, true), "%s", o->name);
        cr_expect(o->kind == collective_kind(o->mpi_name) && o->kind == collective_kind(twins),
                  "%s", o->name);
    }
    cr_expect(!operation_find("broadcas", &twin) && !operation_find("i", &twin));
}
