# The same sources, built for the simulator: build/sim/PROGRAM, run by tests/sim/run.sh.
sim_programs = methods isolated
sim_layer_programs = layer drawn benchmark waits known causes what_if stuck
SIM_BINARIES = $(BENCHES:%=sim/collbench-%) $(sim_programs:%=sim/%) $(sim_layer_programs:%=sim/%)

# The longest first: they run beside each other.
SIM_TESTS = tests/sim/drift.sh tests/sim/collbench-bcast.sh tests/sim/sweep.py tests/sim/sweep_collective.py \
	tests/sim/scenario.sh tests/sim/overlap.sh tests/sim/pairs.sh tests/sim/collbench-collective.sh \
	tests/sim/methods.sh tests/sim/trees.sh tests/sim/trees.py tests/sim/tune.py tests/sim/what_if.py \
	tests/sim/stuck.py tests/sim/known.sh tests/sim/drawn.sh tests/sim/benchmark.sh tests/sim/waits.sh \
	tests/sim/claims.sh
THOROUGH_TESTS += tests/sim/layer.sh tests/sim/regressions.py
if HAVE_SMPI
TESTS += $(SIM_TESTS)
check_DATA += $(SIM_BINARIES)
endif

# Drawn in simulation, from SEED on; each goes on where it was ended. 400 hangs and their verdict; 300 cases of --tune;
# 300 networks, and what is predicted of trees; 300 programs, really changed, and what was predicted of that; 100
# regressions and 100 equal pairs, and what compare says.
TRUTHS = truth-verdict truth-tune truth-networks truth-causes truth-compare
truth-verdict: TRUTH = stuck.py $(FIRST) 400 64 60
truth-tune: TRUTH = tune.py $(FIRST) 300 64 600
truth-networks: TRUTH = trees.py $(FIRST) 300 37 120
truth-causes: TRUTH = what_if.py $(FIRST) 300 8 100
truth-compare: TRUTH = regressions.py $(FIRST) 200 32 60
$(TRUTHS): FIRST = $(or $(SEED),1)
$(TRUTHS): all sim/stuck sim/isolated sim/collbench-collective sim/collbench-tree sim/what_if
	$(AM_TESTS_ENVIRONMENT) python3 $(srcdir)/tests/sim/$(TRUTH) $@.$(FIRST)
.PHONY: $(TRUTHS)

# Objects of all floors but profile and page, which only the layer needs.
SIM_FILES = $(filter %.c,$(libbase_la_SOURCES) $(libtopology_la_SOURCES) $(libmeasure_la_SOURCES) \
	$(libresults_la_SOURCES) $(libdocument_la_SOURCES) $(libprofile_la_SOURCES) \
	$(libbench_la_SOURCES))
SIM_OBJS = $(SIM_FILES:%.c=sim/obj/%.o)
SIM_CPPFLAGS = $(DEFS) $(AM_CPPFLAGS) -I$(top_srcdir)/bench $(HWLOC_CFLAGS) \
	-DCOLLPROF_SIMULATED -DSMPI_NO_OVERRIDE_MALLOC -DLIBDIR='"$(libdir)"' -DPKGLIBDIR='"$(pkglibdir)"'
SIM_CFLAGS = -O2 -g
SIM_LIBS = $(JANSSON_LIBS) $(HWLOC_LIBS) -lm

sim/obj/%.o: $(srcdir)/%.c
	$(AM_V_CC)$(MKDIR_P) $(@D) && \
	$(SMPICC) $(SIM_FIRST_CPPFLAGS) $(SIM_CPPFLAGS) $(WARNING_CFLAGS) -fvisibility=default -fPIC $(SIM_CFLAGS) \
		-MMD -MP -c -o $@ $<

sim_objects = $(patsubst %.c,sim/obj/%.o,$(filter %.c,$(1)))
# Their ranks are disturbed where the environment says so.
sim/collbench-bcast: $(call sim_objects,$(bcast_FILES))
sim/collbench-bcast sim/collbench-collective sim/isolated: sim/obj/tests/sim/noise.o
sim/collbench-bcast sim/collbench-collective sim/isolated: SIM_WRAP = -Wl,--wrap=PMPI_Recv,--wrap=PMPI_Wait,--wrap=PMPI_Bcast
sim/collbench-collective: $(call sim_objects,$(collective_FILES)) sim/obj/tests/sim/algorithms.o
sim/collbench-collective: SIM_WRAP += -Wl,--wrap=PMPI_Get_library_version
sim/collbench-overlap: $(call sim_objects,$(overlap_FILES))
sim/collbench-pairs: $(call sim_objects,$(pairs_FILES))
sim/collbench-scenario: $(call sim_objects,$(scenario_FILES))
sim/collbench-tree: $(call sim_objects,$(tree_FILES))
$(BENCHES:%=sim/collbench-%): $(SIM_OBJS)
	$(AM_V_CCLD)$(SMPICC) -o $@ $^ $(SIM_WRAP) $(SIM_LIBS)

