/* SPDX-License-Identifier: MIT */
/*
 * Rot and forgery: bits flipped one by one, bursts, fields of headers at their boundaries with all checksums right, and
 * signed files that were swapped, rolled back and mixed. What is damaged is refused before any answer; what a forger
 * may write is another legal filter at most, in bounded memory; and a signature notices both.
 *
 * The files are the golden ones, of every kind and version, and one of each other sort. DCSO's own format has no
 * checksum and is left out.
 *
 * usage: torture_rot short|full GOLDEN_FOLDER
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bytes.h"
#include "check.h"
#include "checksum.h"
#include "counting.h"
#include "figure.h"
#include "folder.h"
#include "golden.h"
#include "header.h"
#include "random.h"
#include "secrets.h"
#include "wire.h"

enum { MOST_FILES = 80, MEGABYTE = 1 << 20, BURST_BYTES = 64 };

/* What a file is read as: a status, and nothing handed out unless it is UF_OK. */
struct file {
    char name[64];
    struct bytes bytes;
    int (*read)(const struct file *file, const unsigned char *data, size_t size);
    uf_context ctx;
};

static struct file files[MOST_FILES];
static size_t file_count;
static struct folder folder;

/* ---- reading ---- */

static int read_filter(const struct file *file, const unsigned char *data, size_t size)
{
    uf_filter *filter = NULL;
    int status = uf_load_bytes(data, size, UF_FORMAT_UF, &file->ctx, &filter, NULL);
    uf_free(filter);
    return status;
}

static int read_model(const struct file *file, const unsigned char *data, size_t size)
{
    uf_model *model = NULL;
    int status = uf_model_load_bytes(data, size, &file->ctx, &model, NULL);
    uf_model_free(model);
    return status;
}

static int read_secret(const struct file *file, const unsigned char *data, size_t size)
{
    const char *path = folder_file(&folder, "read");
    uf_secret *secret = NULL;
    (void)file;
    file_put_all(path, data, size);
    (void)chmod(path, 0600);
    int status = uf_secret_load(path, &secret, NULL);
    uf_secret_free(secret);
    return status;
}

static int read_verify_key(const struct file *file, const unsigned char *data, size_t size)
{
    const char *path = folder_file(&folder, "read");
    uf_verify_key key, right;
    (void)file;
    file_put_all(path, data, size);
    int status = uf_verify_key_load(path, &key, NULL);
    uf_verify_key_of(secret_number(0), &right);
    return status == UF_OK && memcmp(&key, &right, sizeof key) != 0 ? UF_EINVAL + 1000 : status; /* another key! */
}

static int read_signature(const struct file *file, const unsigned char *data, size_t size)
{
    const char *path = folder_file(&folder, "read");
    file_put_all(path, data, size);
    return uf_check_signature(folder_file(&folder, "signed.uf"), path, NULL, &file->ctx, NULL);
}

static int ignore_entry(void *arg, const uf_ledger_entry *entry)
{
    (void)arg, (void)entry;
    return 0;
}

static int read_ledger(const struct file *file, const unsigned char *data, size_t size)
{
    const char *path = folder_file(&folder, "read");
    (void)file;
    file_put_all(path, data, size);
    return uf_ledger_read(path, ignore_entry, NULL, NULL);
}

/* ---- the files ---- */

static struct file *add_file(const char *name, struct bytes bytes,
                             int (*read)(const struct file *, const unsigned char *, size_t))
{
    assert_true(file_count < MOST_FILES);
    struct file *file = &files[file_count++];
    *file = (struct file){.bytes = bytes, .read = read, .ctx = secret_context()};
    (void)snprintf(file->name, sizeof file->name, "%s", name);
    assert_that(read(file, bytes.data, bytes.size) == UF_OK, "%s cannot be read as it is", name);
    return file;
}

static void add_golden(const char *from)
{
    char path[1024];
    for (size_t i = 0; i < GOLDENS; i++) {
        if (goldens[i].how == UF_FORMAT_DCSO)
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", from, goldens[i].file);
        (void)add_file(goldens[i].file, file_get_all(path), read_filter);
    }
    (void)snprintf(path, sizeof path, "%s/model.ufm", from);
    (void)add_file("model.ufm", file_get_all(path), read_model);
}

