/* SPDX-License-Identifier: MIT */
/* How often adversaries won, beside what they may win at most. */
#ifndef LAB_GAME_REPORT_H
#define LAB_GAME_REPORT_H

#include "games.h"

/* 1 when the adversaries won no more than they may; in a control, when they won. */
int game_within_bounds(const struct game_request *request, const struct game_result *result);

/* EXIT_FINE, or EXIT_ERROR after a message. */
int game_print_json(const struct game *game, const struct game_request *request, const struct game_result *result);
int game_print_table(const struct game *game, const struct game_request *request, const struct game_result *result);

#endif
