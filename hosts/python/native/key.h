/* SPDX-License-Identifier: MIT */
/*
 * One key. The bytes of a key are the same in every host (docs/hosts.md): text is its UTF-8, bytes are themselves, an
 * integer is eight bytes, little-endian, from -2^63 to 2^64 - 1 (where -1 and 2^64 - 1 are the same key).
 */
#ifndef ULTRAFILTER_PYTHON_KEY_H
#define ULTRAFILTER_PYTHON_KEY_H

#include "host.h"

enum { INTEGER_BYTES = 8 };

/* The bytes of a number. */
void key_put_integer(uint64_t value, unsigned char out[INTEGER_BYTES]);

/* The key of an object, which must stay as it is as long as the key is used. An integer's bytes are put into `room`; of
 * an object that can change, a copy is made and *owner is a new reference to it. 0, or -1 with an exception. */
int key_of(PyObject *object, unsigned char room[INTEGER_BYTES], PyObject **owner, uf_key *out);

/* 1 for what is one key and not a list of them: str, bytes, bytearray, a memoryview of bytes, a number. */
int key_is_one(PyObject *object);

#endif