/* Kinds that no golden file has are missing here. */
static uint64_t missing_kinds(void)
{
    uint64_t missing = 0;
    for (size_t k = 0; uf_kind_name(k); k++) {
        int found = 0;
        for (size_t i = 0; i < GOLDENS && !found; i++) {
            uf_spec spec;
            found = goldens[i].spec && uf_spec_parse(goldens[i].spec, &spec, NULL) == UF_OK &&
                    !strcmp(uf_spec_kind(&spec), uf_kind_name(k));
        }
        if (!found)
            complain("no golden file of kind %s", uf_kind_name(k));
        missing += !found;
    }
    return missing;
}

static void add_signature(const char *name, int how, const uf_purpose *purpose)
{
    const char *path = folder_file(&folder, "signed.uf"), *to = folder_file(&folder, "made");
    const uf_context ctx = secret_context();
    assert_status(UF_OK, uf_sign_for(path, to, how, purpose, &ctx, NULL), NULL);
    (void)add_file(name, file_get_all(to), read_signature);
}

static void add_others(void)
{
    const uf_purpose purpose = {sizeof purpose, "list", 3};
    char made[600];
    uf_charge what = UF_CHARGE_INIT;
    uf_verify_key key;
    struct bytes line = {NULL, 0, 0};
    (void)snprintf(made, sizeof made, "%s/ledger", folder.path);
    bytes_put(&line, secret_lines[0], SECRET_LINE);
    (void)add_file("secret.key", line, read_secret);
    uf_verify_key_of(secret_number(0), &key);
    assert_status(UF_OK, uf_verify_key_save(&key, folder_file(&folder, "key.pub"), NULL), NULL);
    (void)add_file("verify.pub", file_get_all(folder_file(&folder, "key.pub")), read_verify_key);
    file_put_all(folder_file(&folder, "signed.uf"), files[0].bytes.data, files[0].bytes.size);
    add_signature("ed25519.sig", UF_SIGN_PUBLIC, NULL);
    add_signature("ed25519-named.sig", UF_SIGN_PUBLIC, &purpose);
    add_signature("blake2b-named.sig", UF_SIGN_OWN, &purpose);
    what.data_set = "data", what.mechanism = "dpset", what.id = "first", what.epsilon = 1, what.budget = 9;
    what.label = "spring", what.file = "a b.uf";
    assert_status(UF_OK, uf_ledger_charge(made, &what, NULL, 0, NULL), NULL);
    what.id = "second", what.label = "fall";
    assert_status(UF_OK, uf_ledger_charge(made, &what, NULL, 0, NULL), NULL);
    (void)add_file("ledger.ufl", file_get_all(made), read_ledger);
}

/* ---- rot ---- */

/* Damage is a matter of the format, or of the signature; of nothing else. */
static int is_noticed(int status)
{
    return status == UF_EFORMAT || status == UF_EVERSION || status == UF_ESIGNATURE || status == UF_EKEY;
}

static int check_damaged(const struct file *file, const char *how, size_t where)
{
    const int status = file->read(file, file->bytes.data, file->bytes.size);
    if (is_noticed(status))
        return 1;
    complain("%s, %s %zu: status %d", file->name, how, where, status);
    return 0;
}

static void flip_bits(int full)
{
    uint64_t tried = 0, wrong = 0, all = 0;
    const double start = figure_clock();
    for (size_t f = 0; f < file_count; f++) {
        struct file *file = &files[f];
        all += 8 * file->bytes.size;
        for (size_t bit = 0; bit < 8 * file->bytes.size; bit += full ? 1 : 1009) {
            file->bytes.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
            wrong += !check_damaged(file, "bit", bit);
            file->bytes.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
            tried++;
        }
    }
    const uint64_t missing = missing_kinds();
    figure("single bits flipped", tried, all, wrong + missing, "%zu files of every kind and sort; %.0f s", file_count,
           figure_clock() - start);
}