$(sim_programs:%=sim/%): sim/%: sim/obj/tests/sim/%.o $(SIM_OBJS)
	$(AM_V_CCLD)$(SMPICC) -o $@ $^ $(SIM_WRAP) $(SIM_LIBS)

# The profiling layer, linked in front of the simulator's MPI.
SIM_LAYER_FILES = $(filter %.c,$(LAYER_FILES) $(libprofile_la_SOURCES) $(libreport_la_SOURCES)) \
	src/verdict/ended.c src/verdict/judge.c src/verdict/situation.c src/verdict/text.c src/verdict/waits.c
SIM_LAYER_GENERATED = sim/gen/wrappers/functions.c sim/gen/wrappers/rare.c sim/gen/wrappers/operations.c
SIM_LAYER_OBJS = $(filter-out $(SIM_OBJS),$(SIM_LAYER_FILES:%.c=sim/obj/%.o)) \
	$(SIM_LAYER_GENERATED:sim/gen/%.c=sim/obj/gen/%.o)
$(SIM_LAYER_OBJS): SIM_FIRST_CPPFLAGS = -Isim/gen -I$(top_srcdir) $(UNWIND_CFLAGS) \
	-DLAYER_MPI='{"", "SMPI", "smpirun", ""}'
$(SIM_LAYER_OBJS): sim/gen/record/operations.h

sim/gen/wrappers/mpi.i: $(srcdir)/tests/sim/local.mk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && printf '#define __attribute__(x)\n#include <mpi.h>\n' > sim/gen/mpi.c && \
	$(SMPICC) -E -P -o $@ sim/gen/mpi.c
sim/gen/record/operations.h $(SIM_LAYER_GENERATED): sim/gen/wrappers/mpi.i \
		$(srcdir)/wrappers/functions.table $(GENERATORS)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(WRAPPERS_GENERATE) -v want=$(@F) $(srcdir)/wrappers/functions.table $< > $@
sim/obj/gen/%.o: sim/gen/%.c
	$(AM_V_CC)$(MKDIR_P) $(@D) && \
	$(SMPICC) $(SIM_FIRST_CPPFLAGS) $(SIM_CPPFLAGS) -w -std=gnu11 -fPIC $(SIM_CFLAGS) -MMD -MP -c -o $@ $<

$(sim_layer_programs:%=sim/%): sim/%: sim/obj/tests/sim/%.o $(SIM_LAYER_OBJS) $(SIM_OBJS)
	$(AM_V_CCLD)$(SMPICC) -o $@ $^ $(SIM_WRAP) $(SIM_LIBS) $(UNWIND_LIBS)

# Not .SECONDARY, of which a source that is new would not be compiled into a library that is there.
.PRECIOUS: sim/obj/%.o
-include $(wildcard sim/obj/*/*.d sim/obj/*/*/*.d sim/obj/*/*/*/*.d)

clean-local: clean-sim
clean-sim:
	rm -rf sim
.PHONY: clean-sim

# The papers' figures, in simulation and on this machine: data, pictures and an index of them in build/figures.
FIGURES = figures-bcast figures-pairs figures-scenario figures-tree figures-workstations figures-overlap \
	figures-timeline figures-sweep
figures $(FIGURES): all $(BENCHES:%=sim/collbench-%) sim/waits sim/isolated
	$(AM_TESTS_ENVIRONMENT) LAYERS='$(LAYERS)' $(srcdir)/tests/sim/figures.py figures $(patsubst figures-%,%,$(filter-out figures,$@))
# doc/claims.md anew, from its template.
claims: all $(BENCHES:%=sim/collbench-%)
	$(AM_TESTS_ENVIRONMENT) $(srcdir)/tests/sim/claims.py $(srcdir)/doc/claims.in $(srcdir)/doc/claims.md
# The tables of doc/study.md: hours for 300 networks; goes on where it was ended. NETWORKS=20: fewer.
NETWORKS = 300
study: all sim/collbench-bcast sim/collbench-scenario sim/isolated sim/layer
	$(AM_TESTS_ENVIRONMENT) $(srcdir)/tests/sim/study.py study $(NETWORKS) | tee study.md
clean-local: clean-figures
clean-figures:
	rm -rf figures study study.md
.PHONY: figures $(FIGURES) claims study clean-figures
