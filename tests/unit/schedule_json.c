/* Schedules as a table. */
#include "results/schedule_document.h"
#include "trees/bcast.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

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
