/* SPDX-License-Identifier: MIT */
/*
 * Servers of Redis for the client of a cluster, in memory: connections lead to them, whatever the address is, and each
 * command is answered with the next reply of the fuzzer. Time passes when somebody waits, and only then. The linker
 * puts them in the place of sockets (WRAP in CMakeLists.txt).
 *
 * A reply is a byte, with its kind in the lowest three bits and its size in the others, of which 31 stands for one more
 * byte, and what the size is of:
 *
 *     0 string · 1 error · 2 status   bytes of text
 *     3 integer                       bytes of it, 8 at most; 9 and more: nil
 *     4 array                         elements, replies themselves
 *     5 string · 6 error              number of a word that servers use (servers.c)
 *     7                               bytes that are sent as they are, whatever they mean
 *
 * When there are no more, servers hang up and cannot be reached.
 */
#ifndef UF_SERVERS_H
#define UF_SERVERS_H

#include "fuzz.h"

/* The address that the user gave. */
#define SERVERS_PATH "/server"

/* Pieces of so many bytes are received at once; 0: all there are. */
void servers_start(const struct tape *replies, size_t piece);

#endif
