/* SPDX-License-Identifier: MIT */
#include "ask.h"

#include <stdlib.h>
#include <string.h>

#include "message.h"

struct ask {
    struct router *router;
    uf_digest *sorted; /* by part; owned, as what follows */
    uint32_t *place;   /* where a sorted one was */
    size_t capacity;
    size_t *end; /* of each part, among the sorted */
    struct request *requests;
    unsigned *part; /* of each request */
    size_t request_capacity;
};

int ask_open(const struct router *known, struct ask **out)
{
    struct ask *ask = calloc(1, sizeof *ask);
    if (!ask)
        return print_error("no memory for a connection");
    if (router_open_beside(known, &ask->router)) {
        free(ask);
        return EXIT_ERROR;
    }
    *out = ask;
    return EXIT_FINE;
}

void ask_close(struct ask *ask)
{
    if (!ask)
        return;
    router_close(ask->router);
    free(ask->sorted);
    free(ask->place);
    free(ask->end);
    free(ask->requests);
    free(ask->part);
    free(ask);
}

static int grow(void **array, size_t count, size_t bytes)
{
    void *grown = reallocarray(*array, count, bytes);
    if (!grown)
        return 0;
    *array = grown;
    return 1;
}

static int reserve(struct ask *ask, const struct layout *layout, size_t count)
{
    const size_t requests = layout->parts + count / ASK_MOST_DIGESTS + 1;
    int fits = 1;
    if (count > ask->capacity) {
        fits = grow((void **)&ask->sorted, count, sizeof *ask->sorted) &&
               grow((void **)&ask->place, count, sizeof *ask->place);
        ask->capacity = fits ? count : 0;
    }
    if (fits && requests > ask->request_capacity) {
        fits = grow((void **)&ask->requests, requests, sizeof *ask->requests) &&
               grow((void **)&ask->part, requests, sizeof *ask->part) &&
               grow((void **)&ask->end, layout->parts, sizeof *ask->end);
        ask->request_capacity = fits ? requests : 0;
    }
    return fits ? EXIT_FINE : print_error("no memory for %zu digests", count);
}

/* Counting sort. */
static void sort(struct ask *ask, const struct layout *layout, const uf_digest *digests, size_t count)
{
    memset(ask->end, 0, layout->parts * sizeof *ask->end);
    for (size_t i = 0; i < count; i++)
        ask->end[layout_part(layout, &digests[i])]++;
    for (size_t part = 0, sum = 0, size; part < layout->parts; part++, sum += size) {
        size = ask->end[part];
        ask->end[part] = sum;
    }
    for (size_t i = 0; i < count; i++) {
        size_t at = ask->end[layout_part(layout, &digests[i])]++;
        ask->sorted[at] = digests[i];
        ask->place[at] = (uint32_t)i;
    }
}

/* Requests for all digests, in their sorted order. */
static size_t cut(struct ask *ask, const struct layout *layout, enum ask_verb verb)
{
    size_t count = 0, at = 0;
    for (unsigned part = 0; part < layout->parts; part++)
        for (size_t step; at < ask->end[part]; at += step, count++) {
            step = ask->end[part] - at < ASK_MOST_DIGESTS ? ask->end[part] - at : ASK_MOST_DIGESTS;
            struct words words = words_of(verb == ASK_ADD ? "UF.DADD" : "UF.DEXISTS", layout->key[part].text, NULL);
            words_add(&words, &ask->sorted[at], step * sizeof *ask->sorted);
            ask->requests[count] = request_of(&words);
            ask->part[count] = part;
        }
    return count;
}

static uint8_t answer_at(const redisReply *reply, enum ask_verb verb, size_t index)
{
    if (verb == ASK_EXISTS)
        return (uint8_t)reply->str[index / 8] >> (7 - index % 8) & 1;
    return reply->str[index] == '1' ? ASK_NEW : reply->str[index] == '0' ? ASK_KNOWN : ASK_REFUSED;
}

static int is_foreign(const redisReply *reply, enum ask_verb verb)
{
    return verb == ASK_ADD && memchr(reply->str, 'p', reply->len);
}

/* The answers to one request go back to where its digests were. */
static int spread(const struct ask *ask, const struct layout *layout, enum ask_verb verb, size_t index, size_t *at,
                  uint8_t *answers)
{
    const struct request *request = &ask->requests[index];
    const redisReply *reply = request->reply;
    const size_t count = request->words.bytes[2] / sizeof *ask->sorted;
    const size_t bytes = verb == ASK_ADD ? count : (count + 7) / 8;
    if (!reply || reply->type != REDIS_REPLY_STRING || reply->len != bytes)
        return layout_refused(layout, ask->part[index], ask->router, request);
    if (is_foreign(reply, verb))
        return print_error("%s: under the key %s of part %u there is another part: 'cluster info' shows which are "
                           "wrong",
                           layout->name, layout->key[ask->part[index]].text, ask->part[index]);
    for (size_t i = 0; i < count; i++)
        answers[ask->place[*at + i]] = answer_at(reply, verb, i);
    *at += count;
    return EXIT_FINE;
}

int ask_run(struct ask *ask, const struct layout *layout, enum ask_verb verb, const uf_digest *digests, size_t count,
            uint8_t *answers)
{
    if (reserve(ask, layout, count))
        return EXIT_ERROR;
    sort(ask, layout, digests, count);
    const size_t requests = cut(ask, layout, verb);
    size_t at = 0;
    int status = router_run(ask->router, ask->requests, requests, verb == ASK_ADD);
    for (size_t i = 0; i < requests; i++) {
        if (!status)
            status = spread(ask, layout, verb, i, &at, answers);
        request_clear(&ask->requests[i]);
    }
    return status;
}
