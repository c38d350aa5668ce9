#include "report/findings.h"

#include "base/format.h"
#include "base/quote.h"
#include "base/text.h"
#include "tune/found.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool finding_matters(struct finding_context *c, double cost, double low, double doubt)
{
    bool matters = noise_matters(cost, low, doubt, c->run);
    c->doubtful = c->doubtful || (!matters && noise_matters(cost, low, 0, c->run));
    return matters;
}

/* A script is recorded as "SCRIPT (INTERPRETER)", and its name is one of the arguments: so the
 * command begins with INTERPRETER. */
const char *run_again(const struct finding_context *c, const char *why, const char *options,
                      char text[RUN_AGAIN])
{
    const struct profile *p = c->v->p;
    const char *program = p->programs.n == 1 ? p->programs.at[0].text : "PROGRAM",
               *with = strrchr(program, '('), *end = program + strlen(program);
    bool script = with && with > program && with[-1] == ' ' && end[-1] == ')';
    char name[4200], word[4300];
    snprintf(name, sizeof name, "%.*s", script ? (int)(end - with) - 2 : (int)(end - program),
             script ? with + 1 : program);
    quote_shell(name, word, sizeof word);
    snprintf(text, RUN_AGAIN, "%s: %s -n %.0f collprof run %s%s%s", why,
             *p->launcher ? p->launcher : "mpiexec", c->ranks, options, word,
             p->programs.n == 1 ? p->arguments : "");
    return text;
}

static bool has_findings(const struct document *d)
{
    size_t i;
    const json_t *f;
    json_array_foreach(document_finding_list(d), i, f) {
        if (!strcmp(json_string_value(json_object_get(f, "severity")), "finding"))
            return true;
    }
    return false;
}

/* Without a trace: share of the run in calls that send and receive, of which the part that is
 * waiting is unknown. */
static double unseparated_share(const struct finding_context *c)
{
    const struct profile *p = c->v->p;
    double messages = 0;
    for (size_t i = 0; i < p->ranks.n; i++)
        messages += 1e-9 * (double)p->ranks.at[i].message_ns / (c->run * c->ranks);
    return p->trace.on || !c->v->where.known ? 0 : fmin(messages, c->v->where.other);
}

/* The finding is an error, printed above all results, if contention was so large that no other
 * finding is left. Contention during waits in MPI counts only if it left out findings. No advice
 * is given if contention is small and no finding was left out, for one rank, for ranks that poll,
 * and if --trace may show more. */
static void find_contention(struct finding_context *c)
{
    static const double much = 0.05; /* of the run */
    const struct noise *n = &c->v->noise;
    const bool doubtful = c->doubtful || c->imbalances.doubtful,
               in_waits = c->doubtful || (doubtful && n->share < NOISE_FELT_FROM);
    const double size = in_waits ? n->most : n->share;
    const int rank = in_waits ? n->most_rank : n->worst_rank;
    const bool first = doubtful && size >= NOISE_SPOILED_FROM && !has_findings(c->d);
    struct finding f = {.key = "cpu_contention",
                        .severity = first ? SEVERITY_ERROR : SEVERITY_DOUBT,
                        .ranks = &rank,
                        .n_ranks = 1};
    f.number[0] = (struct finding_number){"contention_percent", 100 * size};
    if (c->ranks > 1 && !c->polls && (doubtful || size >= much) && size >= unseparated_share(c))
        f.advice = "run again with fewer ranks, or on an idle host";
    if (size >= NOISE_FELT_FROM)
        document_finding(
            c->d, &f, "CPU contention: rank %d was runnable but not scheduled for %s of the run%s.",
            rank, AS_SHARE(size, 1),
            doubtful ? ": ranks that contention or recording may delay are not named as causes"
                     : "");
}

/* Whether more than nine of ten calls are polls, such as MPI_Test, or an imbalance was left out for
 * them: then time outside of MPI may be waiting, and a finding is added. */
static bool find_polls(const struct finding_context *c)
{
    const struct profile *p = c->v->p;
    struct profile_entry most = {0};
    uint64_t polls = 0, calls = 0;
    struct profile *sums = profile_sums(p, true);
    for (EACH(const struct profile_entry, e, sums->entries)) {
        const bool poll = profile_operation_polls(p->operations.at[e->operation].name);
        calls += e->calls;
        polls += poll ? e->calls : 0;
        most = poll && e->calls > most.calls ? *e : most;
    }
    profile_free(sums);
    if (!polls || (!c->imbalances.polls && polls <= calls - calls / 10) || c->run <= 0)
        return false;
    const struct profile_group *g = profile_group_find(p, most.site, most.operation);
    const double every = c->run * (g ? g->spread.ranks : 1) / (double)most.calls;
    const char *call = AS_CALL(c->v, most.operation, most.site, NULL);
    document_finding(
        c->d,
        FINDING("polls", NOTE, .site = call, .number = {{"count", (double)most.calls}},
                .advice = "wait in a blocking call, such as MPI_Wait, where ranks compute nothing "
                          "between polls"),
        "%s polls %s times, every %s of the run. The time between polls may be work or waiting: "
        "it counts as time outside of MPI, but no rank is called late for it.",
        call, AS_COUNT(most.calls), AS_TIME(1e9 * every));
    return true;
}

