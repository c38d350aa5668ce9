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
};

static const char *const formats[] = {"text", "json", NULL};

static const struct option_entry entries[] = {{"format", 0, "FORMAT", "text or json", 0,
                                               option_take_word, offsetof(struct asking, format),
                                               OPTION_WORDS(formats)},
                                              {0}};

static const struct option_program program = {
    .does = "Shows where the run in DIR (collprof.out) is stuck, and which ranks are at fault: the "
            "call of each rank, and the ranks that it waits for. The run may still be running or "
            "have ended: only the records of its ranks are read.",
    .options = entries,
    .word = cli_take_directory,
    .arguments = "[DIR]"};

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
    if (w.format == 1)
        json_write(json_incref(value), stdout, true);
    else
        verdict_write(value, stdout, "collprof where: ", (size_t)report_width(stdout));
    json_decref(value);
    evidence_free(e);
    return cli_flush() ? STATUS_GOOD : STATUS_FAILED;
}
