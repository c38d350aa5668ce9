# The floors, a convenience library each. A floor uses only those above it in this list, and does not
# contain them: what is linked in the end lists every floor once, from the top to libbase.la.
# tests/floors.sh reads the #include lines and keeps it so.
AM_CPPFLAGS = -I$(top_srcdir)/src -I$(top_builddir) -D_GNU_SOURCE
AM_CFLAGS = $(WARNING_CFLAGS) $(AX_THREADS) -ffunction-sections

noinst_LTLIBRARIES = libbase.la libdocument.la libpage.la libtopology.la libprofile.la libverdict.la libreport.la libcompare.la libexport.la libresults.la

# Without MPI, so that the command works where there is none: base, the ledger's format, and the data
# of latencies and trees.
libbase_la_CPPFLAGS = $(AM_CPPFLAGS) -DLIBDIR='"$(libdir)"' -DPKGLIBDIR='"$(pkglibdir)"'
libbase_la_SOURCES = \
	src/base/array.c src/base/array.h src/base/memory.c src/base/memory.h \
	src/base/beside.c src/base/beside.h \
	src/base/clock.c src/base/clock.h \
	src/base/ending.h \
	src/base/format.c src/base/format.h \
	src/base/hash.h src/base/histogram.c src/base/histogram.h \
	src/base/index.c src/base/index.h src/base/input.c src/base/input.h \
	src/base/launcher.c src/base/launcher.h \
	src/base/names.c src/base/names.h \
	src/base/noise.c src/base/noise.h \
	src/base/options.c src/base/options.h src/base/options_range.c src/base/status.h \
	src/base/overlap.h \
	src/base/quote.c src/base/quote.h \
	src/base/text.c \
	src/base/reason.c src/base/reason.h \
	src/base/settings.c src/base/settings.h \
	src/base/stats.c src/base/stats.h \
	src/base/text.h src/base/try.h \
	src/measure/pairs/data.c src/measure/pairs/data.h \
	src/measure/pairs/graph.c \
	src/measure/pairs/log.c src/measure/pairs/log.h \
	src/record/layout.h src/record/ledger.c src/record/ledger.h src/record/ledger_read.c \
	src/trees/graph.c src/trees/graph.h

# document: what a program has to say, and its writers.
libdocument_la_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
libdocument_la_SOURCES = \
	src/document/document.h src/document/fill.c src/document/parts.h \
	src/document/json.c src/document/json.h \
	src/document/save.c src/document/save.h \
	src/document/text.c src/document/text.h \
	src/document/write.c
libdocument_la_LIBADD = $(JANSSON_LIBS)

# page: a document for a browser.
libpage_la_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
libpage_la_SOURCES = src/document/page.c src/document/page.h
nodist_libpage_la_SOURCES = page_files.c
# What a page carries along: its style, its script, and a library for charts if configure found it.
CLEANFILES += page_files.c
EXTRA_DIST += src/document/embed.sh src/document/report.css src/document/report.js
page_files.c: $(srcdir)/src/document/embed.sh $(srcdir)/src/document/report.css $(srcdir)/src/document/report.js Makefile
	$(AM_V_GEN)sh $(srcdir)/src/document/embed.sh page_style=$(srcdir)/src/document/report.css \
		page_script=$(srcdir)/src/document/report.js page_charts=$(CHARTJS) > $@.tmp && mv $@.tmp $@

# Apart from base: the profiling layer must not pull hwloc into applications.
libtopology_la_CPPFLAGS = $(AM_CPPFLAGS) $(HWLOC_CFLAGS)
libtopology_la_SOURCES = src/base/topology.c src/base/topology.h
libtopology_la_LIBADD = $(HWLOC_LIBS)

