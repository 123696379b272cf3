/* SPDX-License-Identifier: MIT */
/*
 * What every kind must do with threads, through the public header only: the same bytes whatever their number, and with
 * UF_KNOB_SHARED inserts and queries at once, where a key that was added is found. Also run under ThreadSanitizer.
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>

#include "bytes.h"
#include "check.h"
#include "counting.h"
#include "folder.h"
#include "keys.h"
#include "random.h"
#include "subjects.h"

enum { THREADS = 8 };

/* uf_build hands out slices of 65536 keys, so fewer would all be added by one thread; these go to two. */
static size_t many_keys(void)
{
    return test_small() ? 30000 : test_full() ? 300000 : 70000;
}

/* Enough where the test itself starts the threads. */
static size_t some_keys(void)
{
    return test_small() ? 8000 : test_full() ? 300000 : 50000;
}

/* ---- building ---- */

static void check_thread_counts(const struct subject *subject)
{
    static const unsigned threads[] = {2, 3, 8};
    struct keys keys = keys_make("key", many_keys());
    uf_filter *one = build(subject->spec, keys.key, keys.count, NULL);
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        uf_context ctx = context_of(subject);
        ctx.threads = threads[i];
        uf_filter *many = build(subject->spec, keys.key, keys.count, &ctx);
        assert_same_bytes(one, many, "one thread and many");
        uf_free(many);
    }
    uf_free(one);
    keys_free(&keys);
}

/* Threads that call the add functions of one builder at the same time, each with every THREADS-th batch. */
struct adder {
    uf_builder *builder;
    const struct keys *keys;
    unsigned number;
    int status;
};

static void *add_batches(void *arg)
{
    enum { BATCH = 501 };
    struct adder *adder = arg;
    for (size_t at = adder->number * BATCH; at < adder->keys->count && adder->status == UF_OK; at += THREADS * BATCH) {
        size_t left = adder->keys->count - at;
        adder->status = uf_builder_add(adder->builder, adder->keys->key + at, left < BATCH ? left : BATCH, NULL);
    }
    return NULL;
}

static void run_adders(uf_builder *builder, const struct keys *keys, int *status)
{
    pthread_t thread[THREADS];
    struct adder adder[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        adder[i] = (struct adder){builder, keys, i, UF_OK};
        assert_int_equal(pthread_create(&thread[i], NULL, add_batches, &adder[i]), 0);
    }
    *status = UF_OK;
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        *status = adder[i].status != UF_OK ? adder[i].status : *status;
    }
}

/* The label is for private kinds. */
static uf_filter *build_together(const char *text, const struct keys *keys, const uf_secret *secret)
{
    uf_spec spec = spec_of(text);
    uf_context ctx = subject_context();
    uf_builder *builder;
    uf_filter *filter;
    uf_error why;
    int status;
    ctx.threads = THREADS;
    ctx.secret = secret;
    ctx.label = secret ? "spring" : NULL;
    assert_status(UF_OK, uf_builder_new(&spec, &ctx, &builder, &why), &why);
    run_adders(builder, keys, &status);
    assert_status(UF_OK, status, NULL);
    assert_status(UF_OK, uf_builder_finish(builder, &filter, &why), &why);
    uf_builder_free(builder);
    return filter;
}

static void check_one_builder_many_threads(const struct subject *subject)
{
    struct keys keys = keys_make("key", some_keys());
    uf_filter *alone = build(subject->spec, keys.key, keys.count, NULL);
    uf_filter *known = build_together(with(subject, "n=%zu", keys.count), &keys, subject->secret);
    uf_filter *counted = build_together(subject->spec, &keys, subject->secret);
    uf_mark_counted(known); /* the one difference, where it is kept */
    assert_same_set(subject, alone, known, "one builder, many threads, n given");
    assert_same_set(subject, alone, counted, "one builder, many threads, n counted");
    assert_int_equal(keys_found(known, &keys), keys.count);
    assert_int_equal(keys_found(counted, &keys), keys.count);
    uf_free(alone);
    uf_free(known);
    uf_free(counted);
    keys_free(&keys);
}

