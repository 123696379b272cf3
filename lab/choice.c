/* SPDX-License-Identifier: MIT */
#include "choice.h"

#include <stdlib.h>
#include <string.h>

#include "refuse.h"

/* Members of a sort of their own that a region has at least in a filter that hides its keys (docs/learned.md). */
enum { LEAST = 16, TINY = 24, FEW = 3 };

/* One member in so many is a negative to plan with, the others are to train on. With many more of them the library
 * refuses. */
enum { PLANNED_WITH = 8 };

enum sort { MEMBERS, OTHERS, SORTS };

enum list { SET, TRAINED, VALID, FRESH, LISTS };

struct stock {
    const struct corpus *corpus;
    uf_key *keys;        /* owned: those like members, then the others, each with rising scores */
    size_t count[SORTS]; /* of either */
};

/* S and D as they come about. */
struct draft {
    const struct stock *stock;
    struct stream *stream;
    size_t n;
    struct corpus *corpus;
    size_t capacity[LISTS];
    struct key_set taken;
    int failed; /* there was no memory */
};

/* ---- the stock ---- */

struct scored_key {
    int32_t score;
    uf_key key;
};

static int by_score(const void *a, const void *b)
{
    const struct scored_key *one = a, *two = b;
    if (one->score != two->score)
        return one->score < two->score ? -1 : 1;
    size_t size = one->key.size < two->key.size ? one->key.size : two->key.size;
    int order = memcmp(one->key.data, two->key.data, size); /* the same everywhere */
    return order ? order : (one->key.size > two->key.size) - (one->key.size < two->key.size);
}

/* So many of `list`, at random and without repeats, behind *count. */
static void sample(struct corpus_list list, size_t most, struct stream *stream, uf_key *out, size_t *count)
{
    size_t left = most < list.count ? most : list.count;
    for (size_t i = 0; left; i++)
        if (stream_next(stream) % (list.count - i) < left) {
            out[(*count)++] = list.keys[i];
            left--;
        }
}

static int sort_keys(const uf_model *model, uf_key *keys, size_t count)
{
    struct scored_key *scored = malloc((count + 1) * sizeof *scored);
    if (!scored)
        return -1;
    for (size_t i = 0; i < count; i++)
        scored[i] = (struct scored_key){uf_model_score(model, keys[i]), keys[i]};
    qsort(scored, count, sizeof *scored, by_score);
    for (size_t i = 0; i < count; i++)
        keys[i] = scored[i].key;
    free(scored);
    return 0;
}

/* With a model of the adversary's own, half of the stock to train it, a quarter to choose its size. */
static int rank(struct stock *stock, uf_error *why)
{
    uf_training how = UF_TRAINING_INIT;
    uf_model *model;
    uf_key *others = stock->keys + stock->count[MEMBERS];
    how.positives = stock->keys;
    how.positive_count = stock->count[MEMBERS];
    how.negatives = others;
    how.negative_count = stock->count[OTHERS] / 2;
    how.valid = others + how.negative_count;
    how.valid_count = stock->count[OTHERS] - how.negative_count;
    int status = uf_train(&how, NULL, &model, why);
    if (status != UF_OK)
        return status;
    if (sort_keys(model, stock->keys, stock->count[MEMBERS]) || sort_keys(model, others, stock->count[OTHERS]))
        status = refuse(why, UF_ENOMEM, "no memory for the keys of an experiment");
    uf_model_free(model);
    return status;
}

int stock_open(const struct corpus *corpus, size_t most, struct stream *stream, struct stock **out, uf_error *why)
{
    const struct corpus_list others[] = {corpus->negatives, corpus->valid, corpus->fresh};
    struct stock *stock = calloc(1, sizeof *stock);
    size_t capacity = corpus->members.count + others[0].count + others[1].count + others[2].count, count = 0;
    if (stock)
        stock->keys = calloc(capacity + 1, sizeof *stock->keys);
    if (!stock || !stock->keys) {
        free(stock);
        return refuse(why, UF_ENOMEM, "no memory for the keys of an experiment");
    }
    stock->corpus = corpus;
    sample(corpus->members, most, stream, stock->keys, &count);
    stock->count[MEMBERS] = count;
    for (unsigned i = 0; i < 3; i++)
        sample(others[i], most, stream, stock->keys, &count);
    stock->count[OTHERS] = count - stock->count[MEMBERS];
    int status = rank(stock, why);
    if (status == UF_OK)
        *out = stock;
    else
        stock_free(stock);
    return status;
}

void stock_free(struct stock *stock)
{
    if (stock)
        free(stock->keys);
    free(stock);
}

/* ---- lists ---- */

static struct corpus_list *list_of(struct corpus *corpus, enum list which)
{
    struct corpus_list *const lists[LISTS] = {&corpus->members, &corpus->negatives, &corpus->valid, &corpus->fresh};
    return lists[which];
}

static void put(struct draft *draft, enum list which, uf_key key)
{
    struct corpus_list *list = list_of(draft->corpus, which);
    if (list->count == draft->capacity[which]) {
        size_t capacity = draft->capacity[which] ? 2 * draft->capacity[which] : 64;
        uf_key *keys = realloc(draft->corpus->owned[which], capacity * sizeof *keys);
        if (!keys) {
            draft->failed = 1;
            return;
        }
        draft->capacity[which] = capacity;
        draft->corpus->owned[which] = keys;
        list->keys = keys;
    }
    draft->corpus->owned[which][list->count++] = key;
}

/* A part of a sort: those with scores above the share `from` of it, and below the share `to`. */
struct part {
    enum sort sort;
    double from, to;
};

