/* SPDX-License-Identifier: MIT */
/* build: keys in, filter out. */
#include "commands.h"

#include <stdio.h>
#include <string.h>

#include "build.h"
#include "build_backup.h"
#include "learning.h"
#include "message.h"
#include "note.h"
#include "progress.h"
#include "release_shape.h"
#include "request.h"
#include "secret.h"
#include "shared.h"
#include "spec.h"
#include "store.h"
#include "written.h"

static const struct option option_like = {
    0, "like", VALUE_FILE, "FILE",
    "Take every parameter, the seed included, from this filter, so that the two can be merged."};

static const struct option option_for_release = {
    0, "for-release", VALUE_NONE, NULL,
    "Make the exact filter to keep when private copies of it will be published: the bloom filter of -n and --epsilon "
    "whose copies miss and accept the least. It holds the keys as they are and is not published itself."};

static const struct option option_partition = {
    0, "partition", VALUE_TEXT, "P/N",
    "Build part P of N, from 0, of a filter that is spread over machines: of all keys those that belong to it. 'join' "
    "makes the whole. Needs a seed that all parts share, in --spec or from --like."};

/* What is to be built, and what the filter it is like was. */
struct request {
    uf_spec spec;
    int counted; /* its n is that of other keys, which nobody declared */
};

/* Its keys are normalised alike, too. */
static int spec_like(const struct args *args, const uf_context *context, struct request *out,
                     struct keys_format *format)
{
    const char *path = args_value(args, &option_like);
    uf_filter *model;
    uf_released released;
    uf_info info;
    if (store_load(path, 0, context, &model))
        return EXIT_ERROR;
    uf_get_plan(model, &out->spec);
    uf_get_released(model, &released, sizeof released);
    uf_get_info(model, &info, sizeof info);
    int status = keys_format_for(args, model, format);
    uf_free(model);
    out->counted = !info.declared;
    if (spec_has_trait(&out->spec, UF_TRAIT_PRIVATE) || released.mechanism)
        return print_private_model(path);
    return status;
}

/* A key that would protect nothing is a mistake; one that is missing is noticed before a model is trained. */
static int check_key(const struct args *args, const uf_spec *spec)
{
    if (uf_spec_is_keyed(spec) && learning_wanted(spec) && !args_has(args, &option_key_file))
        return print_error("%s needs a key, which 'ultrafilter keygen' makes; give it with --key-file",
                           uf_spec_kind(spec));
    if (!args_has(args, &option_key_file) || uf_spec_is_keyed(spec) || spec_is(spec, "seed", "derived"))
        return EXIT_FINE;
    if (spec_has_trait(spec, UF_TRAIT_PRIVATE))
        return secret_check_use(args);
    return print_error("%s %s: the key has no use in %s; write keyed(%s)", args_label(args, &option_key_file).text,
                       args_value(args, &option_key_file), spec->text, spec->text);
}

static int check_label(const struct args *args, const uf_spec *spec)
{
    if (!args_has(args, &option_label) || spec_has_trait(spec, UF_TRAIT_PRIVATE))
        return EXIT_FINE;
    return print_error("--label %s: %s is not private, so it is no release that a label could name; leave it out",
                       args_value(args, &option_label), uf_spec_kind(spec));
}

static int set_prefer(const struct args *args, uf_spec *spec)
{
    uf_error why;
    if (!args_has(args, &option_prefer))
        return EXIT_FINE;
    if (!spec_is_kind(spec, "dpset"))
        return print_error("--prefer %s is for dpset, which has variants to choose from: %s has none; leave it out",
                           args_value(args, &option_prefer), uf_spec_kind(spec));
    return uf_spec_set(spec, "prefer", args_value(args, &option_prefer), &why) == UF_OK ? EXIT_FINE
                                                                                        : print_error("%s", why.text);
}

