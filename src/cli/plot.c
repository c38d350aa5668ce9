/* collprof plot: pictures of a run. */
#include "cli/cli.h"

#include "base/reason.h"
#include "page/rows.h"
#include "picture/overlap_map.h"
#include "picture/pairs_plot.h"
#include "picture/pictures.h"
#include "picture/plot.h"
#include "picture/timeline_draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct options {
    const char *name, *directory, *output, *picture, *overlap;
    long top;
    bool show, force;
    struct picture_view view;
};

enum { FROM = 256, TO, RANKS, SHOW, FORCE };

static const struct argp_option options[] = {
    {"picture", 'p', "NAME", 0, "only one of those below", 0},
    {"output", 'o', "FILE", 0, "write the one picture to FILE, .png or .svg (DIR/NAME.png)", 0},
    {"overlap", 'm', "FILE", 0,
     "draw the overlap map that collbench-overlap wrote to FILE as JSON, with the requests of the "
     "run in DIR marked: what the machine could hide of them",
     0},
    {"top", 't', "N", 0, "lines in a picture (6)", 0},
    {"show", SHOW, NULL, 0, "open what was drawn, by BROWSER or xdg-open", 0},
    {"from", FROM, "SEC", 0, "of a timeline: draw from there, seconds since the start of the run",
     0},
    {"to", TO, "SEC", 0, "of a timeline: up to there (with neither: around the longest wait)", 0},
    {"ranks", RANKS, "LIST", 0, "of a timeline: only these ranks, as 0-3,7", 0},
    {"force", FORCE, NULL, 0, "replace files of these names also if collprof has not made them", 0},
    {0}};

static const char *picture_name(size_t i)
{
    return i < n_pictures ? pictures[i].name : NULL;
}

/* What is declared in picture/pictures.c, as help. For free(). */
static char *describe(int key, const char *text, void *input)
{
    char *list = NULL;
    size_t size;
    (void)input;
    FILE *out = key == ARGP_KEY_HELP_POST_DOC ? open_memstream(&list, &size) : NULL;
    if (!out)
        return (char *)text;
    fputs("Pictures:\n", out);
    for (size_t i = 0; i < n_pictures; i++)
        fprintf(out, "  %-11s %s\n", pictures[i].name, pictures[i].summary);
    fclose(out);
    return list;
}

static double seconds(const struct options *o, const char *option, const char *text)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= 0 && value < 1e9))
        cli_refuse(o->name, "%s is '%s': a number of seconds would be right", option, text);
    return value;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case 'p':
        o->picture =
            pictures[cli_choice(o->name, "there is no picture", argument, picture_name)].name;
        return 0;
    case 'o':
        o->output = argument;
        return 0;
    case 'm':
        o->overlap = argument;
        return 0;
    case 't':
        o->top = cli_lines(o->name, argument);
        return 0;
    case FROM:
        o->view.from = seconds(o, "--from", argument);
        return 0;
    case TO:
        o->view.to = seconds(o, "--to", argument);
        return 0;
    case RANKS:
        if (timeline_ranks_valid(argument))
            cli_refuse(o->name, "--ranks is '%s': %s would be right", argument,
                       timeline_ranks_valid(argument));
        o->view.ranks = argument;
        return 0;
    case SHOW:
        o->show = true;
        return 0;
    case FORCE:
        o->force = true;
        return 0;
    case ARGP_KEY_ARG:
        if (o->directory)
            cli_refuse(o->name, "'%s' is one directory too many", argument);
        o->directory = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void check(const struct options *o)
{
    if (o->view.to > 0 && o->view.to <= o->view.from)
        cli_refuse(o->name, "--from is not before --to: a range of time would be right");
    if (o->picture && o->overlap)
        cli_refuse(o->name, "--picture and --overlap: one of them would be right");
    if (o->output && !plot_path_valid(o->output))
        cli_give_up(o->name, CLI_USAGE);
}

static bool chosen(const struct options *o, const struct picture *picture)
{
    return !o->picture || !strcmp(o->picture, picture->name);
}

/* Whatever the user has not named is replaced only if it is a picture of ours. */
static void check_targets(const struct options *o, const char *directory)
{
    char path[4400];
    if (o->output || o->force)
        return;
    for (size_t i = 0; i < n_pictures && !o->overlap; i++) {
        snprintf(path, sizeof path, "%s/%s.png", directory, pictures[i].name);
        if (chosen(o, &pictures[i]))
            cli_may_replace(o->name, path);
    }
    snprintf(path, sizeof path, "%s/overlap.png", directory);
    if (o->overlap)
        cli_may_replace(o->name, path);
}

