/* SPDX-License-Identifier: MIT */
/*
 * A long life: filters of every kind are built, asked, changed, saved, loaded, copied, merged and freed, in random
 * order, and an exact model knows what each holds. No member is ever missed by a kind that promises that; others are
 * accepted no more often than the claim says; and the process does not grow.
 *
 * usage: torture_soak SECONDS          SEED=N makes a run again
 */
#include <math.h>
#include <unistd.h>

#include "bytes.h"
#include "check.h"
#include "figure.h"
#include "keys.h"
#include "random.h"
#include "secrets.h"
#include "subjects.h"

#ifdef __SANITIZE_ADDRESS__
#define SANITIZED 1 /* it keeps what was freed: memory is not ours to judge */
#else
#define SANITIZED 0
#endif

enum { SLOTS = 24, MOST_KEYS = 600, PROBES = 64, MOST_COPIES = 3, LETTERS = 24 };

static const char *const specs[] = {
    "bloom:n=600,fpr=0.01",
    "bloom:n=100,fpr=0.01,full=scale",
    "bloom:n=600,fpr=0.01,full=refuse",
    "blocked:n=600,fpr=0.01",
    "blocked:n=100,fpr=0.01,full=scale",
    "blocked:n=600,fpr=0.01,parts=3",
    "blocked:n=600,fpr=0.01,window=3",
    "counting:n=600,fpr=0.01",
    "deletable:n=600,fpr=0.01",
    "tombstone:n=600,fpr=0.01",
    "ribbon:fpr=0.01",
    "ribbon:fpr=0.01,band=128",
    "dcso:n=600,fpr=0.01",
    "keyed(bloom:n=600,fpr=0.01)",
    "keyed(blocked:n=600,fpr=0.01,prf=aes)",
    "keyed(counting:n=600,fpr=0.01)",
    "keyed(ribbon:fpr=0.01)",
    "learned:fpr=0.05",
    "sandwich:fpr=0.05",
    "partition:fpr=0.05",
    "downtown:fpr=0.05",
    "robust:fpr=0.05",
};

enum { SPECS = sizeof specs / sizeof specs[0] };

/* Keys are "t-NUMBER" of a slot: what it holds of each number. */
struct slot {
    uf_filter *filter; /* NULL: free */
    unsigned spec, tag, keys;
    uint8_t copies[MOST_KEYS]; /* how often it was inserted and not removed */
    uint8_t unsure[MOST_KEYS]; /* it may be in or not: it was removed where that is not exact, or refused */
    unsigned traits;
};

static struct slot slots[SLOTS];
static uint64_t seed, operations, asked, accepted, misses, wrong;
static double expected; /* false positives that the claims allow for */
static unsigned tags;
static uint64_t built[SPECS];

static uf_key key_of(const struct slot *slot, unsigned number, char text[LETTERS])
{
    int size = snprintf(text, LETTERS, "%u-%u", slot->tag, number);
    return (uf_key){text, (size_t)size};
}

static unsigned below(unsigned bound)
{
    return (unsigned)random_below(&seed, bound);
}

static void bad(const struct slot *slot, const char *what, int status)
{
    wrong++;
    complain("operation %llu on %s: %s (%d)", (unsigned long long)operations, specs[slot->spec], what, status);
}

static uf_context context(const struct slot *slot)
{
    uf_context ctx = subject_context();
    ctx.secret = subject_secret(specs[slot->spec]);
    ctx.threads = 1 + below(2);
    return ctx;
}

/* ---- operations ---- */

static void drop(struct slot *slot)
{
    uf_free(slot->filter);
    slot->filter = NULL;
}

static void make(struct slot *slot, unsigned spec)
{
    static char text[MOST_KEYS][LETTERS];
    static uf_key keys[MOST_KEYS];
    uf_error why;
    *slot = (struct slot){.spec = spec, .tag = tags++};
    const uf_spec want = spec_of(specs[spec]);
    slot->traits = uf_kind_traits(uf_spec_kind(&want));
    slot->keys = slot->traits & UF_TRAIT_LEARNED ? MOST_KEYS : below(MOST_KEYS / 2);
    for (unsigned i = 0; i < slot->keys; i++) {
        keys[i] = key_of(slot, i, text[i]);
        slot->copies[i] = 1;
    }
    const uf_context ctx = context(slot);
    const int status = uf_build(&want, keys, slot->keys, &ctx, &slot->filter, &why);
    built[spec]++;
    if (status != UF_OK)
        bad(slot, why.text, status);
}

