/* Heat in a plate, on any number of ranks: the bundled application that is profiled.
 *
 * The plate is cut into blocks, one per rank, on a grid of ranks. In each step every rank sends
 * its border cells to its four neighbours. Rows of cells travel while the inside of the block is
 * computed; columns, which are strided, are waited for at once: a profile shows the difference.
 * Rank 0 knows how hot the left edge is (it changes with time) and broadcasts it; the change from
 * step to step is reduced over all ranks, the heat of each band of the plate over its row of ranks.
 *
 * The checksum is a sum over integers made from each cell's place and bits, so it is the same for
 * any number of ranks, and any difference between two runs shows. */
#include <argp.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_UP, TAG_DOWN, TAG_LEFT, TAG_RIGHT, TAG_BAND };

/* What rank 0 reads from the command line and everyone needs. */
struct parameters {
    int columns, rows; /* cells of the whole plate */
    int steps;
    int every; /* steps between two looks at the residual */
    double conductivity;
    int slow_rank, slow_us; /* one rank computes this much longer in every step */
    int stop;               /* rank 0 has nothing to run: leave with this status - 1 */
};

struct block {
    int columns, rows;           /* own cells, without the frame of halo cells */
    int first_column, first_row; /* place in the plate */
    double *now, *next;          /* (rows + 2) x (columns + 2) */
};

struct plate {
    struct parameters p;
    int rank, size;
    int up, down, left, right; /* neighbours, MPI_PROC_NULL outside */
    int band;                  /* which row of ranks */
    int bands;
    MPI_Comm row;
    MPI_Datatype column_type;
    struct block b;
};

static const struct argp_option options[] = {
    {"columns", 'c', "N", 0, "cells from left to right (default 512)", 0},
    {"rows", 'r', "N", 0, "cells from top to bottom (default 512)", 0},
    {"steps", 's', "N", 0, "time steps (default 400)", 0},
    {"every", 'e', "N", 0, "steps between two looks at the residual (default 10)", 0},
    {"slow-rank", 'R', "R", 0, "rank R computes longer in every step, by --slow-us", 0},
    {"slow-us", 'u', "N", 0, "by how many microseconds (default 1000)", 0},
    {"help", '?', NULL, 0, "print this list", -1},
    {0}};

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct parameters *p = state->input;
    int *where = key == 'c'   ? &p->columns
                 : key == 'r' ? &p->rows
                 : key == 's' ? &p->steps
                 : key == 'e' ? &p->every
                 : key == 'R' ? &p->slow_rank
                              : &p->slow_us;
    int least = key == 'R' ? 0 : 1;
    char *end;
    long n;
    switch (key) {
    case 'c':
    case 'r':
    case 's':
    case 'e':
    case 'R':
    case 'u':
        n = strtol(text, &end, 10);
        if (end == text || *end || n < least || n > 1000000) {
            fprintf(stderr, "heat: -%c is '%s': a number from %d to 1000000 would be right\n", key,
                    text, least);
            return EINVAL;
        }
        *where = (int)n;
        return 0;
    case '?':
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP & ~(unsigned)ARGP_HELP_EXIT_OK);
        p->stop = 1;
        return 0;
    case ARGP_KEY_ARG:
        fprintf(stderr, "heat: '%s' is no option: see --help\n", text);
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static struct parameters read_parameters(int argc, char **argv, int rank)
{
    static const struct argp argp = {
        options, parse, NULL, "Spreads heat in a plate, on any number of MPI ranks.",
        NULL,    NULL,  NULL};
    struct parameters p = {.columns = 512,
                           .rows = 512,
                           .steps = 400,
                           .every = 10,
                           .conductivity = 0.2,
                           .slow_rank = -1,
                           .slow_us = 1000};
    if (rank == 0 && argp_parse(&argp, argc, argv, ARGP_NO_EXIT | ARGP_NO_HELP, NULL, &p))
        p.stop = 1 + 2;
    MPI_Bcast(&p, sizeof p, MPI_BYTE, 0, MPI_COMM_WORLD);
    return p;
}

/* The share of PART among PARTS of N cells: the first N % PARTS have one more. */
static int share(int n, int parts, int part, int *first)
{
    int extra = n % parts;
    *first = part * (n / parts) + (part < extra ? part : extra);
    return n / parts + (part < extra);
}

static double *cell(const struct block *b, double *field, int row, int column)
{
    return &field[(size_t)row * (size_t)(b->columns + 2) + (size_t)column];
}

