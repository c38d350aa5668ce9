/* The tool interface of a library with algorithms that a variable of each rank chooses. */
#pragma GCC visibility push(default) /* modules are bound to what is here */
#include "fake_mpi_inside.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *about; /* its values, in the forms of MPICH's descriptions */
} variables[] = {
    {"MPIR_CVAR_BCAST_INTRA_ALGORITHM", "auto - its choicebinomial - slow\nring - fast"},
    {"MPIR_CVAR_BCAST_DEVICE_COLLECTIVE", ""},
    {"MPIR_CVAR_BARRIER_INTRA_ALGORITHM", "auto - \nk_dissemination - \nrecexch - "},
    {"MPIR_CVAR_BARRIER_DEVICE_COLLECTIVE", ""},
    {"coll_tuned_barrier_algorithm", "ignore - \nlinear - \nrecursive_doubling - "},
    {"MPIR_CVAR_DEVICE_COLLECTIVES", "all - \nnone - \npercoll - "},
    {"MPIR_CVAR_COLLECTIVE_FALLBACK", "error - \nsilent - "}};
static int value[sizeof variables / sizeof *variables][FAKE_RANKS_MAX];

int fake_variable(int index)
{
    return value[index][fake_me];
}

/* Open MPI's takes 0.2 s; that of rank FAKE_WITHOUT does not start. */
int PMPI_T_init_thread(int required, int *provided)
{
    *provided = required;
    fake_mpi_compute(getenv("FAKE_LIBRARY") ? 0.2 : 0);
    return fake_me == atoi(getenv("FAKE_WITHOUT") ?: "-1") ? MPI_ERR_OTHER : MPI_SUCCESS;
}

/* Open MPI's parameter: the value of FAKE_RULES; negative: it has none. */
int mca_base_var_find(const char *, const char *, const char *, const char *name);
int mca_base_var_get_value(int index, const void *at, void *source, const char **file);

int mca_base_var_find(const char *a, const char *b, const char *c, const char *name)
{
    (void)a, (void)b, (void)c;
    return strcmp(name, "use_dynamic_rules") ? -13 : atoi(getenv("FAKE_RULES"));
}

int mca_base_var_get_value(int index, const void *at, void *source, const char **file)
{
    static const bool values[] = {false, true};
    (void)source, (void)file;
    *(const bool **)at = &values[index];
    return 0;
}

int PMPI_T_cvar_get_index(const char *name, int *index)
{
    for (*index = 0; (size_t)*index < sizeof variables / sizeof *variables; ++*index)
        if (!strcmp(variables[*index].name, name))
            return MPI_SUCCESS;
    return MPI_ERR_OTHER;
}

int PMPI_T_cvar_get_info(int index, char *name, int *length, int *verbosity, MPI_Datatype *type,
                         MPI_T_enum *values, char *about, int *room, int *bind, int *scope)
{
    (void)name, (void)length, (void)verbosity, (void)room, (void)bind, (void)scope;
    *type = MPI_INT;
    *values = MPI_T_ENUM_NULL;
    strcpy(about, variables[index].about);
    return MPI_SUCCESS;
}

int PMPI_T_cvar_handle_alloc(int index, void *object, MPI_T_cvar_handle *handle, int *count)
{
    (void)object;
    *handle = HANDLE(MPI_T_cvar_handle, index);
    *count = 1;
    return MPI_SUCCESS;
}

ANSWER(T_cvar_handle_free, (MPI_T_cvar_handle * handle), *handle = MPI_T_CVAR_HANDLE_NULL)

int PMPI_T_cvar_read(MPI_T_cvar_handle handle, void *now)
{
    memcpy(now, &value[NUMBER(handle)][fake_me], sizeof(int));
    return MPI_SUCCESS;
}

int PMPI_T_cvar_write(MPI_T_cvar_handle handle, const void *now)
{
    memcpy(&value[NUMBER(handle)][fake_me], now, sizeof(int));
    return MPI_SUCCESS;
}
