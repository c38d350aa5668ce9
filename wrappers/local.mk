# libcollprof.so, which is preloaded into or linked with applications, and a layer for each MPI.
GENERATORS = $(srcdir)/wrappers/generate.awk $(srcdir)/wrappers/prototypes.awk
WRAPPERS_GENERATE = $(AWK) $(GENERATORS:%=-f %)
EXTRA_DIST += wrappers/functions.table wrappers/generate.awk wrappers/prototypes.awk wrappers/exports.map wrappers/layers.mk
include_HEADERS = src/collprof.h

# libcollprof.so: the functions of all MPIs, each a jump to the layer for the process's MPI.
lib_LTLIBRARIES = libcollprof.la
libcollprof_la_CPPFLAGS = -I$(top_srcdir) $(AM_CPPFLAGS)
libcollprof_la_SOURCES = wrappers/choose.c wrappers/choose.h wrappers/redirect.c wrappers/stubs.c
libcollprof_la_LIBADD = libbase.la
libcollprof_la_LDFLAGS = -avoid-version -shared -Wl,-z,defs \
	-Wl,--version-script=$(srcdir)/wrappers/exports.map
libcollprof_la_DEPENDENCIES = libbase.la wrappers/exports.map

wrappers/stubs.h: $(LAYERS:%=layers/%/record/operations.h) $(srcdir)/wrappers/local.mk
	$(AM_V_GEN)$(MKDIR_P) wrappers && { printf 'STUB(%s)\n' collprof_region_begin collprof_region_end; \
	sed -n 's/^ *OP_\(.*\),$$/STUB(MPI_\1)/p' $^ | sort -u; } > $@
BUILT_SOURCES += wrappers/stubs.h
CLEANFILES += wrappers/stubs.h

# The sources of a layer, besides libmeasure_la_SOURCES and generated ones: these folders without the files that need
# no MPI.
LAYER_FILES = $(filter-out wrappers/choose.% wrappers/redirect.c wrappers/stubs.c src/record/ledger%, \
	$(patsubst $(srcdir)/%,%,$(wildcard $(srcdir)/wrappers/*.[ch] $(srcdir)/src/record/*.[ch] \
		$(srcdir)/src/inject/*.[ch] $(srcdir)/src/layer/*.[ch])))
EXTRA_DIST += $(LAYER_FILES)
@LAYERS_MK@
-include $(srcdir)/wrappers/layers.mk
all-local: $(LAYERS:%=layers/%/libcollprof-layer.so) $(LAYERS:%=layers/%/libcollprof.a) \
	$(foreach mpi,$(LAYERS),$(BENCHES:%=layers/$(mpi)/collbench-%))
install-exec-local: install-layers
install-layers: all-local
	for mpi in $(LAYERS); do $(MKDIR_P) "$(DESTDIR)$(pkglibdir)/$$mpi" && \
		$(INSTALL_DATA) layers/$$mpi/libcollprof-layer.so layers/$$mpi/libcollprof.a \
			"$(DESTDIR)$(pkglibdir)/$$mpi/" && \
		$(INSTALL_PROGRAM) layers/$$mpi/collbench-* "$(DESTDIR)$(pkglibdir)/$$mpi/" || exit 1; done
uninstall-local: uninstall-layers uninstall-modulefile
uninstall-layers:
	for mpi in $(LAYERS); do rm -rf "$(DESTDIR)$(pkglibdir)/$$mpi"; done
clean-local: clean-layers
clean-layers:
	rm -rf layers
.PHONY: install-layers uninstall-layers clean-layers
