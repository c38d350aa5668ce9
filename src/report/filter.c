/* Leaves a part of a profile. A row stays if it is known to belong to the part: where the profile
 * does not tell, it goes. */
#include "report/filter.h"

#include "base/format.h"
#include "base/text.h"
#include "profile/model.h"
#include "report/rows.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool matches(const char *pattern, const char *name)
{
    bool bare = strncasecmp(pattern, "MPI_", 4) != 0 && !strncmp(name, "MPI_", 4);
    return !fnmatch(pattern, name, FNM_CASEFOLD) ||
           (bare && !fnmatch(pattern, name + 4, FNM_CASEFOLD));
}

static bool is_call(const struct profile *p, const struct profile_entry *e)
{
    return p->operations.at[e->operation].family != FAMILY_LIFECYCLE;
}

static bool comm_matches(const struct profile *p, uint32_t comm, const char *pattern)
{
    char label[COMM_LABEL];
    comm_label(p, comm, label, sizeof label);
    return comm != PROFILE_NONE && matches(pattern, label);
}

/* Of the ranks in a row only the one that spends most is known by number. */
static bool is_worst(const struct profile *p, uint32_t site, uint32_t operation, int rank)
{
    const struct profile_group *g = profile_group_find(p, site, operation);
    return g && g->spread.ranks && g->spread.worst == (uint32_t)rank;
}

static bool keeps(const struct profile *p, const struct filter *f, const struct profile_entry *e)
{
    return (!f->only || matches(f->only, p->operations.at[e->operation].name)) &&
           (!f->comm || comm_matches(p, e->comm, f->comm)) &&
           (!f->region ||
            (e->region != PROFILE_NONE && matches(f->region, p->regions.at[e->region].name))) &&
           (!f->one_rank || is_worst(p, e->site, e->operation, f->rank));
}

static size_t places_of(const struct profile *p)
{
    struct profile *rows = rows_of(p, ROWS_BY_SITE);
    size_t n = rows->entries.n;
    profile_free(rows);
    return n;
}

static void sum_up(const struct profile *p, uint64_t *calls, double *time, size_t *places)
{
    *places = places_of(p);
    for (size_t i = 0; i < p->entries.n; i++) {
        if (!is_call(p, &p->entries.at[i]))
            continue;
        *calls += p->entries.at[i].calls;
        *time += (double)p->entries.at[i].time_ns;
    }
}

/* Of each group, how many entries it has, and the spread of the last of them. */
struct members {
    size_t n;
    const struct spread *spread;
};

static struct members *members_of(const struct profile *p)
{
    struct members *m = memory_alloc((p->groups.n + 1) * sizeof *m);
    for (size_t i = 0; i < p->entries.n; i++) {
        const struct profile_entry *e = &p->entries.at[i];
        const struct profile_group *of[] = {profile_group_find(p, e->site, e->operation),
                                            profile_group_find(p, PROFILE_NONE, e->operation)};
        for (int k = 0; k < 2; k++)
            if (of[k]) {
                m[of[k] - p->groups.at].n++;
                m[of[k] - p->groups.at].spread = &e->spread;
            }
    }
    return m;
}

/* The spread over ranks is known of an entry, and of all entries of a place together: not of some
 * of them. */
static void keep_entries(struct profile *p, const struct filter *f)
{
    struct members *had = members_of(p);
    size_t n = 0;
    for (size_t i = 0; i < p->entries.n; i++) {
        if (is_call(p, &p->entries.at[i]) && keeps(p, f, &p->entries.at[i]))
            p->entries.at[n++] = p->entries.at[i];
        else
            free(p->entries.at[i].histogram);
    }
    p->entries.n = n;
    struct members *has = members_of(p);
    for (size_t i = 0; i < p->groups.n; i++)
        if (has[i].n != had[i].n)
            p->groups.at[i].spread = has[i].n == 1 ? *has[i].spread : (struct spread){0};
    free(had);
    free(has);
}

/* Measurements are of all members of a communicator together, at whatever place. */
static bool measured(const struct filter *f, const struct profile_finding *finding)
{
    const char *operation = json_string_value(json_object_get(finding->value, "operation")),
               *comm = json_string_value(json_object_get(finding->value, "communicator"));
    if (!strcmp(finding->kind, "broadcast")) /* in place of it */
        operation = "MPI_Bcast";
    return !f->region && !f->one_rank && (!f->only || (operation && matches(f->only, operation))) &&
           (!f->comm || (comm && matches(f->comm, comm)));
}

