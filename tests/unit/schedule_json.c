/* Schedules as JSON and as a table. */
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
    return s;
}

/* Children in the order of sending, times in microseconds. */
Test(schedule_json, children_and_arrivals)
{
    struct schedule s = made_up();
    s.arrival[3] = 4.5e-6;
    json_t *json = schedule_to_json(&s, 65536), *children = json_object_get(json, "children");
    for (int u = 0; u < s.n; u++)
        for (int i = s.first[u]; i < s.first[u + 1]; i++)
            cr_assert_eq(json_integer_value(json_array_get(json_array_get(children, (size_t)u),
                                                           (size_t)(i - s.first[u]))),
                         s.child[i]);
    cr_assert_eq(json_integer_value(json_object_get(json, "segment")), 4096);
    cr_assert_float_eq(json_real_value(json_array_get(json_object_get(json, "arrival_us"), 3)), 4.5,
                       1e-9);
    json_decref(json);
    schedule_free(&s);
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
    document_write(d, out, FORMAT_TEXT);
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
