/* SPDX-License-Identifier: MIT */
/*
 * Signatures: what was signed is accepted, by the right key in the right way; a file, a signature or a verify key of
 * which a single bit is another is not; and the root does not depend on threads or on how the file is loaded.
 */
#include <sodium/crypto_sign_ed25519.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "samples.h"
#include "load.h"
#include "context.h"
#include "root.h"
#include "signature_text.h"

struct fixture {
    struct folder folder;
    char path[1024], signature[1024];
    struct bytes file;
    uf_verify_key key[2];
    uf_context ctx;
};

static void open_fixture(struct fixture *fixture, const char *spec, size_t keys)
{
    fixture->folder = folder_make();
    (void)snprintf(fixture->path, sizeof fixture->path, "%s/a.uf", fixture->folder.path);
    (void)snprintf(fixture->signature, sizeof fixture->signature, "%s/a.uf.sig", fixture->folder.path);
    fixture->file = sample_of(spec, keys);
    file_put_all(fixture->path, fixture->file.data, fixture->file.size);
    fixture->ctx = secret_context();
    for (unsigned i = 0; i < 2; i++)
        uf_verify_key_of(secret_number(i), &fixture->key[i]);
}

static void close_fixture(struct fixture *fixture)
{
    bytes_free(&fixture->file);
    folder_remove(&fixture->folder);
}

static int check(const struct fixture *fixture, const uf_verify_key *key, const uf_secret *secret, uf_error *why)
{
    uf_context ctx = UF_CONTEXT_INIT;
    ctx.secret = secret;
    return uf_check_signature(fixture->path, NULL, key, &ctx, why);
}

static void test_signed_and_checked(void **state)
{
    static const char *const specs[] = {"bloom:n=3,seed=0x1", "keyed(blocked:n=3,seed=0x1)", "ribbon:n=3,seed=0x1"};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct fixture fixture;
        uf_filter *filter = NULL;
        uf_error why = {0, 0, ""};
        open_fixture(&fixture, specs[i], 3);
        assert_status(UF_OK, uf_sign(fixture.path, NULL, UF_SIGN_PUBLIC, &fixture.ctx, &why), &why);
        assert_int_equal(folder_entries(&fixture.folder), 2);
        assert_status(UF_OK, check(&fixture, &fixture.key[0], NULL, &why), &why);
        assert_status(UF_OK, check(&fixture, NULL, secret_number(0), &why), &why);
        assert_refused(UF_ESIGNATURE, check(&fixture, &fixture.key[1], NULL, &why), &why);
        assert_refused(UF_ESIGNATURE, check(&fixture, NULL, secret_number(1), &why), &why);
        assert_refused(UF_EKEY, check(&fixture, NULL, NULL, &why), &why);
        assert_status(UF_OK, uf_load_signed(fixture.path, NULL, &fixture.key[0], &fixture.ctx, &filter, &why), &why);
        assert_int_equal(uf_query(filter, (uf_key){"key-1", 5}), 1);
        uf_free(filter);
        close_fixture(&fixture);
    }
}

static void test_macs(void **state)
{
    struct fixture fixture;
    uf_filter *filter = NULL;
    uf_error why;
    (void)state;
    open_fixture(&fixture, "bloom:n=3,seed=0x1", 3);
    assert_status(UF_OK, uf_sign(fixture.path, NULL, UF_SIGN_OWN, &fixture.ctx, &why), &why);
    assert_status(UF_OK, check(&fixture, NULL, secret_number(0), &why), &why);
    assert_refused(UF_ESIGNATURE, check(&fixture, NULL, secret_number(1), &why), &why);
    assert_refused(UF_ESIGNATURE, check(&fixture, &fixture.key[0], secret_number(0), &why), &why);
    assert_refused(UF_EKEY, check(&fixture, NULL, NULL, &why), &why);
    assert_status(UF_OK, uf_load_signed(fixture.path, NULL, NULL, &fixture.ctx, &filter, &why), &why);
    uf_free(filter);
    close_fixture(&fixture);
}

