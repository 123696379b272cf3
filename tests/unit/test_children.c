/* SPDX-License-Identifier: MIT */
/*
 * Filters inside filters: written, loaded, mapped, checked and freed with them, whatever their sizes and keys; and
 * headers that someone has made up. The kind that holds them is one of this test, as no kind needs to be known here.
 */
#include <stdio.h>

#include "note.h"
#include "payload.h"
#include "context.h"
#include "bits.h"
#include "counting.h"
#include "folder.h"
#include "samples.h"
#include "status.h"

/* ---- a kind that is nothing but its children: a key is in it when it is in one of them ---- */

static int box_plan(const struct filter_ops *ops, struct spec *spec, uf_error *why)
{
    (void)ops;
    (void)spec;
    return fail(why, UF_EUNSUPPORTED, "built by hand only");
}

static int box_shape(struct uf_filter *filter, const struct spec *plan, uf_error *why)
{
    return box_plan(filter->ops, (struct spec *)(uintptr_t)plan, why);
}

static int box_query(const struct uf_filter *filter, struct hash128 hash)
{
    int any = 0;
    for (unsigned i = 0; i < filter->children; i++)
        any |= filter->child[i]->calls.query(filter->child[i], hash);
    return any;
}

static void box_query_many(const struct uf_filter *filter, struct hash_source *source, size_t count, uint8_t *answers)
{
    for (size_t i = 0; i < count; i++) {
        struct hash128 hash;
        source->fill(source, &hash, 1);
        answers[i] = (uint8_t)box_query(filter, hash);
    }
}

static void box_encode(const struct uf_filter *filter, struct writer *writer)
{
    write_uint(writer, filter->children, 4);
}

static int box_decode(struct uf_filter *filter, struct reader *reader, uf_error *why)
{
    (void)why;
    *PARAMS(uint64_t, filter) = read_uint(reader, 4);
    return UF_OK;
}

static int box_adopt(const struct uf_filter *filter, uf_error *why)
{
    return filter->children == *CONST_PARAMS(uint64_t, filter) ? UF_OK
                                                               : fail(why, UF_EFORMAT, "is damaged: too few or many");
}

static void box_describe(const struct uf_filter *filter, struct spec *plan)
{
    (void)filter, (void)plan;
}

static void box_info(const struct uf_filter *filter, uf_info *out)
{
    (void)filter, (void)out;
}

static void box_claim(const struct uf_filter *filter, uf_claim *out)
{
    (void)filter, (void)out;
}

static const char *const no_names[] = {NULL};

static const struct filter_ops kind_box = {
    .name = "box",
    .about = "for this test",
    .names = no_names,
    .id = 900,
    .hash = HASH_XXH3,
    .plan = box_plan,
    .shape = box_shape,
    .calls = {.query = box_query, .query_many = box_query_many},
    .encode = box_encode,
    .decode = box_decode,
    .adopt = box_adopt,
    .describe = box_describe,
    .info = box_info,
    .claim = box_claim,
};

const struct filter_ops *__real_kind_by_id(uint64_t id);
const struct filter_ops *__wrap_kind_by_id(uint64_t id);
const struct filter_ops *__wrap_kind_by_id(uint64_t id)
{
    return id == kind_box.id ? &kind_box : __real_kind_by_id(id);
}

/* ---- boxes ---- */

static uf_filter *new_box(const uf_context *given)
{
    uf_context ctx;
    uf_filter *box;
    assert_status(UF_OK, context_read(given, &ctx, NULL), NULL);
    assert_status(UF_OK, filter_new(&kind_box, &ctx, &box, NULL), NULL);
    box->hasher.seed = 0x5eed;
    return box;
}

/* All filters of a box have one seed, so that one hash serves all. Child i has the keys "i-0", "i-1", ... */
static void put(uf_filter *box, const char *spec, unsigned number, size_t count)
{
    char name[16];
    (void)snprintf(name, sizeof name, "%u", number);
    struct keys keys = keys_make(name, count);
    uf_context ctx = secret_context();
    uf_spec parsed = spec_of(spec);
    uf_filter *child;
    uf_error why;
    assert_status(UF_OK, uf_build(&parsed, keys.key, keys.count, &ctx, &child, &why), &why);
    assert_status(UF_OK, filter_add_child(box, child, &why), &why);
    keys_free(&keys);
}

