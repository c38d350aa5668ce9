record_tables = src/record/counts.c src/record/layer.c src/record/requests.c
fake_mpi = tests/unit/fake_mpi.c tests/unit/fake_mpi.h tests/unit/fake_mpi_inside.h tests/unit/fake_mpi_messages.c \
	tests/unit/fake_mpi_collectives.c tests/unit/fake_mpi_comms.c tests/unit/fake_mpi_types.c tests/unit/fake_mpi_tools.c
made_profile = tests/unit/made_ledger.c tests/unit/made_ledger.h tests/unit/made_profile.c tests/unit/made_profile.h

# One program per floor. A new file of tests goes into the program of what it tests.
if HAVE_CRITERION
UNIT_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/unit $(CRITERION_CFLAGS)
unit_programs = tests/unit/ranks tests/unit/base tests/unit/inject tests/unit/schedule tests/unit/pairs \
	tests/unit/tune tests/unit/methods tests/unit/record tests/unit/profile tests/unit/verdict \
	tests/unit/symbols tests/unit/report tests/unit/compare tests/unit/document tests/unit/bench tests/unit/benches \
	tests/unit/layer \
	tests/unit/transport
check_PROGRAMS += $(unit_programs)
TESTS += $(unit_programs)

tests_unit_base_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_base_SOURCES = tests/unit/memory.c tests/unit/input.c tests/unit/stats.c tests/unit/clock.c \
	tests/unit/launcher.c tests/unit/ledger.c tests/unit/made_ledger.c tests/unit/made_ledger.h tests/unit/quote.c \
	tests/unit/run_directory.c src/layer/run_directory.c \
	tests/unit/store.c src/layer/store.c \
	tests/unit/options.c tests/unit/settings.c
tests_unit_base_LDADD = libbase.la $(CRITERION_LIBS)

tests_unit_inject_CPPFLAGS = $(UNIT_CPPFLAGS) $(MPI_CFLAGS)
tests_unit_inject_SOURCES = tests/unit/ack.c src/inject/ack_judge.c src/record/layer.c
tests_unit_inject_LDADD = libdocument.la libbase.la $(MPI_LIBS) $(CRITERION_LIBS)

# Several ranks as threads, over a fake MPI: its functions take the place of the library's.
tests_unit_ranks_CPPFLAGS = $(UNIT_CPPFLAGS) $(MPI_CFLAGS)
tests_unit_ranks_SOURCES = tests/unit/ranks.c tests/unit/operations.c tests/unit/latency.c tests/unit/mpi_errors.c $(fake_mpi) \
	src/inject/handshake.c src/record/layer.c tests/unit/pairs_ranks.c tests/unit/merge.c src/layer/merge.c \
	tests/unit/made_ledger.c tests/unit/made_ledger.h
tests_unit_ranks_LDFLAGS = -Wl,--wrap=malloc,--wrap=calloc,--wrap=memory_alloc
tests_unit_ranks_LDADD = libmeasure.la libprofile.la libdocument.la libbase.la $(MPI_LIBS) $(CRITERION_LIBS)

# The wrappers below MPI, of functions that the test calls itself.
tests_unit_transport_CPPFLAGS = $(UNIT_CPPFLAGS) $(UCX_CFLAGS)
tests_unit_transport_SOURCES = tests/unit/transport.c src/transport/system.c src/transport/watch.c
if UCX
tests_unit_transport_SOURCES += src/transport/ucx.c
endif
tests_unit_transport_LDADD = $(CRITERION_LIBS)

tests_unit_schedule_CPPFLAGS = $(UNIT_CPPFLAGS) $(MPI_CFLAGS)
tests_unit_schedule_SOURCES = tests/unit/schedule.c tests/unit/made_graphs.h
tests_unit_schedule_LDADD = libmeasure.la libbase.la $(CRITERION_LIBS)

tests_unit_pairs_CPPFLAGS = $(UNIT_CPPFLAGS) $(MPI_CFLAGS)
tests_unit_pairs_SOURCES = tests/unit/pairs.c tests/unit/made_graphs.h
tests_unit_pairs_LDADD = libresults.la libdocument.la libmeasure.la libbase.la $(CRITERION_LIBS)

