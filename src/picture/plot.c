#include "config.h"
#include "picture/plot_inner.h"

#include "base/quote.h"
#include "base/reason.h"
#include "base/stats.h"
#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Okabe and Ito's colours, told apart by colour-blind readers too; then greys. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#000000", "#808080"};
enum { N_COLOURS = sizeof colours / sizeof *colours };

bool plot_path_valid(const char *path)
{
    if (text_ends_with(path, ".png") || text_ends_with(path, ".svg"))
        return true;
    return reason_give("cannot draw %s: a name that ends in .png or .svg is needed", path);
}

bool script_begin(struct script *s, const char *path, int width, int height)
{
    *s = (struct script){.path = path};
    if (!plot_path_valid(path) || !save_open(&s->picture, path))
        return false;
    s->out = tmpfile();
    if (!s->out) {
        reason_give("cannot draw %s: no temporary file: %s", path, strerror(errno));
        save_abandon(&s->picture);
        return false;
    }
    fprintf(s->out, "set terminal %s size %d,%d noenhanced font 'sans,11' background '#ffffff'\n",
            text_ends_with(path, ".png") ? "pngcairo" : "svg", width, height);
    /* A browser would blur an image in an SVG: there every cell is a polygon. */
    fprintf(s->out, "cells = 'image%s'\n", text_ends_with(path, ".png") ? "" : " pixels");
    fputs("set encoding utf8\nset tics out nomirror\nset border 3 lc rgb '#404040'\n", s->out);
    return true;
}

void script_abandon(struct script *s)
{
    fclose(s->out);
    save_abandon(&s->picture);
}

/* GNUPLOT in the environment, or the one that configure found. */
static const char *plotter(void)
{
    const char *named = getenv("GNUPLOT");
    return named && *named ? named : GNUPLOT;
}

/* Starts the plotter on the script. It draws into the file that we have opened, and its complaints
 * go to COMPLAINTS. False, with the reason in errno (0: the plotter itself failed). */
static bool run_plotter(FILE *script, FILE *picture, FILE *complaints)
{
    posix_spawn_file_actions_t actions;
    char *argv[] = {(char *)plotter(), NULL};
    pid_t pid;
    int status;
    fflush(script);
    lseek(fileno(script), 0, SEEK_SET);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(picture), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(complaints), STDERR_FILENO);
    errno = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (errno)
        return false;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    errno = 0;
    return status == 0;
}

/* gnuplot points at the place with a caret, and then says what is wrong in a line. */
static void last_complaint(FILE *complaints, char *text, size_t size)
{
    char line[512];
    snprintf(text, size, "it said nothing");
    rewind(complaints);
    while (fgets(line, sizeof line, complaints)) {
        line[strcspn(line, "\n")] = '\0';
        size_t blanks = strspn(line, " \t");
        if (line[blanks] && line[blanks] != '^')
            snprintf(text, size, "%s", line + blanks);
    }
}

/* Says in the picture who made it (PNG's text chunk "Software"), before its last chunk: such a file
 * may be replaced, one of the user's may not. */
static void sign(FILE *picture)
{
    static const char signature[] = "\0\0\0\x11tEXtSoftware\0collprof\x52\x28\xbd\xc9"
                                    "\0\0\0\0IEND\xae\x42\x60\x82";
    if (!fseek(picture, -12, SEEK_END))
        fwrite(signature, 1, sizeof signature - 1, picture);
}

/* gnuplot does not notice that a disk is full. */
static bool is_whole(const struct script *s)
{
    struct stat st;
    char end[16] = "";
    const char *last = text_ends_with(s->path, ".png") ? "IEND" : "</svg>";
    return !s->picture.temporary ||
           (!fstat(fileno(s->picture.out), &st) &&
            pread(fileno(s->picture.out), end, sizeof end,
                  st.st_size < (off_t)sizeof end ? 0 : st.st_size - (off_t)sizeof end) > 0 &&
            memmem(end, sizeof end, last, strlen(last))) ||
           reason_give("cannot write %s: it is cut off: a disk with room for it would be right",
                       s->path);
}

bool script_run(struct script *s)
{
    FILE *complaints = tmpfile();
    char why[512];
    bool drawn = complaints && run_plotter(s->out, s->picture.out, complaints);
    int error = errno;
    if (!drawn) {
        if (error)
            snprintf(why, sizeof why, "%s: install gnuplot-nox, or name another in GNUPLOT",
                     strerror(error));
        else
            last_complaint(complaints, why, sizeof why);
        reason_give("cannot draw %s: %s: %s", s->path, plotter(), why);
    }
    if (complaints)
        fclose(complaints);
    fclose(s->out);
    if (!drawn || !is_whole(s)) {
        save_abandon(&s->picture);
        return false;
    }
    if (text_ends_with(s->path, ".png") && s->picture.temporary)
        sign(s->picture.out);
    return save_commit(&s->picture);
}

