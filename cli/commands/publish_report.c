/* SPDX-License-Identifier: MIT */
/* What publish says about the file that it wrote. */
#include "publish.h"

#include <math.h>
#include <stdio.h>

#include "human.h"
#include "layout.h"
#include "message.h"
#include "promise.h"
#include "release_shape.h"
#include "report.h"
#include "shared.h"
#include "store.h"
#include "stream.h"
#include "written.h"

static void print_ledger(const uf_ledger_state *state)
{
    char text[256];
    int length;
    double left = state->left < 1e-6 ? 0 : state->left; /* what rounding leaves is nothing that could be spent */
    if (state->charged > 0)
        length = snprintf(text, sizeof text, "%.6g of %.6g spent after %llu release%s of this data set; %.6g left.",
                          state->spent, state->budget, (unsigned long long)state->releases,
                          state->releases == 1 ? "" : "s", left);
    else
        length = snprintf(text, sizeof text, "The same bytes were released before: nothing charged; %.6g of %.6g left.",
                          left, state->budget);
    if (state->delta > 0 && length > 0)
        (void)snprintf(text + length, sizeof text - (size_t)length, " The deltas add up to %.2g.", state->delta);
    layout_entry(stdout, "Ledger", text, 17);
}

/* How many there are is not said. */
void publish_warn_overfull(const char *path, const uf_filter *exact)
{
    uf_info info;
    uf_get_info(exact, &info, sizeof info);
    if (report_is_overfull(&info))
        print_warning(
            "%s: has more keys than the %s it was planned for, and its copy claims the rates of that plan: it "
            "will accept more of other keys than it says; build a larger one (-n)",
            path, human_count((double)info.capacity).text);
}

void publish_compare(struct publish *job, const uf_filter *copy)
{
    uf_info info;
    uf_claim claim;
    uf_design best;
    uf_error why;
    uf_get_info(copy, &info, sizeof info);
    uf_get_claim(copy, &claim, sizeof claim);
    if (isnan(claim.epsilon) || !info.capacity ||
        release_shape(job->epsilon, info.capacity, (double)info.bits / (double)info.capacity, &best, &why) != UF_OK ||
        claim.fpr + claim.fnr <= 1.05 * (best.fpr + best.fnr))
        return;
    job->better = best;
    print_warning("%s: its shape is made for exact answers: this copy misses %s of members and accepts %s of others, "
                  "and one of a filter of the same size made by 'build --for-release' (%s) would miss %s and accept %s",
                  job->args->operand[0], human_percent(claim.fnr).text, human_percent(claim.fpr).text, best.keep.text,
                  human_percent(best.fnr).text, human_percent(best.fpr).text);
}

static json_t *better_object(const struct publish *job)
{
    return job->better.k ? json_pack("{s:s, s:o, s:o}", "keep", job->better.keep.text, "fpr",
                                     report_number(job->better.fpr), "fnr", report_number(job->better.fnr))
                         : json_null();
}

int publish_print(const struct publish *job, const uf_filter *filter, const uf_ledger_state *state)
{
    char text[PROMISE_TEXT];
    uf_info info;
    uf_claim claim;
    uf_get_info(filter, &info, sizeof info);
    uf_get_claim(filter, &claim, sizeof claim);
    (void)printf("%s  %s  %s", stream_name(args_value(job->args, &option_output)), info.kind,
                 human_bytes((double)store_file_bytes(args_value(job->args, &option_output))).text);
    if (info.capacity)
        (void)printf("  %.2f bits per key", (double)info.bits / (double)info.capacity);
    (void)printf("\n");
    uf_released released;
    uf_get_released(filter, &released, sizeof released);
    promise_privacy(&claim, &released, text);
    layout_entry(stdout, "Promise", text, 17);
    promise_accuracy(&claim, text);
    layout_entry(stdout, "Accuracy", text, 17);
    layout_entry(stdout, "Not protected", claim.not_protected, 17);
    if (job->count_cost > 0) {
        (void)snprintf(text, sizeof text,
                       "%.3g of epsilon went into the noisy count that is its capacity, %s. Declare "
                       "--capacity to save it.",
                       job->count_cost, human_count((double)info.capacity).text);
        layout_entry(stdout, "Count", text, 17);
    }
    if (state)
        print_ledger(state);
    return EXIT_FINE;
}

int publish_print_json(const struct publish *job, const uf_filter *filter, const uf_ledger_state *state)
{
    uf_spec spec;
    uf_info info;
    uf_claim claim;
    uf_get_plan(filter, &spec);
    uf_get_info(filter, &info, sizeof info);
    uf_get_claim(filter, &claim, sizeof claim);
    const char *label = args_value(job->args, &option_label);
    json_t *ledger = state ? json_pack("{s:f, s:f, s:f, s:f, s:f}", "charged", state->charged, "spent", state->spent,
                                       "left", state->left, "budget", state->budget, "delta", state->delta)
                           : json_null();
    json_t *object = json_pack("{s:o, s:s, s:o, s:s, s:s, s:s, s:I, s:I, s:I, s:o, s:o}", "file",
                               report_text(args_value(job->args, &option_output)), "id", job->id, "label",
                               label ? report_text(label) : json_null(), "mechanism", job->mechanism, "kind", info.kind,
                               "spec", spec.text, "bytes", (json_int_t)info.bytes, "file_bytes",
                               (json_int_t)store_file_bytes(args_value(job->args, &option_output)), "bits",
                               (json_int_t)info.bits, "claim", report_claim(&claim), "ledger", ledger);
    if (object && job->exact && json_object_set_new(object, "better", better_object(job))) {
        json_decref(object);
        object = NULL;
    }
    return report_json(object);
}
