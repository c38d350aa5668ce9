/* Latencies of all pairs: the log to the byte, what is refused, the tournament, the hierarchy. */
#include "measure/pairs/pairs.h"
#include "base/topology.h"
#include "made_graphs.h"
#include "measure/pairs/choose.h"
#include "measure/pairs/log.h"
#include "measure/pairs/slow.h"
#include "results/documents.h"

/* The log printed in the paper (PetaSHA), byte for byte. */
static const char paper_log[] = "# Testing Hostname: tg-login4\n"
                                "# Processors: 4 MsgLen 64 Repeats: 100\n"
                                "# ProcName1:rank   ProcName2:rank   AvgCommTime(usecs) StdDev\n"
                                "nid00670 000   nid00670 000           0.00   0.00\n"
                                "nid00670 000   nid00670 001          10.44   0.12\n"
                                "nid00670 000   nid00671 002          20.07   0.09\n"
                                "nid00670 000   nid00671 003          24.34   0.14\n"
                                "nid00670 001   nid00670 001           0.00   0.00\n"
                                "nid00670 001   nid00671 002          23.20   0.09\n"
                                "nid00670 001   nid00671 003          22.72   0.23\n"
                                "nid00671 002   nid00671 002           0.00   0.00\n"
                                "nid00671 002   nid00671 003          11.44   0.14\n"
                                "nid00671 003   nid00671 003           0.00   0.00\n";

static bool read_text(const char *text, struct pairs *p, char *why, size_t size)
{
    FILE *in = fmemopen((void *)text, strlen(text), "r");
    bool good = pairs_log_read(in, p, why, size);
    fclose(in);
    return good;
}

/* A log of the original tool is read, and what we write in its columns is the same to the byte. */
Test(pairs, paper_log_to_the_byte)
{
    struct pairs p;
    char why[256] = "";
    cr_assert(read_text(paper_log, &p, why, sizeof why), "%s", why);
    cr_assert_eq(p.n, 4);
    cr_assert_eq(p.size[0].bytes, 64);
    cr_assert_eq(p.size[0].repeats, 100);
    cr_assert_float_eq(p.size[0].of[PAIRS_MEAN][1 * 4 + 3], 22.72e-6, 1e-12);
    cr_assert_float_eq(p.size[0].of[PAIRS_MEAN][3 * 4 + 1], 22.72e-6, 1e-12);
    cr_assert_float_eq(p.size[0].of[PAIRS_SD][1 * 4 + 3], 0.23e-6, 1e-12);
    cr_assert(!pairs_all_known(&p, PAIRS_SEND) && !pairs_all_known(&p, PAIRS_MEDIAN));
    cr_assert_str_eq(p.host[2], "nid00671");
    FREED char *text = WRITTEN(pairs_log_write(&p, out));
    cr_assert_str_eq(text, paper_log);
    pairs_free(&p);
}

static struct pairs made_up(int n, bool with_send)
{
    struct pairs p;
    cr_assert(pairs_new(&p, n));
    snprintf(p.system, sizeof p.system, "here");
    for (int i = 0; i < n; i++)
        cr_assert(pairs_set_host(&p, i, i < n / 2 ? "left" : "right"));
    for (size_t bytes = 64; bytes <= 65536; bytes *= 32) {
        struct pairs_size *s = pairs_add_size(&p, bytes, 10);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                size_t k = (size_t)(i * n + j);
                if (i == j)
                    continue;
                bool near = i / (n / 2) == j / (n / 2);
                double one_way = (near ? 2e-6 : 50e-6) + (double)bytes / 1e9;
                s->of[PAIRS_MEAN][k] = s->of[PAIRS_MEDIAN][k] = s->of[PAIRS_MIN][k] = 2 * one_way;
                s->of[PAIRS_SD][k] = 1e-7;
                if (with_send) {
                    s->of[PAIRS_SEND][k] = i < j ? 1e-6 : 3e-6;
                    s->of[PAIRS_GAP][k] = (double)bytes / 1e9;
                    s->of[PAIRS_ONE_WAY][k] = one_way;
                    s->of[PAIRS_BOUND][k] = 0;
                }
            }
        }
    }
    if (with_send)
        pairs_find_clocks(&p);
    return p;
}

