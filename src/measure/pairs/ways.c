#include "measure/pairs/ways.h"

#include "base/clock.h"
#include "base/stats.h"
#include "base/try.h"
#include "measure/crew.h"
#include "trees/schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FLOWS_MAX = 6, FEW = 4, MORE = 8, BURST = FEW + MORE, REPEATS = 2, SMALL = 8192 };
enum { TAG_FLOW = 0x7766, TAG_GO = 0x7767 };

/* Messages that are sent at the same time: from whom, to whom. */
struct flows {
    int n, from[FLOWS_MAX], to[FLOWS_MAX];
    int few;              /* rounds, then MORE; 0: FEW */
    int times[FLOWS_MAX]; /* messages of each in a round; 0: one */
};

static int times_of(const struct flows *f, int i)
{
    return f->times[i] > 0 ? f->times[i] : 1;
}

/* For one message out and BURST of each flow in. The simulator, where 1,024 ranks have one each,
 * takes no time for memory. */
static char *room(size_t bytes)
{
    size_t all = (FLOWS_MAX * BURST + 1) * (bytes + 1);
    return clock_source == CLOCK_SOURCE_EXTERNAL ? calloc(all, 1) : crew_buffer(all);
}

struct probing {
    MPI_Comm comm;
    int rank;
    size_t bytes;
    char *buffer; /* see room() */
    /* rank 0's */
    const struct pairs *p;
    const double *gap; /* of messages of BYTES */
    int *host, n_hosts, *site;
};

/* Seconds until the last of COUNT messages of each flow is there, on rank 0: from the moment when
 * its receiver asked for it. */
static int run_flows(const struct probing *m, const struct flows *f, int count, double *last)
{
    MPI_Request in[FLOWS_MAX * BURST], out[FLOWS_MAX * BURST], go[FLOWS_MAX];
    int n_in = 0, n_out = 0, n_go = 0, bytes = (int)m->bytes;
    TRY(PMPI_Barrier(m->comm));
    for (int i = 0; i < f->n; i++)
        for (int k = 0; k < count * times_of(f, i) && f->to[i] == m->rank; k++, n_in++)
            TRY(PMPI_Irecv(m->buffer + (size_t)(n_in + 1) * m->bytes, bytes, MPI_BYTE, f->from[i],
                           TAG_FLOW + 2 * i, m->comm, &in[n_in]));
    double start = clock_now(), mine = 0;
    /* Two ranks may tell each other, by sends that wait for their receiver. */
    for (int i = 0; i < f->n; i++)
        if (f->to[i] == m->rank)
            TRY(PMPI_Isend(NULL, 0, MPI_BYTE, f->from[i], TAG_GO + 2 * i, m->comm, &go[n_go++]));
    for (int i = 0; i < f->n; i++)
        if (f->from[i] == m->rank)
            TRY(PMPI_Recv(NULL, 0, MPI_BYTE, f->to[i], TAG_GO + 2 * i, m->comm, MPI_STATUS_IGNORE));
    for (int k = 0; k < count; k++)
        for (int i = 0; i < f->n; i++)
            for (int t = 0; t < times_of(f, i) && f->from[i] == m->rank; t++)
                TRY(PMPI_Issend(m->buffer, bytes, MPI_BYTE, f->to[i], TAG_FLOW + 2 * i, m->comm,
                                &out[n_out++]));
    TRY(PMPI_Waitall(n_in, in, MPI_STATUSES_IGNORE));
    if (n_in > 0)
        mine = clock_now() - start;
    TRY(PMPI_Waitall(n_out, out, MPI_STATUSES_IGNORE));
    TRY(PMPI_Waitall(n_go, go, MPI_STATUSES_IGNORE));
    return PMPI_Reduce(&mine, last, 1, MPI_DOUBLE, MPI_MAX, 0, m->comm);
}

/* What a message of each flow adds, on rank 0; which alone knows the flows. Added to a few: the
 * first ones of a near pair are through before those of a far one need what both share. What noise
 * adds, it adds on top. */
