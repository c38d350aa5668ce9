#include "measure/pairs/log.h"

#include "base/input.h"
#include "base/topology.h"

#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *const relations[] = {[SAME_CORE] = "core",
                                        [SAME_COMPLEX] = "complex",
                                        [SAME_PACKAGE] = "package",
                                        [SAME_NODE] = "node",
                                        [OTHER_NODE] = "other-node"};
enum { N_RELATIONS = sizeof relations / sizeof *relations };

const char *pairs_relation_name(int relation)
{
    return relation >= 0 && relation < N_RELATIONS ? relations[relation] : "-";
}

static int relation_from_name(const char *name)
{
    for (int i = 0; i < N_RELATIONS; i++)
        if (strcmp(name, relations[i]) == 0)
            return i;
    return -1;
}

static void write_pair(const struct pairs *p, const struct pairs_size *s, int i, int j, FILE *out,
                       bool only_paper)
{
    size_t k = pairs_cell(p, i, j);
    fprintf(out, "%s %03d   %s %03d %14.2f %6.2f", p->host[i], i, p->host[j], j, 1e6 * s->mean[k],
            1e6 * s->sd[k]);
    if (!only_paper) {
        fprintf(out, " %12.3f %12.3f", 1e6 * s->median[k], 1e6 * s->min[k]);
        if (s->send)
            fprintf(out, " %10.3f %10.3f %10.3f %10.3f", 1e6 * s->send[k],
                    1e6 * s->send[pairs_cell(p, j, i)], 1e6 * s->gap[k],
                    1e6 * s->gap[pairs_cell(p, j, i)]);
        else
            fprintf(out, " %10s %10s %10s %10s", "-", "-", "-", "-");
        fprintf(out, " %s", pairs_relation_name(p->relation ? p->relation[k] : -1));
        if (s->way)
            fprintf(out, " %10.3f %10.3f %10.3f", 1e6 * s->way[k],
                    1e6 * s->way[pairs_cell(p, j, i)], 1e6 * s->doubt[k]);
    }
    fputc('\n', out);
}

void pairs_log_write(const struct pairs *p, FILE *out, bool only_paper)
{
    for (int s = 0; s < p->n_sizes; s++) {
        fprintf(out, "# Testing Hostname: %s\n", p->system);
        fprintf(out, "# Processors: %d MsgLen %zu Repeats: %d\n", p->n, p->size[s].bytes,
                p->size[s].repeats);
        fprintf(out, "# ProcName1:rank   ProcName2:rank   AvgCommTime(usecs) StdDev\n");
        for (int i = 0; i < p->n; i++)
            for (int j = i; j < p->n; j++)
                write_pair(p, &p->size[s], i, j, out, only_paper);
    }
    if (!only_paper)
        fprintf(out, "#+ after StdDev: Median(usecs) Min(usecs) Send1(usecs) Send2(usecs) "
                     "Gap1(usecs) Gap2(usecs) Relation Way1(usecs) Way2(usecs) Doubt(usecs)\n");
    if (!only_paper && p->order) {
        fprintf(out, "#+ Order: %s", p->order);
        if (p->slowdown > 0)
            fprintf(out, " (among others a pair took up to %.3g times as long as alone)",
                    p->slowdown);
        fputc('\n', out);
    }
}

static void write_matrix(const struct pairs *p, const struct pairs_size *s, const char *what,
                         const double *m, FILE *out)
{
    fprintf(out, "# %s of the round trip between each two of %d ranks (us), %zu B, %d repeats\n",
            what, p->n, s->bytes, s->repeats);
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j < p->n; j++)
            fprintf(out, "%.3f%c", 1e6 * m[pairs_cell(p, i, j)], j + 1 == p->n ? '\n' : ' ');
    fputs("\n\n", out);
}

void pairs_matrices_write(const struct pairs *p, FILE *out)
{
    for (int k = 0; k < p->n_sizes; k++) {
        const struct pairs_size *s = &p->size[k];
        write_matrix(p, s, "mean", s->mean, out);
        write_matrix(p, s, "standard deviation", s->sd, out);
        write_matrix(p, s, "median", s->median, out);
    }
}

struct reader {
    struct pairs *p;
    int size;         /* index of the block being read; -1 before the first */
    size_t missing;   /* pairs of it that are still to come */
    const char *rest; /* of the log, behind the line being read */
    char system[128];
    char *why;
    size_t why_size;
};

__attribute__((format(printf, 2, 3))) static bool blame(struct reader *r, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(r->why, r->why_size, format, list);
    va_end(list);
    return false;
}

/* The shortest line of a pair is "a 0 b 1 1 0". A few words must not make the reader ask for the
 * matrices of 65536 ranks. */
static bool is_long_enough(const struct reader *r, int n)
{
    return (size_t)n * (size_t)(n - 1) / 2 <= (strlen(r->rest) + 1) / sizeof "a 0 b 1 1 0";
}

