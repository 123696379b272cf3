/* SPDX-License-Identifier: MIT */
/*
 * An attacker asks a learned filter. Counted are questions; an answer counts only for a text that is neither in the set
 * nor was asked for before, since a member is no false positive and a replay no second one.
 */
#ifndef LAB_INQUIRY_H
#define LAB_INQUIRY_H

#include "learned_target.h"

struct inquiry {
    const struct learned_target *target;
    const struct corpus *corpus;
    struct stream *stream;
    struct key_set asked;
    uint64_t questions;
};

void inquiry_close(struct inquiry *inquiry);

/* 1: neither a member nor asked for. */
int inquiry_is_new(const struct inquiry *inquiry, const struct text *text);

/* The answer, 0 or 1; negative when there is no memory to remember the question. */
int inquiry_ask(struct inquiry *inquiry, const struct text *text);

/* Asks for members and others, turns about and at random, until one is accepted: a positive, true or false. At most so
 * many questions. 1 when there is one, 0, or negative as above. */
int inquiry_find(struct inquiry *inquiry, uint64_t most, struct text *out);

/* Changes one character so that the text is new. 0 when it could not be found by trying. */
int inquiry_mutate(struct inquiry *inquiry, const struct text *parent, struct text *out);

/* What the white box does: up to three changes of a character, one at least, until the text comes to the weakest part
 * of the target, each of them the best for that. Returns how many. */
unsigned inquiry_craft(const struct inquiry *inquiry, struct text *text);

/* A negative that nobody has used, at random. 0 when it is too long. */
int inquiry_draw(struct inquiry *inquiry, struct text *out);

#endif
