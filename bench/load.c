/* SPDX-License-Identifier: MIT */
/*
 * Loading reads every byte once into fresh memory and checks its checksum, so its limit is the same read without the
 * check: most of the time is the kernel's, which clears each page and then copies the file there.
 * Mapping reads the header alone. Then, from the same file in memory or from the filter, what hosts do: pieces, a view,
 * a copy, each beside what it replaces. The filter has its full size but holds only 10^6 keys: loading cannot tell.
 */
#include "load.h"

#include "clock.h"
#include "keys.h"
#include "pages.h"
#include "team.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ultrafilter.h>
#include <unistd.h>

enum { KEY_COUNT = 1000000, BITS_PER_KEY = 11, READ_BYTES = 1 << 18 };

static int make_file(const char *path, uint64_t bytes, const struct keys *keys, uf_info *info, uf_error *why)
{
    char text[128];
    uf_spec spec;
    uf_builder *builder = NULL;
    uf_filter *filter = NULL;
    unsigned long long bits = bytes * 8;
    snprintf(text, sizeof text, "blocked:n=%llu,bits=%llu", bits / BITS_PER_KEY, bits);
    int status = uf_spec_parse(text, &spec, why);
    if (status == UF_OK) {
        status = uf_builder_new(&spec, NULL, &builder, why);
    }
    if (status == UF_OK) {
        status = uf_builder_add_fixed(builder, keys->at, keys->width, (size_t)keys->count, NULL);
    }
    if (status == UF_OK) {
        status = uf_builder_finish(builder, &filter, why);
    }
    uf_builder_free(builder);
    if (status == UF_OK) {
        uf_get_info(filter, info, sizeof *info);
        status = uf_save(filter, path, UF_FORMAT_UF, why);
    }
    uf_free(filter);
    return status;
}

/* Nanoseconds from the call of uf_load to the first answer, which must be right. */
static int load_once(const char *path, unsigned how, unsigned threads, uf_key member, double *ns, uf_error *why)
{
    uf_context context = UF_CONTEXT_INIT;
    uf_filter *filter = NULL;
    context.threads = threads;
    double start = clock_ns();
    int status = uf_load(path, how, &context, &filter, why);
    if (status != UF_OK) {
        return status;
    }
    int found = uf_query(filter, member);
    *ns = clock_ns() - start;
    uf_free(filter);
    if (!found) {
        snprintf(why->text, sizeof why->text, "a key is missing from the loaded filter");
        return UF_EFORMAT;
    }
    return UF_OK;
}

static int measure_how(const char *path, unsigned how, const struct effort *effort, uf_key member, struct result *row,
                       uf_error *why)
{
    double spent = 0;
    row->ns = INFINITY;
    row->runs = 0;
    team_settle(row->threads);
    while (effort_again(effort, row->runs, spent)) {
        double ns = 0;
        int status = load_once(path, how, row->threads, member, &ns, why);
        if (status != UF_OK) {
            return status;
        }
        row->ns = fmin(row->ns, ns);
        row->runs++;
        spent += ns;
    }
    return UF_OK;
}

/* ---- the limit ---- */

struct bare {
    int fd, failed;
    unsigned char *to;
    uint64_t bytes;
    unsigned threads;
};

static void read_slice(void *arg, unsigned index)
{
    struct bare *bare = arg;
    uint64_t from, end;
    ssize_t got = 1;
    team_slice(bare->bytes, bare->threads, index, &from, &end);
    for (uint64_t at = from; at < end && got > 0; at += (uint64_t)got) {
        got = pread(bare->fd, bare->to + at, end - at < READ_BYTES ? (size_t)(end - at) : READ_BYTES, (off_t)at);
    }
    if (got <= 0) {
        __atomic_store_n(&bare->failed, 1, __ATOMIC_RELAXED);
    }
}

static int read_once(int fd, const struct result *row, double *ns)
{
    struct pages pages;
    if (pages_get(&pages, row->bytes) != 0) {
        return UF_ENOMEM;
    }
    struct bare bare = {fd, 0, pages.at, row->bytes, row->threads};
    *ns = team_run(row->threads, read_slice, &bare);
    pages_put(&pages);
    return bare.failed ? UF_EIO : UF_OK;
}

