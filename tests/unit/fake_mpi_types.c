/* Datatypes: predefined ones and vectors of them. */
#pragma GCC visibility push(default) /* modules are bound to what is here */
#include "fake_mpi_inside.h"

#include <string.h>

static const struct vector *vector_of(MPI_Datatype type)
{
    for (int i = 0; i < fake_world.n_vectors; i++)
        if (type == HANDLE(MPI_Datatype, i))
            return &fake_world.vector[i];
    return NULL;
}

size_t fake_size(MPI_Datatype type)
{
    if (vector_of(type))
        return vector_of(type)->count * vector_of(type)->block;
    if (type == MPI_BYTE || type == MPI_CHAR || type == MPI_PACKED || type == MPI_UNSIGNED_CHAR ||
        type == MPI_C_BOOL)
        return 1;
    if (type == MPI_INT || type == MPI_FLOAT || type == MPI_INT32_T || type == MPI_UINT32_T ||
        type == MPI_UNSIGNED)
        return 4;
    if (type == MPI_DOUBLE_INT || type == MPI_2INT)
        return type == MPI_2INT ? 8 : 16;
    return 8;
}

static size_t extent_of(MPI_Datatype type)
{
    const struct vector *v = vector_of(type);
    return v ? (v->count - 1) * v->stride + v->block : fake_size(type);
}

/* BYTES of data of that TYPE between memory and a place without holes. */
void fake_copy(char *memory, char *packed, size_t bytes, MPI_Datatype type, bool unpacks)
{
    const struct vector *v = vector_of(type);
    size_t block = v ? v->block : bytes, part;
    for (size_t at = 0, k = 0; at < bytes; at += part, k++) {
        char *to = memory + (v ? k / v->count * extent_of(type) + k % v->count * v->stride : 0);
        part = bytes - at < block ? bytes - at : block;
        memcpy(unpacks ? to : packed + at, unpacks ? packed + at : to, part);
    }
}

ANSWER(Type_size, (MPI_Datatype type, int *size), *size = (int)fake_size(type))
ANSWER(Type_size_x, (MPI_Datatype type, MPI_Count *size), *size = (MPI_Count)fake_size(type))

int PMPI_Type_get_name(MPI_Datatype type, char *name, int *length)
{
    strcpy(name, type == MPI_INT ? "MPI_INT" : type == MPI_DOUBLE ? "MPI_DOUBLE" : "");
    *length = (int)strlen(name);
    return MPI_SUCCESS;
}

int PMPI_Type_get_extent(MPI_Datatype type, MPI_Aint *low, MPI_Aint *extent)
{
    *low = 0;
    *extent = (MPI_Aint)extent_of(type);
    return MPI_SUCCESS;
}

int PMPI_Type_get_envelope(MPI_Datatype type, int *integers, int *addresses, int *types,
                           int *combiner)
{
    *integers = *addresses = *types = 0;
    *combiner = vector_of(type) ? MPI_COMBINER_VECTOR : MPI_COMBINER_NAMED;
    return MPI_SUCCESS;
}

int PMPI_Type_get_extent_x(MPI_Datatype type, MPI_Count *low, MPI_Count *extent)
{
    *low = 0;
    *extent = (MPI_Count)extent_of(type);
    return MPI_SUCCESS;
}

int PMPI_Type_get_true_extent(MPI_Datatype type, MPI_Aint *low, MPI_Aint *extent)
{
    return PMPI_Type_get_extent(type, low, extent);
}

int PMPI_Type_vector(int count, int block, int stride, MPI_Datatype type, MPI_Datatype *made)
{
    const size_t size = fake_size(type);
    fake_world.vector[fake_world.n_vectors] =
        (struct vector){(size_t)count, (size_t)block * size, (size_t)stride * size};
    *made = HANDLE(MPI_Datatype, fake_world.n_vectors++);
    return MPI_SUCCESS;
}

int PMPI_Type_commit(MPI_Datatype *type)
{
    (void)type;
    return MPI_SUCCESS;
}

ANSWER(Type_free, (MPI_Datatype * type), *type = MPI_DATATYPE_NULL)