/* Memory runs out while all are adding: everyone learns of it, and nothing is left behind. */
static void check_failure_among_threads(const struct subject *subject)
{
    struct keys keys = keys_make("key", 8000);
    for (size_t k = 1; k <= 16; k++) {
        struct counting counting = {.fail_at = k};
        uf_context ctx = counting_context(&counting);
        ctx.secret = subject->secret;
        ctx.learning = subject_learning();
        uf_spec spec = spec_of(k % 2 ? subject->spec : with(subject, "n=8000"));
        uf_builder *builder = NULL;
        uf_filter *filter = NULL;
        int added = UF_OK;
        ctx.threads = THREADS;
        int status = uf_builder_new(&spec, &ctx, &builder, NULL);
        if (status == UF_OK) {
            run_adders(builder, &keys, &added);
            status = uf_builder_finish(builder, &filter, NULL);
            assert_true(added == UF_OK || status == added);
        }
        uf_builder_free(builder);
        assert_true(status == UF_OK ? filter && keys_found(filter, &keys) == keys.count
                                    : status == UF_ENOMEM && !filter);
        uf_free(filter);
        assert_true(counting_is_clean(&counting));
    }
    keys_free(&keys);
}

/* ---- loading ---- */

static void check_load_with_threads(const struct subject *subject)
{
    struct folder folder = folder_make();
    const char *path = folder_file(&folder, "a.uf");
    struct keys keys = keys_make("key", some_keys());
    uf_filter *made = build(with(subject, "n=2000000"), keys.key, keys.count, NULL), *back = NULL;
    uf_context ctx = context_of(subject);
    uf_error why;
    ctx.threads = THREADS;
    assert_status(UF_OK, uf_save(made, path, UF_FORMAT_UF, &why), &why);
    assert_status(UF_OK, uf_load(path, UF_FORMAT_UF, &ctx, &back, &why), &why);
    assert_same_bytes(made, back, "loaded by many threads");
    uf_free(back);
    struct bytes bytes = bytes_of(made, UF_FORMAT_UF);
    for (size_t at = 4096; at < bytes.size; at += bytes.size / 16 + 1) {
        back = NULL;
        bytes.data[at] ^= 1;
        bytes.data[bytes.size - 20] ^= 1; /* and a second place, so that several threads may fail */
        assert_refused(UF_EFORMAT, uf_load_bytes(bytes.data, bytes.size, UF_FORMAT_UF, &ctx, &back, &why), &why);
        assert_null(back);
        bytes.data[at] ^= 1;
        bytes.data[bytes.size - 20] ^= 1;
    }
    bytes_free(&bytes);
    uf_free(made);
    keys_free(&keys);
    folder_remove(&folder);
}

/* ---- queries by many, while others insert ---- */

struct reader {
    const uf_filter *filter;
    const struct keys *keys, *probes;
    size_t found, positives;
};

static void *query_all(void *arg)
{
    struct reader *reader = arg;
    reader->found = keys_found(reader->filter, reader->keys);
    for (size_t i = 0; i < reader->probes->count; i++)
        reader->positives += (size_t)uf_query(reader->filter, reader->probes->key[i]);
    return NULL;
}

