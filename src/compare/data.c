/* The differences for programs. */
#include "base/quote.h"
#include "compare/differences.h"
#include "compare/evidence.h"
#include "document/json_file.h"
#include "profile/profile.h"

#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_keys[] = {
    [DIFFERENCE_WALL] = "wall",         [DIFFERENCE_OUTSIDE] = "outside_before",
    [DIFFERENCE_COMPUTING] = "outside", [DIFFERENCE_OWN] = "without_waiting",
    [DIFFERENCE_TIME] = "time",         [DIFFERENCE_WAIT] = "waiting"};
static const char *const certainty_keys[] = {
    [CERTAINTY_NONE] = "none", [CERTAINTY_HINT] = "hint", [CERTAINTY_TOLD] = "told"};

static json_t *row_of(const struct differences *d, const struct difference *x)
{
    char text[1200];
    difference_sentence(d, x, text, sizeof text);
    json_t *row = json_object();
    json_put(row, "kind", json_string(kind_keys[x->kind]));
    json_put(row, "operation", json_text(x->operation, SIZE_MAX));
    json_put(row, "call_site", json_text(x->place, SIZE_MAX));
    json_put(row, "rank", x->rank < 0 ? json_null() : json_integer(x->rank));
    json_put(row, "certainty", json_string(certainty_keys[x->certainty]));
    json_put(row, "follows_from",
             x->follows ? json_integer((json_int_t)x->follows - 1) : json_null());
    json_put(row, "said_by_another", json_boolean(x->joined));
    json_put(row, "a_ns", json_numbers(x->value, d->runs[0], 1));
    json_put(row, "b_ns", json_numbers(x->value + d->runs[0], d->runs[1], 1));
    json_put(row, "median_a_ns", json_finite(x->median[0]));
    json_put(row, "median_b_ns", json_finite(x->median[1]));
    json_put(row, "change_ns", json_finite(x->change));
    json_put(row, "change_low_ns", json_finite(d->enough ? x->low : (double)NAN));
    json_put(row, "change_high_ns", json_finite(d->enough ? x->high : (double)NAN));
    json_put(row, "share_of_pairs_larger", json_finite(x->superiority));
    json_put(row, "p_rank_test", json_finite(x->p_rank));
    json_put(row, "p_of_all", json_finite(x->p_together));
    json_put(row, "sentence", json_text(text, SIZE_MAX));
    return row;
}

void differences_json(const struct differences_page *p, FILE *out)
{
    const struct differences *d = p->d;
    json_t *whole = json_object(), *rows = json_array(), *side[2] = {json_array(), json_array()};
    for (size_t i = 0; i < d->runs[0] + d->runs[1]; i++)
        json_push(side[i >= d->runs[0]], json_text(p->name[i], SIZE_MAX));
    for (size_t i = 0; i < d->list.n; i++)
        json_push(rows, row_of(d, &d->list.at[i]));
    json_put(whole, "schema", json_string("collprof-comparison/1"));
    json_put(whole, "collprof", json_string(PACKAGE_VERSION));
    json_put(whole, "a", side[0]);
    json_put(whole, "b", side[1]);
    json_put(whole, "ranks", json_pack("[I, I]", (json_int_t)d->ranks[0], (json_int_t)d->ranks[1]));
    char *doubts = differences_doubts(p), *rest = doubts;
    json_t *said = json_array();
    for (const char *line; (line = strsep(&rest, "\n")) && *line;)
        json_push(said, json_text(line, SIZE_MAX));
    free(doubts);
    json_put(whole, "doubts", said);
    json_put(whole, "enough_runs", json_boolean(d->enough));
    json_put(whole, "level", json_real(EVIDENCE_LEVEL));
    json_put(whole, "fail_above", json_finite(p->share));
    json_put(whole, "failed",
             isnan(p->share) ? json_null() : json_boolean(differences_above(d, p->share) != NULL));
    json_put(whole, "differences", rows);
    json_dumpf(whole, out, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
    fputc('\n', out);
    json_decref(whole);
}

/* --- JUnit, as continuous integration reads it: a case for the run and for each difference; with
 * too few runs to tell, none is passed --- */

static bool fails(const struct differences_page *p, const struct difference *x)
{
    return !isnan(p->share) && x->certainty == CERTAINTY_TOLD &&
           x->change > p->share * p->d->wall_ns;
}

static void put_case(const struct differences_page *p, const struct difference *x, FILE *out)
{
    char text[1200], name[900];
    difference_sentence(p->d, x, text, sizeof text);
    int n = snprintf(name, sizeof name, "%s%s%s%s%s", kind_keys[x->kind], *x->operation ? " " : "",
                     x->operation, *x->place ? " " : "", x->place);
    if (x->rank >= 0)
        snprintf(name + n, sizeof name - (size_t)n, " rank %s", x->ranks);
    fputs("  <testcase classname=\"collprof.compare\" name=\"", out);
    quote_html(name, out);
    fprintf(out, "\" time=\"%.6f\">\n", x->median[1] / 1e9);
    if (!p->d->enough)
        fputs("    <skipped message=\"so few runs cannot tell\"/>\n", out);
    fputs(fails(p, x) ? "    <failure message=\"" : "    <system-out>", out);
    quote_html(text, out);
    fputs(fails(p, x) ? "\"/>\n  </testcase>\n" : "</system-out>\n  </testcase>\n", out);
}

static bool is_case(const struct difference *x)
{
    return x->kind == DIFFERENCE_WALL || (x->certainty != CERTAINTY_NONE && !x->joined);
}

void differences_junit(const struct differences_page *p, FILE *out)
{
    size_t n = 0, failures = 0;
    for (size_t i = 0; i < p->d->list.n; i++) {
        const struct difference *x = &p->d->list.at[i];
        n += is_case(x);
        failures += is_case(x) && fails(p, x);
    }
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuite name=\"collprof compare\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" "
            "skipped=\"%zu\">\n",
            n, failures, p->d->enough ? 0 : n);
    for (size_t i = 0; i < p->d->list.n; i++)
        if (is_case(&p->d->list.at[i]))
            put_case(p, &p->d->list.at[i], out);
    char *doubts = differences_doubts(p);
    fputs(*doubts ? "  <system-out>" : "", out);
    quote_html(doubts, out);
    fputs(*doubts ? "</system-out>\n</testsuite>\n" : "</testsuite>\n", out);
    free(doubts);
}
