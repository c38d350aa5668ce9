/* Heat maps, surfaces, and sheets of maps. */
#include "picture/plot_inner.h"

#include "base/quote.h"
#include "base/reason.h"

#include <math.h>
#include <stdlib.h>

static const char *const palettes[] = {
    [PALETTE_LATENCY] = "set palette defined (0 '#1f3fbf', 0.25 '#4fa3d9', 0.5 '#fff3a0', "
                        "0.75 '#f08a3c', 1 '#b81d1d')\n",
    [PALETTE_OVERLAP] =
        "set palette defined (0 '#000000', 0.5 '#7a1fa2', 1 '#e81818', 2 '#fff04a')\n",
};

struct scale {
    double low, high;
};

static struct scale colour_scale(const struct plot_map *m)
{
    struct scale s = {m->low, m->high};
    if (s.low < s.high)
        return s;
    s = (struct scale){INFINITY, -INFINITY};
    for (size_t i = 0; i < m->nx * m->ny; i++) {
        double v = m->value[i];
        if (!isfinite(v) || (m->log_color && v <= 0))
            continue;
        s.low = fmin(s.low, v);
        s.high = fmax(s.high, v);
    }
    if (!(s.low <= s.high))
        s = (struct scale){1, 2};
    if (s.low == s.high) /* one colour, but a scale that can be drawn */
        s.high = s.low + (s.low != 0 ? 0.1 * fabs(s.low) : 1);
    return s;
}

static double clamped(double value, struct scale s)
{
    return isfinite(value) ? fmin(fmax(value, s.low), s.high) : NAN;
}

static void put_scale(FILE *out, const struct plot_map *m, struct scale s)
{
    fputs(palettes[m->palette], out);
    fputs(m->log_color ? "set logscale cb 10\n" : "unset logscale cb\n", out);
    fprintf(out, "set cbrange [%.9g:%.9g]\nset format cb '%%h'\nset cblabel ", s.low, s.high);
    quote_gnuplot(m->value_label, out);
    fputs(" offset 1.5\n", out);
    if (m->palette == PALETTE_OVERLAP && !m->log_color)
        fputs("set cbtics (\"0\\nhidden\" 0, '0.5' 0.5, \"1\\nnone\\nhidden\" 1, '1.5' 1.5, "
              "\"2\\nslower\" 2)\n",
              out);
    else
        fputs("set cbtics autofreq\n", out);
}

static bool all_positive(const double *x, size_t n)
{
    return n > 0 && x[0] > 0;
}

/* Where VALUE lies between the cells' centres, in cells: their labels are in powers, so the
 * logarithm is divided evenly. NaN outside the outermost cells. */
static double cell_position(double value, const double *x, size_t n)
{
    if (n < 2 || !(value > 0 || !all_positive(x, n)))
        return n && value == x[0] ? 0 : NAN;
    for (size_t i = 0; i + 1 < n; i++) {
        bool first = i == 0, last = i + 2 == n;
        if (!(value <= x[i + 1] || last) || !(value >= x[i] || first))
            continue;
        double share = all_positive(x, n) ? log(value / x[i]) / log(x[i + 1] / x[i])
                                          : (value - x[i]) / (x[i + 1] - x[i]);
        double position = (double)i + share;
        return position < -0.5 || position > (double)n - 0.5 ? NAN : position;
    }
    return NAN;
}

/* The edge between cells I - 1 and I; beyond the outermost, as far as the one inside. */
static double edge(const double *x, size_t n, size_t i, bool logarithmic)
{
    if (n == 1)
        return logarithmic ? x[0] * (i ? M_SQRT2 : M_SQRT1_2) : x[0] + (i ? 0.5 : -0.5);
    if (i > 0 && i < n)
        return logarithmic ? sqrt(x[i - 1] * x[i]) : (x[i - 1] + x[i]) / 2;
    size_t outer = i ? n - 1 : 0, inner = i ? n - 2 : 1;
    return logarithmic ? x[outer] * sqrt(x[outer] / x[inner])
                       : x[outer] + (x[outer] - x[inner]) / 2;
}

static bool is_power_of_two(double x)
{
    return x > 0 && fabs(log2(x) - round(log2(x))) < 0.01;
}

/* Of more than LEGIBLE values, those that are powers of two (if they are among them) are labelled.
 */
static void index_ticks(FILE *out, char axis, const double *x, size_t n, const char *label,
                        size_t legible)
{
    size_t powers = 0, ticks = 0;
    for (size_t i = 0; i < n; i++)
        powers += is_power_of_two(x[i]);
    bool only_powers = n > legible && x[0] > 0 && powers >= 3;
    size_t step = ((only_powers ? powers : n) + legible - 1) / legible;
    fprintf(out, "set %crange [-0.5:%g]\nset %ctics (", axis, (double)n - 0.5, axis);
    for (size_t i = 0, k = 0; i < n; i++) {
        char text[32];
        if ((only_powers && !is_power_of_two(x[i])) || k++ % step != 0)
            continue;
        tick_label(x[i], label, text, sizeof text);
        fprintf(out, "%s\"%s\" %zu", ticks++ ? ", " : "", text, i);
    }
    fprintf(out, ")%s\n", axis == 'x' && ticks > 13 ? " rotate by 45 right" : "");
}

