/* SPDX-License-Identifier: MIT */
/* What the halves of uf_bench_learned share: curves.c compares kinds, privacy.c compares epsilons. */
#ifndef UF_BENCH_LEARNED_H
#define UF_BENCH_LEARNED_H

#include "lists.h"
#include "table.h"
#include "ultrafilter.h"

/* Ends the program with the reason. */
void stop(const char *text);

/* All processors. */
uf_context context(void);

uf_spec spec_of(const char *text);

/* A model of the members against the negatives of the lists, for filters of this rate with such filters inside. */
uf_model *train(const struct list *members, const struct lists *lists, double rate, const char *children);

/* For the context of a learned kind: it is built even where a plain filter is smaller. */
uf_learning learning_with(const uf_model *model, const struct lists *lists);

struct asked {
    double ns;     /* per key: batched, on one core, the best of several runs */
    double single; /* the same one by one */
    double share;  /* of the list that was accepted */
    size_t refused;
};

struct asked ask(const uf_filter *filter, const struct list *list);

/* Each adds one table. */
void measure_curves(struct report *report, const struct lists *lists);
void measure_privacy(struct report *report, const struct lists *lists);

/* A script of gnuplot for the table of measure_curves. */
void curves_script(char *out, size_t size, const struct table *table);

#endif
