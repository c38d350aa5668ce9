#include "picture/overlap_map.h"

#include "base/reason.h"
#include "base/text.h"
#include "document/json_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double *filled(size_t n, const double *from)
{
    double *x = malloc((n ? n : 1) * sizeof *x);
    for (size_t i = 0; x && i < n; i++)
        x[i] = from ? from[i] : NAN;
    return x;
}

struct overlap_map overlap_map_new(const char *name, const char *title, bool by_threads,
                                   const double *x, size_t nx, const double *y, size_t ny)
{
    struct overlap_map m = {.by_threads = by_threads, .nx = nx, .ny = ny};
    snprintf(m.name, sizeof m.name, "%s", name);
    snprintf(m.title, sizeof m.title, "%s", title);
    m.x = filled(nx, x);
    m.y = filled(ny, y);
    m.ratio = filled(nx * ny, NULL);
    m.comm = filled(nx, NULL);
    m.doubt = calloc(nx * ny + 1, sizeof *m.doubt);
    if (!m.x || !m.y || !m.ratio || !m.comm || !m.doubt)
        overlap_map_free(&m);
    return m;
}

void overlap_map_free(struct overlap_map *m)
{
    free(m->x);
    free(m->y);
    free(m->ratio);
    free(m->comm);
    free(m->doubt);
    *m = (struct overlap_map){0};
}

double *overlap_map_at(const struct overlap_map *m, size_t ix, size_t iy)
{
    return &m->ratio[iy * m->nx + ix];
}

void overlap_map_doubt(struct overlap_map *m, size_t ix, size_t iy)
{
    m->doubt[iy * m->nx + ix] = 1;
}

json_t *overlap_map_json(const struct overlap_map *m)
{
    char sentence[512];
    json_t *rows = json_array(), *doubt = json_array();
    for (size_t j = 0; j < m->ny; j++) {
        json_array_append_new(rows, json_numbers(m->ratio + j * m->nx, m->nx, 1));
        json_array_append_new(doubt, json_numbers(m->doubt + j * m->nx, m->nx, 1));
    }
    overlap_map_sentence(m, sentence, sizeof sentence);
    return json_pack("{s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:s}", "name", m->name, "title",
                     m->title, "by_threads", m->by_threads, "bytes", json_numbers(m->x, m->nx, 1),
                     m->by_threads ? "threads" : "comp_us",
                     json_numbers(m->y, m->ny, m->by_threads ? 1 : 1e6), "t_comm_us",
                     json_numbers(m->comm, m->nx, 1e6), "ratio", rows, "doubt", doubt, "sentence",
                     sentence);
}

/* N numbers times FACTOR into X; null is NaN. False if they are not N numbers. */
static bool read_numbers(const json_t *array, double *x, size_t n, double factor)
{
    if (json_array_size(array) != n)
        return false;
    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(array, i);
        if (!json_is_number(item) && !json_is_null(item))
            return false;
        x[i] = json_is_null(item) ? NAN : factor * json_number_value(item);
    }
    return true;
}

/* Before there is memory for nx times ny. */
static bool is_grid(const json_t *rows, size_t nx, size_t ny)
{
    bool good = json_array_size(rows) == ny;
    for (size_t j = 0; good && j < ny; j++)
        good = json_array_size(json_array_get(rows, j)) == nx;
    return good;
}

/* Sizes and times, ascending: nothing else can be drawn. */
static bool is_axis(const double *x, size_t n)
{
    bool good = true;
    for (size_t i = 0; good && i < n; i++)
        good = x[i] >= 0 && x[i] <= 1e15 && (i == 0 || x[i] > x[i - 1]);
    return good;
}

static bool read_map(const json_t *json, struct overlap_map *m)
{
    const char *name = json_string_value(json_object_get(json, "name"));
    const char *title = json_string_value(json_object_get(json, "title"));
    bool by_threads = json_is_true(json_object_get(json, "by_threads"));
    const json_t *x = json_object_get(json, "bytes"), *rows = json_object_get(json, "ratio");
    const json_t *y = json_object_get(json, by_threads ? "threads" : "comp_us");
    size_t nx = json_array_size(x), ny = json_array_size(y);
    if (!name || !title || nx == 0 || ny == 0 || !is_grid(rows, nx, ny))
        return false;
    *m = overlap_map_new(name, title, by_threads, NULL, nx, NULL, ny);
    bool good = m->nx == nx && read_numbers(x, m->x, nx, 1) &&
                read_numbers(y, m->y, ny, by_threads ? 1 : 1e-6) && is_axis(m->x, nx) &&
                is_axis(m->y, ny) &&
                read_numbers(json_object_get(json, "t_comm_us"), m->comm, nx, 1e-6);
    const json_t *doubt = json_object_get(json, "doubt"); /* older files have none */
    for (size_t j = 0; good && j < ny; j++)
        good = read_numbers(json_array_get(rows, j), m->ratio + j * nx, nx, 1) &&
               (!doubt || read_numbers(json_array_get(doubt, j), m->doubt + j * nx, nx, 1));
    if (!good)
        overlap_map_free(m);
    return good;
}

