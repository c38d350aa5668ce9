#include "data/data.h"

#include "report/rows.h"

static json_t *bar_of(const struct profile *p, const struct profile_event *e, int64_t origin,
                      char **labels)
{
    char comm[100];
    const char *site = e->site == PROFILE_NONE ? "-" : labels[e->site];
    comm_label(p, e->comm, comm, sizeof comm);
    return json_pack("{s:s, s:s, s:s, s:f, s:f, s:i, s:i, s:{s:s, s:s, s:I, s:I, s:i}}", "name",
                     p->operations.at[e->operation].name, "cat", "collective", "ph", "X", "ts",
                     (double)(e->entry_ns - origin) / 1e3, "dur",
                     (double)(e->exit_ns - e->entry_ns) / 1e3, "pid", 0, "tid", (int)e->rank,
                     "args", "call site", site, "communicator", comm, "sequence",
                     (json_int_t)e->sequence, "bytes", (json_int_t)e->bytes, "root", (int)e->root);
}

size_t data_trace(const struct profile *p, FILE *out)
{
    int64_t origin = events_origin(p);
    json_t *bars = json_array();
    char **labels = site_labels(p);
    for (size_t i = 0; i < p->ranks.n; i++) {
        char name[100];
        snprintf(name, sizeof name, "rank %d", p->ranks.at[i].rank);
        json_array_append_new(bars, json_pack("{s:s, s:s, s:i, s:i, s:{s:s}}", "name",
                                              "thread_name", "ph", "M", "pid", 0, "tid",
                                              p->ranks.at[i].rank, "args", "name", name));
    }
    for (size_t i = 0; i < p->events.n; i++)
        json_array_append_new(bars, bar_of(p, &p->events.at[i], origin, labels));
    site_labels_free(p, labels);
    json_t *trace = json_pack("{s:o, s:s}", "traceEvents", bars, "displayTimeUnit", "ns");
    json_dumpf(trace, out, JSON_COMPACT);
    fputc('\n', out);
    json_decref(trace);
    return p->events.n;
}