# Tuning, by several ranks over the fake MPI.
tests_unit_tune_CPPFLAGS = $(UNIT_CPPFLAGS) $(MPI_CFLAGS)
tests_unit_tune_SOURCES = tests/unit/tune.c $(fake_mpi)
tests_unit_tune_LDADD = libmeasure.la libresults.la libdocument.la libprofile.la libbase.la $(MPI_LIBS) $(CRITERION_LIBS)

tests_unit_methods_CPPFLAGS = $(UNIT_CPPFLAGS) $(MPI_CFLAGS)
tests_unit_methods_SOURCES = tests/unit/plan.c tests/unit/names.c tests/unit/sync.c tests/unit/work.c \
	tests/unit/series.c tests/unit/coverage.c tests/unit/destinations.c
tests_unit_methods_LDADD = libmeasure.la libbase.la $(CRITERION_LIBS)

# What a rank keeps, without a call of MPI: Open MPI's handles are addresses in its library.
tests_unit_record_CPPFLAGS = $(UNIT_CPPFLAGS) $(MPI_CFLAGS)
tests_unit_record_SOURCES = tests/unit/record.c tests/unit/lanes.c \
	src/record/channels.c src/record/trace.c src/timeline/collective.c src/timeline/timeline.c $(record_tables)
tests_unit_record_LDADD = libbase.la $(MPI_LIBS) $(CRITERION_LIBS)
# A transport of the test's own is found by its name.
tests_unit_record_LDFLAGS = -export-dynamic

tests_unit_profile_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_profile_SOURCES = tests/unit/profile.c tests/unit/algorithms.c tests/unit/arrivals.c tests/unit/causes.c tests/unit/clocks.c tests/unit/histories.c tests/unit/load.c tests/unit/network.c \
	tests/unit/played.c tests/unit/played.h tests/unit/predictions.c tests/unit/slices.c \
	tests/unit/refusals.c tests/unit/timeline.c tests/unit/trace.c $(made_profile)
tests_unit_profile_LDADD = libprofile.la libdocument.la libbase.la $(CRITERION_LIBS)

tests_unit_verdict_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_verdict_SOURCES = tests/unit/verdict.c tests/unit/ended.c tests/unit/records.c $(made_profile)
tests_unit_verdict_LDADD = libverdict.la libprofile.la libdocument.la libbase.la $(CRITERION_LIBS)

# Its own debug information is what is read.
tests_unit_symbols_CPPFLAGS = $(UNIT_CPPFLAGS) $(DW_CFLAGS)
tests_unit_symbols_CFLAGS = $(AM_CFLAGS) -g
tests_unit_symbols_SOURCES = tests/unit/symbols.c src/symbols/symbols.c $(made_profile)
EXTRA_tests_unit_symbols_DEPENDENCIES = collprof-symbols.la
tests_unit_symbols_LDADD = libprofile.la libdocument.la libbase.la $(DW_LIBS) $(CRITERION_LIBS)

tests_unit_compare_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_compare_SOURCES = tests/unit/compare.c tests/unit/evidence.c tests/unit/launches.c $(made_profile)
# Which names call sites, is loaded.
EXTRA_tests_unit_compare_DEPENDENCIES = collprof-symbols.la
tests_unit_compare_LDADD = libcompare.la libreport.la libresults.la libdocument.la libprofile.la libbase.la $(CRITERION_LIBS)

tests_unit_report_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_report_SOURCES = tests/unit/report.c tests/unit/export.c tests/unit/figures.c tests/unit/findings.c \
	tests/unit/findings_doubts.c tests/unit/findings_trace.c tests/unit/made_findings.c tests/unit/made_findings.h \
	tests/unit/made_page.c tests/unit/made_page.h $(made_profile)
# Which names call sites, is loaded.
EXTRA_tests_unit_report_DEPENDENCIES = collprof-symbols.la
tests_unit_report_LDADD = libexport.la libcompare.la libreport.la libverdict.la libresults.la libpage.la libdocument.la libprofile.la libbase.la $(CRITERION_LIBS)

