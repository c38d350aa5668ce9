#include "tune/found.h"

#include "base/reason.h"
#include "base/text.h"
#include "document/save.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static json_t *candidate_json(const struct tuned *t, int k)
{
    const struct algorithm *a = &t->candidate[k];
    const struct estimate *ratio = &t->ratio[k];
    return json_pack("{s:s, s:i, s:i, s:o, s:o, s:o, s:o}", "algorithm", a->name, "number",
                     a->number, "segment", a->segment, "time_us",
                     json_finite(1e6 * t->time[k].value), "ratio", json_finite(ratio->value), "low",
                     json_finite(ratio->low), "high", json_finite(ratio->high));
}

json_t *tuned_json(const struct tuned *t)
{
    const struct algorithm *best = &t->candidate[t->best];
    json_t *list = json_array();
    for (int k = 0; k < t->n; k++)
        json_push(list, candidate_json(t, k));
    json_t *json =
        json_pack("{s:s, s:i, s:I, s:s, s:i, s:o}", "operation", t->operation->mpi_name, "ranks",
                  t->ranks, "bytes", (json_int_t)t->bytes, "best", t->best ? best->name : "",
                  "segment", t->best ? best->segment : 0, "candidates", list);
    if (*t->arrival)
        json_put(json, "arrival", json_string(t->arrival));
    if (t->calls > 0)
        json_put(json, "calls", json_integer((json_int_t)t->calls));
    if (t->refuted)
        json_put(json, "refuted", json_true());
    return json;
}

/* The names of algorithms become settings in a file for a shell. */
static bool is_name(const char *name)
{
    static const char characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "0123456789_-";
    return *name && !name[strspn(name, characters)] &&
           strlen(name) < sizeof((struct algorithm *)0)->name;
}

static bool candidate_read(const json_t *json, struct tuned *t)
{
    const char *name = json_text_at(json, "algorithm");
    if (t->n == ALGORITHMS_MAX || !is_name(name))
        return false;
    struct algorithm *a = &t->candidate[t->n];
    text_copy(a->name, sizeof a->name, name);
    a->number = (int)json_integer_value(json_object_get(json, "number"));
    a->segment = (int)json_integer_value(json_object_get(json, "segment"));
    t->time[t->n] = (struct estimate){1e-6 * json_number_at(json, "time_us"), NAN, NAN};
    t->ratio[t->n++] = (struct estimate){json_number_at(json, "ratio"), json_number_at(json, "low"),
                                         json_number_at(json, "high")};
    return true;
}

bool tuned_read(const json_t *json, struct tuned *t)
{
    size_t k;
    const json_t *candidate;
    const double ranks = json_number_at(json, "ranks"), bytes = json_number_at(json, "bytes"),
                 calls = json_number_at(json, "calls");
    *t = (struct tuned){.operation = tuned_operation_find(json_text_at(json, "operation")),
                        .refuted = json_is_true(json_object_get(json, "refuted"))};
    if (!t->operation || !(ranks >= 1 && ranks <= INT_MAX && bytes >= 0 && bytes <= INT_MAX))
        return false;
    t->ranks = (int)ranks;
    t->bytes = (size_t)bytes;
    t->calls = calls > 0 ? calls : 0;
    text_copy(t->arrival, sizeof t->arrival, json_text_at(json, "arrival"));
    json_array_foreach(json_object_get(json, "candidates"), k, candidate)
    {
        if (!candidate_read(candidate, t))
            return false;
        if (k > 0 && !strcmp(t->candidate[k].name, json_text_at(json, "best")) &&
            t->candidate[k].segment == json_number_at(json, "segment"))
            t->best = (int)k;
    }
    return t->n > 0;
}

/* --- the file --- */

static void path_of(const char *directory, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/tuned.json", directory);
}

long tuned_set_save(const struct tuned_set *s, const char *directory)
{
    char path[PATH_MAX];
    struct save file;
    json_t *list = json_array();
    path_of(directory, path);
    for (size_t i = 0; i < s->list.n; i++)
        json_push(list, tuned_json(&s->list.at[i]));
    json_t *json =
        json_pack("{s:s, s:b, s:o}", "library", s->library, "complete", s->complete, "tuned", list);
    if (!rules_possible(directory) || !save_open(&file, path)) {
        json_decref(json);
        return -1;
    }
    json_write(json, file.out, true);
    return save_commit(&file) ? rules_save(directory, s->library, s->list.at, s->list.n) : -1;
}

bool tuned_set_load(struct tuned_set *s, const char *directory)
{
    char path[PATH_MAX], why[PATH_MAX + 200];
    size_t i;
    const json_t *one;
    path_of(directory, path);
    *s = (struct tuned_set){0};
    if (access(path, F_OK))
        return true;
    json_t *json = json_file_load(path, why, sizeof why);
    if (!json)
        return reason_give("%s", why);
    bool good = json_is_array(json_object_get(json, "tuned"));
    text_copy(s->library, sizeof s->library, json_text_at(json, "library"));
    s->complete = json_is_true(json_object_get(json, "complete"));
    json_array_foreach(json_object_get(json, "tuned"), i, one) good =
        good && tuned_read(one, PUSH(&s->list));
    json_decref(json);
    if (good)
        return true;
    free(s->list.at);
    *s = (struct tuned_set){0};
    return reason_give("%s is damaged: tune again", path);
}

const struct tuned *tuned_set_find(const struct tuned_set *s, const struct tuned *t)
{
    for (size_t i = 0; i < s->list.n; i++) {
        const struct tuned *x = &s->list.at[i];
        if (x->operation == t->operation && x->ranks == t->ranks && x->bytes == t->bytes &&
            !strcmp(x->arrival, t->arrival))
            return x;
    }
    return NULL;
}
