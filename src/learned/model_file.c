/* SPDX-License-Identifier: MIT */
/*
 * The .ufm file (docs/format.md#models): a header of 128 bytes with its checksum, the packed weights, their checksum.
 * The rules are those of filters: one encoding, lengths before allocation, everything validated in one call.
 */
#include <string.h>
#include <unistd.h>

#include "bits.h"
#include "blob.h"
#include "checksum.h"
#include "context.h"
#include "file.h"
#include "models.h"
#include "status.h"
#include "subject.h"
#include "wire.h"

static const unsigned char magic[8] = {0x89, 'U', 'F', 'M', '\r', '\n', 0x1a, '\n'};

enum {
    MAJOR = 1,
    MINOR = 0,
    FEATURES_VERSION = 1, /* of feature.h */
    HEAD = 128,
    SUM_AT = HEAD - 8,
    WEIGHTS_SALT = 1,
    MOST_BYTES = HEAD + (8 << FEATURES_MOST_LOG) + 8
};

/* ---- writing ---- */

static void write_head(const uf_model *model, unsigned char head[HEAD])
{
    const struct fit *fit = &model->fit;
    uint64_t payload = fit->model.word_count * sizeof(uint64_t);
    struct writer writer = {head, HEAD, 0}, end = {head + SUM_AT, 8, 0};
    memset(head, 0, HEAD);
    write_bytes(&writer, magic, sizeof magic);
    write_uint(&writer, MAJOR, 2);
    write_uint(&writer, MINOR, 2);
    write_uint(&writer, 0, 4); /* incompatible features */
    write_uint(&writer, 0, 4); /* compatible features */
    write_uint(&writer, HEAD, 4);
    write_uint(&writer, HEAD + payload + 8, 8);
    write_uint(&writer, payload, 8);
    write_uint(&writer, FEATURES_VERSION, 4);
    write_uint(&writer, fit->model.log_weights, 4);
    write_uint(&writer, fit->model.weight_bits, 4);
    write_uint(&writer, 0, 4);
    write_uint(&writer, fit->positives, 8);
    write_uint(&writer, fit->negatives, 8);
    write_uint(&writer, fit->valid, 8);
    write_uint(&writer, fit->overlap, 8);
    write_double(&writer, fit->auc);
    write_uint(&writer, model->seed, 8);
    write_uint(&end, checksum(head, SUM_AT, 0), 8);
}

static int write_model(void *arg, struct file_writer *file, uf_error *why)
{
    const uf_model *model = arg;
    const struct fit *fit = &model->fit;
    size_t count = fit->model.word_count;
    unsigned char head[HEAD], sum[8];
    struct writer end = {sum, sizeof sum, 0};
    uint64_t *words = mem_alloc_dirty(&fit->mem, count, sizeof *words);
    if (!words)
        return fail(why, UF_ENOMEM, "no memory to write a model of %zu bytes", count * sizeof *words);
    memcpy(words, fit->words, count * sizeof *words);
    bits_swap(words, count);
    write_head(model, head);
    write_uint(&end, checksum(words, count * sizeof *words, WEIGHTS_SALT), 8);
    int status = file_write(file, head, sizeof head, why);
    if (status == UF_OK)
        status = file_write(file, words, count * sizeof *words, why);
    if (status == UF_OK)
        status = file_write(file, sum, sizeof sum, why);
    mem_free(&fit->mem, words, count, sizeof *words);
    return status;
}

int uf_model_save(const uf_model *model, const char *path, uf_error *why)
{
    error_clear(why);
    if (!model || !path)
        return fail(why, UF_EINVAL, "no model or no path was given");
    int status = file_replace(path, FILE_REPLACE, write_model, (void *)(uintptr_t)model, why);
    return subject_file(status, path, why);
}

/* ---- reading ---- */

/* Magic and version come before the checksum: a newer version may keep it elsewhere. */
static int check_identity(const unsigned char head[HEAD], uf_error *why)
{
    struct reader reader = {head, HEAD, 0}, end = {head + SUM_AT, 8, 0};
    if (memcmp(read_bytes(&reader, sizeof magic), magic, sizeof magic) != 0)
        return fail(why, UF_EFORMAT, "is not a model: those are made by 'ultrafilter train'");
    uint64_t major = read_uint(&reader, 2);
    read_uint(&reader, 2);
    uint64_t needed = read_uint(&reader, 4);
    int intact = read_uint(&end, 8) == checksum(head, SUM_AT, 0);
    if (major != MAJOR && (intact || major > MAJOR))
        return fail(why, UF_EVERSION,
                    "is a model of format version %llu, or damaged there; this library reads version %d",
                    (unsigned long long)major, MAJOR);
    if (!intact)
        return fail(why, UF_EFORMAT, "is a damaged model: the checksum of the header does not fit");
    if (needed)
        return fail(why, UF_EVERSION, "is a model that needs features (0x%llx) this library does not have",
                    (unsigned long long)needed);
    return UF_OK;
}

