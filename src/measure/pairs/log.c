#include "measure/pairs/log.h"

#include "base/input.h"
#include "base/try.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

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
    for (const struct pairs_size *s = p->size; s < p->size + p->n_sizes; s++) {
        write_matrix(p, s, "mean", s->of[PAIRS_MEAN], out);
        write_matrix(p, s, "standard deviation", s->of[PAIRS_SD], out);
    }
}

/* --- reading --- */

enum { RANKS_MAX = 65536 };

struct log_reader {
    bool mpptest; /* the log is output of MPPTest, whose blocks have no heads */
    int n;        /* ranks must be below N: the block's number of ranks; MPPTest: RANKS_MAX */
    int repeats;
    size_t bytes;
    /* The pair of the line read last; times in microseconds. */
    char host[2][128];
    int i, j;
    double mean, sd;
    /* In all lines so far: the number of ranks, and of pairs. */
    int ranks;
    size_t pairs;
};

enum line { LINE_OTHER, LINE_HEAD, LINE_PAIR, LINE_WRONG };

static enum line read_head(struct log_reader *r, const char *line, struct pairs *p)
{
    if (sscanf(line, "# Testing Hostname: %127s", p->system) == 1 ||
        strncmp(line, "# Processors:", strlen("# Processors:")) != 0)
        return LINE_OTHER;
    int found =
        sscanf(line, "# Processors: %d MsgLen %zu Repeats: %d", &r->n, &r->bytes, &r->repeats);
    bool good = found == 3 && r->n > 0 && r->n <= RANKS_MAX && r->repeats > 0;
    return good && r->bytes <= PTRDIFF_MAX ? LINE_HEAD : LINE_WRONG;
}

/* A round trip of 0 is impossible, except from a rank to itself. */
static enum line check_pair(const struct log_reader *r)
{
    bool ranks = r->i >= 0 && r->i < r->n && r->j >= 0 && r->j < r->n,
         times = isfinite(r->mean) && (r->mean > 0 || r->i == r->j) && !(r->sd < 0);
    return ranks && times && r->bytes <= PTRDIFF_MAX ? LINE_PAIR : LINE_WRONG;
}

/* MPPTest prints half of the round trip. Other lines, commands to a plotter, are skipped. */
static enum line read_mpptest(struct log_reader *r, const char *line)
{
    if (sscanf(line, "%d %d %*d %zu %lf", &r->i, &r->j, &r->bytes, &r->mean) != 4)
        return LINE_OTHER;
    r->mean *= 2;
    r->sd = NAN;
    return check_pair(r);
}

/* Fields after the deviation, as in logs of earlier versions, are ignored. */
static enum line read_line(struct log_reader *r, const char *line, struct pairs *p)
{
    if (r->mpptest)
        return read_mpptest(r, line);
    if (line[0] == '#')
        return read_head(r, line, p);
    if (line[strspn(line, " \t\r")] == '\0')
        return LINE_OTHER;
    int found = sscanf(line, "%127s %d %127s %d %lf %lf", r->host[0], &r->i, r->host[1], &r->j,
                       &r->mean, &r->sd);
    return found == 6 && isfinite(r->sd) ? check_pair(r) : LINE_WRONG;
}

/* Puts a line of kind KIND into P. Returns what is wrong with it, NULL for nothing. */
static const char *store(const struct log_reader *r, enum line kind, struct pairs *p)
{
    int s = 0;
    while (s < p->n_sizes && p->size[s].bytes != r->bytes)
        s++;
    struct pairs_size *size =
        s < p->n_sizes ? &p->size[s] : pairs_add_size(p, r->bytes, r->repeats);
    if (!size)
        return "no memory";
    if (kind == LINE_HEAD)
        return NULL;
    if (!r->mpptest &&
        (!pairs_set_host(p, r->i, r->host[0]) || !pairs_set_host(p, r->j, r->host[1])))
        return "no memory";
    size_t there = pairs_cell(p, r->i, r->j), back = pairs_cell(p, r->j, r->i);
    if (there == back)
        return NULL;
    if (!isnan(size->of[PAIRS_MEAN][there]))
        return "this pair of ranks occurs a second time";
    size->of[PAIRS_MEAN][there] = size->of[PAIRS_MEAN][back] = 1e-6 * r->mean;
    size->of[PAIRS_SD][there] = size->of[PAIRS_SD][back] = 1e-6 * r->sd;
    return NULL;
}

