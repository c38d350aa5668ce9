/* The table behind the functions of libcollprof.so: where each of them jumps. */
#pragma once

struct stub {
    const char *name;
    void (*function)(void);
    void **to; /* first stubs_choose_mpi(), then the function of a layer or of the MPI library */
};

extern const struct stub stubs[];
extern const unsigned n_stubs;

/* Called at the first call of any of these functions, by CALLER: finds the MPI that this process
 * uses and sets every stub. Returns where the stub at TO goes now. */
void *stubs_choose_mpi(void *caller, void **to) __attribute__((visibility("hidden")));
