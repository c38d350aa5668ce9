/* The interface for applications: named regions, and control of the recording.
 *
 * Link with -lcollprof, or only include this header and use the macros below: they check at run
 * time whether the layer is loaded, so the program also runs without it. */
#ifndef COLLPROF_H
#define COLLPROF_H

#ifdef __cplusplus
extern "C" {
#endif

/* Begins a named region of the calling thread, until the matching end: the report shows its calls
 * separately. Regions nest up to 16 deep; the innermost one counts. At most 63 different names, of
 * up to 63 characters; calls in further regions count as outside of any. */
void collprof_region_begin(const char *name) __attribute__((weak));
void collprof_region_end(void) __attribute__((weak));

#define COLLPROF_REGION_BEGIN(name) (collprof_region_begin ? collprof_region_begin(name) : (void)0)
#define COLLPROF_REGION_END() (collprof_region_end ? collprof_region_end() : (void)0)

#ifdef __cplusplus
}
#endif

#endif
