#include "picture/view.h"

#include "base/clock.h"
#include "base/text.h"
#include "profile/noise.h"

#include <stdio.h>

void picture_caption(const struct profile *p, char *text, size_t room)
{
    bool doubtful = p->clock != CLOCK_SOURCE_EXTERNAL && noise_of(p).level == NOISE_SPOILED;
    char when[64], of[24] = "";
    if ((int64_t)p->ranks.n < p->size)
        snprintf(of, sizeof of, " of %d", p->size);
    for (uint32_t i = 0; i < p->hosts.n; i++)
        doubtful = doubtful || noise_crowded(p, i);
    profile_started(p, ", %Y-%m-%d %H:%M", when);
    snprintf(text, room, "%.60s on %zu%s rank%s%s, %.60s%s",
             p->programs.n ? text_base_of(p->programs.at[0]) : "an application", p->ranks.n, of,
             !*of && p->ranks.n == 1 ? "" : "s", when,
             p->libraries.n ? p->libraries.at[0] : "MPI not known",
             doubtful ? "; the run was disturbed: timings are not meaningful" : "");
}
