/* SPDX-License-Identifier: MIT */
/*
 * A learned filter over a score of your own: the better it tells members from other keys, the smaller the filter. Here
 * keys are numbers of orders, and most of those that came back are recent, so the number itself is the score.
 *
 *     cc custom_score.c $(pkg-config --cflags --libs ultrafilter) -o custom_score
 *
 * A file of such a filter has no score in it: give uf_load a context with the same learning.
 */
#include <stdio.h>
#include <string.h>
#include <ultrafilter.h>

enum { ORDERS = 400000, RECENT = 360000 };

struct list {
    uf_key keys[ORDERS];
    size_t count;
};

/* The same key must always give the same score. Several threads call it when the context has several. */
static double score(void *arg, uf_key key)
{
    uint32_t order;
    (void)arg; /* learning.score_arg: your model, for example. It must live as long as the filter */
    memcpy(&order, key.data, sizeof order);
    return order;
}

/* Stands for what happened: 20 % of the recent orders came back, and 0.2 % of the others. */
static int came_back(uint32_t order)
{
    return (order * UINT32_C(2654435769) >> 16) % 500 < (order >= RECENT ? 100 : 1);
}

static size_t accepted(const uf_filter *filter, const struct list *list)
{
    size_t sum = 0;
    for (size_t i = 0; i < list->count; i++)
        sum += (size_t)uf_query(filter, list->keys[i]);
    return sum;
}

int main(void)
{
    static uint32_t orders[ORDERS];
    static struct list members, valid, others; /* valid: negatives to plan with, like those that will be asked for */
    uf_learned design;
    uf_learning learning = UF_LEARNING_INIT;
    uf_context context = UF_CONTEXT_INIT;
    uf_spec spec;
    uf_filter *filter;
    uf_error why;
    for (uint32_t i = 0; i < ORDERS; i++) {
        struct list *list = came_back(i) ? &members : i % 2 ? &valid : &others;
        orders[i] = i;
        list->keys[list->count++] = (uf_key){&orders[i], sizeof orders[i]};
    }
    learning.score = score;
    learning.valid = valid.keys;
    learning.valid_count = valid.count;
    learning.design = &design;
    context.learning = &learning;
    if (uf_spec_parse("partition:fpr=0.01", &spec, &why) != UF_OK ||
        uf_build(&spec, members.keys, members.count, &context, &filter, &why) != UF_OK)
        return fprintf(stderr, "%s\n", why.text), 1;
    printf("%zu keys: %.2f bits each, %.2f without the score\n", members.count,
           8 * (double)design.bytes / (double)members.count, 8 * (double)design.plain_bytes / (double)members.count);
    printf("members missed: %zu\n", members.count - accepted(filter, &members));
    printf("others accepted: %.2f %%\n", 100 * (double)accepted(filter, &others) / (double)others.count);
    uf_free(filter);
}
