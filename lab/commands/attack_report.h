/* SPDX-License-Identifier: MIT */
/* What an attack came to: a table, JSON, a plot. */
#ifndef LAB_ATTACK_REPORT_H
#define LAB_ATTACK_REPORT_H

#include "attack.h"

/* Of an attack that has a plot, into a folder that is there. EXIT_FINE, or EXIT_ERROR after a message. */
int attack_draw(const char *folder, const struct attack *attack, const struct attack_result *result);

int attack_print_json(const struct attack *attack, const struct attack_request *request,
                      const struct attack_result *result);
void attack_print_table(const struct attack *attack, const struct attack_request *request,
                        const struct attack_result *result);

#endif
