/* SPDX-License-Identifier: MIT */
/* All keys of a source at once, with bytes of their own: what training a model needs. */
#ifndef ULTRAFILTER_PYTHON_GATHER_H
#define ULTRAFILTER_PYTHON_GATHER_H

#include "call.h"

struct gathered {
    uf_key *keys;
    size_t count, slots;
    char *bytes; /* of all keys, one behind the other */
    size_t used, room;
};

/* A status; any but UF_OK with an exception, or a reason in the call. NULL for `keys`: none. Freed either way. */
int gather(struct call *call, PyObject *keys, struct gathered *out);
void gather_free(struct gathered *gathered);

#endif
