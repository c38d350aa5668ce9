#include "picture/matrix_draw.h"

#include "picture/plot_inner.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_CELLS = 256 };

/* Bytes sent from row to column; ranks that follow each other share a cell where there are many. */
struct matrix {
    size_t n, share; /* cells on a side; ranks in one of them */
    double *bytes;
};

static bool fill(struct matrix *m, const struct profile *p)
{
    size_t ranks = 0;
    bool any = false;
    for (size_t i = 0; i < p->peers.n; i++) {
        const struct profile_peer *e = &p->peers.at[i];
        size_t larger = e->rank > e->peer ? e->rank : e->peer;
        ranks = larger >= ranks ? larger + 1 : ranks;
    }
    m->share = (ranks + MOST_CELLS - 1) / MOST_CELLS;
    m->n = ranks ? (ranks + m->share - 1) / m->share : 0;
    m->bytes = memory_alloc((m->n * m->n + 1) * sizeof *m->bytes);
    for (size_t i = 0; i < p->peers.n; i++) {
        const struct profile_peer *e = &p->peers.at[i];
        if (e->received)
            continue;
        m->bytes[e->rank / m->share * m->n + e->peer / m->share] += (double)e->bytes;
        any = any || e->bytes;
    }
    return any;
}

/* Nothing sent is white: the palette is for what there is, from a ten-thousandth of the most on, so
 * that what is nearly equal looks so. */
static void put_cells(const struct matrix *m, FILE *out)
{
    double most = 0;
    fputs("$cells << END\n", out);
    for (size_t i = 0; i < m->n * m->n; i++) {
        most = fmax(most, m->bytes[i]);
        if (m->bytes[i] > 0)
            fprintf(out, "%zu %zu %.17g\n", i % m->n * m->share, i / m->n * m->share, m->bytes[i]);
    }
    fputs("END\n", out);
    fprintf(out, "set cbrange [%.17g:%.17g]\n", most / 1e4, most);
}

enum picture_result matrix_draw(const struct profile *p, const char *path,
                                const struct picture_view *view)
{
    const struct plot_axes axes = {.title = "Bytes sent, by sender and receiver",
                                   .x_label = "to rank",
                                   .y_label = "from rank"};
    char caption[300];
    enum picture_result result = PICTURE_EMPTY;
    struct matrix m;
    struct script script;
    (void)view;
    if (fill(&m, p)) {
        result = PICTURE_FAILED;
        if (script_begin(&script, path, 900, 800)) {
            double half = (double)m.share / 2, side = (double)(m.n * m.share);
            script_axes(script.out, &axes);
            picture_caption(p, caption, sizeof caption);
            script_caption(script.out, caption, 0.985);
            put_cells(&m, script.out);
            double step = ceil(side / 16);
            fprintf(script.out,
                    "set tmargin 4\nset logscale cb\nset format cb '%%.0s %%cB'\nset size square\n"
                    "set xrange [-0.5:%g]\nset yrange [%g:-0.5]\nset xtics 0,%g\nset ytics 0,%g\n"
                    "set palette defined (0 '#b8cdf0', 0.5 '#4f7fd0', 1 '#0c1f5c')\n"
                    "plot $cells using ($1+%g):($2+%g):(%g):(%g):3 with boxxyerror fs solid "
                    "noborder lc palette notitle\n",
                    side - 0.5, side - 0.5, step, step, half - 0.5, half - 0.5, half, half);
            result = script_run(&script) ? PICTURE_DRAWN : PICTURE_FAILED;
        }
    }
    free(m.bytes);
    return result;
}
