/* Schedules saved and loaded, and drawn. */
#include "results/schedule_json.h"
#include "picture/schedule_draw.h"
#include "trees/bcast.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct schedule made_up(void)
{
    struct graph g;
    struct schedule s;
    cr_assert(graph_new(&g, 7));
    for (int i = 0; i < 49; i++) {
        g.w[i] = 1e-6 * (1 + i % 5);
        g.d[i] = 1e-6;
    }
    cr_assert(schedule_build(bcast_find("grid"), &g, 2, &s));
    graph_free(&g);
    s.segment = 4096;
    s.window[3] = 12;
    return s;
}

/* What is saved is what is loaded: tree, order of sending, segment, windows. */
Test(schedule_json, saved_is_loaded)
{
    struct schedule s = made_up(), t;
    char why[128] = "";
    json_t *json = schedule_to_json(&s, 65536);
    cr_assert(schedule_from_json(json, &t, why, sizeof why), "%s", why);
    cr_assert_eq(t.n, 7);
    cr_assert_eq(t.root, 2);
    cr_assert_eq(t.segment, 4096);
    cr_assert_eq(t.window[3], 12);
    cr_assert_arr_eq(t.parent, s.parent, 7 * sizeof *s.parent);
    cr_assert_arr_eq(t.first, s.first, 8 * sizeof *s.first);
    cr_assert_arr_eq(t.child, s.child, 6 * sizeof *s.child);
    s.arrival[3] = 4.5e-6;
    json_decref(json);
    json = schedule_to_json(&s, 65536);
    cr_assert_float_eq(json_real_value(json_array_get(json_object_get(json, "arrival_us"), 3)), 4.5,
                       1e-9);
    json_decref(json);
    schedule_free(&s);
    schedule_free(&t);
}

/* One clear line for each kind of wrong file. */
Test(schedule_json, wrong_ones_are_refused)
{
#define HEAD "{\"schema\": \"collprof-schedule/1\", \"ranks\": 3, \"root\": 0, "
    static const char *const wrong[][2] = {
        {"{}", "no schedule: schema, ranks, root and children of collprof-schedule/1 expected"},
        {"{\"schema\": \"other\", \"ranks\": 1, \"root\": 0, \"children\": [[]]}",
         "no schedule: schema, ranks, root and children of collprof-schedule/1 expected"},
        {HEAD "\"children\": [[1], []]}",
         "3 ranks, root 0, 2 lists of children: they do not match"},
        {HEAD "\"children\": [[1], [], []]}", "rank 2 never gets the message"},
        {HEAD "\"children\": [[1, 2], [2], []]}", "rank 2 gets the message twice"},
        {HEAD "\"children\": [[1, 0], [2], []]}", "rank 0 gets the message twice"},
        {HEAD "\"children\": [[1, 7], [], []]}",
         "rank 0 has a child that is no rank: 0 to 2 expected"},
        {HEAD "\"children\": [[1, \"2\"], [], []]}",
         "rank 0 has a child that is no rank: 0 to 2 expected"},
        {HEAD "\"children\": [[], [2], [1]]}", "rank 1 never gets the message"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct schedule s;
        char why[128] = "";
        json_t *json = json_loads(wrong[i][0], 0, NULL);
        cr_assert_not_null(json);
        cr_assert_not(schedule_from_json(json, &s, why, sizeof why), "case %zu", i);
        cr_assert_str_eq(why, wrong[i][1]);
        cr_assert_null(s.parent);
        json_decref(json);
    }
}

/* For Graphviz: who has the message when, and who sends to whom, in which order. */
Test(schedule_json, drawn_as_dot)
{
    struct schedule s = made_up();
    char path[] = "/tmp/collprof-schedule-XXXXXX.dot", text[2000] = "", line[80];
    close(mkstemps(path, 4));
    s.completion = s.arrival[3] = 7e-6;
    cr_assert(schedule_draw(&s, NULL, path));
    FILE *file = fopen(path, "r");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    unlink(path);
    cr_assert(strstr(text, " from rank 2: 7.00 us\";\n"), "%s", text);
    for (int u = 0; u < s.n; u++) {
        snprintf(line, sizeof line, "  %d [label=\"%d\\n%.2f us\"];\n", u, u, 1e6 * s.arrival[u]);
        cr_assert(strstr(text, line), "no %s in %s", line, text);
        for (int i = s.first[u]; i < s.first[u + 1]; i++) {
            snprintf(line, sizeof line, "  %d -> %d [label=\"%d\"];\n", u, s.child[i],
                     i - s.first[u] + 1);
            cr_assert(strstr(text, line), "no %s in %s", line, text);
        }
    }
    schedule_free(&s);
}

/* The drawing has every rank once, the root first, and its children in the order of sending. */
Test(schedule_json, drawn_as_text)
{
    struct schedule s;
    struct graph g;
    char *text = NULL;
    size_t size;
    cr_assert(graph_new(&g, 4));
    for (int i = 0; i < 16; i++) {
        g.w[i] = 1e-6;
        g.d[i] = 0.5e-6;
    }
    g.w[0 * 4 + 3] = 9e-6;
    cr_assert(schedule_build(bcast_find("flat"), &g, 0, &s));
    schedule_label(&s, &g);
    FILE *out = open_memstream(&text, &size);
    schedule_draw_text(&s, NULL, out);
    fclose(out);
    cr_assert_str_eq(text, "arrival (us)  rank, in the order of sending\n"
                           "        0.00  0\n"
                           "        9.50  |- 3\n"
                           "        2.00  |- 1\n"
                           "        2.50  `- 2\n");
    free(text);
    schedule_free(&s);
    graph_free(&g);
}