/* Parts of different seeds are no parts of one filter. */
static int set_partition(const struct args *args, uf_spec *spec)
{
    uf_error why;
    if (!args_has(args, &option_partition))
        return EXIT_FINE;
    if (!spec_has(spec, "seed"))
        return print_error("--partition %s: all parts need the same seed; say --spec '%s' with seed=0x and the same 16 "
                           "random digits everywhere, or seed=derived with one --key-file",
                           args_value(args, &option_partition), spec->text);
    (void)uf_spec_set(spec, "parts", NULL, NULL);
    (void)uf_spec_set(spec, "part", NULL, NULL); /* --like another part */
    return uf_spec_set(spec, "part", args_value(args, &option_partition), &why) == UF_OK
               ? EXIT_FINE
               : print_error("--partition %s: %s", args_value(args, &option_partition), why.text);
}

static int spec_from(const struct args *args, const uf_context *context, struct request *request,
                     struct keys_format *format)
{
    uf_spec *out = &request->spec;
    const bool dcso = store_format(args, NULL) == UF_FORMAT_DCSO;
    const struct option *said = args_has(args, &option_spec) ? &option_spec : &option_kind;
    const char *kind = args_has(args, &option_kind) ? args_value(args, &option_kind) : dcso ? "dcso" : "blocked";
    uf_error why;
    int status;
    request->counted = 0;
    if (args_has(args, &option_like))
        return spec_like(args, context, request, format);
    if (args_has(args, &option_for_release))
        return release_shape_spec(args, out);
    if (args_has(args, &option_spec))
        status = uf_spec_parse(args_value(args, &option_spec), out, &why);
    else
        status = request_keyed_spec(args, kind, out, &why);
    if (status != UF_OK)
        return print_error("%s", why.text);
    if (dcso && !spec_is_kind(out, "dcso"))
        return print_error("--format dcso and %s %s contradict each other: that format holds the kind dcso only",
                           args_label(args, said).text, args_value(args, said));
    if (spec_is_kind(out, "dcso"))
        keys_format_dcso(format);
    return EXIT_FINE;
}

static int build_and_save(const struct args *args, struct keys_input *input, const struct request *request,
                          const uf_context *context)
{
    const char *path = args_value(args, &option_output);
    uf_filter *filter = NULL;
    uint64_t keys = 0;
    int status = build_filter(input, &request->spec, context, &filter, &keys);
    if (!status && request->counted)
        uf_mark_counted(filter);
    if (!status)
        status = note_put(args, filter);
    if (!status)
        status = store_save(filter, path, store_format(args, NULL));
    if (!status)
        status = report_written(args, &(struct report_written){path, filter, keys, "line", "", "lines", false, false});
    uf_free(filter);
    return status;
}

/* ---- learned kinds ---- */

/* The set is streamed where there is a model, and in memory where it had to be read for one. */
static int build_learned(const struct args *args, const uf_spec *spec, const struct learning *learning,
                         const uf_context *given, uf_filter **out, uint64_t *keys)
{
    uf_context context = *given;
    struct keys_input input;
    uf_error why;
    int status;
    context.learning = &learning->learning;
    if (args_has(args, &option_model)) {
        if (keys_open_operands(args, 0, &learning->format, &input))
            return EXIT_ERROR;
        status = build_filter(&input, spec, &context, out, keys);
        keys_close(&input);
        return status;
    }
    *keys = learning->keys.count;
    progress_library_phase("building");
    status = uf_build(spec, learning->keys.keys, learning->keys.count, &context, out, &why);
    progress_hide();
    return status == UF_OK ? EXIT_FINE : print_error("%s", why.text);
}

static int learn_and_save(const struct args *args, const uf_spec *spec, const struct keys_format *format,
                          const uf_context *context)
{
    const char *path = args_value(args, &option_output);
    struct learning learning;
    uf_filter *filter = NULL;
    uint64_t keys = 0;
    if (learning_open(args, spec, format, context->threads, &learning))
        return EXIT_ERROR;
    int status = build_learned(args, spec, &learning, context, &filter, &keys);
    if (!status) {
        (void)uf_set_normal(filter, format->normal);
        learning_warn(&learning, filter);
        status = note_put(args, filter);
    }
    if (!status)
        status = store_save(filter, path, UF_FORMAT_UF);
    if (!status)
        status = report_written(args, &(struct report_written){path, filter, keys, "line", "", "lines", false, false});
    uf_free(filter);
    learning_close(&learning);
    return status;
}

