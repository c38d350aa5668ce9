#include "report/measured.h"

#include "base/text.h"
#include "report/rows.h"

#include <math.h>
#include <string.h>

/* A column and where it is in the JSON of a measurement: a member of the row, or of what the rows
 * are in. A measurement without rows is a row itself. */
struct measured_column {
    struct column column;
    const char *key;
};

#define INTERVAL(name, key, head, meaning)                                                         \
    {{name, NULL, COLUMN_TIME, 0, meaning, head, 0}, key "_us"},                                   \
        {{name "_low", NULL, COLUMN_TIME, 0, "lower end of its 95 % interval", "from",             \
          COLUMN_OPTIONAL},                                                                        \
         key "_low_us"},                                                                           \
    {                                                                                              \
        {name "_high", NULL, COLUMN_TIME, 0, "upper end of it", "to", COLUMN_OPTIONAL},            \
            key "_high_us"                                                                         \
    }
#define OF(name, kind, head, flags, meaning, key)                                                  \
    {                                                                                              \
        {name, NULL, COLUMN_##kind, 0, meaning, head, flags}, key                                  \
    }
#define COMMUNICATOR                                                                               \
    OF("communicator", TEXT, NULL, COLUMN_SHORTEN, "on which communicator", "communicator")
#define ROOT_AND_BYTES                                                                             \
    OF("root", RANK, "root", 0, "the root, a rank of the communicator", "root"),                   \
        OF("bytes", BYTES, "bytes", 0, "size of the message", "bytes")

static const struct measured_column ack_columns[] = {
    COMMUNICATOR,
    ROOT_AND_BYTES,
    OF("destination", RANK, "to rank", 0, "the destination", "destination"),
    INTERVAL("latency", "direct", "latency",
             "from the root's entry to this rank's return, of the broadcasts that no late rank can "
             "have delayed"),
    INTERVAL("by_ack", "ol", "by acks",
             "the latency until its acknowledgement came back, less half of that message's round "
             "trip; no clock is trusted"),
    OF("at_most", TIME, NULL, COLUMN_DATA_ONLY, "what the latency cannot exceed", "at_most_us"),
    OF("late", SHARE, "late", COLUMN_OPTIONAL,
       "of the broadcasts, this rank entered after data could be there", "late_percent"),
    OF("late_by", TIME, "late by", COLUMN_OPTIONAL, "how long after the root, median",
       "late_by_us"),
    OF("behind", SHARE, "behind", COLUMN_OPTIONAL,
       "of the broadcasts, it was in time, but a rank that it may depend on was not",
       "behind_percent"),
    OF("acknowledged", COUNT, "acks", COLUMN_OPTIONAL,
       "acknowledgements that came, of the broadcasts that are kept", "acknowledged"),
    OF("given_up", COUNT, NULL, COLUMN_DATA_ONLY, "acknowledgements that did not come in time",
       "given_up"),
    OF("early", SHARE, "early", COLUMN_OPTIONAL,
       "of them, came while the root was still in its broadcast", "early_percent"),
    OF("cost", SHARE, "cost", COLUMN_OPTIONAL, "share of the run that acknowledging took",
       "cost_percent"),
};

static const struct measured_column benchmark_columns[] = {
    OF("operation", TEXT, NULL, 0, "the MPI function", "operation"),
    COMMUNICATOR,
    ROOT_AND_BYTES,
    OF("method", TEXT, NULL, 0, "method of measuring, see collbench-bcast(1)", "method"),
    OF("time", TIME, "time", 0, "median, of the slowest destination that was measured", "time_us"),
    OF("low", TIME, "from", COLUMN_OPTIONAL, "lower end of its 95 % interval", "low_us"),
    OF("high", TIME, "to", COLUMN_OPTIONAL, "upper end of it", "high_us"),
    OF("destinations", TEXT, NULL, 0, "measured, of those that the method goes through one by one",
       "destinations"),
    OF("measures", TEXT, NULL, COLUMN_SHORTEN,
       "what it measures: OL_i from the root's entry to the return of rank i, g_j the least time "
       "between two calls at rank j, o_i what a call costs rank i; M calls in a row, P ranks",
       "measures"),
};

static const struct measured_column broadcast_columns[] = {
    COMMUNICATOR,
    ROOT_AND_BYTES,
    OF("algorithm", TEXT, NULL, 0, "what the broadcast was replaced by", "algorithm"),
    OF("calls", COUNT, "calls", 0, "calls that it served", "calls"),
    OF("predicted", TIME, "predicted", 0, "by the model, from the latencies measured",
       "predicted_us"),
    OF("seen", TIME, "seen", 0,
       "last exit minus the root's entry in the application, where ranks may be late", "seen_us"),
    OF("seen_low", TIME, "from", COLUMN_OPTIONAL, "lower end of its 95 % interval", "seen_low_us"),
    OF("seen_high", TIME, "to", COLUMN_OPTIONAL, "upper end of it", "seen_high_us"),
    OF("trial", TIME, "trial", 0, "the replacement with all ranks there, before the first call",
       "trial_us"),
    OF("library", TIME, "library", 0, "the library's broadcast likewise", "library_us"),
    OF("cost", TIME, "cost", COLUMN_OPTIONAL, "of measuring latencies, schedule and trials",
       "schedule_cost_us"),
};

#define KIND(kind, rows, title)                                                                    \
    {                                                                                              \
#kind, rows, title, kind##_columns, sizeof kind##_columns / sizeof *kind##_columns         \
    }
static const struct {
    const char *kind, *rows, *title;
    const struct measured_column *columns;
    size_t n;
} kinds[] = {KIND(ack, "destinations", "Broadcast latency by injected acknowledgements"),
             KIND(benchmark, "methods", "Methods run before the application's collectives"),
             KIND(broadcast, NULL, "Replaced broadcasts")};
enum { N_KINDS = sizeof kinds / sizeof *kinds, MOST_COLUMNS = 24 };

static void put_row(struct table *t, size_t kind, const json_t *row, const json_t *outer)
{
    for (size_t c = 0; c < kinds[kind].n; c++) {
        const struct measured_column *m = &kinds[kind].columns[c];
        const json_t *cell = json_object_get(row, m->key);
        cell = cell ? cell : json_object_get(outer, m->key);
        double factor = m->column.kind == COLUMN_TIME ? 1e-6 : 1;
        if (m->column.kind == COLUMN_TEXT)
            table_text(t, json_string_value(cell));
        else
            table_real(t, json_is_number(cell) ? factor * json_number_value(cell) : NAN);
    }
    const char *remark = json_string_value(json_object_get(row, "remark"));
    if (remark && *remark)
        table_remark(t, &(struct finding){.key = "remark", .severity = SEVERITY_NOTE}, "%s",
                     remark);
}

static void put_measurement(struct document *d, struct table *t, size_t kind, const json_t *f)
{
    const json_t *rows = kinds[kind].rows ? json_object_get(f, kinds[kind].rows) : NULL, *row;
    const char *missing = json_string_value(json_object_get(f, "not_measured"));
    size_t i;
    if (missing)
        document_finding(d, &(struct finding){.key = "not_measured", .severity = SEVERITY_NOTE},
                         "Not measured in the run: %s.", missing);
    json_array_foreach(rows, i, row) put_row(t, kind, row, f);
    if (!kinds[kind].rows)
        put_row(t, kind, f, f);
}

void measured_tables(struct document *d, const struct profile *p)
{
    static struct column columns[N_KINDS][MOST_COLUMNS];
    for (size_t k = 0; k < N_KINDS; k++) {
        struct table *t = NULL;
        for (size_t i = 0; i < p->findings.n; i++) {
            if (strcmp(p->findings.at[i].kind, kinds[k].kind))
                continue;
            for (size_t c = 0; !t && c < kinds[k].n; c++)
                columns[k][c] = kinds[k].columns[c].column;
            if (!t)
                t = document_table(d, kinds[k].kind, kinds[k].title, columns[k], kinds[k].n);
            put_measurement(d, t, k, p->findings.at[i].value);
        }
    }
}

/* --- names --- */

static double number_of(const json_t *finding, const char *key)
{
    return json_number_value(json_object_get(finding, key));
}

/* What shares a network with A meanwhile is in its figures, too. */
static void mark_beside(struct profile *p, json_t *a)
{
    double begun = number_of(a, "begun_seconds"), lasted = number_of(a, "measured_in_seconds");
    int beside = 0;
    for (size_t i = 0; i < p->findings.n; i++) {
        const json_t *b = p->findings.at[i].value;
        double other = number_of(b, "begun_seconds");
        beside += a != b && json_object_get(b, "begun_seconds") && other < begun + lasted &&
                  begun < other + number_of(b, "measured_in_seconds");
    }
    if (beside)
        json_object_set_new(a, "beside_other_measurements", json_integer(beside));
}

void measured_name(struct profile *p)
{
    char label[COMM_LABEL];
    for (size_t i = 0; i < p->findings.n; i++)
        if (json_object_get(p->findings.at[i].value, "begun_seconds"))
            mark_beside(p, p->findings.at[i].value);
    for (size_t i = 0; i < p->findings.n; i++)
        json_object_del(p->findings.at[i].value, "begun_seconds");
    for (size_t i = 0; i < p->findings.n; i++) {
        if (p->findings.at[i].comm == PROFILE_NONE)
            continue;
        comm_label(p, p->findings.at[i].comm, label, sizeof label);
        json_object_set_new(p->findings.at[i].value, "communicator",
                            json_stringn(label, strnlen(label, sizeof label)));
    }
}
