#include "base/settings.h"

#include "base/hash.h"
#include "base/names.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

enum kind { KIND_TEXT, KIND_NUMBER, KIND_SECONDS, KIND_SWITCH, KIND_WORD, KIND_WORDS };

/* What a value may be, and where it is kept; parallel to settings_table. */
struct rule {
    enum kind kind;
    size_t offset, room;
    long low, high;
    const char *words; /* KIND_WORD: "one|all"; KIND_WORDS: several of them, with commas */
    const char *right; /* what would be right */
};

#define BCAST_NAMES "grid" BCASTS(BCAST_AFTER_BAR)
#define METHODS "all" BCAST_METHODS(METHOD_AFTER_BAR)

#define KEEP(field) offsetof(struct settings, field), sizeof((struct settings *)0)->field

const struct setting settings_table[] = {
    {"output", 'o', "DIR", NULL, "collprof.out", "write records and profile to DIR", SETTING_OWN},
    {"stack", 's', "N", NULL, "4", "tell call sites apart by N frames, 0 to 8; 0: no call sites",
     SETTING_RECORDS},
    {"memory", 0, "MIB", NULL, "2", "memory and disk for records, MiB per rank", SETTING_OWN},
    {"top", 't', "N", NULL, "10", "lines in each table of the report", SETTING_OWN},
    {"report", 0, "yes|no", "yes", "yes", "print the report when the application ends",
     SETTING_OWN},
    {"keep", 0, NULL, "yes", "no", "keep the raw records also when all went well", SETTING_OWN},
    {"keep-runs", 0, "N", NULL, "3", "earlier runs that are kept in DIR/before-DATE; 0: none",
     SETTING_OWN},
    {"start", 0, "yes|no", "yes", "yes", "record from the start; no: after MPI_Pcontrol(1)",
     SETTING_RECORDS},
    {"chain", 0, NULL, "yes", "no",
     "pass calls on to another preloaded tool instead of to the MPI library", SETTING_OWN},
    {"yield", 'y', NULL, "yes", "no",
     "give the processor away while MPI waits: for more ranks than processors", SETTING_OWN},
    {"ack", 'a', "one|all", "one", "",
     "inject acknowledgements: broadcast latency per destination, in the application",
     SETTING_INJECTS},
    {"ack-share", 0, "PERCENT", NULL, "1",
     "acknowledge so few broadcasts that no rank waits longer for it than this part of the run",
     SETTING_INJECTS},
    {"benchmark", 'b', "METHODS", "all", "",
     "run the measuring methods before the application's collectives, at their sizes: all, or "
     "names as held,direct",
     SETTING_INJECTS},
    {"benchmark-every", 0, "K", NULL, "0",
     "measure again at every K-th call of a signature; 0: at its first and ninth only",
     SETTING_INJECTS},
    {"benchmark-budget", 0, "SEC", NULL, "10", "time for all measurements together",
     SETTING_INJECTS},
    {"bcast", 0, "NAME", NULL, "",
     "run the application with another broadcast: " BCASTS(BCAST_BEFORE_COMMA) "grid",
     SETTING_INJECTS},
    {"trace", 0, "calls|transport", "calls", "",
     "record every call and message, in more memory: who waits for whom, a timeline to plot and to "
     "export; transport: and what MPI does below them",
     SETTING_RECORDS},
    {"latencies", 0, "LOG", NULL, "", "log of collbench-pairs, for --bcast=grid", SETTING_INJECTS},
};

static const struct rule rules[] = {
    {KIND_TEXT, KEEP(output), 0, 0, NULL, "the name of a directory"},
    {KIND_NUMBER, KEEP(stack), 0, 8, NULL, "a number from 0 to 8"},
    {KIND_NUMBER, KEEP(memory), 1, 1024, NULL, "a number of MiB from 1 to 1024"},
    {KIND_NUMBER, KEEP(top), 1, 10000, NULL, "a number from 1 to 10000"},
    {KIND_SWITCH, KEEP(report), 0, 0, NULL, "yes or no"},
    {KIND_SWITCH, KEEP(keep), 0, 0, NULL, "yes or no"},
    {KIND_NUMBER, KEEP(keep_runs), 0, 1000, NULL, "a number from 0 to 1000"},
    {KIND_SWITCH, KEEP(start), 0, 0, NULL, "yes or no"},
    {KIND_SWITCH, KEEP(chain), 0, 0, NULL, "yes or no"},
    {KIND_SWITCH, KEEP(yield), 0, 0, NULL, "yes or no"},
    {KIND_WORD, KEEP(ack), 0, 0, "one|all", "one or all"},
    {KIND_SECONDS, KEEP(ack_share), 0, 0, NULL, "a positive number of percent"},
    {KIND_WORDS, KEEP(benchmark), 0, 0, METHODS, "one or more, with commas, of " METHODS},
    {KIND_NUMBER, KEEP(benchmark_every), 0, 1000000000, NULL, "a number of calls"},
    {KIND_SECONDS, KEEP(benchmark_budget), 0, 0, NULL, "a positive number of seconds"},
    {KIND_WORD, KEEP(bcast), 0, 0, BCAST_NAMES, "one of " BCAST_NAMES},
    {KIND_WORD, KEEP(trace), 0, 0, "calls|transport", "calls or transport"},
    {KIND_TEXT, KEEP(latencies), 0, 0, NULL, "the name of a file"},
};

