/* Pictures: that they are made, of the data they are given, and that a missing or failing gnuplot
 * is said and leaves nothing. COLLPROF_TEST_PICTURES=DIRECTORY keeps them, to be looked at. */
#include "picture/plot.h"
#include "base/reason.h"
#include "picture/curves.h"
#include "profile/model.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <dirent.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[256];

static void in_scratch(void)
{
    const char *keep = getenv("COLLPROF_TEST_PICTURES");
    snprintf(directory, sizeof directory, "%s", keep ? keep : "/tmp/collprof-plot-XXXXXX");
    if (!keep)
        cr_assert(mkdtemp(directory));
    const char *gnuplot = getenv("GNUPLOT");
    if (gnuplot && !*gnuplot) /* configure found none */
        cr_skip("no gnuplot");
}

static const char *path_of(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static int entries(void)
{
    int n = 0;
    DIR *dir = opendir(directory);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n - 2;
}

/* The file begins as MAGIC, and is taken away unless it is to be kept. */
static void check_picture(const char *name, const char *magic)
{
    char head[16] = "";
    FILE *file = fopen(path_of(name), "r");
    cr_assert(file, "%s was not made", name);
    cr_assert_geq(fread(head, 1, 8, file), 5);
    fclose(file);
    cr_assert_eq(memcmp(head, magic, strlen(magic)), 0, "%s is something else", name);
    if (getenv("COLLPROF_TEST_PICTURES"))
        return;
    unlink(path_of(name));
    cr_assert_eq(entries(), 0, "something else was left behind");
    rmdir(directory);
}

/* From here on a stand-in for gnuplot keeps what it is given. */
static void keeping_scripts(void)
{
    in_scratch();
    const char *path = path_of("plotter");
    FILE *plotter = fopen(path, "w");
    fprintf(plotter, "#!/bin/sh\ncat >'%s/script'\necho 'IEND</svg>'\n", directory);
    cr_assert_eq(fchmod(fileno(plotter), 0700), 0);
    fclose(plotter);
    setenv("GNUPLOT", path, 1);
}

static char script[1 << 16];

/* Takes away all that is there and says what there was to plot: from the line after the last plot
 * command on. */
static const char *drawn_data(const char *picture)
{
    FILE *file = fopen(path_of("script"), "r");
    script[fread(script, 1, sizeof script - 1, file)] = '\0';
    fclose(file);
    static const char *const made[] = {"script", "plotter"};
    for (size_t i = 0; i < 2; i++)
        unlink(path_of(made[i]));
    unlink(path_of(picture));
    rmdir(directory);
    char *plot = script, *next;
    while ((next = strstr(plot + 1, "\nplot ")) || (next = strstr(plot + 1, "\nsplot ")))
        plot = next;
    return strchr(plot + 1, '\n') + 1;
}

static const double ranks[] = {2, 4, 8, 16, 32, 64};
static const double flat[] = {4, 4.1, 4, 4.2, 4.1, 4.1}, tree[] = {10, 20, 30, 40, 50, 60},
                    linear[] = {10, 30, 70, 150, NAN, 630};
static const struct plot_series three[] = {{.label = "send-latency \"g_0\"", ranks, flat, 6},
                                           {.label = "binomial", ranks, tree, 6},
                                           {.label = "linear", ranks, linear, 6}};

Test(plot, lines_as_png, .init = in_scratch)
{
    struct plot_axes axes = {"OL of a 256 B broadcast", "ranks", "time (us)", .x_log2 = true,
                             .y_log10 = true};
    cr_assert(plot_lines(path_of("lines.png"), &axes, three, 3));
    check_picture("lines.png", "\x89PNG");
}

/* Intervals are bars behind the lines, in sight on the axis; an end that is not known, or that a
 * logarithm cannot show, is the point itself. */
Test(plot, intervals_are_drawn_where_they_exist, .init = keeping_scripts)
{
    static const double x[] = {8, 16, 32}, y[] = {2, 4, 8}, low[] = {1, NAN, -3},
                        high[] = {3, 40, 9};
    struct plot_series both[] = {
        {.label = "with", .x = x, .y = y, .n = 3, .low = low, .high = high},
        {.label = "without", .x = x, .y = y, .n = 3}};
    struct plot_axes axes = {"t", "message (B)", "time (us)", .x_log2 = true, .y_log10 = true};
    plot_lines(path_of("x.png"), &axes, both, 2);
    const char *data = drawn_data("x.png");
    cr_assert_str_eq(data, "8 2\n16 4\n32 8\ne\n8 2\n16 4\n32 8\ne\n"
                           "8 2 1 3\n16 4 4 40\n32 8 8 9\ne\n");
    cr_assert_not_null(strstr(script, "set yrange [0.8:50]"), "%s", script);
    cr_assert_not_null(strstr(script, "using 1:3:(0):($4-$3) with vectors heads"));
}

Test(plot, lines_as_svg_with_zero_bytes_on_a_logarithmic_axis, .init = in_scratch)
{
    static const double sizes[] = {0, 1, 1024, 1 << 20}, us[] = {1, 1, 2, 300};
    struct plot_series one = {.label = "x", sizes, us, 4};
    struct plot_axes axes = {"Sizes", "message (B)", "time (us)", .x_log2 = true, .y_log10 = false};
    cr_assert(plot_lines(path_of("lines.svg"), &axes, &one, 1));
    check_picture("lines.svg", "<?xml");
}

/* A line is its points in their order; what is not known is a gap; 0 has a place on a logarithmic
 * axis. */
Test(plot, lines_are_their_points, .init = keeping_scripts)
{
    static const double x[] = {0, 1, 524288}, y[] = {3.25, NAN, 7};
    struct plot_series two[] = {{.label = "a", x, y, 3}, {.label = "b", ranks, tree, 2}};
    struct plot_axes axes = {"Sizes", "message (B)", "time (us)", .x_log2 = true};
    cr_assert(plot_lines(path_of("a.svg"), &axes, two, 2));
    cr_assert_str_eq(drawn_data("a.svg"), "0.5 3.25\n1 nan\n524288 7\ne\n2 10\n4 20\ne\n");
    cr_assert(strstr(script, "\"512K\" 524288"), "%s", script);
}

/* Cells by column and row, within the scale of colours; a value in each where there is room,
 * white at the dark ends of the scale. */
Test(plot, cells_are_their_values, .init = keeping_scripts)
{
    static const double x[] = {1, 2}, y[] = {10, 20, 30}, value[] = {1, 2, 3, NAN, 5, -1};
    struct plot_map m = {
        .x = x, .y = y, .nx = 2, .ny = 3, .value = value, .low = 0, .high = 4, .by_index = true};
    struct plot_axes axes = {"t", "x", "y", .x_log2 = false};
    cr_assert(plot_heatmap(path_of("a.svg"), &axes, &m));
    cr_assert_str_eq(drawn_data("a.svg"), "0 0 1\n1 0 2\n0 1 3\n1 1 nan\n0 2 4\n1 2 0\ne\n"
                                          "0 0 \"1\" 0\n1 0 \"2\" 0\n0 1 \"3\" 0\n"
                                          "0 2 \"5\" 16777215\n1 2 \"-1\" 16777215\ne\n");
}

/* Where they lie on an axis a cell goes half way to the next, and what is not known is left out. */
Test(plot, cells_lie_where_they_were_measured, .init = keeping_scripts)
{
    static const double x[] = {0, 2, 6}, y[] = {10, 30}, value[] = {1, 2, 3, NAN, 5, 6};
    struct plot_map m = {.x = x, .y = y, .nx = 3, .ny = 2, .value = value, .low = 0, .high = 9};
    struct plot_axes axes = {"t", "x", "y", .x_log2 = false};
    cr_assert(plot_heatmap(path_of("a.svg"), &axes, &m));
    cr_assert_str_eq(drawn_data("a.svg"), "0 10 -1 1 0 20 1\n2 10 1 4 0 20 2\n6 10 4 8 0 20 3\n"
                                          "2 30 1 4 20 40 5\n6 30 4 8 20 40 6\ne\n");
}

/* A scale of colours goes from the least to the largest value, on a logarithm of those above 0; one
 * value alone has some room above. */
Test(plot, colours_have_a_scale)
{
    static const double x[] = {1, 2, 3}, several[] = {0, 10, 100}, one[] = {5, NAN, 5};
    for (int log = 0; log < 3; log++) {
        keeping_scripts();
        struct plot_map m = {.x = x,
                             .y = x,
                             .nx = 3,
                             .ny = 1,
                             .value = log < 2 ? several : one,
                             .log_color = log == 1,
                             .by_index = true};
        struct plot_axes axes = {"t", "x", "y", .x_log2 = false};
        plot_heatmap(path_of("a.svg"), &axes, &m);
        drawn_data("a.svg");
        cr_assert_not_null(strstr(script, log == 0   ? "set cbrange [0:100]"
                                          : log == 1 ? "set cbrange [10:100]"
                                                     : "set cbrange [5:5.5]"),
                           "%s", script);
    }
}

Test(plot, small_map_with_values, .init = in_scratch)
{
    double rank[] = {0, 1, 2, 3}, value[16];
    for (int i = 0; i < 16; i++)
        value[i] = i / 4 == i % 4 ? NAN : 5.0 + abs(i / 4 - i % 4) * 3.3;
    struct plot_map m = {.x = rank,
                         .y = rank,
                         .nx = 4,
                         .ny = 4,
                         .value = value,
                         .by_index = true,
                         .value_label = "round trip (us)"};
    struct plot_axes axes = {"Latency of pairs", "rank", "rank", .x_log2 = false, .y_log10 = false};
    cr_assert(plot_heatmap(path_of("pairs.svg"), &axes, &m));
    if (!getenv("COLLPROF_TEST_PICTURES"))
        unlink(path_of("pairs.svg"));
    cr_assert(plot_heatmap(path_of("pairs.png"), &axes, &m));
    check_picture("pairs.png", "\x89PNG");
}

static double sizes[24], times[20], ratio[24 * 20], border_y[24];

static struct plot_map overlap_map(const struct plot_series *line)
{
    for (int i = 0; i < 24; i++) {
        sizes[i] = 64 * pow(2, i / 2.0);
        border_y[i] = 1 + sizes[i] / 500;
    }
    for (int j = 0; j < 20; j++)
        times[j] = pow(2, j / 2.0);
    for (int j = 0; j < 20; j++)
        for (int i = 0; i < 24; i++)
            ratio[j * 24 + i] = 2.2 * i * j / (23 * 19.0);
    return (struct plot_map){.x = sizes,
                             .y = times,
                             .nx = 24,
                             .ny = 20,
                             .value = ratio,
                             .low = 0,
                             .high = 2,
                             .value_label = "overlap ratio",
                             .palette = PALETTE_OVERLAP,
                             .by_index = true,
                             .overlay = line,
                             .n_overlay = line ? 1 : 0};
}

Test(plot, overlap_map_with_a_line_over_it, .init = in_scratch)
{
    struct plot_series line = {.label = "T_comm", sizes, border_y, 24};
    struct plot_map m = overlap_map(&line);
    struct plot_axes axes = {"Sender side", "message (B)", "computation (us)", .x_log2 = false,
                             .y_log10 = false};
    cr_assert(plot_heatmap(path_of("overlap.png"), &axes, &m));
    check_picture("overlap.png", "\x89PNG");
}

Test(plot, sheet_of_maps, .init = in_scratch)
{
    struct plot_map maps[6];
    struct plot_axes axes[6];
    for (int i = 0; i < 6; i++) {
        maps[i] = overlap_map(NULL);
        axes[i] = (struct plot_axes){
            .title = "One of six", .x_label = "message (B)", .y_label = "computation (us)"};
    }
    cr_assert(plot_heatmap_sheet(path_of("sheet.png"), "All six", axes, maps, 6, 3));
    check_picture("sheet.png", "\x89PNG");
}

Test(plot, surface, .init = in_scratch)
{
    double rank[16], value[256];
    for (int i = 0; i < 256; i++) {
        rank[i % 16] = i % 16;
        value[i] = i / 16 == i % 16 ? 0 : i / 128 == i % 16 / 8 ? 3 : 9;
    }
    struct plot_map m = {
        .x = rank, .y = rank, .nx = 16, .ny = 16, .value = value, .value_label = "round trip (us)"};
    struct plot_axes axes = {"Latency of pairs", "rank", "rank", .x_log2 = false, .y_log10 = false};
    cr_assert(plot_surface(path_of("surface.png"), &axes, &m));
    check_picture("surface.png", "\x89PNG");
}

Test(plot, only_png_and_svg)
{
    struct plot_axes axes = {"t", "x", "y", .x_log2 = false, .y_log10 = false};
    cr_assert_not(plot_path_valid("a.pdf"));
    cr_assert_not(plot_path_valid(".png"));
    cr_assert_not(plot_lines("/tmp/collprof-no-such.pdf", &axes, three, 3));
    cr_assert_neq(access("/tmp/collprof-no-such.pdf", F_OK), 0);
}

static void redirected_in_scratch(void)
{
    in_scratch();
    cr_redirect_stderr();
}

/* No gnuplot, and one that fails: one line says so, and the file that was there stays. */
Test(plot, a_missing_or_failing_plotter_leaves_nothing, .init = in_scratch)
{
    struct plot_axes axes = {"t", "x", "y", .x_log2 = false, .y_log10 = false};
    setenv("GNUPLOT", "/nonexistent/gnuplot", 1);
    cr_assert_not(plot_lines(path_of("a.png"), &axes, three, 3));
    setenv("GNUPLOT", "false", 1);
    cr_assert_not(plot_lines(path_of("a.png"), &axes, three, 3));
    if (getenv("COLLPROF_TEST_PICTURES"))
        return;
    cr_assert_eq(entries(), 0);
    rmdir(directory);
}

Test(plot, nothing_to_draw_is_said, .init = redirected_in_scratch)
{
    char said[600];
    double nothing[] = {NAN, NAN};
    struct plot_series s = {.label = "x", ranks, nothing, 2};
    struct plot_axes axes = {"t", "x", "y", .x_log2 = true, .y_log10 = true};
    cr_assert_not(plot_lines(path_of("a.png"), &axes, &s, 1));
    cr_assert_not(plot_lines(path_of("a.png"), &axes, &s, 1));
    cr_assert_neq(access(path_of("a.png"), F_OK), 0);
    reason_tell("program");
    reason_tell("program"); /* each once */
    snprintf(said, sizeof said,
             "program: cannot draw %s: nothing was measured that could be drawn\n",
             path_of("a.png"));
    fflush(stderr);
    cr_assert_stderr_eq_str(said);
    if (!getenv("COLLPROF_TEST_PICTURES"))
        rmdir(directory);
}

static void assert_script_has(const char *picture, const char *text)
{
    FILE *file = fopen(path_of("script"), "r");
    script[fread(script, 1, sizeof script - 1, file)] = '\0';
    fclose(file);
    unlink(path_of(picture));
    cr_assert(strstr(script, text), "%s: no %s in %s", picture, text, script);
}

/* What pictures are of that say nothing else stands below lines, maps and surfaces, and in a
 * sheet's title; the key of an overlap map has words. */
Test(plot, standing_captions_and_words, .init = keeping_scripts)
{
    static const double x[] = {1, 2}, value[] = {0, 1, 2, 0.5};
    static const char said[] = "'bench on 4 ranks, it''s today'", words[] = "1\\nnone\\nhidden";
    const struct plot_axes axes = {.title = "map", .x_label = "x", .y_label = "y"};
    const struct plot_map map = {.x = x,
                                 .y = x,
                                 .nx = 2,
                                 .ny = 2,
                                 .value = value,
                                 .high = 2,
                                 .value_label = "ratio",
                                 .palette = PALETTE_OVERLAP,
                                 .by_index = true};
    const struct plot_series line = {.label = "line", x, x, 2};
    plot_caption("bench on 4 ranks, it's today");
    cr_assert(plot_lines(path_of("a.svg"), &axes, &line, 1));
    assert_script_has("a.svg", said);
    cr_assert(plot_surface(path_of("a.svg"), &axes, &map));
    assert_script_has("a.svg", said);
    cr_assert(plot_heatmap(path_of("a.svg"), &axes, &map));
    assert_script_has("a.svg", words);
    assert_script_has("a.svg", said);
    plot_caption_doubt("more ranks than processors");
    plot_caption_doubt("another reason");
    cr_assert(plot_surface(path_of("a.svg"), &axes, &map));
    assert_script_has("a.svg", "today; more ranks than processors: timings are not meaningful'");
    plot_caption("bench on 4 ranks, it's today");
    cr_assert(plot_heatmap_sheet(path_of("a.svg"), "sheet", &axes, &map, 1, 1));
    assert_script_has("a.svg", said);
    drawn_data("a.svg");
}