/* To every length but its own. */
static void cut(int full)
{
    uint64_t tried = 0, wrong = 0, all = 0;
    const double start = figure_clock();
    for (size_t f = 0; f < file_count; f++) {
        const struct file *file = &files[f];
        all += file->bytes.size;
        for (size_t size = 0; size < file->bytes.size; size += full ? 1 : 997, tried++) {
            unsigned char *data =
                malloc(size + 1); /* its own, so that a byte too far is noticed under the sanitizers */
            assert_non_null(data);
            memcpy(data, file->bytes.data, size);
            if (!is_noticed(file->read(file, data, size))) {
                complain("%s, cut to %zu bytes of %zu: is taken for whole", file->name, size, file->bytes.size);
                wrong++;
            }
            free(data);
        }
    }
    figure("files cut at every length", tried, all, wrong, "%zu files of every kind and sort; %.0f s", file_count,
           figure_clock() - start);
}

/* Up to 64 bits, or up to 64 bytes, of which the first and the last change. */
static size_t burst(uint64_t *seed, unsigned char *data, size_t size, unsigned char before[BURST_BYTES + 1], size_t *at)
{
    const int small = (int)random_below(seed, 2);
    size_t bytes = small ? 1 + (size_t)random_below(seed, 9) : 1 + (size_t)random_below(seed, BURST_BYTES);
    if (bytes > size)
        bytes = size;
    *at = (size_t)random_below(seed, size - bytes + 1);
    memcpy(before, data + *at, bytes);
    for (size_t i = 0; i < bytes; i++) {
        unsigned char mask = (unsigned char)next_random(seed);
        if (i == 0 || i == bytes - 1)
            mask |= (unsigned char)(1u << random_below(seed, 8));
        data[*at + i] ^= mask;
    }
    return bytes;
}

static void bursts(int full, uint64_t *seed)
{
    const uint64_t rounds = full ? 1000000 : 500;
    uint64_t wrong = 0;
    const double start = figure_clock();
    for (uint64_t i = 0; i < rounds; i++) {
        struct file *file = &files[random_below(seed, file_count)];
        unsigned char before[BURST_BYTES + 1];
        size_t at, bytes = burst(seed, file->bytes.data, file->bytes.size, before, &at);
        wrong += !check_damaged(file, "burst at", at);
        memcpy(file->bytes.data + at, before, bytes);
    }
    figure("bursts", rounds, 1000000, wrong, "of 1 to 64 bits or bytes; %.0f s", figure_clock() - start);
}

/* ---- forged headers ---- */

static void reseal_header(unsigned char *file)
{
    struct writer end = {file + HEADER_BYTES - 8, 8, 0};
    write_uint(&end, checksum(file, HEADER_BYTES - 8, 0), 8);
}

/* It was loaded: it answers, is written again, and that is loaded to the same bytes. */
static int check_loaded(const uf_filter *filter, const uf_context *ctx)
{
    struct bytes first = bytes_of(filter, UF_FORMAT_UF), second = {NULL, 0, 0};
    uf_filter *again = NULL;
    uf_info info;
    uf_claim claim;
    for (unsigned i = 0; i < 20; i++)
        (void)uf_query(filter, (uf_key){&i, sizeof i});
    (void)uf_get_info(filter, &info, sizeof info);
    (void)uf_get_claim(filter, &claim, sizeof claim);
    int well = uf_load_bytes(first.data, first.size, UF_FORMAT_UF, ctx, &again, NULL) == UF_OK;
    if (well) {
        second = bytes_of(again, UF_FORMAT_UF);
        well = bytes_equal(&first, &second);
    }
    uf_free(again);
    bytes_free(&first);
    bytes_free(&second);
    return well;
}

struct forged {
    uint64_t tried, wrong, loaded;
};

