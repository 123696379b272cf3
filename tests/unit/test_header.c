/* SPDX-License-Identifier: MIT */
/*
 * Headers that someone has made up, with checksums that fit: each field at its extremes, claims of great size, padding
 * that is not zero, shards out of place. What is refused is refused before memory is taken for it; what is accepted is
 * written again byte by byte and answers queries.
 */
#include <stdio.h>
#include <unistd.h>

#include "header.h"
#include "counting.h"
#include "folder.h"
#include "samples.h"

enum { MEGABYTE = 1 << 20 };

/* How a field may be changed in a file that still loads. */
enum freedom { FIXED, FREE, IGNORED /* loads, and is written as zero again */ };

struct field {
    const char *name;
    size_t at;
    unsigned bytes;
    enum freedom freedom;
};

static const struct field common_fields[] = {
    {"major", 8, 2, FIXED},
    {"minor", 10, 2, IGNORED},
    {"incompatible", 12, 4, FREE}, /* lowercase, trim */
    {"compatible", 16, 4, IGNORED},
    {"header bytes", 20, 4, FIXED},
    {"file bytes", 24, 8, FIXED},
    {"payload", 32, 8, FIXED},
    {"chunk", 40, 4, FIXED},
    {"node bytes", 44, 4, FIXED},
    {"kind", 48, 2, FIXED},
    {"hash", 50, 2, FIXED},
    {"params bytes", 52, 4, FIXED},
    {"seed", 56, 8, FREE},
    {"children", 64, 4, FIXED},
    {"reserved", 68, 4, FIXED},
    {"behind the params", 2000, 8, FIXED},
    {"end of the padding", 4080, 8, FIXED},
};

static const struct field bloom_fields[] = {{"n", 72, 8, FREE}, {"part", 80, 8, FREE}, {"k", 88, 4, FIXED}};
static const struct field blocked_fields[] = {{"n", 72, 8, FREE}, {"blocks", 80, 8, FREE}, {"k", 88, 4, FREE}};
static const struct field ribbon_fields[] = {
    {"n", 72, 8, FREE},     {"words", 80, 8, FIXED}, {"shards", 88, 4, FREE}, {"columns", 92, 4, FIXED},
    {"extra", 96, 4, FREE}, {"band", 100, 4, FREE},  {"slack", 104, 8, FREE},
};
static const struct field dcso_fields[] = {
    {"n", 72, 8, FREE}, {"p", 80, 8, FREE}, {"k", 88, 8, FREE}, {"m", 96, 8, FREE}, {"N", 104, 8, FREE},
};

static const struct field dpset_fields[] = {
    {"n", 72, 8, FREE},        {"erase", 80, 8, FREE},    {"accept", 88, 8, FREE},    {"count noise", 96, 8, FREE},
    {"prf", 104, 8, FREE},     {"prf", 112, 8, FREE},     {"columns", 120, 4, FIXED}, {"shards", 124, 4, FIXED},
    {"dyadic", 128, 4, FIXED}, {"groups", 132, 4, FIXED}, {"slack", 136, 8, FREE},    {"slots", 144, 4, FIXED},
};
static const struct field ultra_fields[] = {
    {"n", 72, 8, FREE},   {"part", 80, 8, FREE}, {"flip", 88, 8, FREE},       {"count noise", 96, 8, FREE},
    {"k", 104, 4, FIXED}, {"t", 108, 4, FREE},   {"mechanism", 112, 4, FREE}, {"hashes", 116, 4, FREE},
};
static const struct field deletable_fields[] = {
    {"n", 72, 8, FREE}, {"part", 80, 8, FREE}, {"k", 88, 4, FREE}, {"region", 92, 4, FREE}};
static const struct field tombstone_fields[] = {
    {"n", 72, 8, FREE},       {"part", 80, 8, FREE},          {"k", 88, 4, FIXED},
    {"removed", 92, 8, FREE}, {"removed part", 100, 8, FREE}, {"removed k", 108, 4, FIXED}};

