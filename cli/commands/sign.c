/* SPDX-License-Identifier: MIT */
/* sign: a small file beside a filter that shows who made it, and that nobody has altered it since. */
#include "commands.h"

#include <stdio.h>

#include "message.h"
#include "progress.h"
#include "report.h"
#include "shared.h"
#include "signals.h"
#include "store.h"

static const struct option option_signature_output = {'o', "output", VALUE_FILE, "SIG",
                                                      "Write the signature to SIG. Default: F.uf.sig."};
static const struct option option_mac = {0, "mac", VALUE_NONE, NULL,
                                         "A keyed BLAKE2b for one's own files instead of a signature."};

static const char *name_of(const struct args *args, char buffer[4096])
{
    if (args_has(args, &option_signature_output))
        return args_value(args, &option_signature_output);
    (void)snprintf(buffer, 4096, "%s.sig", args->operand[0]);
    return buffer;
}

/* The signature must not go over what is signed. */
static int check_name(const struct args *args, const char *name)
{
    if (store_same_file(name, args->operand[0]))
        return print_error("%s: is the filter itself: choose another name for its signature", name);
    return store_check_target(name);
}

static int sign(const struct args *args, const uf_context *context, const char *name)
{
    const char *path = args->operand[0];
    uf_error why;
    progress_library_phase("signing");
    const sigset_t before = signals_hold();
    int status = uf_sign(path, name, args_has(args, &option_mac) ? UF_SIGN_OWN : UF_SIGN_PUBLIC, context, &why);
    signals_restore(&before);
    progress_hide();
    return status == UF_OK ? EXIT_FINE : store_load_error(path, context, &why);
}

static int report(const struct args *args, const char *name)
{
    const char *how = args_has(args, &option_mac) ? "blake2b" : "ed25519";
    if (args_has(args, &option_json))
        return report_json(json_pack("{s:o, s:o, s:s}", "file", report_text(args->operand[0]), "signature",
                                     report_text(name), "how", how));
    if (!args_has(args, &option_quiet))
        (void)printf("%s  %s\n", name,
                     args_has(args, &option_mac) ? "a MAC of the file; it takes the same key to check it"
                                                 : "a signature of the file; it takes your verify key to check it");
    return EXIT_FINE;
}

static int run(const struct args *args)
{
    uf_context context;
    char buffer[4096];
    const char *name = name_of(args, buffer);
    if (args_require(args, &option_key_file) || check_name(args, name) || store_open(args, &context))
        return EXIT_ERROR;
    int status = sign(args, &context, name);
    store_close(&context);
    return status ? status : report(args, name);
}

static const struct option *const options[] = {
    &option_key_file, &option_signature_output, &option_mac, &option_threads, &option_quiet,
    &option_json,     &option_progress,         NULL};

static const struct example examples[] = {
    {"ultrafilter sign --key-file our.key list.uf", "Writes list.uf.sig, to be handed out beside list.uf."},
    {"ultrafilter keygen --public --key-file our.key -o our.pub", "The verify key, which everyone may have."},
    {"ultrafilter sign --mac --key-file our.key seen.uf", "For a file that only you read."},
    {NULL, NULL},
};

const struct command command_sign = {
    .name = "sign",
    .synopsis = "--key-file KEYFILE [options] F.uf",
    .summary = "sign a filter, so that others can tell it is yours",
    .description =
        "Checks F.uf whole and writes an Ed25519 signature of all its bytes to F.uf.sig. The signing key is derived "
        "from "
        "the master key; others check it with the verify key that 'keygen --public' writes. With --mac it is a keyed "
        "BLAKE2b instead, which takes the master key itself: quicker to make and to check, for your own files.\n\n"
        "A signature covers the file as it is: after insert, remove or merge, sign again. It does not tell whether "
        "there is a newer file.",
    .options = options,
    .examples = examples,
    .exit_status = "0 when the signature was written, 2 on an error.",
    .least = 1,
    .most = 1,
    .run = run,
};
