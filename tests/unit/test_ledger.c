/* SPDX-License-Identifier: MIT */
/*
 * The ledger: what it charges and what it refuses, the exact bytes it writes, and that a ledger with any byte cut or
 * altered is refused and left alone. What fails and dies is in test_ledger_faults.c, races are in test_ledger_crowd.c.
 */
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bytes.h"
#include "checksum.h"
#include "hash.h"
#include "ledger_fixture.h"
#include "ledger_line.h"
#include "ledger_text.h"
#include "rounding.h"

/* ---- files ---- */

static int file_has(const char *path, const char *text, size_t size)
{
    struct bytes now = file_get_all(path);
    int same = now.size == size && (!size || !memcmp(now.data, text, size));
    bytes_free(&now);
    return same;
}

static mode_t mode_of(const char *path)
{
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    return about.st_mode & 07777;
}

/* ---- sums ---- */

/* Never below the true sum, which long double or exact integers know; and exact where doubles can be. */
static void test_sums_are_rounded_up(void **state)
{
    (void)state;
    assert_true(sum_up(0.125, 0.25) == 0.375);
    assert_true(sum_up(1, 0x1p-60) == 1 + 0x1p-52);
    assert_true(sum_up(1, -0x1p-60) == 1);
    assert_true(sum_up(0.1, 0.2) == 0.1 + 0.2); /* rounded up already */
    assert_true(sum_up(0, 0.1) == 0.1);
    assert_true(rest_down(1, 0x1p-60) == 1 - 0x1p-53);
    assert_true(rest_down(3, 1.25) == 1.75);
    assert_true(rest_down(0.5, 0.5) == 0);
    double sum = 0;
    for (int i = 1; i <= 1000; i++) { /* 1 + 1000 * 2^-54 is below 1 + 2^-44 */
        sum = sum_up(i == 1 ? 1 : sum, 0x1p-54);
        assert_true(sum >= 1 + i * 0x1p-54);
    }
}

/* Ten times the double 0.1 is a little more than 1. */
static void test_the_last_digit_counts(void **state)
{
    struct fixture *fixture = *state;
    char id[] = "0";
    for (; id[0] < '9'; id[0]++)
        assert_charged(fixture, "tenths", id, 0.1, 1);
    assert_not_charged(UF_EBUDGET, fixture, "tenths", id, 0.1, 1);
    assert_charged(fixture, "tenths", id, 0.1 * (1 - 1e-14), 1);
    assert_true(fixture->now.spent <= 1 && fixture->now.left < 1e-14);
}

/* ---- charging ---- */

static void test_what_is_written(void **state)
{
    static const char text[] = "ultrafilter-ledger-2\n"
                               "budget patients 3\n"
                               "release patients 1.25 dpset 00ff delta=0 date=2001-09-09T01:46:40Z\n"
                               "budget staff 0.5\n"
                               "release staff 1e-07 dpset 00ff delta=0 date=2001-09-09T01:46:40Z\n"
                               "release patients 0.5 dpset 01ff delta=1e-12 date=2001-09-09T01:46:40Z label=spring "
                               "file=100%25%20of%20all.uf\n"
                               "end 6 2df8a8948817c623\n"; /* computed with xxHash itself */
    struct fixture *fixture = *state;
    mode_t before = umask(0);
    int status = charge(fixture, "patients", "00ff", 1.25, 3);
    umask(before);
    assert_status(UF_OK, status, &fixture->why);
    assert_int_equal(mode_of(fixture->path), 0600);
    assert_charged(fixture, "staff", "00ff", 1e-7, 0.5);
    uf_charge what = charge_of("patients", "01ff", 0.5, 0);
    what.delta = 1e-12;
    what.label = "spring";
    what.file = "100% of all.uf";
    assert_status(UF_OK, charge_this(fixture, &what), &fixture->why);
    assert_true(file_has(fixture->path, text, sizeof text - 1));
    assert_int_equal(folder_entries(&fixture->folder), 1);
    assert_int_equal(chmod(fixture->path, 0640), 0); /* a person's request stays */
    assert_charged(fixture, "patients", "02ff", 0.5, 0);
    assert_int_equal(mode_of(fixture->path), 0640);
}

static void test_states_and_entries(void **state)
{
    struct fixture *fixture = *state;
    assert_charged(fixture, "patients", "a", 1.25, 3);
    assert_charged(fixture, "staff", "b", 0.5, 0.5);
    assert_charged(fixture, "patients", "c", 0.5, 3);
    const uf_ledger_state *now = &fixture->now;
    assert_true(now->budget == 3 && now->spent == 1.75 && now->left == 1.25 && now->charged == 0.5);
    assert_int_equal(now->releases, 2);
    struct listed listed = list_of(fixture);
    assert_int_equal(listed.count, 3);
    assert_string_equal(listed.last.data_set, "patients");
    assert_string_equal(listed.last.mechanism, "dpset");
    assert_string_equal(listed.last.id, "c");
    assert_true(listed.last.epsilon == 0.5);
    assert_true(listed.last.budget == now->budget && listed.last.spent == now->spent && listed.last.left == now->left);
    assert_int_equal(listed.last.releases, now->releases);
    const uf_charge what = charge_of("patients", "d", 0.5, 0);
    assert_status(UF_OK, uf_ledger_charge(fixture->path, &what, NULL, 0, NULL), NULL);
}