/* Reads LINE; stores its times if P has room for ranks. Returns what is wrong, or NULL. */
static const char *take_line(struct log_reader *r, const char *line, struct pairs *p)
{
    enum line kind = read_line(r, line, p);
    if (kind == LINE_OTHER)
        return NULL;
    if (kind == LINE_WRONG)
        return line[0] == '#' || r->n == 0 ? "expected '# Processors: N MsgLen BYTES Repeats: M'"
                                           : "expected two ranks of the block and times above 0";
    int ranks = !r->mpptest ? r->n : r->i > r->j ? r->i + 1 : r->j + 1;
    r->ranks = ranks > r->ranks ? ranks : r->ranks;
    r->pairs += kind == LINE_PAIR;
    return p->n > 0 ? store(r, kind, p) : NULL;
}

/* Reads all lines of LOG, each of which ends with a zero byte. */
static bool take_lines(struct log_reader *r, const char *log, size_t length, struct pairs *p,
                       char *why, size_t size)
{
    const char *wrong = NULL;
    int number = 0;
    for (const char *line = log; !wrong && line < log + length; line += strlen(line) + 1) {
        wrong = take_line(r, line, p);
        number++;
    }
    if (wrong)
        snprintf(why, size, "line %d: %s", number, wrong);
    return !wrong;
}

/* Allocates P, unless lines are missing: a few words must not allocate matrices for 65536 ranks. */
static bool make_room(const struct log_reader *r, struct pairs *p, char *why, size_t size)
{
    size_t n = (size_t)r->ranks;
    if (n == 0)
        snprintf(why, size, "it has no measurements");
    else if (n * (n - 1) / 2 > r->pairs)
        snprintf(why, size, "too few lines for all pairs of %zu ranks", n);
    else if (pairs_new(p, r->ranks))
        return true;
    else
        snprintf(why, size, "no memory for %zu ranks", n);
    return false;
}

static bool is_complete(const struct pairs *p, char *why, size_t size)
{
    for (int s = 0; s < p->n_sizes; s++)
        for (int i = 0; i < p->n; i++)
            for (int j = i + 1; j < p->n; j++)
                if (isnan(p->size[s].of[PAIRS_MEAN][pairs_cell(p, i, j)])) {
                    snprintf(why, size, "the pair of ranks %d and %d is missing (%zu bytes)", i, j,
                             p->size[s].bytes);
                    return false;
                }
    return true;
}

/* Reads the lines twice: first to count the ranks. */
bool pairs_log_read(FILE *in, struct pairs *p, char *why, size_t size)
{
    FREED char *log = NULL;
    size_t room = 0;
    *p = (struct pairs){0};
    ssize_t read = getdelim(&log, &room, '\0', in);
    size_t length = read < 0 ? 0 : (size_t)read;
    bool good = length == 0 || strlen(log) == length;
    if (!good)
        snprintf(why, size, "not a log: it contains a zero byte");
    struct log_reader r = {.mpptest = length > 0 && strstr(log, "#p0\tp1\tdist\tlen")};
    r.n = r.mpptest ? RANKS_MAX : 0;
    for (size_t k = 0; k < length; k++)
        log[k] = log[k] == '\n' ? '\0' : log[k];
    struct log_reader counter = r;
    good = good && take_lines(&counter, log, length, p, why, size) &&
           make_room(&counter, p, why, size) && take_lines(&r, log, length, p, why, size) &&
           is_complete(p, why, size);
    if (!good)
        pairs_free(p);
    return good;
}

bool pairs_log_load(const char *path, struct pairs *p, char *why, size_t size)
{
    char text[320];
    *p = (struct pairs){0};
    const char *reason;
    FILE *in = input_file(path, &reason);
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
