/* SPDX-License-Identifier: MIT */
#include "cluster_layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster_options.h"
#include "message.h"
#include "shared.h"

/* Of what is under the name; another one is refused. */
static const char VERSION[] = "1", VERSION_FIELD[] = "ultrafilter-cluster";

int layout_check_name(const char *name)
{
    if (!*name || strlen(name) > MOST_NAME || strpbrk(name, "{}"))
        return print_error("%s: is no name of a filter: it has 1 to %d characters, none of them a brace", name,
                           MOST_NAME);
    return EXIT_FINE;
}

/* Once the number of parts is there. */
static int make_keys(struct layout *layout)
{
    layout->key = calloc(layout->parts, sizeof *layout->key);
    if (!layout->key)
        return print_error("no memory for %u parts", layout->parts);
    for (unsigned i = 0; i < layout->parts; i++)
        layout->key[i] = part_key(layout->name, i, layout->parts);
    return EXIT_FINE;
}

void layout_close(struct layout *layout)
{
    free(layout->key);
    *layout = (struct layout){.parts = 0};
}

/* ---- specs ---- */

/* "3/16", and the spec without it. 0: it is no part. */
static int cut_part(uf_spec *spec, unsigned *part, unsigned *parts)
{
    char text[32];
    return uf_spec_get_text(spec, "part", text, sizeof text) == UF_OK && sscanf(text, "%u/%u", part, parts) == 2 &&
           uf_spec_set(spec, "part", NULL, NULL) == UF_OK;
}

int layout_of_part(const char *name, const uf_filter *part, struct layout *out)
{
    unsigned index;
    *out = (struct layout){.normal = uf_get_normal(part)};
    (void)snprintf(out->name, sizeof out->name, "%s", name);
    uf_get_plan(part, &out->spec);
    uf_get_key_id(part, out->key_id);
    if (!cut_part(&out->spec, &index, &out->parts))
        return print_error("%s: %s is not a part of a filter", name, out->spec.text);
    if (out->parts > MOST_PARTS)
        return print_error("%s: %u parts are too many: %d at most", name, out->parts, MOST_PARTS);
    return make_keys(out);
}

uf_spec layout_part_spec(const struct layout *layout, unsigned part)
{
    uf_spec spec = layout->spec;
    char text[32];
    (void)snprintf(text, sizeof text, "%u/%u", part, layout->parts);
    (void)uf_spec_set(&spec, "part", text, NULL);
    return spec;
}

bool layout_has(const struct layout *layout, unsigned part, const char *text, const char *key_id)
{
    uf_spec spec;
    unsigned index, parts;
    return uf_spec_parse(text, &spec, NULL) == UF_OK && cut_part(&spec, &index, &parts) && index == part &&
           parts == layout->parts && !strcmp(spec.text, layout->spec.text) && !strcmp(key_id, layout->key_id);
}

bool layout_has_filter(const struct layout *layout, const uf_filter *filter, unsigned *part)
{
    char id[UF_KEY_ID_SIZE];
    uf_spec spec, whole;
    unsigned parts;
    uf_get_plan(filter, &spec);
    uf_get_key_id(filter, id);
    whole = spec;
    return cut_part(&whole, part, &parts) && layout_has(layout, *part, spec.text, id) &&
           uf_get_normal(filter) == layout->normal;
}

/* ---- what is under the name ---- */

static const char *field(const redisReply *reply, const char *name)
{
    for (size_t i = 0; i + 1 < reply->elements; i += 2)
        if (reply->element[i]->type == REDIS_REPLY_STRING && !strcmp(reply->element[i]->str, name))
            return reply->element[i + 1]->type == REDIS_REPLY_STRING ? reply->element[i + 1]->str : NULL;
    return NULL;
}

static int parse(const redisReply *reply, struct layout *out)
{
    const char *version = field(reply, VERSION_FIELD), *spec = field(reply, "spec"), *parts = field(reply, "parts"),
               *id = field(reply, "key_id"), *normal = field(reply, "normal");
    uf_error why;
    if (!version)
        return print_error("%s: is a hash on these servers, but not one that 'cluster' wrote", out->name);
    if (strcmp(version, VERSION) != 0)
        return print_error("%s: was made by another version of this program: it has layout %s, and this one knows %s",
                           out->name, version, VERSION);
    if (!spec || !parts || !id || strlen(id) >= sizeof out->key_id || !normal ||
        uf_spec_parse(spec, &out->spec, &why) != UF_OK)
        return print_error("%s: what describes it on the servers is damaged; 'cluster load --overwrite' writes it anew",
                           out->name);
    strcpy(out->key_id, id);
    out->normal = (unsigned)strtoul(normal, NULL, 10);
    unsigned long count = strtoul(parts, NULL, 10);
    if (count < 1 || count > MOST_PARTS)
        return print_error("%s: says that it has %s parts, and there are 1 to %d", out->name, parts, MOST_PARTS);
    out->parts = (unsigned)count;
    return make_keys(out);
}