void script_axes(FILE *out, const struct plot_axes *axes)
{
    const char *const names[] = {"title", "xlabel", "ylabel"};
    const char *const texts[] = {axes->title, axes->x_label, axes->y_label};
    for (int i = 0; i < 3; i++) {
        fprintf(out, "set %s ", names[i]);
        quote_gnuplot(texts[i], out);
        fputs(i == 0 ? " font ',13'\n" : "\n", out);
    }
}

static char standing_caption[300];

void plot_caption(const char *text)
{
    snprintf(standing_caption, sizeof standing_caption, "%s", text);
}

void plot_caption_doubt(const char *why)
{
    size_t n = strlen(standing_caption);
    if (n && !strstr(standing_caption, "; "))
        snprintf(standing_caption + n, sizeof standing_caption - n,
                 "; %s: timings are not meaningful", why);
}

const char *plot_standing_caption(void)
{
    return standing_caption;
}

bool script_caption(FILE *out, const char *text, double y)
{
    text = text ? text : standing_caption;
    if (!*text)
        return false;
    fputs("set label 99 ", out);
    quote_gnuplot(text, out);
    fprintf(out, " at screen 0.01,%.4f left font ',9' tc rgb '#505050'\n", y);
    return true;
}

void tick_label(double value, const char *axis_label, char *text, size_t size)
{
    static const char units[] = "KMG";
    int unit = -1;
    bool bytes = axis_label && (strstr(axis_label, "(B") || strstr(axis_label, "byte"));
    while (bytes && value >= 1024 && unit < 2) {
        value /= 1024;
        unit++;
    }
    if (unit >= 0)
        snprintf(text, size, "%.*f%c", value < 10 && fabs(value - round(value)) > 0.05, value,
                 units[unit]);
    else if (fabs(value) < 1e5 && (fabs(value) >= 100 || value == round(value)))
        snprintf(text, size, "%.0f", value);
    else
        snprintf(text, size, "%.3g", value);
}

/* Zero bytes have no place on a logarithmic axis: half of the smallest is drawn, labelled 0. */
static double place_of_zero(const struct plot_series *series, size_t n)
{
    double least = INFINITY;
    for (size_t s = 0; s < n; s++)
        for (size_t i = 0; i < series[s].n; i++)
            if (series[s].x[i] > 0)
                least = fmin(least, series[s].x[i]);
    return isfinite(least) ? least / 2 : 1;
}

/* A tick at each x that was measured, as many as are legible. */
static void log2_ticks(FILE *out, const struct plot_axes *axes, const struct plot_series *series,
                       size_t n, double zero)
{
    enum { LEGIBLE = 16 };
    size_t total = 0, kept = 0;
    for (size_t s = 0; s < n; s++)
        total += series[s].n;
    double *x = calloc(total + 1, sizeof *x);
    if (!x)
        return;
    for (size_t s = 0, k = 0; s < n; s++)
        for (size_t i = 0; i < series[s].n; i++)
            x[k++] = series[s].x[i];
    stats_sort(x, total);
    for (size_t i = 0; i < total; i++)
        if (i == 0 || x[i] > x[kept - 1])
            x[kept++] = x[i];
    size_t step = (kept + LEGIBLE - 1) / LEGIBLE;
    fputs("set logscale x 2\nset xtics (", out);
    for (size_t i = 0; i < kept; i += step) {
        char label[32];
        tick_label(x[i], axes->x_label, label, sizeof label);
        fprintf(out, "%s\"%s\" %.9g", i ? ", " : "", label, x[i] > 0 ? x[i] : zero);
    }
    fputs(")\n", out);
    if (kept)
        fprintf(out, "set xrange [%.9g:%.9g]\n", 0.9 * (x[0] > 0 ? x[0] : zero), 1.1 * x[kept - 1]);
    free(x);
}

/* An end of the I-th interval; the figure itself where that is not known, or cannot be drawn. */
static double end_of(const struct plot_series *s, size_t i, const double *end)
{
    return end && end[i] > 0 ? end[i] : s->y[i];
}

/* Where the values span under three decades, 1-2-5 ticks: one labelled tick tells nothing. */
static void log10_ticks(FILE *out, const struct plot_series *series, size_t n)
{
    double low = INFINITY, high = 0;
    for (size_t s = 0; s < n; s++) {
        for (size_t i = 0; i < series[s].n; i++) {
            if (!(series[s].y[i] > 0))
                continue;
            low = fmin(low, end_of(&series[s], i, series[s].low));
            high = fmax(high, end_of(&series[s], i, series[s].high));
        }
    }
    fputs("set logscale y 10\nset format y '%h'\n", out);
    if (!(high > 0))
        return;
    fprintf(out, "set yrange [%.9g:%.9g]\n", low / 1.25, high * 1.25);
    if (high / low > 1e3)
        return;
    fputs("set ytics (", out);
    int first = (int)floor(log10(low)), last = (int)ceil(log10(high));
    for (int decade = first; decade <= last; decade++)
        for (int m = 1; m <= 5; m += m == 1 ? 1 : 3)
            fprintf(out, "%s%.9g", decade == first && m == 1 ? "" : ", ", m * pow(10, decade));
    fputs(")\n", out);
}

