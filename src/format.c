/* SPDX-License-Identifier: MIT */
/*
 * The header of a .uf file (docs/format.md): one page, little-endian, one canonical encoding. A header is read with
 * nothing allocated but the handle, and every byte of it is either meaningful or zero.
 */
#include "filter.h"

#include <string.h>

#include "keying.h"
#include "status.h"

static const unsigned char magic[8] = {0x89, 'U', 'F', 'L', '\r', '\n', 0x1a, '\n'};

enum {
    MAJOR = 1,
    MINOR = 0,
    NODE_AT = 48,
    PARAMS_AT = 72,
    COMPATIBLE_AT = 16,
    MARK_BYTES = 16, /* threshold and universe of a release, behind the parameters */
    CHECKSUM_AT = HEADER_BYTES - 8,
};

/* Compatible features. */
enum { TEST_RANDOM = 1 };

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

void header_write(const uf_filter *filter, unsigned char page[HEADER_BYTES])
{
    struct writer writer = {page, HEADER_BYTES, 0};
    struct writer params = {page + PARAMS_AT, CHECKSUM_AT - PARAMS_AT, 0};
    uint64_t payload = payload_bytes(filter);
    memset(page, 0, HEADER_BYTES);
    filter->ops->encode(filter, &params);
    uint64_t params_bytes = CHECKSUM_AT - PARAMS_AT - params.left;
    write_mark(filter, &params);
    write_stamp(filter, &params);
    uint64_t node_bytes = CHECKSUM_AT - NODE_AT - params.left;

    write_bytes(&writer, magic, sizeof magic);
    write_uint(&writer, MAJOR, 2);
    write_uint(&writer, MINOR, 2);
    write_uint(&writer, 0, 4);                                     /* incompatible features */
    write_uint(&writer, filter->test_random ? TEST_RANDOM : 0, 4); /* compatible features */
    write_uint(&writer, HEADER_BYTES, 4);
    write_uint(&writer, file_bytes_of(payload), 8);
    write_uint(&writer, payload, 8);
    write_uint(&writer, CHUNK_BYTES, 4);
    write_uint(&writer, node_bytes, 4);
    write_uint(&writer, filter->ops->id, 2);
    write_uint(&writer, filter->hasher.kind, 2);
    write_uint(&writer, params_bytes, 4);
    write_uint(&writer, filter->hasher.seed, 8);
    write_uint(&writer, 0, 4); /* children */
    write_uint(&writer, filter->released.mechanism, 4);

    struct writer end = {page + CHECKSUM_AT, 8, 0};
    write_uint(&end, checksum(page, CHECKSUM_AT, 0), 8);
}

/* Magic and version come before the checksum: a newer version may keep it elsewhere. */
static int check_identity(const unsigned char page[HEADER_BYTES], uf_error *why)
{
    struct reader reader = {page, HEADER_BYTES, 0};
    struct reader end = {page + CHECKSUM_AT, 8, 0};
    if (memcmp(read_bytes(&reader, sizeof magic), magic, sizeof magic))
        return fail(why, UF_EFORMAT, "is not an UltraFilter file: its first bytes are others");
    uint64_t major = read_uint(&reader, 2);
    read_uint(&reader, 2);
    uint64_t needed = read_uint(&reader, 4);
    int intact = read_uint(&end, 8) == checksum(page, CHECKSUM_AT, 0);
    if (major != MAJOR && (intact || major > MAJOR))
        return fail(why, UF_EVERSION, "is of format version %llu, or damaged there; this library reads version %d",
                    (unsigned long long)major, MAJOR);
    if (!intact)
        return fail(why, UF_EFORMAT, "is damaged: the checksum of its header does not fit");
    if (needed)
        return fail(why, UF_EVERSION, "needs features (0x%llx) that this library does not have",
                    (unsigned long long)needed);
    return UF_OK;
}