/* Logs of earlier versions had more columns, which are passed over, as are their last lines. */
Test(pairs, columns_behind_the_papers)
{
    struct pairs p;
    char why[256] = "";
    cr_assert(read_text("# Processors: 2 MsgLen 64 Repeats: 1\n"
                        "a 0 b 1 10.44 0.12 10.4 - 3 core\n#+ Order: alone\n",
                        &p, why, sizeof why),
              "%s", why);
    cr_assert_float_eq(p.size[0].of[PAIRS_MEAN][1], 10.44e-6, 1e-12);
    cr_assert_float_eq(p.size[0].of[PAIRS_SD][2], 0.12e-6, 1e-12);
    cr_assert(isnan(p.size[0].of[PAIRS_MEDIAN][1]));
    pairs_free(&p);
}

/* MPPTest prints halves of round trips among a plotter's commands, without a deviation. */
Test(pairs, logs_of_mpptest)
{
    static const char log[] = "set title \"Comm Perf for MPI (a) type blocking\"\n\n"
                              "#p0\tp1\tdist\tlen\tave time (us)\trate\n"
                              "0\t1\t1\t0\t2.5\t0.0\n0\t1\t1\t32\t3.25\t9.8e6\n"
                              "0\t2\t2\t0\t5.0\t0.0\n2\t0\t2\t32\t6.5\t4.9e6\n"
                              "1\t2\t1\t0\t2.5\t0.0\n1\t2\t1\t32\t4\t8e6\nplot '-'\n";
    struct pairs p;
    char why[256] = "", less[sizeof log];
    cr_assert(read_text(log, &p, why, sizeof why), "%s", why);
    cr_assert(p.n == 3 && p.n_sizes == 2 && p.size[1].bytes == 32);
    cr_assert_float_eq(p.size[0].of[PAIRS_MEAN][pairs_cell(&p, 1, 0)], 5e-6, 1e-12);
    cr_assert_float_eq(p.size[1].of[PAIRS_MEAN][pairs_cell(&p, 0, 2)], 13e-6, 1e-12);
    cr_assert(isnan(p.size[0].of[PAIRS_SD][1]), "none is in the log");
    pairs_free(&p);
    memcpy(less, log, sizeof less);
    *strstr(less, "1\t2\t1\t32") = '\0';
    cr_assert(!read_text(less, &p, why, sizeof why));
    cr_assert_str_eq(why, "the pair of ranks 1 and 2 is missing (32 bytes)");
    cr_assert(!read_text("#p0\tp1\tdist\tlen\n0 1 1 8 2.5 0\n1 0 1 8 3 0\n", &p, why, sizeof why));
    cr_assert_str_eq(why, "line 3: this pair of ranks occurs a second time");
    cr_assert(!read_text("#p0\tp1\tdist\tlen\n0 1 1 8 0 0\n", &p, why, sizeof why));
    cr_assert(!read_text("#p0\tp1\tdist\tlen\n0 70000 1 8 1 0\n", &p, why, sizeof why));
}

/* L is what both calls leave of the way, by half a round trip where clocks leave it open; where
 * they leave nothing, or the send waits for its receiver, it is not known. */
