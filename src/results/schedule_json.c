#include "results/schedule_json.h"

static const char schema[] = "collprof-schedule/1";

json_t *schedule_to_json(const struct schedule *s, size_t bytes)
{
    json_t *children = json_array(), *arrival = json_array();
    for (int u = 0; u < s->n; u++) {
        json_t *list = json_array();
        for (int i = s->first[u]; i < s->first[u + 1]; i++)
            json_array_append_new(list, json_integer(s->child[i]));
        json_array_append_new(children, list);
        json_array_append_new(arrival, json_real(1e6 * s->arrival[u]));
    }
    return json_pack("{s:s, s:s, s:i, s:i, s:I, s:I, s:f, s:o, s:o}", "schema", schema, "algorithm",
                     s->name, "ranks", s->n, "root", s->root, "bytes", (json_int_t)bytes, "segment",
                     (json_int_t)s->segment, "predicted_us", 1e6 * s->completion, "children",
                     children, "arrival_us", arrival);
}
