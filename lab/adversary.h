/* SPDX-License-Identifier: MIT */
/*
 * Adversaries of the membership games (membership.c): each chooses a set, asks questions, and names an item that is
 * neither in the set nor was asked for. It wins when the filter accepts that item.
 */
#ifndef LAB_ADVERSARY_H
#define LAB_ADVERSARY_H

#include "target.h"

/* One game, as its adversary sees it. */
struct challenge {
    const struct target *target; /* to be asked only, by challenge_ask */
    const struct target *copy;   /* a filter of the same set that the adversary made; or NULL, and */
    const struct view *view;     /* the revealed bits, where the adversary thinks that they belong */
    struct item *set;            /* n of them */
    size_t n;
    struct item *asked; /* room for `most` */
    size_t asked_count, most;
    struct stream stream; /* the adversary's randomness */
};

/* Asks, as long as questions are left; returns how many were answered. */
size_t challenge_ask(struct challenge *challenge, const struct item *items, size_t count, uint8_t *answers);

/* 1 when the item may be named: it is not in the set and was not asked for. */
int challenge_is_new(const struct challenge *challenge, const struct item *item);

/* 1 when the item is accepted as far as the adversary can tell without asking. */
int challenge_believes(const struct challenge *challenge, const struct item *item);

struct adversary {
    const char *name, *metric, *about;
    void (*choose)(struct challenge *challenge);                   /* fills challenge->set */
    void (*answer)(struct challenge *challenge, struct item *out); /* asks, then names an item */
};

enum { ADVERSARIES = 3 };
extern const struct adversary *const adversaries[ADVERSARIES];

#endif
