/* The stubs: functions of libcollprof.so, each of which jumps to a layer's or the MPI library's. */
#pragma once

struct stub {
    const char *name;
    void (*function)(void);
    void **to; /* where FUNCTION jumps: first to stubs_choose_mpi(), then to what that has set */
};

extern const struct stub stubs[];
extern const unsigned n_stubs;

/* Called by the first call of any stub, from address CALLER: finds the MPI library that the process
 * uses, and sets the destinations of all stubs. Returns that of the stub with this TO. */
void *stubs_choose_mpi(void *caller, void **to) __attribute__((visibility("hidden")));
