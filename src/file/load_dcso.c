/* SPDX-License-Identifier: MIT */
/* Filters of DCSO's bloom tool, version 1: 48 bytes of numbers, the words, and whatever comes behind them. */
#include "attached.h"
#include "bits.h"
#include "dcso.h"
#include "kinds.h"
#include "load.h"
#include "payload.h"
#include "status.h"

/* The rest of a DCSO file: words, then free data. */
static int load_dcso_payload(const struct blob *blob, uint64_t header, uf_filter *filter, uf_error *why)
{
    uint64_t payload = payload_bytes(filter);
    if (payload > blob->bytes - header)
        return fail(why, UF_EFORMAT, "is cut: the header means %llu bytes, and there are %llu",
                    (unsigned long long)(header + payload), (unsigned long long)blob->bytes);
    size_t attached = (size_t)(blob->bytes - header - payload);
    int status = filter_allocate(filter, why);
    if (status == UF_OK)
        status = blob_read(blob, filter->words, (size_t)payload, header, why);
    if (status == UF_OK && attached) {
        filter->attached = attached_room(filter, attached, why);
        if (!filter->attached)
            return UF_ENOMEM;
        filter->attached_bytes = attached;
        status = blob_read(blob, filter->attached, attached, header + payload, why);
    }
    bits_swap(filter->words, filter->word_count);
    return status == UF_OK ? filter->ops->check(filter, why) : status;
}

int load_dcso(const struct blob *blob, const uf_context *ctx, uf_filter **out, uf_error *why)
{
    unsigned char head[DCSO_HEAD];
    uf_filter *filter;
    if (blob->bytes < sizeof head)
        return fail(why, UF_EFORMAT, "is too short to be a DCSO filter: there are %llu bytes",
                    (unsigned long long)blob->bytes);
    int status = blob_read(blob, head, sizeof head, 0, why);
    if (status != UF_OK)
        return status;
    if (head[0] != 1)
        return fail(why, UF_EFORMAT, "is not a DCSO filter of version 1: the first byte is 0x%02x%s", head[0],
                    head[0] == 0x1f ? " (compressed: run gunzip first)" : "");
    status = filter_new(&kind_dcso, ctx, &filter, why);
    if (status != UF_OK)
        return status;
    struct reader params = {head + 8, sizeof head - 8, 0};
    status = kind_dcso.decode(filter, &params, why);
    if (status == UF_OK)
        status = load_dcso_payload(blob, sizeof head, filter, why);
    if (status == UF_OK)
        *out = filter;
    else
        uf_free(filter);
    return status;
}
