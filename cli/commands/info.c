/* SPDX-License-Identifier: MIT */
/* info: what a filter is, how full it is, and what it promises. */
#include "commands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "human.h"
#include "layout.h"
#include "learned_report.h"
#include "message.h"
#include "note.h"
#include "progress.h"
#include "promise.h"
#include "report.h"
#include "secret.h"
#include "shared.h"
#include "store.h"

struct facts {
    const char *path;
    uint64_t file_bytes;
    uf_spec spec;
    uf_info info;
    uf_claim claim;
    uf_released released;
    uf_note note;
    char key_id[17];
    uf_signed signature;          /* beside the file; how 0: there is none */
    int checked;                  /* it is by the owner of --verify-key, of exactly this file */
    char id[UF_FINGERPRINT_SIZE]; /* of a release, as a ledger has it; otherwise empty */
    int key_fits;                 /* --key-file was given, and it is the one */
    struct learned_report learned;
    uf_generation generation[UF_MOST_GENERATIONS]; /* info.generations of them, the newest first */
    char promise[PROMISE_TEXT];
    size_t attached_bytes; /* behind the filter, of DCSO's bloom */
    void *attached;        /* owned: a copy of them, with --data; otherwise NULL */
};

static const struct option option_print_data = {
    0, "data", VALUE_NONE, NULL, "Print the data attached to a file of DCSO's bloom, byte for byte, and nothing else."};

static double no_score(void *arg, uf_key key)
{
    (void)arg, (void)key;
    return NAN;
}

/* A key is not needed; one that is given is tried. Nothing is asked, so that no scores are needed either. */
static int try_key(const uf_context *given, uf_filter *filter, struct facts *facts)
{
    uf_learning learning = UF_LEARNING_INIT;
    uf_context with_scores = *given, *context = &with_scores;
    uf_error why;
    learning.score = no_score;
    context->learning = &learning;
    if (!context->secret || !facts->key_id[0])
        return EXIT_FINE;
    facts->key_fits = uf_unlock(filter, context, &why) == UF_OK;
    return facts->key_fits ? EXIT_FINE : print_error("%s: %s", facts->path, why.text);
}

/* Of what was released only: other filters have no entry in a ledger, and it takes a pass over the file. */
static int find_id(const uf_filter *filter, struct facts *out)
{
    uf_error why;
    if (!(uf_kind_traits(out->info.kind) & UF_TRAIT_PRIVATE) && !out->released.mechanism)
        return EXIT_FINE;
    return uf_fingerprint(filter, out->id, &why) == UF_OK ? EXIT_FINE : print_error("%s: %s", out->path, why.text);
}

/* Printed once all is checked, when the filter is gone. */
static int find_attached(const uf_filter *filter, bool wanted, struct facts *out)
{
    const void *data = NULL;
    (void)uf_get_attached(filter, &data, &out->attached_bytes);
    if (!wanted || !out->attached_bytes)
        return EXIT_FINE;
    out->attached = malloc(out->attached_bytes);
    if (!out->attached)
        return print_error("%s: no memory for %zu bytes of attached data", out->path, out->attached_bytes);
    memcpy(out->attached, data, out->attached_bytes);
    return EXIT_FINE;
}

static int describe(const struct args *args, const uf_context *context, struct facts *out)
{
    struct learned_report *report = &out->learned;
    uf_filter *filter;
    uf_sizes sizes;
    if (store_load(out->path, UF_WITHOUT_KEY, context, &filter))
        return EXIT_ERROR;
    uf_get_plan(filter, &out->spec);
    uf_get_info(filter, &out->info, sizeof out->info);
    uf_get_claim(filter, &out->claim, sizeof out->claim);
    uf_get_released(filter, &out->released, sizeof out->released);
    uf_get_key_id(filter, out->key_id);
    (void)uf_get_note(filter, &out->note, sizeof out->note);
    if (uf_get_sizes(filter, &sizes, sizeof sizes) == UF_OK)
        out->file_bytes = sizes.file_bytes;                                        /* what a pipe brought */
    if (uf_get_learned(filter, &report->learned, sizeof report->learned) == UF_OK) /* untouched when it is none */
        uf_get_regions(filter, report->region, sizeof report->region[0], UF_MOST_REGIONS);
    (void)uf_get_generations(filter, out->generation, sizeof out->generation[0], UF_MOST_GENERATIONS);
    int status = find_attached(filter, args_has(args, &option_print_data), out);
    if (!status)
        status = find_id(filter, out);
    if (!status)
        status = try_key(context, filter, out);
    uf_free(filter);
    if (out->key_id[0] && isnan(out->claim.epsilon) && !out->released.mechanism &&
        (!report->learned.children || !strcmp(out->info.kind, "uptown"))) /* its model has seen permuted keys only */
        (void)snprintf(out->promise, sizeof out->promise,
                       "Without its key, this file tells how many keys there are and nothing about which (%s).",
                       out->claim.proof);
    else
        promise_privacy(&out->claim, &out->released, out->promise);
    return status;
}

