#include "measure/scenario/scenario.h"

#define ALONE                                                                                      \
    {                                                                                              \
        ACTION_START, ACTION_ISSUE, ACTION_SYNC, ACTION_STOP                                       \
    }
#define LATE                                                                                       \
    {                                                                                              \
        ACTION_START, ACTION_DELAY, ACTION_ISSUE, ACTION_SYNC, ACTION_STOP                         \
    }
#define COMPUTING                                                                                  \
    {                                                                                              \
        ACTION_START, ACTION_ISSUE, ACTION_COMP, ACTION_SYNC, ACTION_STOP                          \
    }

const struct scenario scenarios[N_SCENARIOS] = {
    {"1", "collective only", .delayed = ALONE, .others = ALONE},
    {"2", "with a delayed participant", .delays = true, .delayed = LATE, .others = ALONE},
    {"3", "overlapping with computation", .computes = true, .delayed = COMPUTING,
     .others = COMPUTING},
};
