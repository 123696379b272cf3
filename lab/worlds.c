/* SPDX-License-Identifier: MIT */
#include "worlds.h"

#include <stdlib.h>

#include "refuse.h"

/* Keys to choose from, for each that is needed. */
enum { STOCK = 4 };

/* Of the streams of stock and worlds: no game has them. */
static const uint64_t stock_number = UINT64_C(3) << 61, first_number = UINT64_C(5) << 60;

struct opening {
    const struct worlds_request *request;
    struct worlds *worlds;
};

static int open_world(void *arg, uint64_t number, const uf_context *ctx, uf_error *why)
{
    const struct opening *opening = arg;
    const struct worlds_request *request = opening->request;
    struct world *world = &opening->worlds->world[number];
    struct stream stream;
    (void)ctx;
    world->choice = request->choice ? request->choice : &choices[number / request->each];
    if (stream_open(&stream, request->trials.seed, first_number + number))
        return refuse(why, UF_ERANDOM, "the system gave no randomness for a game");
    int status = choice_make(world->choice, opening->worlds->stock, request->n, &stream, &world->corpus, why);
    if (status == UF_OK)
        world->refused = learned_setup_open(&world->corpus, &request->plan, &world->setup, &world->why);
    return status;
}

int worlds_open(const struct worlds_request *request, struct worlds *out, uf_error *why)
{
    struct opening opening = {request, out};
    struct trials trials = request->trials;
    struct stream stream;
    *out = (struct worlds){.choices = request->choice ? 1 : CHOICES, .each = request->each};
    trials.first = 0;
    trials.count = out->choices * out->each;
    if (stream_open(&stream, request->trials.seed, stock_number))
        return refuse(why, UF_ERANDOM, "the system gave no randomness for a game");
    out->world = calloc(trials.count, sizeof *out->world);
    if (!out->world)
        return refuse(why, UF_ENOMEM, "no memory for %zu sets", (size_t)trials.count);
    int status = stock_open(request->corpus, STOCK * request->n, &stream, &out->stock, why);
    if (status == UF_OK)
        status = trials_run(&trials, open_world, &opening, why);
    if (status != UF_OK)
        worlds_free(out);
    return status;
}

void worlds_free(struct worlds *worlds)
{
    for (size_t i = 0; worlds->world && i < worlds->choices * worlds->each; i++) {
        learned_setup_close(&worlds->world[i].setup);
        corpus_free(&worlds->world[i].corpus);
    }
    free(worlds->world);
    stock_free(worlds->stock);
    *worlds = (struct worlds){.world = NULL};
}
