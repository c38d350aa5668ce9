/* Pictures are declared over tables: what gnuplot is given holds what the table says. */
#include "document/draw.h"

#include "base/reason.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct column times[] = {
    {"size", "B", COLUMN_INTEGER, 0, NULL}, {"method", NULL, COLUMN_TEXT, 0, NULL},
    {"median", "us", COLUMN_REAL, 2, NULL}, {"low", "us", COLUMN_REAL, 2, NULL},
    {"high", "us", COLUMN_REAL, 2, NULL},
};
static const struct column cells[] = {
    {"from", NULL, COLUMN_RANK, 0, NULL},
    {"to", NULL, COLUMN_RANK, 0, NULL},
    {"what", NULL, COLUMN_TEXT, 0, NULL},
    {"value", "us", COLUMN_REAL, 3, NULL},
};
static const struct column spans[] = {
    {"begin", NULL, COLUMN_TIME, 0, NULL}, {"end", NULL, COLUMN_TIME, 0, NULL},
    {"rank", NULL, COLUMN_RANK, 0, NULL},  {"state", NULL, COLUMN_TEXT, 0, NULL},
    {"name", NULL, COLUMN_TEXT, 0, NULL},
};
static const struct column messages[] = {
    {"begin", NULL, COLUMN_TIME, 0, NULL},
    {"rank", NULL, COLUMN_RANK, 0, NULL},
    {"end", NULL, COLUMN_TIME, 0, NULL},
    {"to", NULL, COLUMN_RANK, 0, NULL},
};
static const struct column line[] = {{"from", NULL, COLUMN_REAL, 2, NULL},
                                     {"to", NULL, COLUMN_REAL, 2, NULL},
                                     {"label", NULL, COLUMN_TEXT, 0, NULL}};

static void fill_times(struct document *d)
{
    struct table *t = document_table_of(d, "times", NULL, times);
    for (int size = 0; size <= 4096; size = size ? 4 * size : 1) {
        for (int m = 0; m < 2; m++) {
            double us = 1 + m + size / 100.0;
            table_integer(t, size);
            table_text(t, m ? "direct" : "held");
            table_real(t, us);
            table_real(t, 0.9 * us);
            table_real(t, 1.1 * us);
        }
    }
}

static void fill_cells(struct document *d)
{
    struct table *t = document_table_of(d, "cells", NULL, cells);
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 6; k++) {
            for (int what = 0; what < 2; what++) {
                table_integer(t, i);
                table_integer(t, k);
                table_text(t, what ? "deviation" : "mean");
                table_real(t, i == k ? (double)NAN : 1 + abs(i - k) + what);
            }
        }
    }
    struct table *l = document_table_of(d, "line", NULL, line);
    for (int i = 0; i < 6; i++) {
        table_real(l, i);
        table_real(l, 5 - i);
        table_text(l, "the line");
    }
}

static void fill_spans(struct document *d)
{
    struct table *t = document_table_of(d, "spans", NULL, spans),
                 *m = document_table_of(d, "messages", NULL, messages);
    for (int rank = 0; rank < 3; rank++) {
        for (int i = 0; i < 4; i++) {
            table_real(t, 1e-4 * (3 * i + rank));
            table_real(t, 1e-4 * (3 * i + rank + 2));
            table_integer(t, rank);
            table_text(t, i % 2 ? "waiting" : "sending");
            table_text(t, i % 2 ? "late sender: 0" : NULL);
        }
        table_real(m, 1e-4 * rank);
        table_integer(m, rank);
        table_real(m, 1e-4 * (rank + 4));
        table_integer(m, (rank + 1) % 3);
    }
}

/* Of one kind each. */
static const struct picture pictures[] = {
    {PICTURE_LINES, "lines", "Lines", "times", "size", "median", "method", "low", "high",
     .x_log = true, .y_log = true},
    {PICTURE_LINES, "held", "One line", "times", "size", "median", "method",
     .where = {{"method", "held"}}},
    {PICTURE_BARS, "bars", "Bars", "times", "size", "median", "method"},
    {PICTURE_HEAT, "heat", "A map", "cells", "from", "to", .value = "value",
     .where = {{"what", "mean"}}},
    {PICTURE_HEAT, "overlaid", "A map and a line", "cells", "from", "to", .value = "value",
     .where = {{"what", "mean"}}, .lines = "line", .palette = PALETTE_OVERLAP},
    {PICTURE_HEAT, "panels", "Two maps", "cells", "from", "to", .value = "value", .panel = "what",
     .value_log = true},
    {PICTURE_TIMELINE, "timeline", "A timeline", "spans", "begin", "rank", "state", .x_end = "end",
     .y_end = "to", .label = "name", .arrows = "messages"},
};
enum { PICTURES = sizeof pictures / sizeof *pictures };

