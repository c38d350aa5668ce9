#include "layer/life_inner.h"

#include "profile/profile.h"
#include "report/findings.h"
#include "report/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct reporting {
    struct profile *p;
    double start; /* of putting it together, by clock_now() */
    int error;
};

static void save(struct reporting *r)
{
    int directory = place_open(&life_place);
    r->error = directory < 0 ? errno : profile_save(r->p, directory);
    if (directory >= 0)
        close(directory);
    if (r->error)
        layer_say("cannot write %s/profile.json: %s%s", life_place.shown, strerror(r->error),
                  layer.ledger.in_file ? "; the records stay" : "");
}

static void write_report(void *arg)
{
    struct reporting *r = arg;
    profile_symbolize(r->p);
    findings_name(r->p);
    profile_set_end(r->p, clock_now() - r->start);
    if (*life_place.path) /* what hindered the records may not hinder the profile */
        save(r);
    if (layer.settings.report) {
        report_text(
            r->p, stderr,
            &(struct report_options){.top = layer.settings.top,
                                     .directory = *life_place.path ? life_place.shown : NULL});
        if (*life_kept_run)
            layer_say("the run that was in %s is kept in %s/%s; collprof list shows all",
                      life_place.shown, life_place.shown, life_kept_run);
    }
}

bool life_report(struct profile *p, double start)
{
    struct reporting r = {p, start, 0};
    if (p && memory_try(write_report, &r))
        return r.error == 0;
    layer_say("not enough memory to put the profile together: %s%s",
              layer.ledger.in_file ? "the records stay, for collprof report "
                                   : "there is no report",
              layer.ledger.in_file ? life_place.shown : "");
    return false;
}
