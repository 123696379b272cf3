/* SPDX-License-Identifier: MIT */
/* core/digits and privacy/radix: digits against division, sums against the fields, packs against their definition. */
#include "arith.h"
#include "check.h"
#include "digits.h"
#include "radix.h"
#include "random.h"

static int is_radix(uint32_t radix)
{
    uint8_t power[DIGITS_FIELDS];
    return digits_factor(radix, power);
}

static struct digits start(uint32_t radix, uint32_t band, uint32_t spread[DIGITS_ENTRIES])
{
    struct radix_packing packing = radix_pack(radix, band);
    struct digits digits;
    digits_start(radix, packing.numbers, packing.bits, &digits, spread);
    return digits;
}

static void test_factors(void **state)
{
    uint8_t power[DIGITS_FIELDS];
    (void)state;
    assert_true(digits_factor(2916, power) && power[0] == 2 && power[1] == 6 && power[2] == 0);
    assert_true(digits_factor(21, power) && power[0] == 0 && power[1] == 1 && power[2] == 1);
    for (uint32_t radix = 0; radix < 2; radix++)
        assert_false(digits_factor(radix, power));
    assert_false(digits_factor(31, power));
    assert_false(digits_factor(22, power));
}

/* Digit j of a number by division, least significant first. */
static uint32_t digit_of(const struct digits *digits, uint32_t number, unsigned column)
{
    for (unsigned j = 0; j < column; j++)
        number /= digits_prime[digits_field(digits, j)];
    return number % digits_prime[digits_field(digits, column)];
}

static uint32_t lane(const struct digits *digits, uint32_t low, uint32_t high, unsigned column)
{
    uint64_t lanes = low | (uint64_t)high << digits->low_bits;
    for (unsigned j = 0; j < column; j++)
        lanes >>= digits_lane(digits_field(digits, j));
    return (uint32_t)(lanes & ((1u << digits_lane(digits_field(digits, column))) - 1));
}

/* Nine numbers at a time, the largest among them: no lane overflows, and each sum is that of the digits. */
static void check_sums(const struct digits *digits, const uint32_t *spread, uint64_t *seed)
{
    uint32_t number[DIGITS_TERMS], low = 0, high = 0;
    for (unsigned i = 0; i < DIGITS_TERMS; i++) {
        number[i] = next_random(seed) % 4 ? (uint32_t)random_below(seed, digits->radix) : digits->radix - 1;
        low += spread[number[i] % digits->low];
        high += spread[digits->low + number[i] / digits->low];
    }
    for (unsigned j = 0; j < digits->columns; j++) {
        uint32_t sum = 0;
        unsigned field = digits_field(digits, j);
        for (unsigned i = 0; i < DIGITS_TERMS; i++)
            sum += digit_of(digits, number[i], j);
        assert_int_equal(lane(digits, low, high, j), sum);
        assert_int_equal(digits_rest(field, sum), sum % digits_prime[field]);
    }
}

/* Every radix that a filter can have. */
static void test_sums(void **state)
{
    uint32_t spread[DIGITS_ENTRIES];
    uint64_t seed = 1;
    (void)state;
    for (uint32_t radix = 2; radix <= DIGITS_MOST_RADIX; radix++) {
        if (!is_radix(radix))
            continue;
        struct digits digits = start(radix, 64, spread);
        assert_int_equal(digits.low * digits.high, radix);
        assert_true(digits.low + digits.high <= DIGITS_ENTRIES);
        check_sums(&digits, spread, &seed);
    }
}

/* ---- packs ---- */

/* Number j of a fraction, as a query reads it. */
static uint32_t extract(const struct digits *digits, uint64_t fraction, uint32_t j)
{
    if (digits->bits <= 32)
        return (uint32_t)((uint64_t)((uint32_t)fraction * (uint32_t)digits->scale[j]) * digits->radix >> 32);
    return (uint32_t)mul_high(fraction * digits->scale[j], digits->radix);
}

static void check_pack(const struct digits *digits, const uint16_t *number)
{
    uint64_t fraction = digits_pack(digits, digits_ratio(digits), number);
    assert_true(fraction >> digits->bits == 0 && digits_is_fraction(digits, fraction));
    for (uint32_t j = 0; j < digits->numbers; j++)
        assert_int_equal(extract(digits, fraction, j), number[j]);
}

