/* SPDX-License-Identifier: MIT */
/* Status texts, and the one way an error sentence is made. */
#include "status.h"

#include <stdarg.h>
#include <stdio.h>

const char *uf_status_text(int status)
{
    switch (status) {
    case UF_OK:
        return "ok";
    case UF_EINVAL:
        return "invalid argument";
    case UF_ENOMEM:
        return "out of memory";
    case UF_EIO:
        return "input or output error";
    case UF_EFORMAT:
        return "not a valid filter";
    case UF_EVERSION:
        return "filter of a newer version";
    case UF_EUNSUPPORTED:
        return "not supported by this kind of filter";
    case UF_EFULL:
        return "the filter is full";
    case UF_EMISMATCH:
        return "filters do not fit together";
    case UF_EIMPOSSIBLE:
        return "no design meets the request";
    case UF_ERANDOM:
        return "no randomness from the system";
    case UF_EBUILD:
        return "equations could not be solved";
    case UF_EREADONLY:
        return "filter is read-only";
    case UF_ECANCELED:
        return "stopped";
    case UF_EBUDGET:
        return "privacy budget exceeded";
    case UF_EABSENT:
        return "the key is not in the filter";
    case UF_ESTUCK:
        return "the answer to this key cannot change any more";
    case UF_EKEY:
        return "needs the key it was made with";
    case UF_EUNDECLARED:
        return "the capacity was counted, not declared";
    case UF_EPART:
        return "the key belongs to another part of the filter";
    case UF_ESIGNATURE:
        return "not signed as it should be";
    default:
        return "unknown status";
    }
}

__attribute__((format(printf, 4, 0))) static int write_error(uf_error *why, int status, int reason, const char *format,
                                                             va_list args)
{
    if (why) {
        why->status = status;
        why->reason = reason;
        (void)vsnprintf(why->text, sizeof why->text, format, args);
        for (char *at = why->text; *at; at++)
            if ((unsigned char)*at < ' ' || *at == 127)
                *at = '?'; /* what the caller gave may hold anything; the sentence stays one line */
    }
    return status;
}

#ifdef __clang_analyzer__ /* status.h */
#undef fail
#undef fail_because
#endif
int fail(uf_error *why, int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)write_error(why, status, 0, format, args);
    va_end(args);
    return status;
}

int fail_because(uf_error *why, int status, int reason, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)write_error(why, status, reason, format, args);
    va_end(args);
    return status;
}

void error_clear(uf_error *why)
{
    if (!why)
        return;
    why->status = UF_OK;
    why->reason = 0;
    why->text[0] = 0;
}

const char *uf_version(void)
{
    return UF_VERSION;
}
