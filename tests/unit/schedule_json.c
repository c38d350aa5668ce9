/* Schedules saved and loaded, and drawn. */
#include "results/schedule_json.h"
#include "results/schedule_document.h"
#include "trees/bcast.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

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

/* The table has every rank once, the root first, and its children in the order of sending. */
Test(schedule_json, drawn_as_a_tree)
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
    struct document *d = document_new("test/1");
    schedule_document(&s, NULL, d);
    FILE *out = open_memstream(&text, &size);
    cr_assert(document_write(d, out, FORMAT_TEXT));
    fclose(out);
    static const char *const rows[] = {"0.00  0", "9.50  |- 3", "2.00  |- 1", "2.50  `- 2"};
    const char *at = text;
    for (int i = 0; i < 4; i++)
        cr_assert((at = strstr(at, rows[i])), "no '%s' in %s", rows[i], text);
    free(text);
    document_free(d);
    schedule_free(&s);
    graph_free(&g);
}