/* Every number that is in for certain is found; fresh ones are found as often as the claim says. */
static void ask(struct slot *slot)
{
    char text[LETTERS];
    for (unsigned i = 0; i < PROBES; i++) {
        const unsigned number = below(MOST_KEYS);
        if (slot->copies[number] && !slot->unsure[number]) {
            if (!uf_query(slot->filter, key_of(slot, number, text)) && ++misses)
                bad(slot, "a member is missed", (int)number);
        } else {
            const unsigned long long fresh = next_random(&seed);
            int size = snprintf(text, sizeof text, "x%llx", fresh);
            accepted += (uint64_t)uf_query(slot->filter, (uf_key){text, (size_t)size});
            asked++;
        }
    }
    uf_claim claim;
    if (uf_get_claim(slot->filter, &claim, sizeof claim) == UF_OK)
        expected += PROBES * (claim.fpr < 1 ? claim.fpr : 1);
}

static void insert(struct slot *slot)
{
    char text[LETTERS];
    uf_error why;
    for (unsigned i = 0; i < 8; i++) {
        const unsigned number = below(MOST_KEYS);
        if (slot->copies[number] >= MOST_COPIES)
            continue;
        const int status = uf_insert(slot->filter, key_of(slot, number, text), &why);
        if (status == UF_OK)
            slot->copies[number]++;
        else if (status == UF_ESTUCK || status == UF_EFULL)
            slot->unsure[number] = 1;
        else
            bad(slot, why.text, status);
    }
}

/* Only what is in for certain: other removals may hide members, as the claim says. */
static void take_out(struct slot *slot)
{
    char text[LETTERS];
    uf_error why;
    for (unsigned i = 0; i < 8; i++) {
        const unsigned number = below(MOST_KEYS);
        if (!slot->copies[number] || slot->unsure[number])
            continue;
        const int status = uf_remove(slot->filter, key_of(slot, number, text), &why);
        if (status == UF_OK)
            slot->copies[number]--;
        else if (status == UF_EABSENT && ++misses)
            bad(slot, "a member is said to be absent", status);
        else if (status == UF_ESTUCK || status == UF_EFULL)
            slot->unsure[number] = 1;
        else
            bad(slot, why.text, status);
        /* A tombstone hides members, at a rate that it claims: which ones is not known. */
        if (strstr(specs[slot->spec], "tombstone"))
            memset(slot->unsure, 1, sizeof slot->unsure);
    }
}

static int same(const uf_filter *a, const uf_filter *b)
{
    struct bytes one = bytes_of(a, UF_FORMAT_UF), two = bytes_of(b, UF_FORMAT_UF);
    const int equal = bytes_equal(&one, &two);
    bytes_free(&one);
    bytes_free(&two);
    return equal;
}

/* The other one takes the place of the filter, if it is its equal. */
static void take_over(struct slot *slot, uf_filter *other, int status, const uf_error *why)
{
    if (status != UF_OK)
        bad(slot, why->text, status);
    else if (!same(slot->filter, other))
        bad(slot, "comes back as another filter", status);
    else {
        uf_free(slot->filter);
        slot->filter = other;
        return;
    }
    uf_free(other);
}

static void write_and_read(struct slot *slot)
{
    const unsigned how = below(2) ? UF_FORMAT_UF : UF_FORMAT_COMPACT;
    struct bytes bytes = bytes_of(slot->filter, how);
    const uf_context ctx = context(slot);
    uf_filter *again = NULL;
    uf_error why;
    const int status = uf_load_bytes(bytes.data, bytes.size, UF_FORMAT_UF, &ctx, &again, &why);
    take_over(slot, again, status, &why);
    bytes_free(&bytes);
}

static void feed(struct slot *slot)
{
    struct bytes bytes = bytes_of(slot->filter, UF_FORMAT_UF);
    const uf_context ctx = context(slot);
    uf_loader *loader = NULL;
    uf_filter *again = NULL;
    uf_error why;
    int status = uf_loader_new(&ctx, UF_FORMAT_UF, &loader, &why);
    for (size_t at = 0, piece; status == UF_OK && at < bytes.size; at += piece) {
        piece = 1 + below(5000);
        piece = piece < bytes.size - at ? piece : bytes.size - at;
        status = uf_loader_feed(loader, bytes.data + at, piece, &why);
    }
    if (status == UF_OK)
        status = uf_loader_finish(loader, &again, &why);
    uf_loader_free(loader);
    take_over(slot, again, status, &why);
    bytes_free(&bytes);
}

static void copy(struct slot *slot)
{
    const uf_context ctx = context(slot);
    uf_filter *again = NULL;
    uf_error why;
    const int status = uf_copy(slot->filter, &ctx, &again, &why);
    take_over(slot, again, status, &why);
}

/* With a twin of other numbers. */
static void merge(struct slot *slot)
{
    char text[LETTERS];
    const uf_context ctx = context(slot);
    const unsigned number = below(MOST_KEYS);
    const uf_key key = key_of(slot, number, text);
    uf_spec plan;
    uf_filter *twin = NULL;
    uf_error why;
    if (slot->copies[number])
        return;
    uf_get_plan(slot->filter, &plan);
    int status = uf_build(&plan, &key, 1, &ctx, &twin, &why);
    if (status == UF_OK)
        status = uf_merge(slot->filter, twin, &why);
    if (status == UF_OK)
        slot->copies[number]++;
    else if (status != UF_EFULL && status != UF_EUNSUPPORTED)
        bad(slot, why.text, status);
    uf_free(twin);
}

