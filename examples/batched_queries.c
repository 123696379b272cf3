/* SPDX-License-Identifier: MIT */
/*
 * The same queries one by one, in batches, and in batches on two threads. In a batch keys are hashed ahead and their
 * memory is fetched before it is needed, which counts once a filter is larger than the cache.
 *
 *     cc -O2 -pthread batched_queries.c $(pkg-config --cflags --libs ultrafilter) -o batched_queries
 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <ultrafilter.h>

enum { MEMBERS = 1 << 20, QUERIES = 2 * MEMBERS };

struct request {
    const uf_filter *filter; /* any number of threads may query one filter */
    const uint64_t *keys;
    size_t count;
    uint8_t *answers;
};

static void *one_by_one(void *arg)
{
    const struct request *request = arg;
    for (size_t i = 0; i < request->count; i++)
        request->answers[i] = (uint8_t)uf_query(request->filter, (uf_key){&request->keys[i], sizeof(uint64_t)});
    return NULL;
}

/* Keys of one size, back to back. For keys of any sizes there is uf_query_many, with an array of uf_key. */
static void *batched(void *arg)
{
    const struct request *request = arg;
    uf_query_fixed(request->filter, request->keys, sizeof(uint64_t), request->count, request->answers);
    return NULL;
}

static void *two_threads(void *arg)
{
    const struct request *all = arg;
    const size_t half = all->count / 2;
    struct request first = {all->filter, all->keys, half, all->answers};
    struct request second = {all->filter, all->keys + half, all->count - half, all->answers + half};
    pthread_t thread;
    const int alone = pthread_create(&thread, NULL, batched, &second);
    batched(&first);
    if (alone)
        batched(&second);
    else
        pthread_join(thread, NULL);
    return NULL;
}

static void measure(const char *name, void *(*query)(void *), struct request *request)
{
    struct timespec start, end;
    size_t found = 0;
    timespec_get(&start, TIME_UTC);
    query(request);
    timespec_get(&end, TIME_UTC);
    for (size_t i = 0; i < request->count; i++)
        found += request->answers[i];
    double ns = 1e9 * (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec);
    printf("%-12s found %zu of %zu, %.1f ns each\n", name, found, request->count, ns / (double)request->count);
}

int main(void)
{
    static uint64_t keys[QUERIES]; /* the first half are members */
    static uint8_t answers[QUERIES];
    uf_spec spec;
    uf_filter *filter;
    uf_error why;
    for (uint64_t i = 0; i < QUERIES; i++)
        keys[i] = i;
    if (uf_spec_parse("blocked:n=1048576,fpr=0.001", &spec, &why) || uf_build(&spec, NULL, 0, NULL, &filter, &why))
        return fprintf(stderr, "%s\n", why.text), 1;
    int status = uf_insert_fixed(filter, keys, sizeof keys[0], MEMBERS);
    if (status != UF_OK)
        return fprintf(stderr, "cannot insert: %s\n", uf_status_text(status)), uf_free(filter), 1;
    struct request request = {filter, keys, QUERIES, answers};
    measure("one by one", one_by_one, &request);
    measure("batched", batched, &request);
    measure("two threads", two_threads, &request);
    uf_free(filter);
}