static void test_overspending_is_refused(void **state)
{
    struct fixture *fixture = *state;
    assert_not_charged(UF_EBUDGET, fixture, "patients", "a", 3.5, 3);
    assert_int_equal(folder_entries(&fixture->folder), 0); /* not even a file */
    assert_charged(fixture, "patients", "a", 2.5, 3);
    struct bytes before = file_get_all(fixture->path);
    assert_not_charged(UF_EBUDGET, fixture, "patients", "b", 0.75, 0);
    assert_true(!strncmp(fixture->why.text, fixture->path, strlen(fixture->path)));
    assert_string_equal(fixture->why.text + strlen(fixture->path),
                        ": the data set 'patients' has spent 2.5 of its budget of 3: 0.5 is left, and this release "
                        "needs an epsilon of 0.75");
    assert_true(file_has(fixture->path, (const char *)before.data, before.size));
    bytes_free(&before);
    assert_charged(fixture, "patients", "b", 0.5, 0); /* all of it may be spent */
    assert_true(fixture->now.left == 0);
    assert_not_charged(UF_EBUDGET, fixture, "patients", "c", 1e-300, 0);
    assert_charged(fixture, "staff", "c", 1, 1); /* another data set has its own */
}

/* Only a label makes the same coins again. Without one equal bytes came out by chance, and cost what others cost. */
static void test_the_same_release_is_charged_once(void **state)
{
    struct fixture *fixture = *state;
    uf_charge what = charge_of("patients", "a", 2, 10);
    for (int i = 0; i < 3; i++) {
        what.label = "spring";
        assert_status(UF_OK, charge_this(fixture, &what), &fixture->why);
        assert_true(fixture->now.charged == (i ? 0 : 2) && fixture->now.spent == 2 && fixture->now.releases == 1);
        what.budget = i ? 10 : 0;
    }
    assert_int_equal(list_of(fixture).count, 1);
    what.label = "autumn";
    assert_status(UF_OK, charge_this(fixture, &what), &fixture->why);
    assert_true(fixture->now.charged == 2 && fixture->now.spent == 4);
    what.label = NULL;
    for (int i = 0; i < 2; i++)
        assert_status(UF_OK, charge_this(fixture, &what), &fixture->why);
    assert_true(fixture->now.charged == 2 && fixture->now.spent == 8 && fixture->now.releases == 4);
    assert_int_equal(list_of(fixture).count, 4);
    assert_not_charged(UF_EMISMATCH, fixture, "patients", "a", 1, 0);
    uf_charge other = charge_of("patients", "a", 2, 0);
    other.mechanism = "ultra";
    assert_refused(UF_EMISMATCH, charge_this(fixture, &other), &fixture->why);
    other.mechanism = "dpset";
    other.delta = 1e-9;
    assert_refused(UF_EMISMATCH, charge_this(fixture, &other), &fixture->why);
    assert_charged(fixture, "staff", "a", 2, 3); /* of another data set it is another release */
    assert_true(fixture->now.charged == 2);
}

static void test_budgets_are_decided_once(void **state)
{
    static const double senseless[] = {-1, -0.5, NAN, INFINITY, -INFINITY};
    struct fixture *fixture = *state;
    assert_not_charged(UF_EINVAL, fixture, "patients", "a", 1, 0);
    for (size_t i = 0; i < sizeof senseless / sizeof senseless[0]; i++)
        assert_not_charged(UF_EINVAL, fixture, "patients", "a", 1, senseless[i]);
    assert_int_equal(folder_entries(&fixture->folder), 0);
    assert_charged(fixture, "patients", "a", 1, 3);
    assert_not_charged(UF_EMISMATCH, fixture, "patients", "b", 1, 4);
    assert_not_charged(UF_EMISMATCH, fixture, "patients", "b", 1, 2);
    assert_not_charged(UF_EMISMATCH, fixture, "patients", "a", 1, 4); /* also for one that is there already */
    assert_not_charged(UF_EINVAL, fixture, "staff", "b", 1, 0);
    assert_int_equal(list_of(fixture).count, 1);
}

