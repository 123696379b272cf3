/* SPDX-License-Identifier: MIT */
/*
 * The header of a .uf file (docs/format.md): one page, little-endian, one canonical encoding. A header is read with
 * nothing allocated but the handle, and every byte of it is either meaningful or zero.
 */
#include "header.h"

#include <string.h>

#include "capacity.h"
#include "checksum.h"
#include "keying.h"
#include "note.h"
#include "payload.h"
#include "status.h"
#include "table.h"

enum {
    MAJOR = 1,
    MINOR = 0,
    NODE_AT = 48,
    NODE_BYTES = 24, /* without what follows */
    NEEDED_AT = 12,
    FILE_BYTES_AT = 24,
    MARK_BYTES = 16, /* threshold and universe of a release, behind the parameters */
    CHECKSUM_AT = HEADER_BYTES - 8,
};

/* Compatible features. */
enum { TEST_RANDOM = 1, COUNTED = 2, KEEPS_CR = 256, NOTE = 512 };

/* Incompatible ones: a reader that asks for a key as it comes would not find it. */
enum { LOWERCASE = 1, TRIM = 2, NEEDED_KNOWN = LOWERCASE | TRIM };

static uint64_t features_of(const uf_filter *filter)
{
    return (filter->test_random ? TEST_RANDOM : 0u) | (filter->counted ? COUNTED : 0u) |
           (filter->normal & UF_NORMAL_KEEPS_CR ? KEEPS_CR : 0u) | (note_is_there(&filter->note) ? NOTE : 0u);
}

static void write_mark(const uf_filter *filter, struct writer *writer)
{
    if (!is_released(filter))
        return;
    write_uint(writer, filter->released.threshold, 8);
    write_uint(writer, filter->released.universe, 8);
}

static void write_stamp(const uf_filter *filter, struct writer *writer)
{
    if (!is_keyed(filter))
        return;
    write_bytes(writer, filter->hasher.stamp.id, sizeof filter->hasher.stamp.id);
    write_bytes(writer, filter->hasher.stamp.check, sizeof filter->hasher.stamp.check);
}

static void write_count(const uf_filter *filter, struct writer *writer)
{
    if (filter->capacity.policy != FULL_WARN)
        write_uint(writer, capacity_count(filter), CAPACITY_COUNT_BYTES);
}

/* A node: NODE_BYTES of numbers, then what belongs to the kind and the filter, then its children. */
static void write_node(const uf_filter *filter, struct writer *writer)
{
    struct writer head = *writer;
    unsigned char empty[NODE_BYTES] = {0};
    write_bytes(writer, empty, sizeof empty);
    size_t before = writer->left;
    filter->ops->encode(filter, writer);
    uint64_t params_bytes = before - writer->left;
    write_mark(filter, writer);
    write_stamp(filter, writer);
    write_count(filter, writer);
    write_uint(&head, filter->ops->id, 2);
    write_uint(&head, filter->hasher.kind, 2);
    write_uint(&head, params_bytes, 4);
    write_uint(&head, filter->hasher.seed, 8);
    write_uint(&head, filter->children, 4);
    write_uint(&head, filter->released.mechanism, 2);
    write_uint(&head, filter->capacity.policy, 2);
    for (unsigned i = 0; i < filter->children; i++)
        write_node(filter->child[i], writer);
}

int header_write(const uf_filter *filter, unsigned char page[HEADER_BYTES])
{
    struct writer writer = {page, HEADER_BYTES, 0};
    struct writer nodes = {page + NODE_AT, CHECKSUM_AT - NODE_AT, 0};
    uint64_t payload = payload_bytes(filter);
    memset(page, 0, HEADER_BYTES);
    write_node(filter, &nodes);
    const size_t node_bytes = CHECKSUM_AT - NODE_AT - nodes.left;
    if (note_is_there(&filter->note))
        note_write(&filter->note, &nodes);

    write_bytes(&writer, HEADER_MAGIC, MAGIC_BYTES);
    write_uint(&writer, MAJOR, 2);
    write_uint(&writer, MINOR, 2);
    write_uint(&writer, filter->normal & NEEDED_KNOWN, 4); /* incompatible features */
    write_uint(&writer, features_of(filter), 4);           /* compatible features */
    write_uint(&writer, HEADER_BYTES, 4);
    write_uint(&writer, file_bytes_of(payload), 8);
    write_uint(&writer, payload, 8);
    write_uint(&writer, CHUNK_BYTES, 4);
    write_uint(&writer, node_bytes, 4);

    struct writer end = {page + CHECKSUM_AT, 8, 0};
    write_uint(&end, checksum(page, CHECKSUM_AT, 0), 8);
    return nodes.bad ? UF_EUNSUPPORTED : UF_OK;
}