static bool read_header(struct reader *r, const char *line)
{
    int n, repeats;
    size_t bytes;
    if (sscanf(line, "# Testing Hostname: %127s", r->system) == 1 || strncmp(line, "# Proc", 6) ||
        line[6] == 'N')
        return true;
    if (sscanf(line, "# Processors: %d MsgLen %zu Repeats: %d", &n, &bytes, &repeats) != 3)
        return blame(r, "'# Processors: N MsgLen BYTES Repeats: M' expected");
    if (n < 1 || repeats < 1)
        return blame(r, "%d processors, %d repeats: at least 1 of each", n, repeats);
    if (n > 65536 || bytes > PTRDIFF_MAX)
        return blame(r, "%d processors, %zu bytes: more than there can be", n, bytes);
    if (r->missing)
        return blame(r, "a new block, and %zu pairs of the last one are missing", r->missing);
    if (!is_long_enough(r, n))
        return blame(r, "a block of %d processors, and too few lines behind it for all pairs", n);
    if (r->p->n == 0 && !pairs_new(r->p, n))
        return blame(r, "no memory for %d ranks", n);
    if (r->p->n != n)
        return blame(r, "%d processors after a block of %d", n, r->p->n);
    for (int s = 0; s < r->p->n_sizes; s++)
        if (r->p->size[s].bytes == bytes)
            return blame(r, "a second block of %zu bytes", bytes);
    snprintf(r->p->system, sizeof r->p->system, "%s", r->system);
    struct pairs_size *s = pairs_add_size(r->p, bytes, repeats, true);
    if (!s)
        return blame(r, "no memory for %d ranks", n);
    r->size = (int)(s - r->p->size);
    r->missing = (size_t)n * (size_t)(n - 1) / 2;
    return true;
}

static bool read_real(const char *text, double *value)
{
    char *end;
    *value = 1e-6 * strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value);
}

static bool read_rank(const char *text, int n, int *rank)
{
    char *end;
    long value = strtol(text, &end, 10);
    *rank = (int)value;
    return end != text && *end == '\0' && value >= 0 && value < n;
}

enum { FIELDS_PAPER = 6, FIELDS_UNDIRECTED = 13, FIELDS_OURS = 16 };

static void mirror(double *m, const struct pairs *p, int i, int j, double value)
{
    m[pairs_cell(p, i, j)] = m[pairs_cell(p, j, i)] = value;
}

/* Where the clocks told the ways apart. One may well be less than nothing, if in doubt. */
static bool read_ways(struct reader *r, char *const *field, int i, int j)
{
    struct pairs *p = r->p;
    struct pairs_size *s = &p->size[r->size];
    double way[2], doubt;
    if (!read_real(field[13], &way[0]) || !read_real(field[14], &way[1]) ||
        !read_real(field[15], &doubt) || doubt < 0)
        return blame(r, "'%s %s %s' are no ways and their doubt in microseconds", field[13],
                     field[14], field[15]);
    s->way[pairs_cell(p, i, j)] = way[0];
    s->way[pairs_cell(p, j, i)] = way[1];
    mirror(s->doubt, p, i, j, doubt);
    return true;
}

/* Our columns, all or none. */
static bool read_ours(struct reader *r, char *const *field, int i, int j)
{
    struct pairs *p = r->p;
    struct pairs_size *s = &p->size[r->size];
    double median, min, send[2], gap[2];
    if (!read_real(field[6], &median) || !read_real(field[7], &min) ||
        (i != j && !(median > 0 && min > 0)))
        return blame(r, "'%s %s' is no median and minimum in microseconds", field[6], field[7]);
    mirror(s->median, p, i, j, median);
    mirror(s->min, p, i, j, min);
    if (strcmp(field[8], "-") != 0) {
        if (!read_real(field[8], &send[0]) || !read_real(field[9], &send[1]) ||
            !read_real(field[10], &gap[0]) || !read_real(field[11], &gap[1]))
            return blame(r, "'%s %s %s %s' are no send calls and gaps in microseconds", field[8],
                         field[9], field[10], field[11]);
        s->send[pairs_cell(p, i, j)] = send[0];
        s->send[pairs_cell(p, j, i)] = send[1];
        s->gap[pairs_cell(p, i, j)] = gap[0];
        s->gap[pairs_cell(p, j, i)] = gap[1];
    }
    int relation = relation_from_name(field[12]);
    if (relation < 0 && strcmp(field[12], "-") != 0)
        return blame(r, "'%s' is no relation: core, complex, package, node, other-node or -",
                     field[12]);
    if (!pairs_need_relation(p))
        return blame(r, "no memory for %d ranks", p->n);
    p->relation[pairs_cell(p, i, j)] = p->relation[pairs_cell(p, j, i)] = relation;
    return true;
}

/* A log of the paper's columns has means, and one exchange that was preempted makes such a mean a
 * thousand times too long. If all its deviation comes from one exchange of N, that is in the mean
 * by sd / sqrt(N); if it comes from all of them, that is the mean's own error, and little. */