/* As below a picture that the program itself draws (bench/header.c). */
static void say_of(const json_t *header, char *text, size_t room)
{
    static const char *const key[] = {"program", "ranks", "date", "MPI"};
    const char *fact[4];
    *text = '\0';
    for (size_t i = 0; i < 4; i++)
        if (!(fact[i] = json_string_value(json_object_get(header, key[i]))))
            return;
    snprintf(text, room, "%.*s on %.*s ranks, %.16s, %.40s", (int)strcspn(fact[0], " "), fact[0],
             (int)strcspn(fact[1], " "), fact[1], fact[2], fact[3]);
}

struct overlap_map *overlap_maps_load(const char *path, size_t *n, char *why, size_t size)
{
    *n = 0;
    json_t *json = json_file_load(path, why, size);
    if (!json)
        return NULL;
    char of[200];
    say_of(json_object_get(json, "header"), of, sizeof of);
    const char *mpi =
        json_string_value(json_object_get(json_object_get(json, "base_round"), "mpi"));
    const json_t *list = json_object_get(json, "maps");
    size_t count = json_array_size(list);
    struct overlap_map *maps = calloc(count + 1, sizeof *maps);
    while (maps && *n < count && read_map(json_array_get(list, *n), &maps[*n])) {
        memcpy(maps[*n].of, of, sizeof of);
        snprintf(maps[(*n)++].mpi, sizeof maps->mpi, "%s", mpi ? mpi : "");
    }
    if (*n < count || count == 0) {
        snprintf(why, size, "%s: no heat maps in it: write it by collbench-overlap --format=json",
                 path);
        for (size_t i = 0; i < *n; i++)
            overlap_map_free(&maps[i]);
        free(maps);
        maps = NULL;
        *n = 0;
    }
    json_decref(json);
    return maps;
}

static struct plot_axes axes_of(const struct overlap_map *m)
{
    return (struct plot_axes){.title = m->title,
                              .x_label = "message size (B)",
                              .y_label = m->by_threads ? "computing threads" : "computation (us)",
                              .x_log2 = true,
                              .y_log10 = !m->by_threads};
}

/* What plot.h wants, which takes times in microseconds. */
struct drawing {
    double *y, *comm_x, *comm, *doubt_x, *doubt_y;
    struct plot_series line, points, doubt;
    struct plot_map map;
};

static double *in_us(const double *seconds, size_t n)
{
    double *us = malloc((n ? n : 1) * sizeof *us);
    for (size_t i = 0; us && i < n; i++)
        us[i] = 1e6 * seconds[i];
    return us;
}

static struct drawing drawing_of(const struct overlap_map *m)
{
    struct drawing d = {.y = m->by_threads ? filled(m->ny, m->y) : in_us(m->y, m->ny),
                        .comm_x = filled(m->nx, m->x),
                        .comm = in_us(m->comm, m->nx),
                        .doubt_x = filled(m->nx * m->ny, NULL),
                        .doubt_y = filled(m->nx * m->ny, NULL)};
    if (!d.y || !d.comm_x || !d.comm || !d.doubt_x || !d.doubt_y)
        return d; /* without cells nothing is drawn, which is said */
    d.map = (struct plot_map){.x = m->x,
                              .y = d.y,
                              .nx = m->nx,
                              .ny = m->ny,
                              .value = m->ratio,
                              .low = m->by_threads ? 1 : 0,
                              .high = m->by_threads ? 1000 : 2,
                              .value_label = m->by_threads ? "" : "overhead ratio",
                              .palette = PALETTE_OVERLAP,
                              .log_color = m->by_threads,
                              .by_index = true};
    return d;
}

static void add_doubt(struct drawing *d, const struct overlap_map *m)
{
    size_t n = 0;
    for (size_t j = 0; j < m->ny; j++) {
        for (size_t i = 0; i < m->nx; i++) {
            if (!(m->doubt[j * m->nx + i] > 0))
                continue;
            d->doubt_x[n] = m->x[i];
            d->doubt_y[n++] = d->y[j];
        }
    }
    d->doubt = (struct plot_series){.label = "measured, not certain", d->doubt_x, d->doubt_y, n};
    d->map.doubt = &d->doubt;
}

/* Into D, since the map points to it. From one known size to the next, across those that were not
 * measured. A line over threads would have no meaning. */
static void add_line(struct drawing *d, const struct overlap_map *m)
{
    size_t n = 0;
    if (d->map.nx == 0)
        return;
    add_doubt(d, m);
    for (size_t i = 0; i < m->nx; i++) {
        if (isnan(d->comm[i]))
            continue;
        d->comm_x[n] = d->comm_x[i];
        d->comm[n++] = d->comm[i];
    }
    d->line = (struct plot_series){.label = "T_comm", d->comm_x, d->comm, n};
    d->map.overlay = &d->line;
    d->map.n_overlay = m->by_threads ? 0 : 1;
}

