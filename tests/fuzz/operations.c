/* SPDX-License-Identifier: MIT */
/*
 * A program of inserts, queries, removals, merges, saves and loads over two twins, held against exact sets. The input:
 * u8 which filter · operations, a byte each, those on a key with another byte.
 *
 * There are 16 keys, and seeds and sizes are such that none of them is ever a false positive: rates of 1e-9, or blocks
 * with little in them. So a filter has to answer exactly as a set does, whatever is done to it.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 16, MOST_STEPS = 48, MOST_FILE = 1 << 16, FULL_COUNTER = 15, WINDOW = 3 };

enum shape { SHAPE_SET, SHAPE_COUNTS, SHAPE_MARKS, SHAPE_TOMBS, SHAPE_WINDOW };

static const struct subject {
    const char *spec;
    enum shape shape;
    unsigned capacity; /* 0: it refuses nothing */
} subjects[] = {
    {"bloom:n=16,fpr=1e-9,seed=0x11", SHAPE_SET, 0},
    {"blocked:n=16,bits_per_key=200,k=16,seed=0x12", SHAPE_SET, 0},
    {"counting:n=16,fpr=1e-9,seed=0x13", SHAPE_COUNTS, 0},
    {"deletable:n=16,fpr=1e-9,seed=0x14", SHAPE_MARKS, 0},
    {"tombstone:n=16,fpr=1e-9,removed=16,fnr=1e-9,seed=0x15", SHAPE_TOMBS, 0},
    {"keyed(bloom:n=16,fpr=1e-9,seed=0x16)", SHAPE_SET, 16},
    {"keyed(blocked:n=16,bits_per_key=200,k=16,prf=aes,full=warn,seed=0x17)", SHAPE_SET, 0},
    {"bloom:n=3,fpr=1e-9,full=scale,seed=0x18", SHAPE_SET, 0},
    {"blocked:n=16,bits_per_key=200,k=16,window=3,seed=0x19", SHAPE_WINDOW, 0},
    {"bloom:n=12,fpr=1e-9,full=refuse,seed=0x1a", SHAPE_SET, 12},
    {"counting:n=16,fpr=1e-9,full=refuse,seed=0x1b", SHAPE_COUNTS, 16},
};

enum { SUBJECTS = sizeof subjects / sizeof subjects[0] };

/* What a filter should have. */
struct set {
    unsigned char count[KEYS];   /* how often it was inserted; of a window, 1 and more: the generations it has left */
    unsigned char removed[KEYS]; /* of tombstones: for good */
    unsigned char open[KEYS];    /* a counter was full: no answer is wrong */
    unsigned char left[KEYS]; /* of marks: it was removed, but for bits that it shares; with those of others it may be
                                 a yes again, and must not be removed then */
    unsigned counted;         /* at most, towards a capacity: a union counts twice what both have */
};

struct twin {
    uf_filter *filter; /* owned */
    struct set set;
};

struct run {
    const struct subject *subject;
    uf_context ctx;
    struct twin twin[2];
    unsigned merges;
};

static uf_key key_of(unsigned index)
{
    static char names[KEYS][8];
    if (!names[index][0])
        (void)snprintf(names[index], sizeof names[index], "key-%u", index);
    return (uf_key){names[index], strlen(names[index])};
}

static int has(const struct set *set, unsigned key)
{
    return set->count[key] && !set->removed[key];
}

static int may_answer(const struct set *set, unsigned key, int answer)
{
    return set->open[key] || answer == has(set, key) || (set->left[key] && answer);
}

static void check_key(const struct twin *twin, unsigned key)
{
    fuzz_check(may_answer(&twin->set, key, uf_query(twin->filter, key_of(key))));
}

static void check_all(const struct twin *twin)
{
    uf_key keys[KEYS];
    uint8_t answers[KEYS];
    for (unsigned i = 0; i < KEYS; i++)
        keys[i] = key_of(i);
    uf_query_many(twin->filter, keys, KEYS, answers);
    for (unsigned i = 0; i < KEYS; i++)
        fuzz_check(may_answer(&twin->set, i, answers[i]));
}

/* ---- changes ---- */

static void count_up(const struct run *run, struct set *set, unsigned key, unsigned more)
{
    const unsigned count = set->count[key] + more;
    if (run->subject->shape == SHAPE_COUNTS && count >= FULL_COUNTER)
        set->open[key] = 1;
    set->count[key] = (unsigned char)(run->subject->shape == SHAPE_WINDOW ? WINDOW : count < 200 ? count : 200);
}

static void insert(const struct run *run, struct twin *twin, unsigned key, int telling)
{
    const int before = has(&twin->set, key);
    int status = telling ? uf_add(twin->filter, key_of(key), NULL) : uf_insert(twin->filter, key_of(key), NULL);
    if (twin->set.removed[key]) {
        fuzz_check(status == UF_ESTUCK);
    } else if (status == UF_EFULL) {
        fuzz_check(run->subject->capacity && !before && twin->set.counted >= run->subject->capacity);
    } else {
        twin->set.counted += !before;
        fuzz_check(status >= 0 && (!telling || twin->set.open[key] || twin->set.left[key] || status == !before));
        count_up(run, &twin->set, key, 1);
    }
    check_key(twin, key);
}

