/* A run as OpenMetrics 1.0 text for a scraper. Values are sums over ranks. Labels name only the
 * costliest call sites and late ranks, since each label is a series in the scraper's database. */
#include "export/export.h"

#include "base/text.h"
#include "report/labels.h"
#include "verdict/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A metric family. NAME must end with UNIT. */
struct family {
    const char *name, *type, *unit, *help; /* UNIT: or NULL */
    json_t *samples; /* values by labels: {operation="MPI_Recv",site="x.c:12 main"}; "": none */
};

static void write_value(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '\n')
            fputs("\\n", out);
        else
            fprintf(out, "%s%c", *text == '"' || *text == '\\' ? "\\" : "", *text);
}

/* Adds VALUE to the sample with the labels KEY and OTHER (NULL: none), as several call sites may
 * have the same name. Adds no new sample if there are MOST samples. */
static void add(struct family *f, const char *key, const char *of_key, const char *other,
                const char *of_other, double value, size_t most)
{
    FREED char *labels = NULL;
    size_t size;
    FILE *out = memory_open_text(&labels, &size);
    for (; key; key = other, of_key = of_other, other = NULL) {
        fprintf(out, "%c%s=\"", ftell(out) ? ',' : '{', key);
        write_value(out, of_key);
        fputc('"', out);
    }
    fputs(ftell(out) ? "}" : "", out);
    fclose(out);
    f->samples = f->samples ?: json_object();
    const json_t *sum = json_object_get(f->samples, labels);
    if (sum || json_object_size(f->samples) < most)
        json_put(f->samples, labels, json_real(value + json_number_value(sum)));
}

/* Writes the family, and frees its samples. */
static void write_family(struct family *f, FILE *out)
{
    const char *suffix = !strcmp(f->type, "counter") ? "_total" : "", *labels;
    json_t *value;
    fprintf(out, "# TYPE collprof_%s %s\n", f->name, f->type);
    if (f->unit)
        fprintf(out, "# UNIT collprof_%s %s\n", f->name, f->unit);
    fprintf(out, "# HELP collprof_%s %s\n", f->name, f->help);
    json_object_foreach(f->samples, labels, value)
        fprintf(out, "collprof_%s%s%s %.15g\n", f->name, suffix, labels, json_real_value(value));
    json_decref(f->samples);
}

static void write_single(const char *name, const char *type, const char *unit, const char *help,
                         double value, FILE *out)
{
    struct family f = {.name = name, .type = type, .unit = unit, .help = help};
    add(&f, NULL, NULL, NULL, NULL, value, 1);
    write_family(&f, out);
}

static void write_run(const struct profile *p, FILE *out)
{
    struct family run = {.name = "run", .type = "gauge", .help = "Always 1: see the labels."};
    add(&run, "program", p->programs.n ? text_base_of(p->programs.at[0].text) : "", "state",
        run_state_of(p), 1, 1);
    write_family(&run, out);
    write_single("ranks", "gauge", NULL, "Ranks with a record.", (double)p->ranks.n, out);
    write_single("rank_seconds", "counter", "seconds", "Sum of the run times of all ranks.",
                 profile_wall_ns(p) / 1e9, out);
    if (!isnan(profile_mpi_ns(p)))
        write_single("mpi_seconds", "counter", "seconds",
                     "Time of all ranks in MPI, without MPI_Init and MPI_Finalize.",
                     profile_mpi_ns(p) / 1e9, out);
}

/* Writes number, time and bytes of the calls at the costliest call sites, MOST of them. */
static void write_calls(const struct profile *p, char **labels, size_t most, FILE *out)
{
    struct family family[] = {
        {"site_calls", "counter", NULL, "Calls, including those that have not returned.", NULL},
        {"site_seconds", "counter", "seconds", "Time of all ranks in calls.", NULL},
        {"site_bytes", "counter", "bytes", "Bytes of the messages of calls.", NULL}};
    struct profile *sums = profile_sums(p, true);
    for (EACH(const struct profile_entry, e, sums->entries)) {
        const double value[] = {(double)e->calls, (double)e->time_ns / 1e9, (double)e->bytes};
        for (int i = 0; i < 3; i++)
            add(&family[i], "operation", p->operations.at[e->operation].name, "site",
                labels[e->site], value[i], most);
    }
    for (int i = 0; i < 3; i++)
        write_family(&family[i], out);
    profile_free(sums);
}

static void write_late(const struct profile *p, FILE *out)
{
    struct family late = {.name = "late_rank_seconds",
                          .type = "gauge",
                          .unit = "seconds",
                          .help = "Time that other ranks waited in collectives for this rank."};
    for (size_t i = 0; i < p->arrivals.n; i++) {
        char rank[16];
        snprintf(rank, sizeof rank, "%u", p->arrivals.at[i].cost_rank);
        if (p->arrivals.at[i].cost_ns)
            add(&late, "rank", rank, NULL, NULL, (double)p->arrivals.at[i].cost_ns / 1e9, SIZE_MAX);
    }
    write_family(&late, out);
}

static void write_verdict(struct situation *e, FILE *out)
{
    json_auto_t *verdict = verdict_json_of(e); /* also sets the names of E's call sites */
    struct family open = {.name = "open_calls",
                          .type = "gauge",
                          .help = "Calls that have not returned, by operation and call site."},
                  kind = {.name = "verdict",
                          .type = "gauge",
                          .help = "Ranks at fault, by verdict: see collprof-where(1)."};
    char **labels = site_labels(e->names);
    for (const struct rank_view *r = e->rank; r < e->rank + e->n_ranks; r++) {
        if (!r->call.open)
            continue;
        add(&open, "operation", e->names->operations.at[r->operation].name, "site",
            r->site == PROFILE_NONE ? "-" : labels[r->site], 1, SIZE_MAX);
    }
    add(&kind, "kind", json_string_value(json_object_get(verdict, "kind")), NULL, NULL,
        (double)json_array_size(json_object_get(verdict, "ranks")), 1);
    write_family(&open, out);
    write_family(&kind, out);
    site_labels_free(e->names, labels);
}

static bool write_metrics(const struct export_request *r, struct profile *p, FILE *out)
{
    struct situation *e = export_situation(r, p);
    char **labels = site_labels(p);
    write_run(p, out);
    write_calls(p, labels, r->options.text.rows, out);
    write_late(p, out);
    if (e)
        write_verdict(e, out);
    fputs("# EOF\n", out);
    site_labels_free(p, labels);
    situation_free(e);
    return true;
}

/* OpenMetrics 1.0 for a scraper, also of a run that goes on; --top limits the call sites. */
const struct export_format export_openmetrics = {.name = "openmetrics", .write = write_metrics};