static void keep_findings(struct profile *p, struct filter *f)
{
    size_t n = 0;
    f->all_findings = p->findings.n;
    for (size_t i = 0; i < p->findings.n; i++) {
        struct profile_finding *finding = &p->findings.at[i];
        if (measured(f, finding)) {
            p->findings.at[n++] = *finding;
            continue;
        }
        free(finding->kind);
        json_decref(finding->value);
    }
    f->findings = p->findings.n = n;
}

/* ROW is a member of the array: whether KEEP says so. */
#define KEEP(array, row, keep)                                                                     \
    do {                                                                                           \
        size_t kept = 0;                                                                           \
        for (size_t i = 0; i < (array).n; i++) {                                                   \
            __typeof__((array).at) row = &(array).at[i];                                           \
            if (keep)                                                                              \
                (array).at[kept++] = *row;                                                         \
        }                                                                                          \
        (array).n = kept;                                                                          \
    } while (0)

static bool names(const struct profile *p, const struct filter *f, uint32_t operation)
{
    return !f->only ||
           (operation != PROFILE_NONE && matches(f->only, p->operations.at[operation].name));
}

/* Those that are asked for by name, or else those of calls that are left. */
static void keep_regions(struct profile *p, const struct filter *f)
{
    uint32_t *to = memory_alloc((p->regions.n + 1) * sizeof *to), n = 0;
    for (size_t i = 0; i < p->entries.n; i++)
        if (p->entries.at[i].region != PROFILE_NONE)
            to[p->entries.at[i].region] = 1;
    for (uint32_t i = 0; i < p->regions.n; i++)
        if (to[i] || (f->region && matches(f->region, p->regions.at[i].name))) {
            to[i] = n;
            p->regions.at[n++] = p->regions.at[i];
        }
    for (size_t i = 0; i < p->entries.n; i++)
        if (p->entries.at[i].region != PROFILE_NONE)
            p->entries.at[i].region = to[p->entries.at[i].region];
    p->regions.n = n;
    free(to);
}

static void keep_others(struct profile *p, const struct filter *f)
{
    uint32_t rank = (uint32_t)f->rank;
    KEEP(p->arrivals, a,
         names(p, f, a->operation) && (!f->comm || comm_matches(p, a->comm, f->comm)) &&
             !f->region && (!f->one_rank || a->late_rank == rank));
    KEEP(p->events, e,
         names(p, f, e->operation) && (!f->comm || comm_matches(p, e->comm, f->comm)) &&
             !f->region && (!f->one_rank || e->rank == rank));
    KEEP(p->waits, w,
         names(p, f, w->operation) && !f->comm && !f->region && (!f->one_rank || w->rank == rank));
    KEEP(p->peers, m,
         names(p, f, m->operation) && !f->comm && !f->region &&
             (!f->one_rank || m->rank == rank || m->peer == rank));
    KEEP(p->stands, s,
         names(p, f, s->operation) && (!f->comm || comm_matches(p, s->comm, f->comm)) &&
             !f->region && (!f->one_rank || s->rank == f->rank));
    keep_regions(p, f);
}

/* ", NAME" unless LIST has it. */
static void add_name(char *list, size_t room, const char *name)
{
    size_t length = strlen(list);
    for (const char *at = list; (at = strstr(at, name)); at++)
        if ((at == list || at[-1] == ' ') && strchr(",", at[strlen(name)]))
            return;
    if (length + strlen(name) + 8 < room)
        snprintf(list + length, room - length, "%s%s", *list ? ", " : "", name);
    else if (length + 5 < room && !strstr(list, ", ..."))
        strcpy(list + length, ", ...");
}

enum { BY_OPERATION, BY_COMM, BY_REGION };

/* What there is to ask for. */
static void choices(const struct profile *p, int by, char *list, size_t room)
{
    char label[COMM_LABEL];
    *list = '\0';
    for (size_t i = 0; i < p->entries.n; i++) {
        const struct profile_entry *e = &p->entries.at[i];
        if (!is_call(p, e))
            continue;
        if (by == BY_OPERATION)
            add_name(list, room, p->operations.at[e->operation].name);
        if (by == BY_COMM && e->comm != PROFILE_NONE) {
            comm_label(p, e->comm, label, sizeof label);
            add_name(list, room, label);
        }
        if (by == BY_REGION && e->region != PROFILE_NONE)
            add_name(list, room, p->regions.at[e->region].name);
    }
}

static bool one_matches(const struct profile *p, int by, const char *pattern)
{
    const struct filter f = {.only = by == BY_OPERATION ? pattern : NULL,
                             .comm = by == BY_COMM ? pattern : NULL,
                             .region = by == BY_REGION ? pattern : NULL};
    for (size_t i = 0; i < p->entries.n; i++)
        if (is_call(p, &p->entries.at[i]) && keeps(p, &f, &p->entries.at[i]))
            return true;
    return false;
}

