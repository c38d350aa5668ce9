/* The report as text, JSON and CSV. */
#include "export/export.h"

#include "base/text.h"
#include "document/json.h"
#include "verdict/text.h"

struct situation *export_situation(const struct export_request *r, const struct profile *p)
{
    /* No verdict is needed for a complete run or a profile.json (has_arrivals), which already has a
     * verdict and whose records may have been removed. */
    const char *directory = r->options.directory;
    return directory && p->crashed && !p->has_arrivals ? situation_read(directory, VERDICT_SETTLED)
                                                       : NULL;
}

json_t *export_verdict(const struct export_request *r, struct profile *p, FILE *out)
{
    struct situation *e = export_situation(r, p);
    json_t *value = e ? verdict_json_of(e) : NULL;
    if (out && value)
        verdict_write(value, out, "", report_width(out));
    else if (value)
        profile_add_finding(p, "verdict", json_incref(value));
    situation_free(e);
    return value;
}

static bool write_text(const struct export_request *r, struct profile *p, FILE *out)
{
    struct report_options o = r->options;
    if (r->what_if)
        return report_what_if(p, r->what_if, out);
    json_auto_t *verdict = o.table ? NULL : export_verdict(r, p, out);
    o.explained = verdict && !text_has_word("unknown moving", json_text_at(verdict, "kind"));
    o.next = json_string_value(json_object_get(verdict, "next"));
    report_text(p, out, &o);
    return true;
}

/* Text, the default. */
const struct export_format export_text = {.name = "text", .write = write_text};

static bool write_json(const struct export_request *r, struct profile *p, FILE *out)
{
    json_decref(export_verdict(r, p, NULL));
    report_json_write(p, out);
    return true;
}

/* The profile with its findings, see collprof-profile(5). */
const struct export_format export_json = {.name = "json", .write = write_json};

static bool write_csv(const struct export_request *r, struct profile *p, FILE *out)
{
    const struct report_table *one = r->options.table;
    struct document *d = report_document(p, &r->options);
    const struct table *t = one ? document_find_table(d, one->name) : NULL;
    if (t)
        table_csv_write(t, out);
    else
        document_write(d, out, FORMAT_CSV);
    if (t && !table_rows(t))
        reason_give("table %s has no rows%s%s", one->name,
                    one->option ? ": use: collprof run " : "", one->option ?: "");
    document_free(d);
    return true;
}

/* Comma-separated values: every table, or with --table that one. */
const struct export_format export_csv = {.name = "csv", .write = write_csv};
