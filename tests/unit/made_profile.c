#include "made_profile.h"

struct profile *made_merged(struct profile *p, struct ledger *l)
{
    struct profile *rank = profile_from_ledger(l);
    ledger_close(l);
    if (!p)
        return rank;
    profile_merge(p, rank);
    return p;
}

bool made_next(struct profile **p, struct ledger *l, int rank, int size)
{
    *p = rank ? made_merged(*p, l) : NULL;
    if (rank < size)
        made_ledger(l, NULL, rank, size);
    return rank < size;
}

json_t *written(const struct profile *p)
{
    FREED char *text = WRITTEN(profile_write(p, out, NULL));
    return json_loads(text, 0, NULL);
}

bool made_warns(const struct profile *p, const char *text)
{
    for (size_t i = 0; i < p->warnings.n; i++)
        if (strstr(p->warnings.at[i].text, text))
            return true;
    return false;
}

void assert_has(const char *text, const char *piece)
{
    cr_assert_not_null(strstr(text, piece), "no '%s' in:\n%s", piece, text);
}

void assert_lacks(const char *text, const char *piece)
{
    cr_assert_null(strstr(text, piece), "'%s' in:\n%s", piece, text);
}

struct event made_collective(uint32_t rank, uint32_t k, int64_t entry, int64_t exit)
{
    return (struct event){.entry_ns = entry,
                          .exit_ns = exit,
                          .posted_ns = entry,
                          .comm_id = 7,
                          .rank = rank,
                          .peer = TIMELINE_NONE,
                          .ordinal = k,
                          .tag = (int32_t)rank,
                          .comm_size = 2,
                          .kind = EVENT_COLLECTIVE,
                          .collective = COLLECTIVE_ALL};
}