/* Sizes that end and begin within chunks, on them, and a box in a box. */
static uf_filter *make_box(void)
{
    uf_filter *box = new_box(NULL), *inner = new_box(NULL);
    put(box, "bloom:n=3,fpr=0.01,seed=0x5eed", 0, 3);
    put(box, "blocked:bits=524288,fpr=0.01,seed=0x5eed", 1, 1000);
    put(inner, "bloom:n=200000,fpr=0.01,seed=0x5eed", 2, 1000);
    put(inner, "ribbon:n=5000,fpr=0.01,seed=0x5eed", 3, 5000);
    assert_status(UF_OK, filter_add_child(box, inner, NULL), NULL);
    put(box, "bloom:n=7,fpr=0.1,seed=0x5eed", 4, 7);
    return box;
}

static const size_t sizes[] = {3, 1000, 1000, 5000, 7};

static void check_members(const uf_filter *box)
{
    char name[16];
    for (unsigned i = 0; i < 5; i++) {
        (void)snprintf(name, sizeof name, "%u", i);
        struct keys keys = keys_make(name, sizes[i]);
        assert_int_equal(keys_found(box, &keys), sizes[i]);
        keys_free(&keys);
    }
    struct keys probes = keys_make("probe", 2000);
    assert_true(keys_found(box, &probes) < 400); /* 0.14 in all */
    keys_free(&probes);
}

static void test_round_trip(void **state)
{
    struct folder folder = folder_make();
    const char *path = folder_file(&folder, "a.uf");
    uf_filter *box = make_box();
    struct bytes file = bytes_of(box, UF_FORMAT_UF);
    uf_info info;
    (void)state;
    check_members(box);
    uf_get_info(box, &info, sizeof info);
    assert_int_equal(file_bytes_of(info.bytes), file.size);
    assert_status(UF_OK, uf_save(box, path, UF_FORMAT_UF, NULL), NULL);
    for (unsigned how = 0; how <= UF_MAP; how += UF_MAP)
        for (unsigned threads = 1; threads < 4; threads++) {
            uf_context ctx = UF_CONTEXT_INIT;
            uf_filter *back;
            uf_error why;
            ctx.threads = threads;
            assert_status(UF_OK, uf_load(path, how, &ctx, &back, &why), &why);
            check_members(back);
            assert_status(UF_OK, uf_verify(back, &why), &why);
            struct bytes again = bytes_of(back, UF_FORMAT_UF);
            assert_true(bytes_equal(&file, &again));
            bytes_free(&again);
            uf_free(back);
        }
    bytes_free(&file);
    uf_free(box);
    folder_remove(&folder);
}

/* Every part on a cache line, in order, with zeros between. */
static void test_layout(void **state)
{
    uf_filter *box = make_box();
    struct payload payload;
    uint64_t end = 0;
    (void)state;
    payload_of(box, &payload);
    assert_int_equal(payload.parts, 5);
    for (unsigned i = 0; i < payload.parts; i++) {
        assert_int_equal(payload.part[i].at % 64, 0);
        assert_in_range(payload.part[i].at, end, end + 63);
        end = payload.part[i].at + payload.part[i].bytes;
    }
    assert_int_equal(end, payload.bytes);
    uf_free(box);
}

static uf_filter *small_box(const uf_context *ctx)
{
    uf_filter *box = new_box(ctx);
    put(box, "bloom:n=3,fpr=0.01,seed=0x5eed", 0, 3);
    put(box, "keyed(bloom:n=3,fpr=0.01,seed=0x5eed)", 1, 3);
    return box;
}

static int load_bytes(const struct bytes *file, uf_filter **out, uf_error *why)
{
    uf_context ctx = secret_context();
    *out = NULL;
    return uf_load_bytes(file->data, file->size, UF_FORMAT_UF, &ctx, out, why);
}

