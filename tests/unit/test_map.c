/* SPDX-License-Identifier: MIT */
/* Mapped files: the same answers, nothing changed by anyone, header and table checked at once, payload on demand. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "counting.h"
#include "folder.h"
#include "samples.h"

static const char *const mapped[] = {"bloom:n=20000,seed=0x1", "blocked:n=20000,seed=0x2", "ribbon:n=20000,seed=0x3",
                                     "dcso:n=20000"};

enum { MAPPED = sizeof mapped / sizeof mapped[0], KEYS = 20000 };

struct fixture {
    struct folder folder;
    char path[1024];
    struct bytes file;
    struct keys keys, probes;
};

static void open_fixture(struct fixture *fixture, const char *spec)
{
    fixture->folder = folder_make();
    (void)snprintf(fixture->path, sizeof fixture->path, "%s/a.uf", fixture->folder.path);
    fixture->keys = keys_make("key", KEYS);
    fixture->probes = keys_make("probe", KEYS);
    fixture->file = bytes_of_build(spec, fixture->keys.key, KEYS, NULL);
    file_put_all(fixture->path, fixture->file.data, fixture->file.size);
}

static void close_fixture(struct fixture *fixture)
{
    folder_remove(&fixture->folder);
    keys_free(&fixture->keys);
    keys_free(&fixture->probes);
    bytes_free(&fixture->file);
}

static void test_answers_are_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < MAPPED; i++) {
        struct fixture fixture;
        uf_filter *map, *read;
        uf_error why;
        open_fixture(&fixture, mapped[i]);
        assert_status(UF_OK, uf_load(fixture.path, UF_MAP, NULL, &map, &why), &why);
        assert_status(UF_OK, uf_load(fixture.path, UF_FORMAT_UF, NULL, &read, &why), &why);
        assert_int_equal(keys_found(map, &fixture.keys), KEYS);
        for (size_t j = 0; j < KEYS; j++)
            assert_int_equal(uf_query(map, fixture.probes.key[j]), uf_query(read, fixture.probes.key[j]));
        assert_int_equal(keys_found(map, &fixture.probes), keys_found(read, &fixture.probes));
        assert_status(UF_OK, uf_verify(map, &why), &why);
        assert_status(UF_OK, uf_verify(read, &why), &why);
        struct bytes again = bytes_of(map, UF_FORMAT_UF);
        assert_true(bytes_equal(&again, &fixture.file));
        bytes_free(&again);
        uf_free(map);
        uf_free(read);
        close_fixture(&fixture);
    }
}

static void test_mapped_filters_are_read_only(void **state)
{
    (void)state;
    for (size_t i = 0; i < MAPPED; i++) {
        struct fixture fixture;
        uf_filter *map, *other;
        uf_error why;
        open_fixture(&fixture, mapped[i]);
        assert_status(UF_OK, uf_load(fixture.path, UF_MAP, NULL, &map, &why), &why);
        assert_status(UF_OK, uf_load(fixture.path, UF_FORMAT_UF, NULL, &other, &why), &why);
        int grows = uf_insert(other, (uf_key){"x", 1}, NULL) == UF_OK;
        assert_int_equal(uf_insert(map, (uf_key){"x", 1}, NULL), grows ? UF_EREADONLY : UF_EUNSUPPORTED);
        assert_int_equal(uf_insert_fixed(map, "xy", 1, 2, NULL), grows ? UF_EREADONLY : UF_EUNSUPPORTED);
        assert_refused(grows ? UF_EREADONLY : UF_EUNSUPPORTED, uf_merge(map, other, &why), &why);
        if (grows)
            assert_status(UF_OK, uf_merge(other, map, &why), &why); /* from a mapped one is fine */
        struct bytes after = file_get_all(fixture.path);
        assert_true(bytes_equal(&after, &fixture.file));
        bytes_free(&after);
        uf_free(map);
        uf_free(other);
        close_fixture(&fixture);
    }
}

static size_t found_one_by_one(const uf_filter *filter, const struct keys *keys)
{
    size_t found = 0;
    for (size_t i = 0; i < keys->count; i++)
        found += (size_t)uf_query(filter, keys->key[i]);
    return found;
}

/* Another process writes into the file: answers may be wrong, but none is looked for outside the mapping. */
static void test_the_file_changes_meanwhile(void **state)
{
    (void)state;
    for (size_t i = 0; i < MAPPED; i++) {
        struct fixture fixture;
        uf_filter *map, *copy;
        uf_info info;
        uf_error why;
        open_fixture(&fixture, mapped[i]);
        assert_status(UF_OK, uf_load(fixture.path, UF_MAP, NULL, &map, &why), &why);
        for (unsigned char byte = 0xff; byte > 0xf0; byte = (unsigned char)(byte - 5)) {
            memset(fixture.file.data, byte, fixture.file.size);
            file_put_all(fixture.path, fixture.file.data, fixture.file.size);
            assert_true(found_one_by_one(map, &fixture.keys) <= KEYS);
            assert_true(keys_found(map, &fixture.probes) <= KEYS);
            uf_get_info(map, &info, sizeof info);
            assert_status(UF_OK, uf_copy(map, NULL, &copy, &why), &why);
            assert_int_equal(keys_found(copy, &fixture.keys), keys_found(map, &fixture.keys));
            uf_free(copy);
        }
        assert_true(is_format_error(uf_verify(map, &why)));
        uf_free(map);
        close_fixture(&fixture);
    }
}

