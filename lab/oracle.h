/* SPDX-License-Identifier: MIT */
/*
 * An attacker asks a learned filter. Counted are questions; an answer counts only for a text that is neither in the set
 * nor was asked for before, since a member is no false positive and a replay no second one.
 */
#ifndef LAB_ORACLE_H
#define LAB_ORACLE_H

#include "learned_target.h"

struct oracle {
    const struct learned_target *target;
    const struct corpus *corpus;
    struct stream *stream;
    unsigned edits; /* that the attacker makes: enum text_edit, or-ed */
    struct key_set asked;
    uint64_t questions;
};

void oracle_close(struct oracle *oracle);

/* 1: neither a member nor asked for. */
int oracle_is_new(const struct oracle *oracle, const struct text *text);

/* The answer, 0 or 1; negative when there is no memory to remember the question. */
int oracle_ask(struct oracle *oracle, const struct text *text);

/* Asks for members and others, turns about and at random, until one is accepted: a positive, true or false. At most so
 * many questions. 1 when there is one, 0, or negative as above. */
int oracle_find(struct oracle *oracle, uint64_t most, struct text *out);

/* Makes one edit so that the text is new. 0 when it could not be found by trying. */
int oracle_mutate(struct oracle *oracle, const struct text *parent, struct text *out);

/* What the white box does: up to three edits, one at least, until the text comes to the weakest part
 * of the target, each of them the best for that. Returns how many. */
unsigned oracle_craft(const struct oracle *oracle, struct text *text);

/* A key that the attacker knows, at random. 0 when it is too long. */
int oracle_draw(struct oracle *oracle, struct text *out);

/* One of the sort that the filter was planned with. */
int oracle_draw_like(struct oracle *oracle, struct text *out);

#endif