static double without_one(double mean, double sd, int n)
{
    const double least = 1e-9;
    return fmax(fmin(mean, least), mean - sd / sqrt(n));
}

static bool read_pair(struct reader *r, char *const *field, int n_fields)
{
    struct pairs *p = r->p;
    int i, j;
    double mean, sd;
    if (r->size < 0)
        return blame(r, "a pair before any '# Processors:' line");
    if (n_fields != FIELDS_PAPER && n_fields != FIELDS_UNDIRECTED && n_fields != FIELDS_OURS)
        return blame(r, "%d columns: %d (the paper's), %d or %d (ours) expected", n_fields,
                     FIELDS_PAPER, FIELDS_UNDIRECTED, FIELDS_OURS);
    if (!read_rank(field[1], p->n, &i) || !read_rank(field[3], p->n, &j))
        return blame(r, "ranks '%s' and '%s': 0 to %d expected", field[1], field[3], p->n - 1);
    if (!read_real(field[4], &mean) || !read_real(field[5], &sd))
        return blame(r, "'%s %s' is no time and deviation in microseconds", field[4], field[5]);
    if (mean < 0 || sd < 0 || (mean == 0 && i != j))
        return blame(r,
                     "a time of %s and a deviation of %s us between ranks %d and %d: they must "
                     "be above 0",
                     field[4], field[5], i, j);
    if (!pairs_set_host(p, i, field[0]) || !pairs_set_host(p, j, field[2]))
        return blame(r, "no memory for %d ranks", p->n);
    struct pairs_size *s = &p->size[r->size];
    if (i != j && !isnan(s->mean[pairs_cell(p, i, j)]))
        return blame(r, "ranks %d and %d a second time", i, j);
    r->missing -= i != j;
    mirror(s->mean, p, i, j, mean);
    mirror(s->sd, p, i, j, sd);
    mirror(s->median, p, i, j, without_one(mean, sd, s->repeats));
    mirror(s->min, p, i, j, without_one(mean, sd, s->repeats));
    return n_fields == FIELDS_PAPER ||
           (read_ours(r, field, i, j) &&
            (n_fields == FIELDS_UNDIRECTED || read_ways(r, field, i, j)));
}

static bool read_line(struct reader *r, char *line)
{
    char *field[FIELDS_OURS + 1], *rest = NULL;
    int n = 0;
    if (line[0] == '#')
        return read_header(r, line);
    for (char *word = strtok_r(line, " \t\r\n", &rest); word && n <= FIELDS_OURS;
         word = strtok_r(NULL, " \t\r\n", &rest))
        field[n++] = word;
    return n == 0 || read_pair(r, field, n);
}

/* What differs by direction is known for all pairs or counts as not known. */
static void drop_unknown(const struct pairs *p, double **matrix, double **other)
{
    bool known = p->n > 1;
    for (size_t k = 0; known && k < (size_t)p->n * (size_t)p->n; k++)
        known = !isnan((*matrix)[k]);
    if (known)
        return;
    free(*matrix);
    free(*other);
    *matrix = *other = NULL;
}

static void drop_all_unknown(struct pairs *p)
{
    for (int s = 0; s < p->n_sizes; s++) {
        drop_unknown(p, &p->size[s].send, &p->size[s].gap);
        drop_unknown(p, &p->size[s].way, &p->size[s].doubt);
    }
}

static bool read_lines(struct reader *r, char *log, char *why, size_t size)
{
    char *line;
    for (int number = 1; (line = strsep(&log, "\n")); number++) {
        r->rest = log ? log : "";
        if (!read_line(r, line)) {
            snprintf(why, size, "line %d: %s", number, r->why);
            return false;
        }
    }
    return pairs_check(r->p, why, size);
}

/* As a whole, so that how long it is is known of a pipe too. */
bool pairs_log_read(FILE *in, struct pairs *p, char *why, size_t size)
{
    char text[256], *log = NULL;
    size_t room = 0;
    struct reader r = {.p = p, .size = -1, .why = text, .why_size = sizeof text};
    *p = (struct pairs){0};
    ssize_t length = getdelim(&log, &room, '\0', in);
    bool good = length < 0 || strlen(log) == (size_t)length;
    if (!good)
        snprintf(why, size, "no log: a zero byte in it");
    good = good && read_lines(&r, length < 0 ? NULL : log, why, size);
    free(log);
    if (good)
        drop_all_unknown(p);
    else
        pairs_free(p);
    return good;
}

bool pairs_log_load(const char *path, struct pairs *p, char *why, size_t size)
{
    char text[320];
    *p = (struct pairs){0};
    const char *reason;
    FILE *in = input_file(AT_FDCWD, path, &reason);
    if (!in) {
        snprintf(why, size, "%s: %s", path, reason);
        return false;
    }
    bool good = pairs_log_read(in, p, text, sizeof text);
    if (!good)
        snprintf(why, size, "%s: %s", path, text);
    fclose(in);
    return good;
}
