/* SPDX-License-Identifier: MIT */
/* Learned filters: a model is trained on the keys and on negatives, and its filter planned with others (valid). */
#ifndef ULTRAFILTER_PYTHON_LEARN_H
#define ULTRAFILTER_PYTHON_LEARN_H

#include "call.h"

struct lesson {
    PyObject *keys, *negatives, *valid; /* borrowed; NULL: not given */
    int force;                          /* a learned filter even when a plain one is smaller */
};

/* A status; any but UF_OK with an exception, or a reason in the call. */
int learn(struct call *call, const uf_spec *spec, const struct lesson *lesson, uf_filter **out);

#endif