static void put_field(unsigned char *file, const struct field *field, uint64_t value)
{
    struct writer writer = {file + field->at, field->bytes, 0};
    write_uint(&writer, value, field->bytes);
}

static uint64_t get_field(const unsigned char *file, const struct field *field)
{
    struct reader reader = {file + field->at, field->bytes, 0};
    return read_uint(&reader, field->bytes);
}

/* Loads, with the accounts of what was allocated. */
static int load_counted(const struct bytes *file, struct counting *counting, uf_filter **out, uf_error *why)
{
    memset(counting, 0, sizeof *counting);
    uf_context ctx = counting_context(counting);
    ctx.secret = secret_number(0);
    *out = NULL;
    return uf_load_bytes(file->data, file->size, UF_FORMAT_UF, &ctx, out, why);
}

static void check_accepted(const struct bytes *file, const uf_filter *filter, const struct field *field)
{
    struct bytes again = bytes_of(filter, UF_FORMAT_UF);
    struct keys probes = keys_make("probe", 200);
    uf_info info;
    uf_spec plan;
    uf_claim claim;
    if (field->freedom == FREE)
        assert_that(bytes_equal(file, &again), "%s was not written as it was read", field->name);
    (void)keys_found(filter, &probes); /* for the sanitizer to look at */
    uf_get_info(filter, &info, sizeof info);
    uf_get_plan(filter, &plan);
    uf_get_claim(filter, &claim, sizeof claim);
    keys_free(&probes);
    bytes_free(&again);
}

static void check_value(const struct bytes *sample, const char *spec, const struct field *field, uint64_t value)
{
    struct bytes file = {NULL, 0, 0};
    struct counting counting;
    uf_filter *filter;
    uf_error why = {0, 0, ""};
    bytes_put(&file, sample->data, sample->size);
    put_field(file.data, field, value);
    reseal_header(file.data);
    int status = load_counted(&file, &counting, &filter, &why);
    if (status == UF_OK) {
        assert_that(field->freedom != FIXED, "%s with %s = 0x%llx was accepted", spec, field->name,
                    (unsigned long long)value);
        check_accepted(&file, filter, field);
    } else {
        assert_that(is_format_error(status) && !filter && why.text[0], "%s with %s = 0x%llx gave %d: %s", spec,
                    field->name, (unsigned long long)value, status, why.text);
    }
    assert_that(counting.peak <= file.size + MEGABYTE, "%s with %s = 0x%llx took %zu bytes", spec, field->name,
                (unsigned long long)value, counting.peak);
    uf_free(filter);
    assert_true(counting_is_clean(&counting));
    bytes_free(&file);
}

/* {0, 1, max - 1, max, sign bit}, and the neighbours of what is there. */
static void check_field(const struct bytes *sample, const char *spec, const struct field *field)
{
    uint64_t most = field->bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * field->bytes) - 1;
    uint64_t now = get_field(sample->data, field);
    const uint64_t values[] = {0, 1, most - 1, most, most / 2 + 1, now + 1, now - 1, now * 2};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if ((values[i] & most) != now)
            check_value(sample, spec, field, values[i] & most);
}

static void check_fields(const char *spec, const struct field *fields, size_t count)
{
    struct bytes sample = sample_of(spec, 3);
    struct field unseeded = {"seed of a hash without one", 56, 8, FIXED};
    for (size_t i = 0; i < sizeof common_fields / sizeof common_fields[0]; i++) {
        int no_seed = common_fields[i].at == 56 && !strncmp(spec, "dcso", 4);
        check_field(&sample, spec, no_seed ? &unseeded : &common_fields[i]);
    }
    for (size_t i = 0; i < count; i++)
        check_field(&sample, spec, &fields[i]);
    bytes_free(&sample);
}

#define CHECK_FIELDS(spec, fields) check_fields(spec, fields, sizeof(fields) / sizeof(fields)[0])

