/* What the ranks that take part have to agree on before they do anything else together. */
#include "layer/parts.h"
#include "record/layer.h"
#include "sync/politely.h"

#include <stdio.h>
#include <string.h>

static char sentence[400];
static bool alike = true; /* what is injected, on all ranks */

/* The parts of an MPMD run may have options of their own. LARGEST: of each setting's hash, and of
 * its complement, which is the smallest one's. */
static void compare_settings(const uint64_t (*largest)[2])
{
    size_t n = 0;
    for (size_t i = 0; i < settings_count; i++) {
        const struct option_entry *s = &settings_entries[i];
        int alike_for = s->group & ~OPTION_RARE;
        if (alike_for == SETTING_OWN || largest[i][0] == ~largest[i][1])
            continue;
        n += (size_t)snprintf(sentence + n, sizeof sentence - n, "%s --%s",
                              n ? "," : "ranks have different", s->name);
        alike = alike && alike_for != SETTING_INJECTS;
    }
    if (n)
        snprintf(sentence + n, sizeof sentence - n, ": each records by its own%s",
                 alike ? "" : ", and nothing is injected");
    if (n && layer_is_first())
        layer_say("%s", sentence);
}

bool agree_to_record(int error)
{
    struct {
        uint64_t error, obstacle, settings[SETTINGS_MAX][2];
    } any = {0};
    uint64_t last = (uint64_t)layer.rank + 1;
    any.error = error ? last : 0;
    any.obstacle = run_obstacle ? last : 0;
    for (size_t i = 0; i < settings_count; i++) {
        any.settings[i][0] = settings_hash(&layer.settings, i);
        any.settings[i][1] = ~any.settings[i][0];
    }
    allreduce_politely(MPI_IN_PLACE, &any, sizeof any / sizeof(uint64_t), MPI_MAX, layer.comm);
    if (any.error == last)
        layer_say("rank %d: %s: this run is not recorded", layer.rank, strerror(error));
    if (any.obstacle)
        layer.settings.report = true; /* otherwise nothing would be left of the run */
    if (!any.error && any.obstacle == last)
        layer_say("cannot write records to %s (rank %d: %s): the application goes on, its report "
                  "is printed at the end, but nothing will be left of a run that crashes",
                  run_directory.shown, layer.rank, run_obstacle);
    if (!any.error)
        compare_settings(any.settings);
    return !any.error;
}

bool agreed_to_inject(void)
{
    return alike;
}

const char *agreed_sentence(void)
{
    return sentence;
}