static void test_what_cannot_be_signed(void **state)
{
    struct fixture fixture;
    uf_error why = {0, 0, ""};
    uf_context none = UF_CONTEXT_INIT;
    (void)state;
    open_fixture(&fixture, "bloom:n=3,seed=0x1", 3);
    assert_refused(UF_EKEY, uf_sign(fixture.path, NULL, UF_SIGN_PUBLIC, &none, &why), &why);
    assert_refused(UF_EINVAL, uf_sign(fixture.path, NULL, 3, &fixture.ctx, &why), &why);
    assert_refused(UF_EINVAL, uf_sign(NULL, NULL, UF_SIGN_PUBLIC, &fixture.ctx, &why), &why);
    fixture.file.data[HEADER_BYTES] ^= 1;
    file_put_all(fixture.path, fixture.file.data, fixture.file.size);
    assert_refused(UF_EFORMAT, uf_sign(fixture.path, NULL, UF_SIGN_PUBLIC, &fixture.ctx, &why), &why);
    assert_refused(UF_ESIGNATURE, check(&fixture, &fixture.key[0], NULL, &why), &why); /* there is none */
    assert_int_equal(folder_entries(&fixture.folder), 1);
    close_fixture(&fixture);
}

/* Names that are too long, in folders that are none, or where nothing can be written. */
static void test_places_of_signatures(void **state)
{
    static char endless[5000];
    struct fixture fixture;
    char below[1100];
    uf_signed said;
    uf_filter *filter = NULL;
    uf_error why;
    (void)state;
    memset(endless, 'a', sizeof endless - 1);
    open_fixture(&fixture, "bloom:n=3,seed=0x1", 3);
    (void)snprintf(below, sizeof below, "%s/below", fixture.path); /* the filter is no folder */
    assert_refused(UF_EIO, uf_sign(fixture.path, endless, UF_SIGN_PUBLIC, &fixture.ctx, &why), &why);
    assert_refused(UF_EIO, uf_sign(endless, NULL, UF_SIGN_PUBLIC, &fixture.ctx, &why), &why);
    assert_refused(UF_EIO, uf_sign(fixture.path, below, UF_SIGN_PUBLIC, &fixture.ctx, &why), &why);
    assert_non_null(strstr(why.text, "cannot be signed"));
    assert_int_equal(folder_entries(&fixture.folder), 1);
    assert_refused(UF_EIO, uf_read_signature(fixture.path, endless, &said, sizeof said, &why), &why);
    assert_refused(UF_EIO, uf_read_signature(fixture.path, below, &said, sizeof said, &why), &why);
    assert_non_null(strstr(why.text, "cannot be checked"));
    assert_refused(UF_EIO, uf_load_signed(fixture.path, endless, &fixture.key[0], NULL, &filter, &why), &why);
    assert_null(filter);
    close_fixture(&fixture);
}

/* The file with all checksums right, as someone makes it who knows the format. */
static void reseal_all(struct bytes *file)
{
    uint64_t payload = file->size - HEADER_BYTES - 16; /* one chunk */
    unsigned char *table = file->data + HEADER_BYTES + payload;
    struct writer sums = {table, 16, 0};
    write_uint(&sums, checksum(file->data + HEADER_BYTES, (size_t)payload, 0), 8);
    write_uint(&sums, checksum(table, 8, 1), 8);
    reseal_header(file->data);
}

static void check_altered(struct fixture *fixture, size_t bit)
{
    uf_filter *filter = NULL;
    uf_error why = {0, 0, ""};
    fixture->file.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    reseal_all(&fixture->file);
    file_put_all(fixture->path, fixture->file.data, fixture->file.size);
    int status = uf_load_signed(fixture->path, NULL, &fixture->key[0], &fixture->ctx, &filter, &why);
    assert_that((status == UF_ESIGNATURE || is_format_error(status) || status == UF_EKEY) && !filter && why.text[0],
                "bit %zu gave %d: %s", bit, status, why.text);
    fixture->file.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    reseal_all(&fixture->file);
}