const size_t settings_count = sizeof settings_table / sizeof *settings_table;
_Static_assert(sizeof settings_table / sizeof *settings_table == sizeof rules / sizeof *rules,
               "every setting has its rule");
_Static_assert(sizeof rules / sizeof *rules <= SETTINGS_MAX, "there are not more");

static bool set_switch(bool *where, const char *text)
{
    static const char *const yes[] = {"yes", "1", "on", "true"};
    static const char *const no[] = {"no", "0", "off", "false"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        if (!strcmp(text, yes[i]) || !strcmp(text, no[i])) {
            *where = !strcmp(text, yes[i]);
            return true;
        }
    }
    return false;
}

static bool is_one_of(const char *text, size_t length, const char *words)
{
    for (const char *w = words; w && !memchr(text, '|', length);
         w = strchr(w, '|') ? strchr(w, '|') + 1 : NULL)
        if (!strncmp(w, text, length) && (w[length] == '|' || w[length] == '\0'))
            return true;
    return false;
}

static bool are_some_of(const char *text, const char *words)
{
    for (;; text++) {
        size_t length = strcspn(text, ",");
        if (!is_one_of(text, length, words))
            return false;
        text += length;
        if (!*text)
            return true;
    }
}

static bool is_legal_text(const struct rule *r, const char *text)
{
    return !*text || r->kind == KIND_TEXT ||
           (r->kind == KIND_WORD ? is_one_of(text, strlen(text), r->words)
                                 : are_some_of(text, r->words));
}

static bool set_number(const struct rule *r, void *where, const char *text)
{
    char *end;
    errno = 0;
    if (r->kind == KIND_SECONDS) {
        double seconds = strtod(text, &end);
        if (end == text || *end || errno || !(seconds > 0 && seconds < 1e9))
            return false;
        *(double *)where = seconds;
        return true;
    }
    long number = strtol(text, &end, 10);
    if (end == text || *end || errno || number < r->low || number > r->high)
        return false;
    *(long *)where = number;
    return true;
}

const char *settings_set(struct settings *s, const struct setting *setting, const char *text)
{
    const struct rule *r = &rules[setting - settings_table];
    void *where = (char *)s + r->offset;
    bool ok;
    switch (r->kind) {
    case KIND_SWITCH:
        ok = set_switch(where, text);
        break;
    case KIND_NUMBER:
    case KIND_SECONDS:
        ok = set_number(r, where, text);
        break;
    default:
        /* Empty means "as if not given", for the settings that are off by default. */
        ok = strlen(text) < r->room && (*text || !*setting->initial) && is_legal_text(r, text);
        if (ok)
            strcpy(where, text);
    }
    return ok ? NULL : r->right;
}

uint64_t settings_hash(const struct settings *s, size_t i)
{
    const char *value = (const char *)s + rules[i].offset;
    size_t size = rules[i].kind == KIND_SWITCH    ? sizeof s->start
                  : rules[i].kind == KIND_NUMBER  ? sizeof s->stack
                  : rules[i].kind == KIND_SECONDS ? sizeof s->ack_share
                                                  : strlen(value);
    return hash_bytes(HASH_START, value, size);
}

void settings_default(struct settings *s)
{
    *s = (struct settings){0};
    for (size_t i = 0; i < settings_count; i++)
        settings_set(s, &settings_table[i], settings_table[i].initial);
}

void settings_variable(const struct setting *setting, char name[64])
{
    int n = snprintf(name, 64, "COLLPROF_%s", setting->option);
    for (int i = 0; i < n; i++)
        name[i] = name[i] == '-' ? '_' : (char)toupper((unsigned char)name[i]);
}

const struct setting *settings_find_variable(const char *name, size_t length)
{
    char candidate[64];
    for (size_t i = 0; i < settings_count; i++) {
        settings_variable(&settings_table[i], candidate);
        if (strlen(candidate) == length && !strncmp(candidate, name, length))
            return &settings_table[i];
    }
    return NULL;
}

char *const *settings_environment(void)
{
    static char *const none[] = {NULL};
    return getauxval(AT_SECURE) ? none : environ;
}

void settings_read(struct settings *s, char *const *environment,
                   void (*complain)(const char *line, void *arg), void *arg)
{
    char line[512];
    for (char *const *e = environment; e && *e; e++) {
        if (strncmp(*e, "COLLPROF_", 9))
            continue;
        size_t length = strcspn(*e, "=");
        const char *value = (*e)[length] ? *e + length + 1 : "";
        const struct setting *setting = settings_find_variable(*e, length);
        const char *right = setting ? settings_set(s, setting, value) : NULL;
        if (!setting)
            snprintf(line, sizeof line, "unknown variable %.*s: `collprof run --help` lists them",
                     (int)length, *e);
        else if (right)
            snprintf(line, sizeof line, "%.*s is '%s': %s would be right", (int)length, *e, value,
                     right);
        else
            continue;
        if (complain)
            complain(line, arg);
    }
}
