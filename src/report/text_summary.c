/* The answer in short: a sentence to each question, if its figure matters and is certain. */
#include "report/text.h"

#include "base/format.h"
#include "profile/arrivals.h"
#include "profile/noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is less than this part of the run is not worth a sentence. */
static const double matters = 0.01;

/* From this part of the run on the host may have kept a rank waiting. */
static const double pressed = 0.10;

/* What the next sentence is about, for a link: a row of calls. */
static void point(FILE *out, const char *listing, const struct profile_entry *e)
{
    fprintf(out, "%s-%d-%u\t", listing, (int)e->site, e->operation);
}

static void trust(const struct profile *p, const struct noise *n, FILE *out)
{
    char time[32], share[32], all[32], stretch[BAD_STRETCH_ROOM];
    const bool spoiled = n->level == NOISE_SPOILED, alone = p->ranks.n == 1;
    if (n->level == NOISE_UNKNOWN && n->worst_rank < 0 && n->pressure >= pressed)
        fprintf(
            out,
            "ranks\tWhether this run was disturbed is not known, but in %s of it somebody on its "
            "host waited for a processor.\n",
            format_share(share, n->pressure, 1));
    if (n->level != NOISE_FELT && !spoiled)
        return;
    fprintf(out, "ranks-%d\t%s: ", n->worst_rank,
            spoiled ? "The times of this run mean little" : "This run was disturbed");
    if (!alone)
        fprintf(out, "rank %d ", n->worst_rank);
    fprintf(out, "%scould run, but had no processor, for %s%s of the run (%s",
            alone ? "its rank " : "", n->unseen > 0 ? "at least " : "",
            format_share(share, n->share, 1), format_time(time, n->seconds * 1e9));
    if (!alone)
        fprintf(out, "; all ranks together %s", format_share(all, n->mean, 1));
    fputs(").", out);
    if (noise_has_bad_stretch(n))
        fprintf(out, " It was worst for rank %d: %s.", n->bad_rank, text_bad_stretch(n, stretch));
    fputs(spoiled ? " Counts and bytes are right; who is late and what waits is not judged."
                  : " Differences of that size mean nothing.",
          out);
    fputc('\n', out);
}

/* Some rank was killed in a call: its record does not say when, but may be those of others do. */
static void cut_off(const struct profile *p, FILE *out)
{
    const struct profile_stand *longest = NULL;
    char time[32];
    for (size_t i = 0; i < p->stands.n; i++) {
        const struct profile_stand *s = &p->stands.at[i];
        if (!s->outside && s->seconds < 0 && (!longest || s->witnessed > longest->witnessed))
            longest = s;
    }
    fputs("ranks\tWhat part of the run MPI takes is not known: ranks were cut off in calls", out);
    if (longest && longest->witnessed > 0)
        fprintf(out, "; rank %d in %s, which it had entered %s before the record of rank %d ends",
                longest->rank, p->operations.at[longest->operation].name,
                format_time(time, 1e9 * longest->witnessed), longest->witness);
    fputs(".\n", out);
}

static void most_time(const struct view *v, FILE *out)
{
    const struct profile *p = v->p;
    char share[32];
    double wall = profile_wall_ns(p);
    if (isnan(v->mpi_ns)) {
        cut_off(p, out);
        return;
    }
    if (wall > 0 && v->mpi_ns < matters * wall) {
        if (v->spoiled)
            return;
        fprintf(out, "operations\tMPI takes %s of the run: nothing is to be gained there.\n",
                format_share(share, v->mpi_ns, wall));
        return;
    }
    struct profile *operations = rows_of(p, ROWS_BY_OPERATION), *sites = rows_of(p, ROWS_BY_SITE);
    ROWS_SORT(operations, time_ns);
    ROWS_SORT(sites, time_ns);
    if (!operations->entries.n) {
        profile_free(operations);
        profile_free(sites);
        return;
    }
    const struct profile_entry *o = &operations->entries.at[0], *s = &sites->entries.at[0];
    point(out, "call_sites", s);
    fprintf(out, "Most time in MPI goes to %s (%s)", p->operations.at[o->operation].name,
            format_share(share, (double)o->time_ns, v->mpi_ns));
    if (p->stack_depth && s->site != PROFILE_NONE && p->sites.at[s->site].depth) {
        const char *label = v->label[s->site];
        if (s->operation == o->operation && s->time_ns == o->time_ns)
            fprintf(out, ", all of it at %s", label);
        else if (s->operation == o->operation)
            fprintf(out, ", %s of that at %s",
                    format_share(share, (double)s->time_ns, (double)o->time_ns), label);
        else
            fprintf(out, "; the costliest call is %s at %s (%s)",
                    p->operations.at[s->operation].name, label,
                    format_share(share, (double)s->time_ns, v->mpi_ns));
    }
    fputs(".\n", out);
    profile_free(operations);
    profile_free(sites);
}

/* Calls whose place the table had no room for, or that none was found for: no row names it. Those
 * that start and end MPI have none, and are not in the time in MPI. */
static void without_place(const struct view *v, FILE *out)
{
    const struct profile *p = v->p;
    double time = 0;
    uint64_t dropped = 0;
    char share[32];
    for (size_t i = 0; i < p->entries.n; i++) {
        const struct profile_entry *e = &p->entries.at[i];
        if (p->operations.at[e->operation].family != FAMILY_LIFECYCLE &&
            (e->site == PROFILE_NONE || !p->sites.at[e->site].depth))
            time += (double)e->time_ns;
    }
    for (size_t i = 0; i < p->ranks.n; i++)
        dropped += p->ranks.at[i].dropped[LEDGER_SITES];
    if (p->stack_depth && time > 0 && time >= matters * v->mpi_ns)
        fprintf(out, "call_sites\t%s of the time in MPI has no call site%s.\n",
                format_share(share, time, v->mpi_ns),
                dropped ? ": the table of call sites was full" : "");
}