/* Every bit of the payload, the seed and n: each makes a legal file, which is not what was signed. Every fifth with the
 * sanitizers, where most of the time is that of the signatures. */
static void test_every_alteration(void **state)
{
    struct fixture fixture;
    (void)state;
    open_fixture(&fixture, "blocked:n=3,seed=0x1", 3);
    assert_status(UF_OK, uf_sign(fixture.path, NULL, UF_SIGN_PUBLIC, &fixture.ctx, NULL), NULL);
    const size_t step = test_small() ? 5 : 1;
    for (size_t bit = 56 * 8; bit < 80 * 8; bit += step)
        check_altered(&fixture, bit);
    for (size_t bit = HEADER_BYTES * 8; bit < (fixture.file.size - 16) * 8; bit += step)
        check_altered(&fixture, bit);
    file_put_all(fixture.path, fixture.file.data, fixture.file.size);
    assert_status(UF_OK, check(&fixture, &fixture.key[0], NULL, NULL), NULL); /* and as it was, it is fine */
    close_fixture(&fixture);
}

static void check_every_signature(struct fixture *fixture, int how, const uf_purpose *purpose)
{
    uf_error why;
    assert_status(UF_OK, uf_sign_for(fixture->path, NULL, how, purpose, &fixture->ctx, NULL), NULL);
    struct bytes line = file_get_all(fixture->signature);
    for (size_t bit = 0; bit < 8 * line.size; bit += test_small() ? 5 : 1) {
        if (purpose->name && bit / 8 == 48) /* the digits are those of the other line */
            bit = 8 * (line.size - 40);
        line.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        file_put_all(fixture->signature, line.data, line.size);
        int status = check(fixture, NULL, secret_number(0), &why);
        assert_that(status == UF_ESIGNATURE || status == UF_EVERSION, "bit %zu gave %d", bit, status);
        line.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    for (size_t size = purpose->name ? line.size - 40 : 0; size < line.size; size++) {
        file_put_all(fixture->signature, line.data, size);
        assert_true(check(fixture, NULL, secret_number(0), NULL) < 0);
    }
    bytes_put(&line, "\n", 1);
    file_put_all(fixture->signature, line.data, line.size);
    assert_refused(UF_ESIGNATURE, check(fixture, NULL, secret_number(0), &why), &why);
    while (line.size < 5000)
        bytes_put(&line, "x", 1);
    file_put_all(fixture->signature, line.data, line.size);
    assert_refused(UF_ESIGNATURE, check(fixture, NULL, secret_number(0), &why), &why);
    bytes_free(&line);
}

/* Every change of a character, every length, of both kinds of signature, with a name and serial and without. */
static void test_every_signature(void **state)
{
    static const uf_purpose purposes[] = {{sizeof(uf_purpose), NULL, 0}, {sizeof(uf_purpose), "deny-list", 17}};
    struct fixture fixture;
    (void)state;
    open_fixture(&fixture, "bloom:n=3,seed=0x1", 3);
    for (int how = UF_SIGN_PUBLIC; how <= UF_SIGN_OWN; how++)
        for (unsigned i = 0; i < 2; i++)
            check_every_signature(&fixture, how, &purposes[i]);
    close_fixture(&fixture);
}

/* ---- names and serials ---- */

static int check_for(const struct fixture *fixture, const char *name, uint64_t serial, uf_error *why)
{
    uf_purpose purpose = {sizeof purpose, name, serial};
    return uf_load_signed_for(fixture->path, NULL, NULL, &purpose, &fixture->ctx, NULL, NULL, 0, why);
}

static void sign_for(const struct fixture *fixture, int how, const char *name, uint64_t serial)
{
    uf_purpose purpose = {sizeof purpose, name, serial};
    uf_error why;
    assert_status(UF_OK, uf_sign_for(fixture->path, NULL, how, &purpose, &fixture->ctx, &why), &why);
}

static void test_purposes(void **state)
{
    struct fixture fixture;
    uf_error why;
    (void)state;
    open_fixture(&fixture, "bloom:n=3,seed=0x1", 3);
    for (int how = UF_SIGN_PUBLIC; how <= UF_SIGN_OWN; how++) {
        uf_signed said;
        uf_filter *filter = NULL;
        sign_for(&fixture, how, "deny-list", 7);
        assert_status(UF_OK, check(&fixture, NULL, secret_number(0), &why), &why);
        assert_status(UF_OK, check_for(&fixture, "deny-list", 7, &why), &why);
        assert_status(UF_OK, check_for(&fixture, NULL, 6, &why), &why);
        assert_refused(UF_ESIGNATURE, check_for(&fixture, "deny-list", 8, &why), &why); /* rolled back */
        assert_refused(UF_ESIGNATURE, check_for(&fixture, "allow-list", 0, &why), &why);
        assert_refused(UF_ESIGNATURE, check_for(&fixture, "deny-lis", 0, &why), &why);
        assert_refused(UF_ESIGNATURE, check_for(&fixture, "deny-list2", 0, &why), &why);
        assert_status(
            UF_OK, uf_load_signed_for(fixture.path, NULL, NULL, NULL, &fixture.ctx, &filter, &said, sizeof said, &why),
            &why);
        assert_true(said.how == how && said.serial == 7);
        assert_string_equal(said.name, "deny-list");
        uf_free(filter);
        sign_for(&fixture, how, NULL, 0); /* no more than uf_sign gives: it is for nothing in particular */
        assert_refused(UF_ESIGNATURE, check_for(&fixture, "deny-list", 0, &why), &why);
        assert_refused(UF_ESIGNATURE, check_for(&fixture, NULL, 1, &why), &why);
        sign_for(&fixture, how, NULL, UINT64_MAX);
        assert_status(UF_OK, check_for(&fixture, NULL, UINT64_MAX, &why), &why);
        assert_refused(UF_ESIGNATURE, check_for(&fixture, "deny-list", 0, &why), &why);
    }
    close_fixture(&fixture);
}

static void test_names_that_are_none(void **state)
{
    static const char *const names[] = {"", "deny list", "deny\n", "d\xc3\xa9ny",
                                        "a123456789b123456789c123456789d123456789e123456789f123456789g123"};
    struct fixture fixture;
    uf_error why;
    (void)state;
    open_fixture(&fixture, "bloom:n=3,seed=0x1", 3);
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        uf_purpose purpose = {sizeof purpose, names[i], 1};
        assert_refused(UF_EINVAL, uf_sign_for(fixture.path, NULL, UF_SIGN_PUBLIC, &purpose, &fixture.ctx, &why), &why);
        assert_refused(UF_EINVAL, check_for(&fixture, names[i], 0, &why), &why);
    }
    sign_for(&fixture, UF_SIGN_PUBLIC, names[4] + 1, UINT64_MAX); /* 63 characters, 20 digits: the longest line */
    assert_status(UF_OK, check_for(&fixture, names[4] + 1, UINT64_MAX, &why), &why);
    close_fixture(&fixture);
}

