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

/* Our columns behind the paper's: a quantity of the pair, of a directed one from the first rank or
 * from the second. The relation stands before column RELATION_BEFORE. */
static const struct {
    enum pairs_quantity what;
    bool from_second;
} columns[] = {{PAIRS_MEDIAN, false},  {PAIRS_MIN, false},    {PAIRS_SEND, false},
               {PAIRS_SEND, true},     {PAIRS_GAP, false},    {PAIRS_GAP, true},
               {PAIRS_ONE_WAY, false}, {PAIRS_ONE_WAY, true}, {PAIRS_BOUND, false}};
enum { N_COLUMNS = sizeof columns / sizeof *columns, RELATION_BEFORE = 6 };
enum { FIELDS_PAPER = 6, FIELDS_OURS = FIELDS_PAPER + N_COLUMNS + 1 };

static void write_pair(const struct pairs *p, const struct pairs_size *s, int i, int j, FILE *out,
                       bool only_paper)
{
    size_t k = pairs_cell(p, i, j), back = pairs_cell(p, j, i);
    fprintf(out, "%s %03d   %s %03d %14.2f %6.2f", p->host[i], i, p->host[j], j,
            1e6 * s->of[PAIRS_MEAN][k], 1e6 * s->of[PAIRS_SD][k]);
    for (int c = 0; c < N_COLUMNS && !only_paper; c++) {
        double value = s->of[columns[c].what][columns[c].from_second ? back : k];
        if (c == RELATION_BEFORE)
            fprintf(out, " %s", pairs_relation_name(p->relation ? p->relation[k] : -1));
        if (isnan(value))
            fprintf(out, " %10s", "-");
        else
            fprintf(out, " %10.3f", 1e6 * value);
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
        fprintf(out,
                "#+ after StdDev: Median(usecs) Min(usecs) Send1(usecs) Send2(usecs) "
                "Gap1(usecs) Gap2(usecs) Relation OneWay1(usecs) OneWay2(usecs) Bound(usecs)\n");
    if (!only_paper && p->order)
        fprintf(out, "#+ Order: %s\n", p->order);
    if (!only_paper && p->slowdown > 0)
        fprintf(out, "#+ Slowdown among others: %.3g\n", p->slowdown);
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
        if (pairs_known(p, PAIRS_MEDIAN))
            write_matrix(p, s, "median", s->of[PAIRS_MEDIAN], out);
    }
}

