/* SPDX-License-Identifier: MIT */
/*
 * Every public function with one of its allocations refused. A driver makes what the function needs, calls it between
 * ARM and DISARM, and returns its status; where it cannot fail, UF_OK when the answer is right. It must be UF_OK or
 * UF_ENOMEM, with nothing handed out and a word why, nothing may leak, and the same call works afterwards.
 */
#ifndef UF_TORTURE_CALLS_H
#define UF_TORTURE_CALLS_H

#define UF_EXPERIMENTAL
#include "bytes.h"
#include "check.h"
#include "folder.h"
#include "keys.h"
#include "refuse.h"
#include "secrets.h"
#include "ultrafilter.h"

enum { CALL_KEYS = 200, CALL_WORDS = 400, WRONG_ANSWER = -1000 };

struct world {
    uint64_t at, calls; /* the allocation to refuse; how many there were */
    uf_error why;
    uf_context ctx; /* with a secret and what learned kinds need */
    struct folder folder;
    struct keys keys; /* 2 * CALL_KEYS, of which the first half is in the filters */
    struct keys good, bad, valid;
    unsigned char packed[CALL_KEYS * 8];
    int32_t offsets[CALL_KEYS + 1];
    uf_digest digests[CALL_KEYS];
    uf_filter *counting, *growing, *window, *keyed, *parted, *learned, *exact, *dcso, *locked;
    uf_model *model;
    uf_learning learning;
    uf_verify_key key;
    struct bytes file, model_file;
    char path[600], model_path[600], ledger_path[600], key_path[600], new_path[600];
};

struct driver {
    const char *name;
    int (*call)(struct world *world);
};

extern const struct driver filter_drivers[], file_drivers[], other_drivers[];

#define ARM() refuse_start(world->at)
#define DISARM() (world->calls = refuse_stop())

/* One call with its allocation refused: what it returns. */
#define ARMED(call) (ARM(), disarmed(world, (call)))
#define ARMED_VOID(call) \
    do {                 \
        ARM();           \
        call;            \
        DISARM();        \
    } while (0)

#define CALL(name) static int call_##name(struct world *world)

/* After a failure nothing was handed out. */
#define HANDED(status, out) (((status) == UF_OK) == ((out) != NULL) ? (status) : WRONG_ANSWER)
#define RIGHT(condition) ((condition) ? UF_OK : WRONG_ANSWER)

static inline int disarmed(struct world *world, int value)
{
    DISARM();
    return value;
}

/* After a failure no filter was handed out; one that was is freed. */
int filter_handed(int status, uf_filter *const *out);

/* For uf_write: counts bytes. */
int take_nothing(void *arg, const void *data, size_t bytes);

/* A copy that a call may change. */
uf_filter *fresh(const struct world *world, const uf_filter *filter);

#endif
