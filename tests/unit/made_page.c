#include "made_page.h"

#include <stdio.h>

char *text_of(const struct profile *p, const struct report_options *o)
{
    static char *text;
    free(text);
    return text = WRITTEN(report_text(p, out, o));
}

void made_one_of_four(struct ledger *l, int rank)
{
    made_ledger(l, NULL, rank, 4);
    made_calls(l, 1, OP_BCAST, 1024, 100, 1000);
    made_calls(l, 2, OP_ALLREDUCE, 8, 10, 3000000u * ((uint64_t)rank + 1));
}

struct profile *made_four_ranks(void)
{
    struct profile *p = NULL;
    for (int r = 0; r < 4; r++) {
        struct ledger l;
        made_one_of_four(&l, r);
        for (uint32_t i = 0; i < 10; i++)
            made_instance(&l, OP_BCAST, i, 0, 10000 * i + (r == 0 ? 4000 : 0),
                          10000 * i + 5000 + 100 * (unsigned)r);
        p = made_merged(p, &l);
    }
    profile_symbolize(p);
    return p;
}
