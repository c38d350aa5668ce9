/* The overlap ratio and the base round: protects the figure that a profile and a heat map give
 * the same name, and the file that carries a machine's base round between them. */
#include "base/overlap.h"
#include "results/base_round.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define close_to(a, b) cr_expect(fabs((a) - (b)) < 1e-9 * fabs(b) + 1e-15, "%.12g, not %.12g", a, b)

static struct base_point point(size_t bytes, double contiguous, double cpu)
{
    return (struct base_point){bytes, {contiguous, NAN, cpu}};
}

static struct base_round example(void)
{
    struct base_round base = {.latency = 1e-6};
    base_round_add(&base, point(2048, 4e-6, 2e-6));
    base_round_add(&base, point(1024, 9e-6, NAN));
    base_round_add(&base, point(4096, 8e-6, 3e-6));
    base_round_add(&base, point(1024, 2e-6, 1e-6)); /* replaces */
    return base;
}

/* The paper's three landmarks, whichever of the two times is the longer. */
Test(overlap, ratio)
{
    close_to(overlap_ratio(10, 10, 3), 0.0);
    close_to(overlap_ratio(13, 10, 3), 1.0);
    close_to(overlap_ratio(13, 3, 10), 1.0);
    close_to(overlap_ratio(16, 10, 3), 2.0);
    cr_expect(isnan(overlap_ratio(1, 0, 1)));
    cr_expect(isnan(overlap_ratio(1, 1, 0)));
    cr_expect(isnan(overlap_ratio(1, NAN, 1)));
}

Test(overlap, base_round_is_sorted_and_interpolated)
{
    struct base_round base = example();
    cr_assert_eq(base.n, 3);
    close_to(base_round_time(&base, BASE_CONTIGUOUS, 0), 1e-6);
    close_to(base_round_time(&base, BASE_CONTIGUOUS, 512), 1.5e-6);
    close_to(base_round_time(&base, BASE_CONTIGUOUS, 1024), 2e-6);
    close_to(base_round_time(&base, BASE_CONTIGUOUS, 1536), 3e-6);
    close_to(base_round_time(&base, BASE_CONTIGUOUS, 8192), 16e-6);
    close_to(base_round_time(&base, BASE_CPU, 10), 1e-6);
    cr_expect(isnan(base_round_time(&base, BASE_VECTOR, 1024)));
    base_round_free(&base);
    cr_expect(isnan(base_round_time(&base, BASE_CONTIGUOUS, 1024)));
}

Test(overlap, ratio_of_a_request)
{
    struct base_round base = example();
    close_to(base_round_ratio(&base, 10e-6, 4e-6, 2048), 1.0);
    close_to(base_round_ratio(&base, 10e-6, 0, 2048), 0.0);
    close_to(base_round_ratio(&base, 1e-6, 3e-6, 2048), 0.0);
    base_round_free(&base);
}

Test(overlap, base_round_as_json)
{
    struct base_round base = example(), back;
    base.latency_error = 2e-7;
    base.point[0].time[BASE_CPU] = 0;
    struct base_origin origin = {"MPICH", "here", "today"}, came = {0};
    json_t *json = base_round_json(&base, &origin);
    json_t *outer = json_pack("{s:O}", "base_round", json);
    const char *why;
    cr_assert(base_round_from_json(outer, &back, &came, &why), "%s", why);
    cr_expect_str_eq(came.mpi, "MPICH");
    cr_assert_eq(back.n, 3);
    close_to(back.latency, 1e-6);
    close_to(back.latency_error, 2e-7);
    close_to(back.point[2].time[BASE_CPU], 3e-6);
    cr_expect(isnan(back.point[2].time[BASE_VECTOR]));
    cr_expect(isnan(back.point[0].time[BASE_CPU]), "nothing is no time");
    base_round_free(&back);

    json_object_set_new(json, "latency_error_us", json_integer(-1));
    cr_expect_not(base_round_from_json(json, &back, NULL, &why));
    cr_expect_str_eq(why, "its latency_error_us is no possible time");
    json_object_set_new(json, "latency_error_us", json_integer(0));
    json_object_set_new(json_array_get(json_object_get(json, "points"), 1), "bytes",
                        json_integer((json_int_t)1 << 60));
    cr_expect_not(base_round_from_json(json, &back, NULL, &why));
    cr_expect(strstr(why, "impossible size"));
    json_object_set_new(json_array_get(json_object_get(json, "points"), 1), "bytes",
                        json_integer(-1));
    cr_expect_not(base_round_from_json(json, &back, NULL, &why));
    cr_expect(strstr(why, "impossible size"));
    cr_expect_eq(back.n, 0);
    json_t *point = json_array_get(json_object_get(json, "points"), 1);
    json_object_set_new(point, "bytes", json_integer(2048));
    for (int i = 0; i < 3; i++) {
        static const double us[] = {1, 0, -1};
        json_object_set_new(point, "contiguous_us", json_real(us[i]));
        cr_expect_eq(base_round_from_json(json, &back, NULL, &why), us[i] > 0, "%g us", us[i]);
        base_round_free(&back);
    }
    json_object_set_new(json, "latency_us", json_null());
    cr_expect_not(base_round_from_json(json, &back, NULL, &why));
    cr_expect_str_eq(why, "its latency_us is no possible time");
    json_object_set_new(json, "schema", json_string("other/1"));
    cr_expect_not(base_round_from_json(json, &back, NULL, &why));
    cr_expect(strstr(why, "no base round"));
    json_decref(outer);
    json_decref(json);
    base_round_free(&base);
}

Test(overlap, base_round_as_file)
{
    struct base_round base = example(), back, none;
    struct base_origin origin = {"MPICH", "here", "today"};
    char path[] = "/tmp/collprof-base-round-XXXXXX";
    close(mkstemp(path));
    cr_assert(base_round_save(&base, &origin, path));
    char why[200] = "";
    cr_assert(base_round_load(path, &back, NULL, why, sizeof why), "%s", why);
    cr_assert_not(base_round_load("/dev/null", &none, NULL, why, sizeof why));
    cr_assert_str_eq(why, "/dev/null: not a regular file");
    close_to(base_round_time(&back, BASE_CONTIGUOUS, 1536), 3e-6);
    base_round_free(&back);
    base_round_free(&base);
    fclose(fopen(path, "w"));
    cr_assert_not(base_round_load(path, &none, NULL, why, sizeof why));
    cr_assert(strstr(why, ": no JSON: line 1: "), "%s", why);
    FILE *journal = fopen(path, "w");
    fputs("{\"collbench-overlap-part/1\": {}}\n{}\n", journal);
    fclose(journal);
    cr_assert_not(base_round_load(path, &none, NULL, why, sizeof why));
    cr_assert(strstr(why, ": the journal of a collbench-overlap that did not end"), "%s", why);
    unlink(path);
    cr_assert_eq(mkfifo(path, 0600), 0); /* nobody is waited for */
    cr_assert_not(base_round_load(path, &none, NULL, why, sizeof why));
    cr_assert(strstr(why, ": not a regular file"), "%s", why);
    unlink(path);
}
