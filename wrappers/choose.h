/* The functions of libcollprof.so, and where each jumps: to a layer or to the MPI library. */
#pragma once

struct stub {
    const char *name;
    void (*function)(void);
    void **to; /* first stubs_choose_mpi(), then the function of a layer or of the MPI library */
};

extern const struct stub stubs[];
extern const unsigned n_stubs;

/* The first call of any stub, from address CALLER, comes here: finds the MPI library that the
 * process uses, and sets all stubs. Returns where the stub with this TO jumps now. */
void *stubs_choose_mpi(void *caller, void **to) __attribute__((visibility("hidden")));