tests_unit_document_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_document_SOURCES = tests/unit/document.c
tests_unit_document_LDADD = libdocument.la libbase.la $(CRITERION_LIBS)

tests_unit_bench_CPPFLAGS = $(BENCH_CPPFLAGS) $(CRITERION_CFLAGS)
tests_unit_bench_SOURCES = tests/unit/bench_program.c tests/unit/topology.c \
	tests/unit/scenario.c bench/scenario_file.c bench/latency_rules.c tests/unit/latency_rules.c
tests_unit_bench_LDADD = libbench.la $(CRITERION_LIBS)

# The benchmarks as whole programs over the fake MPI: modules, which each rank loads a copy of, with what the
# programs for the first MPI are made of.
tests_unit_benches_CPPFLAGS = $(UNIT_CPPFLAGS) $(MPI_CFLAGS)
tests_unit_benches_SOURCES = tests/unit/benches.c $(fake_mpi)
tests_unit_benches_LDFLAGS = -export-dynamic
tests_unit_benches_LDADD = $(MPI_LIBS) $(CRITERION_LIBS)
UNIT_BENCHES = $(BENCHES:%=tests/unit/collbench-%.so)
EXTRA_tests_unit_benches_DEPENDENCIES = $(UNIT_BENCHES)
bench_objects = $(patsubst %.c,layers/$(FIRST_LAYER)/obj/%.o,$(filter %.c,$(1)))
tests/unit/collbench-bcast.so: $(call bench_objects,$(bcast_FILES))
tests/unit/collbench-collective.so: $(call bench_objects,$(collective_FILES))
tests/unit/collbench-overlap.so: $(call bench_objects,$(overlap_FILES))
tests/unit/collbench-pairs.so: $(call bench_objects,$(pairs_FILES))
tests/unit/collbench-scenario.so: $(call bench_objects,$(scenario_FILES))
tests/unit/collbench-tree.so: $(call bench_objects,$(tree_FILES))
$(UNIT_BENCHES): tests/unit/fake_mpi_entry.c $(BENCH_FLOORS) \
		$(call bench_objects,$(libbench_la_SOURCES) $(libmeasure_la_SOURCES))
	$(AM_V_CCLD)$(CC) $(AM_CPPFLAGS) $(AM_CFLAGS) $(CFLAGS) -shared -fPIC -Wl,-Bsymbolic -o $@ $(srcdir)/tests/unit/fake_mpi_entry.c \
		$(filter %.o,$^) $(BENCH_FLOORS:%.la=.libs/%.a) $(HWLOC_LIBS) $(JANSSON_LIBS) $(LIBS)
CLEANFILES += $(UNIT_BENCHES)

# So has the layer for the first MPI, with an application in front of it.
tests_unit_layer_CPPFLAGS = $(UNIT_CPPFLAGS) $(MPI_CFLAGS)
tests_unit_layer_SOURCES = tests/unit/layer.c tests/unit/layer_run.c tests/unit/layer_run.h \
	tests/unit/deny_sampling.h $(fake_mpi)
tests_unit_layer_LDFLAGS = -export-dynamic -Wl,--no-as-needed
tests_unit_layer_LDADD = $(MPI_LIBS) $(JANSSON_LIBS) $(CRITERION_LIBS)
EXTRA_tests_unit_layer_DEPENDENCIES = tests/unit/layer_app.so
tests/unit/layer_app.so: tests/unit/fake_mpi_entry.c tests/unit/layer_app.c layers/$(FIRST_LAYER)/libcollprof-layer.so
	$(AM_V_CCLD)$(CC) $(AM_CPPFLAGS) $(MPI_CFLAGS) $(AM_CFLAGS) $(CFLAGS) -shared -fPIC -Wl,-Bsymbolic -o $@ \
		$(srcdir)/tests/unit/fake_mpi_entry.c $(srcdir)/tests/unit/layer_app.c \
		$($(FIRST_LAYER)_OBJS) $($(FIRST_LAYER)_MADE) $(LAYER_ARCHIVES) $(LAYER_LIBS)
CLEANFILES += tests/unit/layer_app.so
endif

# The command as people type it, without MPI.
TESTS += tests/unit/command.sh
