/* SPDX-License-Identifier: MIT */
/*
 * What the planner is told: what asking costs, and how many rows pass `key <@ filter`. Those are the members, and of
 * all others the rate, 10000 of 10^6 for a filter that has none of them and a rate of 0.01:
 *
 *     passing = share * (1 - fnr) + (1 - share) * fpr
 *
 * A constant filter is asked about the values that ANALYZE kept of the column, as operators that match patterns are
 * (matchingsel); those are a hundred, so that no less than its rate is expected. Where there are none, and for the
 * filter of a subquery, (SELECT uf_build(key, spec) ...), which is not built yet, the share is guessed as for an
 * equality join: the smaller set is taken to be a part of the larger one, so that it is the filter's keys in the
 * distinct values of the column. Of a filter nothing is used but its answers and what it claims: the n it was planned
 * for and its rates. The planner knows no number that its bytes do not tell.
 */
#include "host.h"
/* after it */
#include <math.h>

#include "access/detoast.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

/* Of a filter that nothing is known of, in a column for example: the rate that most have, and that of matchingsel. */
#define UNKNOWN_RATE 0.01

enum { MOST_BYTES_TO_PLAN = 16 << 20 }; /* larger filters are not loaded to plan with: that takes milliseconds */

/* What is known of a filter before the query runs. */
struct expected {
    double keys; /* in it, negative: not known */
    double fpr, fnr;
    int askable; /* it is a constant, and answers here */
};

static double rate_or(double rate, double otherwise)
{
    return rate >= 0 && rate <= 1 ? rate : otherwise;
}

/* ---- a constant ---- */

static int has_its_key(const uf_filter *filter)
{
    char id[UF_KEY_ID_SIZE];
    uf_get_key_id(filter, id);
    return !uf_is_locked(filter) || (id[0] && secret_find(NULL, id));
}

static struct expected of_constant(Datum value)
{
    struct expected known = {-1, UNKNOWN_RATE, 0, 0};
    uf_sizes sizes;
    uf_claim claim;
    if (toast_raw_datum_size(value) > MOST_BYTES_TO_PLAN)
        return known;
    struct held *held = value_look(PG_DETOAST_DATUM_PACKED(value));
    if (uf_get_sizes(held->filter, &sizes, sizeof sizes) == UF_OK && sizes.capacity)
        known.keys = (double)sizes.capacity;
    if (uf_get_claim(held->filter, &claim, sizeof claim) == UF_OK) {
        known.fpr = rate_or(claim.fpr, UNKNOWN_RATE);
        known.fnr = rate_or(claim.fnr, 0);
    }
    known.askable = has_its_key(held->filter) && !value_is_barred(held->filter);
    held_drop(held);
    return known;
}

/* ---- a subquery that builds one ---- */

/* The planner of the subquery whose result a parameter is, NULL when it is another kind of parameter. */
static PlannerInfo *subquery_of(PlannerInfo *root, const Param *param)
{
    ListCell *cell;
    for (; root; root = root->parent_root) {
        foreach (cell, root->init_plans) {
            const SubPlan *plan = lfirst(cell);
            if (list_length(plan->setParam) == 1 && linitial_int(plan->setParam) == param->paramid)
                return list_nth(root->glob->subroots, plan->plan_id - 1);
        }
    }
    return NULL;
}

/* Rows that come to its aggregate; negative: it has no table. */
static double rows_of(PlannerInfo *subquery)
{
    int member;
    RelOptInfo *rows = NULL;
    if (bms_get_singleton_member(subquery->all_baserels, &member))
        rows = find_base_rel(subquery, member);
    else if (!bms_is_empty(subquery->all_baserels))
        rows = find_join_rel(subquery, subquery->all_baserels);
    return rows ? rows->rows : -1;
}

static double rate_of_spec(const Node *argument)
{
    const Const *said = (const Const *)argument;
    uf_spec spec;
    double fpr = NAN;
    if (IsA(said, Const) && !said->constisnull &&
        uf_spec_parse(TextDatumGetCString(said->constvalue), &spec, NULL) == UF_OK)
        (void)uf_spec_get(&spec, "fpr", &fpr);
    return rate_or(fpr, UNKNOWN_RATE);
}

/* uf_build(key, spec) as the one thing that a subquery selects. */
static struct expected of_subquery(PlannerInfo *subquery)
{
    struct expected known = {-1, UNKNOWN_RATE, 0, 0};
    const TargetEntry *entry = subquery->parse->targetList ? linitial(subquery->parse->targetList) : NULL;
    const Aggref *aggregate = entry ? (const Aggref *)entry->expr : NULL;
    if (!aggregate || !IsA(aggregate, Aggref) || subquery->parse->groupClause || list_length(aggregate->args) != 2)
        return known;
    Node *key = (Node *)((TargetEntry *)linitial(aggregate->args))->expr;
    known.fpr = rate_of_spec((Node *)((TargetEntry *)lsecond(aggregate->args))->expr);
    known.keys = rows_of(subquery);
    if (known.keys > 0)
        known.keys = estimate_num_groups(subquery, list_make1(key), known.keys, NULL, NULL);
    return known;
}