static bool draw(const struct options *o, const struct profile *p, const char *directory)
{
    bool good = true;
    for (size_t i = 0; i < n_pictures; i++) {
        char path[4400];
        if (!chosen(o, &pictures[i]))
            continue;
        snprintf(path, sizeof path, "%s/%s.png", directory, pictures[i].name);
        const char *target = o->output ? o->output : path;
        struct profile *trace = pictures[i].traced && (p->trace.on || o->picture)
                                    ? profile_load_trace(directory)
                                    : NULL;
        struct picture_view view = o->view;
        view.top = (size_t)o->top;
        bool missing = pictures[i].traced && !trace;
        const char *needs = trace ? "a rank and a time with calls in them" : pictures[i].needs;
        enum picture_result result =
            missing ? PICTURE_EMPTY : pictures[i].draw(trace ? trace : p, target, &view);
        profile_free(trace);
        if (result == PICTURE_DRAWN) {
            printf("%s: %s\n", target, pictures[i].summary);
            good = (!o->show || cli_show(o->name, target)) && good;
        }
        if (result == PICTURE_EMPTY)
            printf("%s: nothing to draw: %s\n", pictures[i].name, needs);
        good = good && result != PICTURE_FAILED && (result == PICTURE_DRAWN || !o->picture);
    }
    return good;
}

static struct overlap_map *load_maps(const char *path, size_t *n)
{
    char why[1000];
    struct overlap_map *maps = overlap_maps_load(path, n, why, sizeof why);
    if (!maps)
        reason_give("%s", why);
    return maps;
}

/* Requests of the run as points on the map: their size, and the time between post and wait. */
static bool draw_overlap(const struct options *o, const struct profile *p, const char *path)
{
    size_t n_maps, n = 0;
    struct overlap_map *maps = load_maps(o->overlap, &n_maps);
    double *x = profile_alloc((p->entries.n + 1) * sizeof *x);
    double *y = profile_alloc((p->entries.n + 1) * sizeof *y);
    struct profile *rows = rows_of(p, ROWS_BY_SITE);
    for (size_t i = 0; i < rows->entries.n; i++) {
        const struct profile_entry *e = &rows->entries.at[i];
        if (!e->completed || !e->completed_bytes)
            continue;
        x[n] = (double)e->completed_bytes / (double)e->completed;
        y[n++] = (double)e->window_ns / (double)e->completed / 1e9;
    }
    bool good = n_maps && overlap_map_draw(path, &maps[0], x, y, n);
    if (good)
        printf("%s: %s, with %zu call sites that post requests\n", path, maps[0].title, n);
    good = good && (!o->show || cli_show(o->name, path));
    for (size_t i = 0; i < n_maps; i++)
        overlap_map_free(&maps[i]);
    free(maps);
    free(x);
    free(y);
    profile_free(rows);
    return good;
}

/* FILE.log becomes FILE.png. */
static void picture_path(const char *file, char *path, size_t room)
{
    const char *slash = strrchr(file, '/'), *dot = strrchr(file, '.');
    bool ending = dot && (!slash || dot > slash + 1) && dot > file;
    snprintf(path, room, "%.*s.png", ending ? (int)(dot - file) : (int)strlen(file), file);
}

/* What the bench programs have written: overlap maps as JSON, latencies as a log. */
static bool draw_file(const struct options *o, const char *file)
{
    char path[4400];
    FILE *in = fopen(file, "r");
    int first = in ? fgetc(in) : EOF;
    while (first == ' ' || first == '\n')
        first = fgetc(in);
    if (in)
        fclose(in);
    picture_path(file, path, sizeof path);
    const char *target = o->output ? o->output : path;
    bool good;
    if (!o->output && !o->force)
        cli_may_replace(o->name, target);
    if (first == '{') {
        size_t n;
        struct overlap_map *maps = load_maps(file, &n);
        good = n && overlap_maps_draw(target, "Overlap of communication and computation", maps, n);
        for (size_t i = 0; i < n; i++)
            overlap_map_free(&maps[i]);
        free(maps);
    } else {
        good = pairs_log_plot(file, target);
    }
    if (good)
        printf("%s: from %s\n", target, file);
    return good && (!o->show || cli_show(o->name, target));
}

static bool draw_run(const struct options *o, const char *directory)
{
    char path[4400];
    check_targets(o, directory);
    struct profile *p = profile_load(directory);
    snprintf(path, sizeof path, "%s/overlap.png", directory);
    bool good = p && (o->overlap ? draw_overlap(o, p, o->output ? o->output : path)
                                 : draw(o, p, directory));
    profile_free(p);
    return good;
}

int cli_plot(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "[DIR | FILE]",
        .doc = "Draws pictures of the run in DIR (collprof.out), or of a FILE that collbench-pairs "
               "(its log) or collbench-overlap (JSON) wrote, by gnuplot.\v",
        .help_filter = describe};
    struct options o = {.name = argv[0], .top = 6};
    struct stat st;
    cli_parse(&argp, argc, argv, 0, &o);
    check(&o);
    const char *source = o.directory ? o.directory : "collprof.out";
    bool is_file = !stat(source, &st) && S_ISREG(st.st_mode);
    if (is_file && (o.picture || o.overlap))
        cli_refuse(o.name,
                   "--picture and --overlap are for the directory of a run, not for a file");
    if (!is_file && o.output && !o.picture && !o.overlap)
        cli_refuse(o.name, "--output names one file: --picture=NAME says which picture");
    bool good = is_file ? draw_file(&o, source) : draw_run(&o, source);
    return cli_flush(o.name) && good ? 0 : 1;
}
