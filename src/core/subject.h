/* SPDX-License-Identifier: MIT */
/*
 * Sentences about a file. Whoever reads or writes bytes says what is wrong with them ("is damaged: ..."), and does not
 * know what they are called; the public call that does puts the name in front.
 */
#ifndef UF_SUBJECT_H
#define UF_SUBJECT_H

#include "ultrafilter.h"

/* "F.uf is damaged: ...". What begins with another word than such a verb is left as it is, behind "F.uf: ". Returns
 * `status`; does nothing when that is UF_OK. */
int subject_file(int status, const char *path, uf_error *why);

/* "these bytes are damaged: ...". */
int subject_bytes(int status, uf_error *why);

#endif