static void test_no_epsilon_no_charge(void **state)
{
    static const double endless[] = {NAN, INFINITY, -INFINITY};
    struct fixture *fixture = *state;
    for (size_t i = 0; i < 3; i++) {
        assert_not_charged(UF_EBUDGET, fixture, "patients", "a", endless[i], 3);
        assert_non_null(strstr(fixture->why.text, "no finite epsilon"));
    }
    assert_not_charged(UF_EINVAL, fixture, "patients", "a", 0, 3);
    assert_not_charged(UF_EINVAL, fixture, "patients", "a", -1, 3);
    assert_int_equal(folder_entries(&fixture->folder), 0);
}

static void test_names(void **state)
{
    struct fixture *fixture = *state;
    char longest[64], longer[65];
    memset(longest, 'n', 63);
    longest[63] = 0;
    memset(longer, 'n', 64);
    longer[64] = 0;
    const char *const bad[] = {"", " ", "two words", "tab\t", "line\nrelease", "\x7f", longer, NULL};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_not_charged(UF_EINVAL, fixture, bad[i], "a", 1, 3);
        assert_not_charged(UF_EINVAL, fixture, "patients", bad[i], 1, 3);
        uf_charge what = charge_of("x", "a", 1, 3);
        what.mechanism = bad[i];
        assert_refused(UF_EINVAL, charge_this(fixture, &what), &fixture->why);
        if (!bad[i])
            continue; /* a label may be absent */
        what.mechanism = "dpset";
        what.label = bad[i];
        assert_refused(UF_EINVAL, charge_this(fixture, &what), &fixture->why);
    }
    assert_int_equal(folder_entries(&fixture->folder), 0);
    assert_charged(fixture, longest, "0123456789abcdef0123456789abcdef", 1, 3);
    assert_charged(fixture, "\xc3\xa9t\xc3\xa9/2024", "a", 1, 3);
    uf_charge widest = charge_of("x", "a", 4.9406564584124654e-324, 1.7976931348623157e308);
    widest.mechanism = "abcdefghijklmnopqrstuvw";
    assert_status(UF_OK, charge_this(fixture, &widest), &fixture->why);
    struct listed listed = list_of(fixture);
    assert_int_equal(listed.count, 3);
    assert_true(listed.last.epsilon > 0 && listed.last.budget > 1e308);
    assert_refused(UF_EINVAL, uf_ledger_charge(NULL, &widest, NULL, 0, &fixture->why), &fixture->why);
    assert_refused(UF_EINVAL, uf_ledger_charge(fixture->path, NULL, NULL, 0, &fixture->why), &fixture->why);
    widest.size = 0;
    assert_refused(UF_EINVAL, charge_this(fixture, &widest), &fixture->why);
    assert_refused(UF_EINVAL, uf_ledger_read(NULL, list, &listed, &fixture->why), &fixture->why);
    assert_refused(UF_EINVAL, uf_ledger_read(fixture->path, NULL, NULL, &fixture->why), &fixture->why);
}

static int stop_at_once(void *arg, const uf_ledger_entry *entry)
{
    (void)entry;
    ++*(int *)arg;
    return 7;
}

static void test_reading_can_be_stopped(void **state)
{
    struct fixture *fixture = *state;
    int calls = 0;
    assert_charged(fixture, "patients", "a", 1, 3);
    assert_charged(fixture, "patients", "b", 1, 3);
    assert_refused(UF_ECANCELED, uf_ledger_read(fixture->path, stop_at_once, &calls, &fixture->why), &fixture->why);
    assert_int_equal(fixture->why.reason, 7);
    assert_int_equal(calls, 1);
}

/* ---- damage ---- */

static int never(void *arg, const uf_ledger_entry *entry)
{
    (void)entry;
    ++*(int *)arg;
    return 0;
}

/* Such a file is refused by everything, and left as it is. */
static void refused(struct fixture *fixture, const char *text, size_t size)
{
    int told = 0;
    unlink(fixture->path); /* some file systems write a file to disk when it is cut to nothing and written again */
    file_put_all(fixture->path, text, size);
    assert_refused(UF_EFORMAT, uf_ledger_read(fixture->path, never, &told, &fixture->why), &fixture->why);
    assert_int_equal(told, 0);
    assert_not_charged(UF_EFORMAT, fixture, "patients", "new", 0.25, 3);
    assert_not_charged(UF_EFORMAT, fixture, "fresh", "new", 0.25, 3);
    assert_true(file_has(fixture->path, text, size));
}

static void test_every_cut_and_every_bit(void **state)
{
    struct fixture *fixture = *state;
    assert_charged(fixture, "patients", "a", 1.25, 3);
    assert_charged(fixture, "patients", "b", 0.5, 0);
    struct bytes good = file_get_all(fixture->path);
    for (size_t size = 0; size < good.size; size++)
        refused(fixture, (char *)good.data, size);
    for (size_t i = 0; i < good.size; i++)
        for (unsigned bit = 0; bit < 8; bit += test_small() ? 3 : 1) {
            good.data[i] ^= (unsigned char)(1 << bit);
            refused(fixture, (char *)good.data, good.size);
            good.data[i] ^= (unsigned char)(1 << bit);
        }
    file_put_all(fixture->path, good.data, good.size);
    assert_int_equal(list_of(fixture).count, 2);
    bytes_free(&good);
}