static void real_range(FILE *out, char axis, const double *x, size_t n, bool logarithmic)
{
    fprintf(out, "%sset %crange [%.9g:%.9g]\n",
            logarithmic ? (axis == 'x' ? "set logscale x 2\n" : "set logscale y 10\n") : "", axis,
            edge(x, n, 0, logarithmic), edge(x, n, n, logarithmic));
}

static void put_cells(FILE *out, const struct plot_axes *axes, const struct plot_map *m,
                      struct scale s)
{
    bool x_log = axes->x_log2, y_log = axes->y_log10;
    for (size_t j = 0; j < m->ny; j++) {
        for (size_t i = 0; i < m->nx; i++) {
            double v = clamped(m->value[j * m->nx + i], s);
            if (m->by_index)
                fprintf(out, "%zu %zu %.9g\n", i, j, v);
            else if (!isnan(v))
                fprintf(out, "%.9g %.9g %.9g %.9g %.9g %.9g %.9g\n", m->x[i], m->y[j],
                        edge(m->x, m->nx, i, x_log), edge(m->x, m->nx, i + 1, x_log),
                        edge(m->y, m->ny, j, y_log), edge(m->y, m->ny, j + 1, y_log), v);
        }
    }
    fputs("e\n", out);
}

static void put_overlay(FILE *out, const struct plot_map *m, const struct plot_series *s)
{
    for (size_t i = 0; i < s->n; i++) {
        double x = m->by_index ? cell_position(s->x[i], m->x, m->nx) : s->x[i];
        double y = m->by_index ? cell_position(s->y[i], m->y, m->ny) : s->y[i];
        if (isnan(x) || isnan(y))
            fputs("\n", out); /* a gap */
        else
            fprintf(out, "%.9g %.9g\n", x, y);
    }
    fputs("e\n", out);
}

/* Few cells have room for their values. */
static bool has_room_for_values(const struct plot_map *m)
{
    return m->by_index && m->nx <= 10 && m->ny <= 10 && m->n_overlay == 0 && m->n_points == 0 &&
           !m->doubt;
}

/* White on the dark ends of a palette. */
static int text_colour(const struct plot_map *m, double value, struct scale s)
{
    double share = m->log_color && s.low > 0 ? log(value / s.low) / log(s.high / s.low)
                                             : (value - s.low) / (s.high - s.low);
    bool dark = m->palette == PALETTE_LATENCY ? share < 0.2 || share > 0.85 : share < 0.7;
    return dark ? 0xffffff : 0;
}

static void put_values(FILE *out, const struct plot_map *m, struct scale s)
{
    for (size_t j = 0; j < m->ny; j++) {
        for (size_t i = 0; i < m->nx; i++) {
            double v = m->value[j * m->nx + i];
            if (isfinite(v))
                fprintf(out, fabs(v) < 999.5 ? "%zu %zu \"%.3g\" %d\n" : "%zu %zu \"%.0f\" %d\n", i,
                        j, v, text_colour(m, clamped(v, s), s));
        }
    }
    fputs("e\n", out);
}

/* At most LEGIBLE ticks on x and on y. */
static void draw_map(FILE *out, const struct plot_axes *axes, const struct plot_map *m,
                     const size_t legible[2])
{
    struct scale s = colour_scale(m);
    script_axes(out, axes);
    put_scale(out, m, s);
    fputs("unset logscale xy\nset xtics autofreq norotate\nset ytics autofreq\n", out);
    if (m->by_index) {
        index_ticks(out, 'x', m->x, m->nx, axes->x_label, legible[0]);
        index_ticks(out, 'y', m->y, m->ny, axes->y_label, legible[1]);
    } else {
        real_range(out, 'x', m->x, m->nx, axes->x_log2);
        real_range(out, 'y', m->y, m->ny, axes->y_log10);
    }
    fputs(m->nx == m->ny ? "set size square\n" : "set size nosquare\n", out);
    bool doubts = m->doubt && m->doubt->n > 0;
    fputs(m->n_overlay + m->n_points || doubts ? "set key above right samplen 2.5\n"
                                               : "unset key\n",
          out);
    fputs(m->by_index ? "plot '-' using 1:2:3 with @cells notitle"
                      : "plot '-' using 1:2:3:4:5:6:7 with boxxyerror lc palette fs solid "
                        "noborder notitle",
          out);
    for (size_t i = 0; i < m->n_overlay; i++) {
        /* Twice, so that the line shows on dark and on light cells. */
        fputs(", '-' using 1:2 with lines lc rgb '#000000' lw 5 notitle, "
              "'-' using 1:2 with lines lw 2.5 lc rgb '#40ff90' title ",
              out);
        quote_gnuplot(m->overlay[i].label, out);
    }
    if (doubts) {
        fputs(", '-' using 1:2 with points pt 2 ps 0.7 lc rgb '#909090' title ", out);
        quote_gnuplot(m->doubt->label, out);
    }
    for (size_t i = 0; i < m->n_points; i++) {
        size_t type = 5 + 2 * (i % 5); /* twice, as the lines */
        fprintf(out,
                ", '-' using 1:2 with points pt %zu ps 2 lc rgb '#000000' notitle, "
                "'-' using 1:2 with points pt %zu ps 1.4 lc rgb '#30d0ff' title ",
                type, type);
        quote_gnuplot(m->points[i].label, out);
    }
    if (has_room_for_values(m))
        fputs(", '-' using 1:2:3:4 with labels tc rgb variable font ',10' notitle", out);
    fputs("\n", out);
    put_cells(out, axes, m, s);
    for (size_t i = 0; i < 2 * m->n_overlay; i++)
        put_overlay(out, m, &m->overlay[i / 2]);
    if (doubts)
        put_overlay(out, m, m->doubt);
    for (size_t i = 0; i < 2 * m->n_points; i++)
        put_overlay(out, m, &m->points[i / 2]);
    if (has_room_for_values(m))
        put_values(out, m, s);
}

