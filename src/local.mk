# The floors. Each is a convenience library; a floor uses only those above it in this list.
AM_CPPFLAGS = -I$(top_srcdir)/src -I$(top_builddir) -D_GNU_SOURCE
AM_CFLAGS = $(WARNING_CFLAGS) $(AX_THREADS)

noinst_LTLIBRARIES = libbase.la libreport.la libmeasure.la

# base, the ledger and report: no MPI, so that the command works where there is none.
libbase_la_SOURCES = \
	src/base/clock.c src/base/clock.h \
	src/base/histogram.c src/base/histogram.h \
	src/base/settings.c src/base/settings.h \
	src/base/stats.c src/base/stats.h \
	src/record/ledger.c src/record/ledger.h

libreport_la_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(DW_CFLAGS)
libreport_la_SOURCES = \
	src/report/document.h \
	src/report/plot.h
libreport_la_LIBADD = libbase.la $(JANSSON_LIBS) $(DW_LIBS)

# sync, trees and measure: over PMPI, used by the bench programs and by the layer alike.
libmeasure_la_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
libmeasure_la_SOURCES = \
	src/measure/operation.c src/measure/operation.h \
	src/measure/plan.h
libmeasure_la_LIBADD = libbase.la $(MPI_LIBS)
