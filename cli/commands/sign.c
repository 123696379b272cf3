/* SPDX-License-Identifier: MIT */
/* sign: a small file beside a filter that shows who made it, and that nobody has altered it since. */
#include "commands.h"

#include <stdio.h>

#include "message.h"
#include "numbers.h"
#include "paths.h"
#include "progress.h"
#include "report.h"
#include "shared.h"
#include "signals.h"
#include "store.h"

static const struct option option_signature_output = {'o', "output", VALUE_TO_SIGNATURE, "SIG",
                                                      "Write the signature to SIG. Default: F.uf.sig."};
static const struct option option_mac = {0, "mac", VALUE_NONE, NULL,
                                         "A keyed BLAKE2b for one's own files instead of a signature."};

static const struct option option_sign_name = {0, "name", VALUE_TEXT, "NAME",
                                               "What the filter is for: it passes under no other name."};
static const struct option option_serial = {
    0, "serial", VALUE_NUMBER, "N", "A number that you raise with each filter of this name, so that old ones show."};

static const char *name_of(const struct args *args, char buffer[4096])
{
    if (args_has(args, &option_signature_output))
        return args_value(args, &option_signature_output);
    (void)snprintf(buffer, 4096, "%s.sig", args->operand[0]);
    return buffer;
}

static int sign(const struct args *args, const uf_context *context, const uf_purpose *purpose, const char *name)
{
    const char *path = args->operand[0];
    uf_error why;
    progress_library_phase("signing");
    const sigset_t before = signals_hold();
    int status =
        uf_sign_for(path, name, args_has(args, &option_mac) ? UF_SIGN_OWN : UF_SIGN_PUBLIC, purpose, context, &why);
    signals_restore(&before);
    progress_hide();
    return status == UF_OK ? EXIT_FINE : store_load_error(path, context, &why);
}

static int print_object(const struct args *args, const uf_purpose *purpose, const char *name)
{
    return report_json(json_pack("{s:o, s:o, s:s, s:o, s:o}", "file", report_text(args->operand[0]), "signature",
                                 report_text(name), "how", args_has(args, &option_mac) ? "blake2b" : "ed25519", "name",
                                 purpose->name ? json_string(purpose->name) : json_null(), "serial",
                                 purpose->serial ? json_integer((json_int_t)purpose->serial) : json_null()));
}

static int report(const struct args *args, const uf_purpose *purpose, const char *name)
{
    char serial[32] = "";
    if (args_has(args, &option_json))
        return print_object(args, purpose, name);
    if (args_has(args, &option_quiet))
        return EXIT_FINE;
    if (purpose->serial)
        (void)snprintf(serial, sizeof serial, ", serial %llu", (unsigned long long)purpose->serial);
    (void)printf("%s  a %s of the file%s%s%s; it takes %s to check it\n", name,
                 args_has(args, &option_mac) ? "MAC" : "signature", purpose->name ? " as " : "",
                 purpose->name ? purpose->name : "", serial,
                 args_has(args, &option_mac) ? "the same key" : "your verify key");
    return EXIT_FINE;
}

static int run(const struct args *args)
{
    uf_context context;
    uf_purpose purpose = UF_PURPOSE_INIT;
    char buffer[4096];
    const char *name = name_of(args, buffer);
    purpose.name = args_value(args, &option_sign_name);
    if (args_require(args, &option_key_file) || args_whole(args, &option_serial, 1, MOST_WHOLE, &purpose.serial) ||
        paths_check_output(args, name, VALUE_TO_SIGNATURE) || store_check_target(name) || store_open(args, &context))
        return EXIT_ERROR;
    int status = sign(args, &context, &purpose, name);
    store_close(&context);
    return status ? status : report(args, &purpose, name);
}

static const struct option *const options[] = {&option_key_file,
                                               &option_sign_name,
                                               &option_serial,
                                               &option_signature_output,
                                               &option_overwrite,
                                               &option_mac,
                                               &option_threads,
                                               &option_quiet,
                                               &option_json,
                                               &option_progress,
                                               NULL};

static const struct example examples[] = {
    {"ultrafilter sign --key-file our.key list.uf", "Writes list.uf.sig, to be handed out beside list.uf."},
    {"ultrafilter sign --key-file our.key --name deny-list --serial 7 list.uf",
     "The same, for those who ask for the deny list, and not for an old one."},
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
        "With --name the signature also says what the file is for, and with --serial which one of those it is; "
        "'verify' and 'query' can ask for both. Without a name every filter that you signed passes for every other, an "
        "allow list for the deny list; without a serial an old one passes for the newest.\n\n"
        "A signature covers the file as it is: after insert, remove or merge, sign again.",
    .options = options,
    .examples = examples,
    .exit_status = "0 when the signature was written, 2 on an error.",
    .least = 1,
    .most = 1,
    .run = run,
};
