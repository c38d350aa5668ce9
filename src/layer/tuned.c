/* What --tune has found, as files that the MPI library reads. */
#include "layer/parts.h"

#include "base/array.h"
#include "base/text.h"
#include "document/json.h"
#include "profile/profile.h"
#include "tune/library.h"

#include <stdlib.h>
#include <string.h>

static double number_in(const json_t *f, const char *key)
{
    const json_t *value = json_object_get(f, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* The reverse of what inject/tune.c writes. */
static void read_finding(const json_t *f, struct tuned *t)
{
    size_t k;
    const json_t *c;
    *t = (struct tuned){
        .operation = tuned_operation_find(json_string_value(json_object_get(f, "operation"))),
        .ranks = (int)number_in(f, "ranks"),
        .bytes = (size_t)number_in(f, "bytes")};
    json_array_foreach(json_object_get(f, "candidates"), k, c)
    {
        if (k == ALGORITHMS_MAX)
            break;
        struct algorithm *a = &t->candidate[t->n];
        text_copy(a->name, sizeof a->name, json_string_value(json_object_get(c, "algorithm")));
        a->number = (int)number_in(c, "number");
        a->segment = (int)number_in(c, "segment");
        t->time[t->n].value = 1e-6 * number_in(c, "time_us");
        t->ratio[t->n++] =
            (struct estimate){number_in(c, "ratio"), number_in(c, "low"), number_in(c, "high")};
    }
}

void tuned_save(const struct profile *p)
{
    char library[128];
    ARRAY(struct tuned) all = {0};
    for (size_t i = 0; i < p->findings.n; i++)
        if (!strcmp(p->findings.at[i].kind, "tune"))
            read_finding(p->findings.at[i].value, PUSH(&all));
    tuning_library_name(library, sizeof library);
    if (all.n)
        rules_save(run_directory.path, library, all.at, all.n);
    free(all.at);
}
