/* SPDX-License-Identifier: MIT */
/*
 * Buckets of eight places; a source may be in either of two, chosen by SipHash under a secret key, and goes where fewer
 * places are taken. With one choice 5.2 % of the sources would find no room when there are three quarters as many
 * sources as places; with two it is 1.4 in 100,000 (measured).
 *
 * Who is forgotten: the source with the fewest strikes; among equals one that is in no sequence; among equals the one
 * that was silent for longest. A newcomer is judged by the same rule. So a source without strikes that is in no
 * sequence is always the first to go, and forgetting it loses nothing but the knowledge that it is in the good filter.
 */
#include "sources.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKET = 8, MARK_TAKEN = 128 };

struct sources {
    uint64_t buckets;
    struct source *places; /* owned: buckets * BUCKET */
    uint8_t *marks;        /* owned: one a place; 0 when it is free, otherwise seven bits of the hash and MARK_TAKEN */
    uint8_t *forgot;       /* owned: one a bucket */
    struct sources_counts counts;
    uint8_t key[crypto_shorthash_KEYBYTES];
};

struct sources *sources_new(uint64_t places, const uint8_t key[16])
{
    struct sources *table = calloc(1, sizeof *table);
    if (!table)
        return NULL;
    table->buckets = places / BUCKET + (places % BUCKET != 0);
    table->buckets += table->buckets == 0;
    memcpy(table->key, key, sizeof table->key);
    if (table->buckets <= UINT32_MAX) { /* sources_home multiplies 32 bits by it */
        table->places = calloc((size_t)table->buckets * BUCKET, sizeof *table->places);
        table->marks = calloc((size_t)table->buckets, BUCKET);
        table->forgot = calloc((size_t)table->buckets, 1);
    }
    if (table->places && table->marks && table->forgot)
        return table;
    sources_free(table);
    return NULL;
}

struct sources_home sources_home(const struct sources *table, const struct address *address)
{
    uint8_t hash[crypto_shorthash_BYTES];
    uint64_t value;
    (void)crypto_shorthash(hash, address->bytes, ADDRESS_BYTES, table->key);
    memcpy(&value, hash, sizeof value);
    return (struct sources_home){
        {(size_t)((value >> 32) * table->buckets >> 32), (size_t)((value & UINT32_MAX) * table->buckets >> 32)},
        (uint8_t)(MARK_TAKEN | (value & 127))}; /* low bits, which hardly choose a bucket */
}

/* The marks of a bucket are eight bytes: one comparison tells which places, if any, to read. */
struct source *sources_find(struct sources *table, const struct sources_home *home, const struct address *address)
{
    for (size_t choice = 0; choice < 2; choice++) {
        const size_t first = home->bucket[choice] * BUCKET;
        for (size_t i = first; i < first + BUCKET; i++)
            if (table->marks[i] == home->mark && !memcmp(&table->places[i].address, address, sizeof *address))
                return &table->places[i];
    }
    return NULL;
}

int sources_forgot(const struct sources *table, const struct sources_home *home)
{
    return table->forgot[home->bucket[0]] || table->forgot[home->bucket[1]];
}

/* Whether `one` loses less than `other` when it is forgotten at the time `now`. */
static int loses_less(const struct source *one, const struct source *other, uint32_t now)
{
    if (one->strikes != other->strikes)
        return one->strikes < other->strikes;
    if ((one->state != 0) != (other->state != 0))
        return one->state == 0;
    return now - one->seen > now - other->seen;
}

static void count_forgotten(struct sources *table, size_t bucket, const struct source *source)
{
    table->forgot[bucket] = 1;
    table->counts.evicted++;
    table->counts.partial += source->state != 0;
    table->counts.strikes += source->strikes != 0;
    table->counts.both += source->state != 0 && source->strikes != 0;
}

/* Free places of a bucket; *out is one of them. */
static int free_places(const struct sources *table, size_t bucket, size_t *out)
{
    int count = 0;
    for (size_t i = bucket * BUCKET; i < (bucket + 1) * BUCKET; i++)
        if (!table->marks[i]) {
            count++;
            *out = i;
        }
    return count;
}

/* A free place in the bucket that has more of them; NULL when there is none in either. */
static struct source *free_place(struct sources *table, const struct sources_home *home)
{
    size_t place[2] = {0, 0};
    int first = free_places(table, home->bucket[0], &place[0]), second = free_places(table, home->bucket[1], &place[1]);
    if (!first && !second)
        return NULL;
    return &table->places[first >= second ? place[0] : place[1]];
}

/* Who loses least of all in the two buckets. */
static struct source *victim(struct sources *table, const struct sources_home *home, uint32_t now)
{
    struct source *least = table->places + home->bucket[0] * BUCKET;
    for (size_t i = 0; i < 2 * BUCKET; i++) {
        struct source *place = table->places + home->bucket[i / BUCKET] * BUCKET + i % BUCKET;
        if (loses_less(place, least, now))
            least = place;
    }
    return least;
}

void sources_keep(struct sources *table, const struct sources_home *home, const struct source *source)
{
    struct source *place = free_place(table, home);
    if (!place) {
        place = victim(table, home, source->seen);
        const size_t bucket = (size_t)(place - table->places) / BUCKET;
        const int newcomer = loses_less(source, place, source->seen);
        count_forgotten(table, bucket, newcomer ? source : place);
        if (newcomer)
            return;
        table->counts.kept--;
    }
    *place = *source;
    table->marks[place - table->places] = home->mark;
    table->counts.kept++;
}

void sources_drop(struct sources *table, struct source *entry)
{
    table->marks[entry - table->places] = 0;
    table->counts.kept--;
}

void sources_may_be_back(struct sources *table)
{
    memset(table->forgot, 1, (size_t)table->buckets);
}

const struct source *sources_next(const struct sources *table, size_t *at)
{
    const size_t places = (size_t)table->buckets * BUCKET;
    while (*at < places && !table->marks[*at])
        (*at)++;
    return *at < places ? &table->places[(*at)++] : NULL;
}

struct sources_counts sources_counted(const struct sources *table)
{
    return table->counts;
}

uint64_t sources_places(const struct sources *table)
{
    return table->buckets * BUCKET;
}

size_t sources_bytes(const struct sources *table)
{
    return sizeof *table + (size_t)table->buckets * (BUCKET * (sizeof *table->places + 1) + sizeof *table->forgot);
}

void sources_free(struct sources *table)
{
    if (!table)
        return;
    free(table->places);
    free(table->marks);
    free(table->forgot);
    free(table);
}
