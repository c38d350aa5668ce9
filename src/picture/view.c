#include "picture/view.h"

#include "base/text.h"
#include "profile/noise.h"

#include <stdio.h>
#include <time.h>

void picture_caption(const struct profile *p, char *text, size_t room)
{
    bool doubtful = noise_of(p).level == NOISE_SPOILED;
    char when[40] = "";
    struct tm local;
    time_t started = p->started_unix > 0 && p->started_unix < 1e11 ? (time_t)p->started_unix : 0;
    for (size_t i = 0; i < p->hosts.n; i++)
        doubtful = doubtful || p->hosts.at[i].ranks > p->hosts.at[i].processors;
    if (started && localtime_r(&started, &local))
        strftime(when, sizeof when, ", %Y-%m-%d %H:%M", &local);
    snprintf(text, room, "%.60s on %zu rank%s%s, %.60s%s",
             p->programs.n ? text_base_of(p->programs.at[0]) : "an application", p->ranks.n,
             p->ranks.n == 1 ? "" : "s", when,
             p->libraries.n ? p->libraries.at[0] : "MPI not known",
             doubtful ? "; the run was disturbed: timings are not meaningful" : "");
}
