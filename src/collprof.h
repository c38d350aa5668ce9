/* collprof for applications that want to say more than their MPI calls do.
 *
 * Link with -lcollprof, or only include this header and use the macros below: they check at run
 * time whether the layer is there, so that a program built with them also runs without. */
#ifndef COLLPROF_H
#define COLLPROF_H

#ifdef __cplusplus
extern "C" {
#endif

/* A named region of the calling thread, until the matching end: the report shows calls in it
 * separately. Regions nest, 16 deep; the innermost counts. At most 63 different names, of up to 63
 * characters; calls in more regions count as outside of any. */
void collprof_region_begin(const char *name) __attribute__((weak));
void collprof_region_end(void) __attribute__((weak));

/* As MPI_Pcontrol: 0 off, 1 on, 2 forget what was recorded. */
void collprof_control(int level) __attribute__((weak));

/* "0.1.0" */
const char *collprof_version(void) __attribute__((weak));

#define COLLPROF_REGION_BEGIN(name) (collprof_region_begin ? collprof_region_begin(name) : (void)0)
#define COLLPROF_REGION_END() (collprof_region_end ? collprof_region_end() : (void)0)

#ifdef __cplusplus
}
#endif

#endif
