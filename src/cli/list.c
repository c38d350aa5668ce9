/* collprof list: the newest run of a name, those before it, and those in a directory. */
#include "cli/cli.h"

#include "base/array.h"
#include "profile/profile.h"
#include "report/layout.h"
#include "report/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
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

/* The runs PATH-JOB, except the one that PATH leads to. */
static bool add_beside(struct runs *r, const char *path)
{
    char pattern[4200];
    glob_t found;
    struct stat newest = {0}, st;
    bool any = false;
    stat(path, &newest);
    snprintf(pattern, sizeof pattern,
             "%.4000s-[0-9a-f][0-9a-f][0-9a-f][0-9a-f]"
             "[0-9a-f][0-9a-f][0-9a-f][0-9a-f]",
             path);
    if (glob(pattern, 0, NULL, &found))
        return false;
    for (size_t i = 0; i < found.gl_pathc; i++)
        if (!lstat(found.gl_pathv[i], &st) && S_ISDIR(st.st_mode) &&
            (st.st_ino != newest.st_ino || st.st_dev != newest.st_dev))
            any = add(r, found.gl_pathv[i]) || any;
    globfree(&found);
    return any;
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
    static const struct argp argp = {.parser = parse,
                                     .args_doc = "[DIR...]",
                                     .doc = "Lists the runs of each DIR (collprof.out): the one "
                                            "that it leads to, those before, and "
                                            "those in directories in it: the latest first."};
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
        any = add_beside(&r, directory[i]) || any;
        if (!any) {
            reason_say(cli_name, "%s: %s: what `collprof run -o` wrote would be right",
                       directory[i], access(directory[i], R_OK) ? strerror(errno) : "no run in it");
            status = 1;
        }
    }
    if (r.list.n) {
        qsort(r.list.at, r.list.n, sizeof *r.list.at, latest_first);
        struct layout *l = layout_new("llrrlrL");
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
