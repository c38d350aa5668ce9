#include "report/diagnosis.h"

#include "base/array.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct diagnosis *finding_add(struct making *m, const char *key, enum severity severity,
                              double cost, double low, const char *format, ...)
{
    struct diagnosis *d = memory_alloc(sizeof *d);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(d->text, sizeof d->text, format, arguments);
    va_end(arguments);
    d->site = d->operation = PROFILE_NONE;
    d->f = (struct finding){.key = key,
                            .severity = severity,
                            .cost = {.value = cost, .low = low, .high = NAN},
                            .share = m->run > 0 && cost > 0 ? cost / m->run : 0,
                            .ranks = d->rank};
    *PUSH(m->all) = d;
    return d;
}

void finding_rank(struct diagnosis *d, int rank)
{
    if (d->f.n_ranks < sizeof d->rank / sizeof *d->rank)
        d->rank[d->f.n_ranks++] = rank;
}

void finding_number(struct diagnosis *d, const char *name, double value)
{
    for (size_t i = 0; i < FINDING_NUMBERS; i++)
        if (!d->f.number[i].name) {
            d->f.number[i] = (struct finding_number){name, value};
            return;
        }
}

void finding_advise(struct diagnosis *d, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(d->advice, sizeof d->advice, format, arguments);
    va_end(arguments);
    d->f.advice = d->advice;
}

void call_label(const struct view *v, uint32_t operation, uint32_t site, char *text, size_t room)
{
    bool known = site != PROFILE_NONE && v->p->stack_depth && v->p->sites.at[site].depth;
    snprintf(text, room, "%s%s%s", v->p->operations.at[operation].name, known ? " at " : "",
             known ? v->label[site] : "");
}

const char *finding_place(const struct making *m, struct diagnosis *d, uint32_t operation,
                          uint32_t site)
{
    d->operation = operation;
    d->site = site;
    call_label(m->v, operation, site, d->place, sizeof d->place);
    return d->f.site = d->place;
}

const struct diagnosis *findings_find(const struct diagnoses *d, const char *key)
{
    for (size_t i = 0; i < d->n; i++)
        if (!strcmp(d->at[i]->f.key, key))
            return d->at[i];
    return NULL;
}
