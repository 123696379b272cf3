/* SPDX-License-Identifier: MIT */
/* verify: is this filter what someone has signed? */
#include "commands.h"

#include <stdio.h>

#include "message.h"
#include "progress.h"
#include "report.h"
#include "secret.h"
#include "shared.h"
#include "store.h"

static int verify(const struct args *args, const uf_context *context)
{
    const char *path = args->operand[0];
    uf_verify_key key, *given = NULL;
    uf_error why;
    if (secret_verify_key(args, &key, &given))
        return EXIT_ERROR;
    progress_library_phase("verifying");
    int status = uf_check_signature(path, args_value(args, &option_signature), given, context, &why);
    progress_hide();
    return status == UF_OK ? EXIT_FINE : store_load_error(path, context, &why);
}

static int report(const struct args *args)
{
    if (args_has(args, &option_json))
        return report_json(json_pack("{s:o, s:b}", "file", report_text(args->operand[0]), "verified", 1));
    if (!args_has(args, &option_quiet))
        (void)printf("%s  is what was signed\n", args->operand[0]);
    return EXIT_FINE;
}

static int run(const struct args *args)
{
    uf_context context;
    if (args_exclusive(args, &option_verify_key, &option_key_file))
        return EXIT_ERROR;
    if (!args_has(args, &option_verify_key) && !args_has(args, &option_key_file))
        return print_error(
            "--verify-key PUB, or --key-file KEYFILE for files of one's own, is missing; see 'ultrafilter "
            "verify --help'");
    if (store_open(args, &context))
        return EXIT_ERROR;
    int status = verify(args, &context);
    store_close(&context);
    return status ? status : report(args);
}

static const struct option *const options[] = {&option_verify_key, &option_key_file, &option_signature, &option_threads,
                                               &option_quiet,      &option_json,     &option_progress,  NULL};

static const struct example examples[] = {
    {"ultrafilter verify --verify-key their.pub list.uf", "Checks list.uf against list.uf.sig."},
    {"ultrafilter query --verify-key their.pub list.uf keys.txt", "The same before the first answer."},
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
        "keyed filter needs no other key for this.",
    .options = options,
    .examples = examples,
    .exit_status = "0 when it is, 2 when it is not or cannot be checked.",
    .least = 1,
    .most = 1,
    .run = run,
};