static void test_damage(void **state)
{
    uf_filter *box = small_box(NULL), *back;
    struct bytes file = bytes_of(box, UF_FORMAT_UF);
    (void)state;
    for (size_t bit = 0; bit < 8 * file.size; bit++) {
        file.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        assert_true(is_format_error(load_bytes(&file, &back, NULL)) && !back);
        file.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    for (size_t size = file.size; file.size-- > 0;)
        assert_true(is_format_error(load_bytes(&file, &back, NULL)) && !back && size);
    bytes_free(&file);
    uf_free(box);
}

/* A key that a child needs is needed. */
static void test_keyed_children(void **state)
{
    uf_filter *box = small_box(NULL), *back = NULL;
    struct bytes file = bytes_of(box, UF_FORMAT_UF);
    uf_error why;
    (void)state;
    assert_refused(UF_EKEY, uf_load_bytes(file.data, file.size, UF_FORMAT_UF, NULL, &back, &why), &why);
    assert_null(back);
    assert_status(UF_OK, load_bytes(&file, &back, &why), &why);
    uf_free(back);
    bytes_free(&file);
    uf_free(box);
}

/* ---- headers that someone has made up ---- */

static void put_number(unsigned char *at, uint64_t value, unsigned bytes)
{
    struct writer writer = {at, bytes, 0};
    write_uint(&writer, value, bytes);
}

static void check_made_up(const struct bytes *file, size_t at, uint64_t value, unsigned bytes)
{
    struct counting counting = {0};
    uf_context ctx = counting_context(&counting);
    struct bytes copy = {NULL, 0, 0};
    uf_filter *back = NULL;
    uf_error why = {0, 0, ""};
    ctx.secret = secret_number(0);
    bytes_put(&copy, file->data, file->size);
    put_number(copy.data + at, value, bytes);
    reseal_header(copy.data);
    int status = uf_load_bytes(copy.data, copy.size, UF_FORMAT_UF, &ctx, &back, &why);
    assert_that(is_format_error(status) && !back && why.text[0], "0x%llx at %zu gave %d: %s", (unsigned long long)value,
                at, status, why.text);
    assert_true(counting.peak <= file->size + (1 << 20) && counting_is_clean(&counting));
    bytes_free(&copy);
}

/* The box is at 48, its number of children at 64, its parameter at 72; the first child at 76. */
static void test_made_up_headers(void **state)
{
    static const uint64_t values[] = {0, 1, 3, 64, 65, 255, UINT32_MAX - 1, UINT32_MAX, UINT64_C(1) << 31};
    static const size_t places[] = {64, 72, 76 + 16, 52, 76 + 4, 44};
    uf_filter *box = small_box(NULL);
    struct bytes file = bytes_of(box, UF_FORMAT_UF);
    (void)state;
    for (size_t p = 0; p < sizeof places / sizeof places[0]; p++)
        for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
            struct reader now = {file.data + places[p], 4, 0};
            if (read_uint(&now, 4) != values[v])
                check_made_up(&file, places[p], values[v], 4);
        }
    check_made_up(&file, 76, 900, 2); /* a box where a bloom was */
    check_made_up(&file, 48, 1, 2);   /* a bloom with children */
    check_made_up(&file, 76, 901, 2);
    bytes_free(&file);
    uf_free(box);
}

/* A file of `nodes` boxes, each inside the one before it or all inside the first, with nothing in them. */
static struct bytes nest(unsigned nodes, int deep)
{
    struct bytes file = {NULL, 0, 0};
    uf_filter *box = new_box(NULL);
    unsigned char page[HEADER_BYTES], sum[8];
    assert_status(UF_OK, header_write(box, page), NULL);
    put_number(page + 44, nodes * 28, 4);
    for (unsigned i = 0; i < nodes; i++) {
        unsigned children = deep ? i + 1 < nodes : i ? 0 : nodes - 1;
        unsigned char *node = page + 48 + i * 28;
        put_number(node, kind_box.id, 2);
        put_number(node + 2, HASH_XXH3, 2);
        put_number(node + 4, 4, 4);
        put_number(node + 8, 0, 8);
        put_number(node + 16, children, 4);
        put_number(node + 20, 0, 4);
        put_number(node + 24, children, 4);
    }
    reseal_header(page);
    put_number(sum, checksum("", 0, 0), 8);
    bytes_put(&file, page, sizeof page);
    bytes_put(&file, sum, sizeof sum);
    uf_free(box);
    return file;
}

