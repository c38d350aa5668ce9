/* Agreement of the ranks that have the layer, before they do anything else together. */
#include "layer/parts.h"
#include "record/layer.h"
#include "sync/politely.h"

#include <string.h>

static const char *sentence = "";
static bool alike = true; /* all ranks inject the same */

/* The programs of an MPMD run may have options of their own. Each group's hash is reduced to its
 * maximum, and its complement, too, which gives the minimum. */
static void compare_settings(const uint64_t records[2], const uint64_t injects[2])
{
    alike = injects[0] == ~injects[1];
    if (!alike)
        sentence = "ranks have different options: each records by its own, and nothing is injected";
    else if (records[0] != ~records[1])
        sentence = "ranks have different options: each records by its own";
    if (*sentence && layer_is_first())
        layer_say("%s", sentence);
}

bool agree_to_record(int error)
{
    const uint64_t records = settings_hash(&layer.settings, SETTING_RECORDS),
                   injects = settings_hash(&layer.settings, SETTING_INJECTS),
                   last = (uint64_t)layer.rank + 1;
    struct {
        uint64_t error, obstacle, records[2], injects[2];
    } any = {.error = error ? last : 0,
             .obstacle = run_obstacle ? last : 0,
             .records = {records, ~records},
             .injects = {injects, ~injects}};
    allreduce_politely(MPI_IN_PLACE, &any, sizeof any / sizeof(uint64_t), MPI_MAX, layer.comm);
    if (any.error == last)
        layer_say("rank %d: %s: this run is not recorded", layer.rank, strerror(error));
    if (any.obstacle)
        layer.settings.report = true; /* otherwise the run would leave no result */
    if (!any.error && any.obstacle == last)
        layer_say("cannot write records to %s (rank %d: %s): the application goes on, its report "
                  "is printed at the end, but nothing will be left of a run that crashes",
                  run_directory.shown, layer.rank, run_obstacle);
    if (!any.error)
        compare_settings(any.records, any.injects);
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
