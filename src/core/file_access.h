/* SPDX-License-Identifier: MIT */
/*
 * Who may use a file that takes another one's place: those who could before, and nobody else. It gets owner, group,
 * mode and access-control list of the old one where the system allows it. Where it does not, what a class of users may
 * do is what all of those who are in it now could do before.
 */
#ifndef UF_FILE_ACCESS_H
#define UF_FILE_ACCESS_H

#include "ultrafilter.h"

/* For the file behind `fd`, of mode 0600, that will replace `path`. `probe`: a name in the same folder that is free. */
int access_take_over(int fd, const char *path, const char *probe, uf_error *why);

#endif
