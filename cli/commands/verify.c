/* SPDX-License-Identifier: MIT */
/* verify: is this filter what someone has signed? */
#include "commands.h"

#include <stdio.h>

#include "message.h"
#include "progress.h"
#include "purpose.h"
#include "report.h"
#include "secret.h"
#include "shared.h"
#include "store.h"

static int verify(const struct args *args, const uf_context *context, uf_signed *said)
{
    const char *path = args->operand[0];
    struct purpose purpose;
    uf_verify_key key, *given = NULL;
    uf_error why;
    if (secret_verify_key(args, &key, &given) || purpose_open(args, 1, &purpose))
        return EXIT_ERROR;
    progress_library_phase("verifying");
    int status = uf_load_signed_for(path, args_value(args, &option_signature), given, &purpose.wanted, context, NULL,
                                    said, sizeof *said, &why);
    progress_hide();
    status = status == UF_OK ? purpose_keep(&purpose, said) : store_load_error(path, context, &why);
    purpose_close(&purpose);
    return status;
}

static int print_object(const struct args *args, const uf_signed *said)
{
    return report_json(json_pack("{s:o, s:b, s:s, s:o, s:o}", "file", report_text(args->operand[0]), "verified", 1,
                                 "how", said->how == UF_SIGN_OWN ? "blake2b" : "ed25519", "name",
                                 said->name[0] ? json_string(said->name) : json_null(), "serial",
                                 said->serial ? json_integer((json_int_t)said->serial) : json_null()));
}

/* Under which name it was signed stands there always: whoever did not ask for one has to look. */
static int report(const struct args *args, const uf_signed *said)
{
    char serial[32] = "";
    if (args_has(args, &option_json))
        return print_object(args, said);
    if (args_has(args, &option_quiet))
        return EXIT_FINE;
    if (said->serial)
        (void)snprintf(serial, sizeof serial, ", serial %llu", (unsigned long long)said->serial);
    (void)printf("%s  is what was signed %s%s%s\n", args->operand[0], said->name[0] ? "as " : "under no name",
                 said->name, serial);
    return EXIT_FINE;
}

static int run(const struct args *args)
{
    uf_context context;
    uf_signed said;
    if (args_exclusive(args, &option_verify_key, &option_key_file))
        return EXIT_ERROR;
    if (!args_has(args, &option_verify_key) && !args_has(args, &option_key_file))
        return print_error(
            "--verify-key PUB, or --key-file KEYFILE for files of one's own, is missing; see 'ultrafilter "
            "verify --help'");
    if (store_open(args, &context))
        return EXIT_ERROR;
    int status = verify(args, &context, &said);
    store_close(&context);
    return status ? status : report(args, &said);
}

static const struct option *const options[] = {&option_verify_key,
                                               &option_key_file,
                                               &option_signature,
                                               &option_signed_name,
                                               &option_least_serial,
                                               &option_last_serial,
                                               &option_threads,
                                               &option_quiet,
                                               &option_json,
                                               &option_progress,
                                               NULL};

static const struct example examples[] = {
    {"ultrafilter verify --verify-key their.pub list.uf", "Checks list.uf against list.uf.sig."},
    {"ultrafilter verify --verify-key their.pub --name deny-list --last deny.serial list.uf",
     "It must be their deny list, and none that is older than the last."},
    {"ultrafilter query --verify-key their.pub --name deny-list list.uf keys.txt", "The same before the first answer."},
    {NULL, NULL},
};

const struct command command_verify = {
    .name = "verify",
    .synopsis = "--verify-key PUB | --key-file KEYFILE [options] F.uf",
    .summary = "check the signature of a filter",
    .description =
        "Checks that F.uf is, byte for byte, what the owner of the verify key has signed; or, with --key-file, what "
        "was "
        "signed with this master key, in either way. The signature is F.uf.sig unless --signature says otherwise. A "
        "keyed filter needs no other key for this.\n\n"
        "Every filter that its owner signed passes, unless you say which: --name asks for one that was signed under "
        "this name, --min-serial for one that is not older than that number, and --last for one that is not older than "
        "the last that was accepted, whose serial it keeps in a file. What was signed without a name or serial is "
        "refused then. The name and serial are printed.",
    .options = options,
    .examples = examples,
    .exit_status = "0 when it is, 2 when it is not or cannot be checked.",
    .least = 1,
    .most = 1,
    .run = run,
};