static struct document *example(void)
{
    struct document *d = document_new("example/1");
    fill_times(d);
    fill_cells(d);
    fill_spans(d);
    document_caption(d, "an example of 3 ranks");
    for (size_t i = 0; i < PICTURES; i++)
        document_picture(d, &pictures[i]);
    return d;
}

static char directory[] = "/tmp/collprof-draw-XXXXXX";

/* A gnuplot that keeps its script in the picture's place. */
static void keeping_scripts(void)
{
    cr_assert(mkdtemp(directory) && !chdir(directory));
    FILE *out = fopen("plotter", "w");
    fputs("#!/bin/sh\ncat\necho '</svg>'\n", out);
    fclose(out);
    chmod("plotter", 0755);
    setenv("GNUPLOT", "./plotter", 1);
}

static char *script_of(size_t i)
{
    static char text[100000];
    char path[64];
    struct document *d = example();
    cr_assert(document_draw(d, "x.svg"));
    document_free(d);
    snprintf(path, sizeof path, "x-%s.svg", pictures[i].name);
    FILE *in = fopen(path, "r");
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    fclose(in);
    return text;
}

static bool drawn_by_gnuplot(const char *ending)
{
    char path[64];
    bool good = true;
    struct document *d = example();
    snprintf(path, sizeof path, "%s/x%s", directory, ending);
    bool drawn = document_draw(d, path);
    reason_tell("draw");
    cr_assert(drawn);
    for (size_t i = 0; i < PICTURES; i++) {
        struct stat st;
        snprintf(path, sizeof path, "%s/x-%s%s", directory, pictures[i].name, ending);
        good = good && !stat(path, &st) && st.st_size > 2000;
        unlink(path);
    }
    document_free(d);
    rmdir(directory);
    return good;
}

static void scratch(void)
{
    cr_assert(mkdtemp(directory));
}

Test(draw, every_kind_as_png, .init = scratch)
{
    cr_assert(drawn_by_gnuplot(".png"));
}

Test(draw, every_kind_as_svg, .init = scratch)
{
    cr_assert(drawn_by_gnuplot(".svg"));
}

static void expect(size_t picture, const char *const *has, const char *lacks)
{
    const char *script = script_of(picture);
    for (; *has; has++)
        cr_expect(strstr(script, *has), "no %s in %s", *has, script);
    cr_expect(!lacks || !strstr(script, lacks), "%s in %s", lacks, script);
}
#define EXPECT(picture, lacks, ...) expect(picture, (const char *const[]){__VA_ARGS__, NULL}, lacks)

/* Zero is at half of the smallest size; an interval's end that has no place on the axis is left
 * out; what is not wanted is not there. */
Test(draw, lines_are_their_points, .init = keeping_scripts)
{
    EXPECT(0, NULL, "$series1 << END\n0.5 2 1.8 2.2\n1 2.01 1.809 2.211\n",
           "set xtics ('0' 0.5, '1' 1, '4' 4, '16' 16, '64' 64, '256' 256, '1K' 1024, '4K' 4096)",
           "title 'held'", "'median (us)'", "set ylabel 'median (us)'", "set xlabel 'size (B)'",
           "set yrange [0.782608696:54.3444", "set logscale x", "0.2, 0.5, 1, 2, 5, 10, 20, 50",
           "set label 99 'an example of 3 ranks'");
    EXPECT(1, "direct", "\n0 1 1 1\n1 1.01", "set yrange [0:43.");
}

Test(draw, bars_stand_on_each_other, .init = keeping_scripts)
{
    EXPECT(2, NULL, "$series0 << END\n0 1 0 ", "$series1 << END\n0 3 1 ", "\n1 3.02 1.01 ",
           "set xrange [-0.5:7.5]", "'4K' 7)");
}