static void test_limits(void **state)
{
    static const struct {
        unsigned nodes;
        int deep, want;
    } cases[] = {{1, 0, UF_OK},        {FILTER_MOST_NODES, 0, UF_OK},     {FILTER_MOST_NODES + 1, 0, UF_EFORMAT},
                 {144, 0, UF_EFORMAT}, {FILTER_MOST_DEPTH + 1, 1, UF_OK}, {FILTER_MOST_DEPTH + 2, 1, UF_EFORMAT},
                 {144, 1, UF_EFORMAT}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes file = nest(cases[i].nodes, cases[i].deep);
        uf_filter *back;
        uf_error why = {0, 0, ""};
        assert_status(cases[i].want, load_bytes(&file, &back, &why), &why);
        if (back) {
            struct bytes again = bytes_of(back, UF_FORMAT_UF);
            assert_true(bytes_equal(&file, &again));
            bytes_free(&again);
        }
        uf_free(back);
        bytes_free(&file);
    }
    uf_filter *box = new_box(NULL), *one;
    for (int i = 1; i < FILTER_MOST_NODES; i++)
        assert_status(UF_OK, filter_add_child(box, new_box(NULL), NULL), NULL);
    one = new_box(NULL);
    assert_status(UF_EUNSUPPORTED, filter_add_child(box, one, NULL), NULL);
    uf_free(one);
    uf_free(box);
}

/* ---- headers that are full ---- */

/* How many of each kind are in a box: their descriptions have different lengths. */
struct content {
    unsigned keyed, plain, boxes;
};

static uf_filter *box_of(struct content content)
{
    uf_filter *box = new_box(NULL);
    for (unsigned i = 0; i < content.keyed; i++)
        put(box, "keyed(bloom:n=3,fpr=0.01,seed=0x5eed)", i, 3);
    for (unsigned i = 0; i < content.plain; i++)
        put(box, "bloom:n=3,fpr=0.01,seed=0x5eed", i, 3);
    for (unsigned i = 0; i < content.boxes; i++)
        assert_status(UF_OK, filter_add_child(box, new_box(NULL), NULL), NULL);
    return box;
}

/* Bytes of the header that are left; -1: it does not fit. */
static int left_by(struct content content)
{
    unsigned char page[HEADER_BYTES];
    uf_filter *box = box_of(content);
    int status = header_write(box, page);
    struct reader node_bytes = {page + 44, 4, 0};
    uf_free(box);
    return status == UF_OK ? HEADER_BYTES - 8 - 48 - (int)read_uint(&node_bytes, 4) : -1;
}

/* With less than that left, and something small in it. */
static struct content filled(int most_left)
{
    struct content content = {1, 0, 0};
    while (left_by((struct content){content.keyed + 3, 0, 0}) >= 0)
        content.keyed++;
    for (content.plain = 0; content.plain < 4; content.plain++) {
        content.boxes = 1;
        while (left_by((struct content){content.keyed, content.plain, content.boxes + 1}) >= 0)
            content.boxes++;
        const int left = left_by(content);
        if (left >= 0 && left < most_left)
            return content;
    }
    check_that(0, __FILE__, __LINE__, "no box leaves less than %d bytes of its header", most_left);
    return content;
}

/* A file of this box whose header says that there is a note, and these are the lengths of its texts. */
static void check_note(const uf_filter *box, unsigned name, unsigned comment)
{
    struct bytes file = bytes_of(box, UF_FORMAT_UF);
    struct reader node_bytes = {file.data + 44, 4, 0};
    unsigned char *at = file.data + 48 + read_uint(&node_bytes, 4);
    uf_filter *back = NULL;
    uf_error why;
    file.data[17] |= 2;
    if (at + 12 <= file.data + HEADER_BYTES - 8) {
        put_number(at + 8, name, 2);
        put_number(at + 10, comment, 2);
    }
    reseal_header(file.data);
    assert_refused(UF_EFORMAT, load_bytes(&file, &back, &why), &why);
    assert_non_null(strstr(why.text, "comment"));
    bytes_free(&file);
}