/* Whole lines that are gone, doubled or in another order. */
static void test_every_line(void **state)
{
    static const char *const lines[] = {"ultrafilter-ledger-1\n", "budget patients 3\n", "release patients 1 dpset a\n",
                                        "release patients 1 dpset b\n", "end 4 17eb553910750e72\n"};
    enum { LINES = 5 };
    char text[512];
    for (int gone = 0; gone < LINES; gone++) {
        text[0] = 0;
        for (int i = 0; i < LINES; i++)
            strcat(text, i == gone ? "" : lines[i]);
        refused(*state, text, strlen(text));
    }
    for (int twice = 0; twice < LINES; twice++) {
        text[0] = 0;
        for (int i = 0; i < LINES; i++)
            strcat(strcat(text, lines[i]), i == twice ? lines[i] : "");
        refused(*state, text, strlen(text));
    }
    for (int first = 0; first + 1 < LINES; first++) {
        text[0] = 0;
        for (int i = 0; i < LINES; i++)
            strcat(text, lines[i == first ? i + 1 : i == first + 1 ? i - 1 : i]);
        refused(*state, text, strlen(text));
    }
}

/* Puts the right last line under a text. */
static size_t seal(char *text, size_t bytes)
{
    size_t lines = 0;
    for (size_t i = 0; i < bytes; i++)
        lines += text[i] == '\n';
    return bytes +
           (size_t)sprintf(text + bytes, "end %zu %016llx\n", lines, (unsigned long long)checksum(text, bytes, lines));
}