static void take_out(const struct run *run, struct twin *twin, unsigned key)
{
    struct set *set = &twin->set;
    const enum shape shape = run->subject->shape;
    if (set->left[key] && !has(set, key))
        return;
    int status = uf_remove(twin->filter, key_of(key), NULL);
    if (set->open[key])
        return;
    if (shape == SHAPE_SET || shape == SHAPE_WINDOW) {
        fuzz_check(status == UF_EUNSUPPORTED);
    } else if (!has(set, key)) {
        fuzz_check(status == UF_EABSENT);
    } else if (shape == SHAPE_TOMBS) {
        fuzz_check(status == UF_OK);
        set->removed[key] = 1;
    } else if (shape == SHAPE_MARKS) {
        fuzz_check(status == UF_ESTUCK || (status == UF_OK && set->count[key] == 1));
        fuzz_check(status != UF_OK || !uf_query(twin->filter, key_of(key)));
        set->count[key] = status == UF_OK ? 0 : set->count[key];
        set->left[key] |= status == UF_OK;
    } else {
        fuzz_check(status == UF_OK);
        set->count[key]--;
        set->counted -= !set->count[key];
    }
    check_key(twin, key);
}

static void merge(struct run *run)
{
    struct twin *into = &run->twin[0];
    const struct twin *from = &run->twin[1];
    int status = uf_merge(into->filter, from->filter, NULL);
    if (status == UF_EUNSUPPORTED || status == UF_EFULL || status == UF_EMISMATCH)
        return;
    fuzz_check(status == UF_OK);
    into->set.counted += from->set.counted;
    for (unsigned i = 0; i < KEYS; i++) {
        into->set.removed[i] |= from->set.removed[i];
        into->set.open[i] |= from->set.open[i];
        into->set.left[i] |= from->set.left[i];
        count_up(run, &into->set, i, from->set.count[i]);
    }
    run->merges++;
}

static void rotate(const struct run *run, struct twin *twin)
{
    int status = uf_rotate(twin->filter, NULL);
    fuzz_check(status == (run->subject->shape == SHAPE_WINDOW ? UF_OK : UF_EUNSUPPORTED));
    for (unsigned i = 0; status == UF_OK && i < KEYS; i++)
        twin->set.count[i] = (unsigned char)(twin->set.count[i] - (twin->set.count[i] != 0));
}

/* ---- other filters in their place ---- */

struct out {
    unsigned char data[MOST_FILE];
    size_t size;
};

static int collect(void *arg, const void *data, size_t bytes)
{
    struct out *out = arg;
    fuzz_check(bytes <= sizeof out->data - out->size);
    if (bytes)
        memcpy(out->data + out->size, data, bytes);
    out->size += bytes;
    return 0;
}

static void save_and_load(const struct run *run, struct twin *twin, unsigned how)
{
    static struct out out;
    uf_filter *again = NULL;
    out.size = 0;
    fuzz_check(uf_write(twin->filter, how, collect, &out, NULL) == UF_OK);
    fuzz_check(uf_load_bytes(out.data, out.size, UF_FORMAT_UF, &run->ctx, &again, NULL) == UF_OK);
    uf_free(twin->filter);
    twin->filter = again;
}

static void copy(struct run *run)
{
    uf_filter *made = NULL;
    fuzz_check(uf_copy(run->twin[0].filter, &run->ctx, &made, NULL) == UF_OK);
    uf_free(run->twin[1].filter);
    run->twin[1] = (struct twin){made, run->twin[0].set};
}

static void swap(struct run *run)
{
    const struct twin held = run->twin[0];
    run->twin[0] = run->twin[1];
    run->twin[1] = held;
}

/* ---- the program ---- */

/* An empty filter of each, made once: planning takes longer than a program. */
static const uf_filter *empty(const struct run *run)
{
    static uf_filter *made[SUBJECTS];
    uf_filter **one = &made[run->subject - subjects];
    uf_spec spec;
    if (!*one) {
        fuzz_check(uf_spec_parse(run->subject->spec, &spec, NULL) == UF_OK);
        fuzz_check(uf_build(&spec, NULL, 0, &run->ctx, one, NULL) == UF_OK);
    }
    return *one;
}

static void step(struct run *run, unsigned operation, struct tape *tape)
{
    struct twin *twin = &run->twin[0];
    switch (operation % 9) {
    case 0:
        insert(run, twin, tape_byte(tape) % KEYS, 0);
        return;
    case 1:
        insert(run, twin, tape_byte(tape) % KEYS, 1);
        return;
    case 2:
        take_out(run, twin, tape_byte(tape) % KEYS);
        return;
    case 3:
        save_and_load(run, twin, operation & 64 ? UF_FORMAT_UF : UF_FORMAT_COMPACT);
        return;
    case 4:
        merge(run);
        return;
    case 5:
        copy(run);
        return;
    case 6:
        swap(run);
        return;
    case 7:
        rotate(run, twin);
        return;
    default:
        check_key(twin, tape_byte(tape) % KEYS);
    }
}

int fuzz_operations(const uint8_t *data, size_t size)
{
    struct tape tape = {data, size};
    struct run run = {.subject = &subjects[tape_byte(&tape) % SUBJECTS], .ctx = UF_CONTEXT_INIT};
    run.ctx.secret = fuzz_secret();
    for (unsigned i = 0; i < 2; i++)
        fuzz_check(uf_copy(empty(&run), &run.ctx, &run.twin[i].filter, NULL) == UF_OK);
    for (unsigned steps = 0; tape.left && steps < MOST_STEPS; steps++)
        step(&run, tape_byte(&tape), &tape);
    check_all(&run.twin[0]);
    check_all(&run.twin[1]);
    fuzz_plant(run.subject->shape == SHAPE_TOMBS && run.merges > 1, run.twin[0].set.counted == 2);
    uf_free(run.twin[0].filter);
    uf_free(run.twin[1].filter);
    return 0;
}