static void split_and_join(struct slot *slot)
{
    const uf_context ctx = context(slot);
    uf_filter *part[3] = {NULL, NULL, NULL}, *again = NULL;
    uf_error why;
    int status = UF_OK;
    for (unsigned i = 0; i < 3 && status == UF_OK; i++)
        status = uf_split(slot->filter, 3, i, &ctx, &part[i], &why);
    if (status == UF_OK)
        status = uf_join((const uf_filter *const *)part, 3, &ctx, &again, &why);
    for (unsigned i = 0; i < 3; i++)
        uf_free(part[i]);
    if (status == UF_EUNSUPPORTED || status == UF_EMISMATCH)
        return;
    take_over(slot, again, status, &why);
}

/* Keys of the oldest generation are gone, which may be any. */
static void rotate(struct slot *slot)
{
    uf_error why;
    const int status = uf_rotate(slot->filter, &why);
    if (status == UF_OK)
        memset(slot->unsure, 1, sizeof slot->unsure);
    else if (status != UF_EUNSUPPORTED)
        bad(slot, why.text, status);
}

/* Bytes that were damaged are refused, again and again, and nothing stays behind. */
static void damage(struct slot *slot)
{
    struct bytes bytes = bytes_of(slot->filter, UF_FORMAT_UF);
    const uf_context ctx = context(slot);
    uf_filter *again = NULL;
    bytes.data[below((unsigned)bytes.size)] ^= (unsigned char)(1u << below(8));
    if (uf_load_bytes(bytes.data, bytes.size, UF_FORMAT_UF, &ctx, &again, NULL) == UF_OK)
        bad(slot, "a flipped bit is not noticed", 0);
    uf_free(again);
    bytes_free(&bytes);
}

static void operate(void)
{
    struct slot *slot = &slots[below(SLOTS)];
    const unsigned choice = below(16);
    operations++;
    if (!slot->filter || choice == 0) {
        drop(slot);
        unsigned spec = below(SPECS);
        if (spec >= 17 && below(8)) /* those that learn take long */
            spec = below(17);
        make(slot, spec);
        return;
    }
    if (choice < 6)
        ask(slot);
    else if (choice < 9 && slot->traits & UF_TRAIT_INSERTS)
        insert(slot);
    else if (choice == 9 && slot->traits & UF_TRAIT_REMOVES)
        take_out(slot);
    else if (choice == 10)
        write_and_read(slot);
    else if (choice == 11)
        feed(slot);
    else if (choice == 12)
        copy(slot);
    else if (choice == 13 && slot->traits & UF_TRAIT_MERGES)
        merge(slot);
    else if (choice == 14)
        below(2) ? split_and_join(slot) : rotate(slot);
    else
        damage(slot);
}

/* ---- memory ---- */

static double resident(void)
{
    long pages = 0, rest;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &rest, &pages) != 2)
        pages = 0;
    if (file)
        (void)fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

int main(int argc, char **argv)
{
    const double seconds = argc > 1 ? strtod(argv[1], NULL) : 1;
    const int full = seconds >= 60;
    seed = figure_seed(full);
    const uint64_t first = seed;
    const double start = figure_clock();
    double settled = 0, most = 0, sampled = start;
    while (figure_clock() - start < seconds) {
        for (unsigned i = 0; i < 50; i++)
            operate();
        const double now = figure_clock();
        if (now - sampled < seconds / 200)
            continue;
        sampled = now;
        if (now - start < seconds / 4) /* while the slots fill, and the allocator finds its size */
            settled = fmax(settled, resident());
        else
            most = fmax(most, resident());
    }
    for (size_t i = 0; i < SLOTS; i++)
        drop(&slots[i]);
    /* A sum of coins: five standard deviations above what is claimed. */
    const double allowed = expected + 5 * sqrt(expected) + 1;
    if ((double)accepted > allowed && ++wrong)
        complain("%llu others were accepted, and %.0f are claimed at most", (unsigned long long)accepted, allowed);
    if (!SANITIZED && settled > 0 && most > settled * 1.1 + 8 && ++wrong)
        complain("it grew from %.1f to %.1f MiB", settled, most);
    figure("soak: seconds of mixed operations", (uint64_t)(figure_clock() - start + 0.5), 3600, wrong,
           "%llu operations; %llu members missed; %llu of %llu others accepted, %.0f claimed; %.1f MiB in the first "
           "quarter, %.1f after; SEED=0x%llx",
           (unsigned long long)operations, (unsigned long long)misses, (unsigned long long)accepted,
           (unsigned long long)asked, expected, settled, most, (unsigned long long)first);
    return figure_status();
}
