/* What --tune has found, as files that the MPI library reads. */
#include "layer/parts.h"

#include "profile/profile.h"
#include "tune/found.h"
#include "tune/library.h"

#include <stdlib.h>
#include <string.h>

void tuned_save(const struct profile *p)
{
    struct tuned_set all = {.complete = true};
    for (size_t i = 0; i < p->findings.n; i++)
        if (!strcmp(p->findings.at[i].kind, "tune") &&
            !tuned_read(p->findings.at[i].value, PUSH(&all.list)))
            all.list.n--;
    tuning_library_name(all.library, sizeof all.library);
    if (all.list.n)
        tuned_set_save(&all, run_directory.path);
    free(all.list.at);
}
