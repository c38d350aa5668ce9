/* Collective operations over the project's own trees: arbitrary implementations beside the
 * library's, for the scenarios of Gracia et al. */
#include "base/try.h"
#include "measure/collective/operation.h"

#include <stdlib.h>
#include <string.h>

struct own_form {
    const char *operation;
    bool fans_in;
    int (*run)(const struct operation_call *c);
};

static int fan_out(const struct operation_call *c, int root)
{
    return c->by->run(c->recv, (int)c->bytes, MPI_BYTE, root, c->comm, c->by->arg);
}

/* What has to be combined is put into the first half of the room. */
static int fan_in(const struct operation_call *c, int root)
{
    if (c->bytes)
        memcpy(c->room, c->send, c->bytes);
    return bcast_fan_in(c->by, c->room, c->room + c->bytes, (int)c->bytes, MPI_BYTE, MPI_BXOR, root,
                        c->comm);
}

static int broadcast(const struct operation_call *c)
{
    return fan_out(c, c->root);
}

static int reduce_to(const struct operation_call *c, int root)
{
    TRY(fan_in(c, root));
    if (c->rank == root && c->bytes)
        memcpy(c->recv, c->room, c->bytes);
    return MPI_SUCCESS;
}

static int reduce(const struct operation_call *c)
{
    return reduce_to(c, c->root);
}

static int allreduce(const struct operation_call *c)
{
    TRY(reduce_to(c, 0));
    return fan_out(c, 0);
}

static int barrier(const struct operation_call *c)
{
    unsigned char none;
    TRY(bcast_fan_in(c->by, &none, &none, 0, MPI_BYTE, MPI_BXOR, 0, c->comm));
    return c->by->run(&none, 0, MPI_BYTE, 0, c->comm, c->by->arg);
}

static const struct own_form forms[] = {{"broadcast", false, broadcast},
                                        {"reduce", true, reduce},
                                        {"allreduce", true, allreduce},
                                        {"barrier", true, barrier}};

static const struct own_form *form_of(const struct operation *o, const struct bcast *by)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i].operation, o->name) == 0 && (!forms[i].fans_in || bcast_fans_in(by)))
            return &forms[i];
    return NULL;
}

bool operation_has_own(const struct operation *o, const struct bcast *by)
{
    return form_of(o, by) != NULL;
}

bool operation_use_own(struct operation_call *c, const struct bcast *by)
{
    c->own = form_of(c->operation, by);
    c->by = by;
    c->room = malloc(2 * c->bytes + 1);
    return c->room != NULL;
}

int operation_run_own(const struct operation_call *c)
{
    return c->own->run(c);
}
