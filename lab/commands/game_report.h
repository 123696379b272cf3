/* SPDX-License-Identifier: MIT */
/* How often adversaries won, beside what they may win at most. */
#ifndef LAB_GAME_REPORT_H
#define LAB_GAME_REPORT_H

#include "games.h"

/* Of one target, or of several. */
struct game_results {
    const struct game_result *result;
    size_t count;
};

/* 1 when the adversaries won no more than they may; in a control, when they won. Of several targets those that claim
 * nothing are controls, too. */
int game_within_bounds(const struct game_request *request, struct game_results results);

/* EXIT_FINE, or EXIT_ERROR after a message. */
int game_print_json(const struct game *game, const struct game_request *request, struct game_results results);
int game_print_table(const struct game *game, const struct game_request *request, struct game_results results);

#endif
