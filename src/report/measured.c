/* Tables of the layer's experiments (src/inject). A column is named like the JSON member that it
 * shows, without the unit. */
#include "report/tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define INTERVAL(name, head, meaning)                                                              \
    COLUMN(name, TIME, head, meaning),                                                             \
        OPTIONAL(name "_low", TIME, "from", "lower end of the 95 % interval"),                     \
        OPTIONAL(name "_high", TIME, "to", "upper end of the 95 % interval")
#define MESSAGE                                                                                    \
    NAME("communicator", NULL, "the operation's communicator"),                                    \
        COLUMN("root", RANK, NULL, "the root, a rank of the communicator"),                        \
        COLUMN("bytes", BYTES, NULL, "size of the message")

const struct column ack_columns[] = {
    MESSAGE,
    COLUMN("destination", RANK, "to rank", "the rank that received"),
    INTERVAL("direct", "latency",
             "time from the root's entry to this rank's return, only of broadcasts that no late "
             "rank can have delayed"),
    INTERVAL("ol", "by acks",
             "time from the root's entry until this rank's acknowledgement arrived, minus half of "
             "the acknowledgement's round trip; needs no common clock"),
    OPTIONAL("acknowledged", COUNT, "acks",
             "acknowledgements received for the recorded broadcasts"),
};

const struct column benchmark_columns[] = {
    COLUMN("operation", TEXT, NULL, "the MPI function"),
    MESSAGE,
    COLUMN("method", TEXT, NULL, "method of measuring, see collbench-bcast(1)"),
    COLUMN("time", TIME, NULL, "median time; if destinations were measured: of the slowest one"),
    OPTIONAL("low", TIME, "from", "lower end of the 95 % interval"),
    OPTIONAL("high", TIME, "to", "upper end of the 95 % interval"),
    COLUMN("destinations", TEXT, NULL,
           "number of destinations measured, if the method measures them or pairs one by one"),
    NAME("measures", NULL,
         "what the method measures (see collbench-bcast(1)), or why there is no time"),
};

const struct column broadcast_columns[] = {
    MESSAGE,
    COLUMN("algorithm", TEXT, NULL, "the algorithm that replaced the broadcast"),
    COLUMN("calls", COUNT, NULL, "number of broadcasts that were replaced"),
    COLUMN("predicted", TIME, NULL, "time predicted by the model from measured latencies"),
    INTERVAL("seen", NULL,
             "last exit minus the root's entry in the application, where ranks may be late"),
    COLUMN("trial", TIME, NULL,
           "time of the replacement if no rank is late, measured before the first call"),
    COLUMN("library", TIME, NULL,
           "time of the library's broadcast if no rank is late, measured before the first call"),
};

const struct column algorithm_columns[] = {
    COLUMN("operation", TEXT, NULL, "the MPI function"),
    COLUMN("ranks", COUNT, NULL, "number of ranks in the communicator"),
    COLUMN("bytes", BYTES, NULL, "size of the message"),
    COLUMN("calls", COUNT, NULL, "number of collectives that all ranks traced"),
    COLUMN("algorithm", TEXT, NULL,
           "the algorithm that matches number and size of each rank's messages"),
};

const struct column tune_columns[] = {
    COLUMN("operation", TEXT, NULL, "the MPI function"),
    MESSAGE,
    COLUMN("calls", COUNT, NULL,
           "number of calls of this operation with this root and size on the communicator"),
    COLUMN("now", TIME, NULL,
           "time with the library's choice, from the last entry to the last exit, ranks arriving "
           "as in the application"),
    COLUMN("best", TEXT, NULL,
           "the fastest algorithm; empty: none is certainly faster than the library's choice"),
    COLUMN("segment", BYTES, NULL, "segment size of that algorithm; 0: messages are not divided"),
    INTERVAL("faster", "then", "time with the fastest algorithm"),
    INTERVAL("saves", NULL,
             "time that the fastest algorithm would save, sum of all calls; '-': unknown"),
};

static void put_measurement(struct table *t, const struct view *v, const struct profile_finding *f,
                            const json_t *row)
{
    char key[64], comm[COMM_LABEL];
    for (size_t c = 0; c < v->table->n_columns; c++) {
        const struct column *column = &v->table->columns[c];
        bool time = column->kind == COLUMN_TIME;
        snprintf(key, sizeof key, "%s%s", column->name, time ? "_us" : "");
        const json_t *cell = json_object_get(row, key);
        cell = cell ? cell : json_object_get(f->value, key);
        if (f->comm != PROFILE_NONE && !strcmp(key, "communicator")) {
            comm_label(v->p, f->comm, comm);
            table_text(t, comm);
        } else if (column->kind == COLUMN_TEXT)
            table_text(t, json_string_value(cell));
        else
            table_real(t, json_is_number(cell) ? json_number_value(cell) * (time ? 1e-6 : 1) : NAN);
    }
    const char *remark = json_string_value(json_object_get(row, "remark"));
    if (remark && *remark)
        table_remark(t, FINDING("remark", NOTE), "%s", remark);
}

void fill_measured(struct table *t, const struct view *v)
{
    for (EACH(const struct profile_finding, f, v->p->findings)) {
        const json_t *row;
        size_t k;
        if (strcmp(f->kind, v->table->name) != 0)
            continue;
        json_array_foreach(json_object_get(f->value, v->table->rows), k, row)
            put_measurement(t, v, f, row);
        if (!v->table->rows)
            put_measurement(t, v, f, f->value);
    }
}
