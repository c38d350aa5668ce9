/* The runs that directories hold. */
#include "cli/cli.h"

#include "base/text.h"
#include "document/text.h"
#include "report/report.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool holds_run(const char *path)
{
    DIR *dir = opendir(path);
    bool found = false;
    for (struct dirent *e; dir && !found && (e = readdir(dir));)
        found = !strcmp(e->d_name, "profile.json") || !strncmp(e->d_name, "rank.", 5);
    if (dir)
        closedir(dir);
    return found;
}

static void add(struct kept_runs *r, const char *path)
{
    struct stat one, other;
    if (stat(path, &one) || !S_ISDIR(one.st_mode) || !holds_run(path))
        return;
    for (size_t i = 0; i < r->list.n; i++)
        if (!stat(r->list.at[i].path, &other) && one.st_dev == other.st_dev &&
            one.st_ino == other.st_ino)
            return; /* by a link */
    struct profile *p = profile_load(path);
    if (p)
        *PUSH(&r->list) = (struct kept_run){memory_strdup(path), p};
}

/* Those in DIRECTORY whose names begin with PREFIX. */
static void add_inside(struct kept_runs *r, const char *directory, const char *prefix)
{
    DIR *dir = opendir(directory);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char inner[4200];
        if (*e->d_name == '.' || strncmp(e->d_name, prefix, strlen(prefix)) != 0)
            continue;
        int n = strcmp(directory, ".")
                    ? snprintf(inner, sizeof inner, "%s/%s", directory, e->d_name)
                    : snprintf(inner, sizeof inner, "%s", e->d_name);
        if ((size_t)n < sizeof inner)
            add(r, inner);
    }
    if (dir)
        closedir(dir);
}

static int latest_first(const void *a, const void *b)
{
    const struct kept_run *x = a, *y = b;
    return ORDER(y->profile->started_unix, x->profile->started_unix) ?: strcmp(x->path, y->path);
}

struct kept_runs runs_find(const char *directory)
{
    struct kept_runs r = {0};
    char parent[4100], prefix[300];
    size_t length = (size_t)(text_base_of(directory) - directory);
    snprintf(parent, sizeof parent, "%.*s", (int)(length > 1 ? length - 1 : length), directory);
    snprintf(prefix, sizeof prefix, "%.250s-", text_base_of(directory));
    add(&r, directory);
    add_inside(&r, directory, "");
    add_inside(&r, *parent ? parent : ".", prefix);
    if (r.list.n)
        qsort(r.list.at, r.list.n, sizeof *r.list.at, latest_first);
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

static const char *state_of(const struct profile *p)
{
    for (size_t i = 0; i < p->ranks.n; i++)
        if (p->ranks.at[i].alive)
            return "running";
    return p->crashed ? "incomplete" : "complete";
}

void runs_print(const struct kept_runs *r)
{
    static const struct column columns[] = {
        {"run", NULL, COLUMN_TEXT},
        {"started", NULL, COLUMN_TEXT},
        {"ranks", NULL, COLUMN_INTEGER},
        {"wall", NULL, COLUMN_TIME},
        {"state", NULL, COLUMN_TEXT},
        {"application", NULL, COLUMN_TEXT, .flags = COLUMN_SHORTEN}};
    struct document *d = document_new("collprof-runs/1");
    struct table *t = d ? document_table_of(d, "runs", NULL, columns) : NULL;
    for (size_t i = 0; i < r->list.n; i++) {
        const struct profile *p = r->list.at[i].profile;
        char date[64];
        table_text(t, r->list.at[i].path);
        table_text(t, *profile_started(p, "%Y-%m-%d %H:%M:%S", date) ? date : NULL);
        table_integer(t, p->size > 0 ? (int)p->size : (int)p->ranks.n);
        table_real(t, profile_longest_ns(p) / 1e9);
        table_text(t, state_of(p));
        table_text(t, p->programs.n ? p->programs.at[0] : NULL);
    }
    if (t)
        table_text_write(t, stdout, &(struct text_options){.width = (size_t)report_width(stdout)});
    document_free(d);
}