static void check_many_readers(const struct subject *subject)
{
    struct keys keys = keys_make("key", 20000), probes = keys_make("probe", 5000);
    uf_filter *filter = build(subject->spec, keys.key, keys.count, NULL);
    size_t expected = keys_found(filter, &probes);
    pthread_t thread[THREADS];
    struct reader reader[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        reader[i] = (struct reader){filter, &keys, &probes, 0, 0};
        assert_int_equal(pthread_create(&thread[i], NULL, query_all, &reader[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(reader[i].found, keys.count);
        assert_int_equal(reader[i].positives, expected);
    }
    uf_free(filter);
    keys_free(&keys);
    keys_free(&probes);
}

/* Each thread inserts its own keys, tells the others how far it is, and looks for what the others have told. */
struct sharer {
    uf_filter *filter;
    const struct keys *keys;
    size_t *told; /* of all threads: so many of its keys are in */
    unsigned number;
    size_t missing;
};

static void insert_some(const struct sharer *sharer, size_t at, size_t count, int packed)
{
    const uf_key *key = sharer->keys->key + at;
    if (count == 1)
        (void)uf_insert(sharer->filter, key[0], NULL);
    else if (!packed)
        (void)uf_insert_many(sharer->filter, key, count, NULL);
    else
        for (size_t i = 0; i < count; i++)
            (void)uf_insert_fixed(sharer->filter, key[i].data, key[i].size, 1, NULL);
}

static void *share(void *arg)
{
    struct sharer *sharer = arg;
    size_t each = sharer->keys->count / THREADS, first = sharer->number * each;
    uint64_t seed = sharer->number;
    for (size_t done = 0; done < each;) {
        size_t step = 1 + (size_t)random_below(&seed, 40);
        step = step < each - done ? step : each - done;
        insert_some(sharer, first + done, step, (int)(step % 2));
        done += step;
        __atomic_store_n(&sharer->told[sharer->number], done, __ATOMIC_RELEASE);
        size_t other = (size_t)random_below(&seed, THREADS);
        size_t known = __atomic_load_n(&sharer->told[other], __ATOMIC_ACQUIRE);
        for (size_t i = 0; known && i < 8; i++)
            sharer->missing += !uf_query(
                sharer->filter, sharer->keys->key[other * each + (i < 4 ? known - 1 : random_below(&seed, known))]);
        uint8_t answers[40];
        uf_query_many(sharer->filter, sharer->keys->key + first + done - step, step, answers);
        for (size_t i = 0; i < step; i++)
            sharer->missing += !answers[i];
    }
    return NULL;
}

static void insert_and_query_at_once(const struct subject *subject, int cpu)
{
    struct keys keys = keys_make("key", some_keys() / THREADS * THREADS);
    uf_context ctx = context_of(subject);
    ctx.cpu = cpu;
    uf_filter *filter = build(with(subject, "n=%zu", keys.count), NULL, 0, &ctx);
    uf_info info;
    uf_get_info(filter, &info, sizeof info);
    /* A plain filter that was built instead of a learned one has room for the keys it was built from: none. */
    int status = info.capacity < keys.count ? UF_EUNSUPPORTED : uf_tune(filter, UF_KNOB_SHARED, 1);
    pthread_t thread[THREADS];
    struct sharer sharer[THREADS];
    size_t told[THREADS] = {0};
    for (unsigned i = 0; status == UF_OK && i < THREADS; i++) {
        sharer[i] = (struct sharer){filter, &keys, told, i, 0};
        assert_int_equal(pthread_create(&thread[i], NULL, share, &sharer[i]), 0);
    }
    for (unsigned i = 0; status == UF_OK && i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(sharer[i].missing, 0);
    }
    if (status == UF_OK) {
        uf_filter *alone = build(with(subject, "n=%zu", keys.count), keys.key, keys.count, NULL);
        assert_same_keys(filter, alone, "inserted by many threads, and by one");
        assert_int_equal(keys_found(filter, &keys), keys.count);
        uf_free(alone);
    } else {
        assert_status(UF_EUNSUPPORTED, status, NULL);
    }
    uf_free(filter);
    keys_free(&keys);
}

/* ---- test-and-add ---- */

/* All threads add the same keys at the same time, each in batches of its own, and note which were new to them. */
struct rival {
    uf_filter *filter;
    const struct keys *keys;
    unsigned number;
    int8_t *verdict; /* of every key */
    int wrong;       /* a verdict that is neither 0 nor 1, or a status */
};

static void *add_all(void *arg)
{
    struct rival *rival = arg;
    uint64_t seed = rival->number;
    uf_error why;
    for (size_t done = 0; done < rival->keys->count;) {
        size_t left = rival->keys->count - done, step = 1 + (size_t)random_below(&seed, 40);
        step = step < left ? step : left;
        if (step == 1)
            rival->verdict[done] = (int8_t)uf_add(rival->filter, rival->keys->key[done], &why);
        else
            rival->wrong |= uf_add_many(rival->filter, rival->keys->key + done, step, rival->verdict + done, &why);
        for (size_t i = done; i < done + step; i++)
            rival->wrong |= rival->verdict[i] != 0 && rival->verdict[i] != 1;
        done += step;
    }
    return NULL;
}

static void run_rivals(uf_filter *filter, const struct keys *keys, int8_t *verdict)
{
    pthread_t thread[THREADS];
    struct rival rival[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        rival[i] = (struct rival){filter, keys, i, verdict + i * keys->count, 0};
        assert_int_equal(pthread_create(&thread[i], NULL, add_all, &rival[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(rival[i].wrong, 0);
    }
}

/* How many keys nobody took for new. */
static size_t count_unclaimed(const int8_t *verdict, size_t keys)
{
    size_t unclaimed = 0;
    for (size_t k = 0; k < keys; k++) {
        int claimed = 0;
        for (unsigned i = 0; i < THREADS; i++)
            claimed |= verdict[i * keys + k];
        unclaimed += !claimed;
    }
    return unclaimed;
}

static void check_adds_of_the_same_keys(const struct subject *subject)
{
    struct keys keys = keys_make("key", test_small() ? 2000 : 20000);
    uf_filter *filter = build(with(subject, "n=%zu", 2 * keys.count), NULL, 0, NULL);
    uf_filter *alone = build(with(subject, "n=%zu", 2 * keys.count), NULL, 0, NULL);
    int8_t *verdict = calloc(THREADS, keys.count);
    uf_info info;
    uf_get_info(filter, &info, sizeof info);
    if (info.capacity >= keys.count && uf_tune(filter, UF_KNOB_SHARED, 1) == UF_OK) {
        run_rivals(filter, &keys, verdict);
        size_t unclaimed = count_unclaimed(verdict, keys.count), expected = 0;
        assert_status(UF_OK, uf_add_many(alone, keys.key, keys.count, verdict, NULL), NULL);
        for (size_t i = 0; i < keys.count; i++)
            expected += !verdict[i];
        /* Which keys are false positives depends on who came first, how many hardly does. */
        assert_that(unclaimed <= 2 * expected + 50, "%zu keys were new to nobody, and %zu to one thread alone",
                    unclaimed, expected);
        assert_int_equal(keys_found(filter, &keys), keys.count);
        assert_status(UF_OK, uf_add_many(filter, keys.key, keys.count, verdict, NULL), NULL);
        for (size_t i = 0; i < keys.count; i++)
            assert_int_equal(verdict[i], 0);
    }
    free(verdict);
    uf_free(filter);
    uf_free(alone);
    keys_free(&keys);
}

/* On the path that users get, and where there are several also on the one that specifies it. */
static void check_inserts_and_queries_at_once(const struct subject *subject)
{
    insert_and_query_at_once(subject, UF_CPU_AUTO);
    if (strstr(subject->unsown, "blocked"))
        insert_and_query_at_once(subject, UF_CPU_SCALAR);
}

/* ---- snapshots ---- */

/* Inserts its share of the keys, slowly enough for some saves. */
static void *insert_own(void *arg)
{
    struct sharer *sharer = arg;
    size_t each = sharer->keys->count / THREADS, first = sharer->number * each;
    for (size_t done = 0; done < each; done++) {
        sharer->missing += uf_insert(sharer->filter, sharer->keys->key[first + done], NULL) != UF_OK;
        __atomic_store_n(&sharer->told[sharer->number], done + 1, __ATOMIC_RELEASE);
    }
    return NULL;
}

/* What the threads had told is in a copy of the filter. */
static void assert_has_told(const uf_filter *copy, const struct keys *keys, const size_t *told)
{
    size_t each = keys->count / THREADS;
    for (unsigned t = 0; t < THREADS; t++)
        for (size_t i = 0; i < told[t]; i++)
            assert_int_equal(uf_query(copy, keys->key[t * each + i]), 1);
}

/* Copies it in every way there is, and returns how many keys were told before. */
static size_t copy_meanwhile(const struct subject *subject, const uf_filter *filter, const struct keys *keys,
                             const size_t *told)
{
    uf_context ctx = context_of(subject);
    size_t before[THREADS], all = 0;
    char digest[UF_FINGERPRINT_SIZE];
    uf_filter *loaded = NULL, *twin = NULL;
    uf_claim claim;
    uf_info info;
    uf_error why;
    for (unsigned t = 0; t < THREADS; t++)
        all += before[t] = __atomic_load_n(&told[t], __ATOMIC_ACQUIRE);
    struct bytes bytes = bytes_of(filter, UF_FORMAT_UF);
    assert_status(UF_OK, uf_load_bytes(bytes.data, bytes.size, UF_FORMAT_UF, &ctx, &loaded, &why), &why);
    assert_status(UF_OK, uf_copy(filter, &ctx, &twin, &why), &why);
    assert_has_told(loaded, keys, before);
    assert_has_told(twin, keys, before);
    assert_status(UF_OK, uf_fingerprint(filter, digest, &why), &why);
    assert_status(UF_OK, uf_get_info(filter, &info, sizeof info), NULL);
    assert_status(UF_OK, uf_get_claim(filter, &claim, sizeof claim), NULL);
    assert_true(isnan(info.count) || info.count + 50 >= (double)all); /* some are taken for others */
    assert_status(UF_OK, uf_merge(loaded, filter, &why), &why);
    assert_status(UF_EUNSUPPORTED, uf_merge(twin, loaded, NULL), NULL); /* has the knob of the filter */
    bytes_free(&bytes);
    uf_free(loaded);
    uf_free(twin);
    return all;
}

/* Files, copies, figures and unions of a filter that eight threads insert into. */
static void check_saves_meanwhile(const struct subject *subject)
{
    struct keys keys = keys_make("key", test_small() ? 400 : 4000);
    uf_context ctx = context_of(subject);
    uf_filter *filter = build(with(subject, "n=%zu", keys.count), NULL, 0, &ctx);
    pthread_t thread[THREADS];
    struct sharer sharer[THREADS];
    size_t told[THREADS] = {0}, all = 0;
    uf_info info;
    uf_get_info(filter, &info, sizeof info);
    int status = info.capacity < keys.count ? UF_EUNSUPPORTED : uf_tune(filter, UF_KNOB_SHARED, 1);
    for (unsigned i = 0; status == UF_OK && i < THREADS; i++) {
        sharer[i] = (struct sharer){filter, &keys, told, i, 0};
        assert_int_equal(pthread_create(&thread[i], NULL, insert_own, &sharer[i]), 0);
    }
    for (unsigned saves = 0; status == UF_OK && (all < keys.count || saves < 2) && saves < 10; saves++)
        all = copy_meanwhile(subject, filter, &keys, told);
    for (unsigned i = 0; status == UF_OK && i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(sharer[i].missing, 0);
    }
    uf_free(filter);
    keys_free(&keys);
}

/* ---- progress ---- */

static int stop_soon(void *arg, uint64_t done, uint64_t total)
{
    (void)done, (void)total;
    return ++*(unsigned *)arg >= 3; /* "one at a time": no lock here */
}

static void check_cancel_among_threads(const struct subject *subject)
{
    struct keys keys = keys_make("key", many_keys());
    uf_context ctx = context_of(subject);
    uf_spec spec = spec_of(subject->spec);
    uf_filter *filter = NULL;
    unsigned calls = 0;
    ctx.threads = THREADS;
    ctx.progress = stop_soon;
    ctx.progress_arg = &calls;
    int status = uf_build(&spec, keys.key, keys.count, &ctx, &filter, NULL);
    assert_true(status == UF_OK ? filter != NULL && calls < 3 : status == UF_ECANCELED && !filter);
    uf_free(filter);
    keys_free(&keys);
}

static int count_calls(void *arg, uint64_t done, uint64_t total)
{
    assert_true(done <= total);
    ++*(unsigned *)arg; /* "one at a time": no lock here */
    return 0;
}

/* The coins of a release do not depend on who makes them. 10^7 keys are three pieces of work; what is built from them
 * does not matter, so one kind will do. */
static void check_released_sets(const struct subject *subject)
{
    if (strcmp(subject->unsown, "bloom:fpr=0.01"))
        return;
    uf_spec spec = spec_of(subject->spec);
    uf_universe *universe = NULL;
    uf_set *set = NULL, *released[2] = {NULL, NULL};
    uf_filter *filter[2] = {NULL, NULL};
    unsigned calls = 0;
    uf_error why;
    assert_status(UF_OK, uf_universe_parse("digits:7", NULL, &universe, &why), &why);
    assert_status(UF_OK, uf_set_new(universe, NULL, &set, &why), &why);
    assert_status(UF_OK, uf_set_add(set, &(uf_key){"1234567", 7}, 1, &why), &why);
    for (int i = 0; i < 2; i++) {
        uint64_t random = 9;
        uf_context ctx = context_of(subject);
        ctx.random = random_bytes;
        ctx.random_arg = &random;
        ctx.progress = count_calls;
        ctx.progress_arg = &calls;
        ctx.threads = i ? THREADS : 1;
        assert_status(UF_OK, uf_set_release(set, "dime:epsilon=5", &ctx, &released[i], &why), &why);
        assert_status(UF_OK, uf_build_set(&spec, released[i], &ctx, &filter[i], &why), &why);
    }
    assert_true(uf_set_count(released[0]) == uf_set_count(released[1]) && calls >= 12);
    assert_same_bytes(filter[0], filter[1], "one thread and many");
    for (int i = 0; i < 2; i++) {
        uf_free(filter[i]);
        uf_set_free(released[i]);
    }
    uf_set_free(set);
    uf_universe_free(universe);
}

/* ---- private kinds ---- */

/* With a label, one builder that many threads fill makes what one thread makes; 66000 keys are two shards. */
static void check_private(const struct subject *subject)
{
    if (test_small() && subject->epsilon != 3)
        return; /* the thread sanitizer is slow, and shapes are alike to it */
    struct keys keys = keys_make("key", 66000);
    uf_secret *secret = new_secret();
    uf_context ctx = subject_context();
    ctx.secret = secret;
    ctx.label = "spring";
    uf_filter *alone = build(with(subject, "n=%zu", keys.count), keys.key, keys.count, &ctx);
    uf_filter *together = build_together(with(subject, "n=%zu", keys.count), &keys, secret);
    assert_same_bytes(alone, together, "one thread and many");
    uf_free(alone);
    uf_free(together);
    uf_secret_free(secret);
    keys_free(&keys);
}

/* Without one, threads share nothing that they should not: a noisy count, too. */
static void check_private_alone(const struct subject *subject)
{
    if (test_small() && subject->epsilon != 3)
        return;
    struct keys keys = keys_make("key", 66000);
    uf_filter *filter = build_together(with(subject, "count_epsilon=1"), &keys, NULL);
    uf_claim claim;
    uf_get_claim(filter, &claim, sizeof claim);
    double missed = 66000 - (double)keys_found(filter, &keys), expected = 66000 * claim.fnr;
    assert_that(fabs(missed - expected) < 5 * sqrt(expected) + 1, "%g keys missed, expected %g", missed, expected);
    uf_free(filter);
    keys_free(&keys);
}

/* One noise for a release, whoever adds it: 2^20 bits are a piece of work. */
static void test_release_with_threads(void **state)
{
    struct keys keys = keys_make("key", 1000);
    uf_filter *exact = build("bloom:n=300000,fpr=0.01,seed=0x1", keys.key, keys.count, NULL), *copy[2];
    uf_spec how = spec_of("ultra:epsilon=3");
    (void)state;
    for (int i = 0; i < 2; i++) {
        uint64_t random = 10;
        uf_context ctx = seeded_context(&random);
        ctx.threads = i ? THREADS : 1;
        assert_status(UF_OK, uf_release(exact, &how, &ctx, &copy[i], NULL), NULL);
    }
    assert_same_bytes(copy[0], copy[1], "one thread and many");
    uf_free(copy[0]);
    uf_free(copy[1]);
    uf_free(exact);
    keys_free(&keys);
}

int main(void)
{
    const struct check checks[] = {
        {"1, 2, 3 and 8 threads", check_thread_counts},
        {"one builder, many threads", check_one_builder_many_threads},
        {"no memory among threads", check_failure_among_threads},
        {"loading with threads", check_load_with_threads},
        {"many readers", check_many_readers},
        {"inserts and queries at once", check_inserts_and_queries_at_once},
        {"new keys are new to one of many threads", check_adds_of_the_same_keys},
        {"saves while threads insert", check_saves_meanwhile},
        {"cancelled among threads", check_cancel_among_threads},
        {"released sets", check_released_sets},
    };
    const struct check private_checks[] = {
        {"private, 1 and 8 threads", check_private},
        {"private, 8 threads, a noisy count", check_private_alone},
    };
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_release_with_threads)};
    int failed = subjects_run("conform_threads", checks, sizeof checks / sizeof checks[0]);
    failed |= subjects_run_private("conform_threads", private_checks, 2);
    return failed | cmocka_run_group_tests_name("release with threads", tests, NULL, NULL);
}
