/* SPDX-License-Identifier: MIT */
#include "texts.h"

#include "commands.h"
#include "progress.h"
#include "say.h"

int texts_wanted(const struct args *args)
{
    return args_has(args, OPT_POSITIVES) || args_has(args, OPT_NEGATIVES) || args_has(args, OPT_VALID);
}

static struct corpus_list keys_of(const struct list *list)
{
    return (struct corpus_list){list->keys, list->count};
}

int texts_read(const struct args *args, struct texts *out)
{
    uf_error why;
    *out = (struct texts){.corpus = {.letters = 0}};
    if (args_require(args, OPT_POSITIVES) || args_require(args, OPT_NEGATIVES) || args_require(args, OPT_VALID))
        return EXIT_ERROR;
    int status = list_read(args, args->value[OPT_POSITIVES], "reading the set", &out->positives);
    if (!status)
        status = list_read(args, args->value[OPT_NEGATIVES], "reading the negatives", &out->negatives);
    if (!status)
        status = list_read(args, args->value[OPT_VALID], "reading the negatives", &out->valid);
    progress_hide();
    if (!status && corpus_take(keys_of(&out->positives), keys_of(&out->negatives), keys_of(&out->valid), &out->corpus,
                               &why) != UF_OK)
        status = say_error("%s", why.text);
    if (status)
        texts_free(out);
    return status;
}

void texts_free(struct texts *texts)
{
    corpus_free(&texts->corpus);
    list_free(&texts->positives);
    list_free(&texts->negatives);
    list_free(&texts->valid);
}