static int check_sizes(struct reader *reader, uint64_t real_bytes, uint64_t *payload, uint64_t *node, uf_error *why)
{
    uint64_t header = read_uint(reader, 4), stated = read_uint(reader, 8);
    *payload = read_uint(reader, 8);
    uint64_t chunk = read_uint(reader, 4);
    *node = read_uint(reader, 4);
    if (stated != real_bytes)
        return fail(why, UF_EFORMAT, "is cut or has grown: it should have %llu bytes and has %llu",
                    (unsigned long long)stated, (unsigned long long)real_bytes);
    if (header != HEADER_BYTES || chunk != CHUNK_BYTES || *payload > real_bytes ||
        file_bytes_of(*payload) != real_bytes)
        return fail(why, UF_EFORMAT, "is damaged: the sizes in its header do not fit together");
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

/* Keyed hashes are for every kind that has a seed. */
static int hash_fits(const struct filter_ops *ops, uint64_t hash, uint64_t seed)
{
    if (ops->hash == HASH_XXH3)
        return hash == HASH_XXH3 || hash == HASH_SIPHASH || hash == HASH_AES;
    return hash == (uint64_t)ops->hash && !seed;
}

/* The description of one filter: kind, hash, seed, params, how it was released, whose key it needs. */
static int read_node(struct reader *reader, uint64_t node_bytes, const uf_context *ctx, uf_filter **out, uf_error *why)
{
    uint64_t id = read_uint(reader, 2), hash = read_uint(reader, 2), params_bytes = read_uint(reader, 4);
    uint64_t seed = read_uint(reader, 8), children = read_uint(reader, 4), mechanism = read_uint(reader, 4);
    uint64_t behind = mechanism == RELEASE_NONE ? 0 : MARK_BYTES;
    const struct filter_ops *ops = kind_by_id(id);
    if (!ops)
        return fail(why, UF_EVERSION, "is of a kind (number %llu) that this library does not have",
                    (unsigned long long)id);
    if (!mark_known(mechanism))
        return fail(why, UF_EVERSION, "was released in a way (number %llu) that this library does not have",
                    (unsigned long long)mechanism);
    behind += hash_is_keyed((enum hash_kind)hash) ? KEY_STAMP_BYTES : 0;
    if (!hash_fits(ops, hash, seed) || children || node_bytes != PARAMS_AT - NODE_AT + params_bytes + behind ||
        params_bytes + behind > reader->left)
        return fail(why, UF_EFORMAT, "is damaged: the description of its %s filter makes no sense", ops->name);
    uf_filter *filter;
    int status = filter_new(ops, ctx, &filter, why);
    if (status != UF_OK)
        return status;
    struct reader params = {read_bytes(reader, (size_t)params_bytes), (size_t)params_bytes, 0};
    filter->hasher.kind = (enum hash_kind)hash;
    filter->hasher.seed = seed;
    status = ops->decode(filter, &params, why);
    if (status == UF_OK && (params.bad || params.left))
        status = fail(why, UF_EFORMAT, "is damaged: a %s filter has other parameters", ops->name);
    if (status == UF_OK)
        status = read_mark(reader, mechanism, filter, why);
    if (status == UF_OK)
        read_stamp(reader, filter);
    if (status == UF_OK && ops->bind)
        ops->bind(filter);
    if (status == UF_OK)
        *out = filter;
    else
        uf_free(filter);
    return status;
}

static int rest_is_zero(const struct reader *reader)
{
    for (size_t i = 0; i < reader->left; i++)
        if (reader->at[i])
            return 0;
    return 1;
}

int header_read(const unsigned char page[HEADER_BYTES], uint64_t file_bytes, const uf_context *ctx, uf_filter **out,
                uf_error *why)
{
    struct reader reader = {page + COMPATIBLE_AT, CHECKSUM_AT - COMPATIBLE_AT, 0};
    uint64_t payload, node_bytes, features = read_uint(&reader, 4);
    uf_filter *filter = NULL;
    int status = check_identity(page, why);
    if (status == UF_OK)
        status = check_sizes(&reader, file_bytes, &payload, &node_bytes, why);
    if (status == UF_OK)
        status = read_node(&reader, node_bytes, ctx, &filter, why);
    if (status != UF_OK)
        return status;
    filter->test_random = (filter->ops->declared || is_released(filter)) && (features & TEST_RANDOM);
    if (payload_bytes(filter) != payload)
        status = fail(why, UF_EFORMAT, "is damaged: its parameters mean %llu bytes of payload, and it has %llu",
                      (unsigned long long)payload_bytes(filter), (unsigned long long)payload);
    else if (!rest_is_zero(&reader))
        status = fail(why, UF_EFORMAT, "is damaged: there is something after its parameters");
    if (status == UF_OK)
        *out = filter;
    else
        uf_free(filter);
    return status;
}