/* ---- the command ---- */

static int build(const struct args *args, const uf_context *context)
{
    struct keys_format format;
    struct keys_input input;
    struct request request;
    if (keys_read_format(args, &format) || store_check_output(args_value(args, &option_output)) ||
        spec_from(args, context, &request, &format) || set_prefer(args, &request.spec) ||
        set_partition(args, &request.spec) || check_key(args, &request.spec) || check_label(args, &request.spec) ||
        learning_check(args, &request.spec))
        return EXIT_ERROR;
    format.secret = spec_has_trait(&request.spec, UF_TRAIT_PRIVATE);
    if (learning_wanted(&request.spec))
        return learn_and_save(args, &request.spec, &format, context);
    if (keys_open_operands(args, 0, &format, &input))
        return EXIT_ERROR;
    int status = build_and_save(args, &input, &request, context);
    keys_close(&input);
    return status;
}

/* A promise is kept by copies, so it says nothing here without --for-release, which leaves nothing else to choose. */
static int check_release(const struct args *args)
{
    static const struct option *const others[] = {&option_spec, &option_like, &option_kind, &option_fpr, &option_bits};
    if (args_has(args, &option_epsilon) && !args_has(args, &option_for_release))
        return print_error("--epsilon is for --for-release, the exact filter that private copies are made of; for a "
                           "private file of these keys use publish, or --spec dpset:n=CAPACITY,epsilon=%s",
                           args_value(args, &option_epsilon));
    int status = EXIT_FINE;
    for (size_t i = 0; !status && args_has(args, &option_for_release) && i < sizeof others / sizeof others[0]; i++)
        status = args_exclusive(args, &option_for_release, others[i]);
    return status;
}

static int check_request(const struct args *args)
{
    return build_backup_check(args) || args_exclusive(args, &option_backup_of, &option_like) ||
           args_exclusive(args, &option_backup_of, &option_for_release) ||
           args_exclusive(args, &option_backup_of, &option_partition) ||
           args_exclusive(args, &option_for_release, &option_partition) ||
           args_exclusive(args, &option_spec, &option_like) || args_exclusive(args, &option_prefer, &option_like) ||
           request_check(args) || request_exclusive(args, &option_spec) || request_exclusive(args, &option_like) ||
           check_release(args) || args_exclusive(args, &option_like, &option_lowercase) ||
           args_exclusive(args, &option_like, &option_trim) || note_check(args, store_format(args, NULL));
}

static int run(const struct args *args)
{
    uf_context context;
    if (args_require(args, &option_output) || check_request(args) || secret_check(args) || store_open(args, &context))
        return EXIT_ERROR;
    int status = args_has(args, &option_backup_of) ? build_backup(args, &context) : build(args, &context);
    store_close(&context);
    return status;
}

static const struct option *const options[] = {&option_output,
                                               &option_overwrite,
                                               &option_kind,
                                               &option_capacity,
                                               &option_fpr,
                                               &option_bits,
                                               &option_bits_per_key,
                                               &option_full,
                                               &option_window,
                                               &option_spec,
                                               &option_like,
                                               &option_partition,
                                               &option_backup_of,
                                               &option_for_release,
                                               &option_epsilon,
                                               &option_prefer,
                                               &option_key_file,
                                               &option_label,
                                               &option_prf,
                                               &option_model,
                                               &option_negatives,
                                               &option_valid,
                                               &option_children,
                                               &option_regions,
                                               &option_adversarial_share,
                                               &option_scores,
                                               &option_valid_scores,
                                               &option_force,
                                               KEYS_OPTIONS,
                                               &option_lowercase,
                                               &option_trim,
                                               NOTE_OPTIONS,
                                               &option_threads,
                                               &option_format,
                                               &option_quiet,
                                               &option_json,
                                               &option_progress,
                                               NULL};

