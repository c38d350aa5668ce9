#include "report/report.h"

#include "base/format.h"
#include "base/quote.h"
#include "base/text.h"
#include "report/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The report on one screen while it is written, and the number of its lines so far. */
struct screen {
    const struct view *v;
    const json_t *findings;
    const struct report_options *o;
    FILE *out;
    size_t lines;
    bool ended_badly;
    char algorithms[2000]; /* "MPI_Bcast: binomial; ..."; "" if none is known */
};

const char *run_title(const struct profile *p, char text[RUN_TITLE])
{
    const bool some = (int64_t)p->ranks.n < p->size;
    char all[24] = "", host[HOSTS_TEXT];
    if (some)
        snprintf(all, sizeof all, " of %d", p->size);
    snprintf(text, RUN_TITLE, "%.100s on %zu%s rank%s, %s, %s%s",
             p->programs.n ? text_base_of(p->programs.at[0].text) : "an application", p->ranks.n,
             all, p->ranks.n == 1 && !some ? "" : "s", hosts_text(p, host),
             profile_longest_known(p) ? "" : "at least ", AS_TIME(profile_longest_ns(p)));
    return text;
}

/* Writes one line: run_title() and the date. */
static void put_title(const struct view *v, FILE *out, const struct report_options *o)
{
    char title[RUN_TITLE], when[64];
    int n = fprintf(out, "collprof: %s", run_title(v->p, title));
    profile_started(v->p, ", %Y-%m-%d %H:%M:%S", when);
    fprintf(out, "%s\n", (size_t)n + strlen(when) <= o->text.width ? when : "");
}

/* Writes TEXT after MARK, unless it would end below line LAST. Returns whether it was written. */
static bool put_within(struct screen *s, size_t last, const char *mark, const char *text)
{
    const long begin = ftell(s->out);
    const size_t n = text_paragraph_write(s->out, mark, text, s->o->text.width);
    const bool fits = s->lines + n <= last;
    if (fits)
        s->lines += n;
    else
        fseek(s->out, begin, SEEK_SET);
    return fits;
}

static void put_text(struct screen *s, const char *mark, const char *text)
{
    put_within(s, SIZE_MAX, mark, text);
}

static void put_bar(struct screen *s, const struct efficiency *e)
{
    size_t room = s->o->text.width - 2;
    size_t compute = (size_t)lround((double)room * e->compute);
    char legend[160];
    size_t waiting = (size_t)lround((double)room * e->waiting);
    if (compute + waiting > room)
        waiting = room - compute;
    fputc('[', s->out);
    for (size_t i = 0; i < room; i++)
        fputc(i < compute ? '#' : i < compute + waiting ? '=' : '-', s->out);
    fputs("]\n", s->out);
    s->lines++;
    snprintf(legend, sizeof legend,
             "# compute %.1f %%  = waiting for other ranks %.1f %%  - other time in MPI %.1f %%",
             100 * e->compute, 100 * e->waiting, 100 * e->other);
    put_text(s, " ", legend);
}

static void put_where(struct screen *s)
{
    const struct efficiency *e = &s->v->where;
    char factors[EFFICIENCY_TEXT];
    if (e->known && s->v->p->ranks.n > 1)
        put_text(s, "Parallel efficiency ", efficiency_text(e, factors));
    if (e->known)
        put_bar(s, e);
    else
        put_text(s, "Time in MPI: ", mpi_text(s->v, factors));
}

/* Whether F is printed above all results: an error, or a doubt if the run ended abnormally. */
static bool comes_first(const struct screen *s, const json_t *f)
{
    const char *severity = json_text_at(f, "severity");
    return !strcmp(severity, "error") || (!strcmp(severity, "doubt") && s->ended_badly);
}

static void put_first(struct screen *s)
{
    enum { LAST = 12 };
    size_t i, shown = 0, left = 0;
    const json_t *f;
    char more[100];
    json_array_foreach(s->findings, i, f) {
        if (!comes_first(s, f))
            continue;
        if (left || !put_within(s, shown ? LAST : SIZE_MAX, "! ", json_text_at(f, "text")))
            left++;
        else
            shown++;
    }
    snprintf(more, sizeof more, "and %zu more: collprof report --full", left);
    if (left)
        put_text(s, "! ", more);
}

/* Writes "12.3 % of the run (at least 9 %): " and the finding's text, if it fits. */
static bool put_finding(struct screen *s, size_t last, const json_t *f, size_t number)
{
    char mark[60], text[2000], low[60] = "";
    double least = json_number_value(json_object_get(f, "low_s"));
    snprintf(mark, sizeof mark, " %zu. ", number);
    if (least > 0)
        snprintf(low, sizeof low, " (at least %s)", AS_SHARE(least / s->v->where.run, 1));
    const double part = json_number_value(json_object_get(f, "share"));
    if (part > 0)
        snprintf(text, sizeof text, "%s of the run%s: %s", AS_SHARE(part, 1), low,
                 json_text_at(f, "text"));
    else
        snprintf(text, sizeof text, "%s", json_text_at(f, "text"));
    return put_within(s, last, mark, text);
}

/* Writes the costliest findings, notes and, if there is room, the first doubt. */
static void put_findings(struct screen *s)
{
    enum { MOST = 4 };
    /* Nine lines are left for the table and the advice, one for the algorithms. */
    const size_t last = REPORT_LINES - 9 - (*s->algorithms != '\0');
    size_t i, shown = 0;
    bool room = true;
    const char *doubt = NULL;
    const json_t *f;
    json_array_foreach(s->findings, i, f) {
        const char *severity = json_text_at(f, "severity");
        if (!strcmp(severity, "finding") && room && shown < MOST) {
            if (!shown)
                put_text(s, "", "");
            room = put_finding(s, last, f, shown + 1);
            shown += room;
        } else if (!strcmp(severity, "note")) {
            put_text(s, " - ", json_text_at(f, "text"));
        } else if (!strcmp(severity, "doubt") && !comes_first(s, f) && !doubt) {
            doubt = json_text_at(f, "text");
        }
    }
    if (doubt)
        put_within(s, last, " - ", doubt);
}