/* Magic and version come before the checksum: a newer version may keep it elsewhere. */
static int check_identity(const unsigned char page[HEADER_BYTES], uf_error *why)
{
    struct reader reader = {page, HEADER_BYTES, 0};
    struct reader end = {page + CHECKSUM_AT, 8, 0};
    if (memcmp(read_bytes(&reader, MAGIC_BYTES), HEADER_MAGIC, MAGIC_BYTES))
        return fail(why, UF_EFORMAT, "is not an UltraFilter file: the first bytes are others");
    uint64_t major = read_uint(&reader, 2);
    read_uint(&reader, 2);
    uint64_t needed = read_uint(&reader, 4);
    int intact = read_uint(&end, 8) == checksum(page, CHECKSUM_AT, 0);
    if (major != MAJOR && (intact || major > MAJOR))
        return fail(why, UF_EVERSION, "is of format version %llu, or damaged there; this library reads version %d",
                    (unsigned long long)major, MAJOR);
    if (!intact)
        return fail(why, UF_EFORMAT, "is damaged: the checksum of the header does not fit");
    if (needed & ~(uint64_t)NEEDED_KNOWN)
        return fail(why, UF_EVERSION, "needs features (0x%llx) that this library does not have",
                    (unsigned long long)(needed & ~(uint64_t)NEEDED_KNOWN));
    return UF_OK;
}

int header_file_bytes(const unsigned char page[HEADER_BYTES], uint64_t *out, uf_error *why)
{
    struct reader reader = {page + FILE_BYTES_AT, 8, 0};
    *out = read_uint(&reader, 8);
    return check_identity(page, why);
}

static int check_sizes(struct reader *reader, uint64_t real_bytes, uint64_t *payload, uint64_t *node, uf_error *why)
{
    uint64_t header = read_uint(reader, 4), stated = read_uint(reader, 8);
    *payload = read_uint(reader, 8);
    uint64_t chunk = read_uint(reader, 4);
    *node = read_uint(reader, 4);
    if (stated != real_bytes)
        return fail(why, UF_EFORMAT, "is cut or too long: the header says %llu bytes, and there are %llu",
                    (unsigned long long)stated, (unsigned long long)real_bytes);
    if (header != HEADER_BYTES || chunk != CHUNK_BYTES || *payload > real_bytes ||
        file_bytes_of(*payload) != real_bytes)
        return fail(why, UF_EFORMAT, "is damaged: the sizes in the header do not fit together");
    return UF_OK;
}

/* Behind the parameters, when the mechanism is not 0. */
static int read_mark(struct reader *reader, uint64_t mechanism, uf_filter *filter, uf_error *why)
{
    if (mechanism == RELEASE_NONE)
        return UF_OK;
    filter->released.mechanism = (uint32_t)mechanism;
    filter->released.threshold = read_uint(reader, 8);
    filter->released.universe = read_uint(reader, 8);
    if (mark_legal(&filter->released))
        return UF_OK;
    return fail(why, UF_EFORMAT, "is damaged: no release has the threshold %llu and a universe of %llu keys",
                (unsigned long long)filter->released.threshold, (unsigned long long)filter->released.universe);
}

/* Behind those, when the hash is keyed. */
static void read_stamp(struct reader *reader, uf_filter *filter)
{
    struct key_stamp *stamp = &filter->hasher.stamp;
    if (!is_keyed(filter))
        return;
    memcpy(stamp->id, read_bytes(reader, sizeof stamp->id), sizeof stamp->id);
    memcpy(stamp->check, read_bytes(reader, sizeof stamp->check), sizeof stamp->check);
}

