/* SPDX-License-Identifier: MIT */
/*
 * Keys of more than 4 GiB: their length is a size_t all the way down. A key of 2^32 + d zeros is neither the key of d
 * zeros nor any other of these, in each hash, and by every way in. The zeros are one page of the system's: no memory.
 * And the boundaries of 32 bits in what is planned.
 *
 * usage: torture_bigkeys short|full
 */
#include <inttypes.h>
#include <math.h>
#include <sys/mman.h>

#include "check.h"
#include "figure.h"
#include "secrets.h"
#include "subjects.h"

#define FOUR_GIB (UINT64_C(1) << 32)

static uint64_t tried, wrong;

static void expect(int holds, const char *what, const char *spec, uint64_t size)
{
    tried++;
    if (holds)
        return;
    wrong++;
    complain("%s, key of %" PRIu64 " bytes: %s", spec, size, what);
}

/* Every way to ask for one key of this size agrees. */
static int ask(const uf_filter *filter, const char *spec, const unsigned char *zeros, uint64_t size, int all_ways)
{
    const uf_key key = {zeros, (size_t)size};
    const int64_t offsets[] = {0, (int64_t)size};
    uint8_t many = 7, fixed = 7, column = 7;
    const int one = uf_query(filter, key);
    if (!all_ways)
        return one;
    uf_query_many(filter, &key, 1, &many);
    uf_query_fixed(filter, zeros, (size_t)size, 1, &fixed);
    expect(uf_query_offsets(filter, zeros, offsets, 8, 1, &column) == UF_OK, "offsets are refused", spec, size);
    expect(many == one && fixed == one && column == one, "answers differ by the way it is asked", spec, size);
    return one;
}

static void check_spec(const char *text, const unsigned char *zeros, int all_ways)
{
    static const uint64_t more[] = {1, 17};
    uf_spec spec = spec_of(text);
    uf_context ctx = subject_context();
    uf_filter *filter = NULL;
    uf_error why = {0, 0, ""};
    const double start = figure_clock();
    ctx.secret = subject_secret(text);
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
        const uint64_t size = FOUR_GIB + more[i];
        const uf_key key = {zeros, (size_t)size}, small = {zeros, (size_t)more[i]};
        expect(uf_build(&spec, &key, 1, &ctx, &filter, &why) == UF_OK, why.text, text, size);
        if (!filter)
            continue;
        expect(ask(filter, text, zeros, size, all_ways) == 1, "is missed", text, size);
        expect(ask(filter, text, zeros, more[i], 1) == 0, "passes for one of its size modulo 2^32", text, size);
        expect(uf_query(filter, (uf_key){zeros, 0}) == 0, "passes for the empty one", text, size);
        uf_free(filter);
        filter = NULL;
        if (!all_ways)
            break; /* one size will do */
        expect(uf_build(&spec, &small, 1, &ctx, &filter, &why) == UF_OK, why.text, text, more[i]);
        expect(ask(filter, text, zeros, size, 0) == 0, "is taken for one of its size modulo 2^32", text, size);
        expect(ask(filter, text, zeros, FOUR_GIB - 1, 0) == 0, "is taken for another", text, FOUR_GIB - 1);
        uf_free(filter);
        filter = NULL;
    }
    (void)fprintf(stderr, "%6.1f s  %s\n", figure_clock() - start, text);
}

/* One change and one digest, by the way of uf_add and of uf_digest_many. */
static void check_changes(const unsigned char *zeros)
{
    const char *text = "counting:n=100,fpr=1e-6,seed=0x5eed";
    const uf_key key = {zeros, (size_t)FOUR_GIB + 1}, small = {zeros, 1};
    uf_spec spec = spec_of(text);
    uf_filter *filter = NULL;
    uf_digest big, little;
    assert_status(UF_OK, uf_build(&spec, NULL, 0, NULL, &filter, NULL), NULL);
    expect(uf_add(filter, key, NULL) == 1, "is not new", text, key.size);
    expect(uf_remove(filter, small, NULL) == UF_EABSENT, "is removed as another", text, 1);
    expect(uf_digest_many(filter, &key, 1, &big, NULL) == UF_OK, "has no digest", text, key.size);
    expect(uf_digest_many(filter, &small, 1, &little, NULL) == UF_OK, "has no digest", text, 1);
    expect(memcmp(&big, &little, sizeof big) != 0, "has the digest of another", text, key.size);
    expect(uf_remove(filter, key, NULL) == UF_OK, "cannot be removed", text, key.size);
    uf_free(filter);
}

