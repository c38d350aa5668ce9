#include "verdict/text.h"

#include "document/json.h"
#include "document/save.h"

#include <stdio.h>
#include <string.h>

static const char kept_name[] = "verdict.json";

void verdict_keep(const char *directory, json_t *value)
{
    char path[4400];
    struct save save;
    json_put(value, "text",
             json_sprintf("the watchdog ended the run: %s",
                          json_string_value(json_object_get(value, "text"))));
    snprintf(path, sizeof path, "%s/%s", directory, kept_name);
    if (!save_open(&save, path))
        return;
    json_write(json_incref(value), save.out, true);
    save_commit(&save);
}

/* NULL if DIRECTORY has none that is as verdict_json() makes it. */
static json_t *kept_verdict(const char *directory)
{
    char path[4400], why[4500];
    const char *kind, *text;
    int proven;
    json_t *ranks, *groups, *notes, *value;
    snprintf(path, sizeof path, "%s/%s", directory, kept_name);
    value = json_file_load(path, why, sizeof why);
    if (value &&
        json_unpack(value, "{s:s, s:b, s:s, s:o, s:o, s:o}", "kind", &kind, "proven", &proven,
                    "text", &text, "ranks", &ranks, "groups", &groups, "notes", &notes)) {
        json_decref(value);
        return NULL;
    }
    json_make_printable(value);
    return value;
}

json_t *verdict_json_of(const char *directory, const struct situation *s)
{
    json_t *value = s->live ? NULL : kept_verdict(directory);
    if (value) {
        profile_name_sites(s->names); /* as verdict_json() does */
        return value;
    }
    struct verdict *v = verdict_of(s);
    value = verdict_json(s, v);
    verdict_free(v);
    return value;
}

static enum verdict_kind kind_of(const json_t *value)
{
    const char *name = json_string_value(json_object_get(value, "kind"));
    enum verdict_kind kind = 0;
    while (kind < VERDICT_MOVING && strcmp(name, verdict_rules[kind].name) != 0)
        kind++;
    return kind;
}

bool verdict_explains(const json_t *value)
{
    return kind_of(value) < VERDICT_UNKNOWN;
}

void verdict_summary(char text[VERDICT_TEXT], const json_t *value)
{
    const struct verdict_rule *rule = &verdict_rules[kind_of(value)];
    const json_t *ranks = json_object_get(value, "ranks");
    const bool proven = json_is_true(json_object_get(value, "proven"));
    snprintf(text, VERDICT_TEXT, "%s%s%s", proven && rule->in_calls ? "deadlock, " : "", rule->name,
             json_array_size(ranks) ? ": " : "");
    verdict_text_ranks(text, ranks);
}
