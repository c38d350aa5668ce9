/* What is measured during a run, and how it is called and shown, as text and in the page for a
 * browser. */
#include "data/html_measured.h"

#include "base/format.h"
#include "base/text.h"
#include "profile/profile.h"
#include "report/rows.h"

#include <string.h>

/* What the layer may find (src/inject/list.c), and how its rows are shown. Of other kinds, and
 * without columns, all keys are. */
static const struct finding_kind known[] = {
    {.kind = "ack",
     .title = "Broadcast latency by injected acknowledgements",
     .column = {{"destination", "to rank"},
                {"direct_us", "latency"},
                {"direct_low_us", "interval"},
                {"late_percent", "late"},
                {"late_by_us", "late by"},
                {"behind_percent", "behind"},
                {"ol_us", "by acks"},
                {"acknowledged", "acks"},
                {"early_percent", "early"},
                {"rtl_us", "round trip"}},
     .legend =
         "latency: from the root's entry to this rank's return, of the broadcasts that nobody's "
         "lateness can be in (of MPI_Ibcast, MPI_Start: to the return of the call that completed "
         "it). late: of the broadcasts, those that this rank entered (or began to wait for) after "
         "data could be there; late by: how long after the root, median. behind: those that it was "
         "in time for, but a rank that it may depend on was not. by acks: the latency until its "
         "acknowledgement came back, less half that message's round trip; no clock is trusted. "
         "acks: acknowledgements that came, of the broadcasts that are kept: of many, every second "
         "or fourth one, and so on. given up: that did not come in time. early: of them, those "
         "that came while the root was still in its "
         "broadcast: no sooner is known of them. round trip: of an acknowledgement and its "
         "answer."},
    {.kind = "benchmark",
     .title = "Measuring methods run before the application's collectives",
     .column = {{"method", "method"},
                {"time_us", "time"},
                {"low_us", "interval"},
                {"destinations", "destinations"},
                {"measures", "measures"}},
     .legend =
         "time: median. interval: 95 % of it. OL_i: from the root's entry to the return of rank i. "
         "g_j: the least time between two calls at rank j; o_i: what one costs rank i itself. M "
         "calls in a row, P ranks. destinations: measured, of those that the method goes through "
         "one by one; the time is that of the slowest. >=: one that was left out may be slower."},
    {.kind = "broadcast",
     .title = "Broadcast replaced",
     .column = {{"communicator", "communicator"},
                {"root", "root"},
                {"bytes", "bytes"},
                {"algorithm", "algorithm"},
                {"calls", "calls"},
                {"predicted_us", "predicted"},
                {"seen_us", "seen"},
                {"trial_us", "trial"},
                {"library_us", "library"},
                {"seen_low_us", "interval"},
                {"given_up_after_calls", "given up after"},
                {"latencies_anew_after_calls", "anew after"},
                {"schedule_cost_us", "cost"}},
     .legend =
         "predicted: by the model, from the latencies measured. trial, library: the "
         "replacement's and the library's broadcast with all ranks there, before the first "
         "call and again later; where the library's is quicker the replacement is given up, "
         "where latencies have changed, by these or by the application's own broadcasts, they are "
         "measured anew. seen: last exit - the root's "
         "entry in the application, where ranks may come late. interval: 95 % of seen. "
         "cost: of measuring latencies, making the schedule and trials, for this row."},
};

const struct finding_kind *finding_kind(const char *kind)
{
    static struct finding_kind other;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(kind, known[i].kind))
            return &known[i];
    other.title = kind;
    return &other;
}

/* The unit that a key's ending tells is taken over into the figure. */
void finding_value(const char *key, const json_t *value, char *text, size_t room)
{
    char figure[32];
    if (json_is_string(value))
        snprintf(text, room, "%s", json_string_value(value));
    else if (json_is_boolean(value))
        snprintf(text, room, "%s", json_is_true(value) ? "yes" : "no");
    else if (!json_is_number(value))
        snprintf(text, room, "%s", json_is_null(value) ? "-" : "...");
    else if (text_ends_with(key, "_ns"))
        snprintf(text, room, "%s", format_time(figure, json_number_value(value)));
    else if (text_ends_with(key, "_us"))
        snprintf(text, room, "%s", format_time(figure, json_number_value(value) * 1e3));
    else if (text_ends_with(key, "_seconds"))
        snprintf(text, room, "%s", format_time(figure, json_number_value(value) * 1e9));
    else if (text_ends_with(key, "_percent"))
        snprintf(text, room, "%.3g %%", json_number_value(value));
    else if (!strcmp(key, "bytes") || text_ends_with(key, "_bytes"))
        snprintf(text, room, "%s", format_bytes(figure, json_number_value(value)));
    else if (json_is_integer(value))
        snprintf(text, room, "%lld", (long long)json_integer_value(value));
    else
        snprintf(text, room, "%.5g", json_real_value(value));
}