/* False, on every rank alike, where some rank would have no cell. */
static bool take_place(struct plate *q)
{
    int dims[2] = {0, 0};
    MPI_Comm_rank(MPI_COMM_WORLD, &q->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &q->size);
    MPI_Dims_create(q->size, 2, dims);
    int bands = dims[0], across = dims[1];
    int band = q->rank / across, place = q->rank % across;
    q->band = band;
    q->bands = bands;
    q->up = band > 0 ? q->rank - across : MPI_PROC_NULL;
    q->down = band < bands - 1 ? q->rank + across : MPI_PROC_NULL;
    q->left = place > 0 ? q->rank - 1 : MPI_PROC_NULL;
    q->right = place < across - 1 ? q->rank + 1 : MPI_PROC_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, band, place, &q->row);
    q->b.rows = share(q->p.rows, bands, band, &q->b.first_row);
    q->b.columns = share(q->p.columns, across, place, &q->b.first_column);
    return q->p.rows >= bands && q->p.columns >= across;
}

static bool make_block(struct plate *q)
{
    struct block *b = &q->b;
    size_t cells = (size_t)(b->rows + 2) * (size_t)(b->columns + 2);
    b->now = calloc(cells, sizeof *b->now);
    b->next = calloc(cells, sizeof *b->next);
    MPI_Type_vector(b->rows, 1, b->columns + 2, MPI_DOUBLE, &q->column_type);
    MPI_Type_commit(&q->column_type);
    int ok = b->now && b->next, all;
    MPI_Allreduce(&ok, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all;
}

/* The left edge of the plate glows and fades; the other edges stay cold. */
static void heat_edge(struct plate *q, int step)
{
    double temperature = 0;
    if (q->rank == 0)
        temperature = 100 + 20 * sin(0.05 * step);
    MPI_Bcast(&temperature, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (q->left == MPI_PROC_NULL)
        for (int r = 1; r <= q->b.rows; r++)
            *cell(&q->b, q->b.now, r, 0) = temperature;
}

static void post_rows(struct plate *q, MPI_Request request[4])
{
    struct block *b = &q->b;
    MPI_Irecv(cell(b, b->now, 0, 1), b->columns, MPI_DOUBLE, q->up, TAG_DOWN, MPI_COMM_WORLD,
              &request[0]);
    MPI_Irecv(cell(b, b->now, b->rows + 1, 1), b->columns, MPI_DOUBLE, q->down, TAG_UP,
              MPI_COMM_WORLD, &request[1]);
    MPI_Isend(cell(b, b->now, 1, 1), b->columns, MPI_DOUBLE, q->up, TAG_UP, MPI_COMM_WORLD,
              &request[2]);
    MPI_Isend(cell(b, b->now, b->rows, 1), b->columns, MPI_DOUBLE, q->down, TAG_DOWN,
              MPI_COMM_WORLD, &request[3]);
}

static void exchange_columns(struct plate *q)
{
    struct block *b = &q->b;
    MPI_Request request[4];
    MPI_Irecv(cell(b, b->now, 1, 0), 1, q->column_type, q->left, TAG_RIGHT, MPI_COMM_WORLD,
              &request[0]);
    MPI_Irecv(cell(b, b->now, 1, b->columns + 1), 1, q->column_type, q->right, TAG_LEFT,
              MPI_COMM_WORLD, &request[1]);
    MPI_Isend(cell(b, b->now, 1, 1), 1, q->column_type, q->left, TAG_LEFT, MPI_COMM_WORLD,
              &request[2]);
    MPI_Isend(cell(b, b->now, 1, b->columns), 1, q->column_type, q->right, TAG_RIGHT,
              MPI_COMM_WORLD, &request[3]);
    for (int i = 0; i < 4; i++)
        MPI_Wait(&request[i], MPI_STATUS_IGNORE);
}

/* Computes the rows FROM to TO; returns the largest change. */
static double relax(struct plate *q, int from, int to)
{
    struct block *b = &q->b;
    double largest = 0;
    for (int r = from; r <= to; r++) {
        const double *above = cell(b, b->now, r - 1, 0), *here = cell(b, b->now, r, 0);
        const double *below = cell(b, b->now, r + 1, 0);
        double *next = cell(b, b->next, r, 0);
        for (int c = 1; c <= b->columns; c++) {
            double change =
                q->p.conductivity * (above[c] + below[c] + here[c - 1] + here[c + 1] - 4 * here[c]);
            next[c] = here[c] + change;
            largest = fmax(largest, fabs(change));
        }
    }
    return largest;
}

/* Computes for longer, to no end: a rank with more work or on a slower processor. */
static void be_slow(int microseconds)
{
    double end = MPI_Wtime() + 1e-6 * microseconds;
    while (MPI_Wtime() < end)
        ;
}

static double step(struct plate *q, int number)
{
    MPI_Request rows[4];
    MPI_Status statuses[4];
    if (number % q->p.every == 0)
        heat_edge(q, number);
    else if (q->left == MPI_PROC_NULL) /* the halo of the other field is older */
        for (int r = 1; r <= q->b.rows; r++)
            *cell(&q->b, q->b.now, r, 0) = *cell(&q->b, q->b.next, r, 0);
    post_rows(q, rows);
    exchange_columns(q);
    double inside = relax(q, 2, q->b.rows - 1);
    MPI_Waitall(4, rows, statuses);
    double edges = relax(q, 1, 1);
    if (q->b.rows > 1)
        edges = fmax(edges, relax(q, q->b.rows, q->b.rows));
    if (q->rank == q->p.slow_rank)
        be_slow(q->p.slow_us);
    double *swap = q->b.now;
    q->b.now = q->b.next;
    q->b.next = swap;
    return fmax(inside, edges);
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Sums the block, both as heat and for the checksum. */
static void sum_block(struct plate *q, double *heat, uint64_t *checksum)
{
    *heat = 0;
    *checksum = 0;
    for (int r = 1; r <= q->b.rows; r++)
        for (int c = 1; c <= q->b.columns; c++) {
            double value = *cell(&q->b, q->b.now, r, c);
            uint64_t bits,
                place = (uint64_t)(q->b.first_row + r) << 32 | (uint64_t)(q->b.first_column + c);
            memcpy(&bits, &value, sizeof bits);
            *checksum += mix(bits + mix(place));
            *heat += value;
        }
}

/* Rank 0 prints the mean temperature of each row of ranks, which its first rank knows. */
static void print_bands(struct plate *q, double heat)
{
    double band = 0;
    int rank_in_row, across;
    MPI_Comm_rank(q->row, &rank_in_row);
    MPI_Comm_size(q->row, &across);
    MPI_Reduce(&heat, &band, 1, MPI_DOUBLE, MPI_SUM, 0, q->row);
    if (rank_in_row != 0)
        return;
    band /= (double)q->p.columns * q->b.rows;
    if (q->rank != 0) {
        MPI_Send(&band, 1, MPI_DOUBLE, 0, TAG_BAND, MPI_COMM_WORLD);
        return;
    }
    printf("band 0 mean %.6f\n", band);
    for (int i = 1; i < q->bands; i++) {
        MPI_Recv(&band, 1, MPI_DOUBLE, i * across, TAG_BAND, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("band %d mean %.6f\n", i, band);
    }
}

static void run(struct plate *q)
{
    double start = MPI_Wtime(), residual = 0;
    for (int i = 0; i < q->p.steps; i++) {
        double change = step(q, i);
        if ((i + 1) % q->p.every == 0 || i + 1 == q->p.steps)
            MPI_Allreduce(&change, &residual, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    double seconds = MPI_Wtime() - start, heat;
    uint64_t mine, checksum = 0;
    sum_block(q, &heat, &mine);
    MPI_Reduce(&mine, &checksum, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    print_bands(q, heat);
    if (q->rank == 0) {
        printf("residual %.9f after %d steps\n", residual, q->p.steps);
        printf("checksum %016llx\n", (unsigned long long)checksum);
        printf("time %.3f s on %d ranks\n", seconds, q->size);
    }
}

int main(int argc, char **argv)
{
    struct plate q = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &q.rank);
    q.p = read_parameters(argc, argv, q.rank);
    int status = q.p.stop ? q.p.stop - 1 : 0;
    if (!q.p.stop) {
        if (take_place(&q) && make_block(&q))
            run(&q);
        else
            status = 1;
        if (status && q.rank == 0)
            fprintf(stderr,
                    "heat: no memory for the plate, or fewer cells than ranks either way\n");
        free(q.b.now);
        free(q.b.next);
        if (q.column_type)
            MPI_Type_free(&q.column_type);
        MPI_Comm_free(&q.row);
    }
    MPI_Finalize();
    return status;
}
