/* The settings of the profiling layer: declared options of `collprof run`, which passes them to the
 * library in environment variables COLLPROF_*. */
#pragma once

#include "base/options.h"

#include <stdint.h>

/* Texts are never NULL; "" means not set. */
struct settings {
    const char *output;      /* directory of the records and of profile.json */
    int stack;               /* frames per call site, 0 to 8 */
    int memory;              /* MiB of record per rank */
    bool report;             /* print the report at the end */
    bool keep;               /* keep the raw records even of a run that ended well */
    bool start;              /* record from the start; otherwise only after MPI_Pcontrol(1) */
    bool yield;              /* release the processor while waiting (handled by the launcher) */
    double watchdog;         /* seconds without progress after which it reports; 0: no watchdog */
    bool watchdog_abort;     /* and ends a run that can never continue */
    double ack;              /* percent of the broadcasts to acknowledge; 0: none */
    const char *benchmark;   /* names of methods, or "all" */
    double benchmark_budget; /* total, in seconds */
    bool sample;             /* stacks of each thread between calls */
    const char *trace;       /* "calls", "transport" */
    const char *bcast;       /* name of a broadcast algorithm */
    const char *tune;        /* "all", "exact": tunes only what keeps the order of reductions */
    double tune_share;       /* percent of the run */
    const char *tuned;       /* directory with the files that tuning wrote */
};

/* A flag of an entry: ranks may have different values. */
enum { SETTING_OWN = 2 };

extern const struct option_entry settings_entries[]; /* offsets are in struct settings; ending with
                                                        {0} */
extern const struct settings settings_default;

/* A hash of the settings that must be equal on all ranks. */
uint64_t settings_hash(const struct settings *s);

/* The process's environment. Empty if the program runs with more rights than its user, who must not
 * choose where it writes or what it calls. */
char *const *settings_environment(void);

/* Sets the defaults, then the values of the variables COLLPROF_* of ENVIRONMENT. COMPLAIN (may be
 * NULL) is called with one line for each unknown variable or wrong value; these are ignored. Texts
 * are copied and never freed, since an application may overwrite its environment. */
void settings_read(struct settings *s, char *const *environment,
                   void (*complain)(const char *line, void *arg), void *arg);
