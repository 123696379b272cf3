/* SPDX-License-Identifier: MIT */
/* Views over borrowed bytes: where they may lie, what is noticed, and who frees what. */
#include "bytes.h"
#include "check.h"
#include "counting.h"
#include "keys.h"
#include "subjects.h"

struct lent {
    unsigned char *memory; /* on a multiple of 64 */
    size_t bytes;
};

static struct lent lend(const char *spec)
{
    struct keys keys = keys_make("key", 2000);
    uf_filter *filter = build(spec, keys.key, keys.count, NULL);
    struct bytes file = bytes_of(filter, UF_FORMAT_UF);
    uf_free(filter);
    struct lent lent = {aligned_alloc(64, (file.size + 127) / 64 * 64), file.size};
    assert_non_null(lent.memory);
    memcpy(lent.memory, file.data, file.size);
    bytes_free(&file);
    keys_free(&keys);
    return lent;
}

static void test_alignment(void **state)
{
    struct lent lent = lend("blocked:fpr=0.01,seed=0x1");
    (void)state;
    for (size_t at = 0; at <= 64; at++) {
        uf_filter *view = NULL;
        uf_error why;
        memmove(lent.memory + at, lent.memory + (at ? at - 1 : 0), lent.bytes);
        int status = uf_load_view(lent.memory + at, lent.bytes, NULL, &view, &why);
        if (at % UF_VIEW_ALIGN) {
            assert_refused(UF_EINVAL, status, &why);
            assert_null(view);
        } else {
            assert_status(UF_OK, status, &why);
            assert_int_equal(uf_query(view, (uf_key){"key-7", 5}), 1);
        }
        uf_free(view);
    }
    free(lent.memory);
}

/* Unlike a mapped file, it is checked whole; and uf_verify notices what came later. */
static void test_damage(void **state)
{
    struct lent lent = lend("blocked:fpr=0.01,seed=0x1");
    uf_filter *view = NULL;
    uf_error why;
    (void)state;
    for (size_t at = 0; at < lent.bytes; at += 61) {
        lent.memory[at] ^= 4;
        if (at < 16 || at >= 20)
            assert_true(uf_load_view(lent.memory, lent.bytes, NULL, &view, &why) < 0 && !view);
        lent.memory[at] ^= 4;
    }
    for (size_t cut = 0; cut < lent.bytes; cut += 1 + lent.bytes / 200)
        assert_refused(UF_EFORMAT, uf_load_view(lent.memory, cut, NULL, &view, &why), &why);
    assert_status(UF_OK, uf_load_view(lent.memory, lent.bytes, NULL, &view, &why), &why);
    assert_status(UF_OK, uf_verify(view, &why), &why);
    lent.memory[UF_HEADER_BYTES + 100] ^= 1;
    assert_refused(UF_EFORMAT, uf_verify(view, &why), &why);
    uf_free(view);
    free(lent.memory);
}

/* The filter frees its handle, and nothing that was lent. */
static void test_who_owns_what(void **state)
{
    static const char *const specs[] = {"bloom:n=3000,seed=0x1", "partition:fpr=0.02,children=bloom,seed=0x1"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct counting counting = {0};
        struct lent lent = lend(specs[i]);
        uf_context ctx = subject_context();
        uf_sizes sizes;
        uf_filter *view, *copy;
        uf_error why;
        ctx.allocator = counting_allocator(&counting);
        assert_status(UF_OK, uf_load_view(lent.memory, lent.bytes, &ctx, &view, &why), &why);
        assert_int_equal(uf_get_sizes(view, &sizes, sizeof sizes), UF_OK);
        assert_true(sizes.memory_bytes == counting.live && sizes.payload_bytes + 4096 < lent.bytes);
        assert_true(counting.live < 100000);
        assert_status(UF_OK, uf_copy(view, &ctx, &copy, &why), &why);
        if (!i) /* learned ones cannot be merged anyway */
            assert_refused(UF_EREADONLY, uf_merge(view, copy, &why), &why);
        free(lent.memory); /* before the view: freeing it does not look at them */
        uf_free(view);
        assert_int_equal(uf_query(copy, (uf_key){"key-1", 5}), 1);
        uf_free(copy);
        assert_true(counting_is_clean(&counting));
    }
}

static void test_no_bytes(void **state)
{
    uf_filter *view = NULL;
    uf_error why;
    (void)state;
    assert_refused(UF_EINVAL, uf_load_view(NULL, 0, NULL, &view, &why), &why);
}

int main(void)
{
    if (!views_work())
        return 0; /* conform_files has the refusal */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_who_owns_what),
        cmocka_unit_test(test_no_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
