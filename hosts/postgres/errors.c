/* SPDX-License-Identifier: MIT */
/* The library's statuses as SQLSTATEs, with its own sentence. */
#include "host.h"
/* after it */
#include "miscadmin.h"

static int code_of(int status)
{
    switch (status) {
    case UF_ENOMEM:
        return ERRCODE_OUT_OF_MEMORY;
    case UF_EIO:
        return ERRCODE_IO_ERROR;
    case UF_EFORMAT:
    case UF_EVERSION:
    case UF_ESIGNATURE:
        return ERRCODE_INVALID_BINARY_REPRESENTATION;
    case UF_EUNSUPPORTED:
    case UF_EREADONLY:
        return ERRCODE_FEATURE_NOT_SUPPORTED;
    case UF_EFULL:
        return ERRCODE_PROGRAM_LIMIT_EXCEEDED;
    case UF_EBUDGET:
        return ERRCODE_CHECK_VIOLATION;
    case UF_EKEY:
        return ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE;
    case UF_ERANDOM:
        return ERRCODE_SYSTEM_ERROR;
    case UF_ECANCELED:
        return ERRCODE_QUERY_CANCELED;
    default:
        return ERRCODE_INVALID_PARAMETER_VALUE;
    }
}

void fail_with(int status, const uf_error *why)
{
    if (status == UF_ECANCELED)
        CHECK_FOR_INTERRUPTS();
    ereport(ERROR,
            (errcode(code_of(status)), errmsg("ultrafilter: %s", why->text[0] ? why->text : uf_status_text(status)),
             status == UF_EKEY ? errhint("A superuser names the file of the key with ultrafilter.key_file.") : 0));
    pg_unreachable();
}
