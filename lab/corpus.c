/* SPDX-License-Identifier: MIT */
#include "corpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "refuse.h"
#include "text.h"

enum { NAME_BYTES = 32, PIECES = 4, SHARES = 64 };

enum list { MEMBERS, NEGATIVES, VALID, FRESH, LISTS };

/* ---- both ---- */

static int no_memory(struct corpus *corpus, uf_error *why)
{
    corpus_free(corpus);
    return refuse(why, UF_ENOMEM, "no memory for the keys of an experiment");
}

static void note_letters(struct corpus *corpus, struct corpus_list list)
{
    unsigned char seen[256] = {0};
    for (unsigned i = 0; i < corpus->letters; i++)
        seen[corpus->letter[i]] = 1;
    for (size_t i = 0; i < list.count; i++)
        for (size_t j = 0; j < list.keys[i].size; j++)
            seen[((const unsigned char *)list.keys[i].data)[j]] = 1;
    corpus->letters = 0;
    for (unsigned i = 0; i < 256; i++)
        if (seen[i])
            corpus->letter[corpus->letters++] = (unsigned char)i;
}

void corpus_free(struct corpus *corpus)
{
    for (unsigned i = 0; i < LISTS; i++)
        free(corpus->owned[i]);
    free(corpus->text);
    key_set_free(&corpus->set);
    *corpus = (struct corpus){.letters = 0};
}

/* ---- given ---- */

static int know_members(struct corpus *corpus)
{
    for (size_t i = 0; i < corpus->members.count; i++)
        if (key_set_add(&corpus->set, corpus->members.keys[i]) < 0)
            return -1;
    return 0;
}

/* Turns about: one to plan with, one that is kept. Keys of the set are no negatives. */
static int share_out(struct corpus *corpus, struct corpus_list all)
{
    for (unsigned i = VALID; i <= FRESH; i++) {
        corpus->owned[i] = calloc(all.count + 1, sizeof(uf_key));
        if (!corpus->owned[i])
            return -1;
    }
    for (size_t i = 0, index = 0; i < all.count; i++)
        if (!key_set_has(&corpus->set, all.keys[i])) {
            struct corpus_list *list = index++ & 1 ? &corpus->fresh : &corpus->valid;
            corpus->owned[list == &corpus->fresh ? FRESH : VALID][list->count++] = all.keys[i];
        }
    corpus->valid.keys = corpus->owned[VALID];
    corpus->fresh.keys = corpus->owned[FRESH];
    corpus->known = corpus->fresh;
    return 0;
}

/* Whether any of them can be changed: without one an attack would look for it without end. */
static int has_text(struct corpus_list list)
{
    struct text text;
    size_t i = 0;
    while (i < list.count && !text_take(list.keys[i], &text))
        i++;
    return i < list.count;
}

int corpus_take(struct corpus_list members, struct corpus_list negatives, struct corpus_list valid, struct corpus *out,
                uf_error *why)
{
    const char *wrong = NULL;
    *out = (struct corpus){.members = members, .negatives = negatives};
    if (know_members(out) || share_out(out, valid))
        return no_memory(out, why);
    note_letters(out, members);
    note_letters(out, negatives);
    if (out->letters < 2 || !members.count || !negatives.count || !out->fresh.count)
        wrong = "too few keys for an experiment: it takes some members, some negatives, and two valid ones that are "
                "not in the set";
    else if (!has_text(members) || !has_text(out->fresh))
        wrong = "no keys to change characters of: some members and some valid negatives must have 1 to 255 bytes";
    if (!wrong)
        return UF_OK;
    corpus_free(out);
    return refuse(why, UF_EINVAL, "%s", wrong);
}

/* ---- made up ---- */

static char one_of(struct stream *stream, const char *letters)
{
    return letters[stream_below(stream, (unsigned)strlen(letters))];
}

/* A name of up to PIECES pieces, each of a program's or of everyone's style; `program` is out of SHARES. */
static size_t make_name(struct stream *stream, unsigned program, char name[NAME_BYTES])
{
    static const char *const endings[2][4] = {{".com", ".org", ".net", ".com"}, {".top", ".xyz", ".net", ".info"}};
    unsigned pieces = 2 + stream_below(stream, PIECES - 1);
    size_t size = 0;
    for (unsigned i = 0; i < pieces; i++) {
        int own = stream_below(stream, SHARES) < program;
        for (unsigned j = 0; j < 3; j++)
            name[size++] = one_of(stream, own ? "bcdfghjkqvwxyz0123456789" : j == 1 ? "aeiou" : "bcdflmnprst");
    }
    const char *ending = endings[stream_below(stream, SHARES) < program][stream_below(stream, 4)];
    memcpy(name + size, ending, strlen(ending));
    return size + strlen(ending);
}

/* How much like a program's a name is: of the members half, of the others one in thirty. */
static unsigned style_of(struct stream *stream, enum list list)
{
    unsigned marked = list == MEMBERS ? 176 : 1;
    return stream_below(stream, 256) < marked ? SHARES * 7 / 8 : SHARES / 32;
}

static int make_list(struct corpus *corpus, enum list which, size_t count, struct key_set *taken, struct stream *stream,
                     char **text)
{
    uf_key *keys = corpus->owned[which] = calloc(count + 1, sizeof *keys);
    for (size_t i = 0; keys && i < count;) {
        size_t size = make_name(stream, style_of(stream, which), *text);
        uf_key key = {*text, size};
        int added = key_set_add(taken, key);
        if (added < 0)
            return -1;
        if (!added)
            continue;
        keys[i++] = key;
        *text += size;
    }
    return keys ? 0 : -1;
}

int corpus_make(size_t n, size_t others, struct stream *stream, struct corpus *out, uf_error *why)
{
    const size_t count[LISTS] = {n, n, others, others};
    struct corpus_list *const list[LISTS] = {&out->members, &out->negatives, &out->valid, &out->fresh};
    struct key_set taken = {.entry = NULL};
    *out = (struct corpus){.text = malloc((2 * n + 2 * others + 1) * NAME_BYTES)};
    char *text = out->text;
    int failed = !text;
    for (unsigned i = 0; !failed && i < LISTS; i++) {
        failed = make_list(out, i, count[i], &taken, stream, &text);
        *list[i] = (struct corpus_list){out->owned[i], count[i]};
    }
    key_set_free(&taken);
    out->known = out->fresh;
    if (failed || know_members(out))
        return no_memory(out, why);
    note_letters(out, out->members);
    note_letters(out, out->negatives);
    return UF_OK;
}