static void test_fields_at_their_extremes(void **state)
{
    (void)state;
    CHECK_FIELDS("bloom:n=3,fpr=0.01,seed=0x1", bloom_fields);
    CHECK_FIELDS("bloom:n=3,bits=448,k=7,seed=0x1", bloom_fields); /* partitions of a whole word */
    CHECK_FIELDS("blocked:n=3,seed=0x2", blocked_fields);
    CHECK_FIELDS("ribbon:n=3,fpr=0.01,seed=0x3", ribbon_fields);
    CHECK_FIELDS("ribbon:n=3,fpr=0.3,band=128,seed=0x4", ribbon_fields);
    CHECK_FIELDS("dcso:n=3,fpr=0.01", dcso_fields);
    CHECK_FIELDS("dpset:n=3,epsilon=3,variant=dyadic,seed=0x5", dpset_fields);
    CHECK_FIELDS("ultra:n=3,epsilon=3,k=3,seed=0x7", ultra_fields);
    CHECK_FIELDS("ultra:n=3,epsilon=3,mechanism=published,hashes=paper,seed=0x8", ultra_fields);
    CHECK_FIELDS("counting:n=3,fpr=0.01,seed=0x5", bloom_fields);
    CHECK_FIELDS("deletable:n=3,bits=630,k=7,region=8,seed=0x6", deletable_fields);
    CHECK_FIELDS("tombstone:n=3,fpr=0.01,removed=2,fnr=0.1,seed=0x7", tombstone_fields);
}

/* A field that is not what it was is another filter: whole kinds and versions that are not there yet are UF_EVERSION.
 */
static void test_what_is_newer_says_so(void **state)
{
    static const struct field newer[] = {
        {"major", 8, 2, FIXED}, {"incompatible", 12, 4, FREE}, /* lowercase, trim */ {"kind", 48, 2, FIXED}};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct bytes file = sample_of(samples[0], 3);
        uf_filter *filter = NULL;
        uf_error why;
        put_field(file.data, &newer[i], 77);
        reseal_header(file.data);
        assert_refused(UF_EVERSION, uf_load_bytes(file.data, file.size, UF_FORMAT_UF, NULL, &filter, &why), &why);
        bytes_free(&file);
    }
}

/* By itself: what its callers have looked at, too. */
static void test_pages_alone(void **state)
{
    const uf_context ctx = UF_CONTEXT_INIT;
    struct bytes file = sample_of(samples[0], 3);
    uf_filter *filter = NULL;
    uf_error why;
    (void)state;
    assert_refused(UF_EFORMAT, header_read(file.data, file.size + 8, &ctx, &filter, &why), &why);
    file.data[60] ^= 1;
    assert_refused(UF_EFORMAT, header_read(file.data, file.size, &ctx, &filter, &why), &why);
    file.data[60] ^= 1;
    assert_null(filter);
    assert_status(UF_OK, header_read(file.data, file.size, &ctx, &filter, &why), &why);
    uf_free(filter);
    bytes_free(&file);
}

