#include "results/schedule_json.h"

#include "document/json_file.h"
#include "document/save.h"

#include <stdlib.h>
#include <string.h>

static const char schema[] = "collprof-schedule/1";

json_t *schedule_to_json(const struct schedule *s, size_t bytes)
{
    json_t *children = json_array(), *arrival = json_array(), *window = json_array();
    for (int u = 0; u < s->n; u++) {
        json_t *list = json_array();
        for (int i = s->first[u]; i < s->first[u + 1]; i++)
            json_array_append_new(list, json_integer(s->child[i]));
        json_array_append_new(children, list);
        json_array_append_new(window, json_integer(s->window[u]));
        json_array_append_new(arrival, json_real(1e6 * s->arrival[u]));
    }
    return json_pack("{s:s, s:s, s:i, s:i, s:I, s:I, s:f, s:o, s:o, s:o}", "schema", schema,
                     "algorithm", s->name, "ranks", s->n, "root", s->root, "bytes",
                     (json_int_t)bytes, "segment", (json_int_t)s->segment, "predicted_us",
                     1e6 * s->completion, "children", children, "window", window, "arrival_us",
                     arrival);
}

/* Parents and order from the lists of children; schedule_link() finds what is no tree. */
static bool take_children(const json_t *children, struct schedule *s, char *why, size_t size)
{
    int done = 0;
    s->order[done++] = s->root;
    for (int head = 0; head < done; head++) {
        int u = s->order[head];
        const json_t *list = json_array_get(children, (size_t)u);
        for (size_t i = 0; i < json_array_size(list); i++) {
            const json_t *item = json_array_get(list, i);
            json_int_t v = json_integer_value(item);
            if (!json_is_integer(item) || v < 0 || v >= s->n) {
                snprintf(why, size, "rank %d has a child that is no rank: 0 to %d expected", u,
                         s->n - 1);
                return false;
            }
            if (v == s->root || s->parent[v] >= 0) {
                snprintf(why, size, "rank %d gets the message twice", (int)v);
                return false;
            }
            s->parent[v] = u;
            s->order[done++] = (int)v;
        }
    }
    for (int v = 0; v < s->n; v++) {
        if (v != s->root && s->parent[v] < 0) {
            snprintf(why, size, "rank %d never gets the message", v);
            return false;
        }
    }
    return true;
}

bool schedule_from_json(const json_t *json, struct schedule *s, char *why, size_t size)
{
    const char *name = NULL, *algorithm = "loaded";
    int n = 0, root = 0;
    json_int_t segment = 0;
    json_t *children = NULL, *window = NULL;
    *s = (struct schedule){0};
    if (json_unpack((json_t *)json, "{s:s, s?s, s:i, s:i, s?I, s:o, s?o}", "schema", &name,
                    "algorithm", &algorithm, "ranks", &n, "root", &root, "segment", &segment,
                    "children", &children, "window", &window) != 0 ||
        strcmp(name, schema) != 0) {
        snprintf(why, size, "no schedule: schema, ranks, root and children of %s expected", schema);
        return false;
    }
    if (n < 1 || root < 0 || root >= n || segment < 0 || !json_is_array(children) ||
        json_array_size(children) != (size_t)n) {
        snprintf(why, size, "%d ranks, root %d, %zu lists of children: they do not match", n, root,
                 json_array_size(children));
        return false;
    }
    if (!schedule_new(s, n, root)) {
        snprintf(why, size, "no memory for %d ranks", n);
        return false;
    }
    snprintf(s->name, sizeof s->name, "%s", algorithm);
    s->segment = (size_t)segment;
    for (size_t v = 0; v < json_array_size(window) && v < (size_t)n; v++) {
        json_int_t w = json_integer_value(json_array_get(window, v));
        s->window[v] = w > 0 && w < 1000000 ? (int)w : 0;
    }
    bool good = take_children(children, s, why, size);
    if (good && !schedule_link(s)) {
        snprintf(why, size, "the lists of children are no tree");
        good = false;
    }
    if (!good)
        schedule_free(s);
    return good;
}

bool schedule_load(const char *path, struct schedule *s, char *why, size_t size)
{
    char text[256];
    *s = (struct schedule){0};
    json_t *json = json_file_load(path, why, size);
    if (!json)
        return false;
    bool good = schedule_from_json(json, s, text, sizeof text);
    if (!good)
        snprintf(why, size, "%s: %s", path, text);
    json_decref(json);
    return good;
}

bool schedule_save(const struct schedule *s, size_t bytes, const char *path)
{
    return save_json(schedule_to_json(s, bytes), path, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
}
