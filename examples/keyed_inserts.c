/* SPDX-License-Identifier: MIT */
/*
 * A keyed filter that takes keys from strangers. Without the key nobody can choose names that it errs on, not even with
 * the file at hand; and as it refuses keys beyond its capacity, nobody can drive up its rate by filling it.
 *
 *     cc keyed_inserts.c $(pkg-config --cflags --libs ultrafilter) -o keyed_inserts
 *
 * The first run makes seen.key; later ones use it. Keep it apart from the filter's file.
 */
#include <stdio.h>
#include <string.h>
#include <ultrafilter.h>

/* Makes the key file if there is none. Creating replaces nothing, so it may fail: loading decides. */
static int open_secret(const char *path, uf_secret **out, uf_error *why)
{
    if (uf_secret_create(path, NULL) == UF_OK)
        printf("made %s\n", path);
    return uf_secret_load(path, out, why);
}

static int fill(uf_filter *filter, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int status = uf_insert(filter, (uf_key){names[i], strlen(names[i])});
        if (status == UF_EFULL) /* not an accident: plan a larger n, or stop listening */
            printf("%s: refused, the filter is full\n", names[i]);
        else if (status != UF_OK)
            return status;
    }
    return UF_OK;
}

static int run(const uf_context *context, uf_error *why)
{
    static const char *const names[] = {"alice", "bob", "carol", "dave"};
    uf_spec spec;
    uf_filter *filter = NULL, *loaded = NULL;
    int status = uf_spec_parse("keyed(bloom:n=3,fpr=1e-6,full=refuse)", &spec, why);
    if (status == UF_OK)
        status = uf_build(&spec, NULL, 0, context, &filter, why);
    if (status == UF_OK && (status = fill(filter, names, 4)) != UF_OK)
        snprintf(why->text, sizeof why->text, "cannot insert: %s", uf_status_text(status));
    if (status == UF_OK)
        status = uf_save(filter, "seen.uf", UF_FORMAT_UF, why);
    if (status == UF_OK)
        status = uf_load("seen.uf", UF_FORMAT_UF, context, &loaded, why); /* UF_EKEY without the key */
    for (size_t i = 0; status == UF_OK && i < 4; i++)
        printf("%s: %d\n", names[i], uf_query(loaded, (uf_key){names[i], strlen(names[i])}));
    uf_free(loaded);
    uf_free(filter);
    return status;
}

int main(void)
{
    uf_secret *secret;
    uf_error why;
    uf_context context = UF_CONTEXT_INIT;
    if (open_secret("seen.key", &secret, &why) != UF_OK)
        return fprintf(stderr, "%s\n", why.text), 1;
    context.secret = secret;
    int status = run(&context, &why);
    uf_secret_free(secret); /* wipes it */
    if (status != UF_OK)
        return fprintf(stderr, "%s\n", why.text), 1;
}