int layout_read(struct router *router, const char *name, struct layout *out)
{
    const struct words words = words_of("HGETALL", name, NULL);
    *out = (struct layout){.parts = 0};
    if (layout_check_name(name))
        return EXIT_ERROR;
    (void)snprintf(out->name, sizeof out->name, "%s", name);
    redisReply *reply = router_ask(router, &words, false);
    if (!reply)
        return EXIT_ERROR;
    int status = reply->type == REDIS_REPLY_ERROR && !strncmp(reply->str, "WRONGTYPE", 9)
                     ? print_error("%s: is something else on these servers: choose another name", name)
                 : reply->type != REDIS_REPLY_ARRAY ? print_error("%s: %s", name, reply->str ? reply->str : "no reply")
                 : !reply->elements                 ? EXIT_NONE
                                                    : parse(reply, out);
    freeReplyObject(reply);
    return status;
}

int layout_open(struct router *router, const char *name, struct layout *out)
{
    int status = layout_read(router, name, out);
    return status == EXIT_NONE
               ? print_error("%s: there is no such filter on these servers; 'cluster create' makes one", name)
               : status;
}

int layout_write(struct router *router, const struct layout *layout)
{
    char parts[16], normal[16];
    (void)snprintf(parts, sizeof parts, "%u", layout->parts);
    (void)snprintf(normal, sizeof normal, "%u", layout->normal);
    const struct words words = words_of("HSET", layout->name, VERSION_FIELD, VERSION, "spec", layout->spec.text,
                                        "parts", parts, "key_id", layout->key_id, "normal", normal, NULL);
    redisReply *reply = router_ask(router, &words, true);
    if (!reply)
        return EXIT_ERROR;
    int status = reply->type == REDIS_REPLY_ERROR ? print_error("%s: %s", layout->name, reply->str) : EXIT_FINE;
    freeReplyObject(reply);
    return status;
}

/* ---- hashing ---- */

static int check_key(const struct layout *layout, const uf_context *context, const uf_secret **out)
{
    *out = NULL;
    if (!layout->key_id[0])
        return EXIT_FINE;
    if (!context->secret)
        return print_error("%s: is keyed: give the key with the id %s with --key-file", layout->name, layout->key_id);
    *out = context->secret_by_id(context->secret_arg, layout->key_id);
    return *out ? EXIT_FINE
                : print_error("%s: was made with the key of the id %s, and --key-file names another one", layout->name,
                              layout->key_id);
}

int layout_hasher(const struct layout *layout, const uf_context *context, uf_filter **out)
{
    uf_spec spec = layout->spec;
    uf_context own = *context;
    uf_error why;
    if (check_key(layout, context, &own.secret))
        return EXIT_ERROR;
    own.secret_by_id = NULL;
    int status = uf_spec_set(&spec, "bits", NULL, &why);
    if (status == UF_OK)
        status = uf_spec_set(&spec, "k", NULL, &why);
    if (status == UF_OK)
        status = uf_spec_set(&spec, "n", "1", &why);
    if (status == UF_OK)
        status = uf_spec_set(&spec, "fpr", "0.5", &why);
    if (status == UF_OK)
        status = uf_build(&spec, NULL, 0, &own, out, &why);
    if (status != UF_OK)
        return print_error("%s: %s", layout->name, why.text);
    (void)uf_set_normal(*out, layout->normal);
    return EXIT_FINE;
}

/* floor(hi N / 2^64), in halves of hi. */
unsigned layout_part(const struct layout *layout, const uf_digest *digest)
{
    uint64_t upper = 0, lower = 0;
    for (int i = 15; i >= 12; i--)
        upper = upper << 8 | digest->bytes[i];
    for (int i = 11; i >= 8; i--)
        lower = lower << 8 | digest->bytes[i];
    return (unsigned)((upper * layout->parts + (lower * layout->parts >> 32)) >> 32);
}

/* ---- what goes wrong ---- */

int layout_refused(const struct layout *layout, unsigned part, const struct router *router,
                   const struct request *request)
{
    const struct address_text where = router_where(router, request);
    const char *text =
        request->reply && request->reply->type == REDIS_REPLY_ERROR ? request->reply->str : "an unexpected reply";
    if (!strncmp(text, "ERR not found", 13))
        return print_error("%s: part %u of %u is missing: %s has no key %s; 'cluster load' puts it back", layout->name,
                           part, layout->parts, where.text, layout->key[part].text);
    if (!strncmp(text, "ERR unknown command", 19))
        return print_error("%s: has no module ultrafilter, or one without UF.DADD and UF.DEXISTS; see 'ultrafilter "
                           "help redis'",
                           where.text);
    return print_error("%s: part %u of %u, on %s: %s", layout->name, part, layout->parts, where.text, text);
}
