/* SPDX-License-Identifier: MIT */
/* What learned kinds need from the command line: a model, or negatives to train one, or scores; and negatives to plan
 * the rate with. */
#ifndef CLI_LEARNING_H
#define CLI_LEARNING_H

#include "args.h"
#include "key_list.h"
#include "scores.h"

struct learning {
    struct keys_format format;        /* of all lists */
    uf_learning learning;             /* for uf_context */
    uf_model *model;                  /* owned */
    uint64_t overlap;                 /* negatives that were keys, when the model was trained here */
    int permuted;                     /* the kind trains by itself, on permuted keys */
    struct key_list keys;             /* the set, when it had to be read first */
    struct key_list valid, negatives; /* to plan with, and to train on */
    struct scores *scores;            /* owned */
};

/* 1 when filters of this spec are learned ones. */
int learning_wanted(const uf_spec *spec);

/* Says what is wrong when the options do not fit the kind. */
int learning_check(const struct args *args, const uf_spec *spec);

/* The set is in the files that the operands name. */
int learning_open(const struct args *args, const uf_spec *spec, const struct keys_format *format, unsigned threads,
                  struct learning *out);

/* The same when the set is in memory. */
int learning_train(const struct args *args, const uf_spec *spec, const struct keys_format *format,
                   const struct key_list *keys, unsigned threads, struct learning *out);
void learning_close(struct learning *learning);

/* What is worth a warning: negatives that were left out or are too few, and a plain filter instead of a learned one. */
void learning_warn(const struct learning *learning, const uf_filter *filter);

/* The same of the lists alone: lines of --valid, those that came before, and keys that were trained on. */
void learning_warn_lists(uint64_t lines, uint64_t repeated, uint64_t trained);

/* Trains a model from lists. */
int learning_train_model(const uf_training *how, unsigned threads, uf_model **out);

#endif
