# The same sources, built for the simulator: build/sim/PROGRAM, run by tests/sim/run.sh.
#
# SIM_BINARIES += sim/collbench-NAME    from bench/collbench-NAME.c
# SIM_BINARIES += sim/NAME              from tests/sim/NAME.c (name it in EXTRA_DIST too)
EXTRA_DIST += tests/sim/run.sh tests/sim/platforms/cluster.xml tests/sim/platforms/grid.xml
SIM_BINARIES =
SIM_LAYER_BINARIES = sim/layer

SIM_FILES = $(filter %.c,$(libbase_la_SOURCES) $(libtopology_la_SOURCES) \
	$(libmeasure_la_SOURCES) $(libbench_la_SOURCES)) \
	src/report/document.c src/report/document_write.c src/report/plot.c src/report/plot_map.c \
	src/report/save.c
SIM_OBJS = $(SIM_FILES:%.c=sim/obj/%.o)
SIM_CPPFLAGS = $(DEFS) $(AM_CPPFLAGS) -I$(top_srcdir)/bench $(JANSSON_CFLAGS) $(HWLOC_CFLAGS) \
	-DCOLLPROF_SIMULATED -DSMPI_NO_OVERRIDE_MALLOC -DLIBDIR='"$(libdir)"' -DPKGLIBDIR='"$(pkglibdir)"'
SIM_LIBS = $(JANSSON_LIBS) $(HWLOC_LIBS) -lm

sim/obj/%.o: $(srcdir)/%.c
	$(AM_V_CC)$(MKDIR_P) $(@D) && \
	$(SMPICC) $(SIM_FIRST_CPPFLAGS) $(SIM_CPPFLAGS) $(WARNING_CFLAGS) -fvisibility=default -fPIC -O2 -g \
		-MMD -MP -c -o $@ $<

sim/%: sim/obj/bench/%.o $(SIM_OBJS)
	$(AM_V_CCLD)$(SMPICC) -o $@ $^ $(SIM_LIBS)

sim/%: sim/obj/tests/sim/%.o $(SIM_OBJS)
	$(AM_V_CCLD)$(SMPICC) -o $@ $^ $(SIM_LIBS)

sim/collbench-bcast: $(patsubst %,sim/obj/bench/bcast_%.o,options path plots tables)

# The profiling layer, linked in front of the simulator's MPI: programs named in SIM_LAYER_BINARIES.
SIM_LAYER_FILES = $(filter %.c,$(libcollprof_la_SOURCES) $(libreport_la_SOURCES))
SIM_LAYER_GENERATED = sim/gen/wrappers/functions.c sim/gen/wrappers/operations.c
SIM_LAYER_OBJS = $(filter-out $(SIM_OBJS),$(SIM_LAYER_FILES:%.c=sim/obj/%.o)) \
	$(SIM_LAYER_GENERATED:sim/gen/%.c=sim/obj/gen/%.o)
$(SIM_LAYER_OBJS): SIM_FIRST_CPPFLAGS = -Isim/gen -I$(top_srcdir) $(UNWIND_CFLAGS)
$(SIM_LAYER_OBJS): sim/gen/wrappers/operations.h sim/gen/wrappers/next.h

sim/gen/wrappers/mpi.i:
	$(AM_V_GEN)$(MKDIR_P) $(@D) && echo '#include <mpi.h>' > sim/gen/mpi.c && \
	$(SMPICC) -E -P -o $@ sim/gen/mpi.c
sim/gen/wrappers/operations.h: WANT = enum
sim/gen/wrappers/next.h: WANT = next
sim/gen/wrappers/operations.c: WANT = names
sim/gen/wrappers/functions.c: WANT = functions
sim/gen/wrappers/operations.h sim/gen/wrappers/next.h $(SIM_LAYER_GENERATED): sim/gen/wrappers/mpi.i \
		$(srcdir)/wrappers/functions.table $(srcdir)/wrappers/generate.awk
	$(AM_V_GEN)$(WRAPPERS_GENERATE) -v want=$(WANT) $(srcdir)/wrappers/functions.table $< > $@
sim/obj/gen/%.o: sim/gen/%.c
	$(AM_V_CC)$(MKDIR_P) $(@D) && \
	$(SMPICC) $(SIM_FIRST_CPPFLAGS) $(SIM_CPPFLAGS) -w -std=gnu11 -fPIC -O2 -g -c -o $@ $<

$(SIM_LAYER_BINARIES): sim/%: sim/obj/tests/sim/%.o $(SIM_LAYER_OBJS) $(SIM_OBJS)
	$(AM_V_CCLD)$(SMPICC) -o $@ $^ $(SIM_LIBS) $(UNWIND_LIBS)

.SECONDARY:
-include $(wildcard sim/obj/*/*.d sim/obj/*/*/*.d)

clean-local: clean-sim
clean-sim:
	rm -rf sim
.PHONY: clean-sim

EXTRA_DIST += tests/sim/smoke.c tests/sim/smoke.sh tests/sim/collbench-bcast.sh
if HAVE_SMPI
SIM_BINARIES += sim/smoke sim/collbench-bcast
TESTS += tests/sim/smoke.sh tests/sim/collbench-bcast.sh
check_DATA += $(SIM_BINARIES)
endif

# The papers' comparisons, in simulation: pictures and their data in build/figures.
FIGURES = figures-bcast
figures: $(FIGURES)
.PHONY: figures $(FIGURES)
figures-bcast: sim/collbench-bcast
	$(AM_TESTS_ENVIRONMENT) $(srcdir)/tests/sim/figures-bcast.sh figures
clean-local: clean-figures
clean-figures:
	rm -rf figures
.PHONY: clean-figures
EXTRA_DIST += tests/sim/figures-bcast.sh
EXTRA_DIST += tests/sim/layer.c tests/sim/layer.sh
if HAVE_SMPI
TESTS += tests/sim/layer.sh
check_DATA += $(SIM_LAYER_BINARIES)
endif
