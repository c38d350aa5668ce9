/* collbench-bcast: broadcasts, measured by every method. */
#include "latency_bench.h"
#include "measure/buffer.h"
#include "measure/latency/broadcast.h"

#include <stddef.h>
#include <stdlib.h>

static error_t check_together(struct option_parser *parser, void *options)
{
    struct latency_options *o = options;
    bool ring = false, suite = false;
    if (o->things.n == 0)
        option_choose(NULL, &bench_algorithms, "native", &o->things);
    latency_choose(o);
    for (size_t i = 0; i < o->n_methods; i++) {
        ring = ring || o->method[i] == latency_method_find("ring-barrier");
        suite = suite || o->method[i]->meaning == MEANS_SUITE;
    }
    if (o->fresh && suite)
        return option_refuse(parser, "--fresh: the loops of other suites broadcast the same data "
                                     "again and again: leave one out");
    if (o->ring_bytes && !ring)
        return option_refuse(
            parser, "--ring-size applies only to the method ring-barrier: add it to --method");
    return bench_check_ranks(parser, &o->bench, "a broadcast", o->root);
}

static const struct option_entry option_list[] = {
    LATENCY_OPTIONS,
    LATENCY_OPTION("algorithm", "LIST",
                   "the broadcasts to measure, or all; native (default) is the library's MPI_Bcast",
                   1, option_take_list, things, &bench_algorithms),
    LATENCY_OPTION("destinations", NULL, "add a table of the latency to each destination", 2,
                   option_take_flag, by_pair, NULL),
    LATENCY_OPTION("fresh", NULL,
                   "the root rewrites its data before every broadcast, as an application does",
                   1 | OPTION_RARE, option_take_flag, fresh, NULL),
    {0}};

static const struct option_program program = {
    "Measures how long one MPI broadcast takes, by the methods of de Supinski and Karonis, of OSU, "
    "IMB and ReproMPI, and by two of its own.",
    .options = option_list,
    .listed = (const struct option_registry *const[]){&latency_registry, &bench_algorithms, NULL},
    .check = check_together};

struct broadcasts {
    const struct latency_options *o;
    struct broadcast data;
};

static const char *name_of(const void *arg, size_t which)
{
    return bcasts[((const struct broadcasts *)arg)->o->things.at[which]]->name;
}

static bool prepare(void *arg, const struct bench_point *p, MPI_Comm comm, struct latency_case *c)
{
    struct broadcasts *b = arg;
    b->data = (struct broadcast){.bcast = bcasts[b->o->things.at[p->which]],
                                 .buffer = buffer_new(p->bytes),
                                 .count = (int)p->bytes,
                                 .type = MPI_BYTE,
                                 .root = b->o->root,
                                 .comm = comm,
                                 .fresh = b->o->fresh};
    *c = broadcast_case(&b->data);
    return b->data.buffer;
}

static void release(void *arg)
{
    free(((struct broadcasts *)arg)->data.buffer);
}

int main(int argc, char **argv)
{
    static struct latency_options o;
    static const struct latency_things things = {.schema = "collbench-bcast/4",
                                                 .name = "algorithm",
                                                 .name_of = name_of,
                                                 .broadcasts = true,
                                                 .prepare = prepare,
                                                 .release = release};
    latency_main(argc, argv, &program, &o, &things, &(struct broadcasts){.o = &o});
}
