/* The settings of the profiling layer: declared options of `collprof run`, which carries them to
 * the library in environment variables COLLPROF_*. */
#ifndef COLLPROF_BASE_SETTINGS_H
#define COLLPROF_BASE_SETTINGS_H

#include "base/options.h"

#include <stdint.h>

/* No text is ever NULL; "": not given. */
struct settings {
    const char *output;      /* directory of the records and of profile.json */
    int stack;               /* frames per call site, 0 to 8 */
    int memory;              /* MiB of record per rank */
    bool report;             /* print the report at the end */
    bool keep;               /* keep the raw records of a run that ended well */
    int keep_runs;           /* earlier runs that are kept */
    bool start;              /* record from the start, or only after MPI_Pcontrol(1) */
    bool yield;              /* give the processor away while waiting (read by the launcher) */
    double watchdog;         /* seconds without progress until it is reported; 0: no watchdog */
    bool watchdog_abort;     /* and a run that can never go on is ended */
    double ack;              /* percent of the broadcasts that are acknowledged; 0: none */
    const char *benchmark;   /* names of methods, or "all" */
    double benchmark_budget; /* seconds in all */
    const char *trace;       /* "calls", "transport" */
    const char *bcast;       /* a broadcast's name */
};

/* The group of an entry: which ranks need the same value. */
enum { SETTING_OWN, SETTING_RECORDS, SETTING_INJECTS };

extern const struct option_entry settings_entries[]; /* offsets in struct settings; end by {0} */
extern const struct settings settings_default;

/* The same for equal values of all entries of GROUP. */
uint64_t settings_hash(const struct settings *s, int group);

/* The process's environment; an empty one in a program that runs with more rights than its user
 * has, who must not choose where it writes or what it calls. */
char *const *settings_environment(void);

/* The defaults, and what the variables COLLPROF_* of ENVIRONMENT say. COMPLAIN (may be NULL) is
 * called with one line for each unknown variable or wrong value; those are passed over. Texts are
 * copied, and kept as long as the process: an application may write over its environment. */
void settings_read(struct settings *s, char *const *environment,
                   void (*complain)(const char *line, void *arg), void *arg);

#endif