/* What stands beside the file is shown; whether it is true takes a key. */
static int find_signature(const struct args *args, const uf_context *context, struct facts *out)
{
    uf_verify_key key, *given = NULL;
    uf_error why;
    const char *where = args_value(args, &option_signature);
    if (secret_verify_key(args, &key, &given))
        return EXIT_ERROR;
    if (given && uf_load_signed_for(out->path, where, given, NULL, context, NULL, &out->signature,
                                    sizeof out->signature, &why) != UF_OK)
        return store_load_error(out->path, context, &why);
    out->checked = given != NULL;
    if (given || uf_read_signature(out->path, where, &out->signature, sizeof out->signature, &why) == UF_OK)
        return EXIT_FINE;
    if (where)
        return print_error("%s", why.text);
    if (why.status != UF_ESIGNATURE) /* there is one, and the system does not let us see it */
        print_warning("%s", why.text);
    return EXIT_FINE;
}

static int learn(const struct args *args, struct facts *out)
{
    uf_context context;
    *out = (struct facts){.path = args->operand[0]};
    if (store_open_any(args, &context))
        return EXIT_ERROR;
    int status = describe(args, &context, out);
    if (!status)
        status = find_signature(args, &context, out);
    store_close(&context);
    if (store_file_bytes(out->path))
        out->file_bytes = store_file_bytes(out->path);
    return status;
}

static json_t *released_object(const uf_released *released)
{
    return json_pack("{s:s, s:o, s:o, s:I}", "mechanism", released->mechanism, "rate", report_number(released->rate),
                     "bound", report_number(released->bound), "universe", (json_int_t)released->universe);
}

/* A figure that the kind does not tell is left out. */
static int add_known(json_t *object, const char *name, double value)
{
    return isnan(value) ? 0 : json_object_set_new(object, name, report_number(value));
}

static int add_full(json_t *object, const uf_info *info)
{
    if (!info->full)
        return 0;
    return json_object_set_new(object, "full", json_string(info->full)) ||
           (!isnan(info->count) && json_object_set_new(object, "count", json_integer((json_int_t)info->count))) ||
           json_object_set_new(object, "levels", json_integer((json_int_t)info->levels));
}

/* The newest first. */
static json_t *generations_list(const struct facts *facts)
{
    json_t *list = json_array();
    for (unsigned i = 0; list && i < facts->info.generations; i++) {
        const uf_generation *generation = &facts->generation[i];
        (void)json_array_append_new(
            list, json_pack("{s:o, s:o, s:o}", "count_estimate", report_number(generation->count_estimate), "fill",
                            report_number(generation->fill), "fpr_now", report_number(generation->fpr_now)));
    }
    return list;
}

static json_t *signature_object(const struct facts *facts)
{
    const uf_signed *said = &facts->signature;
    return json_pack("{s:s, s:s, s:o, s:o, s:b}", "how", said->how == UF_SIGN_OWN ? "blake2b" : "ed25519", "signer",
                     said->signer, "name", said->name[0] ? json_string(said->name) : json_null(), "serial",
                     said->serial ? json_integer((json_int_t)said->serial) : json_null(), "checked", facts->checked);
}

