/* SPDX-License-Identifier: MIT */
/*
 * Charging a ledger. The file is written anew for each charge and takes the place of the old one in one step
 * (core/file.h), so it is complete at every moment, readers need no lock, and whatever is not complete is damage.
 * The charge is on disk before the release exists; a process that dies in between has charged too much, never too
 * little, and may try again under its label: the same bytes from the same coins are charged once.
 *
 * Writers take turns through a lock on the file itself (core/file_lock.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "date.h"
#include "file.h"
#include "file_lock.h"
#include "ledger_text.h"
#include "name.h"
#include "number.h"
#include "rounding.h"
#include "sized.h"
#include "status.h"
#include "subject.h"

/* AGAIN: the file was made or replaced by another process; start again. */
enum { AGAIN = LOCK_AGAIN, MOST_ATTEMPTS = 10000 };

struct number_text {
    char text[32];
};

static struct number_text in_words(double value)
{
    struct number_text number;
    number_format(value, number.text, sizeof number.text);
    return number;
}

/* ---- the file ---- */

/* The file behind links, which stay: a ledger that took a link's place would leave two. A path that leads to nothing
 * is fine, a link that does is not. */
static int resolve(const char *path, char out[PATH_MAX], uf_error *why)
{
    struct stat about;
    if (realpath(path, out))
        return UF_OK;
    if (errno != ENOENT)
        return file_system_error(why, "opened");
    if (!lstat(path, &about) && S_ISLNK(about.st_mode)) /* else it has come in between */
        return fail(why, UF_EIO, "is a link to a file that does not exist");
    if (strlen(path) >= PATH_MAX)
        return fail(why, UF_EIO, "has a path that is too long");
    strcpy(out, path);
    return UF_OK;
}

static int check_file(const struct stat *about, uf_error *why)
{
    if (!S_ISREG(about->st_mode))
        return fail(why, UF_EIO, "is %s, not a file", S_ISDIR(about->st_mode) ? "a directory" : "a device or pipe");
    if (about->st_size > LEDGER_MOST)
        return fail(why, UF_EFORMAT, "is not a ledger: it is larger than any");
    return UF_OK;
}

static int read_text(int fd, size_t bytes, struct ledger *ledger, uf_error *why)
{
    int status = ledger_start(ledger, bytes, why);
    if (status != UF_OK)
        return status;
    status = file_read(fd, ledger->text, bytes, 0, why);
    if (status == UF_OK)
        status = ledger_parse(ledger, why);
    if (status != UF_OK)
        ledger_free(ledger);
    return status;
}

static int read_all(const char *path, ledger_each *each, void *arg, uf_error *why)
{
    struct ledger ledger;
    struct stat about;
    uint64_t bytes;
    int fd = file_open(path, &bytes, why);
    if (fd < 0)
        return fd;
    int status = fstat(fd, &about) ? file_system_error(why, "examined") : check_file(&about, why);
    if (status == UF_OK)
        status = read_text(fd, (size_t)bytes, &ledger, why);
    close(fd);
    if (status != UF_OK)
        return status;
    int reason = ledger_walk(&ledger, each, arg);
    if (reason)
        status = fail_because(why, UF_ECANCELED, reason, "the callback that takes the releases returned %d", reason);
    ledger_free(&ledger);
    return status;
}

int uf_ledger_read(const char *path, ledger_each *each, void *arg, uf_error *why)
{
    error_clear(why);
    if (!path || !each)
        return fail(why, UF_EINVAL, "no path or no function to call was given");
    return subject_file(read_all(path, each, arg, why), path, why);
}

/* The file with its lock and its text; *fd < 0 and a text without releases when there is none. */
static int open_locked(const char *path, int *fd, struct ledger *ledger, uf_error *why)
{
    struct stat about;
    int status = lock_try(path, O_NOFOLLOW, fd, &about, why);
    if (status == LOCK_NO_FILE) {
        status = ledger_start(ledger, 0, why);
        if (status == UF_OK)
            status = ledger_clear(ledger, why);
        if (status != UF_OK)
            ledger_free(ledger);
        return status;
    }
    if (status != UF_OK)
        return status;
    status = about.st_nlink > 1
                 ? fail(why, UF_EIO, "has a second name (a hard link), which would stay behind: remove one of them")
                 : check_file(&about, why);
    if (status == UF_OK)
        status = read_text(*fd, (size_t)about.st_size, ledger, why);
    if (status != UF_OK)
        close(*fd);
    return status;
}

/* The first ledger of this name: another process may be quicker. */
static int create(const char *path, const struct ledger *ledger, uf_error *why)
{
    int status = file_replace_bytes(path, FILE_NEW, ledger->text, ledger->bytes, why);
    return status == UF_EIO && !access(path, F_OK) ? AGAIN : status;
}

static int replace(const char *path, const struct ledger *ledger, uf_error *why)
{
    return file_replace_bytes(path, FILE_REPLACE, ledger->text, ledger->bytes, why);
}

