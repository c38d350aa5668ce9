/* What operations work on: numbers, or strips with holes between them; and what combines two. */
#include "base/clock.h"
#include "measure/collective/operation_inner.h"

#include <string.h>

/* A strided element begins and ends with data: reductions of derived types whose extent ends with a
 * hole come out wrong in some libraries. */
enum { STRIP = 16, DATA = 2 * STRIP, SPAN = 4 * STRIP };

const char *const operation_types[] = {[TYPE_BYTE] = "byte",
                                       [TYPE_INT] = "int",
                                       [TYPE_DOUBLE] = "double",
                                       [TYPE_STRIDED] = "strided",
                                       NULL};
const char *const operation_ops[] = {
    [OP_BXOR] = "bxor", [OP_SUM] = "sum", [OP_MAX] = "max", [OP_USER] = "user", NULL};

size_t operation_element(int type)
{
    static const size_t sizes[] = {[TYPE_BYTE] = 1,
                                   [TYPE_INT] = sizeof(int),
                                   [TYPE_DOUBLE] = sizeof(double),
                                   [TYPE_STRIDED] = DATA};
    return sizes[type];
}

bool operation_combines(int type, int op)
{
    static const unsigned ops[] = {[TYPE_BYTE] = 1 << OP_BXOR,
                                   [TYPE_INT] = 1 << OP_BXOR | 1 << OP_SUM | 1 << OP_MAX,
                                   [TYPE_DOUBLE] = 1 << OP_SUM | 1 << OP_MAX,
                                   [TYPE_STRIDED] = 0};
    return op == OP_USER || ops[type] >> op & 1;
}

/* A symmetry of a polygon with 128 corners: a turn by the low bits after a reflection by the high
 * one. One after the other is another one; which is first matters, how they are grouped does not.
 */
static unsigned char one_after_other(unsigned char a, unsigned char b)
{
    unsigned turn = (unsigned)(a & 0x80 ? a - b : a + b);
    return (unsigned char)(((a ^ b) & 0x80) | (turn & 0x7f));
}

/* Seconds a byte: MPI hands an operation nothing else. */
static double user_cost;

double operation_set_cost(double cost)
{
    double before = user_cost;
    user_cost = cost;
    return before;
}

static void combine(void *in, void *inout, int *n, MPI_Datatype *type)
{
    const unsigned char *x = in;
    unsigned char *y = inout;
    double end = clock_now();
    MPI_Aint lower, extent;
    int size;
    PMPI_Type_get_extent(*type, &lower, &extent);
    PMPI_Type_size(*type, &size);
    end += user_cost * *n * size;
    for (MPI_Aint i = 0; i < *n * extent; i += extent) {
        for (MPI_Aint k = i; k < i + size; k++) {
            MPI_Aint at = k < i + size / 2 ? k : k + extent - size;
            y[at] = one_after_other(x[at], y[at]);
        }
    }
    if (user_cost > 0)
        clock_hold(end - clock_now());
}

size_t operation_laid(const struct operation_call *c, size_t k)
{
    if (c->data.type != TYPE_STRIDED)
        return k;
    return k / DATA * SPAN + k % DATA + (k % DATA >= STRIP ? SPAN - DATA : 0);
}

size_t operation_width(const struct operation_call *c)
{
    return c->data.type == TYPE_STRIDED ? 1 : operation_element(c->data.type);
}

void operation_put(const struct operation_call *c, unsigned char *buffer, size_t k, unsigned char x)
{
    if (c->data.type == TYPE_INT)
        memcpy(buffer + k * sizeof(int), &(int){x}, sizeof(int));
    else if (c->data.type == TYPE_DOUBLE)
        memcpy(buffer + k * sizeof(double), &(double){x}, sizeof(double));
    else
        buffer[operation_laid(c, k)] = x;
}

bool operation_make_type(int type, MPI_Datatype *made)
{
    *made = type == TYPE_INT ? MPI_INT : type == TYPE_DOUBLE ? MPI_DOUBLE : MPI_BYTE;
    if (type != TYPE_STRIDED)
        return true;
    return PMPI_Type_vector(2, STRIP, SPAN - STRIP, MPI_BYTE, made) == MPI_SUCCESS &&
           PMPI_Type_commit(made) == MPI_SUCCESS;
}

bool operation_take_op(struct operation_call *c)
{
    c->op = c->data.op == OP_SUM ? MPI_SUM : c->data.op == OP_MAX ? MPI_MAX : MPI_BXOR;
    user_cost = c->data.cost;
    return c->data.op != OP_USER || PMPI_Op_create(combine, 0, &c->op) == MPI_SUCCESS;
}
