/* Which launcher serves which MPI, and what it is called. */
#include "base/launcher.h"
#include "unit.h"

static const struct mpi_built mpich = {"mpich", "MPICH", "mpiexec.mpich",
                                       "libmpich.so.12 libmpi.so.12"},
                              openmpi = {"openmpi", "Open MPI", "mpiexec.openmpi", "libmpi.so.40"},
                              abi = {"mpi_abi", "MPI 5 ABI", "/opt/x/bin/mpiexec",
                                     "libmpi_abi.so.0"};

static struct launcher started(const char *const variables[][2])
{
    for (; variables[0][0]; variables++)
        setenv(variables[0][0], variables[0][1], 1);
    return launcher_read(NULL);
}

static void expect(const struct launcher *l, const struct mpi_built *mpi, bool serves,
                   const char *command)
{
    cr_expect(launcher_serves(l, mpi) == serves, "%s: serves: %d", mpi->title, !serves);
    cr_expect_str_eq(launcher_command(l, mpi), command, "%s", mpi->title);
}

/* Each test is a process of its own, so that variables do not stay; but one may have some. */
static void clear(void)
{
    clearenv();
}
TestSuite(launcher, .init = clear);

Test(launcher, hydra)
{
    struct launcher l = started((const char *[][2]){{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}, {0}});
    cr_expect(l.rank == 1 && l.size == 4);
    expect(&l, &mpich, true, "mpiexec.mpich");
    expect(&l, &openmpi, false, "mpiexec.openmpi");
    expect(&l, &abi, true, "/opt/x/bin/mpiexec");
}

Test(launcher, of_open_mpi)
{
    struct launcher l = started((const char *[][2]){{"OMPI_COMM_WORLD_RANK", "0"},
                                                    {"OMPI_COMM_WORLD_SIZE", "2"},
                                                    {"PMIX_NAMESPACE", "a"},
                                                    {0}});
    expect(&l, &mpich, false, "mpiexec.mpich");
    expect(&l, &openmpi, true, "mpiexec.openmpi");
    expect(&l, &abi, true, "/opt/x/bin/mpiexec");
}

Test(launcher, what_another_has_left)
{
    started((const char *[][2]){{"OMPI_COMM_WORLD_RANK", "0"},
                                {"OMPI_COMM_WORLD_SIZE", "2"},
                                {"PMI_RANK", "1"},
                                {"PMI_SIZE", "4"},
                                {0}});
    cr_expect_eq(launcher_read(&mpich).size, 2);
    cr_expect_eq(launcher_read(&openmpi).size, 2);
    setenv("PMI_FD", "5", 1);
    cr_expect(launcher_read(&mpich).size == 4 && launcher_read(&mpich).rank == 1);
    cr_expect_eq(launcher_read(&openmpi).size, 2);
    cr_expect_eq(launcher_read(NULL).size, 2);
}

Test(launcher, srun)
{
    struct launcher l = started((const char *[][2]){
        {"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_STEP_ID", "0"}, {0}});
    expect(&l, &mpich, false, "srun --mpi=pmi2");
    expect(&l, &openmpi, false, "srun --mpi=pmix");
    expect(&l, &abi, false, "srun --mpi=pmix");
    l = started((const char *[][2]){{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}, {0}});
    expect(&l, &mpich, true, "srun --mpi=pmi2");
    expect(&l, &openmpi, true, "srun --mpi=pmix");
    clear();
    l = started((const char *[][2]){{"SLURM_PROCID", "0"}, {0}});
    cr_expect_null(l.name, "a batch script is no job step");
}

Test(launcher, flux)
{
    struct launcher l =
        started((const char *[][2]){{"FLUX_TASK_RANK", "1"}, {"FLUX_JOB_SIZE", "3"}, {0}});
    cr_expect(l.rank == 1 && l.size == 3);
    expect(&l, &mpich, false, "mpiexec.mpich");
    l = started((const char *[][2]){{"PMI_FD", "5"}, {0}});
    expect(&l, &mpich, true, "flux run");
    expect(&l, &openmpi, true, "flux run");
}

Test(launcher, one_process_needs_none)
{
    struct launcher l = launcher_read(NULL);
    expect(&l, &mpich, true, "mpiexec.mpich");
    l = started((const char *[][2]){{"FLUX_TASK_RANK", "0"}, {"FLUX_JOB_SIZE", "1"}, {0}});
    expect(&l, &openmpi, true, "mpiexec.openmpi");
}