static int time_flows(const struct probing *m, struct flows *f, double *seconds)
{
    double few = INFINITY, all = INFINITY, last = 0;
    TRY(PMPI_Bcast(f, sizeof *f / sizeof(int), MPI_INT, 0, m->comm));
    for (int k = 0; f->n > 0 && k < REPEATS; k++) {
        int n = f->few > 0 ? f->few : FEW;
        TRY(run_flows(m, f, n, &last));
        few = fmin(few, last);
        TRY(run_flows(m, f, n + MORE, &last));
        all = fmin(all, last);
    }
    *seconds = (all - few) / MORE;
    return MPI_SUCCESS;
}

/* What is shared is shared evenly, but none takes more than its own rate: the slowest is the last,
 * at its own rate or with all others at an even part. */
double ways_capacity(const double *rate, int n, double seconds)
{
    double least = INFINITY, all = 0;
    for (int i = 0; i < n; i++) {
        least = fmin(least, rate[i]);
        all += rate[i];
    }
    return seconds > 1 / least ? n / seconds : all;
}

static double gap_of(const struct probing *m, int u, int v)
{
    return fmax(1e-12, m->gap[pairs_cell(m->p, u, v)]);
}

/* What the flows share, in messages per second, and what all of them could do without: on rank 0.
 */
static int probe(const struct probing *m, struct flows *f, double *capacity, double *alone)
{
    double seconds, rate[FLOWS_MAX], sum = 0;
    TRY(time_flows(m, f, &seconds));
    if (m->rank > 0)
        return MPI_SUCCESS;
    for (int i = 0; i < f->n; i++)
        sum += rate[i] = 1 / gap_of(m, f->from[i], f->to[i]);
    *capacity = ways_capacity(rate, f->n, seconds);
    *alone = sum;
    return MPI_SUCCESS;
}

/* The rank on another host than those in HOSTS to (or from) which U's messages are the quickest. */
static int nearest(const struct probing *m, int u, bool to, const bool *taken)
{
    int best = -1;
    for (int v = 0; v < m->p->n; v++) {
        if (taken[m->host[v]] || v == u)
            continue;
        double gap = to ? gap_of(m, u, v) : gap_of(m, v, u);
        if (best < 0 || gap < (to ? gap_of(m, u, best) : gap_of(m, best, u)))
            best = v;
    }
    return best;
}

/* The N-th rank of HOST, counted round. */
static int rank_of(const struct probing *m, int host, int n)
{
    int count = 0, seen = 0;
    for (int v = 0; v < m->p->n; v++)
        count += m->host[v] == host;
    for (int v = 0; v < m->p->n; v++)
        if (m->host[v] == host && seen++ == n % count)
            return v;
    return -1;
}

/* From several ranks of HOST to as many other hosts, or from these. With two hosts only those of
 * the other one. */
static struct flows several(const struct probing *m, int host, bool out, bool *taken)
{
    struct flows f = {0};
    double first = 0;
    memset(taken, 0, (size_t)m->n_hosts * sizeof *taken);
    taken[host] = true;
    for (; f.n < FLOWS_MAX && f.n < m->n_hosts - 1; f.n++) {
        int mine = rank_of(m, host, f.n), other = nearest(m, mine, out, taken);
        double gap = out ? gap_of(m, mine, other) : gap_of(m, other, mine);
        /* One that is much slower tells of its own way, not of the card. */
        if (f.n == 0)
            first = gap;
        else if (gap > 4 * first)
            break;
        f.from[f.n] = out ? mine : other;
        f.to[f.n] = out ? other : mine;
        taken[m->host[other]] = true;
    }
    return f;
}

/* The nearest one out of HOST, and the nearest of the others in. */
static struct flows to_and_fro(const struct probing *m, int host, bool *taken)
{
    int u = rank_of(m, host, 0);
    memset(taken, 0, (size_t)m->n_hosts * sizeof *taken);
    taken[host] = true;
    struct flows f = {.n = 2, .from = {u, 0}, .to = {nearest(m, u, true, taken), u}};
    taken[m->host[f.to[0]]] = m->n_hosts > 2;
    f.from[1] = nearest(m, u, false, taken);
    return f;
}