/* As many filters as a header can describe, and no more: not one, and not a note. */
static void test_full_headers(void **state)
{
    const struct content content = filled(12);
    const unsigned children = content.keyed + content.plain + content.boxes;
    uf_error why;
    (void)state;
    assert_true(children + 2 < FILTER_MOST_NODES);
    uf_filter *more = box_of((struct content){content.keyed, content.plain, content.boxes + 1});
    uf_filter *full = box_of(content);
    uf_filter *less = box_of((struct content){content.keyed, content.plain, content.boxes - 1});
    struct bytes out = {NULL, 0, 0};
    assert_refused(UF_EUNSUPPORTED, uf_write(more, UF_FORMAT_UF, bytes_put, &out, &why), &why);
    assert_int_equal(out.size, 0);
    assert_refused(UF_EUNSUPPORTED, uf_set_note(full, "a name", NULL, 0, &why), &why);
    assert_false(note_is_there(&full->note));
    check_note(full, 0, 0);
    check_note(less, 0, 200); /* longer than what is left */
    struct bytes file = bytes_of(full, UF_FORMAT_UF);
    uf_filter *back = NULL;
    assert_status(UF_OK, load_bytes(&file, &back, &why), &why);
    uf_free(back);
    put_number(file.data + 64, children + 1, 4); /* one more child, which the header ends in */
    put_number(file.data + 72, children + 1, 4);
    reseal_header(file.data);
    assert_refused(UF_EFORMAT, load_bytes(&file, &back, &why), &why);
    assert_non_null(strstr(why.text, "is cut"));
    bytes_free(&file);
    uf_free(more);
    uf_free(full);
    uf_free(less);
}

static int load_in_pieces(const struct bytes *file, uf_error *why)
{
    uf_context ctx = secret_context();
    uf_loader *loader;
    assert_status(UF_OK, uf_loader_new(&ctx, UF_FORMAT_UF, &loader, why), why);
    int status = uf_loader_feed(loader, file->data, file->size, why);
    uf_loader_free(loader);
    return status;
}

/* Bytes between two filters, with all checksums right: read, read in pieces, and mapped. */
static void test_gaps_are_zero(void **state)
{
    struct folder folder = folder_make();
    const char *path = folder_file(&folder, "a.uf");
    uf_filter *box = small_box(NULL), *back = NULL;
    struct bytes file = bytes_of(box, UF_FORMAT_UF);
    struct payload payload;
    uf_error why;
    uf_context ctx = secret_context();
    (void)state;
    payload_of(box, &payload);
    unsigned char *place = aligned_alloc(64, (file.size + 63) / 64 * 64);
    assert_true(place && payload.part[1].at > payload.part[0].bytes);
    for (uint64_t at = payload.part[0].bytes; at < payload.part[1].at; at++) {
        unsigned char *table = file.data + HEADER_BYTES + payload.bytes;
        file.data[HEADER_BYTES + at] = 1;
        put_number(table, checksum(file.data + HEADER_BYTES, (size_t)payload.bytes, 0), 8);
        put_number(table + 8, checksum(table, 8, 1), 8);
        assert_refused(UF_EFORMAT, load_bytes(&file, &back, &why), &why);
        assert_non_null(strstr(why.text, "between"));
        assert_refused(UF_EFORMAT, load_in_pieces(&file, &why), &why);
        assert_non_null(strstr(why.text, "between"));
        file_put_all(path, file.data, file.size);
        assert_refused(UF_EFORMAT, uf_load(path, UF_MAP, &ctx, &back, &why), &why);
        memcpy(place, file.data, file.size);
        assert_refused(views_work() ? UF_EFORMAT : UF_EUNSUPPORTED, uf_load_view(place, file.size, &ctx, &back, &why),
                       &why);
        file.data[HEADER_BYTES + at] = 0;
    }
    free(place);
    bytes_free(&file);
    uf_free(box);
    folder_remove(&folder);
}

/* Every allocation of loading fails once. */
static void test_no_memory(void **state)
{
    uf_filter *box = make_box();
    struct bytes file = bytes_of(box, UF_FORMAT_UF);
    int status = UF_ENOMEM;
    size_t refused = 0;
    (void)state;
    for (size_t k = 1; status == UF_ENOMEM; k++) {
        struct counting counting = {.fail_at = k};
        uf_context ctx = counting_context(&counting);
        uf_filter *back = NULL;
        status = uf_load_bytes(file.data, file.size, UF_FORMAT_UF, &ctx, &back, NULL);
        assert_true(status == UF_OK ? back != NULL : status == UF_ENOMEM && !back);
        uf_free(back);
        assert_true(counting_is_clean(&counting));
        refused += status == UF_ENOMEM;
    }
    assert_true(status == UF_OK && refused > 12);
    bytes_free(&file);
    uf_free(box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),     cmocka_unit_test(test_layout),          cmocka_unit_test(test_damage),
        cmocka_unit_test(test_keyed_children), cmocka_unit_test(test_made_up_headers), cmocka_unit_test(test_limits),
        cmocka_unit_test(test_full_headers),   cmocka_unit_test(test_gaps_are_zero),   cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests_name("children", tests, NULL, NULL);
}
