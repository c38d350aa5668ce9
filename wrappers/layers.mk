# For each MPI of configure: its layer, layers/NAME/libcollprof-layer.so, and its bench programs. All have the same
# sources, but wrappers generated from their own mpi.h. A layer is not linked with its MPI: the process has loaded it.
# Plain make instead of automake, which has no loops.
define layer_rules
layers/$(1)/wrappers/mpi.i: config.status $$(srcdir)/wrappers/layers.mk
	$$(AM_V_GEN)$$(MKDIR_P) $$(@D) && \
	printf '#define __attribute__(x)\n#include <mpi.h>\n' | $$(CC) $$(CPPFLAGS) $$($(1)_CFLAGS) -E -P -x c - > $$@
$$(GENERATED:%=layers/$(1)/%): layers/$(1)/wrappers/mpi.i \
		$$(srcdir)/wrappers/functions.table $$(GENERATORS)
	$$(AM_V_GEN)$$(MKDIR_P) $$(@D) && $$(WRAPPERS_GENERATE) -v want=$$(@F) $$(srcdir)/wrappers/functions.table $$< \
		> $$@.new && mv $$@.new $$@

$(1)_MEASURE_OBJS = $$(patsubst %.c,layers/$(1)/obj/%.o,$$(filter %.c,$$(libmeasure_la_SOURCES)))
$(1)_OBJS = $$(patsubst %.c,layers/$(1)/obj/%.o,$$(filter %.c,$$(LAYER_FILES))) $$($(1)_MEASURE_OBJS)
$(1)_MADE = $$(patsubst %.c,layers/$(1)/%.o,$$(filter %.c,$$(GENERATED)))
$$($(1)_OBJS) $$($(1)_MADE): LAYER_CPPFLAGS = -Ilayers/$(1) $$($(1)_CFLAGS) \
	-DLAYER_MPI='$$($(1)_BUILT)'
$$($(1)_OBJS) $$($(1)_MADE): layers/$(1)/record/operations.h
$$($(1)_OBJS): layers/$(1)/obj/%.o: $$(srcdir)/%.c
	$$(LAYER_COMPILE)
$$($(1)_MADE): %.o: %.c
	$$(LAYER_COMPILE)
layers/$(1)/libcollprof-layer.so: $$($(1)_OBJS) $$($(1)_MADE) $$(LAYER_FLOORS) \
		$$(srcdir)/wrappers/exports.map
	$$(AM_V_CCLD)$$(CC) $$(CFLAGS) -shared -Wl,--gc-sections $$(PACKED_LDFLAGS) -o $$@ $$($(1)_OBJS) $$($(1)_MADE) $$(LAYER_ARCHIVES) \
		$$(LDFLAGS) -Wl,--version-script=$$(srcdir)/wrappers/exports.map $$(AX_THREADS) \
		$$(LAYER_LIBS)

# The bench programs, of the same objects.
$(1)_LIBBENCH_OBJS = $$(patsubst %.c,layers/$(1)/obj/%.o,$$(filter %.c,$$(libbench_la_SOURCES)))
layers/$(1)/obj/bench/%.o: LAYER_CPPFLAGS = $$($(1)_CFLAGS) -I$$(top_srcdir)/bench $$(HWLOC_CFLAGS)
layers/$(1)/obj/bench/%.o: $$(srcdir)/bench/%.c
	$$(LAYER_COMPILE)
$$(foreach bench,$$(BENCHES),$$(eval layers/$(1)/collbench-$$(bench): \
	$$$$(patsubst %.c,layers/$(1)/obj/%.o,$$$$(filter %.c,$$$$($$(bench)_FILES)))))
$$(BENCHES:%=layers/$(1)/collbench-%): $$($(1)_LIBBENCH_OBJS)
layers/$(1)/collbench-overhead: $$(patsubst %.c,layers/$(1)/obj/%.o,$$(filter %.c,$$(OVERHEAD_FILES)))
$$(BENCHES:%=layers/$(1)/collbench-%) layers/$(1)/collbench-overhead: $$($(1)_MEASURE_OBJS) $$(BENCH_FLOORS)
	$$(AM_V_CCLD)$$(CC) $$(CFLAGS) -o $$@ $$(filter %.o,$$^) $$(BENCH_FLOORS:%.la=.libs/%.a) \
		$$(LDFLAGS) $$(AX_THREADS) $$($(1)_LIBS) $$(HWLOC_LIBS) $$(JANSSON_LIBS) $$(LIBS)
# One archive for static linking.
layers/$(1)/libcollprof.a: layers/$(1)/libcollprof-layer.so
	$$(AM_V_AR)rm -f $$@ && { echo CREATE $$@; \
	printf 'ADDMOD %s\n' $$($(1)_OBJS) $$($(1)_MADE); printf 'ADDLIB %s\n' $$(LAYER_ARCHIVES); \
	echo SAVE; } | $$(AR) -M
endef

GENERATED = record/operations.h wrappers/operations.c wrappers/functions.c wrappers/rare.c
LAYER_COMPILE = $(AM_V_CC)$(MKDIR_P) $(@D) && $(CC) $(DEFS) $(DEFAULT_INCLUDES) $(LAYER_CPPFLAGS) \
	-I$(top_srcdir) $(AM_CPPFLAGS) $(UNWIND_CFLAGS) $(CPPFLAGS) $(AM_CFLAGS) \
	$(CFLAGS) -fPIC -MMD -MP -c -o $@ $<
# Libraries without MPI, which are compiled once for all layers.
LAYER_FLOORS = libreport.la libresults.la libverdict.la libdocument.la libprofile.la libbase.la
LAYER_ARCHIVES = $(LAYER_FLOORS:%.la=.libs/%.a)
BENCH_FLOORS = libresults.la libprofile.la libdocument.la libtopology.la libbase.la
LAYER_LIBS = $(UNWIND_LIBS) $(JANSSON_LIBS) $(LIBS)

$(foreach mpi,$(LAYERS),$(eval $(call layer_rules,$(mpi))))
-include $(wildcard layers/*/wrappers/*.d layers/*/obj/*/*.d layers/*/obj/*/*/*.d layers/*/obj/*/*/*/*.d)
