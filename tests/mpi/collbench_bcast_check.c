/* Reads what collbench-bcast --method=all --format=json wrote, and says what is wrong with it:
 * a program that reads these files is promised all this. usage: bcast_check FILE SIZES */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void fail(const char *what, const char *name, double a, double b)
{
    fprintf(stderr, "bcast_check: %s: %s: %g %g\n", what, name, a, b);
    failures++;
}

static const char *const methods[] = {"send-latency",  "rounds",  "rounds-backward",
                                      "rounds-random", "barrier", "ring-barrier",
                                      "acknowledge",   "ol",      "held",
                                      "direct",        "gap",     "overhead"};
enum { N_METHODS = sizeof methods / sizeof *methods };

static json_t *rows_of(json_t *root, const char *table)
{
    json_t *rows = json_object_get(json_object_get(json_object_get(root, "tables"), table), "rows");
    if (!json_is_array(rows))
        fail("table is missing", table, 0, 0);
    return rows;
}

static double number(json_t *row, const char *key)
{
    json_t *value = json_object_get(row, key);
    if (!json_is_number(value))
        fail("no number", key, 0, 0);
    return json_number_value(value);
}

static void check_methods(json_t *rows, size_t sizes)
{
    json_t *row;
    size_t i;
    if (json_array_size(rows) != sizes * N_METHODS)
        fail("rows", "methods", (double)json_array_size(rows), (double)(sizes * N_METHODS));
    json_array_foreach(rows, i, row)
    {
        const char *method = json_string_value(json_object_get(row, "method"));
        double value = number(row, "value"), low = value, high = value;
        /* A broadcast between two processes of one machine. */
        if (!(value > 0.001 && value < 1e6))
            fail("not a believable time", method, value, number(row, "size"));
        /* Few samples, or such as depend on each other, have no interval of 95 %. */
        if (number(row, "samples") >= 6 && !json_is_null(json_object_get(row, "low"))) {
            low = number(row, "low");
            high = number(row, "high");
        }
        double min = number(row, "min"), p99 = number(row, "p99"), max = number(row, "max");
        double mean = number(row, "mean"), sd = number(row, "sd"), slack = 1e-6 * max + 1e-9;
        if (low > value + slack || value > high + slack)
            fail("median outside its interval", method, low, high);
        if (min > mean + slack || mean > max + slack || p99 > max + slack)
            fail("mean or p99 outside the range", method, mean, p99);
        /* No samples between min and max can have more (Bhatia and Davis); n - 1 allows a bit. */
        double n = number(row, "samples");
        if (n > 1 && sd * sd * (n - 1) / n > (max - mean) * (mean - min) + slack * max)
            fail("more scatter than the range allows", method, sd, max - min);
    }
}

int main(int argc, char **argv)
{
    json_error_t error;
    if (argc != 3)
        return 2;
    size_t sizes = strtoul(argv[2], NULL, 10);
    json_t *root = json_load_file(argv[1], 0, &error);
    if (!root) {
        fprintf(stderr, "bcast_check: %s:%d: %s\n", argv[1], error.line, error.text);
        return 1;
    }
    const char *schema = json_string_value(json_object_get(root, "schema"));
    if (!schema || strcmp(schema, "collbench-bcast/4") != 0)
        fail("schema", schema ? schema : "none", 0, 0);
    static const char *const facts[] = {"program", "command", "date", "MPI",
                                        "clock",   "ranks",   "root"};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (!json_is_string(json_object_get(json_object_get(root, "header"), facts[i])))
            fail("header lacks", facts[i], 0, 0);
    check_methods(rows_of(root, "methods"), sizes);
    json_decref(root);
    return failures > 0;
}