/* Whatever the bits are, the numbers are below R; and the fraction is the one of its numbers, or not a fraction. */
static void check_bits(const struct digits *digits, uint64_t fraction)
{
    uint16_t number[DIGITS_MOST_PACKED];
    for (uint32_t j = 0; j < digits->numbers; j++) {
        number[j] = (uint16_t)extract(digits, fraction, j);
        assert_true(number[j] < digits->radix);
    }
    uint64_t packed = digits_pack(digits, digits_ratio(digits), number);
    assert_int_equal(digits_is_fraction(digits, fraction), packed == fraction);
}

static void test_packs(void **state)
{
    uint32_t spread[DIGITS_ENTRIES];
    uint64_t seed = 2;
    uint16_t number[DIGITS_MOST_PACKED];
    (void)state;
    for (uint32_t radix = 2; radix <= DIGITS_MOST_RADIX; radix++)
        for (uint32_t band = 64; band <= 128 && is_radix(radix); band *= 2) {
            struct digits digits = start(radix, band, spread);
            uint64_t mask = (UINT64_C(1) << digits.bits) - 1;
            assert_true(digits.numbers >= 1 && digits.bits <= 60 && digits.whole <= mask + 1);
            for (int fill = 0; fill < 4; fill++) {
                for (uint32_t j = 0; j < digits.numbers; j++)
                    number[j] = (uint16_t)(fill == 0 ? 0 : fill == 1 ? radix - 1 : random_below(&seed, radix));
                check_pack(&digits, number);
                check_bits(&digits, next_random(&seed) & mask);
            }
            check_bits(&digits, mask);
        }
}

/* All fractions of a small pack: as many as there are numbers. */
static void test_all_packs(void **state)
{
    uint32_t spread[DIGITS_ENTRIES], found = 0;
    struct digits digits;
    (void)state;
    digits_start(3, 5, 8, &digits, spread);
    for (uint64_t fraction = 0; fraction < 256; fraction++) {
        found += (uint32_t)digits_is_fraction(&digits, fraction);
        check_bits(&digits, fraction);
    }
    assert_int_equal(found, 243);
}

/* ---- sizes ---- */

static void test_packing(void **state)
{
    (void)state;
    assert_int_equal(radix_pack(21, 64).numbers * 100 + radix_pack(21, 64).bits, 522);
    assert_int_equal(radix_pack(147, 64).numbers * 100 + radix_pack(147, 64).bits, 429);
    assert_int_equal(radix_pack(147, 128).numbers * 100 + radix_pack(147, 128).bits, 536);
    assert_int_equal(radix_pack(2916, 64).numbers * 100 + radix_pack(2916, 64).bits, 558);
}

/* Room for what is planted on average and five deviations, and for no more keys than there are. */
static void test_layout(void **state)
{
    struct radix_design design = {
        .erase = UINT64_C(1) << 63, .accept = 1, .groups = 1, .radix = {21, 0}, .band = 64, .slack = 0.08};
    struct radix_layout layout;
    (void)state;
    assert_true(radix_legal(&design));
    radix_layout(&design, 0, &layout);
    assert_int_equal(layout.group[0].most, 0);
    assert_int_equal(layout.group[0].slots, 65);
    radix_layout(&design, 5, &layout);
    assert_int_equal(layout.group[0].most, 5);
    radix_layout(&design, 80000, &layout); /* 40000 and five times 141.4 */
    assert_int_equal(layout.shards, 1);
    assert_int_equal(layout.group[0].most, 40001 + 708 + 8);
    radix_layout(&design, 1 << 18, &layout);
    assert_int_equal(layout.shards, 2);
    design.slack = 0.0799;
    assert_false(radix_legal(&design));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_factors),   cmocka_unit_test(test_sums),    cmocka_unit_test(test_packs),
        cmocka_unit_test(test_all_packs), cmocka_unit_test(test_packing), cmocka_unit_test(test_layout),
    };
    return cmocka_run_group_tests_name("digits", tests, NULL, NULL);
}
