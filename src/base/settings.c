#include "base/settings.h"

#include "base/hash.h"
#include "base/names.h"

#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define AT(member) offsetof(struct settings, member)
#define WORDS(...) OPTION_WORDS(((const char *const[]){__VA_ARGS__, NULL}))
#define METHOD_NAME(symbol, name) , name
#define BCAST_NAME(symbol, name, how) IF_##how(name, )

const struct settings settings_default = {.output = "collprof.out",
                                          .stack = 4,
                                          .memory = 2,
                                          .report = true,
                                          .start = true,
                                          .benchmark = "",
                                          .benchmark_budget = 10,
                                          .trace = "",
                                          .bcast = "",
                                          .tune = "",
                                          .tune_share = 5,
                                          .tuned = ""};

static const struct option_registry methods = {
    .word = (const char *const[]){"all" BCAST_METHODS(METHOD_NAME), NULL}, .several = true};

const struct option_entry settings_entries[] = {
    {"output", "DIR", "write to a new directory DIR-JOB; DIR links to the newest", option_take_text,
     AT(output), .letter = 'o', .flags = SETTING_OWN},
    {"report", "[yes|no]", "print the report when the application ends (yes)", option_take_flag,
     AT(report), .flags = SETTING_OWN},
    {"yield", NULL, "release the processor while MPI waits; use it with more ranks than processors",
     option_take_flag, AT(yield), .letter = 'y', .flags = SETTING_OWN},
    {"watchdog", "SEC",
     "after SEC seconds without progress report why: ranks at fault and their source line",
     option_take_real, AT(watchdog), OPTION_LIMITS(0, 1e6, "a number of seconds"),
     .flags = SETTING_OWN},
    {"watchdog-abort", NULL, "let the watchdog end a run that can never continue, with status 5",
     option_take_flag, AT(watchdog_abort), .flags = SETTING_OWN},
    {"memory", "MIB", "initial size of a rank's record, in memory and on disk", option_take_count,
     AT(memory), OPTION_LIMITS(1, 1024, "a number of MiB from 1 to 1024"),
     .flags = SETTING_OWN | OPTION_RARE},
    {"keep", NULL, "keep the raw records even if the run ended normally", option_take_flag,
     AT(keep), .flags = SETTING_OWN | OPTION_RARE},
    {"trace", "[calls|transport]",
     "calls: record every call and message, for late senders and a timeline; transport: also what "
     "the MPI library calls in UCX and the C library",
     option_take_names, AT(trace), WORDS("calls", "transport")},
    {"sample", NULL,
     "sample functions between MPI calls, to name the one that takes longer on a late rank",
     option_take_flag, AT(sample)},
    {"stack", "N", "stack frames that identify a call site, 0 to 8", option_take_count, AT(stack),
     OPTION_LIMITS(0, 8, "a number from 0 to 8"), .flags = OPTION_RARE},
    {"start", "[yes|no]", "record from the start; no: after MPI_Pcontrol(1)", option_take_flag,
     AT(start), .flags = OPTION_RARE},
    {"ack", "[PERCENT]",
     "acknowledge this percentage of the broadcasts (10), to measure their latency to each "
     "destination; see collprof-experiments(7)",
     option_take_real, AT(ack), OPTION_LIMITS(0, 100, "a percentage from 0 to 100", 10)},
    {"benchmark", "[METHODS]",
     "measure the application's collectives, with their sizes, by these methods: %s",
     option_take_names, AT(benchmark), &methods},
    {"benchmark-budget", "SEC", "time for all measurements together", option_take_real,
     AT(benchmark_budget), OPTION_LIMITS(1e-9, 1e9, "a positive number of seconds"),
     .flags = OPTION_RARE},
    {"bcast", "NAME", "replace the application's broadcast by %s", option_take_names, AT(bcast),
     WORDS(BCASTS(BCAST_NAME) "grid")},
    {"tune", "all|exact",
     "find the MPI library's fastest algorithms for the application's collectives; exact: only "
     "where results cannot change (no reductions)",
     option_take_names, AT(tune), WORDS("all", "exact")},
    {"tune-share", "PERCENT", "time of --tune / the other time of the run", option_take_real,
     AT(tune_share), OPTION_LIMITS(0.01, 1000, "a percentage from 0.01 to 1000"),
     .flags = OPTION_RARE},
    {"tuned", "DIR", "use the algorithms that --tune found and wrote to DIR", option_take_text,
     AT(tuned)},
    {0}};

uint64_t settings_hash(const struct settings *s)
{
    char text[4200];
    uint64_t hash = HASH_START;
    for (const struct option_entry *e = settings_entries; e->name; e++) {
        option_show(e, s, text, sizeof text);
        if (!(e->flags & SETTING_OWN))
            hash = hash_bytes(hash, text, strlen(text) + 1);
    }
    return hash;
}

char *const *settings_environment(void)
{
    static char *const none[] = {NULL};
    return getauxval(AT_SECURE) ? none : environ;
}

void settings_read(struct settings *s, char *const *environment,
                   void (*complain)(const char *line, void *arg), void *arg)
{
    static const struct option_program program = {.options = settings_entries};
    struct option_parser parser = {.program = &program, .values = s, .prefix = "COLLPROF_"};
    *s = settings_default;
    options_read_environment(&parser, environment, complain, arg);
    for (const struct option_entry *e = settings_entries; e->name; e++) {
        const char **text = (const char **)((char *)s + e->offset);
        if (option_is_text(e) && **text)
            *text = strdup(*text) ?: "";
    }
}
