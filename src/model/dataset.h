/* SPDX-License-Identifier: MIT */
/*
 * What a model is trained on: keys of the set and negatives, shuffled by a seed. Of a side with more than DECK_MOST
 * keys an even sample is taken, which bounds the time of training; negatives that are keys of the set are left out, and
 * counted. Their bytes are copied in the order of the deck, since training goes through them again and again.
 */
#ifndef UF_DATASET_H
#define UF_DATASET_H

#include "mem.h"
#include "overlap.h"

enum { DATASET_MOST = 2000000 };

struct card {
    uf_key key;
    int member;
};

struct dataset {
    struct mem mem;
    struct card *card; /* owned */
    size_t count, capacity;
    unsigned char *bytes; /* owned: of all keys but very long ones */
    size_t byte_count;
    uint64_t positives, negatives; /* in it */
    uint64_t overlap;              /* negatives of those looked at that were keys of the set */
};

/* Borrows the bytes of long keys, for as long as the deck is used. */
int dataset_make(const struct mem *mem, const uf_key *positives, size_t positive_count, const uf_key *negatives,
                 size_t negative_count, const struct overlap *members, uint64_t seed, struct dataset *out);
void dataset_free(struct dataset *dataset);

#endif
