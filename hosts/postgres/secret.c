/* SPDX-License-Identifier: MIT */
/*
 * The master key: the file that ultrafilter.key_file names, which superusers alone can set and see. It is read when the
 * first filter needs it, and is in no message: what is wrong with the file goes to the server's log, and to nobody
 * else. A key stays in this process when the setting changes, since a builder of a query that runs may have it: one for
 * each that was ever used.
 */
#include "host.h"
/* after it */
#include "utils/guc.h"

static char *key_file;
static uf_error why_not;

struct known {
    struct known *next;
    uf_secret *secret;
};

static struct known *all;
static const uf_secret *secret; /* that of the setting; NULL: not read yet */

static void on_change(const char *value, void *extra)
{
    (void)value;
    (void)extra;
    secret = NULL;
}

void secret_define_setting(void)
{
    DefineCustomStringVariable("ultrafilter.key_file", "File of the master key of keyed filters.",
                               "Made by \"ultrafilter keygen\"; readable by the server's user and nobody else.",
                               &key_file, "", PGC_SUSET, GUC_SUPERUSER_ONLY | GUC_NO_SHOW_ALL | GUC_NOT_IN_SAMPLE, NULL,
                               on_change, NULL);
    MarkGUCPrefixReserved("ultrafilter");
}

/* The same key as before, when this one is known; takes it over. */
static const uf_secret *keep(uf_secret *loaded)
{
    char id[UF_KEY_ID_SIZE], other[UF_KEY_ID_SIZE];
    uf_secret_id(loaded, id);
    for (struct known *one = all; one; one = one->next) {
        uf_secret_id(one->secret, other);
        if (!strcmp(id, other)) {
            uf_secret_free(loaded);
            return one->secret;
        }
    }
    struct known *one = MemoryContextAllocExtended(TopMemoryContext, sizeof *one, MCXT_ALLOC_NO_OOM);
    if (!one) {
        uf_secret_free(loaded);
        return NULL;
    }
    *one = (struct known){all, loaded};
    all = one;
    return loaded;
}

static const uf_secret *load(void)
{
    uf_secret *loaded;
    if (!secret && key_file && key_file[0] && uf_secret_load(key_file, &loaded, &why_not) == UF_OK)
        secret = keep(loaded);
    return secret;
}

const uf_secret *secret_find(void *arg, const char *key_id)
{
    char id[UF_KEY_ID_SIZE];
    (void)arg;
    if (!load())
        return NULL;
    uf_secret_id(secret, id);
    return strcmp(id, key_id) ? NULL : secret;
}

const uf_secret *secret_needed(void)
{
    if (!key_file || !key_file[0])
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("ultrafilter: this filter needs a key, and the server has none"),
                        errhint("A superuser names the file of the key with ultrafilter.key_file.")));
    if (!load())
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("ultrafilter: the file that ultrafilter.key_file names cannot be used as a key"),
                        errdetail_log("%s", why_not.text)));
    return secret;
}