/* Sizes around 2^31 and 2^32, in keys and in bits: a plan that holds what it says, growing with the request, or a typed
 * error; on machines of 32 bits, too. */
static void check_plans(void)
{
    static const char *const kinds[] = {"bloom", "blocked", "ribbon", "counting", "deletable", "tombstone", "dcso"};
    static const uint64_t near[] = {UINT64_C(1) << 16, UINT64_C(1) << 31, FOUR_GIB,
                                    UINT64_C(1) << 33, FOUR_GIB * 8,      UINT64_C(1) << 40};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (size_t i = 0; i < sizeof near / sizeof near[0]; i++) {
            uint64_t before = 0;
            for (int d = -1; d <= 1; d++) {
                const uint64_t n = near[i] + (uint64_t)d;
                char text[96];
                uf_sizes sizes = {.capacity = 0};
                uf_spec spec;
                uf_error why = {0, 0, ""};
                (void)snprintf(text, sizeof text, "%s:n=%" PRIu64 ",fpr=0.01", kinds[k], n);
                int status = uf_spec_parse(text, &spec, &why);
                if (status == UF_OK)
                    status = uf_plan_sizes(&spec, &sizes, sizeof sizes, &why);
                if (status != UF_OK) {
                    expect((status == UF_EINVAL || status == UF_ENOMEM || status == UF_EIMPOSSIBLE) && why.text[0],
                           "is refused in another way", text, n);
                    continue;
                }
                expect(sizes.capacity >= n && (double)sizes.payload_bytes * 8 >= (double)n * 6, "is planned too small",
                       text, n);
                expect(sizes.payload_bytes >= before && sizes.file_bytes > sizes.payload_bytes,
                       "is planned smaller than for fewer keys", text, n);
                before = sizes.payload_bytes;
            }
        }
}

int main(int argc, char **argv)
{
    static const char *const slow[] = {"keyed(blocked:n=100,fpr=1e-6,prf=aes,seed=0x5eed)",
                                       "keyed(bloom:n=100,fpr=1e-6,seed=0x5eed)", "dcso:n=100,fpr=1e-6",
                                       "ribbon:fpr=1e-6,seed=0x5eed", "dpset:n=100,epsilon=20,seed=0x5eed"};
    const int full = argc > 1 && !strcmp(argv[1], "full");
    const double start = figure_clock();
    if (argc < 2) {
        (void)fprintf(stderr, "usage: torture_bigkeys short|full\n");
        return 2;
    }
    check_plans();
    figure("plans at the boundaries of 32 bits", tried, 100, wrong, "keys and bytes near 2^16 to 2^40, 7 kinds");
    if (!full) {
        (void)printf("keys of more than 4 GiB\tnot tried\t30 tried, 0 wrong\tshort\tthe full size takes them\n");
        return figure_status();
    }
    tried = wrong = 0;
    const size_t size = (size_t)FOUR_GIB + 4096;
    const unsigned char *zeros =
        mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0); /* pages of zeros are shared */
    if (zeros == MAP_FAILED) {
        (void)printf(
            "keys of more than 4 GiB\tnot tried\t30 tried, 0 wrong\tshort\tthis machine has no room for them\n");
        return figure_status();
    }
    check_spec("bloom:n=100,fpr=1e-6,seed=0x5eed", zeros, 1);
    for (size_t i = 0; i < sizeof slow / sizeof slow[0]; i++)
        check_spec(slow[i], zeros, 0);
    check_changes(zeros);
    figure("keys of more than 4 GiB", tried, 30, wrong, "XXH3, SipHash, AES-CMAC and FNV; %.0f s",
           figure_clock() - start);
    return figure_status();
}