static bool has_rank(const struct profile *p, int rank)
{
    for (size_t i = 0; i < p->ranks.n; i++)
        if (p->ranks.at[i].rank == rank)
            return true;
    return false;
}

/* ": did you mean NAME? One of", if PATTERN is nearly one of LIST; else ": one of". */
static const char *meant(const char *pattern, const char *list, char text[120])
{
    size_t least = TEXT_SLIPS + 1;
    strcpy(text, "one of");
    for (const char *at = list; *at; at += strspn(at, ", ")) {
        char name[80];
        size_t n = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)n, at);
        size_t far = text_slips(text_without_mpi(name), pattern);
        size_t whole = text_slips(name, pattern);
        far = strcasestr(name, pattern) ? 1 : whole < far ? whole : far;
        if (far < least)
            snprintf(text, 120, "did you mean %s? One of", name);
        least = far < least ? far : least;
        at += n;
    }
    return text;
}

/* Each part by itself: the reader is told which of them is wrong. */
static bool is_possible(const struct profile *p, const struct filter *f, char *why, size_t room)
{
    static const char *const option[] = {"only", "comm", "region"}, *const what[] = {
                                                                        "no call",
                                                                        "no communicator",
                                                                        "no region"};
    const char *const pattern[] = {f->only, f->comm, f->region};
    for (int by = 0; by < 3; by++) {
        char list[600], nearest[120];
        if (!pattern[by] || one_matches(p, by, pattern[by]))
            continue;
        choices(p, by, list, sizeof list);
        if (*list)
            snprintf(why, room, "--%s=%s: %s is called so: %s %s would be right", option[by],
                     pattern[by], what[by], meant(pattern[by], list, nearest), list);
        else
            snprintf(why, room, "--%s=%s: the run has %s", option[by], pattern[by], what[by]);
        return false;
    }
    if (f->one_rank && !has_rank(p, f->rank)) {
        snprintf(why, room, "--rank=%d: no such rank was recorded: one from 0 to %d would be right",
                 f->rank, p->ranks.n ? p->ranks.at[p->ranks.n - 1].rank : 0);
        return false;
    }
    return true;
}

bool filter_apply(struct profile *p, struct filter *f, char *why, size_t room)
{
    if (!filter_is_on(f))
        return true;
    if (!is_possible(p, f, why, room))
        return false;
    sum_up(p, &f->all_calls, &f->all_ns, &f->all_places);
    double mpi = profile_mpi_ns(p); /* as all shares: with what measuring took inside of calls */
    f->all_ns = mpi > f->all_ns ? mpi : f->all_ns;
    keep_entries(p, f);
    keep_others(p, f);
    keep_findings(p, f);
    sum_up(p, &f->calls, &f->time_ns, &f->places);
    if (!p->entries.n && !f->one_rank) {
        snprintf(why, room, "--only, --comm and --region: no call is of all of them");
        return false;
    }
    profile_reindex(p);
    return true;
}

void filter_ranks(struct profile *p, const struct filter *f)
{
    if (f->one_rank)
        KEEP(p->ranks, r, r->rank == f->rank);
}

char *filter_sentences(const struct filter *f)
{
    char *text = NULL, calls[32], all[32], share[32];
    size_t size;
    FILE *out = memory_open_text(&text, &size);
    fprintf(out, "Only what matches%s%s%s%s%s%s", f->only ? " --only=" : "", f->only ? f->only : "",
            f->comm ? " --comm=" : "", f->comm ? f->comm : "", f->region ? " --region=" : "",
            f->region ? f->region : "");
    if (f->one_rank)
        fprintf(out, " --rank=%d", f->rank);
    fprintf(out, ": %zu of %zu rows of call sites, %s of %s calls, %s of the time in MPI.\n",
            f->places, f->all_places, format_count(calls, f->calls),
            format_count(all, f->all_calls), format_share(share, f->time_ns, f->all_ns));
    fputs("Sums are of what is shown; the lines above and what is said of ranks are of the whole "
          "run.\n",
          out);
    if (f->one_rank)
        fprintf(out,
                "Calls are counted of all ranks together: shown are the places where rank %d "
                "spends most, or is most often last, and its messages.\n",
                f->rank);
    if (f->all_findings && (f->one_rank || f->region))
        fputs("Measurements made during the run are not kept by rank or region: none is shown.\n",
              out);
    else if (f->all_findings)
        fprintf(out, "%zu of %zu measurements made during the run are shown.\n", f->findings,
                f->all_findings);
    if (f->comm)
        fputs("Messages and wait states are not kept by communicator.\n", out);
    if (f->region)
        fputs("Messages, wait states and who is late are not kept by region.\n", out);
    fclose(out);
    return text;
}