/* ---- how many pass ---- */

static int is_key(Node *argument)
{
    Oid type = exprType(argument);
    return type == TEXTOID || type == BYTEAOID || type == INT8OID || type == UUIDOID;
}

static struct expected expect(PlannerInfo *root, Node *filter)
{
    Node *value = estimate_expression_value(root, filter);
    PlannerInfo *subquery = NULL;
    if (IsA(value, Const) && !((Const *)value)->constisnull)
        return of_constant(((Const *)value)->constvalue);
    if (IsA(value, Param) && ((Param *)value)->paramkind == PARAM_EXEC)
        subquery = subquery_of(root, (Param *)value);
    return subquery ? of_subquery(subquery) : (struct expected){-1, UNKNOWN_RATE, 0, 0};
}

/* Distinct values of a column; negative: not known. */
static double distinct_of(PlannerInfo *root, Node *key, int relation)
{
    VariableStatData column;
    bool guessed = true;
    examine_variable(root, key, relation, &column);
    double distinct = column.rel ? get_variable_numdistinct(&column, &guessed) : -1;
    ReleaseVariableStats(column);
    return guessed ? -1 : distinct;
}

/* Of the rows of a column, and what is known of the filter. */
static double passing(PlannerInfo *root, List *arguments, int relation, struct expected *out)
{
    Node *first = linitial(arguments), *second = lsecond(arguments);
    int key_first = is_key(first);
    struct expected known = expect(root, key_first ? second : first);
    double distinct = distinct_of(root, key_first ? first : second, relation);
    double share = known.keys < 0 || distinct < 1 ? 0 : Min(1, known.keys / distinct);
    *out = known;
    return share * (1 - known.fnr) + (1 - share) * known.fpr;
}

/* For the operators' RESTRICT. */
PG_FUNCTION_INFO_V1(ufpg_restrict);
Datum ufpg_restrict(PG_FUNCTION_ARGS)
{
    PlannerInfo *root = (PlannerInfo *)PG_GETARG_POINTER(0);
    Oid operator= PG_GETARG_OID(1);
    List *arguments = (List *)PG_GETARG_POINTER(2);
    int relation = PG_GETARG_INT32(3);
    struct expected known;
    if (list_length(arguments) != 2)
        PG_RETURN_FLOAT8(UNKNOWN_RATE);
    double rows = passing(root, arguments, relation, &known);
    if (known.askable) {
        rows = generic_restriction_selectivity(root, operator, PG_GET_COLLATION(), arguments, relation, rows);
        rows = Max(rows, known.fpr);
    }
    PG_RETURN_FLOAT8(rows);
}

static Node *selectivity(SupportRequestSelectivity *request)
{
    struct expected known;
    if (list_length(request->args) != 2)
        return NULL;
    request->selectivity =
        request->is_join ? UNKNOWN_RATE : passing(request->root, request->args, request->varRelid, &known);
    return (Node *)request;
}

/* ---- costs ---- */

/* A query costs about what an operator does. Loading a constant filter costs once, a page for each 8 KiB. */
static Node *costs(SupportRequestCost *request)
{
    ListCell *cell;
    List *arguments = NIL;
    request->per_tuple = cpu_operator_cost;
    request->startup = 0;
    if (request->node && IsA(request->node, FuncExpr))
        arguments = ((FuncExpr *)request->node)->args;
    else if (request->node && IsA(request->node, OpExpr))
        arguments = ((OpExpr *)request->node)->args;
    foreach (cell, arguments) {
        const Const *constant = lfirst(cell);
        if (IsA(constant, Const) && !constant->constisnull && constant->constlen == -1)
            request->startup += seq_page_cost * (Cost)toast_raw_datum_size(constant->constvalue) / BLCKSZ;
    }
    return (Node *)request;
}

PG_FUNCTION_INFO_V1(ufpg_support);
Datum ufpg_support(PG_FUNCTION_ARGS)
{
    Node *request = (Node *)PG_GETARG_POINTER(0);
    if (IsA(request, SupportRequestCost))
        PG_RETURN_POINTER(costs((SupportRequestCost *)request));
    PG_RETURN_POINTER(IsA(request, SupportRequestSelectivity) ? selectivity((SupportRequestSelectivity *)request)
                                                              : NULL);
}