static int add_note(json_t *object, const uf_note *note)
{
    char date[NOTE_DATE_SIZE];
    note_date_text(note->date, date);
    return (note->name[0] && json_object_set_new(object, "name", json_string(note->name))) ||
           (note->comment[0] && json_object_set_new(object, "comment", json_string(note->comment))) ||
           (note->date && json_object_set_new(object, "date", json_string(date)));
}

/* What is done to keys, one word each. */
static const struct {
    unsigned normal;
    const char *word, *text;
} normals[] = {{UF_NORMAL_LOWERCASE, "lowercase", "letters A to Z are made small"},
               {UF_NORMAL_TRIM, "trim", "blanks around them are left out"},
               {UF_NORMAL_KEEPS_CR, "keeps-cr", "a carriage return before a newline is part of them"}};

static json_t *normal_list(unsigned normal)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < sizeof normals / sizeof normals[0]; i++)
        if (normal & normals[i].normal)
            (void)json_array_append_new(list, json_string(normals[i].word));
    return list;
}

/* Whether the capacity was declared matters where private copies can be made. */
static bool has_say(const struct facts *facts)
{
    const uf_info *info = &facts->info;
    if (info->generations || (info->full && !strcmp(info->full, "scale")) || facts->released.mechanism)
        return false; /* no copies can be made of these */
    return (uf_kind_traits(info->kind) & (UF_TRAIT_COPIES | UF_TRAIT_PRIVATE)) && info->levels <= 1;
}

static bool is_counted(const struct facts *facts)
{
    return has_say(facts) && !facts->info.declared;
}

static int print_object(const struct facts *facts)
{
    const uf_info *info = &facts->info;
    json_t *object = json_pack("{s:o, s:s, s:s, s:I, s:I, s:I, s:I, s:o}", "file", report_text(facts->path), "kind",
                               info->kind, "spec", facts->spec.text, "bytes", (json_int_t)info->bytes, "file_bytes",
                               (json_int_t)facts->file_bytes, "bits", (json_int_t)info->bits, "capacity",
                               (json_int_t)info->capacity, "claim", report_claim(&facts->claim));
    if (object &&
        (add_known(object, "count_estimate", info->count_estimate) || add_known(object, "fill", info->fill) ||
         add_known(object, "fpr_now", info->fpr_now) || add_known(object, "fnr_now", info->fnr_now) ||
         add_known(object, "removed_estimate", info->removed_estimate) ||
         add_known(object, "deletable_share", info->deletable_share) || add_known(object, "copies", info->copies) ||
         add_known(object, "saturated", info->saturated) || add_full(object, info) ||
         (info->parts && (json_object_set_new(object, "part", json_integer((json_int_t)info->part)) ||
                          json_object_set_new(object, "parts", json_integer((json_int_t)info->parts)))) ||
         (has_say(facts) && json_object_set_new(object, "declared", json_boolean(info->declared))))) {
        json_decref(object);
        object = NULL;
    }
    if (object && info->normal && json_object_set_new(object, "normalised", normal_list(info->normal))) {
        json_decref(object);
        object = NULL;
    }
    if (object &&
        ((facts->released.mechanism && json_object_set_new(object, "released", released_object(&facts->released))) ||
         (facts->signature.how && json_object_set_new(object, "signature", signature_object(facts))) ||
         add_note(object, &facts->note) ||
         (facts->info.generations && json_object_set_new(object, "generations", generations_list(facts))) ||
         (facts->attached_bytes &&
          json_object_set_new(object, "attached_bytes", json_integer((json_int_t)facts->attached_bytes))) ||
         (facts->key_id[0] && json_object_set_new(object, "key_id", json_string(facts->key_id))) ||
         (facts->id[0] && json_object_set_new(object, "id", json_string(facts->id))))) {
        json_decref(object);
        object = NULL;
    }
    if (object && facts->learned.learned.children &&
        json_object_set_new(object, "learned", learned_object(&facts->learned))) {
        json_decref(object);
        object = NULL;
    }
    return report_json(object);
}

static void field(const char *label, const char *text)
{
    layout_entry(stdout, label, text, 17);
}

