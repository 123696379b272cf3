/* SPDX-License-Identifier: MIT */
/*
 * query --also and --answers: several filters are asked for the same records, and it is printed which of them has a
 * key. Each filter gets the key that it would have made of the record itself, since one may want small letters and
 * another not.
 */
#include "query.h"

#include <stdlib.h>
#include <string.h>

#include "message.h"

/* A batch of records, and what the filters say to them: KEYS_BATCH answers of the first filter, and so on. */
struct batch {
    uf_key records[KEYS_BATCH];
    size_t count;
    uint8_t any[KEYS_BATCH]; /* one of the filters has it */
    uint8_t *answers;
};

/* The same records for every filter: what ends a record is said by options, not by filters. */
static void ask_all(const struct query *query, struct keys_block *block, const char **cursor, struct batch *batch)
{
    const char *start = *cursor;
    const uint64_t returns = block->returns;
    uint64_t most = 0;
    uf_key keys[KEYS_BATCH];
    memset(batch->any, 0, sizeof batch->any);
    for (size_t i = 0; i < query->count; i++) {
        uint8_t *answers = batch->answers + i * KEYS_BATCH;
        uint64_t found = 0;
        *cursor = start;
        block->format = &query->filters[i].format;
        block->returns = 0;
        batch->count = keys_next_records(block, cursor, keys, batch->records);
        query_ask(query, i, keys, batch->count, answers);
        for (size_t k = 0; k < batch->count; k++) {
            batch->any[k] |= answers[k];
            found += answers[k];
        }
        (void)__atomic_fetch_add(&query->filters[i].found, found, __ATOMIC_RELAXED);
        most = block->returns > most ? block->returns : most;
    }
    block->returns = returns + most;
}

static int add(struct keys_block *block, const char *data, size_t size)
{
    return keys_text_add(block->text, data, size);
}

int query_add_answers(struct keys_block *block, const struct keys_format *format, uf_key record, const uint8_t *answers,
                      size_t count, size_t stride)
{
    const uf_key text = keys_record_text(format, record);
    int fits = add(block, text.data, text.size);
    for (size_t i = 0; fits && i < count; i++)
        fits = add(block, answers[i * stride] ? "\t1" : "\t0", 2);
    return fits && add(block, &format->separator, 1);
}

/* "mon.uf<TAB>alice", once for each filter that has it. */
static int add_matches(const struct query *query, struct keys_block *block, const struct batch *batch, size_t index)
{
    const uf_key record = batch->records[index];
    int fits = 1;
    for (size_t i = 0; fits && i < query->count; i++)
        if (batch->answers[i * KEYS_BATCH + index]) {
            const char *path = query->filters[i].path;
            fits = add(block, path, strlen(path)) && add(block, "\t", 1) && add(block, record.data, record.size);
        }
    return fits;
}

static int add_record(const struct query *query, struct keys_block *block, const struct batch *batch, size_t index)
{
    if (query->answers)
        return query_add_answers(block, &query->filters[0].format, batch->records[index], batch->answers + index,
                                 query->count, KEYS_BATCH);
    if (query->selected)
        return add_matches(query, block, batch, index);
    return batch->any[index] || add(block, batch->records[index].data, batch->records[index].size);
}

static int work(const struct query *query, struct keys_block *block, struct batch *batch)
{
    const char *cursor = block->data;
    int fits = 1;
    for (ask_all(query, block, &cursor, batch); fits && batch->count; ask_all(query, block, &cursor, batch)) {
        block->keys += batch->count;
        for (size_t i = 0; fits && i < batch->count; i++) {
            block->hits += batch->any[i];
            fits = !query->print || add_record(query, block, batch, i);
        }
    }
    return fits;
}

enum keys_verdict query_each(void *arg, struct keys_block *block)
{
    struct query *query = arg;
    struct batch batch = {.answers = malloc(query->count * KEYS_BATCH)};
    const int fits = batch.answers && work(query, block, &batch);
    free(batch.answers);
    block->size = 0;
    if (query->watch)
        query_watch_warn(query);
    if (!fits) {
        (void)print_error("no memory for the answers to %zu filters", query->count);
        return KEYS_FAILED;
    }
    const uint64_t selected = query->selected ? block->hits : block->keys - block->hits;
    return query->first_is_enough && selected ? KEYS_STOP : KEYS_GO_ON;
}