/* The checksum is right, the lines make no sense: whoever wrote this was not this library. */
static void test_lines_that_make_no_sense(void **state)
{
    static const char *const bad[] = {
        "release patients 1 dpset a\n",
        "budget patients 3\nbudget patients 3\n",
        "budget patients 3\nrelease staff 1 dpset a\n",
        "budget patients 3\nrelease patients 4 dpset a\n",
        "budget patients 3\nrelease patients 2 dpset a\nrelease patients 1.5 dpset b\n",
        "budget patients 3\nrelease patients 1 dpset\n",
        "budget patients 3\nrelease patients 1 dpset a b\n",
        "budget patients 3\nrelease patients 1  dpset a\n",
        "budget patients 3\nrelease patients -1 dpset a\n",
        "budget patients 3\nrelease patients 0 dpset a\n",
        "budget patients 3\nrelease patients nan dpset a\n",
        "budget patients 3\nrelease patients 1,5 dpset a\n",
        "budget patients 3\nrelease patients 0x1 dpset a\n",
        "budget patients inf\n",
        "budget patients -3\n",
        "budget patients\n",
        "budget patients 3 \n",
        " budget patients 3\n",
        "budget patients 3\r\n",
        "budget  3\n",
        "Budget patients 3\n",
        "\n",
        "# a note\n",
        "end 1 0000000000000000\n",
        "budget nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn 3\n",
        "budget patients 3\nrelease patients 1 dpset 0123456789abcdef0123456789abcdef0\n",
        "budget patients 3\nrelease patients 1 abcdefghijklmnopqrstuvwx a\n",
        "budget patients 3\nrelease patients 1 dpset a delta=0\n",
        "budget patients 3\nrelease patients 1 dpset a date=2001-09-09T01:46:40Z\n",
        "budget patients 3\nrelease patients 1 dpset a date=2001-09-09T01:46:40Z delta=0\n",
        "budget patients 3\nrelease patients 1 dpset a delta=-1 date=2001-09-09T01:46:40Z\n",
        "budget patients 3\nrelease patients 1 dpset a delta= date=2001-09-09T01:46:40Z\n",
        "budget patients 3\nrelease patients 1 dpset a delta=0 date=2001-13-09T01:46:40Z\n",
        "budget patients 3\nrelease patients 1 dpset a delta=0 date=2001-09-09 01:46:40Z\n",
        "budget patients 3\nrelease patients 1 dpset a delta=0 date=2001-09-00T01:46:40Z\n",
        "budget patients 3\nrelease patients 1 dpset a delta=0 date=2001-09-32T01:46:40Z\n",
        "budget patients 3\nrelease patients 1 dpset a delta=0 date=2001-09-09T24:46:40Z\n",
        "budget patients 3\nrelease patients 1 dpset a delta=0 date=2001-09-09T01:60:40Z\n",
        "budget patients 3\nrelease patients 1 dpset a delta=0 date=2001-09-09T01:46:61Z\n",
        "budget patients 3\nrelease patients 1 dpset a delta=0 date=2001-0/-09T01:46:40Z\n",
        "budget patients 3\nrelease patients 1 dpset a delta=0 date=2001-0:-09T01:46:40Z\n",
        "budget patients 3\nrelease patients 1 dpset a delta=0 date=\n",
        "budget patients 3\nrelease patients 1 dpset a delta=0 date=2001-09-09T01:46:40Z label=\n",
        "budget patients 3\nrelease patients 1 dpset a delta=0 date=2001-09-09T01:46:40Z file=\n",
        "budget patients 3\nrelease patients 1 dpset a delta=0 date=2001-09-09T01:46:40Z file=a label=b\n",
        "budget patients 3\nrelease patients 1 dpset a delta=0 date=2001-09-09T01:46:40Z label=a label=b\n",
        "budget patients 3\nrelease patients 1 dpset a delta=0 date=2001-09-09T01:46:40Z label=a file=b c\n",
        "budget patients 3\nrelease patients 1 dpset a delta=0 date=2001-09-09T01:46:40Z file=%\n",
        "budget patients 3\nrelease patients 1 dpset a delta=0 date=2001-09-09T01:46:40Z file=%2\n",
        "budget patients 3\nrelease patients 1 dpset a delta=0 date=2001-09-09T01:46:40Z file=%00\n",
        "budget patients 3\nrelease patients 1 dpset a delta=0 date=2001-09-09T01:46:40Z file=%41\n",
        "budget patients 3\nrelease patients 1 dpset a delta=0 date=2001-09-09T01:46:40Z file=%2a\n",
        "budget patients 3\nrelease patients 1 dpset a delta=0 date=2001-09-09T01:46:40Z file=a\x01\n",
        "budget patients 3\nrelease patients 1 dpset a delta=0 date=2001-09-09T01:46:40Z note=b\n",
        "budget patients 3\nrelease  1 dpset a\n",
        "budget patients 3\npublish patients 1 dpset a\n",
        "budget patients 3\nrelease patients 1 dpset a b c d e f g h i\n",
    };
    char text[2 * LEDGER_LINE];
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        for (int version = 1; version <= 2; version++) {
            size_t bytes = (size_t)sprintf(text, "ultrafilter-ledger-%d\n%s", version, bad[i]);
            refused(*state, text, seal(text, bytes));
        }
    static const char newer[] = "ultrafilter-ledger-1\nbudget patients 3\n"
                                "release patients 1 dpset a delta=0 date=2001-09-09T01:46:40Z\n";
    memcpy(text, newer, sizeof newer);
    refused(*state, text, seal(text, sizeof newer - 1));
    size_t bytes = (size_t)sprintf(text, "ultrafilter-ledger-1\nbudget patients 3\n");
    text[24] = 0;
    refused(*state, text, seal(text, bytes));
    bytes = (size_t)sprintf(text, "ultrafilter-ledger-1\nbudget %0600d 3\n", 0);
    refused(*state, text, seal(text, bytes));
    bytes = (size_t)sprintf(text, "ultrafilter-ledger-1\nbudget %0*d 3\n", LEDGER_LINE, 0);
    refused(*state, text, seal(text, bytes));
    bytes = (size_t)sprintf(text,
                            "ultrafilter-ledger-2\nbudget patients 3\nrelease patients 1 dpset a delta=0 "
                            "date=2001-09-09T01:46:40Z file=%0300d\n",
                            0);
    refused(*state, text, seal(text, bytes));
    bytes = (size_t)sprintf(text, "ultrafilter-ledger-0\nbudget patients 3\n");
    refused(*state, text, seal(text, bytes));
    bytes = (size_t)sprintf(text, "ultrafilter-ledger-3\nbudget patients 3\n");
    refused(*state, text, seal(text, bytes));
    bytes = (size_t)sprintf(text, "ultrafilter-ledger-10\n");
    refused(*state, text, seal(text, bytes));
}

/* The control of the table above: sealed in the same way, a ledger that makes sense is taken. */
static void test_lines_that_make_sense(void **state)
{
    struct fixture *fixture = *state;
    char text[512];
    size_t bytes = (size_t)sprintf(text, "ultrafilter-ledger-1\n");
    file_put_all(fixture->path, text, seal(text, bytes));
    assert_int_equal(list_of(fixture).count, 0);
    bytes = (size_t)sprintf(text, "ultrafilter-ledger-1\nbudget patients 3\nrelease patients 1 dpset a\n");
    file_put_all(fixture->path, text, seal(text, bytes));
    assert_int_equal(list_of(fixture).count, 1);
    assert_charged(fixture, "patients", "b", 2, 0);
    bytes = (size_t)sprintf(text, "ultrafilter-ledger-2\nbudget patients 3\nrelease patients 1 dpset a delta=0.5 "
                                  "date=1999-12-31T23:59:60Z label=b file=%%7F%%20%%25\n");
    file_put_all(fixture->path, text, seal(text, bytes));
    struct listed listed = list_of(fixture);
    assert_string_equal(listed.last.file, "\x7f %");
    assert_string_equal(listed.last.label, "b");
    assert_true(listed.last.delta == 0.5);
}

