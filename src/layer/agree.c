/* Agreement of the ranks that have the layer, before they do anything else together. */
#include "layer/parts.h"
#include "record/layer.h"
#include "sync/yielding.h"

static const char *sentence = "";

bool agree_to_record(const char *obstacle)
{
    const uint64_t hash = settings_hash(&layer.settings), last = (uint64_t)layer.rank + 1;
    /* One maximum gives the largest hash, and the largest complement that of the smallest hash. */
    struct {
        uint64_t obstacle, settings, complement;
    } any = {obstacle ? last : 0, hash, ~hash};
    allreduce_yielding(MPI_IN_PLACE, &any, sizeof any / sizeof(uint64_t), MPI_MAX, layer.comm);
    if (any.obstacle == last)
        layer_say("rank %d: %s: this run is not recorded", layer.rank, obstacle);
    /* The parts of an MPMD run may have options of their own. */
    if (!any.obstacle && any.settings != ~any.complement)
        sentence = "ranks have different options: each records by its own, and nothing is injected";
    if (*sentence && layer_is_first())
        layer_say("%s", sentence);
    return !any.obstacle;
}

const char *agreed_sentence(void)
{
    return sentence;
}
