/* What a collective operation waits for, member by member. */
#include "base/order.h"
#include "timeline/timeline_inner.h"

static int by_instance(const void *a, const void *b, void *acts)
{
    const struct act *act = acts;
    const struct act *x = &act[*(const uint32_t *)a], *y = &act[*(const uint32_t *)b];
    return ORDER(x->comm_id, y->comm_id) ?: ORDER(x->ordinal, y->ordinal) ?: ORDER(x->tag, y->tag);
}

/* Seen whole, and all members agree on what it is. */
static bool is_whole(const struct act *act, const uint32_t *member, size_t n)
{
    if (n < 2 || n != act[*member].members)
        return false;
    for (size_t i = 1; i < n; i++)
        if (act[member[i]].collective != act[*member].collective ||
            act[member[i]].peer != act[*member].peer || act[member[i]].tag != (int32_t)i)
            return false;
    return act[*member].tag == 0;
}

static void set_cause(struct timeline *t, const struct act *act, uint32_t i, uint32_t awaited,
                      enum wait_state state)
{
    if (i != awaited)
        t->cause[i] = (struct cause){act[awaited].posted_ns, act[awaited].rank, (uint8_t)state};
}

/* N members by their rank in the communicator. */
static void look_at(struct timeline *t, const struct act *act, const uint32_t *member, size_t n)
{
    uint32_t last = *member, root = TIMELINE_NONE;
    for (size_t i = 0; i < n; i++) {
        if (act[member[i]].posted_ns > act[last].posted_ns)
            last = member[i];
        if (act[member[i]].rank == act[member[i]].peer)
            root = member[i];
    }
    enum collective_kind kind = act[*member].collective;
    if (kind == COLLECTIVE_TO_ROOT && root != TIMELINE_NONE)
        set_cause(t, act, root, last, WAIT_EARLY_ROOT);
    uint32_t before = *member; /* the latest of the ranks before */
    for (size_t i = 0; i < n; i++) {
        if (kind == COLLECTIVE_ALL)
            set_cause(t, act, member[i], last, WAIT_N_TO_N);
        else if (kind == COLLECTIVE_FROM_ROOT && root != TIMELINE_NONE)
            set_cause(t, act, member[i], root, WAIT_LATE_ROOT);
        else if (kind == COLLECTIVE_PREFIX)
            set_cause(t, act, member[i], before, WAIT_PREFIX);
        if (act[member[i]].posted_ns > act[before].posted_ns)
            before = member[i];
    }
}

void cause_of_collectives(struct timeline *t, const struct act *act, size_t n,
                          void *(*alloc)(size_t size))
{
    uint32_t *list = alloc((n + 1) * sizeof *list);
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        if ((act[i].kind == ACT_COLLECTIVE || act[i].kind == ACT_COLLECTED) && act[i].comm_id)
            list[m++] = (uint32_t)i;
    qsort_r(list, m, sizeof *list, by_instance, (void *)act);
    for (size_t i = 0, end; i < m; i = end) {
        const struct act *a = &act[list[i]];
        for (end = i + 1; end < m && act[list[end]].comm_id == a->comm_id &&
                          act[list[end]].ordinal == a->ordinal;)
            end++;
        if (is_whole(act, list + i, end - i))
            look_at(t, act, list + i, end - i);
    }
    free(list);
}