/* Beside a table, what its rows have in common; others are called by their keys. */
static const struct finding_column facts[] = {
    {"known_destinations", "latency known to"},
    {"slowest_destination", "slowest: to rank"},
    {"slowest_us", "in"},
    {"cost_percent", "part of the run that it cost"},
    {"interval_us", "from one broadcast to the next (median)"},
    {"acknowledged_interval_us", "around an acknowledged one"},
    {"cut_short_by_budget", "cut short by the budget:"},
    {"not_measured", "not measured:"},
    {"beside_other_measurements", "others measured at the same time:"},
    {"violations", "destinations where OL_i is violated"},
    {"wrong_ranks", "ranks with wrong data"}};

void finding_key(const char *key, char *text, size_t room)
{
    static const char *const units[] = {"_ns", "_us", "_seconds", "_percent"};
    snprintf(text, room, "%s", key);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        if (!strcmp(key, facts[i].key)) {
            snprintf(text, room, "%s", facts[i].head);
            return;
        }
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (text_ends_with(text, units[i]))
            text[strlen(text) - strlen(units[i])] = '\0';
    for (char *c = text; *c; c++)
        if (*c == '_')
            *c = ' ';
}

/* The other end of an interval: "ol_high_us" for "ol_low_us" with "low_" and "high_". False if KEY
 * is no such end. */
static bool other_end(const char *key, const char *from, const char *to, const json_t *row,
                      char *other, size_t room)
{
    const char *at = strstr(key, from);
    if (!at || (at > key && at[-1] != '_'))
        return false;
    snprintf(other, room, "%.*s%s%s", (int)(at - key), key, to, at + strlen(from));
    return json_object_get(row, other) != NULL;
}

static bool upper_end(const char *key, const json_t *row, char *upper, size_t room)
{
    return other_end(key, "low_", "high_", row, upper, room);
}

/* A figure's unit goes right behind it: a table has no room for spaces. */
static void squeeze(const json_t *value, char *text)
{
    char *space = json_is_number(value) ? strchr(text, ' ') : NULL;
    if (space)
        memmove(space, space + 1, strlen(space));
}

void finding_head(const struct finding_column *c, const json_t *row, char *text, size_t room)
{
    char upper[100];
    if (c->head) {
        snprintf(text, room, "%s", c->head);
        return;
    }
    finding_key(c->key, text, room);
    if (upper_end(c->key, row, upper, sizeof upper))
        strcpy(strstr(text, "low"), "interval");
}

void finding_cell(const char *key, const json_t *row, char *text, size_t room)
{
    char high[150], low[150], upper[100];
    const json_t *value = json_object_get(row, key);
    finding_value(key, value, low, sizeof low);
    squeeze(value, low);
    bool at_least = json_is_true(json_object_get(row, "at_least")) && !strcmp(key, "time_us") &&
                    json_is_number(value);
    snprintf(text, room, "%s%s", at_least ? ">= " : "", low);
    if (upper_end(key, row, upper, sizeof upper)) {
        const json_t *end = json_object_get(row, upper);
        finding_value(upper, end, high, sizeof high);
        squeeze(end, high);
        if (strcmp(low, high))
            snprintf(text, room, "%s..%s", low, high);
        else
            snprintf(text, room, "-"); /* one sample */
    }
}

size_t finding_columns(const struct finding_kind *as, const json_t *row,
                       struct finding_column column[FINDING_COLUMNS])
{
    const char *key;
    json_t *value;
    char lower[100];
    size_t n = 0;
    for (size_t i = 0; i < FINDING_COLUMNS && as->column[i].key; i++)
        if (json_object_get(row, as->column[i].key))
            column[n++] = as->column[i];
    if (n)
        return n;
    json_object_foreach((json_t *)row, key, value)
    {
        if (n < FINDING_COLUMNS && !other_end(key, "high_", "low_", row, lower, sizeof lower))
            column[n++] = (struct finding_column){key, NULL};
    }
    return n;
}

const json_t *finding_rows(const json_t *finding)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)finding, key, value)
    {
        if (json_is_array(value) && json_array_size(value) &&
            json_is_object(json_array_get(value, 0)) && json_object_size(json_array_get(value, 0)))
            return value;
    }
    return NULL;
}

bool finding_interval(const struct finding_column *column, size_t n, const json_t *row, size_t *at,
                      char *upper, size_t room)
{
    for (*at = 1; *at < n; ++*at)
        if (upper_end(column[*at].key, row, upper, room))
            return true;
    return false;
}
