/* SPDX-License-Identifier: MIT */
#include "part_store.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

/* Bytes of one UF.LOAD; how often a part is begun again when its server was another one in the middle. */
enum { PIECE = 256 << 10, MOST_TRIES = 20, PAUSE_MS = 200 };

/* ---- looking ---- */

static const redisReply *field(const redisReply *reply, const char *name)
{
    for (size_t i = 0; i + 1 < reply->elements; i += 2)
        if ((reply->element[i]->type == REDIS_REPLY_STRING || reply->element[i]->type == REDIS_REPLY_STATUS) &&
            !strcmp(reply->element[i]->str, name))
            return reply->element[i + 1];
    return NULL;
}

static uint64_t number_of(const redisReply *reply, const char *name)
{
    const redisReply *value = field(reply, name);
    return value && value->type == REDIS_REPLY_INTEGER && value->integer > 0 ? (uint64_t)value->integer : 0;
}

static const char *text_of(const redisReply *reply, const char *name)
{
    const redisReply *value = field(reply, name);
    return value && value->str ? value->str : "";
}

static int read_info(const struct router *router, const struct layout *layout, unsigned part,
                     const struct request *request, struct part_info *out)
{
    const redisReply *reply = request->reply;
    *out = (struct part_info){.state = PART_MISSING, .node = request->node};
    if (reply && reply->type == REDIS_REPLY_ERROR && !strncmp(reply->str, "ERR not found", 13))
        return EXIT_FINE;
    out->state = PART_WRONG;
    if (reply && reply->type == REDIS_REPLY_ERROR && !strncmp(reply->str, "WRONGTYPE", 9))
        return EXIT_FINE;
    if (!reply || reply->type != REDIS_REPLY_ARRAY)
        return layout_refused(layout, part, router, request);
    (void)snprintf(out->spec, sizeof out->spec, "%s", text_of(reply, "spec"));
    if (layout_has(layout, part, out->spec, text_of(reply, "key_id")))
        out->state = PART_THERE;
    out->items = number_of(reply, "items");
    out->capacity = number_of(reply, "capacity");
    out->memory = number_of(reply, "memory");
    return EXIT_FINE;
}

int part_look(struct router *router, const struct layout *layout, struct part_info *out)
{
    struct request *requests = calloc(layout->parts, sizeof *requests);
    if (!requests)
        return print_error("no memory for %u parts", layout->parts);
    for (unsigned i = 0; i < layout->parts; i++) {
        const struct words words = words_of("UF.INFO", layout->key[i].text, NULL);
        requests[i] = request_of(&words);
    }
    int status = router_run(router, requests, layout->parts, false);
    for (unsigned i = 0; i < layout->parts; i++) {
        if (!status)
            status = read_info(router, layout, i, &requests[i], &out[i]);
        request_clear(&requests[i]);
    }
    free(requests);
    return status;
}

static int say_wrong(const struct layout *layout, unsigned part, const struct part_info *info)
{
    if (info->state == PART_MISSING)
        return print_error("%s: part %u of %u is missing: there is no key %s; 'cluster load' puts it back",
                           layout->name, part, layout->parts, layout->key[part].text);
    return print_error("%s: under the key %s there is not part %u of it but %s; 'cluster load --overwrite' puts the "
                       "part back",
                       layout->name, layout->key[part].text, part,
                       info->spec[0] ? info->spec : "something that is no filter");
}

int part_check_all(struct router *router, const struct layout *layout)
{
    struct part_info *info = calloc(layout->parts, sizeof *info);
    int status = info ? part_look(router, layout, info) : print_error("no memory for %u parts", layout->parts);
    for (unsigned i = 0; !status && i < layout->parts; i++)
        if (info[i].state != PART_THERE)
            status = say_wrong(layout, i, &info[i]);
    free(info);
    return status;
}

/* ---- sending ---- */

struct sender {
    struct router *router;
    const struct layout *layout;
    unsigned part;
    bool replace, again; /* it has to be begun again */
    int status;
    uint64_t sent, total;
    size_t size;
    unsigned char piece[PIECE];
};

static int says(const redisReply *reply, const char *text)
{
    return reply->type == REDIS_REPLY_ERROR && strstr(reply->str, text);
}

static int send_piece(struct sender *sender)
{
    char offset[24];
    const bool last = sender->sent + sender->size == sender->total;
    (void)snprintf(offset, sizeof offset, "%" PRIu64, sender->sent);
    struct words words = words_of("UF.LOAD", sender->layout->key[sender->part].text, offset, NULL);
    words_add(&words, sender->piece, sender->size);
    if (sender->replace)
        words_add(&words, "REPLACE", 7);
    struct request request = request_of(&words);
    sender->status = router_run(sender->router, &request, 1, last);
    if (!sender->status && says(request.reply, "in their order"))
        sender->again = true;
    else if (!sender->status && says(request.reply, "item exists"))
        sender->status = print_error("%s: part %u of it is there already, under the key %s; --overwrite replaces it",
                                     sender->layout->name, sender->part, sender->layout->key[sender->part].text);
    else if (!sender->status && request.reply->type == REDIS_REPLY_ERROR)
        sender->status = layout_refused(sender->layout, sender->part, sender->router, &request);
    request_clear(&request);
    sender->sent += sender->size;
    sender->size = 0;
    return sender->status || sender->again;
}

