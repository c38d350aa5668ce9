/* Communicators with their attributes, and groups. */
#pragma GCC visibility push(default) /* modules are bound to what is here */
#include "fake_mpi_inside.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

int fake_comm_number(MPI_Comm comm)
{
    return comm == MPI_COMM_WORLD ? 0 : comm == MPI_COMM_SELF ? 1 : NUMBER(comm);
}

struct fake_comm *fake_comm_at(MPI_Comm comm)
{
    return &fake_world.comm[fake_comm_number(comm)];
}

int fake_world_rank(MPI_Comm comm, int rank)
{
    return fake_comm_number(comm) == 1 ? fake_me : fake_comm_at(comm)->world[rank];
}

int fake_rank_in(MPI_Comm comm)
{
    for (int i = 0; i < fake_comm_at(comm)->n; i++)
        if (fake_world_rank(comm, i) == fake_me)
            return i;
    return MPI_UNDEFINED;
}

ANSWER(Comm_rank, (MPI_Comm comm, int *rank), *rank = fake_rank_in(comm))
ANSWER(Comm_size, (MPI_Comm comm, int *size), *size = fake_comm_at(comm)->n)
ANSWER(Comm_test_inter, (MPI_Comm comm, int *flag), *flag = ((void)comm, 0))

int PMPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *made)
{
    int mine[2] = {colour, key}, all[FAKE_RANKS_MAX][2], n = fake_comm_at(comm)->n, number;
    int error = PMPI_Allgather(mine, 2, MPI_INT, all, 2, MPI_INT, comm);
    if (fake_rank_in(comm) == 0) {
        number = fake_world.n_comms;
        fake_world.n_comms += n; /* a number for each colour there may be */
        if (fake_world.n_comms > COMMS_MAX)
            abort();
    }
    error = PMPI_Bcast(&number, 1, MPI_INT, 0, comm) ?: error;
    if (colour == MPI_UNDEFINED) {
        *made = MPI_COMM_NULL;
        return error;
    }
    struct fake_comm new = {.n = 0};
    int first = n;
    for (int i = 0; i < n; i++)
        if (all[i][0] == colour && i < first)
            first = i;
    for (int key_now = INT_MIN, next;; key_now = next) { /* by key, then by rank */
        next = INT_MAX;
        for (int i = 0; i < n; i++) {
            if (all[i][0] != colour)
                continue;
            if (all[i][1] == key_now)
                new.world[new.n++] = fake_world_rank(comm, i);
            else if (all[i][1] > key_now && all[i][1] < next)
                next = all[i][1];
        }
        if (next == INT_MAX)
            break;
    }
    if (fake_world.comm[number + first].n == 0)
        fake_world.comm[number + first] = new;
    *made = HANDLE(MPI_Comm, number + first);
    return error;
}

/* All ranks are on one host. */
int PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
{
    (void)type, (void)info;
    int error = PMPI_Comm_split(comm, 0, key, made);
    return fake_world.net.split_fails && fake_world.net.split_fails == fake_me ? MPI_ERR_OTHER
                                                                               : error;
}

int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm *made)
{
    return PMPI_Comm_split(comm, 0, 0, made);
}

int PMPI_Comm_idup(MPI_Comm comm, MPI_Comm *made, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return PMPI_Comm_dup(comm, made);
}

int PMPI_Comm_free(MPI_Comm *comm)
{
    struct fake_comm *c = fake_comm_at(*comm);
    for (int key = 0; key < KEYS_MAX; key++)
        if (c->has[fake_me][key] && fake_world.drop[key])
            fake_world.drop[key](*comm, key, c->attribute[fake_me][key], fake_world.extra[key]);
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler)
{
    (void)comm, (void)handler;
    return MPI_SUCCESS;
}

int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *drop,
                            int *key, void *extra)
{
    (void)copy;
    *key = fake_world.n_keys++ % KEYS_MAX;
    fake_world.drop[*key] = drop;
    fake_world.extra[*key] = extra;
    return MPI_SUCCESS;
}

