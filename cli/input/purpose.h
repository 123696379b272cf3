/* SPDX-License-Identifier: MIT */
/*
 * --name, --min-serial and --last: what the signature of a filter has to bind, beside its bytes.
 *
 * The file of --last has one line (serial_line.h), the highest serial that was accepted with it.
 * It is made when it is missing, locked while a filter is checked, and replaced by a new one, so that it is never half
 * written. One that is empty was made by a process that was killed, and says nothing.
 */
#ifndef CLI_PURPOSE_H
#define CLI_PURPOSE_H

#include "args.h"
#include "ultrafilter.h"

struct purpose {
    uf_purpose wanted;
    const char *path; /* of --last; NULL: there is none */
    int fd;           /* of that, locked */
    uint64_t last;    /* what it says; 0: nothing yet */
};

/* EXIT_FINE, or EXIT_ERROR after a message and nothing is open. `signed_at_all` is 0 where no signature is asked for:
 * then none of the options may be there. */
int purpose_open(const struct args *args, int signed_at_all, struct purpose *out);

/* A filter was accepted: its serial is the least for the next one. */
int purpose_keep(const struct purpose *purpose, const uf_signed *said);

void purpose_close(const struct purpose *purpose);

#endif