/* ---- the first version ---- */

/* It is read, becomes the second with the next release, and what it does not tell is the largest that it could be. */
static void test_a_ledger_of_the_first_version(void **state)
{
    static const char old[] = "ultrafilter-ledger-1\nbudget patients 3\nrelease patients 1 dpset a\n";
    struct fixture *fixture = *state;
    char text[512];
    memcpy(text, old, sizeof old);
    file_put_all(fixture->path, text, seal(text, sizeof old - 1));
    struct listed listed = list_of(fixture);
    assert_int_equal(listed.count, 1);
    assert_string_equal(listed.last.date, "");
    assert_string_equal(listed.last.label, "");
    assert_string_equal(listed.last.file, "");
    assert_true(listed.last.delta == 0x1p-40 && listed.last.delta_sum == 0x1p-40);
    assert_charged(fixture, "patients", "b", 1, 0);
    assert_true(fixture->now.spent == 2 && fixture->now.delta == 0x1p-40);
    size_t bytes = (size_t)sprintf(text,
                                   "ultrafilter-ledger-2\n%srelease patients 1 dpset b delta=0 "
                                   "date=2001-09-09T01:46:40Z\n",
                                   old + 21);
    assert_true(file_has(fixture->path, text, seal(text, bytes)));
}

/* ---- labels ---- */

/* One label, one release: in the whole ledger, as one key makes them all. */
static void test_a_label_names_one_release(void **state)
{
    struct fixture *fixture = *state;
    assert_status(UF_OK, charge_label(fixture, "patients", "a", "spring"), &fixture->why);
    for (int i = 0; i < 3; i++) {
        assert_status(UF_OK, charge_label(fixture, "patients", "a", "spring"), &fixture->why);
        assert_true(fixture->now.charged == 0 && fixture->now.releases == 1);
    }
    struct bytes before = file_get_all(fixture->path);
    assert_refused(UF_EMISMATCH, charge_label(fixture, "patients", "b", "spring"), &fixture->why);
    assert_string_equal(fixture->why.text + strlen(fixture->path),
                        ": the label spring is that of the release a of 'patients' on 2001-09-09T01:46:40Z, and this "
                        "one has another set, other parameters or another key, or was made with another version: a "
                        "label names one release, so give this one a new label");
    assert_refused(UF_EMISMATCH, charge_label(fixture, "staff", "b", "spring"), &fixture->why);
    assert_refused(UF_EMISMATCH, charge_label(fixture, "staff", "a", "spring"), &fixture->why);
    assert_true(file_has(fixture->path, (const char *)before.data, before.size));
    bytes_free(&before);
    assert_status(UF_OK, charge_label(fixture, "patients", "b", "autumn"), &fixture->why);
    assert_true(fixture->now.charged == 1);
    assert_status(UF_OK, charge_label(fixture, "patients", "c", NULL), &fixture->why);
    assert_status(UF_OK, charge_label(fixture, "patients", "d", NULL), &fixture->why); /* none is no label */
    assert_status(UF_OK, charge_label(fixture, "patients", "b", "autumn"), &fixture->why);
    struct listed listed = list_of(fixture);
    assert_int_equal(listed.count, 4);
    assert_true(listed.last.spent == 4);
    assert_status(UF_OK, charge_label(fixture, "patients", "e", "winter"), &fixture->why);
    assert_string_equal(list_of(fixture).last.label, "winter");
}

/* ---- deltas, dates and files ---- */

static void test_deltas_add_up(void **state)
{
    static const double senseless[] = {-1e-300, 1, 2, NAN, INFINITY, -INFINITY};
    struct fixture *fixture = *state;
    uf_charge what = charge_of("patients", "a", 1, 3);
    for (size_t i = 0; i < sizeof senseless / sizeof senseless[0]; i++) {
        what.delta = senseless[i];
        assert_refused(UF_EINVAL, charge_this(fixture, &what), &fixture->why);
    }
    assert_int_equal(folder_entries(&fixture->folder), 0);
    what.delta = 0.5;
    assert_status(UF_OK, charge_this(fixture, &what), &fixture->why);
    what.id = "b";
    what.delta = 0x1p-60;
    assert_status(UF_OK, charge_this(fixture, &what), &fixture->why);
    assert_true(fixture->now.delta == 0.5 + 0x1p-53); /* rounded up: half of it would be lost */
    struct listed listed = list_of(fixture);
    assert_true(listed.last.delta == 0x1p-60 && listed.last.delta_sum == fixture->now.delta);
    assert_charged(fixture, "staff", "a", 1, 3);
    assert_true(fixture->now.delta == 0);
}

