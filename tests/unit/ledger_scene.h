/* SPDX-License-Identifier: MIT */
/* What the tests of the ledger share: a folder with room for one, and short ways to charge it and to list it. */
#ifndef UF_TEST_LEDGER_SCENE_H
#define UF_TEST_LEDGER_SCENE_H

#include <stdio.h>

#include "check.h"
#include "folder.h"

struct scene {
    struct folder folder;
    char path[1024];
    uf_ledger_state now;
    uf_error why;
};

static inline int set_scene(void **state)
{
    struct scene *scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    scene->folder = folder_make();
    (void)snprintf(scene->path, sizeof scene->path, "%s/a.ufl", scene->folder.path);
    *state = scene;
    return 0;
}

static inline int clear_scene(void **state)
{
    struct scene *scene = *state;
    folder_remove(&scene->folder);
    free(scene);
    return 0;
}

static inline int charge(struct scene *scene, const char *data_set, const char *id, double epsilon, double budget)
{
    return uf_ledger_charge(scene->path, data_set, "dpset", id, epsilon, budget, &scene->now, &scene->why);
}

#define assert_charged(scene, ...) assert_status(UF_OK, charge(scene, __VA_ARGS__), &(scene)->why)
#define assert_not_charged(want, scene, ...) assert_refused(want, charge(scene, __VA_ARGS__), &(scene)->why)

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

static inline struct listed list_of(struct scene *scene)
{
    struct listed listed = {0};
    assert_status(UF_OK, uf_ledger_read(scene->path, list, &listed, &scene->why), &scene->why);
    return listed;
}

#define SCENE(test) cmocka_unit_test_setup_teardown(test, set_scene, clear_scene)

#endif