static void print_size(const struct facts *facts)
{
    char text[256];
    const uf_info *info = &facts->info;
    int length = snprintf(text, sizeof text, "%s (%s bytes, %s of them the filter itself)",
                          human_bytes((double)facts->file_bytes).text, human_count((double)facts->file_bytes).text,
                          human_count((double)info->bytes).text);
    if (info->capacity && length > 0)
        (void)snprintf(text + length, sizeof text - (size_t)length, ", %.2f bits per key at capacity",
                       (double)info->bits / (double)info->capacity);
    field("Size", text);
}

/* A private filter does not tell how many there are; one of a released set was not even planned for a number. */
static void print_keys(const struct facts *facts)
{
    const uf_info *info = &facts->info;
    char text[256];
    const char *counted = is_counted(facts) ? ", as many as were counted" : "";
    if (!info->capacity && isnan(info->count_estimate))
        return;
    struct human capacity = human_count((double)info->capacity);
    if (isnan(info->count_estimate) && !info->capacity)
        (void)snprintf(text, sizeof text, "not told");
    else if (isnan(info->count_estimate))
        (void)snprintf(text, sizeof text, "planned for %s", capacity.text);
    else
        (void)snprintf(text, sizeof text, "%s, planned for %s%s; fill %s", human_estimate(info->count_estimate).text,
                       capacity.text, counted, human_percent(info->fill).text);
    size_t used = strlen(text);
    if (!isnan(info->copies))
        (void)snprintf(text + used, sizeof text - used, "; %s copies in all", human_count(info->copies).text);
    field("Keys", text);
}

/* So many keys each, the newest first. */
static void print_generations(const struct facts *facts)
{
    char text[32 + 24 * UF_MOST_GENERATIONS];
    const unsigned count = facts->info.generations;
    int length = snprintf(text, sizeof text, "%u; keys in each, the newest first: about", count);
    for (unsigned i = 0; i < count && length > 0 && (size_t)length < sizeof text; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, " %s%s",
                           human_count(round(facts->generation[i].count_estimate)).text, i + 1 < count ? "," : "");
    if (count)
        field("Generations", text);
}

/* Its own figures are those of the part; the spec has those of the whole. */
static void print_part(const uf_info *info)
{
    char text[128];
    (void)snprintf(text, sizeof text, "%u of %u, from 0 to %u, of one filter; keys of other parts are not in it",
                   info->part, info->parts, info->parts - 1);
    if (info->parts)
        field("Part", text);
}

static void print_full(const uf_info *info)
{
    char text[256] = "more keys are taken, and it errs more often then";
    if (!info->full)
        return;
    const double parts = info->generations ? info->generations : 1;
    if (!strcmp(info->full, "refuse"))
        (void)snprintf(text, sizeof text, "more keys are refused; %s of %s took room so far%s",
                       human_count(info->count).text, human_count((double)info->capacity / parts).text,
                       info->generations ? " in the newest generation" : "");
    if (!strcmp(info->full, "scale"))
        (void)snprintf(text, sizeof text, "it grows; %s filter%s so far", human_count(info->levels).text,
                       info->levels == 1 ? "" : "s");
    field("When full", text);
}

static void print_accuracy(const uf_info *info, const uf_claim *claim)
{
    char text[320], missed[128] = "no member is missed", now[64] = "";
    if (!(claim->fnr > 0) && !(claim->fnr_against & UF_AGAINST_ANY_REMOVALS))
        (void)snprintf(missed, sizeof missed, "no member is missed while only members are removed");
    if (claim->fnr > 0)
        (void)snprintf(missed, sizeof missed, "%s of members are missed", human_percent(claim->fnr).text);
    if (claim->fnr > 0 && !isnan(info->fnr_now))
        (void)snprintf(missed, sizeof missed, "%s of members are missed then, %s now", human_percent(claim->fnr).text,
                       human_percent(info->fnr_now).text);
    if (!isnan(info->fpr_now))
        (void)snprintf(now, sizeof now, ", %s now", human_percent(info->fpr_now).text);
    (void)snprintf(text, sizeof text, "%s of other keys are accepted at capacity%s; %s", human_percent(claim->fpr).text,
                   now, missed);
    field("Accuracy", text);
}