/* What is before the name moved, its words put in another order, or left out: nothing of that is what was signed. */
static void test_bound_words(void **state)
{
    static const char *const words[] = {" name=allow serial=7",
                                        " name=deny serial=8",
                                        " name=deny",
                                        " serial=7",
                                        " serial=7 name=deny",
                                        " name=deny serial=07",
                                        " name=deny serial=7 ",
                                        " name=deny serial=0",
                                        " name= serial=7",
                                        "",
                                        " name=deny serial=18446744073709551623"};
    struct fixture fixture;
    char text[512];
    uf_error why;
    (void)state;
    open_fixture(&fixture, "bloom:n=3,seed=0x1", 3);
    sign_for(&fixture, UF_SIGN_PUBLIC, "deny", 7);
    struct bytes line = file_get_all(fixture.signature);
    char *end = memmem(line.data, line.size, " name=", 6);
    assert_non_null(end);
    int digits = (int)(end - (char *)line.data);
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
        for (char version = '1'; version <= '2'; version++) {
            int length = snprintf(text, sizeof text, "%.*s%s\n", digits, (const char *)line.data, words[i]);
            text[strlen("ultrafilter-signature-")] = version;
            file_put_all(fixture.signature, text, (size_t)length);
            assert_refused(UF_ESIGNATURE, check(&fixture, &fixture.key[0], NULL, &why), &why);
        }
    bytes_free(&line);
    close_fixture(&fixture);
}

