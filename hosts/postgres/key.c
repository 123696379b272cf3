/* SPDX-License-Identifier: MIT */
#include "host.h"
/* after it */
#include "utils/uuid.h"

uf_key key_of(enum key_class class, Datum datum, unsigned char word[8])
{
    if (class == KEY_INT8) {
        uint64_t number = (uint64_t)DatumGetInt64(datum);
        for (unsigned i = 0; i < 8; i++)
            word[i] = (unsigned char)(number >> 8 * i);
        return (uf_key){word, 8};
    }
    if (class == KEY_UUID)
        return (uf_key){DatumGetUUIDP(datum)->data, UUID_LEN};
    struct varlena *bytes = PG_DETOAST_DATUM_PACKED(datum);
    return (uf_key){VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes)};
}
