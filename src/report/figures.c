#include "report/figures.h"

#include "base/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void figure_show(const struct figure *f, double value, char *text, size_t room)
{
    char shown[32] = "-";
    if (isnan(value))
        ;
    else if (f->column.kind == COLUMN_TIME)
        format_time(shown, value);
    else if (f->column.kind == COLUMN_BYTES)
        format_bytes(shown, value);
    else if (f->column.kind == COLUMN_COUNT)
        format_count(shown, whole_count(value));
    else
        snprintf(shown, sizeof shown, "%.1f", value);
    size_t number = strcspn(shown, " ");
    snprintf(text, room, "%.*s%s", (int)number, shown, shown[number] ? shown + number + 1 : "");
}

void figure_brief(const struct figure *f, const struct view *v, const void *row, char *text,
                  size_t room)
{
    if (f->text)
        f->text(v, row, text, room);
    else
        figure_show(f, f->get(v, row), text, room);
}

double figure_data(const struct figure *f, const struct view *v, const void *row)
{
    return f->get(v, row) / (f->column.kind == COLUMN_TIME ? 1e3 : 1);
}

void figure_name(const struct figure *f, char name[64])
{
    static const char *const unit[] = {[COLUMN_TIME] = "_us",
                                       [COLUMN_SHARE] = "_percent",
                                       [COLUMN_BYTES] = "_bytes",
                                       [COLUMN_RANK] = NULL};
    const char *end = strcmp(f->column.name, "bytes") ? unit[f->column.kind] : NULL;
    snprintf(name, 64, "%s%s", f->column.name, end ? end : "");
}

void view_open(struct view *v, const struct profile *p)
{
    *v = (struct view){.p = p,
                       .mpi_ns = profile_mpi_ns(p),
                       .ranks = p->ranks.n ? (double)p->ranks.n : 1,
                       .noise = noise_of(p),
                       .where = efficiency_of(p),
                       .label = site_labels(p)};
}

void view_close(struct view *v)
{
    site_labels_free(v->p, v->label);
}