Test(pairs, loggp_of_a_pair)
{
    struct pairs p = made_up(4, true);
    struct pairs_size *s = &p.size[0];
    cr_assert(isnan(pairs_loggp(&p, 0, 2).latency), "the receive call was not looked at");
    s->of[PAIRS_RENDEZVOUS][2] = s->of[PAIRS_RENDEZVOUS][1] = s->of[PAIRS_RENDEZVOUS][8] = 0;
    s->of[PAIRS_RECEIVE][2] = s->of[PAIRS_RECEIVE][8] = 4e-6;
    s->of[PAIRS_RECEIVE][1] = 2e-6;
    cr_assert_float_eq(pairs_loggp(&p, 0, 2).latency, 45.064e-6, 1e-12);
    cr_assert_float_eq(pairs_loggp(&p, 0, 2).per_byte, 1e-9, 1e-15);
    cr_assert(isnan(pairs_loggp(&p, 0, 1).latency), "less than nothing");
    s->of[PAIRS_ONE_WAY][8] = 1, s->of[PAIRS_BOUND][8] = 1e-6;
    cr_assert_float_eq(pairs_loggp(&p, 2, 0).latency, 43.064e-6, 1e-12);
    s->of[PAIRS_RECEIVE][8] = 0.8 * s->of[PAIRS_MIN][8];
    cr_assert(!pairs_protocol(&p, 0, 2, 0) && !pairs_protocol(&p, 0, 0, 2), "eager, or pulled");
    s->of[PAIRS_RECEIVE][8] = 0.95 * s->of[PAIRS_MIN][8];
    cr_assert_str_eq(pairs_protocol(&p, 0, 2, 0), "pull");
    cr_assert_str_eq(pairs_protocol(&p, 0, 0, 2), "pull", "of a pair, not of a direction");
    cr_assert(isnan(pairs_loggp(&p, 2, 0).latency));
    s->of[PAIRS_RENDEZVOUS][2] = 1;
    cr_assert(isnan(pairs_loggp(&p, 0, 2).latency), "no message was there");
    p.n_sizes = 1;
    cr_assert(isnan(pairs_loggp(&p, 0, 2).per_byte));
    p.n_sizes = 3;
    pairs_free(&p);
}

#define SIX_PAIRS                                                                                  \
    "a 0 b 1 10 0\na 0 b 2 10 0\na 0 b 3 10 0\na 1 b 2 10 0\na 1 b 3 10 0\na 2 b 3 10 0\n"

#define HEAD(n) "line " #n ": expected '# Processors: N MsgLen BYTES Repeats: M'"
#define ROW(n) "line " #n ": expected two ranks of the block and times above 0"
#define LAST "nid00671 003           0.00   0.00\n"

/* The paper's log with one thing wrong: the line is named, nothing is kept. */
Test(pairs, malformed_logs_name_the_line)
{
    static const struct {
        const char *find, *replace, *why;
    } wrong[] = {
        {"Processors: 4", "Processors: four", HEAD(2)},
        {"Processors: 4", "Processors: 0", HEAD(2)},
        {"# Processors: 4 MsgLen 64 Repeats: 100\n", "", HEAD(3)},
        {"Processors: 4", "Processors: 3", ROW(7)},
        {"Processors: 4", "Processors: 5", "the pair of ranks 0 and 4 is missing (64 bytes)"},
        {"  10.44   0.12", "  10.44", ROW(5)},
        {"10.44", "ten", ROW(5)},
        {"10.44", "-3.0", ROW(5)},
        {"10.44   0.12", "10.44  -0.12", ROW(5)},
        {"10.44", "nan", ROW(5)},
        {"nid00671 002   nid00671 003          11.44   0.14\n", "",
         "the pair of ranks 2 and 3 is missing (64 bytes)"},
        {"nid00671 002   nid00671 003 ", "nid00670 000   nid00670 001 ",
         "line 12: this pair of ranks occurs a second time"},
        {"Processors: 4", "Processors: 8192", "too few lines for all pairs of 8192 ranks"},
        {"MsgLen 64", "MsgLen -64", HEAD(2)},
        {LAST, LAST "# Processors: 4 MsgLen 64 Repeats: 100\n" SIX_PAIRS,
         "line 15: this pair of ranks occurs a second time"},
        {LAST, LAST "# Processors: 3 MsgLen 8 Repeats: 100\n" SIX_PAIRS, ROW(17)},
    };
    struct pairs p;
    char text[2000], why[256];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *at = strstr(paper_log, wrong[i].find);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - paper_log), paper_log, wrong[i].replace,
                 at + strlen(wrong[i].find));
        cr_assert_not(read_text(text, &p, why, sizeof why), "case %zu", i);
        cr_assert_str_eq(why, wrong[i].why);
        cr_assert_null(p.host);
    }
    cr_assert_not(read_text("hello\n", &p, why, sizeof why));
    cr_assert_not(pairs_log_load("/no/such/log", &p, why, sizeof why));
    cr_assert_str_eq(why, "/no/such/log: No such file or directory");
}