# sync, trees and measure: over PMPI, used by the bench programs and by the layer alike, which are made
# for every MPI from these sources (wrappers/layers.mk). The library itself is linked by tests only.
check_LTLIBRARIES += libmeasure.la
libmeasure_la_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
libmeasure_la_SOURCES = \
	src/sync/estimate.c src/sync/estimate.h \
	src/sync/harmonize.c src/sync/harmonize.h \
	src/sync/local_clock.c src/sync/local_clock.h \
	src/sync/sync.c src/sync/sync.h src/sync/tree.c src/sync/tree.h \
	src/sync/yielding.h \
	src/trees/bcast.h \
	src/trees/build.c src/trees/by_rank.c \
	src/trees/schedule.c src/trees/schedule.h \
	src/trees/schedule_run.c src/trees/schedule_run.h \
	src/measure/buffer.c src/measure/buffer.h \
	src/measure/plan.c src/measure/plan.h \
	src/measure/series.c src/measure/series.h \
	src/measure/work.c src/measure/work.h \
	src/measure/latency/latency.h src/measure/latency/run.c src/measure/latency/run.h \
	src/measure/latency/acknowledged.c \
	src/measure/latency/direct.c \
	src/measure/latency/loops.c src/measure/latency/ol.c \
	src/measure/latency/overhead.c src/measure/latency/pairs.c \
	src/measure/latency/pilot.c src/measure/latency/pilot.h \
	src/measure/collective/operation.c src/measure/collective/operation.h \
	src/measure/pairs/choose.c src/measure/pairs/choose.h \
	src/measure/pairs/grid.c src/measure/pairs/grid.h \
	src/measure/pairs/pair.c src/measure/pairs/pair.h \
	src/measure/pairs/pairs.c src/measure/pairs/pairs.h src/measure/pairs/plan.h \
	src/measure/pairs/slow.c src/measure/pairs/slow.h \
	src/measure/scenario/run.c src/measure/scenario/scenario.c src/measure/scenario/scenario.h \
	src/measure/overlap/overlap.c src/measure/overlap/overlap.h \
	src/measure/overlap/benchmarks.c \
	src/tune/cvar.c src/tune/cvar.h src/tune/library.c src/tune/library.h \
	src/tune/tuner.c src/tune/tuner.h
libmeasure_la_LIBADD = $(MPI_LIBS)

# profile: what a run leaves behind, and what follows from it, the timeline among it. Prints nothing.
libprofile_la_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
libprofile_la_SOURCES = \
	src/profile/arrivals.c \
	src/profile/fields.c src/profile/fields_json.c \
	src/profile/gather.c src/profile/gather.h src/profile/gather_trace.c \
	src/profile/json.c \
	src/profile/limits.c \
	src/profile/load.c \
	src/profile/model.c src/profile/model.h \
	src/profile/noise.c src/profile/noise.h \
	src/profile/possible.c \
	src/profile/profile.h \
	src/profile/questions.c \
	src/profile/records.h \
	src/profile/symbolize.c \
	src/profile/trace.c \
	src/causes/calls.c src/causes/causes.c src/causes/causes.h \
	src/causes/delays.c src/causes/delays.h src/causes/history.c src/causes/history.h \
	src/causes/graph.c src/causes/graph.h src/causes/graph_inner.h src/causes/phases.c src/causes/phases.h src/causes/replay.c \
	src/causes/what_if.c src/causes/what_if.h \
	src/timeline/algorithm.c src/timeline/algorithm.h \
	src/timeline/collective.c src/timeline/match.c src/timeline/waits.c \
	src/timeline/network.c src/timeline/network.h \
	src/timeline/timeline.h
libprofile_la_LIBADD = $(JANSSON_LIBS)

# verdict: where a run is stuck, and what is wrong with its calls. Prints nothing.
libverdict_la_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
libverdict_la_SOURCES = src/verdict/ended.c src/verdict/hosts.c src/verdict/hosts.h \
	src/verdict/judge.c src/verdict/judge.h src/verdict/reading.c \
	src/verdict/reading.h src/verdict/records.c \
	src/verdict/situation.c src/verdict/situation.h src/verdict/text.c src/verdict/text.h \
	src/verdict/waits.c src/verdict/waits.h
libverdict_la_LIBADD = $(JANSSON_LIBS)

# report: how people read it.
libreport_la_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
libreport_la_SOURCES = \
	src/report/efficiency.c src/report/efficiency.h \
	src/report/doubts.c src/report/findings.c src/report/findings.h src/report/findings_imbalance.c src/report/findings_waits.c \
	src/report/imbalance.c src/report/imbalance.h src/report/sampled.c src/report/labels.c src/report/labels.h \
	src/report/measured.c \
	src/report/report.c src/report/report.h \
	src/report/screen.c src/report/screen.h \
	src/report/tables.c src/report/tables.h \
	src/report/what_if.c src/report/what_if.h