/* What does not go together, each for itself being fine. */
static void test_pairs(void **state)
{
    static const struct {
        const char *what, *spec;
        struct field field;
        uint64_t value;
    } pairs[] = {
        {"a chain that was released", "bloom:n=3,fpr=0.01,seed=0xa,full=scale", {"mechanism", 68, 2, FIXED}, 1},
        {"a chain that warns", "bloom:n=3,fpr=0.01,seed=0xa,full=scale", {"policy", 70, 2, FIXED}, 0},
        {"a full one that was released", "blocked:n=3,fpr=0.01,seed=0x9,full=refuse", {"mechanism", 68, 2, FIXED}, 1},
        {"a part that was released", "blocked:n=3,fpr=0.01,seed=0xc,part=1/2", {"mechanism", 68, 2, FIXED}, 1},
        {"a ribbon that refuses", "ribbon:n=3,fpr=0.01,seed=0x3", {"policy", 70, 2, FIXED}, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct bytes file = sample_of(pairs[i].spec, 3);
        uf_filter *filter = NULL;
        uf_error why = {0, 0, ""};
        put_field(file.data, &pairs[i].field, pairs[i].value);
        reseal_header(file.data);
        int status = uf_load_bytes(file.data, file.size, UF_FORMAT_UF, NULL, &filter, &why);
        assert_that(status == UF_EFORMAT && !filter && strstr(why.text, "makes no sense"), "%s: %d: %s", pairs[i].what,
                    status, why.text);
        bytes_free(&file);
    }
}

/* A header whose lengths and parameters agree with each other on 17 GB, in a file of 4200 bytes or of 100. */
static void check_claim(const char *spec, const struct field *size, uint64_t units, uint64_t payload)
{
    static const size_t sizes[] = {100, 4096, 4104, 4200, 100000};
    const struct field file_bytes = {"file bytes", 24, 8, FIXED}, payload_bytes_at = {"payload", 32, 8, FIXED};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int truthful = 0; truthful < 2; truthful++) {
            struct bytes file = sample_of(spec, 3);
            struct counting counting;
            uf_filter *filter;
            uf_error why = {0, 0, ""};
            while (file.size < sizes[i])
                bytes_put(&file, "", 1);
            put_field(file.data, size, units);
            put_field(file.data, &payload_bytes_at, payload);
            put_field(file.data, &file_bytes, truthful ? sizes[i] : file_bytes_of(payload));
            reseal_header(file.data);
            file.size = sizes[i];
            assert_refused(UF_EFORMAT, load_counted(&file, &counting, &filter, &why), &why);
            assert_true(counting.peak <= MEGABYTE && counting_is_clean(&counting));
            bytes_free(&file);
        }
}

static void test_claims_of_17_gigabytes(void **state)
{
    const struct field part = {"part", 80, 8, FREE}, blocks = {"blocks", 80, 8, FREE}, words = {"words", 80, 8, FREE},
                       m = {"m", 96, 8, FREE}, n = {"n", 72, 8, FREE};
    const uint64_t bytes = UINT64_C(17) << 30;
    (void)state;
    check_claim("bloom:n=3,k=1,seed=0x1", &part, bytes * 8, bytes);
    check_claim("blocked:n=3,seed=0x1", &blocks, bytes / 64, bytes);
    check_claim("ribbon:n=3,seed=0x1", &words, bytes / 8 - 10, bytes);
    check_claim("dcso:n=3", &m, bytes * 8, bytes);
    check_claim("ultra:n=3,epsilon=3,k=1,seed=0x1", &part, bytes * 8, bytes);
    check_claim("dpset:n=3,epsilon=3,variant=dyadic,seed=0x1", &n, UINT64_C(1) << 34, bytes);
    check_claim("counting:n=3,k=1,seed=0x1", &part, bytes * 2, bytes);
    check_claim("deletable:n=3,k=1,region=1,seed=0x1", &part, bytes * 4, bytes);
    check_claim("tombstone:n=3,k=1,removed_k=1,removed_bits=64,seed=0x1", &part, (bytes - 8) * 8, bytes);
}

/* Sizes near 2^64, where file lengths wrap around. */
static void test_lengths_that_wrap_around(void **state)
{
    static const uint64_t payloads[] = {UINT64_MAX, UINT64_MAX - 7, UINT64_MAX - 4095, UINT64_MAX - 4103,
                                        UINT64_C(1) << 63};
    const struct field payload = {"payload", 32, 8, FIXED}, file_bytes = {"file bytes", 24, 8, FIXED};
    (void)state;
    for (size_t i = 0; i < sizeof payloads / sizeof payloads[0]; i++)
        for (size_t s = 0; s < SAMPLES; s++) {
            struct bytes file = sample_of(samples[s], 3);
            struct counting counting;
            uf_filter *filter;
            uf_error why;
            put_field(file.data, &payload, payloads[i]);
            put_field(file.data, &file_bytes, file.size);
            reseal_header(file.data);
            assert_refused(UF_EFORMAT, load_counted(&file, &counting, &filter, &why), &why);
            bytes_free(&file);
        }
}