/* P - 1 rounds (P if odd) in which everybody meets everybody exactly once, and partners agree. */
Test(pairs, tournament_meets_all_once)
{
    for (int n = 1; n <= 65; n++) {
        int *met = calloc((size_t)(n * n), sizeof *met);
        cr_assert_eq(pairs_rounds(n), n < 2 ? 0 : n % 2 ? n : n - 1);
        for (int r = 0; r < pairs_rounds(n); r++) {
            for (int i = 0; i < n; i++) {
                int j = pairs_partner(i, r, n);
                if (j < 0)
                    continue;
                cr_assert(j < n && j != i && pairs_partner(j, r, n) == i);
                met[i * n + j]++;
            }
        }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                cr_assert_eq(met[i * n + j], i != j, "%d: %d and %d", n, i, j);
        free(met);
    }
}

/* Of the edge from I to J; NAN: whatever it is. */
static void expect_edge(const struct pairs *p, size_t bytes, bool segment, int i, int j,
                        double cost, double d)
{
    struct graph g;
    cr_assert(pairs_graph(p, 0, bytes, segment, 0, &g));
    cr_assert(isnan(cost) || fabs(graph_cost(&g, i, j) / cost - 1) <= 3e-4, "%g",
              graph_cost(&g, i, j));
    cr_assert(isnan(d) || fabs(graph_edge(&g, i, j)->d / d - 1) <= 5e-4, "%g",
              graph_edge(&g, i, j)->d);
    graph_free(&g);
}

/* D + w is half a round trip; D differs by direction with the send call and is no less than the
 * gap, which is all of it for a segment; beyond the largest size the bandwidth counts. A log
 * without send calls takes half of the shortest latency. */
Test(pairs, graph_of_latencies)
{
    struct pairs p = made_up(4, true);
    expect_edge(&p, 64, false, 0, 1, 2.064e-6, 1e-6);
    expect_edge(&p, 64, false, 3, 0, NAN, 3e-6);
    expect_edge(&p, 64, false, 3, 2, 2.064e-6, 2.064e-6);
    expect_edge(&p, 1056, false, 0, 1, 3.056e-6, NAN); /* not one of those measured */
    expect_edge(&p, 2048, true, 0, 1, 4.048e-6, NAN);
    expect_edge(&p, 2048, true, 3, 0, NAN, 2.048e-6);
    expect_edge(&p, 1 << 20, false, 0, 3, 50e-6 + 1048576e-9, 1048576e-9);
    pairs_free(&p);
    p = made_up(4, false);
    expect_edge(&p, 64, false, 0, 3, NAN, 1.032e-6);
    p.n_sizes = 1;
    cr_expect_eq(pairs_bandwidth(&p, 0, 3), INFINITY);
    p.n_sizes = 3;
    cr_expect_eq(pairs_add_size(&p, 8, 10), &p.size[0], "in ascending order");
    cr_expect(isnan(p.size[0].of[PAIRS_MEAN][1]) && p.size[0].of[PAIRS_MEAN][5] == 0);
    pairs_free(&p);
}

/* Five ranks whose messages of 64 B take WAY, and smaller ones longer (of every seventh K shorter),
 * by clocks that are OFF, and move by DRIFT meanwhile. */