/* Two pairs of four hosts, other ones for each K. */
static struct flows apart(const struct probing *m, int k)
{
    int h[4], step = 1 + k % (m->n_hosts > 4 ? m->n_hosts - 3 : 1);
    for (int i = 0; i < 4; i++)
        h[i] = (k * 3 + (i < 2 ? i : i - 2 + step + 1)) % m->n_hosts;
    return (struct flows){.n = 2,
                          .from = {rank_of(m, h[0], 0), rank_of(m, h[2], 0)},
                          .to = {rank_of(m, h[1], 0), rank_of(m, h[3], 0)}};
}

/* The best that any pair of HOST does alone, messages per second. */
static double best_rate(const struct probing *m, int host, bool out)
{
    double best = 0;
    for (int u = 0; u < m->p->n; u++)
        for (int v = 0; m->host[u] == host && v < m->p->n; v++)
            if (m->host[v] != host)
                best = fmax(best, 1 / (out ? gap_of(m, u, v) : gap_of(m, v, u)));
    return best;
}

/* Less than nine tenths of what they do alone is no longer noise. */
static bool is_shared(double capacity, double alone)
{
    return capacity < 0.9 * alone;
}

/* Of what is carried one way, what it takes of the other: from a host's card whose nearest ones
 * keep it busy in either direction. NAN: it could not be seen. */
static double crossing(double both, double alone, double card)
{
    return alone < 1.8 * card ? NAN : fmin(1, fmax(0, 2 * card / both - 1));
}

static int probe_hosts(struct probing *m, int n, struct pairs_ways *ways, double *out, double *in)
{
    bool *taken = m->rank == 0 ? calloc((size_t)m->n_hosts, sizeof *taken) : NULL;
    double cross[WAYS_HOSTS];
    int seen = 0;
    for (int k = 0; k < n; k++) {
        int host = k * m->n_hosts / n;
        struct flows f = {0};
        double capacity = 0, alone = 0, card = INFINITY;
        for (int way = 0; way < 2; way++) {
            double best = taken ? best_rate(m, host, way == 0) : 1;
            if (taken)
                f = several(m, host, way == 0, taken);
            TRY(probe(m, &f, &capacity, &alone));
            /* One pair shows what there is if the others add nothing to it. */
            double times = is_shared(capacity, alone) ? fmax(1, capacity / best) : INFINITY;
            *(way == 0 ? &out[k] : &in[k]) = f.n > 1 ? times : 1;
            card = fmin(card, best * times);
        }
        if (taken)
            f = to_and_fro(m, host, taken);
        TRY(probe(m, &f, &capacity, &alone));
        double here = taken ? crossing(capacity, alone, card) : NAN;
        if (!isnan(here))
            cross[seen++] = here;
    }
    ways->cross = seen > 0 ? stats_median(cross, (size_t)seen) : 0;
    free(taken);
    return MPI_SUCCESS;
}

/* Pairs that have nothing in common but a cable. */
static int probe_cable(struct probing *m, int n, double *cable)
{
    double seen[WAYS_HOSTS], best = 0;
    int shared = 0;
    for (int k = 0; k < n; k++) {
        struct flows f = {0};
        double capacity = 0, alone = 0;
        if (m->rank == 0)
            f = apart(m, k);
        TRY(probe(m, &f, &capacity, &alone));
        if (m->rank == 0 && is_shared(capacity, alone))
            seen[shared++] = capacity;
    }
    for (int h = 0; m->rank == 0 && h < m->n_hosts; h++)
        best = fmax(best, best_rate(m, h, true));
    *cable = shared == n && n > 0 ? fmax(1, stats_median(seen, (size_t)n) / best) : 0;
    return MPI_SUCCESS;
}

/* Two pairs of four hosts from one site to another; no flows if there are none from A to B. */
static struct flows across(const struct probing *m, int a, int b)
{
    struct flows f = {0};
    for (int u = 0; u < m->p->n && f.n < 2; u++) {
        for (int v = 0; m->site[u] == a && v < m->p->n && f.n < 2; v++) {
            bool other =
                f.n == 0 || (m->host[u] != m->host[f.from[0]] && m->host[v] != m->host[f.to[0]]);
            if (m->site[v] == b && m->host[u] != m->host[v] && other) {
                f.from[f.n] = u;
                f.to[f.n++] = v;
            }
        }
    }
    return f.n == 2 ? f : (struct flows){0};
}

