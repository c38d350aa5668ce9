/* What is said of a difference. */
#include "base/format.h"
#include "compare/differences.h"

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

static const char *signed_time(char *text, double ns)
{
    char t[32];
    snprintf(text, 40, "%s%s", ns < 0 ? "-" : "+", format_time(t, fabs(ns)));
    return text;
}

static void wall_sentence(const struct differences *d, const struct difference *x, char *text,
                          size_t room)
{
    char times[80], change[40], low[40], high[40];
    const char *verdict =
        x->certainty != CERTAINTY_TOLD
            ? (d->enough ? "The run: no difference can be told from noise: " : "The run: ")
            : (x->change > 0 ? "The run takes longer: " : "The run is shorter: ");
    int n = snprintf(text, room, "%s%s, %s (%+.1f %%)", verdict,
                     from_to(times, sizeof times, x->median[0], x->median[1]),
                     signed_time(change, x->change),
                     x->median[0] > 0 ? 100 * x->change / x->median[0] : 0);
    if (d->enough)
        snprintf(text + n, room - (size_t)n, "; 95 %% interval %s to %s", signed_time(low, x->low),
                 signed_time(high, x->high));
}

void difference_sentence(const struct differences *d, const struct difference *x, char *text,
                         size_t room)
{
    char times[80], change[40], t[32];
    const char *more = x->change > 0 ? "more" : "less",
               *longer = x->change > 0 ? "longer" : "shorter";
    bool several = strpbrk(x->ranks, ",-") != NULL;
    from_to(times, sizeof times, x->median[0], x->median[1]);
    signed_time(change, x->change);
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
        return;
    case DIFFERENCE_TIME:
        snprintf(text, room, "%s at %s takes %s: %s, %s", x->operation, x->place, longer, times,
                 change);
        return;
    case DIFFERENCE_WAIT:
        snprintf(text, room, "%s at %s: ranks wait %s for the last to come: %s, %s", x->operation,
                 x->place, longer, times, change);
        return;
    }
}