/* ---- the decision ---- */

static int check_names(const uf_charge *charge, uf_error *why)
{
    const uf_ledger_entry *wide;
    const struct {
        const char *what, *text;
        size_t capacity;
    } names[] = {{"data set", charge->data_set, sizeof wide->data_set},
                 {"mechanism", charge->mechanism, sizeof wide->mechanism},
                 {"release", charge->id, sizeof wide->id},
                 {"label", charge->label ? charge->label : "none", sizeof wide->label}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!names[i].text || !name_fits(names[i].text, names[i].capacity))
            return fail(why, UF_EINVAL, "the name of the %s, '%s', is not 1 to %zu visible characters without a space",
                        names[i].what, names[i].text ? names[i].text : "", names[i].capacity - 1);
    if (charge->file && strlen(charge->file) >= sizeof wide->file)
        return fail(why, UF_EINVAL, "the name of the file has more than %zu bytes: '%s'", sizeof wide->file - 1,
                    charge->file);
    return UF_OK;
}

static int check_numbers(const uf_charge *charge, uf_error *why)
{
    if (!isfinite(charge->budget) || charge->budget < 0)
        return fail(why, UF_EINVAL, "a budget of %s makes no sense: it is a number above 0",
                    in_words(charge->budget).text);
    if (!isfinite(charge->epsilon))
        return fail(why, UF_EBUDGET,
                    "a release by '%s' has no finite epsilon, so no budget covers it: choose a mechanism that has one, "
                    "or release without a ledger",
                    charge->mechanism);
    if (charge->epsilon <= 0)
        return fail(why, UF_EINVAL, "an epsilon of %s makes no sense: it is a number above 0",
                    in_words(charge->epsilon).text);
    if (!(charge->delta >= 0 && charge->delta < 1))
        return fail(why, UF_EINVAL, "a delta of %s makes no sense: it is a number from 0 to 1",
                    in_words(charge->delta).text);
    return UF_OK;
}

/* The charge as an entry; its names were checked. */
static int entry_of(const uf_charge *charge, uf_ledger_entry *out, uf_error *why)
{
    const int64_t now = charge->time ? charge->time : (int64_t)time(NULL);
    *out = (uf_ledger_entry){.epsilon = charge->epsilon, .delta = charge->delta};
    if (!date_format(now, out->date))
        return fail(why, UF_EINVAL, "%lld seconds since 1970 are in no year from 1 to 9999", (long long)now);
    strcpy(out->data_set, charge->data_set);
    strcpy(out->mechanism, charge->mechanism);
    strcpy(out->id, charge->id);
    strcpy(out->label, charge->label ? charge->label : "");
    strcpy(out->file, charge->file ? charge->file : "");
    return UF_OK;
}

static int check_budget(const struct data_set *set, const char *name, double budget, uf_error *why)
{
    if (!set && budget == 0)
        return fail(why, UF_EINVAL, "the data set '%s' is not in this ledger yet: give its budget", name);
    if (set && budget != 0 && budget != set->state.budget)
        return fail(why, UF_EMISMATCH,
                    "the data set '%s' has a budget of %s, not %s: a budget is decided once; to change it, keep this "
                    "ledger as a record and start a new one",
                    name, in_words(set->state.budget).text, in_words(budget).text);
    return UF_OK;
}

/* What a ledger has of a release: the first entry with its id and data set, and one with its label that is another
 * release. Empty ids: none. */
struct known {
    const uf_ledger_entry *wanted;
    uf_ledger_entry same, namesake;
    int repeated; /* there is one with its id, data set and label */
};

static int is_same(const uf_ledger_entry *a, const uf_ledger_entry *b)
{
    return !strcmp(a->id, b->id) && !strcmp(a->data_set, b->data_set);
}

static int note_known(void *arg, const uf_ledger_entry *entry)
{
    struct known *known = arg;
    const int same = is_same(entry, known->wanted);
    const int labelled = entry->label[0] && !strcmp(entry->label, known->wanted->label);
    if (same && !known->same.id[0])
        known->same = *entry;
    if (!same && labelled)
        known->namesake = *entry;
    known->repeated |= same && labelled;
    return 0;
}

/* Other bytes under one label would tell that the set changed, and equal ones of two data sets that these are equal. */
static int check_label(const uf_ledger_entry *namesake, const uf_ledger_entry *wanted, uf_error *why)
{
    if (!namesake->id[0])
        return UF_OK;
    return fail(why, UF_EMISMATCH,
                "the label %s is that of the release %s of '%s' on %s, and this one has another %s: a label names one "
                "release, so give this one a new label",
                wanted->label, namesake->id, namesake->data_set, namesake->date,
                strcmp(namesake->data_set, wanted->data_set)
                    ? "data set"
                    : "set, other parameters or another key, or was made with another version");
}