static void forge(const struct file *file, size_t at, unsigned width, uint64_t value, struct forged *count)
{
    struct counting counting = {0};
    uf_context ctx = counting_context(&counting);
    unsigned char before[8];
    struct writer field = {file->bytes.data + at, width, 0};
    uf_filter *filter = NULL;
    uf_error why = {0, 0, ""};
    ctx.secret = file->ctx.secret;
    memcpy(before, file->bytes.data + at, width);
    write_uint(&field, value, width);
    reseal_header(file->bytes.data);
    const int status = uf_load_bytes(file->bytes.data, file->bytes.size, UF_FORMAT_UF, &ctx, &filter, &why);
    const int bounded = counting.peak <= file->bytes.size + MEGABYTE;
    int well = status == UF_OK ? check_loaded(filter, &file->ctx)
                               : status != UF_ENOMEM && !filter && why.status == status && why.text[0];
    uf_free(filter);
    if (!well || !bounded || !counting_is_clean(&counting)) {
        complain("%s, %u bytes at %zu set to 0x%llx: status %d, %zu bytes of memory: %s", file->name, width, at,
                 (unsigned long long)value, status, counting.peak, why.text);
        count->wrong++;
    }
    count->tried++;
    count->loaded += status == UF_OK;
    memcpy(file->bytes.data + at, before, width);
    reseal_header(file->bytes.data);
}

static int is_used(const struct file *file, size_t at)
{
    for (size_t i = at < 8 ? 0 : at - 8; i < at + 8 && i < HEADER_BYTES - 8; i++)
        if (file->bytes.data[i])
            return 1;
    return at < 200;
}

static void forge_headers(int full)
{
    static const unsigned widths[] = {1, 2, 4, 8};
    struct forged count = {0, 0, 0};
    const double start = figure_clock();
    uint64_t all = 0;
    for (size_t f = 0; f < file_count; f++) {
        if (files[f].read != read_filter || !strstr(files[f].name, ".uf") || strstr(files[f].name, ".ufc"))
            continue;
        for (size_t w = 0; w < 4; w++)
            for (size_t at = 0; at + widths[w] <= HEADER_BYTES - 8; at++) {
                const uint64_t most = widths[w] == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * widths[w]) - 1;
                const uint64_t values[] = {0, 1, most - 1, most, most / 2 + 1};
                if (!is_used(&files[f], at))
                    continue;
                all += 5;
                for (size_t v = 0; v < 5; v++)
                    if (full || all % 1585 == 0)
                        forge(&files[f], at, widths[w], values[v], &count);
            }
    }
    figure("header fields at their boundaries, resealed", count.tried, all, count.wrong,
           "%llu of them are other legal filters; memory at most the file's and 1 MiB; %.0f s",
           (unsigned long long)count.loaded, figure_clock() - start);
}

/* ---- forged files that were signed ---- */

/* Payload of one, or another, in a file whose checksums are right: one chunk each. */
static void reseal_payload(struct bytes *file)
{
    const size_t payload = file->size - HEADER_BYTES - 16;
    unsigned char *table = file->data + HEADER_BYTES + payload;
    struct writer sums = {table, 16, 0};
    write_uint(&sums, checksum(file->data + HEADER_BYTES, payload, 0), 8);
    write_uint(&sums, checksum(table, 8, 1), 8);
}

static int is_plain_file(const struct file *file)
{
    return file->read == read_filter && !strstr(file->name, ".ufc");
}

struct signed_files {
    char path[MOST_FILES][600];
    size_t file[MOST_FILES], count;
    uf_verify_key key;
    uf_context ctx;
};

static void sign_all(struct signed_files *all)
{
    char name[64];
    all->ctx = secret_context();
    uf_verify_key_of(all->ctx.secret, &all->key);
    for (size_t f = 0; f < file_count; f++) {
        if (!is_plain_file(&files[f]))
            continue;
        char *path = all->path[all->count];
        (void)snprintf(path, sizeof all->path[0], "%s/%.60s", folder.path, files[f].name);
        (void)snprintf(name, sizeof name, "list-%zu", all->count);
        const uf_purpose purpose = {sizeof purpose, name, 5};
        file_put_all(path, files[f].bytes.data, files[f].bytes.size);
        assert_status(UF_OK,
                      uf_sign_for(path, NULL, all->count % 2 ? UF_SIGN_OWN : UF_SIGN_PUBLIC, &purpose, &all->ctx, NULL),
                      NULL);
        all->file[all->count++] = f;
    }
}