enum { CLOCKS = 5 };
static struct pairs by_clocks(double way[][CLOCKS], const double *off, const double *drift, int k)
{
    struct pairs p;
    cr_assert(pairs_new(&p, CLOCKS) && pairs_add_size(&p, 64, 1) && pairs_add_size(&p, 8, 1));
    p.slowdown = p.size[0].shared = p.size[1].shared = 1;
    memcpy(p.drift, drift, CLOCKS * sizeof *drift);
    for (int c = 0; c < 2 * CLOCKS * CLOCKS; c++) {
        const int s = c % 2, cell = c / 2, i = cell / CLOCKS, j = cell % CLOCKS;
        const bool differ = off[i] != off[j];
        const double factor = k % 7 ? 2 - s : (1 + s) / 2.0, there = factor * way[i][j],
                     trip = there + factor * way[j][i],
                     moved = differ ? (drift[i] + drift[j]) * sin(k * (j - i)) : 0;
        double *const *of = p.size[s].of;
        of[PAIRS_MEDIAN][cell] = of[PAIRS_MIN][cell] = trip;
        of[PAIRS_SEND][cell] = k % 5 ? 1e-9 : (k % 2 ? 1.5 : 0.8) * there;
        of[PAIRS_GAP][cell] = there / 2;
        of[PAIRS_BOUND][cell] = differ ? 2e-3 : 0;
        of[PAIRS_ONE_WAY][cell] = there + off[j] - off[i] + moved;
    }
    pairs_find_clocks(&p);
    return p;
}

/* Clocks off by anything, of two ranks each in half of the cases, which drift in two thirds: the
 * interval of a tree from any root contains what exact clocks show, and no message is faster than
 * its gap. */
Test(pairs, one_way_as_far_as_clocks_know)
{
    char why[128];
    for (int k = 0; k < 3000; k++) {
        struct choice c;
        double way[CLOCKS][CLOCKS], off[CLOCKS], drift[CLOCKS], none[CLOCKS] = {0};
        const bool chain = k / 2 % 2;
        const size_t bytes = k % 7 ? 64 : 128; /* or more than was measured */
        for (int i = 0; i < CLOCKS; i++) {
            off[i] = k % 2 && i % 2 ? off[i - 1] : random_between(-1e-3, 1e-3);
            drift[i] = k % 3 ? random_between(0, 5e-5) : 0;
            for (int j = 0; j < CLOCKS; j++)
                way[i][j] = i == j                       ? 0
                            : random_between(0, 1) < 0.3 ? 1e-6
                                                         : random_between(1e-6, 1e-4);
        }
        struct pairs exact = by_clocks(way, none, none, k), p = by_clocks(way, off, drift, k);
        cr_assert(choice_find_schedules(
            &p, k % CLOCKS, bytes, chain ? &tree_chain : &tree_grid_paper, 0, &c, why, sizeof why));
        struct estimate e = schedule_predict_interval(&p, bytes, c.s, false);
        double truth = schedule_predict_interval(&exact, bytes, c.s, false).value;
        cr_expect(e.low <= truth && truth <= e.high && (!chain || e.low > 0.49 * truth),
                  "%d: %g to %g, not %g", k, e.low, e.high, truth);
        cr_expect(e.low <= e.value && e.value <= e.high);
        struct estimate back = schedule_predict_interval(&p, bytes, c.s, true);
        truth = schedule_predict_interval(&exact, bytes, c.s, true).value;
        cr_expect(back.low <= truth && truth <= back.high, "%d: acknowledged", k);
        cr_expect(!chain || k % 3 || k % 5 == 0 || back.high < 1.01 * back.low, "%d: clocks cancel",
                  k);
        cr_expect(pairs_ahead(&p, 0, 2) <= way[0][2] + off[2] - off[0] + 2 * (drift[0] + drift[2]));
        choice_free(&c);
        pairs_free(&p);
        pairs_free(&exact);
    }
}

/* A clock that changes its rate while pairs are measured makes a message and its answer, each by
 * the two clocks, shorter than nothing: then nothing is said of any difference of clocks. */
Test(pairs, clocks_that_contradict_each_other)
{
    struct pairs p = made_up(4, true);
    struct schedule s;
    for (int k = 0; k < 16; k++)
        p.size[0].of[PAIRS_BOUND][k] = k % 5 ? 1e-3 : 0;
    p.size[0].of[PAIRS_ONE_WAY][1] = -60e-6;
    pairs_find_clocks(&p);
    cr_expect(isnan(p.size[0].of[PAIRS_ONE_WAY][2]) && isnan(p.size[1].of[PAIRS_BOUND][14]));
    cr_assert(schedule_new(&s, 4, 0));
    p.slowdown = 1;
    cr_expect_str_eq(schedule_unknown(&p, 8, &s), "the rate of a clock changed");
    schedule_free(&s);
    pairs_free(&p);
}