static int take_bytes(void *arg, const void *data, size_t bytes)
{
    struct sender *sender = arg;
    const unsigned char *at = data;
    for (size_t step; bytes; bytes -= step, at += step) {
        step = PIECE - sender->size < bytes ? PIECE - sender->size : bytes;
        memcpy(sender->piece + sender->size, at, step);
        sender->size += step;
        if ((sender->size == PIECE || sender->sent + sender->size == sender->total) && send_piece(sender))
            return 1;
    }
    return 0;
}

static int send_part(struct sender *sender, const uf_filter *filter)
{
    uf_sizes sizes = {.file_bytes = 0};
    uf_error why;
    (void)uf_get_sizes(filter, &sizes, sizeof sizes);
    sender->total = sizes.file_bytes;
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        sender->sent = sender->size = 0;
        sender->again = false;
        if (uf_write(filter, UF_FORMAT_UF, take_bytes, sender, &why) == UF_OK)
            return EXIT_FINE;
        if (sender->status)
            return sender->status;
        if (!sender->again)
            return print_error("%s: part %u: %s", sender->layout->name, sender->part, why.text);
        sender->replace = true; /* the last piece may have come, and its answer not */
        (void)poll(NULL, 0, PAUSE_MS);
    }
    return print_error("%s: part %u could not be loaded: its server was another one in the middle, %d times",
                       sender->layout->name, sender->part, MOST_TRIES);
}

int part_send(struct router *router, const struct layout *layout, unsigned part, const uf_filter *filter, bool replace)
{
    struct sender *sender = malloc(sizeof *sender);
    if (!sender)
        return print_error("no memory for a part");
    *sender = (struct sender){.router = router, .layout = layout, .part = part, .replace = replace};
    int status = send_part(sender, filter);
    free(sender);
    return status;
}

/* ---- fetching ---- */

/* [next offset or 0, bytes] into the loader. EXIT_NONE: begin again. */
static int feed(const struct layout *layout, unsigned part, const struct router *router, const struct request *request,
                uf_loader *loader, long long *offset)
{
    const redisReply *reply = request->reply;
    uf_error why;
    if (says(reply, "no such dump"))
        return EXIT_NONE;
    if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 2 || reply->element[0]->type != REDIS_REPLY_INTEGER ||
        reply->element[1]->type != REDIS_REPLY_STRING)
        return layout_refused(layout, part, router, request);
    *offset = reply->element[0]->integer;
    return uf_loader_feed(loader, reply->element[1]->str, reply->element[1]->len, &why) == UF_OK
               ? EXIT_FINE
               : print_error("%s: part %u: %s", layout->name, part, why.text);
}

static int fetch_pieces(struct router *router, const struct layout *layout, unsigned part, uf_loader *loader)
{
    long long offset = 0;
    int status;
    do {
        char text[24];
        (void)snprintf(text, sizeof text, "%lld", offset);
        const struct words words = words_of("UF.DUMP", layout->key[part].text, text, NULL);
        struct request request = request_of(&words);
        status = router_run(router, &request, 1, false);
        if (!status)
            status = feed(layout, part, router, &request, loader, &offset);
        request_clear(&request);
    } while (!status && offset);
    return status;
}

static int fetch_once(struct router *router, const struct layout *layout, unsigned part, const uf_context *context,
                      uf_filter **out)
{
    uf_loader *loader = NULL;
    uf_error why;
    unsigned found;
    if (uf_loader_new(context, UF_WITHOUT_KEY, &loader, &why) != UF_OK)
        return print_error("%s", why.text);
    int status = fetch_pieces(router, layout, part, loader);
    if (!status && uf_loader_finish(loader, out, &why) != UF_OK)
        status = print_error("%s: part %u: %s", layout->name, part, why.text);
    uf_loader_free(loader);
    if (!status && (!layout_has_filter(layout, *out, &found) || found != part)) {
        status = print_error("%s: under the key %s there is another filter than part %u of it", layout->name,
                             layout->key[part].text, part);
        uf_free(*out);
    }
    return status;
}

int part_fetch(struct router *router, const struct layout *layout, unsigned part, const uf_context *context,
               uf_filter **out)
{
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        int status = fetch_once(router, layout, part, context, out);
        if (status != EXIT_NONE)
            return status;
        (void)poll(NULL, 0, PAUSE_MS);
    }
    return print_error("%s: part %u could not be fetched: its server was another one in the middle, %d times",
                       layout->name, part, MOST_TRIES);
}
