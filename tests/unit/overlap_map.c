/* Heat maps as data: protects what is said of a map (a wrong sentence is worse than none), and the
 * file that carries maps to collprof plot. */
#include "picture/overlap_map.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NX = 8, NY = 6 };

/* T_comm is 1 us at 1 KiB and doubles with the size; ratio LOW below 16 KiB, HIGH from there on. */
static struct overlap_map example(const char *name, double low, double high)
{
    double x[NX], y[NY];
    for (int i = 0; i < NX; i++)
        x[i] = 1024 << i;
    for (int j = 0; j < NY; j++)
        y[j] = 1e-6 * (1 << (2 * j));
    struct overlap_map m = overlap_map_new(name, "a title", false, x, NX, y, NY);
    for (size_t i = 0; i < NX; i++) {
        m.comm[i] = 1e-6 * (double)(1 << i);
        for (size_t j = 0; j < NY; j++)
            *overlap_map_at(&m, i, j) = i < 4 ? low : high;
    }
    return m;
}

static void says(double low, double high, const char *what)
{
    struct overlap_map m = example("sender", low, high);
    char text[512];
    overlap_map_sentence(&m, text, sizeof text);
    cr_expect(strstr(text, what), "%g, %g: %s", low, high, text);
    overlap_map_free(&m);
}

Test(overlap_map, sentences)
{
    says(0.02, 0.02, "at every size from 1 KiB to 128 KiB it overlaps (ratio 0.02)");
    says(0.5, 0.5, "overlaps in part");
    says(1, 1, "at every size from 1 KiB to 128 KiB it does not overlap");
    says(1.8, 1.8, "slower than without");
    says(0.05, 1, "up to 8 KiB it overlaps");
    says(0.05, 1, "from 16 KiB on it does not overlap");
    says(0.05, 1, "the step between 8 KiB and 16 KiB looks like a rendezvous threshold");
    says(1, 0, "from 16 KiB on it overlaps (ratio 0.00)");
    says(NAN, NAN, "nothing can be said");
    says(NAN, 0, "at every size from 16 KiB to 128 KiB it overlaps");
}

/* One size that differs from its equal neighbours is noise, but the last one is what it is, and no
 * threshold: one size is no range of sizes. Sizes are in powers of 1,024. */
Test(overlap_map, single_sizes)
{
    char text[512];
    for (size_t odd = 6; odd < NX; odd++) {
        struct overlap_map m = example("sender", 0.05, 0.05);
        m.x[0] = 1000;
        for (size_t j = 0; j < NY; j++)
            *overlap_map_at(&m, odd, j) = 1;
        overlap_map_sentence(&m, text, sizeof text);
        cr_expect(strstr(text, odd == 6 ? "at every size from 1000 B to 128 KiB it overlaps"
                                        : "up to 64 KiB it overlaps (ratio 0.05); from 128 KiB "
                                          "on it does not overlap (ratio 1.00)"),
                  "%s", text);
        cr_expect_null(strstr(text, "threshold"), "%s", text);
        overlap_map_free(&m);
    }
    struct overlap_map m = example("sender", 1, 0);
    overlap_map_sentence(&m, text, sizeof text);
    cr_expect_null(strstr(text, "threshold"), "%s", text);
    overlap_map_free(&m);
}

/* Far from the T_comm line a ratio divides by next to nothing: such cells must not speak. */
Test(overlap_map, far_cells_are_silent)
{
    struct overlap_map m = example("sender", 0, 0);
    char text[512];
    for (size_t i = 0; i < NX; i++)
        for (size_t j = 0; j < NY; j++)
            if (m.y[j] > 8 * m.comm[i] || m.comm[i] > 8 * m.y[j])
                *overlap_map_at(&m, i, j) = 40;
    overlap_map_sentence(&m, text, sizeof text);
    cr_expect(strstr(text, "at every size from 1 KiB to 128 KiB it overlaps"), "%s", text);
    overlap_map_free(&m);
}

Test(overlap_map, sides)
{
    char text[256];
    struct overlap_map m[] = {example("sender", 0.1, 0.1), example("receiver", 0.1, 1)};
    overlap_maps_sentence(m, 2, text, sizeof text);
    cr_expect_str_eq(text, "small messages overlap on either side; large messages overlap on the "
                           "sender's side, and do not overlap on the receiver's");
    overlap_maps_sentence(m, 1, text, sizeof text);
    cr_expect_str_eq(text, "");
    overlap_map_free(&m[0]);
    overlap_map_free(&m[1]);
}

static void classed(struct overlap_map *m, size_t n, const char *what)
{
    char text[512];
    overlap_maps_class(m, n, text, sizeof text);
    cr_expect_str_eq(text, what);
    for (size_t i = 0; i < n; i++)
        overlap_map_free(&m[i]);
}

