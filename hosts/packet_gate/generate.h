/* SPDX-License-Identifier: MIT */
#ifndef GATE_GENERATE_H
#define GATE_GENERATE_H

/* packet_gate generate: argv[0] is "generate". Returns the exit status. */
int generate(int argc, char **argv);

#endif