static void put_calls(struct screen *s)
{
    enum { ROWS = 5 };
    struct document *d = document_new("collprof-screen/1");
    const struct table *t = report_table_add(d, report_table_find("call_sites"), s->v);
    put_text(s, "", "");
    if (table_rows(t)) {
        table_text_write(
            t, s->out,
            &(struct text_options){.width = s->o->text.width, .rows = ROWS, .brief = true});
        s->lines += 1 + (table_rows(t) < ROWS ? table_rows(t) : ROWS);
    } else {
        put_text(s, "", "No MPI call between MPI_Init and MPI_Finalize was recorded.");
    }
    document_free(d);
}

static void find_algorithms(struct screen *s)
{
    const size_t size = sizeof s->algorithms;
    size_t n = 0;
    for (uint32_t i = 0; i < s->v->p->operations.n && n < size - 300; i++) {
        const char *name = algorithm_of(s->v->p, i);
        if (name)
            n += (size_t)snprintf(s->algorithms + n, size - n, "%s%s: %s", n ? "; " : "",
                                  s->v->p->operations.at[i].name, name);
    }
}

/* Writes algorithms below the table, since the screen is too narrow for a column of them. */
static void put_algorithms(struct screen *s)
{
    if (*s->algorithms &&
        !put_within(s, REPORT_LINES - 3, "Algorithms detected from messages: ", s->algorithms))
        put_text(s, "Algorithms in use: ", "collprof report --table=algorithms");
}

static void put_next(struct screen *s)
{
    char text[5000], directory[4400];
    size_t i;
    const json_t *f;
    const char *advice = s->o->next;
    quote_shell(s->o->directory ?: "DIR", directory, sizeof directory);
    put_text(s, "", "");
    json_array_foreach(s->findings, i, f)
        advice =
            advice || s->o->explained ? advice : json_string_value(json_object_get(f, "advice"));
    if (advice)
        snprintf(text, sizeof text, "%s", advice);
    else if (s->v->p->ranks.n == 1 && s->v->p->size <= 1 && !s->ended_badly)
        snprintf(text, sizeof text,
                 "to measure communication, start several ranks: mpiexec -n N collprof ./app");
    else
        snprintf(text, sizeof text, "every table: collprof report --full %s", directory);
    put_text(s, "Next: ", text);
}

/* At most REPORT_LINES lines if WIDTH is large enough. */
static void write_screen(const struct view *v, FILE *out, const struct report_options *o)
{
    struct document *d = document_new("collprof-report/1");
    findings_add(d, v, o->directory);
    struct screen s = {.v = v, .findings = document_finding_list(d), .o = o, .out = out};
    s.ended_badly = strcmp(run_state_of(v->p), "complete") != 0;
    find_algorithms(&s);
    put_title(v, out, o);
    s.lines++;
    /* If EXPLAINED, as for a deadlock, src/verdict named the calls; waiting times mean nothing. */
    if (!o->explained) {
        put_first(&s);
        put_where(&s);
        put_findings(&s);
    }
    put_calls(&s);
    put_algorithms(&s);
    put_next(&s);
    document_free(d);
}

static void write_full(const struct view *v, FILE *out, const struct report_options *o)
{
    struct document *d = report_document(v->p, o);
    put_title(v, out, o);
    document_text_write(d, out, &o->text);
    if (o->next)
        text_paragraph_write(out, "Next: ", o->next, o->text.width);
    document_free(d);
}

/* Writes, for an empty TABLE, the `collprof run` option that fills it, or why --tune failed. */
static void write_missing(const struct view *v, FILE *out, const struct report_table *table)
{
    const bool recorded = v->p->trace.on && table->option && !strcmp(table->option, "--trace");
    const char *why = "";
    for (size_t i = 0; i < v->p->warnings.n && !strcmp(table->name, "tune"); i++)
        if (!strncmp(v->p->warnings.at[i].text, PROFILE_NOT_TUNED, strlen(PROFILE_NOT_TUNED)))
            why = v->p->warnings.at[i].text;
    fprintf(out, "The run has no %s%s%s", table->name, *why ? ": " : "", why);
    if (table->option && !recorded && !*why)
        fprintf(out, ": collprof run %s records it, if there is any", table->option);
    fputs(".\n", out);
}

static void write_one(const struct view *v, FILE *out, const struct report_options *o)
{
    struct document *d = document_new("collprof-report/1");
    const struct table *t = report_table_add(d, o->table, v);
    if (table_rows(t))
        table_text_write(t, out, &o->text);
    else
        write_missing(v, out, o->table);
    document_free(d);
}

void report_text(const struct profile *p, FILE *out, const struct report_options *options)
{
    struct report_options o = *options;
    struct view v;
    char *text = NULL;
    size_t size;
    o.text.rows = o.text.rows ?: 20;
    o.text.width = o.text.width ?: report_width(out);
    FILE *piece = memory_open_text(&text, &size);
    view_open(&v, p);
    (o.table ? write_one : o.full ? write_full : write_screen)(&v, piece, &o);
    view_close(&v);
    fclose(piece);
    fwrite(text, 1, size, out);
    free(text);
}
