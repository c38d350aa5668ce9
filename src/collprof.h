/* The interface for applications: named regions. MPI_Pcontrol(0) stops recording and
 * MPI_Pcontrol(1) starts it again (libcollprof(3)).
 *
 * Link with -lcollprof and call the functions; or only include this header and use the macros,
 * which do nothing if collprof is not loaded, so that the program also runs without it. */
#ifndef COLLPROF_H
#define COLLPROF_H

#ifdef __cplusplus
extern "C" {
#endif

/* Begins a region of the calling thread, up to the matching end: the report shows the MPI calls of
 * each region separately. NAME is copied. Regions nest up to 16 deep, and a call belongs to the
 * innermost one. About 100 names of up to 63 characters; further regions are ignored. */
void collprof_region_begin(const char *name) __attribute__((weak));
void collprof_region_end(void) __attribute__((weak));

#define COLLPROF_REGION_BEGIN(name) (collprof_region_begin ? collprof_region_begin(name) : (void)0)
#define COLLPROF_REGION_END() (collprof_region_end ? collprof_region_end() : (void)0)

#ifdef __cplusplus
}
#endif

#endif
