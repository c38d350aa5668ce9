# One clock for all ranks.
libmeasure_la_SOURCES += \
	src/sync/estimate.c src/sync/estimate.h \
	src/sync/sync.c src/sync/sync.h