static bool has_cells(const char *path, const struct plot_map *m)
{
    for (size_t i = 0; i < m->nx * m->ny; i++)
        if (isfinite(m->value[i]))
            return true;
    return reason_give("cannot draw %s: nothing was measured that could be drawn", path);
}

bool plot_heatmap(const char *path, const struct plot_axes *axes, const struct plot_map *map)
{
    struct script s;
    if (!has_cells(path, map) || !script_begin(&s, path, 860, 700))
        return false;
    if (script_caption(s.out, axes->caption, 0.015))
        fputs("set bmargin 5.5\n", s.out);
    draw_map(s.out, axes, map, (const size_t[]){32, 32});
    return script_run(&s);
}

bool plot_surface(const char *path, const struct plot_axes *axes, const struct plot_map *map)
{
    struct script s;
    if (!has_cells(path, map) || !script_begin(&s, path, 900, 700))
        return false;
    struct scale scale = colour_scale(map);
    script_axes(s.out, axes);
    script_caption(s.out, axes->caption, 0.015);
    put_scale(s.out, map, scale);
    fprintf(s.out, "unset cblabel\nset xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n", map->x[0],
            map->x[map->nx - 1], map->y[0], map->y[map->ny - 1]);
    if (axes->x_whole) {
        size_t step = (map->nx + 7) / 8;
        fprintf(s.out, "set xtics %zu\nset ytics %zu\n", step, step);
    }
    fputs("set colorbox user origin 0.92,0.3 size 0.02,0.4\nset rmargin at screen 0.88\n", s.out);
    fputs("set border 4095 lc rgb '#808080'\nset view 55,320\nset xyplane at ", s.out);
    fprintf(s.out, "%.9g\nset zrange [%.9g:%.9g]\n", scale.low, scale.low, scale.high);
    fputs(map->log_color ? "set logscale z 10\n" : "", s.out);
    fputs("unset key\nset ticslevel 0\nset zlabel ", s.out);
    quote_gnuplot(map->value_label, s.out);
    fputs(" rotate parallel\nset pm3d border lc rgb '#404040' lw 0.4\n"
          "splot '-' using 1:2:3 with pm3d\n",
          s.out);
    for (size_t j = 0; j < map->ny; j++) {
        for (size_t i = 0; i < map->nx; i++)
            fprintf(s.out, "%.9g %.9g %.9g\n", map->x[i], map->y[j],
                    clamped(map->value[j * map->nx + i], scale));
        fputs("\n", s.out);
    }
    fputs("e\n", s.out);
    return script_run(&s);
}

bool plot_heatmap_sheet(const char *path, const char *title, const struct plot_axes *axes,
                        const struct plot_map *maps, size_t n, size_t columns)
{
    struct script s;
    size_t rows = (n + columns - 1) / columns;
    for (size_t i = 0; i < n; i++)
        if (!has_cells(path, &maps[i]))
            return false;
    if (!script_begin(&s, path, (int)(460 * columns), (int)(400 * rows + 60)))
        return false;
    fprintf(s.out, "set multiplot layout %zu,%zu rowsfirst title ", rows, columns);
    quote_gnuplot(title, s.out);
    if (*plot_standing_caption()) {
        fputs(" . \"\\n\" . ", s.out);
        quote_gnuplot(plot_standing_caption(), s.out);
    }
    fputs(" font ',13'\nset rmargin 10\n", s.out); /* room for the colour box and its label */
    for (size_t i = 0; i < n; i++)
        draw_map(s.out, &axes[i], &maps[i], (const size_t[]){6, 14});
    fputs("unset multiplot\n", s.out);
    return script_run(&s);
}
