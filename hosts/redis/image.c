/* SPDX-License-Identifier: MIT */
#include "image.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char magic[IMAGE_MAGIC] = {'U', 'F', 'R', '1'};

static void put_number(unsigned char *out, uint64_t number)
{
    for (int i = 0; i < 8; i++)
        out[i] = (unsigned char)(number >> 8 * i);
}

static uint64_t get_number(const unsigned char *in)
{
    uint64_t number = 0;
    for (int i = 0; i < 8; i++)
        number |= (uint64_t)in[i] << 8 * i;
    return number;
}

/* ---- to pieces ---- */

/* The library's pieces are smaller than PIECE, but for the table of checksums of a very large filter. */
struct writer {
    int (*put)(void *arg, const void *data, size_t bytes);
    void *arg;
};

static int put_bounded(void *arg, const void *data, size_t bytes)
{
    const struct writer *writer = arg;
    const unsigned char *at = data;
    int stop = 0;
    for (size_t done = 0, step; done < bytes && !stop; done += step) {
        step = bytes - done < PIECE ? bytes - done : PIECE;
        stop = writer->put(writer->arg, at + done, step);
    }
    return stop;
}

int image_write(const struct value *value, int (*put)(void *arg, const void *data, size_t bytes), void *arg,
                uf_error *why)
{
    struct writer writer = {put, arg};
    unsigned char first[IMAGE_FIRST] = {0};
    memcpy(first, magic, IMAGE_MAGIC);
    first[IMAGE_MAGIC] = (unsigned char)value->levels;
    for (int i = 0; i < FIGURES; i++)
        put_number(first + IMAGE_START + 8 * i, value->figures[i]);
    int status = put(arg, first, sizeof first) ? UF_EIO : UF_OK;
    for (unsigned i = 0; status == UF_OK && i < value->levels; i++)
        status = uf_write(value->filter[i], UF_FORMAT_UF, put_bounded, &writer, why);
    return status;
}

/* ---- and back ---- */

struct image {
    struct value *value;  /* NULL: the first piece is missing */
    struct value *beside; /* held; where its filter will go; NULL: nowhere */
    unsigned levels;      /* that there will be */
    uf_context ctx;       /* of the loader */
    uf_loader *loader;    /* of the next filter; NULL between two */
    uint64_t left;        /* bytes that it still needs; 0: its header is not whole */
    unsigned char header[UF_HEADER_BYTES];
    size_t header_bytes;
    uint64_t received;
    int counts; /* FIGURE_ITEMS is not known and is to be estimated */
};

struct image *image_new(void)
{
    return RedisModule_Calloc(1, sizeof(struct image));
}

struct image *image_beside(struct value *other)
{
    struct image *image = image_new();
    value_hold(other);
    image->beside = other;
    return image;
}

void image_free(struct image *image)
{
    if (!image)
        return;
    uf_loader_free(image->loader);
    value_release(image->value);
    value_release(image->beside);
    RedisModule_Free(image);
}

static int refuse(uf_error *why, const char *text)
{
    if (why) {
        why->status = UF_EFORMAT;
        why->reason = 0;
        (void)snprintf(why->text, sizeof why->text, "%s", text);
    }
    return UF_EFORMAT;
}

/* The first chunk of RedisBloom's SCANDUMP: 20 bytes, of which the second 4 are the number of layers, and 53 for each
 * of those. */
enum { BLOOM_HEAD = 20, BLOOM_LAYER = 53 };

static int is_redisbloom(const unsigned char *data, size_t bytes)
{
    return bytes >= BLOOM_HEAD + BLOOM_LAYER && (bytes - BLOOM_HEAD) % BLOOM_LAYER == 0 &&
           (get_number(data + 8) & UINT32_MAX) == (bytes - BLOOM_HEAD) / BLOOM_LAYER;
}

static int read_first(struct image *image, const unsigned char *data, size_t bytes, uf_error *why)
{
    if (bytes != IMAGE_FIRST || memcmp(data, magic, IMAGE_MAGIC) || data[5] || data[6] || data[7])
        return refuse(why, is_redisbloom(data, bytes)
                               ? "this is a dump of RedisBloom: its bits are of a hash without a key, which anyone can "
                                 "forge items for, and it has no checksum, so it is not taken over; add the items anew "
                                 "from their source (docs/redis.md, Move from RedisBloom)"
                               : "this is not the first piece of a filter that this module wrote");
    if (!data[IMAGE_MAGIC] || data[IMAGE_MAGIC] > MOST_LEVELS)
        return refuse(why, "the first piece is damaged: no value has so many filters");
    if (get_number(data + IMAGE_START + 8 * FIGURE_FAMILY) >= FAMILIES)
        return refuse(why, "the first piece is damaged, or of a newer module: it names no family of commands");
    image->value = image->beside ? value_beside(image->beside) : value_new();
    image->levels = data[IMAGE_MAGIC];
    for (int i = 0; i < FIGURES; i++)
        image->value->figures[i] = get_number(data + IMAGE_START + 8 * i);
    return UF_OK;
}