# compare: what differs between sets of runs.
libcompare_la_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
libcompare_la_SOURCES = src/compare/compare.c src/compare/compare.h \
	src/compare/evidence.c src/compare/evidence.h \
	src/compare/gains.c src/compare/gains.h \
	src/compare/launches.c src/compare/launches.h \
	src/compare/scale.c src/compare/scale.h \
	src/compare/sites.c src/compare/sites.h

# export: a run for other programs: traces, pictures, pages.
libexport_la_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(OTF2_CFLAGS)
libexport_la_SOURCES = src/export/export.h src/export/openmetrics.c src/export/otf2.c src/export/pages.c src/export/perfetto.c \
	src/export/timeline.c
libexport_la_LIBADD = $(OTF2_LIBS)

# results: what the bench programs write.
libresults_la_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
libresults_la_SOURCES = \
	src/results/pairs_document.c src/results/pairs_document.h \
	src/results/schedule_document.c src/results/schedule_document.h \
	src/tune/found.c src/tune/found.h src/tune/rules.c src/tune/rules.h
libresults_la_LIBADD = $(JANSSON_LIBS)

# The command: no MPI is linked.
bin_PROGRAMS += collprof
collprof_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(HWLOC_CFLAGS)
collprof_SOURCES = \
	src/cli/cli.h \
	src/cli/compare.c \
	src/cli/executable.c src/cli/executable.h \
	src/cli/info.c \
	src/cli/main.c \
	src/cli/repeat.c \
	src/cli/report.c \
	src/cli/run.c \
	src/cli/runs.c src/cli/scale.c \
	src/cli/top.c \
	src/cli/watchdog.c src/cli/watchdog.h \
	src/cli/where.c
collprof_LDADD = libexport.la libcompare.la libreport.la libverdict.la libresults.la libpage.la libdocument.la libprofile.la libtopology.la libbase.la -lelf

# Loaded when call sites are to be named: the only one that needs libdw.
pkglib_LTLIBRARIES = collprof-symbols.la
collprof_symbols_la_CPPFLAGS = $(AM_CPPFLAGS) $(DW_CFLAGS)
collprof_symbols_la_SOURCES = src/base/input.c src/base/memory.c src/symbols/spans.c src/symbols/spans.h \
	src/symbols/symbols.c src/symbols/symbols.h
collprof_symbols_la_LIBADD = $(DW_LIBS)
collprof_symbols_la_LDFLAGS = -module -avoid-version -shared

# Preloaded by --yield: no MPI, no other library of ours.
pkglib_LTLIBRARIES += libcollprof-yield.la
libcollprof_yield_la_SOURCES = src/yield/yield.c
libcollprof_yield_la_LDFLAGS = -module -avoid-version -shared

# Preloaded by --trace=transport: no MPI, no other library of ours. Without UCX's header it sees the C
# library's functions alone.
pkglib_LTLIBRARIES += libcollprof-transport.la
libcollprof_transport_la_CPPFLAGS = $(AM_CPPFLAGS) $(UCX_CFLAGS)
libcollprof_transport_la_SOURCES = src/transport/system.c src/transport/transport.h \
	src/transport/watch.c src/transport/watch.h
libcollprof_transport_la_LDFLAGS = -module -avoid-version -shared
EXTRA_DIST += src/transport/ucx.awk
if UCX
libcollprof_transport_la_SOURCES += src/transport/ucx.c src/transport/ucx.h
nodist_libcollprof_transport_la_SOURCES = transport/ucx_functions.c
transport/ucx.i: config.status
	$(AM_V_GEN)$(MKDIR_P) transport && \
	echo '#include <ucp/api/ucp.h>' | $(CC) $(CPPFLAGS) $(UCX_CFLAGS) -E -P -x c - > $@
transport/ucx_functions.c: transport/ucx.i $(srcdir)/src/transport/ucx.awk
	$(AM_V_GEN)$(AWK) -f $(srcdir)/src/transport/ucx.awk $< > $@.new && mv $@.new $@
CLEANFILES += transport/ucx.i transport/ucx_functions.c
endif
