/* The settings of the profiling layer: one table, from which come the options of `collprof run`,
 * the environment variables COLLPROF_* that carry them to the library, and their documentation. */
#ifndef COLLPROF_BASE_SETTINGS_H
#define COLLPROF_BASE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct settings {
    char output[1024];    /* directory of the records and of profile.json */
    long stack;           /* frames per call site, 0 to 8 */
    long memory;          /* MiB of record per rank */
    long top;             /* lines in the report's tables */
    bool report;          /* print the report at the end */
    bool keep;            /* keep the raw records of a run that ended well */
    long keep_runs;       /* earlier runs that are kept */
    bool start;           /* recording from the start, or only after MPI_Pcontrol(1) */
    bool chain;           /* call the next preloaded tool's MPI functions (read by the wrappers) */
    bool yield;           /* give the processor away while waiting (read by the launcher) */
    char ack[16];         /* "", "one", "all" */
    double ack_share;     /* percent of the run's time that acknowledging may take */
    char benchmark[256];  /* "": off; names of methods, or "all" */
    long benchmark_every; /* again at every k-th occurrence; 0: at the first only */
    double benchmark_budget; /* seconds in all */
    char trace[16];
    char bcast[64];       /* "": the library's */
    char latencies[1024]; /* log of collbench-pairs for bcast=grid */
};

struct setting {
    const char *option;   /* "output": --output=..., COLLPROF_OUTPUT */
    int key;              /* short option, 0: none */
    const char *argument; /* its name in --help; NULL: a switch */
    const char *if_bare;  /* value when the option stands alone; NULL: an argument is needed */
    const char *initial;  /* the default, as text */
    const char *help;
    enum { SETTING_OWN, SETTING_RECORDS, SETTING_INJECTS } alike; /* what needs it on all ranks */
};

enum { SETTINGS_MAX = 24 };

extern const struct setting settings_table[];
extern const size_t settings_count;

/* All defaults. */
void settings_default(struct settings *s);

/* Gives SETTING the value TEXT. Returns NULL, or what would be right ("a number from 0 to 8"),
 * and *s is as it was. */
const char *settings_set(struct settings *s, const struct setting *setting, const char *text);

/* Equal where the I-th setting has equal values. */
uint64_t settings_hash(const struct settings *s, size_t i);

/* "COLLPROF_BENCHMARK_EVERY" for "benchmark-every". NAME has room for 64. */
void settings_variable(const struct setting *setting, char name[64]);

/* The setting of an environment variable's NAME, NULL if there is none. */
const struct setting *settings_find_variable(const char *name, size_t length);

/* The environment, as far as it may be trusted: nothing of it in a program that runs with more
 * rights than its user has, who must not tell it where to write or what to call. */
char *const *settings_environment(void);

/* Takes over every COLLPROF_* variable of ENVIRON (read, never changed). COMPLAIN is called with
 * one line for each unknown variable or wrong value; those are passed over. */
void settings_read(struct settings *s, char *const *environment,
                   void (*complain)(const char *line, void *arg), void *arg);

#endif
