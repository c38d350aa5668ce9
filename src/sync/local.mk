# One clock for all ranks.
libmeasure_la_SOURCES += \
	src/sync/estimate.c src/sync/estimate.h \
	src/sync/politely.h src/sync/local_clock.c src/sync/local_clock.h \
	src/sync/sync.c src/sync/sync.h

# Broadcast schedules from measured latencies.
libmeasure_la_SOURCES += \
	src/trees/heap.c src/trees/heap.h \
	src/trees/schedule.c src/trees/schedule.h src/trees/flow.c src/trees/flow.h src/trees/builders.h \
	src/trees/build_paper.c src/trees/build_greedy.c src/trees/build_fixed.c \
	src/trees/build_best.c
libmeasure_la_SOURCES += src/trees/schedule_run.c src/trees/schedule_run.h

# Latencies of all pairs of ranks. Data and log without MPI: the command reads them too.
libbase_la_SOURCES += \
	src/trees/graph.c src/trees/graph.h \
	src/measure/pairs_data.c src/measure/pairs_data.h \
	src/measure/pairs_log.c src/measure/pairs_log.h \
	src/measure/hierarchy.c src/measure/hierarchy.h
libmeasure_la_SOURCES += src/measure/pairs.c src/measure/pairs.h
libmeasure_la_SOURCES += src/measure/grid.c src/measure/grid.h
libmeasure_la_SOURCES += src/measure/pairs_sites.c src/measure/pairs_sites.h
