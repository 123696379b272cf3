/* SPDX-License-Identifier: MIT */
/* What the tests of the ledger share: a folder with room for one, and short ways to charge it and to list it. */
#ifndef UF_TEST_LEDGER_FIXTURE_H
#define UF_TEST_LEDGER_FIXTURE_H

#include <stdio.h>

#include "check.h"
#include "folder.h"

struct fixture {
    struct folder folder;
    char path[1024];
    uf_ledger_state now;
    uf_error why;
};

static inline int set_fixture(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    fixture->folder = folder_make();
    (void)snprintf(fixture->path, sizeof fixture->path, "%s/a.ufl", fixture->folder.path);
    *state = fixture;
    return 0;
}

static inline int clear_fixture(void **state)
{
    struct fixture *fixture = *state;
    folder_remove(&fixture->folder);
    free(fixture);
    return 0;
}

/* A release at 1,000,000,000 seconds, which are 2001-09-09T01:46:40Z. */
static inline uf_charge charge_of(const char *data_set, const char *id, double epsilon, double budget)
{
    uf_charge what = UF_CHARGE_INIT;
    what.data_set = data_set;
    what.mechanism = "dpset";
    what.id = id;
    what.epsilon = epsilon;
    what.budget = budget;
    what.time = 1000000000;
    return what;
}

static inline int charge_this(struct fixture *fixture, const uf_charge *what)
{
    return uf_ledger_charge(fixture->path, what, &fixture->now, sizeof fixture->now, &fixture->why);
}

static inline int charge(struct fixture *fixture, const char *data_set, const char *id, double epsilon, double budget)
{
    const uf_charge what = charge_of(data_set, id, epsilon, budget);
    return charge_this(fixture, &what);
}

/* A release with a label, which may be tried again. */
static inline int charge_label(struct fixture *fixture, const char *data_set, const char *id, const char *label)
{
    uf_charge what = charge_of(data_set, id, 1, 9);
    what.label = label;
    return charge_this(fixture, &what);
}

#define assert_charged(fixture, ...) assert_status(UF_OK, charge(fixture, __VA_ARGS__), &(fixture)->why)
#define assert_not_charged(want, fixture, ...) assert_refused(want, charge(fixture, __VA_ARGS__), &(fixture)->why)

/* What the file says: the entries, and the last one. */
struct listed {
    size_t count;
    uf_ledger_entry last;
};

static inline int list(void *arg, const uf_ledger_entry *entry)
{
    struct listed *listed = arg;
    listed->count++;
    listed->last = *entry;
    return 0;
}

static inline struct listed list_of(struct fixture *fixture)
{
    struct listed listed = {0};
    assert_status(UF_OK, uf_ledger_read(fixture->path, list, &listed, &fixture->why), &fixture->why);
    return listed;
}

#define FIXTURE(test) cmocka_unit_test_setup_teardown(test, set_fixture, clear_fixture)

#endif
