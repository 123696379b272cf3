/* SPDX-License-Identifier: MIT */
#include "keys.h"

#include <stdio.h>

#include "check.h"

enum { KEY_CAPACITY = 32 };

struct keys keys_make(const char *name, size_t count)
{
    struct keys keys = {calloc(count + 1, sizeof(uf_key)), count, calloc(count + 1, KEY_CAPACITY)};
    assert_true(keys.key && keys.text);
    for (size_t i = 0; i < count; i++) {
        char *text = keys.text + i * KEY_CAPACITY;
        keys.key[i] = (uf_key){text, (size_t)snprintf(text, KEY_CAPACITY, "%s-%zu", name, i)};
    }
    return keys;
}

void keys_free(struct keys *keys)
{
    free(keys->key);
    free(keys->text);
}

size_t keys_found(const uf_filter *filter, const struct keys *keys)
{
    uint8_t *answers = calloc(keys->count + 1, 1);
    size_t found = 0;
    assert_non_null(answers);
    uf_query_many(filter, keys->key, keys->count, answers);
    for (size_t i = 0; i < keys->count; i++)
        found += answers[i];
    free(answers);
    return found;
}
