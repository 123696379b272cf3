/* SPDX-License-Identifier: MIT */
#ifndef UF_FINGERPRINT_H
#define UF_FINGERPRINT_H

#include "ultrafilter.h"

/* Of the bytes of its .uf file. */
int filter_digest(const uf_filter *filter, unsigned char out[32], uf_error *why);

#endif