static void drawing_free(struct drawing *d)
{
    free(d->doubt_x);
    free(d->doubt_y);
    free(d->y);
    free(d->comm_x);
    free(d->comm);
}

static bool is_empty(const struct overlap_map *m)
{
    for (size_t i = 0; i < m->nx * m->ny; i++)
        if (isfinite(m->ratio[i]))
            return false;
    return true;
}

static bool nothing_certain(const char *path)
{
    return reason_give("cannot draw %s: no cell of it is certain: more repetitions, or a machine "
                       "that does nothing else, would help",
                       path);
}

bool overlap_map_draw(const char *path, const struct overlap_map *m, const double *points_x,
                      const double *points_y, size_t n_points)
{
    if (is_empty(m))
        return nothing_certain(path);
    struct plot_axes axes = axes_of(m);
    struct drawing d = drawing_of(m);
    double *points = in_us(points_y, n_points);
    add_line(&d, m);
    d.points = (struct plot_series){.label = "the application", points_x, points, n_points};
    d.map.points = &d.points;
    d.map.n_points = n_points > 0;
    bool drawn = plot_heatmap(path, &axes, &d.map);
    free(points);
    drawing_free(&d);
    return drawn;
}

bool overlap_maps_draw(const char *path, const char *title, const struct overlap_map *m, size_t n,
                       size_t columns)
{
    struct drawing *d = calloc(n + 1, sizeof *d);
    struct plot_map *maps = calloc(n + 1, sizeof *maps);
    struct plot_axes *axes = calloc(n + 1, sizeof *axes);
    size_t drawn = 0;
    for (size_t i = 0; d && maps && axes && i < n; i++) {
        if (is_empty(&m[i]))
            continue;
        d[drawn] = drawing_of(&m[i]);
        add_line(&d[drawn], &m[i]);
        axes[drawn] = axes_of(&m[i]);
        maps[drawn] = d[drawn].map;
        drawn++;
    }
    if (columns == 0)
        columns = drawn <= 4 ? drawn : drawn <= 6 ? 3 : 4;
    bool done = drawn > 0 ? plot_heatmap_sheet(path, title, axes, maps, drawn, columns)
                          : nothing_certain(path);
    for (size_t i = 0; i < drawn; i++)
        drawing_free(&d[i]);
    free(d);
    free(maps);
    free(axes);
    return done;
}

/* The maps of one file. */
struct maps {
    struct overlap_map *map;
    size_t n;
};

static const struct overlap_map *find_map(const struct maps *of, const char *name)
{
    for (size_t i = 0; i < of->n; i++)
        if (strcmp(of->map[i].name, name) == 0 && !is_empty(&of->map[i]))
            return &of->map[i];
    return NULL;
}

/* A row for each file of what all have: maps that are copies but for their titles. */
static bool draw_rows(const char *path, char *const *file, const struct maps *all, size_t n_files)
{
    struct overlap_map *sheet = calloc(n_files * all->n + 1, sizeof *sheet);
    size_t columns = 0, n = 0;
    for (size_t k = 0; sheet && k < n_files; k++) {
        for (size_t i = 0; i < all->n; i++) {
            const struct overlap_map *found = NULL;
            for (size_t other = 0; other < n_files && (found || other == 0); other++)
                found = find_map(&all[other], all->map[i].name);
            if (!found)
                continue;
            columns += k == 0;
            found = find_map(&all[k], all->map[i].name);
            sheet[n] = *found;
            snprintf(sheet[n++].title, sizeof sheet->title, "%.40s: %.50s",
                     *found->mpi ? found->mpi : text_base_of(file[k]), found->title);
        }
    }
    bool good = columns > 0 ? overlap_maps_draw(path, "Overlap of communication and computation",
                                                sheet, n, columns)
                            : reason_give("these files have no benchmark in common");
    free(sheet);
    return good;
}

bool overlap_files_draw(const char *path, char *const *file, size_t n_files)
{
    char why[1000];
    size_t loaded = 0;
    bool good = true;
    struct maps *all = calloc(n_files, sizeof *all);
    while (all && good && loaded < n_files) {
        all[loaded].map = overlap_maps_load(file[loaded], &all[loaded].n, why, sizeof why);
        good = all[loaded].map != NULL;
        loaded += good;
        if (!good)
            reason_give("%s", why);
    }
    if (all && good && n_files == 1)
        plot_caption(all->map->of);
    if (all && good)
        good = n_files == 1 ? overlap_maps_draw(path, "Overlap of communication and computation",
                                                all->map, all->n, 0)
                            : draw_rows(path, file, all, n_files);
    for (size_t k = 0; k < loaded; k++) {
        for (size_t i = 0; i < all[k].n; i++)
            overlap_map_free(&all[k].map[i]);
        free(all[k].map);
    }
    free(all);
    return good;
}