static void test_dates(void **state)
{
    static const struct {
        int64_t time;
        const char *date;
    } dates[] = {{1, "1970-01-01T00:00:01Z"},
                 {951782399, "2000-02-28T23:59:59Z"},
                 {951782400, "2000-02-29T00:00:00Z"},
                 {INT64_C(4102444800), "2100-01-01T00:00:00Z"},
                 {INT64_C(253402300799), "9999-12-31T23:59:59Z"},
                 {-1, "1969-12-31T23:59:59Z"}};
    struct fixture *fixture = *state;
    char id[] = "a";
    for (size_t i = 0; i < sizeof dates / sizeof dates[0]; i++, id[0]++) {
        uf_charge what = charge_of("patients", id, 0.125, 3);
        what.time = dates[i].time;
        assert_status(UF_OK, charge_this(fixture, &what), &fixture->why);
        assert_string_equal(list_of(fixture).last.date, dates[i].date);
    }
    uf_charge what = charge_of("patients", id, 0.125, 3);
    what.time = INT64_C(253402300800);
    assert_refused(UF_EINVAL, charge_this(fixture, &what), &fixture->why);
    what.time = INT64_MIN;
    assert_refused(UF_EINVAL, charge_this(fixture, &what), &fixture->why);
    what.time = 0; /* now */
    assert_status(UF_OK, charge_this(fixture, &what), &fixture->why);
    assert_true(strcmp(list_of(fixture).last.date, "2026-01-01T00:00:00Z") > 0);
}

/* A file may have any name: what was told is what is listed. */
static void test_names_of_files(void **state)
{
    struct fixture *fixture = *state;
    char all[256], wide[256], longer[257], id[] = "a";
    for (int i = 0; i < 255; i++)
        all[i] = (char)(i + 1);
    all[255] = 0;
    memset(wide, '\n', 255);
    wide[255] = 0;
    memset(longer, 'x', 256);
    longer[256] = 0;
    const char *const names[] = {all, wide, longer + 1, "-", "a b", "%41", "end 1 0\n", "label=x"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++, id[0]++) {
        uf_charge what = charge_of("patients", id, 0.125, 3);
        what.file = names[i];
        what.label = id;
        assert_status(UF_OK, charge_this(fixture, &what), &fixture->why);
        assert_string_equal(list_of(fixture).last.file, names[i]);
    }
    uf_charge what = charge_of("patients", id, 0.125, 3);
    what.file = longer;
    assert_refused(UF_EINVAL, charge_this(fixture, &what), &fixture->why);
    what.file = "";
    assert_status(UF_OK, charge_this(fixture, &what), &fixture->why);
    assert_string_equal(list_of(fixture).last.file, "");
}

/* ---- size ---- */

/* Reading takes work in proportion to the size: fewer than four looks at the table for each line, where one list of all
 * names takes as many as there are data sets, 16,000 on average. */
static void test_many_data_sets(void **state)
{
    enum { SETS = 32000, LINES = 48 };
    struct ledger ledger;
    uf_error why;
    char *text = malloc(SETS * LINES + 100);
    assert_non_null(text);
    size_t used = (size_t)sprintf(text, "ultrafilter-ledger-2\n");
    for (size_t i = 0; i < SETS; i++)
        used += (size_t)sprintf(text + used, "budget set%zu 1\nrelease set%zu 1 x a\n", i, i);
    used = seal(text, used);
    (void)state;
    assert_status(UF_OK, ledger_start(&ledger, used, &why), &why);
    memcpy(ledger.text, text, used);
    assert_status(UF_OK, ledger_parse(&ledger, &why), &why);
    assert_int_equal(ledger.sets.count, SETS);
    assert_that(ledger.sets.looked < 4 * 2 * SETS, "%llu looks for %d lines", (unsigned long long)ledger.sets.looked,
                2 * SETS);
    assert_true(ledger_find(&ledger, "set31999")->state.spent == 1);
    assert_null(ledger_find(&ledger, "set32000"));
    assert_null(ledger_find(&ledger, "se"));
    ledger_free(&ledger);
    free(text);
}

/* A ledger of about `bytes` bytes. Returns how many releases it has. */
static size_t fill(struct fixture *fixture, size_t bytes)
{
    size_t count = 0, used = 0;
    char *text = malloc(bytes + 800);
    assert_non_null(text);
    used = (size_t)sprintf(text, "ultrafilter-ledger-2\nbudget patients 1000\n");
    for (; used + 500 < bytes; count++) /* with long lines, of which there are fewer to read */
        used += (size_t)sprintf(text + used,
                                "release patients 0.001 dpset %032zu delta=0 date=2001-09-09T01:46:40Z%s file=%0255d\n",
                                count, count ? "" : " label=first", 0);
    for (; used < bytes; count++)
        used += (size_t)sprintf(text + used, "release patients 0.001 dpset %032zu\n", count);
    file_put_all(fixture->path, text, seal(text, used));
    free(text);
    return count;
}

