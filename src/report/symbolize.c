#include "report/model.h"

void profile_symbolize(struct profile *p)
{
    profile_sort(p);
    if (!p->has_arrivals)
        arrivals_find(p);
}