/* The classes that the paper names, each by what it says of it. */
Test(overlap_map, classes)
{
    struct overlap_map threaded[] = {example("sender", 0.1, 0.1), example("receiver", 0.1, 0.1)};
    classed(threaded, 2,
            "of the paper's classes: as its threaded libraries, large messages overlap on both "
            "sides");
    struct overlap_map offloading[] = {example("sender", 0, 0.1), example("receiver", 0, 1),
                                       example("vector", 0, 1), example("cpu", 1, 0.1)};
    classed(offloading, 4,
            "of the paper's classes: as its non-threaded libraries, which leave the transfer to "
            "the network card, large messages overlap on the sender's side; rendezvous threshold, "
            "small ones overlap; non-contiguous data overlaps less");
    struct overlap_map shared[] = {example("sender", 1, 1), example("receiver", 1, 1),
                                   example("vector", 1, 1), example("cpu", 1, 1),
                                   example("load", 40, 40)};
    shared[4].by_threads = true;
    classed(shared, 5,
            "of the paper's classes: as its libraries on shared memory, large messages overlap on "
            "neither side; a send costs its processor all of its time; computing threads slow "
            "communication down 40 times");
    struct overlap_map tcp[] = {example("sender", 1, 1), example("receiver", 1, 1)};
    for (size_t i = 0; i < NX; i++)
        for (size_t j = 0; j < 3; j++)
            *overlap_map_at(&tcp[1], i, j) = 0;
    classed(tcp, 2,
            "of the paper's classes: as on TCP, large messages overlap with up to 16 us, which are "
            "over before the rendezvous is answered");
    struct overlap_map partly[] = {example("sender", 1, 1), example("receiver", 0, 0.5)};
    classed(partly, 2,
            "of the paper's classes: none, large messages overlap in part, or on the receiver's "
            "side");
    struct overlap_map worse[] = {example("sender", 1, 1), example("receiver", 1, 1.8)};
    classed(worse, 2,
            "of the paper's classes: as its libraries on shared memory, large messages overlap on "
            "neither side");
    struct overlap_map one[] = {example("sender", 0, 0)};
    classed(one, 1, "");
}

Test(overlap_map, as_file)
{
    struct overlap_map m = example("sender", 0.25, NAN), *back;
    overlap_map_doubt(&m, 4, 2);
    char path[] = "/tmp/collprof-overlap-map-XXXXXX", why[200] = "";
    size_t n;
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    json_t *json = json_pack("{s:[o], s:{s:s, s:s, s:s, s:s}}", "maps", overlap_map_json(&m),
                             "header", "program", "collbench-overlap (collprof 0.1.0)", "ranks",
                             "2 on 1 host", "date", "2026-11-22 16:24:08 +0000", "MPI", "Some MPI");
    json_dumpf(json, file, 0);
    fclose(file);
    back = overlap_maps_load(path, &n, why, sizeof why);
    cr_assert_eq(n, 1);
    cr_expect_str_eq(back->name, "sender");
    cr_expect_str_eq(back->of, "collbench-overlap on 2 ranks, 2026-11-22 16:24, Some MPI");
    cr_expect_eq(back->nx, NX);
    cr_expect_float_eq(back->y[1], 4e-6, 1e-12);
    cr_expect_float_eq(back->comm[3], 8e-6, 1e-12);
    cr_expect_eq(*overlap_map_at(back, 3, 2), 0.25);
    cr_expect(isnan(*overlap_map_at(back, 4, 2)));
    for (size_t i = 0; i < NX * NY; i++)
        cr_expect_eq(back->doubt[i], i == 2 * NX + 4, "cell %zu", i);
    overlap_map_free(back);
    free(back);

    /* An axis that turns back cannot be drawn. */
    json_t *axis = json_object_get(json_array_get(json_object_get(json, "maps"), 0), "bytes");
    json_t *first = json_incref(json_array_get(axis, 0));
    json_array_set_new(axis, 0, json_real(1e300));
    json_dump_file(json, path, 0);
    cr_expect_null(overlap_maps_load(path, &n, why, sizeof why));
    json_array_set_new(axis, 0, first);

    /* A row too short is damage, not a smaller map. */
    json_t *map = json_array_get(json_object_get(json, "maps"), 0);
    json_array_remove(json_array_get(json_object_get(map, "ratio"), 1), 0);
    json_dump_file(json, path, 0);
    cr_expect_null(overlap_maps_load(path, &n, why, sizeof why));
    cr_expect_eq(n, 0);
    cr_expect(strstr(why, ": no heat maps in it"), "%s", why);
    json_decref(json);

    /* What an interrupted run leaves is no damage either: it is gone on with. */
    file = fopen(path, "w");
    fputs("{\"collbench-overlap-part/2\":\"1 MPI\"}\n{\"base_round\":{}}\n", file);
    fclose(file);
    cr_expect_null(overlap_maps_load(path, &n, why, sizeof why));
    cr_expect(strstr(why, ": the same command again goes on with it"), "%s", why);
    overlap_map_free(&m);
    unlink(path);
}
