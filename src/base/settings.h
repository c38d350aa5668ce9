/* The settings of the profiling layer. They are the options of `collprof run`, which passes them to
 * the layer in environment variables COLLPROF_*. */
#pragma once

#include "base/options.h"

#include <stdint.h>

/* Texts are never NULL; "" means not set. */
struct settings {
    const char *output;      /* link to the directory with the run's records and profile.json */
    int stack;               /* stack frames recorded per call site, 0 to 8 */
    int memory;              /* initial MiB of a rank's record; full tables grow */
    bool report;             /* print the report at the end */
    bool keep;               /* keep the raw records even if the run ended normally */
    bool start;              /* record from the start; otherwise only after MPI_Pcontrol(1) */
    bool yield;              /* release the processor while MPI waits */
    double watchdog;         /* report after this many seconds without progress; 0: no watchdog */
    bool watchdog_abort;     /* the watchdog ends a run that can never continue */
    double ack;              /* percent of the broadcasts to acknowledge; 0: none */
    const char *benchmark;   /* measure by these methods, or by "all" */
    double benchmark_budget; /* seconds for all measurements together */
    bool sample;             /* sample the stack of each thread between MPI calls */
    const char *trace;       /* record events: "calls", or "transport": also below MPI */
    const char *bcast;       /* replace MPI_Bcast by this algorithm */
    const char *tune;        /* tune "all" operations, or "exact": all but reductions */
    double tune_share;       /* percent of the run that tuning may take */
    const char *tuned;       /* directory of the rules to use, written by --tune */
};

/* For struct option_entry.flags: each rank may have its own value of this setting. */
enum { SETTING_OWN = 2 };

extern const struct option_entry settings_entries[]; /* of struct settings; ends with {0} */
extern const struct settings settings_default;

/* A hash of all settings that must be equal on all ranks (without SETTING_OWN). */
uint64_t settings_hash(const struct settings *s);

/* The environment for settings_read(). Empty for a set-user-ID program: its user must not choose
 * which files it writes. */
char *const *settings_environment(void);

/* Sets S to the defaults and the variables COLLPROF_* of ENVIRONMENT (options_read_environment()).
 * Copies texts, since an application may change its environment; never frees the copies. */
void settings_read(struct settings *s, char *const *environment,
                   void (*complain)(const char *line, void *arg), void *arg);