/* What a kind that can forget keys can still forget. */
static void print_removal(const uf_info *info, const uf_spec *spec)
{
    char text[256] = "every key can be removed";
    double planned;
    if (isnan(info->deletable_share))
        return;
    if (info->deletable_share < 1)
        (void)snprintf(text, sizeof text, "about %s of the keys can be removed",
                       human_percent(info->deletable_share).text);
    size_t used = strlen(text);
    if (info->saturated > 0)
        (void)snprintf(text + used, sizeof text - used, "; %s counter%s full and never fall%s",
                       human_count(info->saturated).text, info->saturated > 1 ? "s are" : " is",
                       info->saturated > 1 ? "" : "s");
    if (!isnan(info->removed_estimate) && uf_spec_get(spec, "removed", &planned) == UF_OK)
        (void)snprintf(text + used, sizeof text - used, "; %s were, planned for %s",
                       human_estimate(info->removed_estimate).text, human_count(planned).text);
    field("Removal", text);
}

/* What someone who wants it to err can achieve. */
static void print_attack(const struct facts *facts)
{
    char text[256];
    int length = 0;
    if (isnan(facts->claim.adversarial_fpr) && !facts->learned.learned.children)
        return;
    if (isnan(facts->claim.adversarial_fpr))
        length = snprintf(text, sizeof text, "nothing is promised for keys that someone chose");
    else
        length = snprintf(
            text, sizeof text, "%s of keys that someone without the key chose are accepted%s",
            human_percent(facts->claim.adversarial_fpr).text,
            facts->claim.fpr_against & UF_AGAINST_INSERTS ? "" : ", while no more keys are inserted than planned");
    if (facts->learned.learned.children && facts->learned.learned.adversarial_share > 0)
        (void)snprintf(text + length, sizeof text - (size_t)length, "; planned for %s of such queries",
                       human_percent(facts->learned.learned.adversarial_share).text);
    field("Under attack", text);
}

/* Of a filter over someone's own scores. */
static void print_unscored(const uf_claim *claim)
{
    char text[128];
    if (isnan(claim->unscored_fpr))
        return;
    (void)snprintf(text, sizeof text,
                   "%s of keys whose score is not a number are accepted: they are looked up in "
                   "every region",
                   human_percent(claim->unscored_fpr).text);
    field("Unscored", text);
}

/* What removals do to members and to removed keys, of kinds that have them. */
static void print_removal_claim(const uf_info *info, const uf_claim *claim)
{
    char text[256] = "of a key that is no member hides members, as many as strangers like";
    if (isnan(info->deletable_share))
        return;
    if (!isnan(claim->adversarial_fnr))
        (void)snprintf(text, sizeof text,
                       "%s of the members that nobody removed are missed at most, whatever strangers remove; more "
                       "removals are refused",
                       human_percent(claim->adversarial_fnr).text);
    field("Wrong removal", text);
    field("Removed keys", isnan(claim->removed_fpr) ? "some are accepted again: nothing is promised about them"
                                                    : "are never accepted again");
}

static void print_key(const struct facts *facts)
{
    char text[128];
    if (!facts->key_id[0])
        return;
    (void)snprintf(text, sizeof text, "needs the one with the id %s%s", facts->key_id,
                   facts->key_fits ? ", and this is it" : "");
    field("Key", text);
}

/* The first digits of a verify key tell it from others. */
static void print_signature(const struct facts *facts)
{
    char text[256], serial[32] = "";
    const uf_signed *said = &facts->signature;
    if (!said->how)
        return;
    if (said->serial)
        (void)snprintf(serial, sizeof serial, ", serial %llu", (unsigned long long)said->serial);
    (void)snprintf(text, sizeof text, "%s %.16s, %s%s%s; %s",
                   said->how == UF_SIGN_OWN ? "for oneself, with the key" : "by the owner of the verify key",
                   said->signer, said->name[0] ? "as " : "under no name", said->name, serial,
                   facts->checked ? "checked, and true" : "not checked: give --verify-key, or use verify");
    field("Signed", text);
}

static void print_normal(unsigned normal)
{
    char text[160] = "";
    for (size_t i = 0; i < sizeof normals / sizeof normals[0]; i++)
        if (normal & normals[i].normal)
            (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? ", " : "", normals[i].text);
    if (*text)
        field("Normalised", text);
}

