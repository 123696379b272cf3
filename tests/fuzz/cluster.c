/* SPDX-License-Identifier: MIT */
/*
 * What servers of Redis reply to the client of a cluster: who has which slot, what is under a name, parts that are
 * looked at, asked, fetched and sent. The input: u8 what is done · u8 how replies come (1: in pieces of 5 bytes) and,
 * in the other bits, how many replicas are asked for · replies (servers.h).
 */
#include "servers.h"

#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "message.h"
#include "part_store.h"
#include "router.h"

enum { DIGESTS = 20, MEGABYTE = 1 << 20, PIECE = 5 };

enum action { SEE_MASTERS, LOOK, ASK, ADD, FETCH, SEND, WRITE, HASH, ACTIONS };

/* ---- what the memory of a filter is taken from ---- */

static uf_context context_of(struct accounts *accounts)
{
    uf_context ctx = UF_CONTEXT_INIT;
    ctx.allocator = accounts_allocator(accounts);
    return ctx;
}

/* ---- actions ---- */

static void see_masters(const struct router *router)
{
    struct master master;
    unsigned slots = 0, owned = 0;
    for (size_t i = 0; router_master(router, i, &master); i++)
        slots += master.slots;
    for (unsigned slot = 0; slot < SLOTS; slot++)
        owned += router_owner(router, slot) >= 0;
    fuzz_check(slots == owned);
    fuzz_check(router_is_cluster(router) || slots == SLOTS);
}

static void look(struct router *router, const struct layout *layout)
{
    struct part_info *info = calloc(layout->parts, sizeof *info);
    fuzz_check(info);
    if (!part_look(router, layout, info))
        for (unsigned i = 0; i < layout->parts; i++)
            fuzz_check(info[i].state <= PART_WRONG && memchr(info[i].spec, 0, sizeof info[i].spec));
    free(info);
}

static void ask(const struct router *router, const struct layout *layout, enum ask_verb verb)
{
    uf_digest digests[DIGESTS];
    uint8_t answers[DIGESTS];
    uint64_t random = 1;
    struct ask *asked;
    (void)fuzz_random(&random, digests, sizeof digests);
    fuzz_check(!ask_open(router, &asked));
    if (!ask_run(asked, layout, verb, digests, DIGESTS, answers))
        for (size_t i = 0; i < DIGESTS; i++)
            fuzz_check(answers[i] <= (verb == ASK_ADD ? ASK_REFUSED : 1));
    ask_close(asked);
}

static void fetch(struct router *router, const struct layout *layout)
{
    struct accounts accounts = {.limit = 4 * MEGABYTE, .strict = 1};
    const uf_context ctx = context_of(&accounts);
    uf_filter *filter = NULL;
    if (!part_fetch(router, layout, 0, &ctx, &filter))
        uf_free(filter);
    fuzz_check(!accounts.blocks);
}

/* A part of a filter of two. */
static const uf_filter *some_part(void)
{
    static uf_filter *part;
    uf_filter *whole;
    uf_spec spec;
    if (part)
        return part;
    fuzz_check(uf_spec_parse("blocked:n=100,fpr=0.1,seed=0x7", &spec, NULL) == UF_OK);
    fuzz_check(uf_build(&spec, NULL, 0, NULL, &whole, NULL) == UF_OK);
    fuzz_check(uf_split(whole, 2, 0, NULL, &part, NULL) == UF_OK);
    uf_free(whole);
    return part;
}

/* Whatever a server says that a filter is, what hashes for it is small. */
static void make_hasher(const struct layout *layout)
{
    struct accounts accounts = {.limit = MEGABYTE, .strict = 1};
    const uf_context ctx = context_of(&accounts);
    uf_filter *hasher = NULL;
    if (!layout_hasher(layout, &ctx, &hasher))
        uf_free(hasher);
    fuzz_check(!accounts.blocks);
}

static void act(unsigned action, struct router *router, const struct layout *layout)
{
    switch (action) {
    case LOOK:
        look(router, layout);
        return;
    case ASK:
        ask(router, layout, ASK_EXISTS);
        return;
    case ADD:
        ask(router, layout, ASK_ADD);
        return;
    case FETCH:
        fetch(router, layout);
        return;
    case SEND:
        (void)part_send(router, layout, 0, some_part(), false);
        return;
    case WRITE:
        (void)layout_write(router, layout);
        return;
    default:
        make_hasher(layout);
    }
}

int fuzz_cluster(const uint8_t *data, size_t size)
{
    struct tape tape = {data, size};
    const unsigned action = tape_byte(&tape) % ACTIONS, how = tape_byte(&tape);
    struct endpoint endpoint = {.count = 1, .wait = 0.2, .replicas = (int)(how >> 1) % 4 - 1};
    struct router *router = NULL;
    struct layout layout;
    strcpy(endpoint.address[0].host, SERVERS_PATH);
    servers_start(&tape, how & 1 ? PIECE : 0);
    if (router_open(&endpoint, &router))
        return 0;
    if (action == SEE_MASTERS)
        see_masters(router);
    else if (!layout_read(router, "list", &layout)) {
        fuzz_check(layout.parts && layout.key);
        fuzz_plant(layout.parts > 2, layout.parts % 2);
        act(action, router, &layout);
        layout_close(&layout);
    }
    router_close(router);
    return 0;
}

fuzz_head_of fuzz_cluster_head;
size_t fuzz_cluster_head(const uint8_t *data, size_t size)
{
    (void)data;
    return size;
}