/* As far as was measured; gnuplot alone would go on to the next tick, be it of rank -2. */
static void linear_range(FILE *out, const struct plot_series *series, size_t n, bool whole)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t s = 0; s < n; s++) {
        for (size_t i = 0; i < series[s].n; i++) {
            low = fmin(low, series[s].x[i]);
            high = fmax(high, series[s].x[i]);
        }
    }
    double room = high > low ? 0.03 * (high - low) : 0.5;
    fprintf(out, "set xrange [%.9g:%.9g]\n", low - room, high + room);
    if (whole) /* gnuplot would have ticks at half a rank */
        fprintf(out, "set xtics %.0f\n", fmax(1, ceil((high - low) / 12)));
}

static void put_series(FILE *out, const struct plot_series *s, double zero)
{
    for (size_t i = 0; i < s->n; i++)
        fprintf(out, "%.12g %.12g\n", s->x[i] > 0 || isnan(zero) ? s->x[i] : zero, s->y[i]);
    fputs("e\n", out);
}

static void put_intervals(FILE *out, const struct plot_series *s, double zero)
{
    for (size_t i = 0; i < s->n; i++)
        fprintf(out, "%.12g %.12g %.12g %.12g\n", s->x[i] > 0 || isnan(zero) ? s->x[i] : zero,
                s->y[i], end_of(s, i, s->low), end_of(s, i, s->high));
    fputs("e\n", out);
}

static bool coincide(const struct plot_series *a, const struct plot_series *b)
{
    bool all = a->n == b->n && a->n > 0;
    for (size_t i = 0; all && i < a->n; i++)
        all = a->x[i] == b->x[i] && (fabs(a->y[i] - b->y[i]) <= 0.03 * fabs(a->y[i]) ||
                                     (isnan(a->y[i]) && isnan(b->y[i])));
    return all;
}

/* A line on top of others is dashed, so that they are seen through it; and another colour round
 * is told apart likewise. */
static const char *dashes(const struct plot_series *series, size_t i)
{
    static const char *const patterns[] = {"1", "(12,12)", "(4,14)"};
    size_t under = i / N_COLOURS;
    for (size_t k = 0; k < i; k++)
        under += coincide(&series[k], &series[i]);
    return patterns[under < 2 ? under : 2];
}

static bool has_point(const struct plot_series *series, size_t n, bool y_log10)
{
    for (size_t s = 0; s < n; s++)
        for (size_t i = 0; i < series[s].n; i++)
            if (isfinite(series[s].y[i]) && (!y_log10 || series[s].y[i] > 0))
                return true;
    return false;
}

bool plot_lines(const char *path, const struct plot_axes *axes, const struct plot_series *series,
                size_t n)
{
    struct script s;
    double zero = axes->x_log2 ? place_of_zero(series, n) : NAN;
    if (!has_point(series, n, axes->y_log10))
        return reason_give("cannot draw %s: nothing was measured that could be drawn", path);
    if (!script_begin(&s, path, n > 1 ? 1000 : 800, 600))
        return false;
    script_axes(s.out, axes);
    if (script_caption(s.out, axes->caption, 0.02))
        fputs("set bmargin 5.5\n", s.out);
    fputs("set grid back lc rgb '#dcdcdc' lt 1 lw 0.7\n"
          "set key outside right center Left reverse spacing 1.3 samplen 2.5\n",
          s.out);
    if (axes->x_log2)
        log2_ticks(s.out, axes, series, n, zero);
    else
        linear_range(s.out, series, n, axes->x_whole);
    if (axes->y_log10)
        log10_ticks(s.out, series, n);
    else
        fputs("set yrange [0:*]\n", s.out);
    fputs("plot ", s.out);
    for (size_t i = 0; i < n; i++) {
        fprintf(s.out, "%s'-' using 1:2 with linespoints lw 2 ps 1 pt %zu dt %s lc rgb '%s' ",
                i ? ", " : "", 4 + i % 10, dashes(series, i), colours[i % N_COLOURS]);
        fputs(n > 1 ? "title " : "notitle", s.out);
        if (n > 1)
            quote_gnuplot(series[i].label, s.out);
    }
    for (size_t i = 0; i < n; i++)
        if (series[i].low && series[i].high)
            fprintf(s.out,
                    ", '-' using 1:3:(0):($4-$3) with vectors heads size screen 0.004,90 lw 1 lc "
                    "rgb '%s' notitle",
                    colours[i % N_COLOURS]);
    fputs("\n", s.out);
    for (size_t i = 0; i < n; i++)
        put_series(s.out, &series[i], zero);
    for (size_t i = 0; i < n; i++)
        if (series[i].low && series[i].high)
            put_intervals(s.out, &series[i], zero);
    return script_run(&s);
}