/* Keyed hashes are for every kind that has a seed; some have no other. */
static int hash_fits(const struct filter_ops *ops, uint64_t hash, uint64_t seed)
{
    if (ops->keyed)
        return hash == HASH_SIPHASH || hash == HASH_AES;
    if (ops->hash == HASH_XXH3)
        return hash == HASH_XXH3 || hash == HASH_SIPHASH || hash == HASH_AES;
    return hash == (uint64_t)ops->hash && !seed;
}

/* A chain grows, and nothing else does; what can be full refuses or does not care; a released filter has no room. */
static int policy_fits(const struct filter_ops *ops, uint64_t policy, uint64_t mechanism)
{
    if (ops->grow)
        return policy == FULL_SCALE && mechanism == RELEASE_NONE;
    return policy == FULL_WARN || (policy == FULL_REFUSE && mechanism == RELEASE_NONE && capacity_applies(ops));
}

struct node {
    uint64_t hash, params_bytes, seed, children, mechanism, policy;
    const struct filter_ops *ops;
};

/* The numbers at the start of a node, with all that can be said of them alone. */
static int read_head(struct reader *reader, struct node *node, uf_error *why)
{
    uint64_t id = read_uint(reader, 2);
    node->hash = read_uint(reader, 2);
    node->params_bytes = read_uint(reader, 4);
    node->seed = read_uint(reader, 8);
    node->children = read_uint(reader, 4);
    node->mechanism = read_uint(reader, 2);
    node->policy = read_uint(reader, 2);
    if (reader->bad)
        return fail(why, UF_EFORMAT, "is damaged: the description of the filters is cut");
    node->ops = kind_by_id(id);
    if (!node->ops)
        return fail(why, UF_EVERSION, "is of a kind (number %llu) that this library does not have",
                    (unsigned long long)id);
    if (!mark_known(node->mechanism))
        return fail(why, UF_EVERSION, "was released in a way (number %llu) that this library does not have",
                    (unsigned long long)node->mechanism);
    if (node->policy >= FULL_POLICIES)
        return fail(why, UF_EVERSION, "does something when it is full (number %llu) that this library does not know",
                    (unsigned long long)node->policy);
    uint64_t behind = node->mechanism == RELEASE_NONE ? 0 : MARK_BYTES;
    behind += hash_is_keyed((enum hash_kind)node->hash) ? KEY_STAMP_BYTES : 0;
    behind += node->policy == FULL_WARN ? 0 : CAPACITY_COUNT_BYTES;
    if (!hash_fits(node->ops, node->hash, node->seed) || (node->children && !node->ops->adopt) ||
        (node->mechanism && node->ops->own) || !policy_fits(node->ops, node->policy, node->mechanism) ||
        node->params_bytes + behind > reader->left)
        return fail(why, UF_EFORMAT, "is damaged: the description of the %s filter makes no sense", node->ops->name);
    return UF_OK;
}

/* One filter without its children: params, how it was released, whose key it needs. */
static int read_own(struct reader *reader, const struct node *node, uf_filter *filter, uf_error *why)
{
    size_t bytes = (size_t)node->params_bytes;
    struct reader params = {read_bytes(reader, bytes), bytes, 0};
    filter->hasher.kind = (enum hash_kind)node->hash;
    filter->hasher.seed = node->seed;
    int status = node->ops->decode(filter, &params, why);
    if (status == UF_OK && (params.bad || params.left))
        status = fail(why, UF_EFORMAT, "is damaged: a %s filter has other parameters", node->ops->name);
    if (status == UF_OK)
        status = read_mark(reader, node->mechanism, filter, why);
    if (status == UF_OK)
        read_stamp(reader, filter);
    return status;
}

/* Behind those, when there is a policy; what it means is known once the children are there. */
static int open_capacity(const struct node *node, uint64_t count, uf_filter *filter, uf_error *why)
{
    if (!capacity_applies(node->ops))
        return UF_OK;
    capacity_open(filter, (uint32_t)node->policy, count);
    if (count <= filter->capacity.n)
        return UF_OK;
    return fail(why, UF_EFORMAT, "is damaged: %llu keys were counted, and there is room for %llu",
                (unsigned long long)count, (unsigned long long)filter->capacity.n);
}

