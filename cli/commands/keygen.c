/* SPDX-License-Identifier: MIT */
/* keygen: a new master key, in a file of its own. */
#include "commands.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "message.h"
#include "paths.h"
#include "report.h"
#include "secret.h"
#include "shared.h"
#include "signals.h"
#include "store.h"

static const struct option option_key_output = {'o', "output", VALUE_TO_KEY, "KEYFILE",
                                                "Write the new key to KEYFILE, which must not exist yet."};
static const struct option option_public = {
    0, "public", VALUE_NONE, NULL,
    "Write the verify key of the master key that --key-file names. Everyone may have it."};

static int create(const char *path)
{
    uf_error why;
    secret_guard();
    const sigset_t before = signals_hold();
    int status = uf_secret_create(path, &why);
    signals_restore(&before);
    return status == UF_OK ? EXIT_FINE : print_error("%s", why.text);
}

static int report(const struct args *args, const char *path)
{
    uf_secret *secret;
    uf_error why;
    char id[UF_KEY_ID_SIZE];
    if (uf_secret_load(path, &secret, &why) != UF_OK)
        return print_error("%s", why.text);
    uf_secret_id(secret, id);
    uf_secret_free(secret);
    if (args_has(args, &option_json))
        return report_json(json_pack("{s:o, s:s}", "file", report_text(path), "key_id", id));
    if (!args_has(args, &option_quiet))
        (void)printf("%s  a new master key, id %s; only you may read it (mode 0600)\n"
                     "Do not lose it: nothing else can make the same files again. Keep a copy in a safe place.\n"
                     "Do not share it: whoever has it can undo what it protects.\n",
                     path, id);
    return EXIT_FINE;
}

/* A key that nobody was told of is no use, and one that lies about is a risk. Whether standard output took the report
 * is said when the program ends. */
static int create_and_report(const struct args *args, const char *path)
{
    if (create(path))
        return EXIT_ERROR;
    int status = report(args, path);
    if (!report_flush() || status)
        (void)unlink(path);
    return status;
}

/* The verify key of a master key that there is already. */
static int write_public(const struct args *args, const char *path)
{
    uf_secret *secret;
    uf_verify_key key;
    uf_error why;
    if (args_require(args, &option_key_file) || paths_check_output(args, path, VALUE_TO_VERIFY_KEY) ||
        store_check_target(path) || secret_load(args, &secret))
        return EXIT_ERROR;
    uf_verify_key_of(secret, &key);
    uf_secret_free(secret);
    if (uf_verify_key_save(&key, path, &why) != UF_OK)
        return print_error("%s", why.text);
    if (args_has(args, &option_json))
        return report_json(json_pack("{s:o}", "file", report_text(path)));
    if (!args_has(args, &option_quiet))
        (void)printf("%s  a verify key; hand it out, in a way that people trust\n", path);
    return EXIT_FINE;
}

static int run(const struct args *args)
{
    const char *path = args_value(args, &option_key_output);
    if (args_require(args, &option_key_output))
        return EXIT_ERROR;
    if (args_has(args, &option_public))
        return write_public(args, path);
    if (args_has(args, &option_key_file))
        return print_error("%s is for --public: a new key does not come from an old one",
                           args_label(args, &option_key_file).text);
    if (!strcmp(path, "-"))
        return print_error("-: a key is written to a file, not to standard output; write ./- for a file of that name");
    return create_and_report(args, path);
}

static const struct option *const options[] = {
    &option_key_output, &option_overwrite, &option_public, &option_key_file, &option_quiet, &option_json, NULL};

static const struct example examples[] = {
    {"ultrafilter keygen -o clinic.key", "A key for the lists of one owner; use it with --key-file clinic.key."},
    {"ultrafilter keygen --public --key-file clinic.key -o clinic.pub", "What others need to check its signatures."},
    {NULL, NULL},
};

const struct command command_keygen = {
    .name = "keygen",
    .synopsis = "-o KEYFILE [options]",
    .summary = "make a new master key",
    .description =
        "Draws a master key from the system's randomness and writes it to KEYFILE, which only its owner may "
        "read. A file that exists is never replaced.\n\n"
        "A filter built with it is keyed: those who lack the key can neither load it nor tell which keys it errs on. "
        "The key also makes releases repeatable: 'publish --label' makes the same bytes again from the same set, "
        "parameters, key and label. Its id, which is public, is in every file made with it. Do not lose the key, and "
        "do not share it.\n\n"
        "With --public it writes the verify key that belongs to an existing master key, for those who check what sign "
        "has signed.",
    .options = options,
    .examples = examples,
    .exit_status = "0 when the key was written, 2 on an error. An error leaves no file.",
    .least = 0,
    .most = 0,
    .run = run,
};
