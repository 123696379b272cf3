/* SPDX-License-Identifier: MIT */
#include "subject.h"

#include <string.h>

#include "status.h"

/* Names up to this many bytes are written out. */
enum { NAME_SHOWN = 200 };

/* The verbs that such sentences begin with, of one thing and of several. */
static const char *const verbs[][2] = {
    {"is", "are"},     {"was", "were"}, {"has", "have"},      {"had", "had"},       {"ends", "end"},
    {"needs", "need"}, {"does", "do"},  {"carries", "carry"}, {"cannot", "cannot"}, {"exists", "exist"},
};

static size_t word_length(const char *text)
{
    return strcspn(text, " ");
}

/* NULL: the text is not about the subject. */
static const char *const *verb_of(const char *text)
{
    size_t length = word_length(text);
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        if (strlen(verbs[i][0]) == length && !memcmp(text, verbs[i][0], length))
            return verbs[i];
    return NULL;
}

static int name(int status, const char *subject, unsigned several, uf_error *why)
{
    uf_error said;
    if (status == UF_OK || !why)
        return status;
    said = *why;
    const char *const *verb = verb_of(said.text);
    size_t length = strlen(subject), cut = length > NAME_SHOWN ? length - NAME_SHOWN : 0;
    const char *dots = cut ? "..." : "";
    if (verb)
        (void)fail_because(why, status, said.reason, "%s%s %s%s", dots, subject + cut, verb[several],
                           said.text + word_length(said.text));
    else
        (void)fail_because(why, status, said.reason, "%s%s: %s", dots, subject + cut, said.text);
    return status;
}

int subject_file(int status, const char *path, uf_error *why)
{
    return name(status, path, 0, why);
}

int subject_bytes(int status, uf_error *why)
{
    return name(status, "these bytes", 1, why);
}
