# One clock for all ranks.
libmeasure_la_SOURCES += \
	src/sync/estimate.c src/sync/estimate.h \
	src/sync/sync.c src/sync/sync.h

# Broadcast schedules from measured latencies.
libmeasure_la_SOURCES += \
	src/trees/graph.c src/trees/graph.h \
	src/trees/heap.c src/trees/heap.h \
	src/trees/schedule.c src/trees/schedule.h src/trees/builders.h \
	src/trees/build_paper.c src/trees/build_greedy.c src/trees/build_fixed.c \
	src/trees/build_best.c
