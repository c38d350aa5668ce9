#include "base/launcher.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* In this order: one that is started within another sets its own besides. A job step's variables
 * are Slurm's only in processes that srun has started, not in a batch script. */
static const struct {
    const char *name, *rank, *size, *local_size, *parts;
} known[] = {
    {"Open MPI's mpiexec", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_NUM_APP_CTX"},
    {"MPICH's mpiexec", "PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS", ""},
    {"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "", ""},
    {"flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", "", ""},
    {"a launcher with PMIx", "PMIX_RANK", "", "", ""},
};

static int number(const char *variable)
{
    const char *value = *variable ? getenv(variable) : NULL;
    return value ? atoi(value) : 0;
}

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value;
}

struct launcher launcher_read(void)
{
    struct launcher l = {.pmi = is_set("PMI_FD") || is_set("PMI_PORT") || is_set("PMI_RANK"),
                         .pmix = is_set("PMIX_NAMESPACE")};
    for (size_t i = 0; i < sizeof known / sizeof *known && !l.name; i++) {
        if (!is_set(known[i].rank) || (*known[i].size && !is_set(known[i].size)))
            continue;
        l.name = known[i].name;
        l.rank = number(known[i].rank);
        l.size = number(known[i].size);
        l.local_size = number(known[i].local_size);
        l.parts = number(known[i].parts);
    }
    /* srun --mpi=pmi2 sets MPICH's variables, too. */
    if (l.name && l.pmi && is_set("SLURM_STEP_ID") && !is_set("HYDI_CONTROL_FD"))
        l.name = "srun";
    return l;
}

bool launcher_speaks(void)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (is_set(known[i].rank))
            return number(known[i].rank) == 0;
    return true;
}
