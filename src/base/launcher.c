#include "base/launcher.h"

#include "base/hash.h"
#include "base/input.h"
#include "base/text.h"
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The environment variables of each launcher; "": it has none. If one launcher started another,
 * both have set theirs: launcher_read() takes the first one here whose variables MPI reads. srun is
 * recognized by SLURM_STEP_NUM_TASKS, which a batch script does not have. */
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

static bool is_mpich(const struct mpi_built *mpi)
{
    return !strncmp(mpi->libraries, "libmpich", 8);
}

/* A hash that identifies a process: its host, its id and, since ids are reused, its start time. */
static uint64_t hash_process(uint64_t hash, pid_t pid)
{
    enum { STATE = 3, START_TIME = 22 }; /* numbers of fields in /proc/PID/stat, see proc(5) */
    char line[1024], host[256] = "";
    const char *field = input_process(pid, line);
    for (int i = STATE; field && i < START_TIME; i++)
        field = strchr(*field == ' ' ? field + 1 : field, ' ');
    if (field)
        hash = hash_bytes(hash, field, strcspn(field + 1, " ") + 1);
    gethostname(host, sizeof host - 1);
    return hash_bytes(hash_bytes(hash, &pid, sizeof pid), host, strlen(host));
}

/* A hash that identifies the run, by the launcher's name for it. Hydra (MPICH's mpiexec) gives no
 * name: then by the process that created the PMI sockets of this host's ranks. */
static uint64_t run_of(bool hydra)
{
    static const char *const names[] = {"PMIX_NAMESPACE", "OMPI_MCA_orte_hnp_uri", "FLUX_JOB_ID",
                                        "SLURM_STEP_ID", "SLURM_JOB_ID"};
    struct ucred maker = {.pid = getppid()};
    socklen_t size = sizeof maker;
    uint64_t name = HASH_START;
    size_t n = is_set("SLURM_STEP_ID") ? 5 : 3; /* a Slurm job may have many runs, a step one */
    for (size_t i = hydra ? n : 0; i < n; i++)
        if (is_set(names[i]))
            name = hash_bytes(name, getenv(names[i]), strlen(getenv(names[i])));
    if (hydra)
        getsockopt(number("PMI_FD"), SOL_SOCKET, SO_PEERCRED, &maker, &size);
    return name == HASH_START ? hash_process(name, maker.pid) | 1 : name | 1;
}

struct launcher launcher_read(const struct mpi_built *mpi)
{
    struct launcher l = {.pmi = is_set("PMI_FD") || is_set("PMI_PORT") || is_set("PMI_RANK"),
                         .pmix = is_set("PMIX_NAMESPACE")};
    bool by_pmi = mpi && is_mpich(mpi) && (is_set("PMI_FD") || is_set("PMI_PORT"));
    for (size_t i = by_pmi; i < sizeof known / sizeof *known && !l.name; i++) {
        if (!is_set(known[i].rank) || (*known[i].size && !is_set(known[i].size)))
            continue;
        l.name = known[i].name;
        l.rank = number(known[i].rank);
        l.size = number(known[i].size);
        l.local_size = number(known[i].local_size);
        l.parts = number(known[i].parts);
    }
    /* srun --mpi=pmi2 sets MPICH's variables, too; only MPICH's mpiexec sets HYDI_CONTROL_FD. */
    if (l.name && l.pmi && is_set("SLURM_STEP_ID") && !is_set("HYDI_CONTROL_FD"))
        l.name = "srun";
    l.run = run_of(l.name == known[1].name && is_set("PMI_FD"));
    return l;
}

bool launcher_speaks(void)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (is_set(known[i].rank))
            return number(known[i].rank) == 0;
    return true;
}

const struct mpi_built mpis_built[] = {COLLPROF_LAYERS};
const size_t n_mpis_built = sizeof mpis_built / sizeof *mpis_built;

const struct mpi_built *mpi_of_library(const char *library)
{
    char name[64], *dot;
    text_copy(name, sizeof name, text_base_of(library));
    do {
        for (size_t i = 0; i < n_mpis_built; i++)
            if (text_has_word(mpis_built[i].libraries, name))
                return &mpis_built[i];
        if ((dot = strrchr(name, '.'))) /* libmpi.so.40.30.4 may be listed as libmpi.so.40 */
            *dot = '\0';
    } while (dot);
    return NULL;
}

/* MPICH connects ranks by PMI 1 or 2; Open MPI by PMIx, or under Slurm or Flux by PMI, if it was
 * built so; another MPI with the ABI of MPI 5 by any of these protocols. */
bool launcher_serves(const struct launcher *l, const struct mpi_built *mpi)
{
    bool any = is_set("SLURM_STEP_ID") || is_set("FLUX_TASK_RANK");
    return l->size < 2 || (l->pmi && (strcmp(mpi->title, "Open MPI") != 0 || any)) ||
           (l->pmix && !is_mpich(mpi));
}

const char *launcher_command(const struct launcher *l, const struct mpi_built *mpi)
{
    if (l->name && !strcmp(l->name, "srun"))
        return is_mpich(mpi) ? "srun --mpi=pmi2" : "srun --mpi=pmix";
    return l->name && !strcmp(l->name, "flux") && l->pmi ? "flux run" : mpi->launcher;
}
