#include "layer_run.h"

#include "fake_mpi.h"
#include "scratch.h"

#include <math.h>
#include <unistd.h>

/* A message takes 10 us and 1 ns a byte; a send takes 1 us. */
static const struct fake_network network = {.latency = 10e-6, .per_byte = 1e-9, .overhead = 1e-6};

/* Variables of threads need room for each copy of the layer, found when the process starts. */
__attribute__((constructor)) static void with_room(int argc, char **argv)
{
    (void)argc;
    if (getenv("GLIBC_TUNABLES"))
        return;
    setenv("GLIBC_TUNABLES", "glibc.rtld.optional_static_tls=200000", 1);
    execv("/proc/self/exe", argv);
}

double number(const json_t *of, const char *key)
{
    return json_number_value(json_object_get(of, key));
}

const char *of_operation(const json_t *p, const json_t *row, const char *member)
{
    const json_t *operations = json_object_get(p, "operations");
    return json_text_at(json_array_get(operations, (size_t)number(row, "operation")), member);
}

double total(const json_t *p, const char *table, const char *key)
{
    double sum = 0;
    size_t i;
    const json_t *row;
    json_array_foreach(json_object_get(p, table), i, row)
        sum += number(row, key);
    return sum;
}

/* Of the calls of a row: its histogram has all of them, and their times are within its bounds. */
static void expect_distribution(const json_t *e)
{
    double calls = number(e, "calls"), in_classes = 0;
    size_t i;
    const json_t *n;
    json_array_foreach(json_object_get(e, "histogram"), i, n)
        in_classes += i % 2 ? json_number_value(n) : 0;
    calls -= number(e, "excluded"); /* delayed by what collprof measured */
    cr_expect_eq(in_classes, calls, "%g of %g calls in the histogram", in_classes, calls);
    cr_expect_leq(calls * number(e, "min_ns"), number(e, "time_ns"));
    cr_expect_geq(calls * number(e, "max_ns"), number(e, "time_ns"));
    cr_expect_leq(number(e, "completed_bytes"), number(e, "bytes"));
    cr_expect_leq(number(e, "complete_at_wait"), number(e, "completed"));
}

/* Whatever is stated twice of a run agrees, to the nanosecond. MEASURED: something was injected. */
static void expect_consistent(const json_t *p, bool measured)
{
    double time[3] = {0}, sent = 0, spread[2] = {0}; /* life cycle, collectives, others */
    size_t i;
    const json_t *row;
    json_array_foreach(json_object_get(p, "entries"), i, row) {
        const char *family = of_operation(p, row, "family");
        time[!strcmp(family, "lifecycle")   ? 0
             : strstr(family, "collective") ? 1
                                            : 2] += number(row, "time_ns");
        expect_distribution(row);
    }
    cr_expect_eq(total(p, "ranks", "calls"), total(p, "entries", "calls"));
    cr_expect_eq(total(p, "ranks", "mpi_ns"),
                 time[1] + time[2] + total(p, "entries", "excluded_ns"));
    cr_expect_eq(total(p, "ranks", "lifecycle_ns"), time[0]);
    if (!measured)
        cr_expect_eq(total(p, "ranks", "collective_ns"), time[1]);
    cr_expect_eq(total(p, "ranks", "collective_wait_ns"), total(p, "arrivals", "wait_ns"));
    json_array_foreach(json_object_get(p, "matrix"), i, row)
        sent += (number(row, "received") ? -1 : 1) *
                (1000 * number(row, "messages") + number(row, "bytes"));
    cr_expect(sent == 0 || total(p, "entries", "errors") > 0, "what was sent was received");
    json_array_foreach(json_object_get(p, "groups"), i, row)
        spread[json_is_null(json_object_get(row, "site"))] +=
            number(json_object_get(row, "ranks"), "sum_ns");
    cr_expect_eq(spread[0], spread[1], "by call site %g ns, by operation %g ns", spread[0],
                 spread[1]);
    cr_expect_eq(spread[0], time[0] + time[1] + time[2]);
    const json_t *trace = json_object_get(p, "trace");
    cr_expect_eq(total(p, "waits", "wait_ns"), number(trace, "wait_ns"));
    cr_expect_float_eq(total(p, "causes", "direct_ns") + total(p, "causes", "passed_on_ns"),
                       number(trace, "wait_ns"), 3, "shares of a wait are rounded");
    cr_expect_eq(total(p, "causes", "path_ns"), number(trace, "path_ns"));
    json_array_foreach(json_object_get(p, "arrivals"), i, row) {
        cr_expect_leq(number(row, "cost_ns"), number(row, "wait_ns"));
        cr_expect_leq(number(row, "wait_ns"), number(row, "time_ns"));
    }
}

json_t *profile_of(const char *scene, const char *setting)
{
    char path[200], variable[100];
    char *argv[] = {(char *)"layer_app", (char *)scene, NULL};
    scratch_make();
    snprintf(path, sizeof path, "%s/out", scratch);
    setenv("COLLPROF_OUTPUT", path, 1);
    setenv("COLLPROF_REPORT", "no", 1);
    if (setting) {
        snprintf(variable, sizeof variable, "COLLPROF_%.*s", (int)strcspn(setting, "="), setting);
        setenv(variable, strchr(setting, '=') + 1, 1);
    }
    cr_assert_eq(fake_mpi_program(RANKS, &(struct fake_program){"tests/unit/layer_app.so", 2, argv},
                                  &network),
                 0);
    snprintf(path, sizeof path, "%s/out/profile.json", scratch);
    json_t *p = json_load_file(path, 0, NULL);
    scratch_remove();
    cr_assert_not_null(p);
    cr_assert_eq(json_array_size(json_object_get(p, "ranks")), RANKS);
    expect_consistent(p, setting && strncmp(setting, "TRACE", 5) != 0);
    return p;
}

double sum_on(const json_t *p, const char *operation, const char *key, int size)
{
    double sum = 0;
    size_t i;
    const json_t *e;
    json_array_foreach(json_object_get(p, "entries"), i, e) {
        const json_t *c =
            json_array_get(json_object_get(p, "communicators"), (size_t)number(e, "communicator"));
        if (!strcmp(of_operation(p, e, "name"), operation) && (!size || number(c, "size") == size))
            sum += number(e, key);
    }
    return sum;
}

double sum(const json_t *p, const char *operation, const char *key)
{
    return sum_on(p, operation, key, 0);
}