static void find_little_mpi(struct finding_context *c)
{
    double mpi = 1e-9 * c->v->mpi_ns / c->ranks;
    const struct efficiency *e = &c->v->where;
    c->polls = find_polls(c);
    c->little = e->known && 1 - e->compute < NOISE_MATTERS;
    if (c->little && !c->polls)
        document_finding(c->d, FINDING("mpi_is_little", NOTE, COSTS(c, mpi, NAN)),
                         "MPI takes %s of the run: there is little to be gained there.",
                         AS_SHARE(mpi, c->run));
}

uint64_t messages_sent(const struct profile *p, uint32_t from, uint32_t to)
{
    uint64_t n = 0;
    for (EACH(const struct profile_peer, m, p->peers))
        n += !m->received && m->rank == from && m->peer == to ? m->messages : 0;
    return n;
}

/* Reports many small messages from one rank to another at one call site, with hardly any message
 * back: the program could send several as one. */
static void find_small_messages(struct finding_context *c)
{
    enum { LEAST = 1000, SMALL = 256, ONE_WAY = 100 };
    const struct profile *p = c->v->p;
    const struct profile_peer *most = NULL;
    for (EACH(const struct profile_peer, x, p->peers)) {
        if (!x->received && x->site != PROFILE_NONE && x->messages >= LEAST &&
            x->bytes <= x->messages * SMALL && (!most || x->messages > most->messages) &&
            messages_sent(p, x->peer, x->rank) <= x->messages / ONE_WAY)
            most = x;
    }
    const struct profile_group *g =
        most ? profile_group_find(p, most->site, most->operation) : NULL;
    const double time = g ? 1e-9 * (double)g->spread.sum / c->ranks : 0;
    /* The only doubt is contention: recording and slow processors delay code outside of MPI. */
    if (!most || !finding_matters(c, time, NAN, c->run * c->v->noise.most))
        return;
    const char *call = AS_CALL(c->v, most->operation, most->site, NULL);
    document_finding(c->d,
                     FINDING("small_messages", FINDING, COSTS(c, time, NAN), .site = call,
                             .ranks = &(int){(int)most->rank}, .n_ranks = 1,
                             .number = {{"messages", (double)most->messages}},
                             .advice = "send several of these messages as one"),
                     "%s sends small messages one by one: %s of %s from rank %u to rank %u, which "
                     "sends hardly any message back.",
                     call, AS_COUNT(most->messages),
                     AS_BYTES((double)most->bytes / (double)most->messages), most->rank,
                     most->peer);
}

static void find_verdict(struct finding_context *c, const json_t *f)
{
    const json_t *ranks = json_object_get(f, "ranks");
    const char *key = json_string_value(json_object_get(f, "kind")),
               *text = json_string_value(json_object_get(f, "text"));
    size_t n = json_array_size(ranks);
    if (!key || !text)
        return;
    FREED int *rank = memory_alloc((n + 1) * sizeof *rank);
    for (size_t k = 0; k < n; k++)
        rank[k] = (int)json_integer_value(json_array_get(ranks, k));
    const char *next = json_string_value(json_object_get(f, "next"));
    document_finding(c->d, FINDING(key, ERROR, .ranks = rank, .n_ranks = n, .advice = next), "%s",
                     text);
}

static void find_unseparated(struct finding_context *c)
{
    static const double much = 0.10; /* of the run */
    const double unseparated = unseparated_share(c);
    if (unseparated < much)
        return;
    document_finding(
        c->d,
        FINDING("waiting_unknown", NOTE,
                .advice = AS_COMMAND(c, "see what calls wait for", "--trace ")),
        "%s of the run is in calls that send and receive: without --trace it is unknown how much "
        "of it is waiting and how much transfer.",
        AS_SHARE(unseparated, 1));
}

/* Reports a part of the run whose efficiency differs from that of the other parts. */
static void find_phase(struct finding_context *c)
{
    struct phase x;
    if (!phase_find(c->v->p->slices.at, c->v->p->slices.n, &x))
        return;
    const double begin = (double)c->v->p->slices.at[x.first].begin_ns,
                 end = (double)c->v->p->slices.at[x.last - 1].end_ns;
    const bool asks = !c->v->p->trace.on && x.efficiency < x.other_efficiency;
    const char *advice = AS_COMMAND(c, "see what ranks wait for in this time", "--trace ");
    document_finding(c->d,
                     FINDING("phase", NOTE, .advice = asks ? advice : NULL,
                             .number = {{"efficiency_percent", 100 * x.efficiency},
                                        {"other_efficiency_percent", 100 * x.other_efficiency},
                                        {"begin_us", 1e-3 * begin},
                                        {"end_us", 1e-3 * end}}),
                     "From %s to %s of the run parallel efficiency is %.0f %%, elsewhere %.0f %%.",
                     AS_TIME(begin), AS_TIME(end), 100 * x.efficiency, 100 * x.other_efficiency);
}

