/* SPDX-License-Identifier: MIT */
/* What is known of a filter, as jsonb: uf_info, uf_claim; its fingerprint, and its epsilon to the last digit. */
#include "host.h"
/* after it */
#include <math.h>

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"

/* ---- writing json ---- */

static void name(StringInfo out, const char *text)
{
    appendStringInfoChar(out, out->len ? ',' : '{');
    escape_json(out, text);
    appendStringInfoChar(out, ':');
}

static void put_text(StringInfo out, const char *field, const char *text)
{
    name(out, field);
    if (text && *text)
        escape_json(out, text);
    else
        appendStringInfoString(out, "null");
}

static void put_number(StringInfo out, const char *field, double number)
{
    name(out, field);
    if (isfinite(number))
        appendStringInfo(out, "%.15g", number);
    else
        appendStringInfoString(out, "null");
}

static void put_truth(StringInfo out, const char *field, int truth)
{
    name(out, field);
    appendStringInfoString(out, truth ? "true" : "false");
}

static Datum close_json(StringInfo out)
{
    appendStringInfoChar(out, '}');
    return DirectFunctionCall1(jsonb_in, CStringGetDatum(out->data));
}

/* ---- the functions ---- */

PG_FUNCTION_INFO_V1(ufpg_info);
Datum ufpg_info(PG_FUNCTION_ARGS)
{
    struct varlena *value = PG_GETARG_VARLENA_PP(0);
    struct held *held = value_look(value);
    StringInfoData out;
    uf_info info;
    uf_sizes sizes;
    uf_note note;
    uf_spec plan;
    char key_id[UF_KEY_ID_SIZE];
    check(uf_get_info(held->filter, &info, sizeof info), &(uf_error){.text = ""});
    check(uf_get_sizes(held->filter, &sizes, sizeof sizes), &(uf_error){.text = ""});
    check(uf_get_note(held->filter, &note, sizeof note), &(uf_error){.text = ""});
    uf_get_plan(held->filter, &plan);
    uf_get_key_id(held->filter, key_id);
    initStringInfo(&out);
    put_text(&out, "kind", info.kind);
    put_text(&out, "plan", plan.text);
    put_text(&out, "key_id", key_id);
    put_number(&out, "bytes", (double)VARSIZE_ANY_EXHDR(value));
    put_number(&out, "file_bytes", (double)sizes.file_bytes);
    put_number(&out, "payload_bytes", (double)sizes.payload_bytes);
    put_number(&out, "capacity", (double)info.capacity);
    put_number(&out, "count_estimate", info.count_estimate);
    put_number(&out, "fill", info.fill);
    put_number(&out, "fpr_now", info.fpr_now);
    put_text(&out, "full", info.full);
    put_truth(&out, "declared", info.declared);
    put_text(&out, "name", note.name);
    put_text(&out, "comment", note.comment);
    held_drop(held);
    return close_json(&out);
}

PG_FUNCTION_INFO_V1(ufpg_claim);
Datum ufpg_claim(PG_FUNCTION_ARGS)
{
    struct held *held = value_look(PG_GETARG_VARLENA_PP(0));
    StringInfoData out;
    uf_claim claim;
    check(uf_get_claim(held->filter, &claim, sizeof claim), &(uf_error){.text = ""});
    initStringInfo(&out);
    put_number(&out, "epsilon", claim.epsilon);
    put_number(&out, "delta", claim.delta);
    put_text(&out, "unit", claim.unit);
    put_number(&out, "fpr", claim.fpr);
    put_number(&out, "adversarial_fpr", claim.adversarial_fpr);
    put_number(&out, "fnr", claim.fnr);
    put_number(&out, "adversarial_fnr", claim.adversarial_fnr);
    put_number(&out, "removed_fpr", claim.removed_fpr);
    put_number(&out, "fpr_against", claim.fpr_against); /* enum uf_against, or-ed */
    put_number(&out, "fnr_against", claim.fnr_against);
    put_text(&out, "adversary", claim.adversary);
    put_text(&out, "not_protected", claim.not_protected);
    put_text(&out, "proof", claim.proof);
    put_text(&out, "rests_on", claim.rests_on);
    held_drop(held);
    return close_json(&out);
}

PG_FUNCTION_INFO_V1(ufpg_fingerprint);
Datum ufpg_fingerprint(PG_FUNCTION_ARGS)
{
    struct held *held = value_look(PG_GETARG_VARLENA_PP(0));
    char digits[UF_FINGERPRINT_SIZE];
    uf_error why;
    check(uf_fingerprint(held->filter, digits, &why), &why);
    held_drop(held);
    PG_RETURN_TEXT_P(cstring_to_text(digits));
}

/* A double as the decimal number that it is, exactly; so a sum of them is rounded nowhere. */
static Datum exactly(double number)
{
    char digits[400];
    snprintf(digits, sizeof digits, "%.340f", number);
    size_t end = strlen(digits);
    while (digits[end - 1] == '0' && digits[end - 2] != '.')
        digits[--end] = '\0';
    return DirectFunctionCall3(numeric_in, CStringGetDatum(digits), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
}

/* NULL: it is not private. */
static Datum promise(FunctionCallInfo fcinfo, int delta)
{
    struct held *held = value_look(PG_GETARG_VARLENA_PP(0));
    uf_claim claim;
    check(uf_get_claim(held->filter, &claim, sizeof claim), &(uf_error){.text = ""});
    held_drop(held);
    if (!isfinite(claim.epsilon) || !isfinite(claim.delta))
        PG_RETURN_NULL();
    return exactly(delta ? claim.delta : claim.epsilon);
}

PG_FUNCTION_INFO_V1(ufpg_epsilon);
Datum ufpg_epsilon(PG_FUNCTION_ARGS)
{
    return promise(fcinfo, 0);
}

PG_FUNCTION_INFO_V1(ufpg_delta);
Datum ufpg_delta(PG_FUNCTION_ARGS)
{
    return promise(fcinfo, 1);
}