/* Schedules in the order of what is predicted of them, of large messages also in segments; what is
 * asked for by name is that. A prediction is known where pairs share nothing, with an error by what
 * it rests on. */
Test(pairs, choice_of_all_trees)
{
    struct pairs p = made_up(4, true);
    struct choice c;
    char why[128];
    cr_assert(choice_find_schedules(&p, 0, 1 << 20, &tree_grid, SIZE_MAX, &c, why, sizeof why),
              "%s", why);
    cr_assert_gt(c.n, 20);
    for (int i = 1; i < c.n; i++)
        cr_assert_geq(c.s[i].completion, c.s[i - 1].completion);
    struct schedule *s = &c.s[0];
    cr_assert(s->segment > 0, "the quickest is in segments");
    cr_assert_eq(strncmp(s->name, "grid (", 6), 0, "%s", s->name);
    p.slowdown = p.size[0].shared = p.size[1].shared = 1;
    struct estimate e = schedule_predict_interval(&p, 1 << 20, s, false);
    cr_assert(isnan(e.value) && isnan(e.high) && isnan(s->completion), "segments");
    choice_free(&c);
    cr_assert(choice_find_schedules(&p, 0, 64, &tree_binomial, 0, &c, why, sizeof why) && c.n == 1);
    cr_assert_str_eq(s->name, "binomial");
    e = schedule_predict_interval(&p, 64, s, false);
    double error = e.value / e.low;
    cr_assert(e.value == s->completion && error > 1);
    cr_assert(e.high > error * e.value && e.high < 1.1 * error * e.value, "messages in a row");
    p.size[0].of[PAIRS_MIN][1] /= 8;
    e = schedule_predict_interval(&p, 64, s, false);
    cr_assert_float_eq(e.value / e.low, error * pow(8, 1 / 36.0), 1e-9, "one of 36 varied");
    p.slowdown = 1.1;
    cr_assert_float_eq(e.low / schedule_predict_interval(&p, 64, s, false).low, 1.1, 1e-9,
                       "among others");
    p.size[0].shared = 1.2;
    cr_assert_float_eq(e.low / schedule_predict_interval(&p, 64, s, false).low, 1.1 * 1.2, 1e-9,
                       "further");
    p.size[0].shared = 1;
    p.size[1].shared = 1.3;
    cr_assert(isnan(schedule_predict_interval(&p, 65, s, false).value), "between two sizes");
    p.size[0].shared = 0;
    cr_assert(schedule_unknown(&p, 64, s), "not tested");
    p.slowdown = 2;
    p.size[0].shared = 1;
    e = schedule_predict_interval(&p, 64, s, false);
    cr_assert(isnan(e.value) && isnan(e.low) && isnan(s->completion) && isnan(s->arrival[3]));
    choice_free(&c);
    cr_assert(choice_find_schedules(&p, 0, 64, &tree_chain, 0, &c, why, sizeof why) && c.n == 1);
    p.size[0].shared = 2 * (p.slowdown = 1);
    e = schedule_predict_interval(&p, 64, s, false);
    cr_assert_float_eq(e.value, s->completion, 1e-12, "one message at a time");
    for (p.slowdown = 0; p.slowdown <= 2; p.slowdown += 2) /* a log does not show it */
        cr_assert(isnan(schedule_predict_interval(&p, 64, s, false).value), "a shared processor");
    choice_free(&c);
    cr_assert_not(choice_find_schedules(&p, 4, 64, &tree_grid, 0, &c, why, sizeof why));
    cr_assert_str_eq(why, "root 4 is out of range: expected 0 to 3");
    pairs_free(&p);
}