/* As many bytes as the filter has, from its file. */
static int measure_read(const char *path, const struct effort *effort, struct result *row)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), status = fd < 0 ? UF_EIO : UF_OK;
    double spent = 0;
    row->op = OP_READ;
    row->ratio_limit = NAN;
    row->ns = INFINITY;
    row->runs = 0;
    team_settle(row->threads);
    while (status == UF_OK && effort_again(effort, row->runs, spent)) {
        double ns = 0;
        status = read_once(fd, row, &ns);
        row->ns = fmin(row->ns, ns);
        row->runs++;
        spent += ns;
    }
    if (fd >= 0) {
        close(fd);
    }
    return status;
}

/* uf_load on 1 and on `threads` threads beside its limit, then mapped. */
static int measure_all(const char *path, unsigned threads, const struct effort *effort, uf_key member,
                       struct result *row, struct results *results, uf_error *why)
{
    for (unsigned t = 1; t <= threads; t = t == 1 && threads > 1 ? threads : threads + 1) {
        row->threads = t;
        int status = measure_read(path, effort, row);
        if (status != UF_OK) {
            return status;
        }
        results_add(results, row);
        double limit = row->ns;
        row->op = OP_LOAD;
        status = measure_how(path, UF_FORMAT_UF, effort, member, row, why);
        if (status != UF_OK) {
            return status;
        }
        row->ratio_limit = row->ns / limit;
        results_add(results, row);
    }
    row->op = OP_LOAD_MAP;
    row->threads = 1;
    row->ratio_limit = NAN;
    int status = measure_how(path, UF_FORMAT_UF | UF_MAP, effort, member, row, why);
    if (status == UF_OK) {
        results_add(results, row);
    }
    return status;
}

/* ---- what hosts do ---- */

struct block {
    unsigned char *data;
    size_t bytes;
};

/* What the ways start from. */
struct scene {
    const char *path;
    struct block file; /* the whole file, on a cache line */
    uf_filter *filter;
};

typedef int way_run(const struct scene *scene, const uf_context *context, uf_filter **out, uf_error *why);

static int run_bytes(const struct scene *scene, const uf_context *context, uf_filter **out, uf_error *why)
{
    return uf_load_bytes(scene->file.data, scene->file.bytes, UF_FORMAT_UF, context, out, why);
}

static int feed_file(uf_loader *loader, int fd, uf_error *why)
{
    static unsigned char piece[65536];
    ssize_t got = 0;
    int status = UF_OK;
    while (status == UF_OK && (got = read(fd, piece, sizeof piece)) > 0) {
        status = uf_loader_feed(loader, piece, (size_t)got, why);
    }
    return got < 0 ? UF_EIO : status;
}

static int run_pieces(const struct scene *scene, const uf_context *context, uf_filter **out, uf_error *why)
{
    uf_loader *loader = NULL;
    int fd = open(scene->path, O_RDONLY | O_CLOEXEC);
    int status = fd < 0 ? UF_EIO : uf_loader_new(context, UF_FORMAT_UF, &loader, why);
    if (status == UF_OK) {
        status = feed_file(loader, fd, why);
    }
    if (status == UF_OK) {
        status = uf_loader_finish(loader, out, why);
    }
    uf_loader_free(loader);
    if (fd >= 0) {
        close(fd);
    }
    return status;
}

static int run_view(const struct scene *scene, const uf_context *context, uf_filter **out, uf_error *why)
{
    return uf_load_view(scene->file.data, scene->file.bytes, context, out, why);
}

static int run_copy(const struct scene *scene, const uf_context *context, uf_filter **out, uf_error *why)
{
    return uf_copy(scene->filter, context, out, why);
}

static int append(void *arg, const void *data, size_t bytes)
{
    struct block *to = arg;
    memcpy(to->data + to->bytes, data, bytes);
    to->bytes += bytes;
    return 0;
}

/* What a copy was before uf_copy. */
static int run_write_load(const struct scene *scene, const uf_context *context, uf_filter **out, uf_error *why)
{
    struct block bytes = {malloc(scene->file.bytes), 0};
    int status = bytes.data ? uf_write(scene->filter, UF_FORMAT_UF, append, &bytes, why) : UF_ENOMEM;
    if (status == UF_OK) {
        status = uf_load_bytes(bytes.data, bytes.bytes, UF_FORMAT_UF, context, out, why);
    }
    free(bytes.data);
    return status;
}

/* `held` files are in the caller's memory meanwhile. */
static const struct way {
    enum op op;
    way_run *run;
    double held;
} ways[] = {
    {OP_LOAD_BYTES, run_bytes, 1}, {OP_LOAD_PIECES, run_pieces, 0},    {OP_VIEW, run_view, 1},
    {OP_COPY, run_copy, 0},        {OP_WRITE_LOAD, run_write_load, 1},
};

/* Counts what the library holds. */
struct account {
    size_t live, peak;
};