static const struct example examples[] = {
    {"ultrafilter build -o words.uf -p 0.01 words.txt",
     "A filter of the lines of a file, wrong for 1 % of other lines."},
    {"ultrafilter build -o log.uf -p 0.1% --column url log.csv.gz more.csv.zst", "A column of packed tables."},
    {"ssh host cat log | ultrafilter build -o log.uf -n 100M -p 0.1%",
     "From a pipe; -n keeps the memory to the filter's."},
    {"ultrafilter build -o - words.txt | ssh host ultrafilter query - asked.txt", "To a pipe."},
    {"ultrafilter build -o small.uf --kind ribbon words.txt", "The smallest file; it cannot grow afterwards."},
    {"ultrafilter build -o tue.uf --like mon.uf tue.txt", "A filter that can be merged with mon.uf."},
    {"ultrafilter build -o p3.uf --spec blocked:n=1e9,fpr=0.01,seed=0x5eed --partition 3/16 all.txt",
     "Part 3 of 16, as others build on other machines; 'join' puts them together."},
    {"ultrafilter build -o seen.uf -n 1e6 -p 0.01 --key-file seen.key",
     "A keyed filter, for keys that hostile people choose."},
    {"ultrafilter build -o all.uf -n 1e6 -p 0.01 --full scale first.txt",
     "A filter that grows when more keys are inserted than planned."},
    {"ultrafilter build -o exact.uf --for-release --epsilon 3 -n 1e6 patients.txt",
     "The exact filter to keep, of which 'publish' makes private copies."},
    {"ultrafilter build -o bad.uf --kind partition --model m.ufm --valid good bad",
     "A learned filter: it needs bits only for what its model gets wrong."},
    {"ultrafilter build -o bad.uf --kind robust --adversarial-share 0.05 --key-file bad.key --model m.ufm --valid good "
     "bad",
     "The same when one query in twenty comes from someone who wants it to err."},
    {NULL, NULL},
};

const struct command command_build = {
    .name = "build",
    .synopsis = "-o F.uf [--spec S | --kind K -n CAP -p FPR | --like A.uf] [options] [KEYS ...|-]",
    .summary = "make a filter from a list of keys",
    .description =
        "Reads keys, one a line, from the files KEYS or from standard input, and writes a filter of them. The kind is "
        "blocked unless --kind says otherwise. Files in gzip, xz, zstd or bzip2 are unpacked on the way.\n\n"
        "Any two of the number of keys, the size and the false-positive rate give the third. Without -n the keys of a "
        "regular file are counted first; from a pipe the build then needs 16 bytes per key.\n\n"
        "The kinds dpset and ultra (--spec) never count: their n is a capacity that is declared, or count_epsilon pays "
        "for a noisy count. publish is made for them.\n\n"
        "More keys than -n are an error where --full is refuse, as it is for keyed filters; with --full scale the "
        "filter grows as it needs to, and keeps the rate of -p.\n\n"
        "With --key-file the filter is keyed: nobody without the key can tell which keys it errs on, even with the "
        "file at hand, and nobody can load it. The key is never in the file; an id of it is. A --spec with "
        "seed=derived "
        "is not keyed by it, but takes its seed from the key, so that the same keys give the same file.\n\n"
        "The kinds learned, sandwich and partition have a model inside, given with --model or trained on the spot with "
        "--negatives, and are smaller where keys look different from what is asked for. The rate is planned with the "
        "negatives of --valid and holds for keys like these. When a plain filter is smaller, that one is built. A key "
        "hides "
        "the filters inside, not the model: whoever has the file finds keys that it accepts, and sees what the keys "
        "look like.\n\n"
        "The kind uptown hides its keys even from its own model, which learns nothing: it is there to show that. The "
        "kinds downtown and robust are learned ones whose rate holds while the share --adversarial-share of all "
        "queries is chosen by someone who has the file, but not its key. All three need --key-file.",
    .options = options,
    .examples = examples,
    .exit_status = "0 when the filter was written, 2 on an error. An error leaves no file, and an old one unchanged.",
    .least = 0,
    .most = (size_t)-1,
    .run = run,
};
