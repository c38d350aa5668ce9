# The floors, a convenience library each. A floor uses only those above it in this list, and does not
# contain them: what is linked in the end lists every floor once, from the top to libbase.la.
AM_CPPFLAGS = -I$(top_srcdir)/src -I$(top_builddir) -D_GNU_SOURCE
AM_CFLAGS = $(WARNING_CFLAGS) $(AX_THREADS)

noinst_LTLIBRARIES = libbase.la libtopology.la libreport.la libmeasure.la

# base, the ledger and report: no MPI, so that the command works where there is none.
libbase_la_CPPFLAGS = $(AM_CPPFLAGS) -DLIBDIR='"$(libdir)"' -DPKGLIBDIR='"$(pkglibdir)"'
libbase_la_SOURCES = \
	src/base/beside.c src/base/beside.h \
	src/base/clock.c src/base/clock.h \
	src/base/histogram.c src/base/histogram.h \
	src/base/settings.c src/base/settings.h \
	src/base/overlap.c src/base/overlap.h \
	src/base/stats.c src/base/stats.h \
	src/base/text.h src/base/try.h \
	src/record/ledger.c src/record/ledger.h

# Apart from base: the profiling layer must not pull hwloc into applications.
libtopology_la_CPPFLAGS = $(AM_CPPFLAGS) $(HWLOC_CFLAGS)
libtopology_la_SOURCES = src/base/topology.c src/base/topology.h
libtopology_la_LIBADD = $(HWLOC_LIBS)

libreport_la_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
libreport_la_SOURCES = \
	src/report/base_round.c src/report/base_round.h \
	src/report/overlap_map.c src/report/overlap_map.h src/report/overlap_sentence.c \
	src/report/document.c src/report/document.h \
	src/report/document_model.h src/report/document_write.c \
	src/report/plot.c src/report/plot.h src/report/plot_inner.h src/report/plot_map.c \
	src/report/save.c src/report/save.h
libreport_la_LIBADD = $(JANSSON_LIBS)
include src/report/local.mk

# sync, trees and measure: over PMPI, used by the bench programs and by the layer alike.
libmeasure_la_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
libmeasure_la_SOURCES = \
	src/measure/operation.c src/measure/operation.h \
	src/measure/overlap.c src/measure/overlap.h \
	src/measure/overlap/list.c src/measure/overlap/list.h \
	src/measure/overlap/sender.c src/measure/overlap/receiver.c src/measure/overlap/both.c \
	src/measure/overlap/cpu.c src/measure/overlap/load.c src/measure/overlap/serial.c \
	src/measure/overlap/pending.c src/measure/overlap/destinations.c \
	src/measure/overlap/multiple.c src/measure/overlap/collective.c \
	src/measure/plan.h \
	src/measure/scenario.c src/measure/scenario.h src/measure/scenario_run.c \
	src/measure/work.c src/measure/work.h
libmeasure_la_LIBADD = $(MPI_LIBS)

include src/sync/local.mk

# The broadcast methods.
libmeasure_la_SOURCES += \
	src/measure/plan.c \
	src/measure/series.c src/measure/series.h \
	src/measure/validate.c src/measure/validate.h \
	src/measure/bcast.c src/measure/bcast.h src/measure/bcast_run.h \
	src/measure/bcast_loops.c src/measure/bcast_each.c src/measure/bcast_all.c \
	src/measure/bcast_ship.c \
	src/measure/discover.c src/measure/discover_tree.c src/measure/discover.h \
	src/measure/collective.c src/measure/collective.h src/measure/collective_run.h \
	src/measure/collective_mirrored.c src/measure/ping.c src/measure/ping.h \
	src/trees/bcast.c src/trees/bcast.h

# Loaded when call sites are to be named: the only one that needs libdw.
pkglib_LTLIBRARIES = collprof-symbols.la
collprof_symbols_la_CPPFLAGS = $(AM_CPPFLAGS) $(DW_CFLAGS)
collprof_symbols_la_SOURCES = src/symbols/symbols.c src/symbols/symbols.h
collprof_symbols_la_LIBADD = $(DW_LIBS)
collprof_symbols_la_LDFLAGS = -module -avoid-version -shared

# Preloaded by --yield: no MPI, no other library of ours.
pkglib_LTLIBRARIES += libcollprof-yield.la
libcollprof_yield_la_SOURCES = src/yield/yield.c
libcollprof_yield_la_LDFLAGS = -module -avoid-version -shared