/* Whether sites share their ways to each other: as most do that were looked at. */
static int probe_sites(struct probing *m, int n_sites, double *sites)
{
    double seen[WAYS_HOSTS];
    int n = 0;
    for (int k = 0; k < WAYS_HOSTS; k++) {
        struct flows f = {0};
        double capacity = 0, alone = 0;
        if (m->rank == 0)
            f = across(m, k % n_sites, (k + 1 + k / n_sites % (n_sites - 1)) % n_sites);
        TRY(probe(m, &f, &capacity, &alone));
        double best = INFINITY;
        for (int i = 0; i < f.n && m->rank == 0; i++)
            best = fmin(best, gap_of(m, f.from[i], f.to[i]));
        if (m->rank == 0 && f.n > 0)
            seen[n++] = is_shared(capacity, alone) ? fmax(1, capacity * best) : INFINITY;
    }
    *sites = n > 0 ? stats_median(seen, (size_t)n) : 1;
    return MPI_SUCCESS;
}

/* Hosts that were not looked at are as the middle of the others. */
static bool keep_cards(const struct probing *m, const double *seen, int n, double **to)
{
    double sorted[WAYS_HOSTS];
    memcpy(sorted, seen, (size_t)n * sizeof *seen);
    double usual = stats_median(sorted, (size_t)n);
    *to = malloc((size_t)m->p->n * sizeof **to);
    for (int v = 0; *to && v < m->p->n; v++) {
        (*to)[v] = usual;
        for (int k = 0; k < n; k++)
            if (m->host[v] == k * m->n_hosts / n)
                (*to)[v] = seen[k];
    }
    return *to != NULL;
}

/* Rank 0 knows which sizes there are, and hosts. */
static int begin(struct probing *m, struct pairs *p, size_t most, int *n_sites)
{
    long long told[3] = {0};
    if (m->rank == 0) {
        int s = p->n_sizes - 1;
        while (s > 0 && p->size[s].bytes > most)
            s--;
        m->p = p;
        if (s >= 0)
            m->gap = pairs_segments_known(p) ? p->size[s].pace : p->size[s].gap;
        m->host = m->gap ? pairs_hosts(p, &m->n_hosts) : NULL;
        told[0] = m->host && pairs_sites(p, true, &m->site) ? m->n_hosts : 0;
        for (int v = 0; m->site && v < p->n; v++)
            told[2] = m->site[v] >= told[2] ? m->site[v] + 1 : told[2];
        told[1] = s >= 0 ? (long long)p->size[s].bytes : 0;
    }
    TRY(PMPI_Bcast(told, 3, MPI_LONG_LONG, 0, m->comm));
    m->n_hosts = (int)told[0];
    m->bytes = (size_t)told[1];
    *n_sites = (int)told[2];
    m->buffer = room(m->bytes);
    return crew_agree(m->comm, m->buffer != NULL);
}

static int measure(MPI_Comm comm, struct pairs *p, size_t most, struct pairs_ways *to)
{
    struct probing m = {.comm = comm};
    double out[WAYS_HOSTS], in[WAYS_HOSTS];
    struct pairs_ways ways = {.sites = 1};
    int n_sites = 0;
    TRY(PMPI_Comm_rank(comm, &m.rank));
    int error = begin(&m, p, most, &n_sites), n = m.n_hosts < WAYS_HOSTS ? m.n_hosts : WAYS_HOSTS;
    if (error == MPI_SUCCESS && m.n_hosts > 1)
        error = probe_hosts(&m, n, &ways, out, in);
    if (error == MPI_SUCCESS && m.n_hosts > 3)
        error = probe_cable(&m, n, &ways.cable);
    if (error == MPI_SUCCESS && n_sites > 1)
        error = probe_sites(&m, n_sites, &ways.sites);
    if (error == MPI_SUCCESS && m.rank == 0 && m.n_hosts > 1) {
        *to = ways;
        if (!keep_cards(&m, out, n, &to->out) || !keep_cards(&m, in, n, &to->in))
            error = MPI_ERR_NO_MEM;
    }
    free(m.host);
    free(m.site);
    free(m.buffer);
    return error;
}

int pairs_measure_ways(MPI_Comm comm, struct pairs *p)
{
    TRY(measure(comm, p, WAYS_LARGE, &p->ways));
    return measure(comm, p, SMALL, &p->small_ways);
}

