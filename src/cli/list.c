/* collprof list: the runs in a directory, those beside it, and those that are kept in it. */
#include "cli/cli.h"

#include "base/array.h"
#include "profile/profile.h"
#include "report/layout.h"
#include "report/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct listed_run {
    char *path;
    double started;
    struct profile *p;
    double bytes;
};

struct runs {
    const char **directory;
    size_t n;
    ARRAY(struct listed_run) list;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct runs *r = state->input;
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    r->directory[r->n++] = argument;
    return 0;
}

static bool is_of_run(const char *name)
{
    return !strcmp(name, "profile.json") || ledger_is_name(name);
}

/* Bytes of the files in PATH, and whether there is a run among them. */
static bool holds_run(const char *path, double *bytes)
{
    bool found = false;
    DIR *dir = opendir(path);
    *bytes = 0;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        struct stat st;
        if (fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
            continue;
        *bytes += (double)st.st_size;
        found = found || is_of_run(e->d_name);
    }
    if (dir)
        closedir(dir);
    return found;
}

/* False if there is none that can be read. */
static bool add(struct runs *r, const char *path)
{
    double bytes;
    struct profile *p = holds_run(path, &bytes) ? profile_load(path) : NULL;
    if (p)
        *PUSH(&r->list) = (struct listed_run){memory_strdup(path), p->started_unix, p, bytes};
    return p != NULL;
}

/* The directories in PATH that hold one. */
static bool add_inside(struct runs *r, const char *path)
{
    bool any = false;
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char inner[4200];
        struct stat st;
        if (*e->d_name == '.' ||
            (size_t)snprintf(inner, sizeof inner, "%s/%s", path, e->d_name) >= sizeof inner)
            continue;
        if (!lstat(inner, &st) && S_ISDIR(st.st_mode))
            any = add(r, inner) || any;
    }
    if (dir)
        closedir(dir);
    return any;
}

/* Where runs went that found PATH in use. */
static void add_beside(struct runs *r, const char *path)
{
    for (int i = 2; i < 100; i++) {
        char beside[4200];
        snprintf(beside, sizeof beside, "%.4000s-%d", path, i);
        add(r, beside);
        add_inside(r, beside);
    }
}

static int latest_first(const void *a, const void *b)
{
    const struct listed_run *x = a, *y = b;
    return ORDER(y->started, x->started) ?: strcmp(x->path, y->path);
}

static const char *state_of(const struct profile *p)
{
    for (size_t i = 0; i < p->ranks.n; i++)
        if (p->ranks.at[i].alive)
            return "running";
    return p->crashed ? "incomplete" : "complete";
}

static void put(struct layout *l, const struct listed_run *run)
{
    const struct profile *p = run->p;
    char date[64];
    if (!*profile_started(p, "%Y-%m-%d %H:%M:%S", date))
        strcpy(date, "-");
    layout_cell(l, "%s", run->path);
    layout_cell(l, "%s", date);
    layout_cell(l, "%d", p->size > 0 ? (int)p->size : (int)p->ranks.n);
    layout_time(l, profile_longest_ns(p));
    layout_cell(l, "%s", state_of(p));
    layout_bytes(l, run->bytes);
    layout_cell(l, "%s", p->programs.n ? p->programs.at[0] : "");
}

int cli_list(int argc, char **argv)
{
    static const struct argp argp = {
        .parser = parse,
        .args_doc = "[DIR...]",
        .doc =
            "Lists the runs in each DIR (collprof.out), in the directories in it, and beside it in "
            "DIR-2, DIR-3, ...: the latest first."};
    static const char *usual[] = {CLI_DIRECTORY};
    struct runs r = {.directory = calloc((size_t)argc + 1, sizeof(char *))};
    int status = 0;
    if (!r.directory)
        cli_refuse("out of memory");
    cli_parse(&argp, argc, argv, 0, &r);
    const char **directory = r.n ? r.directory : usual;
    for (size_t i = 0; i < (r.n ? r.n : 1); i++) {
        bool any = add(&r, directory[i]);
        any = add_inside(&r, directory[i]) || any;
        add_beside(&r, directory[i]);
        if (!any) {
            reason_say(cli_name, "%s: %s: what `collprof run -o` wrote would be right",
                       directory[i], access(directory[i], R_OK) ? strerror(errno) : "no run in it");
            status = 1;
        }
    }
    if (r.list.n) {
        qsort(r.list.at, r.list.n, sizeof *r.list.at, latest_first);
        struct layout *l = layout_new("Llrrlrl");
        layout_heading(l, "run|started|ranks|wall|state|size|application");
        for (size_t i = 0; i < r.list.n; i++)
            put(l, &r.list.at[i]);
        layout_print(l, stdout, text_width_of(stdout, 0));
    }
    for (size_t i = 0; i < r.list.n; i++) {
        profile_free(r.list.at[i].p);
        free(r.list.at[i].path);
    }
    free(r.list.at);
    free(r.directory);
    return cli_flush() ? status : 1;
}