struct log_reader {
    struct pairs *p;
    int size;         /* index of the block being read; -1 before the first */
    size_t missing;   /* pairs of it that are still to come */
    const char *rest; /* of the log, behind the line being read */
    char system[128];
    double slowdown;
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

/* The shortest line of a pair is "a 0 b 1 1 0". A few words must not make the reader ask for the
 * matrices of 65536 ranks. */
static bool is_long_enough(const struct log_reader *r, int n)
{
    return (size_t)n * (size_t)(n - 1) / 2 <= (strlen(r->rest) + 1) / sizeof "a 0 b 1 1 0";
}

static bool read_header(struct log_reader *r, const char *line)
{
    int n, repeats;
    size_t bytes;
    if (sscanf(line, "# Testing Hostname: %127s", r->system) == 1 ||
        sscanf(line, "#+ Slowdown among others: %lf", &r->slowdown) == 1 ||
        strncmp(line, "# Proc", 6) || line[6] == 'N')
        return true;
    if (sscanf(line, "# Processors: %d MsgLen %zu Repeats: %d", &n, &bytes, &repeats) != 3)
        return refuse(r, "'# Processors: N MsgLen BYTES Repeats: M' expected");
    if (n < 1 || repeats < 1)
        return refuse(r, "%d processors, %d repeats: at least 1 of each", n, repeats);
    if (n > 65536 || bytes > PTRDIFF_MAX)
        return refuse(r, "%d processors, %zu bytes: more than there can be", n, bytes);
    if (r->missing)
        return refuse(r, "a new block, and %zu pairs of the last one are missing", r->missing);
    if (!is_long_enough(r, n))
        return refuse(r, "a block of %d processors, and too few lines behind it for all pairs", n);
    if (r->p->n == 0 && !pairs_new(r->p, n))
        return refuse(r, "no memory for %d ranks", n);
    if (r->p->n != n)
        return refuse(r, "%d processors after a block of %d", n, r->p->n);
    for (int s = 0; s < r->p->n_sizes; s++)
        if (r->p->size[s].bytes == bytes)
            return refuse(r, "a second block of %zu bytes", bytes);
    snprintf(r->p->system, sizeof r->p->system, "%s", r->system);
    struct pairs_size *s = pairs_add_size(r->p, bytes, repeats);
    if (!s)
        return refuse(r, "no memory for %d ranks", n);
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

static void mirror(double *m, const struct pairs *p, int i, int j, double value)
{
    m[pairs_cell(p, i, j)] = m[pairs_cell(p, j, i)] = value;
}

/* Our columns. "-": not known. No round trip takes no time. */
static bool read_ours(struct log_reader *r, char *const *field, int i, int j)
{
    struct pairs *p = r->p;
    double *const *of = p->size[r->size].of;
    for (int c = 0; c < N_COLUMNS; c++) {
        enum pairs_quantity what = columns[c].what;
        const char *text = field[FIELDS_PAPER + c + (c >= RELATION_BEFORE)];
        double value = NAN;
        if (strcmp(text, "-") != 0 && !read_real(text, &value))
            return refuse(r, "'%s' is no time in microseconds, nor '-'", text);
        if (i != j && what < PAIRS_DIRECTED && !(value > 0) && what != PAIRS_BOUND)
            return refuse(r, "'%s' is no median or minimum in microseconds", text);
        if (what < PAIRS_DIRECTED)
            mirror(of[what], p, i, j, value);
        else if (i != j)
            of[what][columns[c].from_second ? pairs_cell(p, j, i) : pairs_cell(p, i, j)] = value;
    }
    const char *name = field[FIELDS_PAPER + RELATION_BEFORE];
    int relation = relation_from_name(name);
    if (relation < 0 && strcmp(name, "-") != 0)
        return refuse(r, "'%s' is no relation: core, complex, package, node, other-node or -",
                      name);
    if (!pairs_need_relation(p))
        return refuse(r, "no memory for %d ranks", p->n);
    p->relation[pairs_cell(p, i, j)] = p->relation[pairs_cell(p, j, i)] = relation;
    return true;
}

static bool read_pair(struct log_reader *r, char *const *field, int n_fields)
{
    struct pairs *p = r->p;
    int i, j;
    double mean, sd;
    if (r->size < 0)
        return refuse(r, "a pair before any '# Processors:' line");
    if (n_fields != FIELDS_PAPER && n_fields != FIELDS_OURS)
        return refuse(r, "%d columns: %d (the paper's) or %d (ours) expected", n_fields,
                      FIELDS_PAPER, FIELDS_OURS);
    if (!read_rank(field[1], p->n, &i) || !read_rank(field[3], p->n, &j))
        return refuse(r, "ranks '%s' and '%s': 0 to %d expected", field[1], field[3], p->n - 1);
    if (!read_real(field[4], &mean) || !read_real(field[5], &sd))
        return refuse(r, "'%s %s' is no time and deviation in microseconds", field[4], field[5]);
    if (mean < 0 || sd < 0 || (mean == 0 && i != j))
        return refuse(r,
                      "a time of %s and a deviation of %s us between ranks %d and %d: they must "
                      "be above 0",
                      field[4], field[5], i, j);
    if (!pairs_set_host(p, i, field[0]) || !pairs_set_host(p, j, field[2]))
        return refuse(r, "no memory for %d ranks", p->n);
    double *const *of = p->size[r->size].of;
    if (i != j && !isnan(of[PAIRS_MEAN][pairs_cell(p, i, j)]))
        return refuse(r, "ranks %d and %d a second time", i, j);
    r->missing -= i != j;
    mirror(of[PAIRS_MEAN], p, i, j, mean);
    mirror(of[PAIRS_SD], p, i, j, sd);
    return n_fields == FIELDS_PAPER || read_ours(r, field, i, j);
}

static bool read_line(struct log_reader *r, char *line)
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

static bool read_lines(struct log_reader *r, char *log, char *why, size_t size)
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
    struct log_reader r = {.p = p, .size = -1, .why = text, .why_size = sizeof text};
    *p = (struct pairs){0};
    ssize_t length = getdelim(&log, &room, '\0', in);
    bool good = length < 0 || strlen(log) == (size_t)length;
    if (!good)
        snprintf(why, size, "no log: a zero byte in it");
    good = good && read_lines(&r, length < 0 ? NULL : log, why, size);
    free(log);
    p->slowdown = r.slowdown;
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
