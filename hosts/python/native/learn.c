/* SPDX-License-Identifier: MIT */
#include "learn.h"

#include "gather.h"

/* All keys of a build, for as long as it takes. */
struct lists {
    struct gathered keys, negatives, valid;
};

static int read_lists(struct call *call, const struct lesson *lesson, struct lists *out)
{
    int status = gather(call, lesson->keys, &out->keys);
    if (status == UF_OK)
        status = gather(call, lesson->negatives, &out->negatives);
    return status == UF_OK ? gather(call, lesson->valid, &out->valid) : status;
}

/* With rate and children of the plan, as the program does it. */
static int train(struct call *call, const uf_spec *spec, const struct lists *lists, uf_model **out)
{
    uf_training how = UF_TRAINING_INIT;
    uf_spec plan;
    char children[32] = "ribbon";
    if (uf_plan(spec, &plan, NULL) == UF_OK) {
        (void)uf_spec_get(&plan, "fpr", &how.fpr);
        (void)uf_spec_get_text(&plan, "children", children, sizeof children);
    }
    how.positives = lists->keys.keys;
    how.positive_count = lists->keys.count;
    how.negatives = lists->negatives.keys;
    how.negative_count = lists->negatives.count;
    how.valid = lists->valid.keys;
    how.valid_count = lists->valid.count;
    how.children = children;
    return uf_train(&how, &call->context, out, &call->why);
}

static int build(struct call *call, const uf_spec *spec, const struct lists *lists, int force, uf_filter **out)
{
    uf_learning learning = UF_LEARNING_INIT;
    uf_model *model = NULL;
    int status = UF_OK;
    if (!(uf_kind_traits(uf_spec_kind(spec)) & UF_TRAIT_NEEDS_NEGATIVES))
        status = train(call, spec, lists, &model);
    learning.model = model;
    learning.valid = lists->valid.keys;
    learning.valid_count = lists->valid.count;
    learning.negatives = lists->negatives.keys;
    learning.negative_count = lists->negatives.count;
    learning.force = force;
    call->context.learning = &learning;
    if (status == UF_OK)
        status = uf_build(spec, lists->keys.keys, lists->keys.count, &call->context, out, &call->why);
    call->context.learning = NULL;
    uf_model_free(model);
    return status;
}

int learn(struct call *call, const uf_spec *spec, const struct lesson *lesson, uf_filter **out)
{
    struct lists lists = {{0}, {0}, {0}};
    int status = read_lists(call, lesson, &lists);
    if (status == UF_OK) {
        Py_BEGIN_ALLOW_THREADS status = build(call, spec, &lists, lesson->force, out);
        Py_END_ALLOW_THREADS
    }
    gather_free(&lists.keys);
    gather_free(&lists.negatives);
    gather_free(&lists.valid);
    return status;
}
