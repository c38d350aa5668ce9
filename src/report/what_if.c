#include "report/findings.h"
#include "report/report.h"

#include "base/format.h"
#include "base/reason.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *prediction_text(const struct profile *p, const struct prediction *x,
                            char text[PREDICTION_TEXT])
{
    const double was = profile_longest_ns(p), gain = was - x->wall_ns;
    int n = snprintf(text, PREDICTION_TEXT, "the run would take %s instead of %s",
                     AS_TIME(x->wall_ns), AS_TIME(was));
    if (isnan(x->low_ns))
        n += snprintf(text + n, (size_t)(PREDICTION_TEXT - n), " (interval unknown: few windows)");
    else
        n += snprintf(text + n, (size_t)(PREDICTION_TEXT - n), " (95 %% CI %s to %s)",
                      AS_TIME(x->low_ns), AS_TIME(x->high_ns));
    snprintf(text + n, (size_t)(PREDICTION_TEXT - n), ", %s %s", AS_SHARE(fabs(gain), was),
             gain < 0 ? "more" : "less");
    return text;
}

/* Selects the segments between two calls, named as in tables; "": any call. */
struct selection {
    struct view view; /* only its call sites' labels are set */
    char left[CALL_LABEL], entered[CALL_LABEL];
};

/* Whether NAME names the call of OPERATION at SITE, by "FILE:LINE", the site's label ("FILE:LINE
 * FUNCTION"), or call_label(). */
static bool is_named(const struct selection *s, const char *name, uint32_t operation, uint32_t site)
{
    const char *label = site == PROFILE_NONE ? "" : s->view.label[site];
    return !strcmp(name, label) || !strcmp(name, AS_CALL(&s->view, operation, site, "MPI_Init")) ||
           (strlen(name) == strcspn(label, " ") && !strncmp(label, name, strlen(name)));
}

static bool selects(const struct root_cause *segment, const void *context)
{
    const struct selection *s = context;
    return (!*s->left || is_named(s, s->left, segment->from_operation, segment->from_site)) &&
           (!*s->entered || is_named(s, s->entered, segment->operation, segment->site));
}

/* Reads "LEFT..ENTERED", or "ENTERED", the call with which the segment ends. */
static bool read_site(struct selection *s, const char *site)
{
    const char *between = strstr(site, "..");
    snprintf(s->left, sizeof s->left, "%.*s", between ? (int)(between - site) : 0, site);
    snprintf(s->entered, sizeof s->entered, "%s", between ? between + 2 : site);
    return *s->left || *s->entered;
}

static bool read_change(const char *change, struct what_if *w, struct selection *s)
{
    const size_t name = strcspn(change, ":");
    char site[600];
    for (w->kind = 0; w->kind < WHAT_IF_KINDS; w->kind++)
        if (strlen(what_if_names[w->kind]) == name &&
            !strncmp(what_if_names[w->kind], change, name))
            break;
    if (w->kind == WHAT_IF_NO_TRANSFER)
        return !change[name];
    if (w->kind == WHAT_IF_BROADCAST)
        return change[name] && (w->tree = by_rank_find(change + name + 1)) != NULL;
    snprintf(site, sizeof site, "%s", change[name] ? change + name + 1 : "");
    if (w->kind == WHAT_IF_FASTER) {
        char *comma = strrchr(site, ','), *end = NULL;
        w->percent = comma ? strtod(comma + 1, &end) : -1;
        if (!comma || end == comma + 1 || *(end + (*end == '%')) || w->percent < 0 ||
            w->percent > 100)
            return false;
        *comma = '\0';
    }
    return w->kind < WHAT_IF_KINDS && read_site(s, site);
}

bool report_change_is_valid(const char *change)
{
    struct selection s;
    struct what_if w;
    return read_change(change, &w, &s);
}

/* Whether the layer replaced all calls of OPERATION by its binomial broadcast: it replaces those of
 * a limited number of roots and sizes on a communicator. */
static bool all_binomial(const struct profile *p, uint32_t operation)
{
    uint64_t calls = 0, replaced = 0;
    for (size_t i = 0; i < p->entries.n; i++)
        calls += p->entries.at[i].operation == operation ? p->entries.at[i].calls : 0;
    for (size_t i = 0; i < p->findings.n; i++) {
        const json_t *f = p->findings.at[i].value;
        if (!strcmp(p->findings.at[i].kind, "broadcast") &&
            !strcmp(json_string_value(json_object_get(f, "algorithm")) ?: "", "binomial"))
            replaced += (uint64_t)json_integer_value(json_object_get(f, "ranks")) *
                        (uint64_t)json_integer_value(json_object_get(f, "calls"));
    }
    return calls && replaced == calls;
}

static bool predict(const struct profile *trace, const char *change, struct what_if *w,
                    struct prediction *x)
{
    struct timeline t;
    struct net_traffic traffic = net_traffic_of(trace->nets.at, trace->nets.n);
    w->traffic = &traffic;
    while (w->broadcast < trace->operations.n &&
           strcmp(trace->operations.at[w->broadcast].name, "MPI_Bcast") != 0)
        w->broadcast++;
    w->binomial = all_binomial(trace, w->broadcast);
    struct event_graph *graph = trace_graph(trace, &t);
    const struct replay_check *check = what_if_check(graph);
    const bool found = what_if_predict(graph, w, x);
    if (check->state != REPLAY_GOOD)
        reason_give("no predictions: %s", replay_names[check->state]);
    else if (!found && w->kind == WHAT_IF_BROADCAST)
        reason_give("%s: unknown: %s", change, x->unknown);
    else if (!found)
        reason_give("%s: no computation matches: `collprof report --table=causes` shows possible "
                    "sites",
                    change);
    event_graph_close(graph);
    timeline_free(&t);
    net_traffic_free(&traffic);
    return found;
}

bool report_what_if(const struct profile *trace, const char *change, FILE *out)
{
    char text[PREDICTION_TEXT];
    struct selection s = {.view = {.p = trace, .label = site_labels(trace)}};
    struct what_if w = {.selects = selects, .context = &s};
    struct prediction x = {0};
    const bool good = read_change(change, &w, &s) && predict(trace, change, &w, &x);
    if (good)
        fprintf(out, "%s: %s.\n", change, prediction_text(trace, &x, text));
    view_close(&s.view);
    return good;
}