/* Nothing of a diagonal without values, nor of the other panel; the colours' scale is of all. */
Test(draw, maps_are_their_cells, .init = keeping_scripts)
{
    EXPECT(3, "\n0 0 ", "\n0 1 2 2\n", "set cbrange [2:6]", "set size square", "unset logscale cb");
    EXPECT(4, NULL, "$over << END\n0 5\n1 4\n", "1 '#e81818', 2 '#fff04a'", "title 'the line'");
    EXPECT(5, NULL, "set cbrange [2:7]", "set logscale cb", "set title 'mean'", "layout 1,2",
           "set title 'deviation' font ',11'\n$series0 << END\n0 1 3 3\n");
}

Test(draw, timelines_have_spans_and_arrows, .init = keeping_scripts)
{
    EXPECT(6, NULL, "$series0 << END\n0 0 200 ", "$series1 << END\n300 0 500 ", "\n100 1 500 2\n",
           "set xrange [-39:1339]", "set yrange [2.5:-0.5]", "title 'waiting'",
           "set label 'late sender: 0' at 400,0");
}

/* Neither a missing gnuplot, nor one that fails, nor a table without rows leaves a file. */
Test(draw, what_cannot_be_drawn_leaves_nothing, .init = scratch)
{
    static const char *const plotters[] = {"/nonexistent/gnuplot", "/bin/false", "/bin/true"};
    char path[64];
    snprintf(path, sizeof path, "%s/x.svg", directory);
    struct document *d = example(), *empty = document_new("example/1");
    document_table_of(empty, "times", NULL, times);
    document_picture(empty, &pictures[0]);
    cr_expect_not(document_draw(empty, path));
    for (int i = 0; i < 3; i++) {
        setenv("GNUPLOT", plotters[i], 1);
        cr_expect_not(document_draw(d, path), "%s", plotters[i]);
    }
    cr_expect_not(document_draw(d, "x.gif"));
    cr_expect_eq(rmdir(directory), 0, "something was left");
    document_free(d);
    document_free(empty);
}

/* A file that has nothing to draw is refused in one line. */
Test(draw, files_without_pictures_are_refused, .init = scratch)
{
    static const char *const damaged[] = {"", "[]", "{\"schema\": \"maps/1\"}",
                                          "{\"pictures\": [1]}"};
    cr_assert(!chdir(directory));
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        FILE *file = fopen("x.json", "w");
        fputs(damaged[i], file);
        fclose(file);
        cr_expect_not(document_draw_file("x.json", "x.svg"), "%s", damaged[i]);
        cr_expect(access("x.svg", F_OK), "%s", damaged[i]);
    }
    struct document *d = example();
    cr_assert(document_save(d, "x.json", FORMAT_JSON));
    document_free(d);
    cr_expect(document_draw_file("x.json", "x.svg"));
    unlink("x.json");
    for (size_t i = 0; i < PICTURES; i++) {
        char path[64];
        snprintf(path, sizeof path, "x-%s.svg", pictures[i].name);
        cr_expect_eq(unlink(path), 0, "%s", path);
    }
    rmdir(directory);
}

/* Whatever JSON somebody calls a document is drawn or refused. */
Test(draw, any_json_is_drawn_or_refused, .init = keeping_scripts)
{
    static const char *const any[] = {
        "[]",
        "{}",
        "{'pictures': [1, {}, {'kind': 'heat'}]}",
        "{'pictures': [{'kind': 'lines', 'x': 'a', 'y': 'a', 'table': 't', 'where': [1]}], "
        "'tables': []}",
        "{'pictures': [{'kind': 'heat', 'x': 'a', 'y': 'b', 'value': 'a', 'table': 't', 'lines': "
        "'t',"
        " 'panel': 'b', 'where': {'a': 1}, 'order': [1], 'palette': 'none'}], 'tables': {'t': "
        "{'columns': [1, {'name': 2}], 'rows': [1, {'a': null}, {'a': 'x', 'b': 2}, {'a': 3, 'b': "
        "[]}]}}}",
        "{'pictures': [{'kind': 'timeline', 'x': 'a', 'y': 'a', 'series': 'a', 'arrows': 't', "
        "'table': 't'}], 'tables': {'t': {'rows': [{'a': -1e308}, {'a': 1e308}]}}}"};
    for (size_t i = 0; i < sizeof any / sizeof *any; i++) {
        char text[600];
        snprintf(text, sizeof text, "%s", any[i]);
        for (char *c = text; *c; c++)
            *c = *c == '\'' ? '"' : *c;
        json_t *json = json_loads(text, 0, NULL);
        cr_assert(json, "%s", text);
        document_draw_json(json, "x.svg");
        json_decref(json);
    }
}
