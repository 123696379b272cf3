/* SPDX-License-Identifier: MIT */
/* How a function below src/ fails: it fills the caller's uf_error, if there is one, and returns the status. */
#ifndef UF_STATUS_H
#define UF_STATUS_H

#include "ultrafilter.h"

/* Returns `status`, so that a failing path is one line: return fail(why, UF_EINVAL, "...", ...). */
__attribute__((format(printf, 3, 4))) int fail(uf_error *why, int status, const char *format, ...);

/* The same with a reason: what a callback of the caller returned, or errno. */
__attribute__((format(printf, 4, 5))) int fail_because(uf_error *why, int status, int reason, const char *format, ...);

/* For clang's analyzer, which does not see into other files: what fails has the status it was given, so never UF_OK. */
#ifdef __clang_analyzer__
#undef fail
#undef fail_because
#define fail(why, status, ...) (fail(why, status, __VA_ARGS__), (status))
#define fail_because(why, status, reason, ...) (fail_because(why, status, reason, __VA_ARGS__), (status))
#endif

/* No error yet: how every public call that takes `why` begins, so that one that succeeds leaves it empty. */
void error_clear(uf_error *why);

#endif