/* How many filters are still allowed, in this direction and in all. */
struct limits {
    unsigned depth, nodes;
};

static int read_node(struct reader *reader, struct limits *limits, const uf_context *ctx, uf_filter **out,
                     uf_error *why);

static int read_children(struct reader *reader, uint64_t children, struct limits *limits, const uf_context *ctx,
                         uf_filter *filter, uf_error *why)
{
    int status = UF_OK;
    if (children && !limits->depth)
        return fail(why, UF_EFORMAT, "is damaged: there are filters inside filters more than %d deep",
                    FILTER_MOST_DEPTH);
    limits->depth--;
    for (uint64_t i = 0; status == UF_OK && i < children; i++) {
        uf_filter *child = NULL;
        status = read_node(reader, limits, ctx, &child, why);
        if (status == UF_OK)
            status = filter_add_child(filter, child, why);
        if (status != UF_OK)
            uf_free(child);
    }
    limits->depth++;
    return status;
}

static int read_node(struct reader *reader, struct limits *limits, const uf_context *ctx, uf_filter **out,
                     uf_error *why)
{
    struct node node = {.ops = NULL};
    uf_filter *filter = NULL;
    if (!limits->nodes--)
        return fail(why, UF_EFORMAT, "is damaged: there are more than %d filters inside", FILTER_MOST_NODES);
    int status = read_head(reader, &node, why);
    if (status == UF_OK)
        status = filter_new(node.ops, ctx, &filter, why);
    if (status == UF_OK)
        status = read_own(reader, &node, filter, why);
    uint64_t count = status == UF_OK && node.policy != FULL_WARN ? read_uint(reader, CAPACITY_COUNT_BYTES) : 0;
    if (status == UF_OK)
        status = read_children(reader, node.children, limits, ctx, filter, why);
    if (status == UF_OK && node.ops->adopt)
        status = node.ops->adopt(filter, why);
    if (status == UF_OK)
        status = open_capacity(&node, count, filter, why);
    if (status == UF_OK)
        filter_bind(filter);
    if (status == UF_OK)
        *out = filter;
    else
        uf_free(filter);
    return status;
}

static int rest_is_zero(const struct reader *reader)
{
    static const unsigned char zeros[HEADER_BYTES];
    return !memcmp(reader->at, zeros, reader->left);
}

int header_read(const unsigned char page[HEADER_BYTES], uint64_t file_bytes, const uf_context *ctx, uf_filter **out,
                uf_error *why)
{
    struct reader reader = {page + NEEDED_AT, CHECKSUM_AT - NEEDED_AT, 0};
    struct limits limits = {FILTER_MOST_DEPTH, FILTER_MOST_NODES};
    uint64_t payload, node_bytes, needed = read_uint(&reader, 4), features = read_uint(&reader, 4);
    uf_filter *filter = NULL;
    int status = check_identity(page, why);
    if (status == UF_OK)
        status = check_sizes(&reader, file_bytes, &payload, &node_bytes, why);
    if (status == UF_OK)
        status = read_node(&reader, &limits, ctx, &filter, why);
    if (status != UF_OK)
        return status;
    filter->test_random = (filter->ops->declared || is_released(filter)) && (features & TEST_RANDOM);
    if (features & COUNTED)
        uf_mark_counted(filter);
    filter->normal = (unsigned)needed | (features & KEEPS_CR ? UF_NORMAL_KEEPS_CR : 0u);
    if (payload_bytes(filter) != payload)
        status = fail(why, UF_EFORMAT, "is damaged: the parameters mean %llu bytes of payload, and there are %llu",
                      (unsigned long long)payload_bytes(filter), (unsigned long long)payload);
    else if (node_bytes != CHECKSUM_AT - NODE_AT - reader.left)
        status = fail(why, UF_EFORMAT, "is damaged: the description has another length than the header says");
    else if (features & NOTE)
        status = note_read(&reader, &filter->note, why);
    if (status == UF_OK && !rest_is_zero(&reader))
        status = fail(why, UF_EFORMAT, "is damaged: there is something after the parameters");
    if (status == UF_OK)
        *out = filter;
    else
        uf_free(filter);
    return status;
}
