/* Finds and lists runs. */
#include "cli/cli.h"

#include "base/input.h"
#include "base/text.h"
#include "document/text.h"
#include "record/ledger.h"
#include "report/report.h"
#include "verdict/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Adds the run in PATH, if there is one and it was not added under another name. */
static void add(struct kept_runs *r, const char *path)
{
    glob_t records RELEASED(globfree) = input_list(path, "/rank[.-]*");
    bool holds = profile_exists(path) || records.gl_pathc;
    for (size_t i = 0; i < r->list.n; i++)
        holds = holds && !cli_is_same(r->list.at[i].path, path);
    struct profile *p = holds ? profile_load(path) : NULL;
    if (p)
        *PUSH(&r->list) = (struct kept_run){memory_strdup(path), p};
}

COMPARISON(latest_first, struct kept_run,
           ORDER(y->profile->started_unix, x->profile->started_unix) ?: strcmp(x->path, y->path))

struct kept_runs runs_find(const char *directory)
{
    static const char *const endings[] = {"", "/*", "-*"};
    struct kept_runs r = {0};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        glob_t found RELEASED(globfree) = input_list(directory, endings[i]);
        for (size_t k = 0; k < found.gl_pathc; k++)
            add(&r, found.gl_pathv[k]);
    }
    if (r.list.n)
        qsort(r.list.at, r.list.n, sizeof *r.list.at, latest_first);
    else
        reason_give("%s: contains no run: use: mpiexec -n N collprof ./app, or another directory",
                    directory);
    return r;
}

void runs_free(struct kept_runs *r)
{
    for (size_t i = 0; i < r->list.n; i++) {
        profile_free(r->list.at[i].profile);
        free(r->list.at[i].path);
    }
    free(r->list.at);
}

/* Start of the run in PATH, in seconds since 1970; 0 if the run has no records, or no living
 * process that is WANTED (see runs_newest()). */
static double start_of(const char *path, bool (*wanted)(const void *arg, pid_t pid),
                       const void *arg)
{
    glob_t records RELEASED(globfree) = input_list(path, "/" LEDGER_NAMES);
    double start = 0;
    for (size_t i = 0; i < records.gl_pathc && start <= 0; i++) {
        struct ledger_header h;
        if (!ledger_peek(&h, records.gl_pathv[i]) &&
            (!wanted || (ledger_is_alive(&h) && wanted(arg, (pid_t)h.pid))))
            start = h.started_unix;
    }
    return start;
}

char *runs_newest(const char *directory, double latest, bool (*wanted)(const void *arg, pid_t pid),
                  const void *arg)
{
    char *found = NULL;
    glob_t runs RELEASED(globfree) = input_list(directory, "-????????");
    for (size_t i = 0; i < runs.gl_pathc; i++) {
        const double start = start_of(runs.gl_pathv[i], wanted, arg);
        if (start <= latest)
            continue;
        latest = start;
        free(found);
        found = memory_strdup(runs.gl_pathv[i]);
    }
    return found;
}

char *runs_current(const char *directory)
{
    struct stat link;
    double made = 0; /* time when the link was made; 0: there is none */
    char *found = NULL;
    const bool exists = !lstat(directory, &link);
    if (exists)
        made = (double)link.st_mtim.tv_sec + (double)link.st_mtim.tv_nsec / 1e9;
    if (!exists || S_ISLNK(link.st_mode))
        found = runs_newest(directory, made, NULL, NULL);
    return found ?: memory_strdup(directory);
}

/* Adds the run's state to T, for an incomplete run with the kind of its verdict, as "deadlock". The
 * kind "moving" is left out if all ranks are finalized. */
static void put_state(struct table *t, const char *path, const struct profile *p)
{
    const char *state = run_state_of(p);
    struct situation *e =
        strcmp(state, "incomplete") ? NULL : situation_read(path, VERDICT_SETTLED);
    json_auto_t *verdict = e ? verdict_json_of(e) : NULL;
    const char *kind = json_text_at(verdict, "kind");
    char text[100];
    bool moves = false;
    for (size_t i = 0; i < p->ranks.n; i++)
        moves = moves || p->ranks.at[i].state != LEDGER_FINALIZED;
    snprintf(text, sizeof text, "%s (%.50s)", state, kind);
    table_text(t, e && (moves || strcmp(kind, "moving")) ? text : state);
    situation_free(e);
}

bool runs_print(const char *directory)
{
    struct kept_runs runs RELEASED(runs_free) = runs_find(directory);
    static const struct column columns[] = {
        {"run", NULL, COLUMN_TEXT},      {"started", NULL, COLUMN_TEXT},
        {"ranks", NULL, COLUMN_INTEGER}, {"wall", NULL, COLUMN_TIME},
        {"state", NULL, COLUMN_TEXT},    {"program", NULL, COLUMN_TEXT, .flags = COLUMN_SHORTEN}};
    if (!runs.list.n)
        return false;
    struct document *d = document_new("collprof-runs/1");
    struct table *t = document_table_of(d, "runs", NULL, columns);
    for (size_t i = 0; i < runs.list.n; i++) {
        const struct profile *p = runs.list.at[i].profile;
        char date[64];
        table_text(t, runs.list.at[i].path);
        table_text(t, *profile_started(p, "%Y-%m-%d %H:%M:%S", date) ? date : NULL);
        table_integer(t, p->size > 0 ? (int)p->size : (int)p->ranks.n);
        table_real(t, profile_longest_known(p) ? profile_longest_ns(p) / 1e9 : NAN);
        put_state(t, runs.list.at[i].path, p);
        table_text(t, p->programs.n ? text_base_of(p->programs.at[0].text) : NULL);
    }
    table_text_write(t, stdout, &(struct text_options){.width = report_width(stdout)});
    document_free(d);
    return true;
}
