#include "overlap_journal.h"

#include "base/own_file.h"
#include "document/json_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct journal {
    FILE *file;
    char *path;
};

/* Whole lines only, at once: a reader may come after any of them. Takes over the reference. */
static void write_line(struct journal *j, json_t *line)
{
    if (j) {
        json_dumpf(line, j->file, JSON_COMPACT);
        fputc('\n', j->file);
        fflush(j->file);
    }
    json_decref(line);
}

void journal_base(struct journal *j, const struct grid *g)
{
    write_line(j, json_pack("{s:o}", "base_round", base_round_json(&g->base, &g->origin)));
}

void journal_cell(struct journal *j, const struct grid *g, const struct grid_part *p, size_t ix,
                  size_t iy)
{
    const struct overlap_cell *c = grid_cell(g, p, ix, iy);
    write_line(j, json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o}",
                            "benchmark", p->benchmark->name, "ix", (int)ix, "iy", (int)iy, "runs",
                            c->runs, "disturbed", c->disturbed, "own", c->own, "t_comm",
                            json_finite(c->t_comm), "t_comp", json_finite(c->t_comp), "t_measured",
                            json_finite(c->t_measured), "ratio", json_finite(c->ratio), "error",
                            json_finite(c->error), "ratio_all", json_finite(c->ratio_all)));
}

static struct grid_part *find_part(struct grid *g, const json_t *line)
{
    const char *name = json_string_value(json_object_get(line, "benchmark"));
    for (size_t i = 0; name && i < g->n_parts; i++)
        if (strcmp(g->part[i].benchmark->name, name) == 0)
            return &g->part[i];
    return NULL;
}

/* True for a cell. Lines of benchmarks that are not asked for now are passed over. */
static bool read_line(struct grid *g, const json_t *line)
{
    struct grid_part *p = find_part(g, line);
    size_t ix = (size_t)json_integer_value(json_object_get(line, "ix"));
    size_t iy = (size_t)json_integer_value(json_object_get(line, "iy"));
    if (json_object_get(line, "base_round") && g->base.n == 0) {
        base_round_from_json(line, &g->base, &g->origin, NULL);
        return false;
    }
    if (!p || ix >= g->nx || iy >= p->ny)
        return false;
    *grid_cell(g, p, ix, iy) = (struct overlap_cell){
        .bytes = (size_t)g->size[ix],
        .t_comm = json_number_at(line, "t_comm"),
        .t_comp = json_number_at(line, "t_comp"),
        .t_measured = json_number_at(line, "t_measured"),
        .ratio = json_number_at(line, "ratio"),
        .error = json_number_at(line, "error"),
        .ratio_all = json_number_at(line, "ratio_all"),
        .own = (int)json_integer_value(json_object_get(line, "own")),
        .runs = (int)json_integer_value(json_object_get(line, "runs")),
        .disturbed = (int)json_integer_value(json_object_get(line, "disturbed"))};
    return true;
}

#define FIRST "collbench-overlap-part/2"
static const char begins[] = "{\"" FIRST "\":";

/* Reads up to the first line that is not whole, and cuts the file there. False: of another run, or
 * no journal at all. */
static bool read_all(struct journal *j, const char *key, struct grid *g, size_t *cells)
{
    char *text = NULL;
    size_t room = 0;
    long good = 0;
    bool same = true;
    while (same && getline(&text, &room, j->file) > 0) {
        json_t *line = strchr(text, '\n') ? json_loads(text, 0, NULL) : NULL;
        if (!line) {
            size_t n = strlen(text);
            same = good || !strncmp(text, begins, n < sizeof begins ? n : sizeof begins - 1);
            break;
        }
        const char *its = json_string_value(json_object_get(line, FIRST));
        if (good == 0)
            same = its && strcmp(its, key) == 0;
        else
            *cells += read_line(g, line);
        json_decref(line);
        good = ftell(j->file);
    }
    free(text);
    if (!same)
        return false;
    if (ftruncate(fileno(j->file), good))
        return false;
    fseek(j->file, good, SEEK_SET);
    if (good == 0)
        write_line(j, json_pack("{s:s}", FIRST, key));
    return true;
}

struct journal *journal_open(const char *output, const char *key, bool fresh, struct grid *g,
                             size_t *cells, char *why, size_t why_size)
{
    *cells = 0;
    *why = '\0';
    if (!bench_is_file(output))
        return NULL;
    struct journal *j = calloc(1, sizeof *j);
    if (!j || asprintf(&j->path, "%s.part", output) < 0) {
        snprintf(why, why_size, "no memory for %s.part", output);
        free(j);
        return NULL;
    }
    if (fresh)
        unlink(j->path);
    int fd = own_file_open(j->path, O_RDWR | O_CREAT, 0666);
    j->file = fd < 0 ? NULL : fdopen(fd, "r+");
    if (!j->file) {
        snprintf(why, why_size, "cannot write %s: %s", j->path, strerror(errno));
    } else if (!read_all(j, key, g, cells)) {
        snprintf(why, why_size, "%s is of another run: give its options, or --fresh to begin anew",
                 j->path);
    } else {
        return j;
    }
    journal_close(j, false);
    return NULL;
}

const char *journal_path(const struct journal *j)
{
    return j ? j->path : NULL;
}

void journal_close(struct journal *j, bool remove)
{
    if (!j)
        return;
    if (j->file)
        fclose(j->file);
    if (remove)
        unlink(j->path);
    free(j->path);
    free(j);
}
