/* SPDX-License-Identifier: MIT */
/*
 * The master key: the file that ultrafilter.key_file names, which superusers alone can set and see. It is read when the
 * first filter needs it, stays in this process until the setting changes, and is in no message: what is wrong with the
 * file goes to the server's log, and to nobody else.
 */
#include "host.h"
/* after it */
#include "utils/guc.h"

static char *key_file;
static uf_secret *secret;
static uf_error why_not;

static void on_change(const char *value, void *extra)
{
    (void)value;
    (void)extra;
    uf_secret_free(secret);
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

static const uf_secret *load(void)
{
    if (!secret && key_file && key_file[0])
        (void)uf_secret_load(key_file, &secret, &why_not);
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
