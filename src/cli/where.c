/* collprof where: why a run does not progress, whether it is running or has ended. */
#include "cli/cli.h"

#include "document/json.h"
#include "report/report.h"
#include "verdict/text.h"

#include <stdlib.h>
#include <time.h>

struct asking {
    const char *directory; /* NULL: CLI_DIRECTORY */
    int format;
    bool stack;
};

static const char *const formats[] = {"text", "json", NULL};

static const struct option_entry entries[] = {
    {"format", 0, "FORMAT", "text or json", 0, option_take_word, offsetof(struct asking, format),
     OPTION_WORDS(formats)},
    {"stack", 0, NULL,
     "the stacks of ranks outside of MPI, whose processes are stopped for that moment", 0,
     option_take_flag, offsetof(struct asking, stack), NULL},
    {0}};

static const struct option_program program = {
    .does = "Shows where the run in DIR (collprof.out) is stuck, and which ranks are at fault: the "
            "call of each rank, and the ranks that it waits for. The run may still be running or "
            "have ended: only the records of its ranks are read, "
            "unless --stack is given.",
    .options = entries,
    .word = cli_take_directory,
    .arguments = "[DIR]"};

/* Adds {"rank", "frames"} for ranks of this host that are outside of MPI. */
static void add_stacks(json_t *value, const struct evidence *e)
{
    enum { MOST = 8 };
    json_t *list = json_array();
    for (size_t i = 0; i < e->s->n_ranks && json_array_size(list) < MOST; i++) {
        const struct evidence_rank *r = &e->rank[i];
        json_t *frames =
            r->alive && !r->other_host && r->outside ? profile_stack((pid_t)r->pid) : NULL;
        if (frames)
            json_push(list, json_pack("{s:i, s:o}", "rank", (int)i, "frames", frames));
    }
    json_put(value, "stacks", list);
}

static void write_stacks(const json_t *value)
{
    const json_t *stack, *frame;
    size_t i, k;
    json_array_foreach(json_object_get(value, "stacks"), i, stack)
    {
        printf("stack of rank %d\n", (int)json_integer_value(json_object_get(stack, "rank")));
        json_array_foreach(json_object_get(stack, "frames"), k, frame)
            printf("  %s\n", json_string_value(frame));
    }
}

int cli_where(int argc, char **argv)
{
    struct asking w = {.directory = NULL};
    struct option_parser parser = {.program = &program, .name = argv[0], .values = &w};
    cli_parse(&parser, argc, argv);
    const char *directory = w.directory ? w.directory : CLI_DIRECTORY;
    char *newest = runs_unlinked(directory);
    struct evidence *e = evidence_now(newest ? newest : directory, VERDICT_SETTLED);
    free(newest);
    if (!e)
        return STATUS_FAILED;
    json_t *value = verdict_json_of(e);
    if (w.stack)
        add_stacks(value, e);
    if (w.format == 1)
        json_write(json_incref(value), stdout, true);
    else {
        verdict_write(value, stdout, "collprof where: ", (size_t)report_width(stdout));
        write_stacks(value);
    }
    json_decref(value);
    evidence_free(e);
    return cli_flush() ? STATUS_GOOD : STATUS_FAILED;
}
