#include "bench.h"

#include "base/clock.h"
#include "base/reason.h"
#include "bench_inner.h"
#include "document/save.h"
#include "picture/plot.h"
#include "results/launches.h"
#include "sync/local_clock.h"
#include "sync/politely.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void bench_wait(MPI_Comm comm)
{
    MPI_Request request;
    wait_politely(PMPI_Ibarrier(comm, &request), &request);
}

void bench_clocks(struct sync_clock *clock, MPI_Comm comm)
{
    sync_start(clock, comm, local_clock_options());
    sync_settle(clock, 4, 0.25);
    header_clocks(clock);
}

static bool needs_quotes(const char *word)
{
    return !*word || strpbrk(word, " \t\n\"'\\$&|;<>()*?[]#~`!{}");
}

static char *command_line(int argc, char **argv)
{
    char *line = NULL;
    size_t size;
    FILE *out = open_memstream(&line, &size);
    for (int i = 0; i < argc; i++) {
        const char *word = i ? argv[i] : basename(argv[0]);
        fprintf(out, needs_quotes(word) ? "%s'%s'" : "%s%s", i ? " " : "", word);
    }
    fclose(out);
    return line;
}

static void fill_defaults(struct bench *b)
{
    if (b->sizes.max == 0)
        b->sizes = (struct bench_range){.min = 8, .max = 64 << 10};
    if (b->ranks.max == 0)
        b->ranks = (struct bench_range){.min = (size_t)b->size, .max = (size_t)b->size};
    b->seed = -1;
    if (b->plan.repetitions == 0)
        b->plan = plan_default();
}

_Noreturn void bench_leave(int status)
{
    reason_tell(program_invocation_short_name);
    MPI_Finalize();
    exit(status);
}

int bench_worst(MPI_Comm comm, int status)
{
    int all = status;
    MPI_Allreduce(&status, &all, 1, MPI_INT, MPI_MAX, comm);
    return all;
}

/* Another order with every launch; a simulation is the same each time. */
static void choose_seed(struct bench *b)
{
    if (b->seed < 0)
        b->seed =
            clock_source == CLOCK_SOURCE_EXTERNAL || (b->without && strstr(b->without, "seed"))
                ? 0
                : 1 + (int)(((unsigned)time(NULL) ^ (unsigned)getpid() << 12) % 1000000);
    MPI_Bcast(&b->seed, 1, MPI_INT, 0, b->comm);
}

/* Before anything is measured: the launches so far have to be such. */
static bool append_possible(const struct bench *b)
{
    char why[1000] = "";
    if (!b->append)
        return true;
    json_t *all = json_array();
    if (b->format != FORMAT_JSON || !bench_is_file(b->output))
        snprintf(why, sizeof why, "--append is for JSON in a file: -o FILE would be right");
    else if (access(b->output, F_OK) == 0)
        launches_load(all, b->output, why, sizeof why);
    const char *schema = json_string_value(json_object_get(json_array_get(all, 0), "schema"));
    if (schema && strncmp(schema, b->program, strlen(b->program)) != 0)
        snprintf(why, sizeof why, "%s: it is of another program", b->output);
    json_decref(all);
    if (*why)
        reason_say(b->program, "%s", why);
    return !*why;
}

/* Those in the file before, and D, side by side. */
static void append(const struct bench *b, struct document *d)
{
    json_t *all = json_array(), *earlier;
    char why[1000] = "";
    if (access(b->output, F_OK) == 0)
        launches_load(all, b->output, why, sizeof why);
    earlier = json_copy(all);
    json_array_append_new(all, launches_of(d));
    const char *apart = *why ? NULL : launches_tell(all, d);
    if (apart)
        snprintf(why, sizeof why, "%s: %s", b->output, apart);
    if (*why)
        document_note(d, "%s: only this launch is shown", why);
    document_attach(d, "launches", earlier);
    json_decref(all);
}

/* 0: go on, 1: leave in peace (--help), 2: a wrong option. Every rank parses, rank 0 prints. */
static int parse_options(struct bench *b, int argc, char **argv, const struct argp *argp)
{
    unsigned flags = ARGP_NO_EXIT | ARGP_NO_HELP;
    if (b->rank)
        flags |= ARGP_NO_ERRS;
    argv[0] = (char *)b->program; /* getopt's own complaints begin with it */
    error_t error = argp_parse(argp, argc, argv, flags, NULL, b);
    if (error)
        return error == ECANCELED ? 1 : 2;
    if (b->rank == 0) {
        if (!append_possible(b))
            return 2;
        if (b->plot && (!plot_path_valid(b->plot) || !save_possible(b->plot)))
            return 2;
        if (!save_possible(b->output))
            return 2;
    }
    return 0;
}

void bench_start(struct bench *b, int *argc, char ***argv, int level, const struct argp *argp)
{
    int provided;
    bench_yield(*argc, *argv);
    MPI_Init_thread(argc, argv, level, &provided);
    local_clock_start();
    MPI_Comm_dup(MPI_COMM_WORLD, &b->comm);
    MPI_Comm_rank(b->comm, &b->rank);
    MPI_Comm_size(b->comm, &b->size);
    b->program = basename((*argv)[0]);
    b->command = command_line(*argc, *argv);
    fill_defaults(b);
    int status = bench_worst(b->comm, parse_options(b, *argc, *argv, argp));
    if (status)
        bench_leave(status == 1 ? 0 : 2);
    choose_seed(b);
    if (b->yield)
        clock_give_way();
    bench_watch();
    if (provided < level)
        bench_refuse(b, "this MPI library has no thread support of level %d: choose another",
                     level);
}

_Noreturn void bench_refuse(const struct bench *b, const char *format, ...)
{
    if (b->rank == 0) {
        va_list args;
        va_start(args, format);
        reason_say_list(b->program, format, args);
        va_end(args);
    }
    bench_leave(2);
}

_Noreturn void bench_finish(struct bench *b, struct document *d, int status)
{
    machine_judge(b, d);
    if (d && b->append)
        append(b, d);
    int failed = b->rank == 0 && d && !document_save_tables(d, b->output, b->format);
    failed = bench_worst(b->comm, failed);
    bench_keep_end(!failed);
    document_free(d);
    free(b->command);
    MPI_Comm_free(&b->comm);
    bench_leave(failed ? 1 : status);
}
