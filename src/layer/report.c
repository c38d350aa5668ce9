#include "layer/parts.h"

#include "base/input.h"
#include "profile/profile.h"
#include "report/report.h"
#include "verdict/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct reporting {
    struct profile *p;
    double start; /* clock_now() when merging began */
    int error;
};

static void write_report(void *arg)
{
    struct reporting *r = arg;
    if (*tuned_refused)
        profile_warn(r->p, "%s", tuned_refused);
    profile_set_variables(r->p);
    profile_symbolize(r->p);
    verdict_of_ended(r->p);
    r->p->ranks.at[0].merge_ns = whole_count(1e9 * (clock_now() - r->start));
    CLOSED int directory = run_directory_open(&run_directory);
    r->error = directory < 0 ? errno : profile_save(r->p, directory);
    if (r->error)
        layer_say("cannot write %s/profile.json: %s; the records stay", run_directory.shown,
                  strerror(r->error));
    tuned_save(r->p);
    if (layer.settings.report)
        report_text(r->p, stderr, &(struct report_options){.directory = run_directory.shown});
}

bool report_write(struct profile *p, double start)
{
    struct reporting r = {p, start, 0};
    if (p && memory_try(write_report, &r))
        return r.error == 0;
    layer_say("not enough memory to put the profile together: the records stay, for collprof "
              "report %s",
              run_directory.shown);
    return false;
}
