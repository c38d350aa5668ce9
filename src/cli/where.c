/* collprof where: why a run does not progress, or did not when it ended. */
#include "cli/cli.h"

#include "base/text.h"
#include "document/json.h"
#include "report/report.h"
#include "verdict/text.h"

#include <stdlib.h>

struct where_options {
    const char *directory; /* NULL: CLI_DIRECTORY */
    int format;
    bool stack;
};

static const char *const formats[] = {"text", "json", NULL};

static const struct option_entry entries[] = {
    {"format", "FORMAT", "text or json", option_take_word, offsetof(struct where_options, format),
     OPTION_WORDS(formats)},
    {"stack", NULL,
     "also show the stacks of ranks outside of MPI; this stops their processes for a moment",
     option_take_flag, offsetof(struct where_options, stack)},
    {0}};

static const struct option_program program = {
    .does = "Shows where the run in DIR (collprof.out) is stuck, and which ranks are at fault: the "
            "call of each rank, and the ranks that it waits for. The run may be running or have "
            "ended. Only records are read: without --stack no process is touched.",
    .options = entries,
    .word = cli_take_directory,
    .arguments = "[DIR]"};

/* Adds a note with the stack of each rank on this host that is outside of MPI, up to 8 ranks. */
static void add_stacks(json_t *notes, const struct situation *s)
{
    enum { MOST = 8 };
    for (size_t i = 0, n = 0; i < s->n_ranks && n < MOST; i++) {
        const struct rank_view *r = &s->rank[i];
        json_auto_t *frames =
            r->alive && !r->other_host && r->outside ? profile_stack((pid_t)r->pid) : NULL;
        const json_t *frame;
        char text[4000] = "";
        size_t k;
        json_array_foreach(frames, k, frame)
            text_add(text, sizeof text, "%s %s", k ? "," : ":", json_string_value(frame));
        if (frames)
            json_push(notes, json_sprintf("stack of rank %zu%s", i, text));
        n += frames != NULL;
    }
}

int cli_where(int argc, char **argv)
{
    struct where_options w = {.directory = NULL};
    cli_parse(&program, &w, argc, argv);
    FREED char *path = runs_current(w.directory ?: CLI_DIRECTORY);
    struct situation *s = situation_read(path, VERDICT_SETTLED);
    json_auto_t *value = s ? verdict_json_of(s) : NULL;
    if (!s)
        return STATUS_FAILED;
    if (w.stack)
        add_stacks(json_object_get(value, "notes"), s);
    if (w.format == 1)
        json_write(json_incref(value), stdout, true);
    else
        verdict_write(value, stdout, "collprof where: ", report_width(stdout));
    situation_free(s);
    return cli_flush() ? STATUS_GOOD : STATUS_FAILED;
}