static void *account_alloc(void *arg, size_t bytes, size_t align)
{
    struct account *account = arg;
    void *memory = aligned_alloc(align, (bytes + align - 1) / align * align);
    account->live += memory ? bytes : 0;
    account->peak = account->live > account->peak ? account->live : account->peak;
    return memory;
}

static void account_release(void *arg, void *memory, size_t bytes)
{
    struct account *account = arg;
    account->live -= bytes;
    free(memory);
}

static int measure_memory(const struct way *way, const struct scene *scene, struct result *row, uf_error *why)
{
    struct account account = {0, 0};
    uf_context context = UF_CONTEXT_INIT;
    uf_filter *filter = NULL;
    context.allocator = (uf_allocator){account_alloc, account_release, &account, NULL};
    int status = way->run(scene, &context, &filter, why);
    row->memory = ((double)account.peak + way->held * (double)scene->file.bytes) / (double)row->bytes;
    uf_free(filter);
    return status;
}

static int measure_way(const struct way *way, const struct scene *scene, const struct effort *effort, uf_key member,
                       struct result *row, uf_error *why)
{
    double spent = 0;
    int status = UF_OK;
    row->op = way->op;
    row->ns = INFINITY;
    row->runs = 0;
    while (status == UF_OK && effort_again(effort, row->runs, spent)) {
        uf_filter *filter = NULL;
        double start = clock_ns();
        status = way->run(scene, NULL, &filter, why);
        int found = status == UF_OK && uf_query(filter, member);
        double ns = clock_ns() - start;
        uf_free(filter);
        if (status == UF_OK && !found) {
            snprintf(why->text, sizeof why->text, "a key is missing from the filter");
            return UF_EFORMAT;
        }
        row->ns = fmin(row->ns, ns);
        row->runs++;
        spent += ns;
    }
    return status == UF_OK ? measure_memory(way, scene, row, why) : status;
}

static int set_scene(struct scene *scene, const char *path, uf_error *why)
{
    uf_sizes sizes;
    *scene = (struct scene){.path = path};
    int status = uf_load(path, UF_FORMAT_UF, NULL, &scene->filter, why);
    if (status == UF_OK) {
        status = uf_get_sizes(scene->filter, &sizes, sizeof sizes);
    }
    if (status == UF_OK) {
        scene->file.data = aligned_alloc(64, (size_t)(sizes.file_bytes + 63) / 64 * 64);
        status = scene->file.data ? uf_write(scene->filter, UF_FORMAT_UF, append, &scene->file, why) : UF_ENOMEM;
    }
    return status;
}

static int measure_ways(const char *path, const struct effort *effort, uf_key member, struct result *row,
                        struct results *results, uf_error *why)
{
    struct scene scene;
    int status = set_scene(&scene, path, why);
    row->threads = 1;
    row->ratio_limit = NAN;
    team_settle(1);
    for (size_t i = 0; status == UF_OK && i < sizeof ways / sizeof ways[0]; i++) {
        status = measure_way(&ways[i], &scene, effort, member, row, why);
        if (status == UF_OK) {
            results_add(results, row);
        }
    }
    uf_free(scene.filter);
    free(scene.file.data);
    return status;
}

int load_measure(const char *folder, uint64_t bytes, unsigned threads, const struct effort *effort,
                 struct results *results)
{
    char path[4096];
    uf_error why = {0};
    uf_info info;
    struct keys keys;
    if (keys_make(&keys, 0, KEY_COUNT, 8) != 0) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/uf_bench.%ld.uf", folder, (long)getpid());
    int status = make_file(path, bytes, &keys, &info, &why);
    if (status == UF_OK) {
        struct result row = {.peer = &peer_blocked, .key_bytes = keys.width, .n = info.capacity, .alone = {NAN, NAN}};
        row.bytes = info.bytes;
        row.bits_per_key = (double)info.bytes * 8 / (double)info.capacity;
        row.ratio_libbloom = NAN;
        row.fpr = NAN;
        uf_key member = {keys.at, keys.width};
        status = measure_all(path, threads, effort, member, &row, results, &why);
        if (status == UF_OK) {
            status = measure_ways(path, effort, member, &row, results, &why);
        }
    }
    if (status != UF_OK) {
        fprintf(stderr, "uf_bench: loading a filter of %llu bytes from %s: %s: %s\n", (unsigned long long)bytes, path,
                uf_status_text(status), why.text);
    }
    unlink(path);
    keys_free(&keys);
    return status == UF_OK ? 0 : -1;
}
