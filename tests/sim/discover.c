/* A broadcast's path, found from outside, against the known one.
 *
 * usage: discover --sizes=BYTES ALGORITHM=SHAPE[/SHAPE]...
 *
 * Protects that the shape is found, and for our own algorithms that every parent is right, for
 * the first and another root (SHAPE after the slash). The simulator's own algorithms are judged by
 * their shape. */
#include "measure/latency/discover.h"
#include "bench.h"

#include <stdlib.h>
#include <string.h>

struct test {
    struct bench bench;
    char *buffer;
    char *wanted[16];
    int n_wanted, failures;
};

/* The parent of ME, both counted from the root; -2: not known. */
static int known_parent(const char *algorithm, int me, int size)
{
    if (strcmp(algorithm, "binomial") == 0)
        return me & (me - 1);
    if (strcmp(algorithm, "linear") == 0 || strcmp(algorithm, "chain") == 0)
        return me - 1;
    if (strcmp(algorithm, "backward") == 0)
        return (me + 1) % size;
    return strcmp(algorithm, "flat") == 0 ? 0 : -2;
}

static void judge(struct test *t, const struct discovery *d, const char *algorithm,
                  const char *shape)
{
    bool has_tree = d->parent[(d->root + 1) % d->size] >= 0;
    printf("%3d ranks, root %2d, %zu bytes: %-9s %-13s", d->size, d->root, t->bench.sizes.min,
           algorithm, discover_shape_name(d->shape));
    for (int i = 0; has_tree && i < d->size; i++)
        printf(" %d", d->parent[i]);
    printf("\n");
    if (strcmp(discover_shape_name(d->shape), shape) != 0) {
        t->failures++;
        printf("FAILED: %s was expected\n", shape);
        for (int i = 0; i < d->size; i++, printf("\n"))
            for (int j = 0; j < d->size; j++)
                printf("%d", d->depends[i * d->size + j]);
    }
    for (int me = 1; has_tree && me < d->size; me++) {
        int known = known_parent(algorithm, me, d->size), i = (me + d->root) % d->size;
        if (known >= 0 && d->parent[i] != (known + d->root) % d->size) {
            t->failures++;
            printf("FAILED: the parent of %d is %d, found %d\n", i, (known + d->root) % d->size,
                   d->parent[i]);
        }
    }
}

static void discover(struct test *t, const char *algorithm, const char *shape, int root)
{
    struct discovery d;
    struct broadcast b = {.bcast = bcast_find(algorithm),
                          .buffer = t->buffer,
                          .count = (int)t->bench.sizes.min,
                          .type = MPI_BYTE,
                          .root = root,
                          .comm = t->bench.comm};
    struct latency_case c = broadcast_case(&b);
    if (discover_broadcast(&c, &d) != MPI_SUCCESS) {
        t->failures++;
        return;
    }
    if (d.size > 0)
        judge(t, &d, algorithm, shape);
    discovery_free(&d);
}

static error_t take_word(struct option_parser *parser, void *options, char *word)
{
    struct test *t = options;
    if (!strchr(word, '=') || t->n_wanted == 16)
        return option_refuse(parser, "unexpected argument '%s'", word);
    t->wanted[t->n_wanted++] = word;
    return 0;
}

int main(int argc, char **argv)
{
    static const struct option_program program = {.word = take_word};
    struct test t = {.n_wanted = 0};
    bench_begin(&t.bench, &argc, &argv, MPI_THREAD_SINGLE, &program);
    t.buffer = calloc(1, t.bench.sizes.min + 1);
    for (int k = 0; k < t.n_wanted; k++) {
        char *algorithm = t.wanted[k], *shape = strchr(algorithm, '='), *other;
        *shape++ = '\0';
        other = strchr(shape, '/');
        if (other)
            *other++ = '\0';
        discover(&t, algorithm, shape, 0);
        discover(&t, algorithm, other ? other : shape, t.bench.size - 2);
    }
    free(t.buffer);
    bench_finish(&t.bench, NULL, t.failures ? 3 : 0);
}