/* The message as docs/format.md#signatures has it, built by hand. */
static void test_the_message(void **state)
{
    unsigned char message[24 + 32 + 8 + 1 + 4] = "ultrafilter signature 2";
    struct fixture fixture;
    struct file_root root;
    struct signature signature;
    (void)state;
    open_fixture(&fixture, "bloom:n=3,seed=0x1", 3);
    sign_for(&fixture, UF_SIGN_PUBLIC, "deny", 0x0102);
    struct bytes line = file_get_all(fixture.signature);
    assert_status(UF_OK, signature_parse((const char *)line.data, line.size, &signature, NULL), NULL);
    assert_status(UF_OK, load_rooted(fixture.path, &fixture.ctx, &root, NULL, NULL), NULL);
    memcpy(message + 24, root.digest, 32);
    message[56] = 2;
    message[57] = 1;
    message[64] = 4;
    memcpy(message + 65, "deny", 4);
    assert_int_equal(
        crypto_sign_ed25519_verify_detached(signature.value, message, sizeof message, fixture.key[0].bytes), 0);
    bytes_free(&line);
    close_fixture(&fixture);
}

/* A valid signature of another file, and another message of the same key. */
static void test_signatures_do_not_move(void **state)
{
    struct fixture one, other;
    (void)state;
    open_fixture(&one, "bloom:n=3,seed=0x1", 3);
    open_fixture(&other, "bloom:n=3,seed=0x2", 3);
    assert_status(UF_OK, uf_sign(one.path, NULL, UF_SIGN_PUBLIC, &one.ctx, NULL), NULL);
    assert_status(UF_ESIGNATURE, uf_check_signature(other.path, one.signature, &one.key[0], NULL, NULL), NULL);
    assert_status(UF_OK, uf_check_signature(one.path, one.signature, &one.key[0], NULL, NULL), NULL);
    close_fixture(&one);
    close_fixture(&other);
}

/* ---- the root ---- */

/* Computed anew from the text of signature.h. */
static void root_by_hand(const struct bytes *file, uint64_t payload, struct file_root *out)
{
    enum { RUN = 1 << 20 };
    size_t runs = (size_t)((payload + RUN - 1) / RUN);
    unsigned char *leaves = calloc(runs + 2, 32), number[8];
    struct digest digest;
    struct writer writer = {number, 8, 0};
    assert_non_null(leaves);
    for (size_t i = 0; i < runs + 2; i++) {
        size_t from = !i ? 0 : i <= runs ? HEADER_BYTES + (i - 1) * RUN : HEADER_BYTES + (size_t)payload;
        size_t end = !i          ? HEADER_BYTES
                     : i < runs  ? from + RUN
                     : i == runs ? HEADER_BYTES + (size_t)payload
                                 : file->size;
        struct writer index = {number, 8, 0};
        write_uint(&index, i, 8);
        digest_start(&digest, NULL, "file leaf");
        digest_add(&digest, number, 8);
        digest_add(&digest, file->data + from, end - from);
        digest_end(&digest, leaves + 32 * i);
    }
    write_uint(&writer, file->size, 8);
    digest_start(&digest, NULL, "file root");
    digest_add(&digest, number, 8);
    digest_add(&digest, leaves, 32 * (runs + 2));
    digest_end(&digest, out->digest);
    free(leaves);
}

