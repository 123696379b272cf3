/* SPDX-License-Identifier: MIT */
#include "games.h"

#include <string.h>

static const struct game *const games[] = {
    &game_1, &game_2, &game_3, &game_4, &game_unsteady, &game_set_release, &game_strict_set_release};

enum { GAMES = sizeof games / sizeof games[0] };

const struct game *game_at(size_t index)
{
    return index < GAMES ? games[index] : NULL;
}

const struct game *game_find(const char *name)
{
    for (size_t i = 0; i < GAMES; i++)
        if (!strcmp(games[i]->name, name))
            return games[i];
    return NULL;
}
