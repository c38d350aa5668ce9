# The profile: gathered, merged, kept and shown.
libreport_la_SOURCES += \
	src/report/arrivals.c src/report/arrivals.h \
	src/report/compare.c src/report/compare.h \
	src/report/events.c \
	src/report/fields.c src/report/fields.h \
	src/report/format.c src/report/format.h \
	src/report/gather.c \
	src/report/json_read.c \
	src/report/json_write.c \
	src/report/judge.c \
	src/report/labels.c \
	src/report/layout.c src/report/layout.h \
	src/report/load.c \
	src/report/merge.c \
	src/report/model.c src/report/model.h \
	src/report/pack.c \
	src/report/pictures.c src/report/pictures.h \
	src/report/profile.h \
	src/report/rows.c src/report/rows.h \
	src/report/sort.c \
	src/report/symbolize.c \
	src/report/tables.c src/report/tables.h \
	src/report/text.c src/report/text.h \
	src/report/text_calls.c \
	src/report/text_findings.c \
	src/report/text_summary.c \
	src/report/text_waits.c

libreport_la_SOURCES += src/report/pairs_plot.c src/report/pairs_plot.h \
	src/report/schedule_json.c src/report/schedule_json.h src/report/schedule_draw.c
