/* A clock that stands still between holds: clock_use_external(simulated_now, simulated_hold). */
#pragma once

#include "unit.h"

static double simulated;

static double simulated_now(void)
{
    return simulated;
}

static void simulated_hold(double seconds)
{
    simulated += seconds;
}
