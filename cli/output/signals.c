/* SPDX-License-Identifier: MIT */
#include "signals.h"

sigset_t signals_hold(void)
{
    sigset_t ends, before;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    sigprocmask(SIG_BLOCK, &ends, &before);
    return before;
}

void signals_restore(const sigset_t *before)
{
    sigprocmask(SIG_SETMASK, before, NULL);
}
