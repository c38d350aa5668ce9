/* The table behind the functions of libcollprof.so: where each of them jumps to. */
#ifndef COLLPROF_WRAPPERS_CHOOSE_H
#define COLLPROF_WRAPPERS_CHOOSE_H

struct stub {
    const char *name;
    void (*function)(void);
    void **to; /* first the choice, then a layer's function or, without a layer, the library's */
};

extern const struct stub stubs[];
extern const unsigned n_stubs;

/* At the first call of any of these functions, from CALLER: finds the MPI that this process has and
 * sends every stub where it belongs. The result is where the stub at TO goes now. */
void *choose(void *caller, void **to) __attribute__((visibility("hidden")));

#endif