/* Loading what is good takes the file's bytes and little more, and gives all of it back. */
static void test_good_files_take_their_own_size(void **state)
{
    static const char *const large[] = {
        "bloom:n=1e6,seed=0x1",    "blocked:n=1e6,seed=0x1",   "ribbon:n=1e5,seed=0x1",    "dcso:n=1e6",
        "counting:n=1e6,seed=0x1", "deletable:n=1e6,seed=0x1", "tombstone:n=1e6,seed=0x1", "dpset:n=1e6,epsilon=3",
        "ultra:n=1e6,epsilon=3"};
    (void)state;
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
        struct bytes file = sample_of(large[i], 100000);
        struct counting counting;
        uf_filter *filter;
        uf_error why;
        assert_status(UF_OK, load_counted(&file, &counting, &filter, &why), &why);
        assert_true(counting.peak <= file.size + MEGABYTE);
        uf_free(filter);
        assert_true(counting_is_clean(&counting));
        bytes_free(&file);
    }
}

/* ---- payloads that no filter has, with all checksums right ---- */

static void reseal_payload(struct bytes *file)
{
    uint64_t payload = file->size - HEADER_BYTES - 16; /* one chunk */
    unsigned char *table = file->data + HEADER_BYTES + payload;
    struct writer sums = {table, 16, 0};
    write_uint(&sums, checksum(file->data + HEADER_BYTES, (size_t)payload, 0), 8);
    write_uint(&sums, checksum(table, 8, 1), 8);
}

/* Flips every bit of the payload in turn, with all checksums right: returns how many are refused. */
static size_t refused_bits(const char *spec)
{
    struct bytes file = sample_of(spec, 3);
    size_t refused = 0;
    for (size_t bit = 8 * HEADER_BYTES; bit < 8 * (file.size - 16); bit++) {
        uf_filter *filter = NULL;
        file.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        reseal_payload(&file);
        int status = uf_load_bytes(file.data, file.size, UF_FORMAT_UF, NULL, &filter, NULL);
        assert_true(status == UF_OK || status == UF_EFORMAT);
        refused += status == UF_EFORMAT;
        if (filter) {
            struct keys probes = keys_make("probe", 20);
            (void)keys_found(filter, &probes);
            keys_free(&probes);
        }
        uf_free(filter);
        file.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    bytes_free(&file);
    return refused;
}

static void test_payloads_that_no_filter_has(void **state)
{
    (void)state;
    assert_int_equal(refused_bits("bloom:n=3,bits=70,k=7,seed=0x1"), 7 * 54); /* 54 unused bits of each word */
    assert_int_equal(refused_bits("blocked:n=3,seed=0x1"), 0);                /* every payload is legal */
    assert_int_equal(refused_bits("dcso:n=3,fpr=0.01"), 64 - 28);             /* m = 28 */
    assert_int_equal(refused_bits("ultra:n=3,epsilon=3,bits=70,k=7,seed=0x1"), 7 * 54);
    assert_int_equal(refused_bits("dpset:n=3,epsilon=3,variant=dyadic,seed=0x1"),
                     8 * 64); /* seeds and slots may be anything */
    assert_int_equal(refused_bits("counting:n=3,bits=280,k=7,seed=0x1"), 7 * 24);
    assert_int_equal(refused_bits("deletable:n=3,bits=105,k=7,region=4,seed=0x1"), 7 * 52 + 7 * 61);
    assert_int_equal(refused_bits("tombstone:n=3,k=2,bits=80,removed_bits=30,removed_k=3,seed=0x1"), 2 * 39 + 3 * 54);
    /* the offset and the slots of the one shard, and 8 words of padding; the salt is free */
    assert_true(refused_bits("ribbon:n=3,fpr=0.01,seed=0x3") >= 64 + 8 * 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields_at_their_extremes),
        cmocka_unit_test(test_what_is_newer_says_so),
        cmocka_unit_test(test_pages_alone),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_claims_of_17_gigabytes),
        cmocka_unit_test(test_lengths_that_wrap_around),
        cmocka_unit_test(test_good_files_take_their_own_size),
        cmocka_unit_test(test_payloads_that_no_filter_has),
    };
    return cmocka_run_group_tests_name("header", tests, NULL, NULL);
}