/* The file at `path` must not pass for what that signature is of. */
static int is_refused(const struct signed_files *all, const char *path, const char *signature,
                      const uf_purpose *purpose)
{
    uf_filter *filter = NULL;
    int checked = uf_check_signature(path, signature, NULL, &all->ctx, NULL);
    int loaded = uf_load_signed_for(path, signature, NULL, purpose, &all->ctx, &filter, NULL, 0, NULL);
    const int handed = filter != NULL;
    uf_free(filter);
    return !handed && is_noticed(loaded) && (purpose || is_noticed(checked));
}

/* Every file beside every signature but its own; under another name, and with an older serial than is asked for. */
static void swap_files(const struct signed_files *all, int full)
{
    char signature[700], name[64];
    uint64_t tried = 0, wrong = 0;
    for (size_t i = 0; i < all->count; i++)
        for (size_t j = full ? 0 : i % 10; j < all->count; j += full ? 1 : 10) {
            (void)snprintf(signature, sizeof signature, "%s.sig", all->path[j]);
            (void)snprintf(name, sizeof name, "list-%zu", j);
            const uf_purpose other = {sizeof other, name, i == j ? 6 : 5};
            int well = i == j || is_refused(all, all->path[i], signature, NULL);
            if (!is_refused(all, all->path[i], i == j ? NULL : signature, &other))
                well = 0;
            if (!well)
                complain("%s passes for %s", all->path[i], all->path[j]);
            wrong += !well;
            tried++;
        }
    figure("signed files swapped, renamed, rolled back", tried, all->count * all->count, wrong,
           "every file beside every signature, Ed25519 and BLAKE2b by turns");
}

/* A run of bytes of one payload is put into another, and the checksums are made right. */
static void mix_files(const struct signed_files *all, int full, uint64_t *seed)
{
    const uint64_t rounds = full ? 20000 : 60;
    const char *path = folder_file(&folder, "mixed.uf");
    char signature[700];
    uint64_t wrong = 0, tried = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        const size_t into = (size_t)random_below(seed, all->count), from = (size_t)random_below(seed, all->count);
        const struct bytes *a = &files[all->file[into]].bytes, *b = &files[all->file[from]].bytes;
        const size_t room = (a->size < b->size ? a->size : b->size) - HEADER_BYTES - 16;
        const size_t size = 1 + (size_t)random_below(seed, room);
        const size_t at = HEADER_BYTES + (size_t)random_below(seed, room - size + 1);
        struct bytes mixed = {NULL, 0, 0};
        bytes_put(&mixed, a->data, a->size);
        memcpy(mixed.data + at, b->data + at, size);
        reseal_payload(&mixed);
        (void)snprintf(signature, sizeof signature, "%s.sig", all->path[into]);
        if (!bytes_equal(&mixed, a)) {
            file_put_all(path, mixed.data, mixed.size);
            const int well = is_refused(all, path, signature, NULL);
            if (!well)
                complain("%s with %zu bytes of %s passes", all->path[into], size, all->path[from]);
            wrong += !well;
            tried++;
        }
        bytes_free(&mixed);
    }
    figure("signed files mixed, resealed", tried, 10000, wrong, "a section of one put into another");
}

int main(int argc, char **argv)
{
    static struct signed_files all;
    if (argc != 3) {
        (void)fprintf(stderr, "usage: torture_rot short|full GOLDEN_FOLDER\n");
        return 2;
    }
    const int full = !strcmp(argv[1], "full");
    uint64_t seed = figure_seed(full);
    folder = folder_make();
    add_golden(argv[2]);
    add_others();
    flip_bits(full);
    cut(full);
    bursts(full, &seed);
    forge_headers(full);
    sign_all(&all);
    swap_files(&all, full);
    mix_files(&all, full, &seed);
    for (size_t i = 0; i < file_count; i++)
        bytes_free(&files[i].bytes);
    folder_remove(&folder);
    return figure_status();
}