/* What its maker says. */
static void print_maker(const uf_note *note)
{
    char date[NOTE_DATE_SIZE];
    note_date_text(note->date, date);
    if (note->name[0])
        field("Name", note->name);
    if (note->comment[0])
        field("Comment", note->comment);
    if (note->date)
        field("Date", date);
}

static void print_attached(size_t bytes)
{
    char text[96];
    (void)snprintf(text, sizeof text, "%s byte%s behind the filter; --data prints %s", human_count((double)bytes).text,
                   bytes == 1 ? "" : "s", bytes == 1 ? "it" : "them");
    if (bytes)
        field("Attached data", text);
}

/* Whoever closes standard output says when it failed. */
static int print_data(const struct facts *facts)
{
    if (facts->attached_bytes)
        (void)fwrite(facts->attached, 1, facts->attached_bytes, stdout);
    return EXIT_FINE;
}

static int print_human(const struct facts *facts)
{
    char kind[256];
    const char *about = uf_kind_about(facts->info.kind);
    (void)snprintf(kind, sizeof kind, "%s (%s)", facts->info.kind, about ? about : "no description");
    (void)printf("%s\n", facts->path);
    print_maker(&facts->note);
    field("Kind", kind);
    print_size(facts);
    print_attached(facts->attached_bytes);
    print_keys(facts);
    print_part(&facts->info);
    print_generations(facts);
    print_accuracy(&facts->info, &facts->claim);
    field("Privacy", facts->promise);
    print_key(facts);
    print_signature(facts);
    field("Spec", facts->spec.text);
    print_normal(facts->info.normal);
    print_full(&facts->info);
    print_attack(facts);
    print_unscored(&facts->claim);
    print_removal(&facts->info, &facts->spec);
    print_removal_claim(&facts->info, &facts->claim);
    if (facts->learned.learned.children)
        learned_print(&facts->learned);
    field("Holds against", facts->claim.adversary);
    if (facts->id[0])
        field("Release id", facts->id);
    field("Not protected", facts->claim.not_protected);
    field("Reasons", facts->claim.proof);
    if (facts->claim.rests_on[0])
        field("Rests on", facts->claim.rests_on);
    return EXIT_FINE;
}

static int run(const struct args *args)
{
    struct facts facts;
    if (args_exclusive(args, &option_print_data, &option_json))
        return EXIT_ERROR;
    int status = learn(args, &facts);
    if (!status)
        status = args_has(args, &option_print_data) ? print_data(&facts)
                 : args_has(args, &option_json)     ? print_object(&facts)
                                                    : print_human(&facts);
    free(facts.attached);
    return status;
}

static const struct option *const options[] = {
    &option_key_file,   &option_verify_key, &option_signature, &option_format_read,
    &option_print_data, &option_json,       &option_progress,  NULL};

static const struct example examples[] = {
    {"ultrafilter info words.uf", "Everything, in plain words."},
    {"ultrafilter info --json words.uf | jq .fpr_now", "One figure, for a script."},
    {"ultrafilter info --data old.bloom > data", "What DCSO's bloom attached to a filter."},
    {NULL, NULL},
};

const struct command command_info = {
    .name = "info",
    .synopsis = "F.uf [options]",
    .summary = "show what a filter is and what it promises",
    .description =
        "Checks the file whole, then prints its kind and parameters, its size, how many keys it holds by the share of "
        "bits that are set, its false-positive rate as planned and now, what can be removed, and what it does and does "
        "not protect. Of a private filter it shows the promise, computed from the numbers in the file, and nothing "
        "about how many keys there are, and the id that a ledger has of it. Of a keyed filter it shows the id of the "
        "key; with --key-file it says whether "
        "this is the one. A signature beside the file, F.uf.sig, is shown as it stands there; with --verify-key it is "
        "checked, and an error when it is not true. What its maker says of the file (build --name) comes first.",
    .options = options,
    .examples = examples,
    .exit_status = "0 when the file is a valid filter, 2 when it is not.",
    .least = 1,
    .most = 1,
    .run = run,
};
