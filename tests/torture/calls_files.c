/* SPDX-License-Identifier: MIT */
/* Calls on files: filters, secrets, signatures, ledgers and locks. A call that fails leaves no file behind. */
#include <unistd.h>

#include "calls.h"

/* ---- saving and loading ---- */

/* A new file is there when the call says so, and otherwise not. */
static int new_file(const struct world *world, int status)
{
    const int there = !access(world->new_path, F_OK);
    (void)unlink(world->new_path);
    return there == (status == UF_OK) ? status : WRONG_ANSWER;
}

CALL(uf_save)
{
    return new_file(world, ARMED(uf_save(world->learned, world->new_path, UF_FORMAT_UF, &world->why)));
}

CALL(uf_write)
{
    size_t bytes = 0;
    return ARMED(uf_write(world->learned, UF_FORMAT_COMPACT, take_nothing, &bytes, &world->why));
}

static int loaded(const struct world *world, int status, uf_filter *out)
{
    int right = !out || uf_is_locked(out) || keys_found(out, &world->keys) >= CALL_KEYS;
    status = HANDED(status, out);
    uf_free(out);
    return right ? status : WRONG_ANSWER;
}

CALL(uf_load)
{
    uf_filter *out = NULL;
    int status = ARMED(uf_load(world->path, UF_FORMAT_UF, &world->ctx, &out, &world->why));
    return loaded(world, status, out);
}

CALL(uf_load_bytes)
{
    uf_filter *out = NULL;
    int status = ARMED(uf_load_bytes(world->file.data, world->file.size, UF_FORMAT_UF, &world->ctx, &out, &world->why));
    return loaded(world, status, out);
}

CALL(uf_load_view)
{
    uf_filter *out = NULL;
    int status = ARMED(uf_load_view(world->file.data, world->file.size, &world->ctx, &out, &world->why));
    return loaded(world, status, out);
}

CALL(uf_read_header)
{
    uf_header out;
    return ARMED(uf_read_header(world->file.data, world->file.size, &out, sizeof out, &world->why));
}

static uf_loader *loader_of(struct world *world, size_t bytes)
{
    uf_loader *loader = NULL;
    assert_status(UF_OK, uf_loader_new(&world->ctx, UF_FORMAT_UF, &loader, NULL), NULL);
    assert_status(UF_OK, uf_loader_feed(loader, world->file.data, bytes, NULL), NULL);
    return loader;
}

CALL(uf_loader_new)
{
    uf_loader *out = NULL;
    int status = ARMED(uf_loader_new(&world->ctx, UF_FORMAT_UF, &out, &world->why));
    uf_loader_free(out);
    return HANDED(status, out);
}

CALL(uf_loader_feed)
{
    uf_loader *loader = loader_of(world, 0);
    int status = ARMED(uf_loader_feed(loader, world->file.data, world->file.size, &world->why));
    uf_loader_free(loader);
    return status;
}

CALL(uf_loader_finish)
{
    uf_loader *loader = loader_of(world, world->file.size);
    uf_filter *out = NULL;
    int status = ARMED(uf_loader_finish(loader, &out, &world->why));
    status = loaded(world, status, out);
    uf_loader_free(loader);
    return status;
}

CALL(uf_loader_free)
{
    uf_loader *loader = loader_of(world, 5000);
    ARMED_VOID(uf_loader_free(loader));
    return UF_OK;
}

CALL(uf_is_locked)
{
    int locked = ARMED(uf_is_locked(world->locked));
    return RIGHT(locked == 1);
}

CALL(uf_unlock)
{
    uf_filter *filter = fresh(world, world->locked);
    int status = ARMED(uf_unlock(filter, &world->ctx, &world->why));
    const int right = uf_is_locked(filter) == (status != UF_OK) && keys_found(filter, &world->keys) >= CALL_KEYS;
    uf_free(filter);
    return right ? status : WRONG_ANSWER;
}

CALL(uf_verify)
{
    uf_filter *view = NULL;
    assert_status(UF_OK, uf_load_view(world->file.data, world->file.size, &world->ctx, &view, NULL), NULL);
    int status = ARMED(uf_verify(view, &world->why));
    uf_free(view);
    return status;
}

CALL(uf_fingerprint)
{
    char out[UF_FINGERPRINT_SIZE];
    return ARMED(uf_fingerprint(world->learned, out, &world->why));
}

CALL(uf_lock_file)
{
    uf_file_lock *out = NULL;
    int status = ARMED(uf_lock_file(world->path, NULL, NULL, &world->ctx, &out, &world->why));
    uf_unlock_file(out);
    return HANDED(status, out);
}

CALL(uf_unlock_file)
{
    uf_file_lock *lock = NULL;
    assert_status(UF_OK, uf_lock_file(world->path, NULL, NULL, &world->ctx, &lock, NULL), NULL);
    ARMED_VOID(uf_unlock_file(lock));
    return UF_OK;
}

/* ---- secrets ---- */

CALL(uf_secret_create)
{
    return new_file(world, ARMED(uf_secret_create(world->new_path, &world->why)));
}

CALL(uf_secret_load)
{
    uf_secret *out = NULL;
    int status = ARMED(uf_secret_load(world->key_path, &out, &world->why));
    uf_secret_free(out);
    return HANDED(status, out);
}

CALL(uf_secret_load_fd)
{
    uf_secret *out = NULL;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], secret_lines[0], SECRET_LINE), SECRET_LINE);
    close(ends[1]);
    int status = ARMED(uf_secret_load_fd(ends[0], &out, &world->why));
    close(ends[0]);
    uf_secret_free(out);
    return HANDED(status, out);
}