static bool is_known(const struct pairs *p, const struct flows *f, size_t bytes)
{
    for (int k = 0; k < p->n_together; k++) {
        const struct pairs_together *t = &p->together[k];
        if (t->bytes == bytes && memcmp(t->edges.from, f->from, sizeof t->edges.from) == 0 &&
            memcmp(t->edges.to, f->to, sizeof t->edges.to) == 0)
            return true;
    }
    return false;
}

/* Of the quicker one so many messages that both are busy for as long; and so many rounds that they
 * last longer than one pair is farther than the other. */
static void balance(const struct probing *m, struct flows *f, const double *gap)
{
    const struct pairs_size *s = &m->p->size[0];
    double way[2], each[] = {gap[f->to[0]], gap[f->to[1]]};
    int slow = each[1] > each[0];
    for (int i = 0; i < 2; i++)
        way[i] = s->min[pairs_cell(m->p, f->from[i], f->to[i])] / 2;
    f->times[slow] = 1;
    f->times[!slow] = (int)fmax(1, fmin(4, round(each[slow] / each[!slow])));
    f->few = (int)fmax(FEW, fmin(FLOWS_MAX * BURST / (1 + f->times[!slow]) - MORE,
                                 2 * fabs(way[0] - way[1]) / each[slow]));
}

/* GAP: of each vertex' edge alone, by bursts like these; NAN as long as it is not known. */
static int probe_edges(struct probing *m, struct flows *f, double *gap, struct pairs_together *t)
{
    double seconds;
    for (int i = 0; i < 2; i++) {
        struct flows one = {0};
        if (m->rank == 0 && isnan(gap[f->to[i]]))
            one = (struct flows){.n = 1, .from = {f->from[i]}, .to = {f->to[i]}};
        TRY(time_flows(m, &one, &seconds));
        if (m->rank == 0 && one.n > 0)
            gap[f->to[i]] = fmax(1e-12, seconds);
    }
    if (m->rank == 0)
        balance(m, f, gap);
    TRY(time_flows(m, f, &seconds));
    if (m->rank > 0)
        return MPI_SUCCESS;
    double alone = fmax(f->times[0] * gap[f->to[0]], f->times[1] * gap[f->to[1]]);
    double both = seconds / (f->times[0] + f->times[1]);
    *t = (struct pairs_together){
        {{f->from[0], f->from[1]}, {f->to[0], f->to[1]}, seconds > 1.3 * alone ? both : 0},
        m->bytes};
    return MPI_SUCCESS;
}

int pairs_measure_together(MPI_Comm comm, const struct schedule *s, size_t bytes, struct pairs *p)
{
    enum { MOST = WAYS_HOSTS * WAYS_HOSTS / 2 };
    struct probing m = {.comm = comm, .bytes = bytes, .p = p};
    struct pairs_together *all = NULL;
    struct flows f[MOST];
    double gap[WAYS_HOSTS];
    int n = 0;
    TRY(PMPI_Comm_rank(comm, &m.rank));
    for (int v = 0; m.rank == 0 && s->n <= WAYS_HOSTS && v < s->n; v++) {
        gap[v] = NAN;
        for (int w = 0; w < v && s->parent[v] >= 0; w++) {
            f[n] = (struct flows){.n = 2, .from = {s->parent[w], s->parent[v]}, .to = {w, v}};
            n += s->parent[w] >= 0 && !is_known(p, &f[n], bytes);
        }
    }
    long long told[2] = {n, (long long)bytes};
    TRY(PMPI_Bcast(told, 2, MPI_LONG_LONG, 0, comm));
    m.bytes = (size_t)told[1];
    m.buffer = room(m.bytes);
    if (m.rank == 0)
        all = realloc(p->together, (size_t)(p->n_together + n + 1) * sizeof *all);
    if (all)
        p->together = all;
    int error = crew_agree(comm, m.buffer && (all || m.rank > 0));
    for (int k = 0; error == MPI_SUCCESS && k < told[0]; k++) {
        struct pairs_together *t = m.rank == 0 ? &all[p->n_together] : NULL;
        error = probe_edges(&m, &f[m.rank == 0 ? k : 0], gap, t);
        p->n_together += m.rank == 0;
    }
    free(m.buffer);
    return error;
}
