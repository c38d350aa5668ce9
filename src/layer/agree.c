/* Agreement of the ranks that have the layer, before they do anything else together. */
#include "layer/parts.h"
#include "record/layer.h"
#include "sync/yielding.h"

#include <string.h>

static const char *sentence = "";

bool agree_to_record(int error)
{
    const uint64_t hash = settings_hash(&layer.settings), last = (uint64_t)layer.rank + 1;
    /* The largest hash is given, and that of the complements, which is the smallest one's. */
    struct {
        uint64_t error, obstacle, settings, complement;
    } any = {error ? last : 0, run_obstacle ? last : 0, hash, ~hash};
    allreduce_yielding(MPI_IN_PLACE, &any, sizeof any / sizeof(uint64_t), MPI_MAX, layer.comm);
    if (any.error == last)
        layer_say("rank %d: %s: this run is not recorded", layer.rank, strerror(error));
    if (any.obstacle)
        layer.settings.report = true; /* otherwise the run would leave no result */
    if (!any.error && any.obstacle == last)
        layer_say("cannot write records to %s (rank %d: %s): the application goes on, its report "
                  "is printed at the end, but nothing will be left of a run that crashes",
                  run_directory.shown, layer.rank, run_obstacle);
    /* The parts of an MPMD run may have options of their own. */
    if (!any.error && any.settings != ~any.complement)
        sentence = "ranks have different options: each records by its own, and nothing is injected";
    if (*sentence && layer_is_first())
        layer_say("%s", sentence);
    return !any.error;
}

const char *agreed_sentence(void)
{
    return sentence;
}