/* Ranks on N hosts, two each: 1 us within a host, 10 us between them, and a little noise. */
static struct pairs alike(int n)
{
    struct pairs p;
    cr_assert(pairs_new(&p, n));
    struct pairs_size *s = pairs_add_size(&p, 64, 1);
    for (int i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "h%d", i / 2);
        cr_assert(pairs_set_host(&p, i, name));
        for (int j = 0; j < n; j++)
            if (j != i)
                s->of[PAIRS_MIN][pairs_cell(&p, i, j)] =
                    (i / 2 == j / 2 ? 1e-6 : 10e-6) * (1 + 0.01 * ((i + j) % 3));
    }
    return p;
}

static void set(struct pairs *p, int i, int j, double factor)
{
    p->size[0].of[PAIRS_MIN][pairs_cell(p, i, j)] *= factor;
    p->size[0].of[PAIRS_MIN][pairs_cell(p, j, i)] *= factor;
}

/* How many are slow by 1.5, and the first two of them. */
static size_t slow_of(const struct pairs *p, struct slow first[2])
{
    size_t n;
    struct slow *slow = pairs_slow(p, 1.5, &n);
    memcpy(first, slow, (n < 2 ? n : 2) * sizeof *slow);
    free(slow);
    return n;
}

Test(pairs, what_is_slow_is_named_once)
{
    struct slow slow[2];
    struct pairs p = alike(8);
    cr_assert_eq(slow_of(&p, slow), 0);
    set(&p, 1, 6, 3);
    cr_assert_eq(slow_of(&p, slow), 1);
    cr_assert(slow[0].kind == SLOW_PAIR && slow[0].a == 1 && slow[0].b == 6);
    cr_assert_float_eq(slow[0].factor, 3, 0.1);
    for (int j = 0; j < 8; j++) /* its own host is no evidence */
        if (j / 2 != 1)
            set(&p, 2, j, 4);
    cr_assert_eq(slow_of(&p, slow), 2);
    cr_assert(slow[0].kind == SLOW_RANK && slow[0].a == 2 && slow[1].kind == SLOW_PAIR);
    cr_assert_float_eq(slow[0].factor, 4, 0.1);
    for (int j = 0; j < 8; j++)
        if (j / 2 != 1)
            set(&p, 3, j, 4);
    cr_assert_eq(slow_of(&p, slow), 1, "not its ranks, and the pair is usual among so many");
    cr_assert(slow[0].kind == SLOW_HOST && slow[0].a == 2, "both ranks: the host");
    pairs_free(&p);
}

/* A small site far from a large one is not slow, nor are the pairs between the two. */
Test(pairs, distance_is_not_slowness)
{
    struct slow slow[2];
    struct pairs p = alike(12);
    for (int i = 8; i < 12; i++)
        for (int j = 0; j < 8; j++)
            set(&p, i, j, 100);
    cr_assert_eq(slow_of(&p, slow), 0);
    for (int i = 8; i < 10; i++)
        for (int j = 10; j < 12; j++)
            set(&p, i, j, 5);
    cr_assert_eq(slow_of(&p, slow), 0, "slower links within the site");
    pairs_free(&p);
    p = alike(12);
    for (int i = 8; i < 10; i++)
        for (int j = 10; j < 12; j++)
            set(&p, i, j, 0.2);
    for (int j = 2; j < 8; j++)
        set(&p, 0, j, 10);
    cr_assert_eq(slow_of(&p, slow), 0, "near faster ranks alone, and as fast as most");
    pairs_free(&p);
}

/* The table has every rank once, the root first, and its children in the order of sending. */
Test(pairs, schedule_drawn_as_a_tree)
{
    struct graph g = uniform(4, 1e-6, 0.5e-6);
    g.edge[0 * 4 + 3].w = 9e-6;
    struct schedule s = tree(&g, (const int[]){-1, 0, 0, 0});
    struct document *d RELEASED(document_end) = document_new("test/1");
    schedule_document(&s, NULL, d);
    FREED char *text = WRITTEN(document_write(d, out, FORMAT_TEXT));
    static const char *const rows[] = {"0.00  0", "9.50  |- 3", "2.00  |- 1", "2.50  `- 2"};
    const char *at = text;
    for (int i = 0; i < 4; i++)
        cr_assert((at = strstr(at, rows[i])), "no '%s' in %s", rows[i], text);
    schedule_free(&s);
    graph_free(&g);
}