static uf_secret *some_secret(uf_error *why)
{
    static const unsigned char bytes[UF_SECRET_BYTES] = {1, 2, 3};
    uf_secret *out = NULL;
    (void)uf_secret_from_bytes(bytes, sizeof bytes, &out, why);
    return out;
}

CALL(uf_secret_from_bytes)
{
    ARM();
    uf_secret *out = some_secret(&world->why);
    DISARM();
    const int status = out ? UF_OK : world->why.status;
    uf_secret_free(out);
    return HANDED(status, out);
}

CALL(uf_secret_id)
{
    char id[UF_KEY_ID_SIZE] = "";
    ARMED_VOID(uf_secret_id(world->ctx.secret, id));
    return RIGHT(id[0]);
}

CALL(uf_secret_free)
{
    uf_secret *secret = some_secret(NULL);
    ARMED_VOID(uf_secret_free(secret));
    return UF_OK;
}

/* ---- signatures ---- */

CALL(uf_verify_key_of)
{
    uf_verify_key key;
    ARMED_VOID(uf_verify_key_of(world->ctx.secret, &key));
    return RIGHT(!memcmp(&key, &world->key, sizeof key));
}

CALL(uf_verify_key_save)
{
    return new_file(world, ARMED(uf_verify_key_save(&world->key, world->new_path, &world->why)));
}

CALL(uf_verify_key_load)
{
    uf_verify_key key;
    assert_status(UF_OK, uf_verify_key_save(&world->key, world->new_path, NULL), NULL);
    int status = ARMED(uf_verify_key_load(world->new_path, &key, &world->why));
    (void)unlink(world->new_path);
    return status;
}

CALL(uf_sign)
{
    return new_file(world, ARMED(uf_sign(world->path, world->new_path, UF_SIGN_OWN, &world->ctx, &world->why)));
}

static const uf_purpose purpose = {sizeof purpose, "list", 2};

CALL(uf_sign_for)
{
    return new_file(
        world, ARMED(uf_sign_for(world->path, world->new_path, UF_SIGN_PUBLIC, &purpose, &world->ctx, &world->why)));
}

CALL(uf_check_signature)
{
    return ARMED(uf_check_signature(world->path, NULL, &world->key, NULL, &world->why));
}

CALL(uf_load_signed)
{
    uf_filter *out = NULL;
    int status = ARMED(uf_load_signed(world->path, NULL, &world->key, &world->ctx, &out, &world->why));
    return loaded(world, status, out);
}

CALL(uf_load_signed_for)
{
    uf_filter *out = NULL;
    uf_signed said;
    int status = ARMED(uf_load_signed_for(world->path, NULL, &world->key, &purpose, &world->ctx, &out, &said,
                                          sizeof said, &world->why));
    return loaded(world, status, out);
}

CALL(uf_read_signature)
{
    uf_signed said;
    return ARMED(uf_read_signature(world->path, NULL, &said, sizeof said, &world->why));
}

/* ---- ledgers ---- */

static int count_entry(void *arg, const uf_ledger_entry *entry)
{
    (void)entry;
    ++*(size_t *)arg;
    return 0;
}

static int charge(const char *path, const char *id, uf_error *why)
{
    uf_charge what = UF_CHARGE_INIT;
    what.data_set = "data";
    what.mechanism = "dpset";
    what.id = id;
    what.epsilon = 1;
    what.budget = 9;
    return uf_ledger_charge(path, &what, NULL, 0, why);
}

CALL(uf_ledger_charge)
{
    size_t entries = 0;
    (void)unlink(world->new_path);
    assert_status(UF_OK, charge(world->new_path, "first", NULL), NULL);
    int status = ARMED(charge(world->new_path, "second", &world->why));
    assert_status(UF_OK, uf_ledger_read(world->new_path, count_entry, &entries, NULL), NULL);
    (void)unlink(world->new_path);
    return entries == 1u + (status == UF_OK) ? status : WRONG_ANSWER;
}

CALL(uf_ledger_read)
{
    size_t entries = 0;
    (void)unlink(world->new_path);
    assert_status(UF_OK, charge(world->new_path, "first", NULL), NULL);
    int status = ARMED(uf_ledger_read(world->new_path, count_entry, &entries, &world->why));
    (void)unlink(world->new_path);
    return status;
}

#define ROW(name)          \
    {                      \
#name, call_##name \
    }

const struct driver file_drivers[] = {ROW(uf_save),
                                      ROW(uf_write),
                                      ROW(uf_load),
                                      ROW(uf_load_bytes),
                                      ROW(uf_load_view),
                                      ROW(uf_read_header),
                                      ROW(uf_loader_new),
                                      ROW(uf_loader_feed),
                                      ROW(uf_loader_finish),
                                      ROW(uf_loader_free),
                                      ROW(uf_is_locked),
                                      ROW(uf_unlock),
                                      ROW(uf_verify),
                                      ROW(uf_fingerprint),
                                      ROW(uf_lock_file),
                                      ROW(uf_unlock_file),
                                      ROW(uf_secret_create),
                                      ROW(uf_secret_load),
                                      ROW(uf_secret_load_fd),
                                      ROW(uf_secret_from_bytes),
                                      ROW(uf_secret_id),
                                      ROW(uf_secret_free),
                                      ROW(uf_verify_key_of),
                                      ROW(uf_verify_key_save),
                                      ROW(uf_verify_key_load),
                                      ROW(uf_sign),
                                      ROW(uf_sign_for),
                                      ROW(uf_check_signature),
                                      ROW(uf_load_signed),
                                      ROW(uf_load_signed_for),
                                      ROW(uf_read_signature),
                                      ROW(uf_ledger_charge),
                                      ROW(uf_ledger_read),
                                      {NULL, NULL}};