int PMPI_Comm_set_attr(MPI_Comm comm, int key, void *value)
{
    fake_comm_at(comm)->attribute[fake_me][key] = value;
    fake_comm_at(comm)->has[fake_me][key] = true;
    return MPI_SUCCESS;
}

int PMPI_Comm_get_name(MPI_Comm comm, char *name, int *length)
{
    const char *made_up = (uintptr_t)comm & 1 ? "MPI COMMUNICATOR 3" : "MPI_COMMUNICATOR 4";
    *length = sprintf(name, "%s", comm == MPI_COMM_WORLD ? "MPI_COMM_WORLD" : made_up);
    return MPI_SUCCESS;
}

/* --- groups --- */

int PMPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
    int n = fake_world.n_groups++ % GROUPS_MAX;
    fake_world.group[n].n = fake_comm_at(comm)->n;
    for (int i = 0; i < fake_comm_at(comm)->n; i++)
        fake_world.group[n].world[i] = fake_world_rank(comm, i);
    *group = HANDLE(MPI_Group, n);
    return MPI_SUCCESS;
}

ANSWER(Group_size, (MPI_Group group, int *size), *size = fake_world.group[NUMBER(group)].n)

int PMPI_Group_rank(MPI_Group group, int *rank)
{
    *rank = MPI_UNDEFINED;
    for (int i = 0; i < fake_world.group[NUMBER(group)].n; i++)
        if (fake_world.group[NUMBER(group)].world[i] == fake_me)
            *rank = i;
    return MPI_SUCCESS;
}

ANSWER(Group_free, (MPI_Group * group), *group = MPI_GROUP_NULL)

int PMPI_Group_incl(MPI_Group group, int n, const int *rank, MPI_Group *made)
{
    int number = fake_world.n_groups++ % GROUPS_MAX;
    fake_world.group[number].n = n;
    for (int i = 0; i < n; i++)
        fake_world.group[number].world[i] = fake_world.group[NUMBER(group)].world[rank[i]];
    *made = HANDLE(MPI_Group, number);
    return MPI_SUCCESS;
}

/* Its first member says by which number. */
int PMPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made)
{
    const int n = fake_world.group[NUMBER(group)].n,
              *members = fake_world.group[NUMBER(group)].world;
    int number = fake_world.n_comms, place[FAKE_RANKS_MAX] = {0};
    fake_enter("MPI_Comm_create_group", CALL);
    for (int k = 0; k < n; k++)
        while (fake_world_rank(comm, place[k]) != members[k])
            place[k]++;
    if (fake_me != members[0])
        fake_finish(fake_receive(&number, 1, MPI_INT, place[0], tag, comm, CONTEXT_GROUP),
                    MPI_STATUS_IGNORE);
    else if (fake_world.n_comms++ == COMMS_MAX)
        abort();
    for (int k = 0; k < n && fake_me == members[0]; k++) {
        fake_world.comm[number].n = n;
        fake_world.comm[number].world[k] = members[k];
    }
    for (int k = 1; k < n && fake_me == members[0]; k++)
        fake_finish(fake_send(&number, 1, MPI_INT, place[k], tag, comm, CONTEXT_GROUP, false),
                    MPI_STATUS_IGNORE);
    *made = HANDLE(MPI_Comm, number);
    return MPI_SUCCESS;
}

int PMPI_Group_translate_ranks(MPI_Group from, int n, const int *rank, MPI_Group to, int *found)
{
    for (int k = 0; k < n; k++) {
        found[k] = MPI_UNDEFINED;
        for (int i = 0; i < fake_world.group[NUMBER(to)].n; i++)
            if (fake_world.group[NUMBER(to)].world[i] ==
                fake_world.group[NUMBER(from)].world[rank[k]])
                found[k] = i;
    }
    return MPI_SUCCESS;
}

/* What programs call. */
ALSO(Comm_rank);
ALSO(Comm_size);
ALSO(Comm_dup);
ALSO(Comm_split);
ALSO(Comm_free);
ALSO(Comm_set_errhandler);