/* Entries of version 1 have no date and no delta. */
static int check_repeat(const uf_ledger_entry *found, const uf_ledger_entry *wanted, uf_error *why)
{
    if (!found->id[0])
        return UF_OK;
    if (found->epsilon == wanted->epsilon && (!found->date[0] || found->delta == wanted->delta) &&
        !strcmp(found->mechanism, wanted->mechanism))
        return UF_OK;
    return fail(why, UF_EMISMATCH,
                "the release %s was recorded as %s with epsilon %s and delta %s, and is now %s with epsilon %s and "
                "delta %s",
                wanted->id, found->mechanism, in_words(found->epsilon).text, in_words(found->delta).text,
                wanted->mechanism, in_words(wanted->epsilon).text, in_words(wanted->delta).text);
}

static int check_rest(const uf_ledger_state *state, const uf_ledger_entry *wanted, uf_error *why)
{
    if (sum_up(state->spent, wanted->epsilon) <= state->budget)
        return UF_OK;
    return fail(why, UF_EBUDGET,
                "the data set '%s' has spent %s of its budget of %s: %s is left, and this release needs an epsilon of "
                "%s",
                wanted->data_set, in_words(state->spent).text, in_words(state->budget).text, in_words(state->left).text,
                in_words(wanted->epsilon).text);
}

/* Adds the release to the text, unless it is there already, or says why it may not be. Only a label makes the same
 * coins again. Without one they were fresh, and bytes that came out equal by chance, as those of small files do, tell
 * as much as any others: that two draws agree is twice the evidence. */
static int decide(struct ledger *ledger, const uf_ledger_entry *wanted, double budget, uf_ledger_state *now,
                  uf_error *why)
{
    struct known known = {.wanted = wanted};
    (void)ledger_walk(ledger, note_known, &known);
    const struct data_set *set = ledger_find(ledger, wanted->data_set);
    const uf_ledger_state fresh = {.budget = budget, .left = budget};
    int status = check_budget(set, wanted->data_set, budget, why);
    if (status == UF_OK)
        status = check_label(&known.namesake, wanted, why);
    if (status == UF_OK)
        status = check_repeat(&known.same, wanted, why);
    if (status == UF_OK && !known.repeated)
        status = check_rest(set ? &set->state : &fresh, wanted, why);
    if (status == UF_OK && !known.repeated)
        status = ledger_add(ledger, wanted, budget, why);
    if (status == UF_OK) {
        *now = ledger_find(ledger, wanted->data_set)->state;
        now->charged = known.repeated ? 0 : wanted->epsilon;
    }
    return status;
}

/* A release that is recorded already is written once more: the process that recorded it may have failed before it was
 * on disk. */
static int charge_once(const char *path, const uf_ledger_entry *wanted, double budget, uf_ledger_state *now,
                       uf_error *why)
{
    struct ledger ledger;
    int fd;
    int status = open_locked(path, &fd, &ledger, why);
    if (status != UF_OK)
        return status;
    status = decide(&ledger, wanted, budget, now, why);
    if (status == UF_OK)
        status = fd < 0 ? create(path, &ledger, why) : replace(path, &ledger, why);
    if (fd >= 0)
        close(fd); /* and so the lock */
    ledger_free(&ledger);
    return status;
}

static int charge_file(const char *path, const uf_charge *given, uf_ledger_state *now, size_t now_size, uf_error *why)
{
    char target[PATH_MAX];
    uf_charge charge = UF_CHARGE_INIT;
    uf_ledger_state state;
    uf_ledger_entry wanted;
    int status = sized_read(&charge, sizeof charge, given, given->size, "UF_CHARGE_INIT", why);
    if (status == UF_OK)
        status = check_names(&charge, why);
    if (status == UF_OK)
        status = check_numbers(&charge, why);
    if (status == UF_OK)
        status = entry_of(&charge, &wanted, why);
    if (status == UF_OK)
        status = resolve(path, target, why);
    if (status != UF_OK)
        return status;
    status = AGAIN;
    for (unsigned attempt = 0; status == AGAIN && attempt < MOST_ATTEMPTS; attempt++)
        status = charge_once(target, &wanted, charge.budget, &state, why);
    if (status == AGAIN)
        return fail(why, UF_EIO, "another process has the ledger and does not let it go: wait for it, or end it");
    if (status == UF_OK && now)
        status = sized_write(&state, sizeof state, now, now_size);
    return status;
}

int uf_ledger_charge(const char *path, const uf_charge *charge, uf_ledger_state *now, size_t now_size, uf_error *why)
{
    error_clear(why);
    if (!path || !charge)
        return fail(why, UF_EINVAL, "no path or nothing to charge was given");
    if (now && !now_size)
        return fail(why, UF_EINVAL, "a state of 0 bytes was given: its size is sizeof(uf_ledger_state)");
    return subject_file(charge_file(path, charge, now, now_size, why), path, why);
}
