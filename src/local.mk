# The floors, a convenience library each. A floor uses only those above it in this list, and does not
# contain them: what is linked in the end lists every floor once, from the top to libbase.la.
# tests/floors.sh reads the #include lines and keeps it so.
AM_CPPFLAGS = -I$(top_srcdir)/src -I$(top_builddir) -D_GNU_SOURCE $(JANSSON_CFLAGS)
AM_CFLAGS = $(WARNING_CFLAGS) $(AX_THREADS) -ffunction-sections
# Compilers find the headers, which no list of sources names.
EXTRA_DIST += $(patsubst $(srcdir)/%,%,$(wildcard $(srcdir)/src/*/*.h $(srcdir)/src/*/*/*.h $(srcdir)/bench/*.h))

noinst_LTLIBRARIES = libbase.la libdocument.la libpage.la libtopology.la libprofile.la libverdict.la libresults.la libreport.la libcompare.la libexport.la

# Without MPI, so that the command works where there is none: base, the ledger's format, and the data
# of latencies and trees.
libbase_la_CPPFLAGS = $(AM_CPPFLAGS) -DLIBDIR='"$(libdir)"' -DPKGLIBDIR='"$(pkglibdir)"'
libbase_la_SOURCES = src/base/array.c src/base/memory.c src/base/beside.c src/base/clock.c \
	src/base/format.c src/base/histogram.c src/base/index.c src/base/input.c src/base/launcher.c \
	src/base/names.c src/base/noise.c src/base/options.c src/base/quote.c \
	src/base/text.c src/base/reason.c src/base/settings.c src/base/stats.c src/measure/pairs/data.c \
	src/measure/pairs/graph.c src/measure/pairs/log.c src/record/ledger.c src/record/ledger_read.c \
	src/trees/graph.c src/trees/positions.c

# document: what a program has to say, and its writers.
libdocument_la_SOURCES = src/document/fill.c src/document/json.c src/document/save.c \
	src/document/text.c src/document/write.c
libdocument_la_LIBADD = $(JANSSON_LIBS)

# page: a document for a browser.
libpage_la_SOURCES = src/document/page.c
nodist_libpage_la_SOURCES = page_files.c
# What a page carries along: its style, its script, and a library for charts if configure found it.
CLEANFILES += page_files.c
EXTRA_DIST += src/document/embed.sh src/document/report.css src/document/report.js
page_files.c: $(srcdir)/src/document/embed.sh $(srcdir)/src/document/report.css $(srcdir)/src/document/report.js Makefile
	$(AM_V_GEN)sh $(srcdir)/src/document/embed.sh page_style=$(srcdir)/src/document/report.css \
		page_script=$(srcdir)/src/document/report.js page_charts=$(CHARTJS) > $@.tmp && mv $@.tmp $@

# Apart from base: the profiling layer must not pull hwloc into applications.
libtopology_la_CPPFLAGS = $(AM_CPPFLAGS) $(HWLOC_CFLAGS)
libtopology_la_SOURCES = src/base/topology.c
libtopology_la_LIBADD = $(HWLOC_LIBS)

# sync, trees and measure: over PMPI, used by the bench programs and by the layer alike, which are made
# for every MPI from these sources (wrappers/layers.mk). The library itself is linked by tests only.
check_LTLIBRARIES += libmeasure.la
libmeasure_la_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
libmeasure_la_SOURCES = src/sync/estimate.c src/sync/harmonize.c src/sync/local_clock.c \
	src/sync/sync.c src/trees/build.c src/trees/by_rank.c src/trees/schedule.c \
	src/trees/schedule_run.c src/measure/series.c \
	src/measure/work.c src/measure/latency/run.c src/measure/latency/methods.c src/measure/latency/acknowledged.c \
	src/measure/latency/direct.c src/measure/latency/loops.c src/measure/latency/ol.c \
	src/measure/latency/overhead.c src/measure/latency/pairs.c \
	src/measure/collective/operation.c src/measure/pairs/choose.c src/measure/pairs/grid.c \
	src/measure/pairs/pair.c src/measure/pairs/pairs.c src/measure/pairs/ports.c src/measure/pairs/slow.c \
	src/measure/scenario/run.c src/measure/scenario/scenario.c src/measure/overlap/overlap.c \
	src/measure/overlap/benchmarks.c src/tune/cvar.c src/tune/library.c src/tune/tuner.c
libmeasure_la_LIBADD = $(MPI_LIBS)

# profile: what a run leaves behind, and what follows from it, the timeline among it. Prints nothing.
libprofile_la_SOURCES = src/profile/arrivals.c src/profile/fields.c src/profile/fields_json.c \
	src/profile/gather.c src/profile/gather_trace.c src/profile/json.c src/profile/limits.c \
	src/profile/load.c src/profile/model.c src/profile/noise.c src/profile/possible.c \
	src/profile/questions.c src/profile/slices.c src/profile/symbolize.c src/profile/trace.c \
	src/causes/broadcast.c src/causes/calls.c src/causes/causes.c src/causes/delays.c \
	src/causes/history.c src/causes/graph.c src/causes/replay.c src/causes/what_if.c \
	src/timeline/algorithm.c \
	src/timeline/collective.c src/timeline/network.c src/timeline/timeline.c

# verdict: where a run is stuck, and what is wrong with its calls. Prints nothing.
libverdict_la_SOURCES = src/verdict/ended.c src/verdict/hosts.c src/verdict/judge.c src/verdict/open_calls.c \
	src/verdict/reading.c src/verdict/situation.c src/verdict/text.c src/verdict/waits.c

# results: what the bench programs write.
libresults_la_SOURCES = src/results/documents.c \
	src/tune/found.c src/tune/rules.c

# report: how people read it.
libreport_la_SOURCES = src/report/efficiency.c src/report/doubts.c src/report/findings.c \
	src/report/findings_imbalance.c src/report/findings_waits.c src/report/imbalance.c \
	src/report/sampled.c src/report/labels.c src/report/measured.c src/report/report.c \
	src/report/screen.c src/report/tables.c src/report/what_if.c

# compare: what differs between sets of runs.
libcompare_la_SOURCES = src/compare/compare.c src/compare/evidence.c src/compare/gains.c \
	src/compare/launches.c src/compare/scale.c src/compare/sites.c

# export: a run in several formats: those that these files define, in this order.
libexport_la_CPPFLAGS = $(AM_CPPFLAGS) $(OTF2_CFLAGS)
libexport_la_SOURCES = src/export/report.c src/export/pages.c src/export/timeline.c \
	src/export/openmetrics.c src/export/perfetto.c src/export/otf2.c
nodist_libexport_la_SOURCES = export_formats.c
export_formats.c: $(libexport_la_SOURCES) Makefile
	$(AM_V_GEN)$(AWK) '/^const struct export_format/ { declared = declared "extern const struct export_format " $$4 ";\n"; \
	list = list "&" $$4 ", "; n++ } END { printf "#include \"export/export.h\"\n%s", declared; \
	printf "const struct export_format *const export_formats[] = {%s};\n", list; \
	printf "const size_t n_export_formats = %d;\n", n }' $(filter %.c,$^) > $@.new && mv $@.new $@
CLEANFILES += export_formats.c
libexport_la_LIBADD = $(OTF2_LIBS)

# The command: no MPI is linked.
bin_PROGRAMS += collprof
collprof_CPPFLAGS = $(AM_CPPFLAGS) $(HWLOC_CFLAGS)
collprof_SOURCES = src/cli/compare.c src/cli/executable.c src/cli/info.c src/cli/main.c \
	src/cli/repeat.c src/cli/report.c src/cli/run.c src/cli/runs.c src/cli/scale.c src/cli/top.c \
	src/cli/watchdog.c src/cli/where.c
collprof_LDADD = libexport.la libcompare.la libreport.la libverdict.la libresults.la libpage.la libdocument.la libprofile.la libtopology.la libbase.la -lelf

# Loaded when call sites are to be named: the only one that needs libdw.
pkglib_LTLIBRARIES = collprof-symbols.la
collprof_symbols_la_CPPFLAGS = $(AM_CPPFLAGS) $(DW_CFLAGS)
collprof_symbols_la_SOURCES = src/base/array.c src/base/index.c src/base/input.c src/base/memory.c \
	src/symbols/symbols.c
collprof_symbols_la_LIBADD = $(DW_LIBS)
collprof_symbols_la_LDFLAGS = -module -avoid-version -shared

# Preloaded by --trace=transport and --yield: no MPI, no other library of ours. Without UCX's header it
# sees the C library's functions and polls alone.
pkglib_LTLIBRARIES += libcollprof-transport.la
libcollprof_transport_la_CPPFLAGS = $(AM_CPPFLAGS) $(UCX_CFLAGS)
libcollprof_transport_la_SOURCES = src/transport/system.c src/transport/watch.c
libcollprof_transport_la_LDFLAGS = -module -avoid-version -shared
UCX_AWK = $(srcdir)/src/transport/ucx.awk $(srcdir)/wrappers/prototypes.awk
EXTRA_DIST += src/transport/ucx.awk
if UCX
libcollprof_transport_la_SOURCES += src/transport/ucx.c
nodist_libcollprof_transport_la_SOURCES = transport/ucx_functions.c
transport/ucx.i: config.status
	$(AM_V_GEN)$(MKDIR_P) transport && \
	echo '#include <ucp/api/ucp.h>' | $(CC) $(CPPFLAGS) $(UCX_CFLAGS) -E -P -x c - > $@
transport/ucx_functions.c: transport/ucx.i $(UCX_AWK)
	$(AM_V_GEN)$(AWK) $(UCX_AWK:%=-f %) $< > $@.new && mv $@.new $@
CLEANFILES += transport/ucx.i transport/ucx_functions.c
endif
