# The command: no MPI is linked.
bin_PROGRAMS += collprof
collprof_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(HWLOC_CFLAGS)
collprof_SOURCES = \
	src/cli/cli.h \
	src/cli/compare.c \
	src/cli/executable.c src/cli/executable.h \
	src/cli/export.c \
	src/cli/info.c \
	src/cli/main.c \
	src/cli/plot.c \
	src/cli/report.c \
	src/cli/run.c
collprof_LDADD = libreport.la libtopology.la libbase.la -lelf