/* Whether COUNT of N is more than chance gives to the first of RANKS equal ones: by four of its
 * standard deviations. */
static bool stands_out(double count, double n, double ranks)
{
    double share = 1 / ranks;
    return ranks > 1 && n >= 10 && count > n * share + 4 * sqrt(n * share * (1 - share));
}

/* The row with more than half of all WAIT, where all wait for the last rank, and the rank that is
 * the last there at least so often. */
static const double most_of_all = 0.50, nearly_always = 0.80;

static void waits_for(const struct view *v, double wait, FILE *out)
{
    const struct profile_arrival *a = NULL;
    for (size_t i = 0; i < v->p->arrivals.n; i++) {
        const struct profile_arrival *b = &v->p->arrivals.at[i];
        if (arrivals_kind(v->p, b->operation) != COLLECTIVE_OTHER &&
            (!a || b->wait_ns > a->wait_ns))
            a = b;
    }
    if (!a || arrivals_kind(v->p, a->operation) != COLLECTIVE_ALL ||
        (double)a->wait_ns <= most_of_all * wait ||
        (double)a->late_count < nearly_always * (double)a->instances)
        return;
    fputs(", most of it ", out);
    if (v->p->stack_depth && a->site != PROFILE_NONE && v->p->sites.at[a->site].depth)
        fprintf(out, "at %s, ", v->label[a->site]);
    fprintf(out, "where rank %u is nearly always the last", a->late_rank);
}

static void most_late(const struct view *v, bool disturbed, FILE *out)
{
    const struct profile *p = v->p;
    double instances = 0, time = 0, wait = 0, wall = profile_wall_ns(p);
    const struct profile_rank *last = NULL;
    char share[32], of[32];
    for (size_t i = 0; i < p->arrivals.n; i++) {
        instances += (double)p->arrivals.at[i].instances;
        if (arrivals_kind(p, p->arrivals.at[i].operation) == COLLECTIVE_OTHER)
            continue; /* who waits for whom in it is not known */
        time += (double)p->arrivals.at[i].time_ns;
        wait += (double)p->arrivals.at[i].wait_ns;
    }
    for (size_t i = 0; i < p->ranks.n; i++)
        if (!last || p->ranks.at[i].late > last->late)
            last = &p->ranks.at[i];
    if (!(instances > 0) || !last || wait < matters * wall)
        return;
    fprintf(out,
            "collectives\tIn collectives, %s of the time is waiting for a rank that comes late: %s "
            "of the run",
            format_share(share, wait, time), format_share(of, wait, wall));
    if (!disturbed)
        waits_for(v, wait, out);
    fputs(".\n", out);
    if (stands_out((double)last->late, instances, (double)p->ranks.n))
        fprintf(out,
                "ranks-%d\tRank %d is the last to enter most often, in %s of the collectives.\n",
                last->rank, last->rank, format_share(share, (double)last->late, instances));
}

static void most_waiting(const struct view *v, FILE *out)
{
    const struct profile *p = v->p;
    struct profile *rows = rows_of(p, ROWS_BY_SITE);
    uint64_t completed = 0, hidden = 0, wait = 0;
    char share[32], time[32], of[32];
    ROWS_SORT(rows, wait_ns);
    for (size_t i = 0; i < rows->entries.n; i++) {
        completed += rows->entries.at[i].completed;
        hidden += rows->entries.at[i].hidden;
        wait += rows->entries.at[i].wait_ns;
    }
    double wall = profile_wall_ns(p);
    if (completed && (double)wait >= matters * wall) {
        const struct profile_entry *e = &rows->entries.at[0];
        fprintf(out,
                "requests\tOf the non-blocking requests, %s were done when they were waited for; "
                "waiting "
                "for the others is %s of the run.\n",
                format_share(share, (double)hidden, (double)completed),
                format_share(of, (double)wait, wall));
        if (p->stack_depth && e->site != PROFILE_NONE && (double)e->wait_ns >= matters * wall &&
            2 * e->wait_ns > wait) {
            point(out, "call_sites", e);
            fprintf(out, "Most of that is for requests of %s at %s: %s per rank.\n",
                    p->operations.at[e->operation].name, v->label[e->site],
                    format_time(time, (double)e->wait_ns / v->ranks));
        }
    }
    profile_free(rows);
}

char *text_sentences(const struct view *v)
{
    const struct noise noise = noise_of(v->p);
    char *text = NULL;
    size_t size;
    FILE *sentences = memory_open_text(&text, &size);
    trust(v->p, &noise, sentences);
    most_time(v, sentences);
    without_place(v, sentences);
    if (noise.level != NOISE_SPOILED) {
        most_late(v, noise.level == NOISE_FELT, sentences);
        most_waiting(v, sentences);
        text_most_waited(v, sentences);
        text_small_messages(v, sentences);
        text_most_measured(v, sentences);
    }
    fclose(sentences);
    return text;
}

void text_summary(const struct view *v, FILE *out)
{
    char *text = text_sentences(v), *save = NULL;
    text_title(out, "In short");
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        text_paragraph(out, "  - ", strchr(line, '\t') + 1);
    free(text);
}