static int check_sizes(struct reader *reader, uint64_t real_bytes, uint64_t *payload, uf_error *why)
{
    uint64_t head = read_uint(reader, 4), stated = read_uint(reader, 8);
    *payload = read_uint(reader, 8);
    if (stated != real_bytes)
        return fail(why, UF_EFORMAT,
                    "is a model that was cut or is too long: the header says %llu bytes, and there are %llu",
                    (unsigned long long)stated, (unsigned long long)real_bytes);
    if (head != HEAD || real_bytes > MOST_BYTES || *payload != real_bytes - HEAD - 8)
        return fail(why, UF_EFORMAT, "is a damaged model: the sizes in the header do not fit together");
    return UF_OK;
}

/* Everything of the header but the weights. */
static int read_head(const unsigned char head[HEAD], uint64_t real_bytes, struct fit *fit, uint64_t *seed,
                     uf_error *why)
{
    struct reader reader = {head + 20, SUM_AT - 20, 0};
    uint64_t payload;
    int status = check_identity(head, why);
    if (status == UF_OK)
        status = check_sizes(&reader, real_bytes, &payload, why);
    if (status != UF_OK)
        return status;
    uint64_t version = read_uint(&reader, 4), log_weights = read_uint(&reader, 4), bits = read_uint(&reader, 4);
    uint64_t zero = read_uint(&reader, 4);
    if (version != FEATURES_VERSION)
        return fail(why, UF_EVERSION, "is a model over other features (number %llu) than this library has",
                    (unsigned long long)version);
    fit->positives = read_uint(&reader, 8);
    fit->negatives = read_uint(&reader, 8);
    fit->valid = read_uint(&reader, 8);
    fit->overlap = read_uint(&reader, 8);
    fit->auc = read_double(&reader);
    *seed = read_uint(&reader, 8);
    while (reader.left && !zero)
        zero = read_uint(&reader, 1);
    if (zero || !model_shape_legal(log_weights, bits) || !(fit->auc >= 0 && fit->auc <= 1) ||
        model_words((unsigned)log_weights, (unsigned)bits) * sizeof(uint64_t) != payload)
        return fail(why, UF_EFORMAT, "is a damaged model: no training gives these parameters");
    fit->model = (struct model){(unsigned)log_weights, (unsigned)bits, (size_t)(payload / 8), NULL};
    return UF_OK;
}

/* Checks weights that are in the words, in file order, and turns them into the machine's. */
static int take_weights(struct fit *fit, const unsigned char sum[8], uf_error *why)
{
    struct reader end = {sum, 8, 0};
    if (checksum(fit->words, fit->model.word_count * 8, WEIGHTS_SALT) != read_uint(&end, 8))
        return fail(why, UF_EFORMAT, "is a damaged model: the checksum of the weights does not fit");
    bits_swap(fit->words, fit->model.word_count);
    fit->model.words = fit->words;
    if (!model_words_legal(&fit->model))
        return fail(why, UF_EFORMAT, "is a damaged model: there are weights that no training gives");
    return UF_OK;
}

static int load(const struct blob *blob, const uf_context *ctx, uf_model **out, uf_error *why)
{
    unsigned char head[HEAD], sum[8];
    uint64_t seed = 0, bytes = blob->bytes;
    struct fit fit = {.mem = {ctx->allocator}};
    if (bytes < HEAD + 8)
        return fail(why, UF_EFORMAT, "is %s a model: there are %llu bytes", bytes ? "too short to be" : "empty, not",
                    (unsigned long long)bytes);
    int status = blob_read(blob, head, sizeof head, 0, why);
    if (status == UF_OK)
        status = read_head(head, bytes, &fit, &seed, why);
    if (status != UF_OK)
        return status;
    fit.words = mem_alloc_dirty(&fit.mem, fit.model.word_count, sizeof *fit.words);
    if (!fit.words)
        return fail(why, UF_ENOMEM, "no memory for a model of %zu bytes", fit.model.word_count * sizeof *fit.words);
    status = blob_read(blob, fit.words, fit.model.word_count * 8, HEAD, why);
    if (status == UF_OK)
        status = blob_read(blob, sum, sizeof sum, HEAD + fit.model.word_count * 8, why);
    if (status == UF_OK)
        status = take_weights(&fit, sum, why);
    if (status == UF_OK)
        return model_new(&fit, seed, out, why);
    fit_free(&fit);
    return status;
}

static int load_file(const char *path, const uf_context *ctx, uf_model **out, uf_error *why)
{
    struct blob blob;
    int status = blob_open(&blob, path, why);
    if (status != UF_OK)
        return status;
    status = load(&blob, ctx, out, why);
    blob_close(&blob);
    return status;
}

int uf_model_load(const char *path, const uf_context *given, uf_model **out, uf_error *why)
{
    uf_context ctx;
    error_clear(why);
    if (!path || !out)
        return fail(why, UF_EINVAL, "no path was given");
    int status = context_read(given, &ctx, why);
    return status == UF_OK ? subject_file(load_file(path, &ctx, out, why), path, why) : status;
}

int uf_model_load_bytes(const void *data, size_t bytes, const uf_context *given, uf_model **out, uf_error *why)
{
    struct blob blob = blob_of_bytes(data, bytes);
    uf_context ctx;
    error_clear(why);
    if (!out || (!data && bytes))
        return fail(why, UF_EINVAL, "no bytes were given");
    int status = context_read(given, &ctx, why);
    return status == UF_OK ? subject_bytes(load(&blob, &ctx, out, why), why) : status;
}
