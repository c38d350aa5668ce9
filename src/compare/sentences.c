/* What is said of a difference. */
#include "base/format.h"
#include "base/noise.h"
#include "compare/differences.h"
#include "compare/evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "1.00 ms -> 1.30 ms" */
static const char *from_to(char *text, size_t room, double from, double to)
{
    char a[32], b[32];
    snprintf(text, room, "%s -> %s", format_time(a, from), format_time(b, to));
    return text;
}

const char *difference_time(double ns, char text[40])
{
    char t[32];
    snprintf(text, 40, "%s%s", ns < 0 ? "-" : "+", format_time(t, fabs(ns)));
    return text;
}

static void wall_sentence(const struct differences *d, const struct difference *x, char *text,
                          size_t room)
{
    char times[80], change[40], low[40], high[40];
    const char *verdict = x->certainty == CERTAINTY_TOLD
                              ? (x->change > 0 ? "The run takes longer: " : "The run is shorter: ")
                          : !d->enough ? "The run: "
                          : x->p_together <= EVIDENCE_LEVEL
                              ? "The run differs by less than 1 %: "
                              : "The run: no difference can be told from noise: ";
    int n = snprintf(text, room, "%s%s, %s (%+.1f %%)", verdict,
                     from_to(times, sizeof times, x->median[0], x->median[1]),
                     difference_time(x->change, change),
                     x->median[0] > 0 ? 100 * x->change / x->median[0] : 0);
    if (d->enough)
        n += snprintf(text + n, room - (size_t)n, "; 95 %% interval %s to %s",
                      difference_time(x->low, low), difference_time(x->high, high));
    if (d->enough && x->p_together > EVIDENCE_LEVEL && x->low * x->high > 0)
        snprintf(
            text + n, room - (size_t)n,
            ", but as clear a difference shows somewhere in %.2g %% of comparisons of equal runs",
            100 * x->p_together);
}

/* Whether all calls have changed or the slowest ones: what the histograms say. Nothing of a change
 * of less than a tenth, which is what their classes tell apart. */
static void add_shape(const struct difference *x, char *text, size_t room)
{
    char median[80], p99[80];
    const double *m = x->call_median, *s = x->call_p99;
    size_t n = strlen(text);
    if (!(m[0] > 0 && m[1] > 0 && s[0] > 0 && s[1] > 0))
        return;
    bool all = fabs(log(m[1] / m[0])) > log(1.1), slowest = fabs(log(s[1] / s[0])) > log(1.1);
    if (all || slowest)
        snprintf(text + n, room - n, "; %s: median %s, 99th percentile %s",
                 !slowest ? "the usual call, not the slowest"
                          : (all ? "of one call" : "the slowest calls, not the usual one"),
                 from_to(median, sizeof median, m[0], m[1]), from_to(p99, sizeof p99, s[0], s[1]));
}

void difference_sentence(const struct differences *d, const struct difference *x, char *text,
                         size_t room)
{
    char times[80], change[40], t[32];
    const char *more = x->change > 0 ? "more" : "less",
               *longer = x->change > 0 ? "longer" : "shorter";
    bool several = strpbrk(x->ranks, ",-") != NULL;
    from_to(times, sizeof times, x->median[0], x->median[1]);
    difference_time(x->change, change);
    switch (x->kind) {
    case DIFFERENCE_WALL:
        wall_sentence(d, x, text, room);
        return;
    case DIFFERENCE_OUTSIDE:
        snprintf(text, room,
                 "rank%s %s spend%s %s %s outside of MPI before each %s at %s: %s each time%s, %s "
                 "a run",
                 several ? "s" : "", x->ranks, several ? "" : "s",
                 format_time(t, fabs(x->each[1] - x->each[0])), more, x->operation, x->place,
                 from_to(times, sizeof times, x->each[0], x->each[1]),
                 several ? " where it is most" : "", change);
        return;
    case DIFFERENCE_COMPUTING:
        snprintf(text, room,
                 "rank%s %s spend%s %s outside of MPI: %s%s, %s; before which call is not known",
                 several ? "s" : "", x->ranks, several ? "" : "s", more, times,
                 several ? " where it is most" : "", change);
        return;
    case DIFFERENCE_OWN:
        snprintf(text, room, "%s at %s takes %s, without waiting for the last to come: %s, %s",
                 x->operation, x->place, longer, times, change);
        add_shape(x, text, room);
        return;
    case DIFFERENCE_TIME:
        snprintf(text, room, "%s at %s takes %s: %s, %s", x->operation, x->place, longer, times,
                 change);
        add_shape(x, text, room);
        return;
    case DIFFERENCE_WAIT:
        snprintf(text, room, "%s at %s: ranks wait %s for the last to come: %s, %s", x->operation,
                 x->place, longer, times, change);
        add_shape(x, text, room);
        return;
    }
}

static void several(size_t n, char text[32])
{
    if (n)
        snprintf(text, 32, "%zu", n);
    else
        strcpy(text, "different numbers of");
}

char *differences_doubts(const struct differences_page *p)
{
    const struct differences *d = p->d;
    char *text = NULL, a[32], b[32];
    size_t size;
    FILE *out = memory_open_text(&text, &size);
    if (!d->enough)
        fprintf(out,
                "%zu and %zu run%s cannot tell a change from the difference that two runs of the "
                "same program have. Shown is only what exceeds the spread that was seen. Five "
                "runs a side can tell: collprof repeat makes them.\n",
                d->runs[0], d->runs[1], d->runs[1] == 1 ? "" : "s");
    if (*d->programs[0] && *d->programs[1] && strcmp(d->programs[0], d->programs[1]) != 0)
        fprintf(out, "These are different programs: A ran %s, B %s.\n", d->programs[0],
                d->programs[1]);
    if (!d->ranks[0] || d->ranks[0] != d->ranks[1]) {
        several(d->ranks[0], a);
        several(d->ranks[1], b);
        fprintf(out,
                "A ran on %s ranks, B on %s: times are those of a rank, and whatever follows from "
                "the number of ranks looks like a change of the program.\n",
                a, b);
    }
    if (d->noise >= (d->enough ? NOISE_SPOILED_FROM : NOISE_FELT_FROM))
        fprintf(out, "%.200s was disturbed most: a rank was without a processor for %s of it: %s\n",
                p->name[d->noise_run], format_share(a, d->noise, 1),
                d->enough                        ? "the intervals have that in them."
                : d->noise >= NOISE_SPOILED_FROM ? "changes of times mean little."
                                                 : "changes of that size mean nothing.");
    if (!d->outside_known)
        fputs("Not all of these profiles say what ranks do before collectives: who is late by its "
              "own doing is not known.\n",
              out);
    fclose(out);
    return text;
}