static void flip(struct fixture *fixture, size_t at)
{
    fixture->file.data[at] ^= 0x10;
    file_put_all(fixture->path, fixture->file.data, fixture->file.size);
}

/* In the first, a middle and the last byte of the payload. */
static void test_verify_finds_a_changed_byte(void **state)
{
    (void)state;
    for (size_t i = 0; i < MAPPED; i++) {
        struct fixture fixture;
        open_fixture(&fixture, mapped[i]);
        size_t end = fixture.file.size - 8 * (fixture.file.size / CHUNK_BYTES + 2);
        const size_t places[] = {HEADER_BYTES + 600, (HEADER_BYTES + end) / 2, end - 80};
        for (size_t j = 0; j < 3; j++) {
            uf_filter *map = NULL;
            uf_error why;
            flip(&fixture, places[j]);
            int status = uf_load(fixture.path, UF_MAP, NULL, &map, &why);
            if (status == UF_OK)
                assert_refused(UF_EFORMAT, uf_verify(map, &why), &why);
            else
                assert_refused(UF_EFORMAT, status, &why); /* the kind noticed: also fine */
            uf_free(map);
            flip(&fixture, places[j]);
        }
        close_fixture(&fixture);
    }
}

/* What mapping does not leave out: the header, and the length. */
static void test_header_is_checked_at_once(void **state)
{
    struct fixture fixture;
    uf_filter *map = NULL;
    uf_error why;
    (void)state;
    open_fixture(&fixture, mapped[0]);
    for (size_t at = 0; at < HEADER_BYTES; at += 7) {
        flip(&fixture, at);
        assert_true(is_format_error(uf_load(fixture.path, UF_MAP, NULL, &map, &why)));
        flip(&fixture, at);
    }
    assert_int_equal(truncate(fixture.path, (off_t)fixture.file.size - 1), 0);
    assert_refused(UF_EFORMAT, uf_load(fixture.path, UF_MAP, NULL, &map, &why), &why);
    assert_null(map);
    close_fixture(&fixture);
}

/* Mapping is for large files: it must not copy them. */
static void test_mapping_allocates_only_the_handle(void **state)
{
    struct fixture fixture;
    struct counting counting = {0};
    uf_context ctx = counting_context(&counting);
    uf_filter *map;
    (void)state;
    open_fixture(&fixture, mapped[1]);
    assert_status(UF_OK, uf_load(fixture.path, UF_MAP, &ctx, &map, NULL), NULL);
    assert_true(counting.peak < 4096);
    uf_free(map);
    assert_true(counting_is_clean(&counting));
    close_fixture(&fixture);
}

static void test_what_cannot_be_mapped(void **state)
{
    struct fixture fixture;
    uf_filter *map = NULL;
    uf_error why;
    (void)state;
    open_fixture(&fixture, mapped[3]);
    assert_refused(UF_EINVAL, uf_load(fixture.path, UF_MAP | UF_FORMAT_DCSO, NULL, &map, &why), &why);
    assert_refused(UF_EINVAL, uf_load(fixture.path, 4, NULL, &map, &why), &why);
    assert_refused(UF_EUNSUPPORTED, uf_load_bytes(fixture.file.data, fixture.file.size, UF_MAP, NULL, &map, &why),
                   &why);
    assert_null(map);
    close_fixture(&fixture);
}

/* Replacing the file of a mapped filter, even by itself, must not touch what is mapped. */
static void test_saving_over_a_mapped_file(void **state)
{
    struct fixture fixture;
    uf_filter *map;
    uf_error why;
    (void)state;
    open_fixture(&fixture, mapped[0]);
    assert_status(UF_OK, uf_load(fixture.path, UF_MAP, NULL, &map, &why), &why);
    assert_status(UF_OK, uf_save(map, fixture.path, UF_FORMAT_UF, &why), &why);
    assert_int_equal(keys_found(map, &fixture.keys), KEYS);
    struct bytes after = file_get_all(fixture.path);
    assert_true(bytes_equal(&after, &fixture.file));
    bytes_free(&after);
    uf_free(map);
    close_fixture(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers_are_the_same),       cmocka_unit_test(test_mapped_filters_are_read_only),
        cmocka_unit_test(test_the_file_changes_meanwhile), cmocka_unit_test(test_verify_finds_a_changed_byte),
        cmocka_unit_test(test_header_is_checked_at_once),  cmocka_unit_test(test_mapping_allocates_only_the_handle),
        cmocka_unit_test(test_what_cannot_be_mapped),      cmocka_unit_test(test_saving_over_a_mapped_file),
    };
    return cmocka_run_group_tests_name("map", tests, NULL, NULL);
}