/* Puts so many keys of a part into a list, at random; fewer when it has no more that nobody took. */
static void draw(struct draft *draft, enum list which, struct part part, size_t count)
{
    const struct stock *stock = draft->stock;
    const size_t all = stock->count[part.sort], from = (size_t)((double)all * part.from);
    const size_t range = (size_t)((double)all * part.to) - from;
    const uf_key *keys = stock->keys + (part.sort == OTHERS ? stock->count[MEMBERS] : 0) + from;
    for (size_t tries = 0; range && count && tries < 8 * range; tries++) {
        uf_key key = keys[stream_next(draft->stream) % range];
        int added = key_set_add(&draft->taken, key);
        if (added > 0)
            put(draft, which, key);
        count -= added > 0;
        draft->failed |= added < 0;
    }
}

static const struct part members = {MEMBERS, 0, 1}, others = {OTHERS, 0, 1};

/* n each of a part to train on and to plan with, and fresh ones of that sort. */
static void draw_data(struct draft *draft, struct part part, size_t n)
{
    draw(draft, TRAINED, part, n);
    draw(draft, VALID, part, n);
    draw(draft, FRESH, part, n);
}

/* ---- the choices ---- */

static void choose_honest(struct draft *draft)
{
    draw(draft, SET, members, draft->n);
    draw_data(draft, others, draft->n);
}

static void choose_poisoned(struct draft *draft)
{
    draw(draft, SET, members, draft->n);
    draw_data(draft, (struct part){OTHERS, 0, 0.3}, draft->n);
}

static void choose_lookalikes(struct draft *draft)
{
    draw(draft, SET, members, draft->n);
    draw_data(draft, (struct part){OTHERS, 0.7, 1}, draft->n);
}

static void choose_mimics(struct draft *draft)
{
    draw(draft, SET, members, draft->n - draft->n / 2);
    draw(draft, SET, (struct part){OTHERS, 0, 0.5}, draft->n / 2);
    draw_data(draft, others, draft->n);
}

static void choose_starved(struct draft *draft)
{
    const size_t least = draft->n < LEAST ? draft->n : LEAST;
    draw(draft, SET, (struct part){MEMBERS, 0.9, 1}, least);
    draw(draft, SET, (struct part){MEMBERS, 0, 0.5}, draft->n - least);
    draw_data(draft, (struct part){MEMBERS, 0.5, 1}, draft->n / 2);
    draw_data(draft, (struct part){OTHERS, 0, 0.5}, draft->n / 2);
}

static void choose_huge(struct draft *draft)
{
    const size_t least = draft->n < LEAST ? draft->n : LEAST;
    draw(draft, SET, (struct part){MEMBERS, 0.5, 1}, draft->n - least);
    draw(draft, SET, (struct part){OTHERS, 0, 0.1}, least);
    draw_data(draft, others, draft->n);
}

static void choose_tiny(struct draft *draft)
{
    draw(draft, SET, members, draft->n < TINY ? draft->n : TINY);
    draw_data(draft, others, draft->n);
}

static void choose_equal(struct draft *draft)
{
    draw(draft, SET, members, draft->n);
    for (size_t i = 0; i < draft->corpus->members.count; i++)
        put(draft, i % PLANNED_WITH ? TRAINED : VALID, draft->corpus->members.keys[i]);
    draw_data(draft, others, draft->n);
}

static void choose_few(struct draft *draft)
{
    draw(draft, SET, members, draft->n);
    draw_data(draft, others, FEW);
    draw(draft, FRESH, others, draft->n);
}

#define CHOICE(its_name)                                    \
    {                                                       \
#its_name, "win_rate_" #its_name, choose_##its_name \
    }
const struct choice choices[CHOICES] = {CHOICE(honest), CHOICE(poisoned), CHOICE(lookalikes),
                                        CHOICE(mimics), CHOICE(starved),  CHOICE(huge),
                                        CHOICE(tiny),   CHOICE(equal),    CHOICE(few)};
#undef CHOICE

const struct choice *choice_find(const char *name)
{
    for (unsigned i = 0; i < CHOICES; i++)
        if (!strcmp(choices[i].name, name))
            return &choices[i];
    return NULL;
}

/* ---- the whole ---- */

static void finish(struct draft *draft)
{
    struct corpus *corpus = draft->corpus;
    const struct stock *stock = draft->stock;
    for (size_t i = 0; i < corpus->members.count; i++)
        draft->failed |= key_set_add(&corpus->set, corpus->members.keys[i]) < 0;
    corpus->known = (struct corpus_list){stock->keys, stock->count[MEMBERS] + stock->count[OTHERS]};
    corpus->letters = stock->corpus->letters;
    memcpy(corpus->letter, stock->corpus->letter, sizeof corpus->letter);
}

int choice_make(const struct choice *choice, const struct stock *stock, size_t n, struct stream *stream,
                struct corpus *out, uf_error *why)
{
    struct draft draft = {.stock = stock, .stream = stream, .n = n, .corpus = out};
    *out = (struct corpus){.letters = 0};
    choice->choose(&draft);
    finish(&draft);
    key_set_free(&draft.taken);
    if (!draft.failed && out->members.count && out->fresh.count)
        return UF_OK;
    corpus_free(out);
    return draft.failed ? refuse(why, UF_ENOMEM, "no memory for the keys of an experiment")
                        : refuse(why, UF_EINVAL, "too few keys for the choice %s: give longer lists, or a smaller -n",
                                 choice->name);
}
