# The PMPI entry points, made from the table and the mpi.h at hand, and the library around them.
WRAPPERS_GENERATE = $(AWK) -f $(srcdir)/wrappers/generate.awk
WRAPPERS_INPUT = $(srcdir)/wrappers/functions.table wrappers/mpi.i

wrappers/mpi.i: config.status
	@$(MKDIR_P) wrappers
	$(AM_V_GEN)echo '#include <mpi.h>' | $(CC) $(CPPFLAGS) $(MPI_CFLAGS) -E -P -x c - > $@

wrappers/operations.h: $(WRAPPERS_INPUT) $(srcdir)/wrappers/generate.awk
	$(AM_V_GEN)$(WRAPPERS_GENERATE) -v want=enum $(WRAPPERS_INPUT) > $@.new && mv $@.new $@
wrappers/next.h: $(WRAPPERS_INPUT) $(srcdir)/wrappers/generate.awk
	$(AM_V_GEN)$(WRAPPERS_GENERATE) -v want=next $(WRAPPERS_INPUT) > $@.new && mv $@.new $@
wrappers/operations.c: $(WRAPPERS_INPUT) $(srcdir)/wrappers/generate.awk
	$(AM_V_GEN)$(WRAPPERS_GENERATE) -v want=names $(WRAPPERS_INPUT) > $@.new && mv $@.new $@
wrappers/functions.c: $(WRAPPERS_INPUT) $(srcdir)/wrappers/generate.awk
	$(AM_V_GEN)$(WRAPPERS_GENERATE) -v want=functions $(WRAPPERS_INPUT) > $@.new && mv $@.new $@

BUILT_SOURCES += wrappers/operations.h wrappers/next.h
CLEANFILES += wrappers/mpi.i wrappers/operations.h wrappers/next.h wrappers/operations.c wrappers/functions.c
EXTRA_DIST += wrappers/functions.table wrappers/generate.awk wrappers/exports.map

lib_LTLIBRARIES = libcollprof.la
include_HEADERS = src/collprof.h

libcollprof_la_CPPFLAGS = -I$(top_srcdir) $(AM_CPPFLAGS) $(MPI_CFLAGS) $(UNWIND_CFLAGS) $(JANSSON_CFLAGS)
libcollprof_la_SOURCES = \
	wrappers/prologue.h wrappers/chain.c wrappers/lifecycle.c wrappers/completion.c \
	src/record/layer.c src/record/layer.h \
	src/record/entries.c src/record/entries.h \
	src/record/sites.c src/record/sites.h \
	src/record/comms.c src/record/comms.h \
	src/record/requests.c src/record/requests.h \
	src/record/instances.c src/record/instances.h \
	src/record/call.c src/record/call.h \
	src/inject/inject.c src/inject/inject.h src/inject/injection.h \
	src/inject/list.c src/inject/list.h \
	src/inject/ack.c src/inject/benchmark.c src/inject/replace.c \
	src/layer/life.c src/layer/life.h src/layer/life_inner.h src/layer/alone.c \
	src/layer/ends.c src/layer/merge.c src/layer/noise.c src/layer/regions.c
nodist_libcollprof_la_SOURCES = wrappers/functions.c wrappers/operations.c wrappers/operations.h \
	wrappers/next.h
libcollprof_la_LIBADD = libmeasure.la libpage.la libresults.la libprofile.la libbase.la $(UNWIND_LIBS) $(MPI_LIBS)
libcollprof_la_LDFLAGS = -avoid-version -Wl,-z,defs -Wl,--version-script=$(srcdir)/wrappers/exports.map
libcollprof_la_DEPENDENCIES = libmeasure.la libpage.la libresults.la libprofile.la libbase.la wrappers/exports.map
