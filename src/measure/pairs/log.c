#include "measure/pairs/log.h"

#include "base/input.h"

#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED = 4, FIELDS = NAMED + 2 }; /* two hosts and ranks; then mean and deviation */

void pairs_log_write(const struct pairs *p, FILE *out)
{
    for (int s = 0; s < p->n_sizes; s++) {
        const struct pairs_size *of = &p->size[s];
        fprintf(out, "# Testing Hostname: %s\n", p->system);
        fprintf(out, "# Processors: %d MsgLen %zu Repeats: %d\n", p->n, of->bytes, of->repeats);
        fprintf(out, "# ProcName1:rank   ProcName2:rank   AvgCommTime(usecs) StdDev\n");
        for (int i = 0; i < p->n; i++)
            for (int j = i; j < p->n; j++) {
                size_t k = pairs_cell(p, i, j);
                fprintf(out, "%s %03d   %s %03d %14.2f %6.2f\n", p->host[i], i, p->host[j], j,
                        1e6 * of->of[PAIRS_MEAN][k], 1e6 * of->of[PAIRS_SD][k]);
            }
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
        write_matrix(p, s, "mean", s->of[PAIRS_MEAN], out);
        write_matrix(p, s, "standard deviation", s->of[PAIRS_SD], out);
    }
}

struct log_reader {
    struct pairs *p;
    struct pairs_size *size; /* the block being read; NULL before the first one */
    size_t length;           /* of the whole log */
    bool mpptest;            /* it is output of MPPTest */
    char system[128];
    char *why;
    size_t why_size;
};

__attribute__((format(printf, 2, 3))) static bool refuse(struct log_reader *r, const char *format,
                                                         ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(r->why, r->why_size, format, list);
    va_end(list);
    return false;
}

/* A few words must not make the reader allocate matrices for 65536 ranks: the shortest line of a
 * pair is "a 0 b 1 1 0". */
static bool is_long_enough(const struct log_reader *r, int n)
{
    return (size_t)n * (size_t)(n - 1) / 2 <= r->length / sizeof "a 0 b 1 1 0" + 1;
}

