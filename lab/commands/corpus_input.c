/* SPDX-License-Identifier: MIT */
#include "corpus_input.h"

#include "message.h"
#include "progress.h"
#include "shared.h"

int corpus_input_wanted(const struct args *args)
{
    return args_has(args, &option_positives) || args_has(args, &option_negatives) || args_has(args, &option_valid);
}

static struct corpus_list keys_of(const struct key_list *list)
{
    return (struct corpus_list){list->keys, list->count};
}

static int read_lists(const struct args *args, enum corpus_valid valid, struct labelled *out)
{
    return valid == CORPUS_NEEDS_VALID || args_has(args, &option_valid) ? labelled_read(args, out)
                                                                        : labelled_read_two(args, out);
}

int corpus_input_read(const struct args *args, enum corpus_valid how, struct corpus_input *out)
{
    uf_error why;
    *out = (struct corpus_input){.corpus = {.letters = 0}};
    if (read_lists(args, how, &out->lists))
        return EXIT_ERROR;
    progress_hide();
    struct corpus_list negatives = keys_of(&out->lists.negatives), valid = keys_of(&out->lists.valid);
    if (how == CORPUS_MAY_SPLIT && !args_has(args, &option_valid)) {
        size_t half = negatives.count / 2;
        valid = (struct corpus_list){negatives.keys + half, negatives.count - half};
        negatives.count = half;
    }
    if (corpus_take(keys_of(&out->lists.positives), negatives, valid, &out->corpus, &why) == UF_OK)
        return EXIT_FINE;
    corpus_input_free(out);
    return print_error("%s", why.text);
}

void corpus_input_free(struct corpus_input *input)
{
    corpus_free(&input->corpus);
    labelled_free(&input->lists);
}