static void test_the_root(void **state)
{
    static const char *const specs[] = {"bloom:n=3,seed=0x1", "bloom:n=900000,seed=0x1",
                                        "blocked:bits=16777216,n=1,seed=0x1"};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct fixture fixture;
        struct file_root want, got;
        struct reader payload;
        open_fixture(&fixture, specs[i], 3);
        payload = (struct reader){fixture.file.data + 32, 8, 0};
        root_by_hand(&fixture.file, read_uint(&payload, 8), &want);
        for (unsigned threads = 1; threads < 5; threads++) {
            uf_context ctx;
            uf_filter *filter;
            fixture.ctx.threads = threads;
            assert_status(UF_OK, context_read(&fixture.ctx, &ctx, NULL), NULL);
            assert_status(UF_OK, load_rooted(fixture.path, &ctx, &got, &filter, NULL), NULL);
            assert_memory_equal(&want, &got, sizeof want);
            uf_free(filter);
            assert_status(UF_OK, load_rooted(fixture.path, &ctx, &got, NULL, NULL), NULL);
            assert_memory_equal(&want, &got, sizeof want);
        }
        close_fixture(&fixture);
    }
}

/* ---- verify keys ---- */

static void test_verify_keys(void **state)
{
    struct folder folder = folder_make();
    const char *path = folder_file(&folder, "a.pub");
    uf_verify_key key, back;
    uf_error why;
    (void)state;
    uf_verify_key_of(secret_number(0), &key);
    assert_status(UF_OK, uf_verify_key_save(&key, path, &why), &why);
    assert_status(UF_OK, uf_verify_key_load(path, &back, &why), &why);
    assert_memory_equal(&key, &back, sizeof key);
    struct bytes line = file_get_all(path);
    assert_int_equal(line.size, 103);
    for (size_t bit = 0; bit < 8 * line.size; bit++) {
        line.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        file_put_all(path, line.data, line.size);
        assert_true(is_format_error(uf_verify_key_load(path, &back, &why)));
        line.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    for (size_t size = 0; size < line.size; size++) {
        file_put_all(path, line.data, size);
        assert_true(is_format_error(uf_verify_key_load(path, &back, &why)));
    }
    assert_memory_equal(&key, &back, sizeof key);
    bytes_free(&line);
    unlink(path);
    assert_status(UF_EIO, uf_verify_key_load(path, &back, &why), NULL);
    folder_remove(&folder);
}

/* Neither the master key nor the signing key is in what is written. */
static void test_nothing_secret_is_written(void **state)
{
    struct fixture fixture;
    unsigned char seed[32], public[32], private[64];
    char hex[65];
    (void)state;
    open_fixture(&fixture, "bloom:n=3,seed=0x1", 3);
    derive(secret_number(0)->master, "signature", NULL, 0, seed);
    (void)crypto_sign_ed25519_seed_keypair(public, private, seed);
    for (int i = 0; i < 32; i++)
        (void)snprintf(hex + 2 * i, 3, "%02x", seed[i]);
    assert_memory_equal(public, fixture.key[0].bytes, 32);
    for (int how = UF_SIGN_PUBLIC; how <= UF_SIGN_OWN; how++) {
        assert_status(UF_OK, uf_sign(fixture.path, NULL, how, &fixture.ctx, NULL), NULL);
        struct bytes line = file_get_all(fixture.signature);
        for (size_t i = 0; i + 16 <= 64; i++) {
            assert_null(memmem(line.data, line.size, hex + i, 16));
            assert_null(memmem(line.data, line.size, secret_lines[0] + 18 + i, 16));
        }
        bytes_free(&line);
    }
    close_fixture(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signed_and_checked),
        cmocka_unit_test(test_macs),
        cmocka_unit_test(test_what_cannot_be_signed),
        cmocka_unit_test(test_places_of_signatures),
        cmocka_unit_test(test_every_alteration),
        cmocka_unit_test(test_every_signature),
        cmocka_unit_test(test_purposes),
        cmocka_unit_test(test_names_that_are_none),
        cmocka_unit_test(test_bound_words),
        cmocka_unit_test(test_the_message),
        cmocka_unit_test(test_signatures_do_not_move),
        cmocka_unit_test(test_the_root),
        cmocka_unit_test(test_verify_keys),
        cmocka_unit_test(test_nothing_secret_is_written),
    };
    return cmocka_run_group_tests_name("signature", tests, NULL, NULL);
}
