/* Labels of call sites and communicators. */
#pragma once

#include "profile/profile.h"

/* A label for each call site: "heat.c:42 exchange", "exchange+0x1f", "libfoo.so+0x1234"; "-" if
 * unknown. Callers are appended until labels differ: "heat.c:42 exchange < main.c:7"; calls in one
 * line keep the same label. Release by site_labels_free(), which accepts NULL. */
char **site_labels(const struct profile *p);
void site_labels_free(const struct profile *p, char **label);

/* The name of the run's host, or "3 hosts". Returns TEXT. */
enum { HOSTS_TEXT = 80 };
const char *hosts_text(const struct profile *p, char text[HOSTS_TEXT]);

/* "heat.c:42 exchange", or "exchange+0x1c" without line numbers; returns the length, as snprintf().
 */
int frame_label(const struct profile *p, const struct profile_frame *f, char *text, size_t room);

/* The labels of the application's own frames, innermost first; "" if none is known. FUNCTIONS: only
 * the functions' names, which compare SITE with a call site of an edited program. */
void site_path(const struct profile *p, uint32_t site, bool functions, char *text, size_t room);

/* "MPI_COMM_WORLD", a name that the application gave, or "4 ranks from 0, made at x.c:12 main". */
enum { COMM_LABEL = 640 };
void comm_label(const struct profile *p, uint32_t comm, char text[COMM_LABEL]);