static void test_what_is_too_large(void **state)
{
    struct fixture *fixture = *state;
    size_t count = fill(fixture, LEDGER_MOST - 4000);
    assert_true(count > 40000);
    assert_charged(fixture, "patients", "new", 0.001, 0);
    assert_int_equal(list_of(fixture).count, count + 1);
    count = fill(fixture, LEDGER_MOST - 200);
    assert_not_charged(UF_EFULL, fixture, "patients", "new", 0.001, 0);
    assert_int_equal(list_of(fixture).count, count);
    uf_charge again = charge_of("patients", "00000000000000000000000000000000", 0.001, 0);
    again.label = "first";
    assert_status(UF_OK, charge_this(fixture, &again), &fixture->why); /* nothing to add */
    fill(fixture, LEDGER_MOST);
    assert_not_charged(UF_EFORMAT, fixture, "patients", "new", 0.001, 0);
    assert_int_equal(truncate(fixture->path, INT64_C(1) << 40), 0);
    assert_not_charged(UF_EFORMAT, fixture, "patients", "new", 0.001, 0);
    assert_refused(UF_EFORMAT, uf_ledger_read(fixture->path, list, &(struct listed){0}, &fixture->why), &fixture->why);
}

/* ---- places ---- */

static void test_places(void **state)
{
    struct fixture *fixture = *state;
    char longest[5000];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    assert_int_equal(mkfifo(folder_file(&fixture->folder, "pipe"), 0600), 0);
    assert_int_equal(symlink("nowhere", folder_file(&fixture->folder, "dangling")), 0);
    const char *const places[] = {fixture->folder.path,
                                  folder_file(&fixture->folder, "none/a.ufl"),
                                  folder_file(&fixture->folder, "pipe"),
                                  "/dev/null",
                                  "",
                                  longest,
                                  folder_file(&fixture->folder, "dangling")};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const uf_charge what = charge_of("x", "a", 1, 3);
        assert_refused(UF_EIO, uf_ledger_charge(places[i], &what, NULL, 0, &fixture->why), &fixture->why);
        assert_refused(UF_EIO, uf_ledger_read(places[i], list, &(struct listed){0}, &fixture->why), &fixture->why);
    }
    assert_int_equal(folder_entries(&fixture->folder), 2);
}

/* A link stays a link, so that both names stay one ledger; a second hard link would become a second ledger. */
static void test_links(void **state)
{
    struct fixture *fixture = *state;
    struct stat about;
    char link_path[1024];
    (void)snprintf(link_path, sizeof link_path, "%s/link", fixture->folder.path);
    assert_charged(fixture, "patients", "a", 1, 3);
    assert_int_equal(symlink("a.ufl", link_path), 0);
    const uf_charge what = charge_of("patients", "b", 1, 0);
    assert_status(UF_OK, uf_ledger_charge(link_path, &what, NULL, 0, &fixture->why), &fixture->why);
    assert_true(!lstat(link_path, &about) && S_ISLNK(about.st_mode));
    assert_int_equal(list_of(fixture).count, 2);
    assert_int_equal(link(fixture->path, folder_file(&fixture->folder, "hard")), 0);
    assert_not_charged(UF_EIO, fixture, "patients", "c", 1, 0);
    assert_int_equal(list_of(fixture).count, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_are_rounded_up),
        FIXTURE(test_the_last_digit_counts),
        FIXTURE(test_what_is_written),
        FIXTURE(test_states_and_entries),
        FIXTURE(test_overspending_is_refused),
        FIXTURE(test_the_same_release_is_charged_once),
        FIXTURE(test_budgets_are_decided_once),
        FIXTURE(test_no_epsilon_no_charge),
        FIXTURE(test_names),
        FIXTURE(test_reading_can_be_stopped),
        FIXTURE(test_every_cut_and_every_bit),
        FIXTURE(test_every_line),
        FIXTURE(test_lines_that_make_no_sense),
        FIXTURE(test_lines_that_make_sense),
        FIXTURE(test_a_ledger_of_the_first_version),
        FIXTURE(test_a_label_names_one_release),
        FIXTURE(test_deltas_add_up),
        FIXTURE(test_dates),
        FIXTURE(test_names_of_files),
        cmocka_unit_test(test_many_data_sets),
        FIXTURE(test_what_is_too_large),
        FIXTURE(test_places),
        FIXTURE(test_links),
    };
    return cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
}