/* Reports the time that other algorithms of the MPI library would save, as --tune predicts. */
static void find_tuned(struct finding_context *c)
{
    const struct profile *p = c->v->p;
    struct tuned_set all = {.complete = true}, *const set = &all;
    struct estimate saved = {0};
    size_t n = 0, faster = 0, open = 0;
    bool sums = false;
    char options[4500];
    for (size_t i = 0; i < p->findings.n; i++) {
        const json_t *f = p->findings.at[i].value;
        if (strcmp(p->findings.at[i].kind, "tune") != 0)
            continue;
        const double saves = json_number_value(json_object_get(f, "saves_us")),
                     part = 1e-6 * json_number_at(f, "ranks") / c->ranks;
        if (saves > 0) {
            saved.value += part * saves;
            saved.low += part * json_number_at(f, "saves_low_us");
            saved.high += part * json_number_at(f, "saves_high_us");
            faster++;
        }
        n++;
        struct tuned *t = PUSH(&all.list);
        if (!tuned_read(f, t)) {
            all.list.n--;
            continue;
        }
        open += tuned_open(t);
        sums |= t->best && t->operation->reduces;
    }
    if (n == 0)
        return;
    tuned_ours_add(c->d, all.list.at, all.list.n);
    text_copy(set->library, sizeof set->library, p->libraries.n ? p->libraries.at[0].text : "");
    struct rules rules = rules_of(&all);
    const bool useful = rules_count(&rules) > 0;
    rules_free(&rules);
    free(all.list.at);
    snprintf(options, sizeof options, "--tuned=%s ", c->directory);
    const char *advice = AS_COMMAND(c, "use them", options);
    const struct finding f = {.key = "tuned",
                              .severity = useful ? SEVERITY_FINDING : SEVERITY_NOTE,
                              .cost = saved,
                              .share = c->run > 0 ? saved.value / c->run : 0,
                              .number = {{"collectives", (double)n},
                                         {"faster", (double)faster},
                                         {"undecided", (double)open}},
                              .advice = useful ? advice : NULL};
    if (useful)
        document_finding(c->d, &f,
                         "%zu of %zu collectives have a faster algorithm in the MPI library, which "
                         "would save %s of each rank's time (95 %% CI %s to %s).%s",
                         faster, n, AS_TIME(1e9 * saved.value), AS_TIME(1e9 * saved.low),
                         AS_TIME(1e9 * saved.high),
                         sums ? " Sums of floating-point numbers may then differ in their last "
                                "digits."
                              : "");
    else
        document_finding(
            c->d, &f, "%zu of %zu collectives %s.", faster ?: open, n,
            faster ? "have a faster algorithm in the MPI library, but no setting of the library "
                     "selects it for them alone"
            : open ? "may have a faster algorithm in the MPI library: too little was measured to "
                     "tell. Use a larger --tune-share, or a longer run"
                   : "have an algorithm that is certainly faster than the MPI library's choice");
}

static void find_reported(struct finding_context *c)
{
    for (size_t i = 0; i < c->v->p->findings.n; i++) {
        const json_t *f = c->v->p->findings.at[i].value;
        const char *missing = json_string_value(json_object_get(f, "not_measured"));
        if (!strcmp(c->v->p->findings.at[i].kind, "verdict"))
            find_verdict(c, f);
        else if (missing)
            document_finding(c->d, FINDING("not_measured", NOTE), "Not measured in the run: %s.",
                             missing);
    }
}

static const struct {
    void (*find)(struct finding_context *c);
    bool always; /* find() is called also if MPI takes little of the run */
} finders[] = {{find_reported, true},        {find_ends, true},         {find_little_mpi, true},
               {find_waits, false},          {find_imbalances, false},  {find_late_arrivals, false},
               {find_small_messages, false}, {find_contention, true},   {find_tuned, true},
               {find_doubts, true},          {find_unseparated, false}, {find_phase, true}};

void findings_add(struct document *d, const struct view *v, const char *directory)
{
    char word[4400];
    struct finding_context c = {.d = d,
                                .v = v,
                                .directory = word,
                                .run = v->where.run,
                                .ranks = v->ranks,
                                .imbalances = imbalances_find(v)};
    quote_shell(directory ?: "DIR", word, sizeof word);
    for (size_t i = 0; i < sizeof finders / sizeof *finders; i++)
        if (finders[i].always || !c.little)
            finders[i].find(&c);
    imbalances_free(&c.imbalances);
}