static bool read_header(struct log_reader *r, const char *line)
{
    int n, repeats;
    size_t bytes;
    if (sscanf(line, "# Testing Hostname: %127s", r->system) == 1 || strncmp(line, "# Proc", 6) ||
        line[6] == 'N')
        return true;
    if (sscanf(line, "# Processors: %d MsgLen %zu Repeats: %d", &n, &bytes, &repeats) != 3 ||
        n < 1 || n > 65536 || repeats < 1 || bytes > PTRDIFF_MAX)
        return refuse(r, "'# Processors: N MsgLen BYTES Repeats: M' expected");
    if (!is_long_enough(r, n))
        return refuse(r, "a block of %d processors, and too few lines for all pairs", n);
    if (r->p->n > 0 && r->p->n != n)
        return refuse(r, "%d processors after a block of %d", n, r->p->n);
    for (int s = 0; s < r->p->n_sizes; s++)
        if (r->p->size[s].bytes == bytes)
            return refuse(r, "a second block of %zu bytes", bytes);
    if ((r->p->n == 0 && !pairs_new(r->p, n)) || !(r->size = pairs_add_size(r->p, bytes, repeats)))
        return refuse(r, "no memory for %d ranks", n);
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

/* A round trip of 0 is rejected, since it is impossible. */
static bool read_time(struct log_reader *r, const char *text, double least, int i, int j,
                      double *of)
{
    double value;
    if (!read_real(text, &value))
        return refuse(r, "'%s' is no time in microseconds", text);
    if (i == j)
        return true;
    if (value < least)
        return refuse(r, "a time of %s us between ranks %d and %d: above 0 expected", text, i, j);
    of[pairs_cell(r->p, i, j)] = of[pairs_cell(r->p, j, i)] = value;
    return true;
}

/* --- MPPTest's --- */

static const char mpptest_head[] = "#p0\tp1\tdist\tlen";

/* A line of figures; false: a comment or a command to a plotter. */
static bool read_figures(const char *line, int *i, int *j, size_t *bytes, double *half)
{
    return sscanf(line, "%d %d %*d %zu %lf", i, j, bytes, half) == 4;
}

/* Makes room for all ranks that are named in LOG. */
static bool mpptest_open(struct log_reader *r, const char *log)
{
    int i, j, n = 0;
    size_t bytes;
    double half;
    for (const char *line = log; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (read_figures(line, &i, &j, &bytes, &half)) {
            if (i < 0 || j < 0 || i == j || i > 65535 || j > 65535 || bytes > PTRDIFF_MAX)
                return refuse(r, "a pair of ranks %d and %d", i, j);
            n = i >= n ? i + 1 : n;
            n = j >= n ? j + 1 : n;
        }
    if (!is_long_enough(r, n))
        return refuse(r, "%d ranks, and too few lines for all pairs", n);
    return n == 0 || pairs_new(r->p, n) || refuse(r, "no memory for %d ranks", n);
}

static bool mpptest_read(struct log_reader *r, const char *line)
{
    struct pairs *p = r->p;
    int i, j, s = 0;
    size_t bytes;
    double half;
    if (!read_figures(line, &i, &j, &bytes, &half))
        return true;
    while (s < p->n_sizes && p->size[s].bytes != bytes)
        s++;
    struct pairs_size *size = s < p->n_sizes ? &p->size[s] : pairs_add_size(p, bytes, 0);
    if (!size)
        return refuse(r, "no memory for %d ranks", p->n);
    double *mean = size->of[PAIRS_MEAN];
    if (!isfinite(half) || half <= 0)
        return refuse(r, "a time of %g us between ranks %d and %d: above 0 expected", half, i, j);
    if (!isnan(mean[pairs_cell(p, i, j)]))
        return refuse(r, "ranks %d and %d a second time", i, j);
    mean[pairs_cell(p, i, j)] = mean[pairs_cell(p, j, i)] = 2e-6 * half;
    return true;
}

/* --- the paper's tool's --- */

static bool read_pair(struct log_reader *r, char *const *field, int n_fields)
{
    struct pairs *p = r->p;
    int i, j;
    if (!r->size)
        return refuse(r, "a pair before any '# Processors:' line");
    if (n_fields < FIELDS)
        return refuse(r, "%d columns: %d expected", n_fields, FIELDS);
    if (!read_rank(field[1], p->n, &i) || !read_rank(field[3], p->n, &j))
        return refuse(r, "ranks '%s' and '%s': 0 to %d expected", field[1], field[3], p->n - 1);
    if (i != j && !isnan(r->size->of[PAIRS_MEAN][pairs_cell(p, i, j)]))
        return refuse(r, "ranks %d and %d a second time", i, j);
    if (!pairs_set_host(p, i, field[0]) || !pairs_set_host(p, j, field[2]))
        return refuse(r, "no memory for %d ranks", p->n);
    return read_time(r, field[NAMED], DBL_MIN, i, j, r->size->of[PAIRS_MEAN]) &&
           read_time(r, field[NAMED + 1], 0, i, j, r->size->of[PAIRS_SD]);
}

/* Fields after the deviation, as in logs of earlier versions, are ignored. */
static bool read_line(struct log_reader *r, char *line)
{
    char *field[FIELDS], *rest = NULL;
    int n = 0;
    if (r->mpptest)
        return mpptest_read(r, line);
    if (line[0] == '#')
        return read_header(r, line);
    for (char *word = strtok_r(line, " \t\r\n", &rest); word && n < FIELDS;
         word = strtok_r(NULL, " \t\r\n", &rest))
        field[n++] = word;
    return n == 0 || read_pair(r, field, n);
}

static bool is_complete(const struct pairs *p, char *why, size_t size)
{
    if (p->n_sizes == 0)
        snprintf(why, size, "it has no measurements");
    for (int s = 0; s < p->n_sizes; s++)
        for (int i = 0; i < p->n; i++)
            for (int j = i + 1; j < p->n; j++)
                if (isnan(p->size[s].of[PAIRS_MEAN][pairs_cell(p, i, j)])) {
                    snprintf(why, size, "the pair of ranks %d and %d is missing (%zu bytes)", i, j,
                             p->size[s].bytes);
                    return false;
                }
    return p->n_sizes > 0;
}

static bool read_lines(struct log_reader *r, char *log, char *why, size_t size)
{
    char *line;
    r->mpptest = log && strstr(log, mpptest_head);
    if (r->mpptest && !mpptest_open(r, log)) {
        snprintf(why, size, "%s", r->why);
        return false;
    }
    for (int number = 1; (line = strsep(&log, "\n")); number++)
        if (!read_line(r, line)) {
            snprintf(why, size, "line %d: %s", number, r->why);
            return false;
        }
    return is_complete(r->p, why, size);
}

/* Reads the whole log first, so that its length is known even if it is a pipe. */
bool pairs_log_read(FILE *in, struct pairs *p, char *why, size_t size)
{
    char text[256], *log = NULL;
    size_t room = 0;
    struct log_reader r = {.p = p, .why = text, .why_size = sizeof text};
    *p = (struct pairs){0};
    ssize_t length = getdelim(&log, &room, '\0', in);
    r.length = length < 0 ? 0 : (size_t)length;
    bool good = length < 0 || strlen(log) == (size_t)length;
    if (!good)
        snprintf(why, size, "no log: a zero byte in it");
    good = good && read_lines(&r, length < 0 ? NULL : log, why, size);
    free(log);
    memcpy(p->system, r.system, sizeof p->system);
    if (!good)
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
