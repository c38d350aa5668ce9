/* What to do next: one line with the command, chosen by what the report has found. */
#include "report/text.h"

#include "profile/arrivals.h"
#include "profile/noise.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* DIRECTORY as a word of the shell. */
static void quote_word(const char *directory, char *word, size_t room)
{
    size_t at = 0;
    bool plain = *directory && *directory != '-';
    for (const char *c = directory; *c; c++)
        plain = plain && (isalnum((unsigned char)*c) || strchr("/._-+,@%", *c));
    if (plain) {
        snprintf(word, room, "%s", directory);
        return;
    }
    at += (size_t)snprintf(word, room, *directory == '-' ? "./'" : "'");
    for (const char *c = directory; *c && at + 6 < room; c++)
        at += (size_t)snprintf(word + at, room - at, *c == '\'' ? "'\\''" : "%c", *c);
    snprintf(word + at, room - at, "'");
}

/* Processors of all hosts, if there is one with more ranks than it has; otherwise 0. */
static unsigned too_few_processors(const struct profile *p)
{
    unsigned sum = 0;
    bool few = false;
    for (uint32_t i = 0; i < p->hosts.n; i++) {
        sum += p->hosts.at[i].processors;
        few = few || noise_crowded(p, i);
    }
    return few ? sum : 0;
}

/* Its ranks used nearly all of its processors' time, and threads of theirs were in each other's
 * way: they used more than a processor each, or waited for longer than others can have kept them
 * off.
 */
static const double nearly_all = 0.90, more_than_one = 1.10;

static const struct profile_host *full_by_itself(const struct profile *p)
{
    for (uint32_t i = 0; i < p->hosts.n; i++) {
        double used = 0, longest = 0, most = 0, delayed = 0;
        for (size_t k = 0; k < p->ranks.n; k++) {
            const struct profile_rank *r = &p->ranks.at[k];
            double there = r->watched_ns > 0 ? (double)r->watched_ns : 1e9 * r->wall;
            if (r->host != i || r->cpu_ns < 0 || !(there > 0))
                continue;
            used += (double)r->cpu_ns;
            longest = fmax(longest, there);
            delayed += fmax((double)r->delayed_ns, 0);
            most = fmax(most, (double)r->cpu_ns / there);
        }
        const double all = p->hosts.at[i].processors * longest;
        if (all > 0 && used >= nearly_all * all && (most >= more_than_one || delayed > all - used))
            return &p->hosts.at[i];
    }
    return NULL;
}

static double collective_wait(const struct profile *p)
{
    double wait = 0;
    for (size_t i = 0; i < p->arrivals.n; i++)
        if (arrivals_kind(p, p->arrivals.at[i].operation) != COLLECTIVE_OTHER)
            wait += (double)p->arrivals.at[i].wait_ns;
    return wait;
}

static double request_wait(const struct profile *p)
{
    double wait = 0;
    for (size_t i = 0; i < p->entries.n; i++)
        wait += (double)p->entries.at[i].wait_ns;
    return wait;
}

void text_next(const struct view *v, FILE *out, const char *directory)
{
    const struct profile *p = v->p;
    const char *again = *p->launcher ? p->launcher : "mpiexec";
    char word[4400], text[4600];
    const double matters = 0.01 * profile_wall_ns(p);
    unsigned processors = too_few_processors(p);
    const enum noise_level noise = noise_of(p).level;
    const struct profile_host *full = full_by_itself(p);
    quote_word(directory, word, sizeof word);
    if (processors)
        snprintf(text, sizeof text,
                 "as many ranks as processors, for times that mean something: %s -n %u "
                 "collprof run ...",
                 again, processors);
    else if (noise == NOISE_SPOILED && full)
        snprintf(text, sizeof text,
                 "fewer threads or ranks on %s: they use all its %u processors by themselves",
                 full->name, full->processors);
    else if (noise == NOISE_SPOILED)
        snprintf(text, sizeof text,
                 "the same again when nothing else runs: %s -n %zu collprof run ...", again,
                 p->ranks.n);
    else if (p->trace.on && p->waits.n)
        snprintf(text, sizeof text,
                 "the longest wait, as a picture: collprof plot --picture=timeline %s", word);
    else if (!p->crashed && collective_wait(p) >= matters)
        snprintf(text, sizeof text,
                 "what is waited for, call by call: %s -n %zu collprof run --trace ...", again,
                 p->ranks.n);
    else if (request_wait(p) >= matters)
        snprintf(text, sizeof text,
                 "the requests that are waited for: collprof report --sort=wait %s", word);
    else if (!(v->mpi_ns < matters))
        snprintf(text, sizeof text, "the same for a browser, every row: collprof report --html %s",
                 word);
    else
        return;
    fputc('\n', out);
    text_paragraph(out, "Next: ", text);
}