void image_start_plain(struct image *image)
{
    image->value = value_new();
    image->levels = 1;
    image->counts = 1;
}

static int start_filter(struct image *image, uf_error *why)
{
    uf_header header = {.file_bytes = 0};
    int status = uf_read_header(image->header, UF_HEADER_BYTES, &header, sizeof header, why);
    if (status != UF_OK)
        return status;
    image->ctx = value_context(image->value);
    status = uf_loader_new(&image->ctx, UF_WITHOUT_KEY, &image->loader, why);
    if (status == UF_OK)
        status = uf_loader_feed(image->loader, image->header, UF_HEADER_BYTES, why);
    image->left = header.file_bytes - UF_HEADER_BYTES;
    return status;
}

static int end_filter(struct image *image, uf_error *why)
{
    uf_filter *filter = NULL;
    int status = uf_loader_finish(image->loader, &filter, why);
    uf_loader_free(image->loader);
    image->loader = NULL;
    image->header_bytes = 0;
    return status == UF_OK ? value_add_level(image->value, filter) : status;
}

/* As many of these bytes as the next step takes. */
static size_t feed_some(struct image *image, const unsigned char *data, size_t bytes, int *status, uf_error *why)
{
    size_t step;
    if (!image->loader) {
        step = UF_HEADER_BYTES - image->header_bytes;
        step = bytes < step ? bytes : step;
        memcpy(image->header + image->header_bytes, data, step);
        image->header_bytes += step;
        if (image->header_bytes == UF_HEADER_BYTES)
            *status = start_filter(image, why);
    } else {
        step = bytes < image->left ? bytes : (size_t)image->left;
        *status = uf_loader_feed(image->loader, data, step, why);
        image->left -= step;
    }
    if (*status == UF_OK && image->loader && !image->left)
        *status = end_filter(image, why);
    return step;
}

int image_feed(struct image *image, const void *data, size_t bytes, uf_error *why)
{
    const unsigned char *at = data;
    int status = UF_OK;
    if (!image->value)
        return read_first(image, data, bytes, why);
    for (size_t done = 0; status == UF_OK && done < bytes;) {
        if (image_complete(image))
            return refuse(why, "there are bytes behind the end of the last filter");
        done += feed_some(image, at + done, bytes - done, &status, why);
    }
    image->received += bytes;
    return status;
}

int image_complete(const struct image *image)
{
    return image->value && image->value->levels == image->levels;
}

/* The header of the last filter says how long it is; it may be within these bytes. */
int image_ends_with(const struct image *image, const void *data, size_t bytes)
{
    uf_header header = {.file_bytes = 0};
    if (!image->value || image->value->levels + 1 != image->levels)
        return 0;
    if (image->loader)
        return image->left == bytes;
    return !image->header_bytes && uf_read_header(data, bytes, &header, sizeof header, NULL) == UF_OK &&
           header.file_bytes == bytes;
}

uint64_t image_received(const struct image *image)
{
    return image->received;
}

/* Of a file that the program wrote: who may ask, and how many items it has. */
static void set_figures(struct value *value)
{
    uf_spec plan;
    uf_info info = {.count_estimate = NAN};
    if (uf_get_info(value->filter[0], &info, sizeof info) == UF_OK && info.count_estimate >= 0 &&
        info.count_estimate < 0x1p63)
        value->figures[FIGURE_ITEMS] = (uint64_t)llround(info.count_estimate);
    uf_get_plan(value->filter[0], &plan);
    value->figures[FIGURE_FAMILY] = value_family(&plan);
}

int image_finish(struct image *image, struct value **out, uf_error *why)
{
    if (!image_complete(image))
        return refuse(why, "the filter is cut: its end is missing");
    if (image->counts)
        set_figures(image->value);
    (void)value_is_locked(image->value);
    *out = image->value;
    image->value = NULL;
    return UF_OK;
}
