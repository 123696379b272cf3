/* SPDX-License-Identifier: MIT */
/*
 * Removing a key that was never added would take bits away from others, and these would then be missing. A filter
 * cannot tell (a key it accepts may be a look-alike), so the table does: an entry is `owned` when this source itself
 * was added. A source that is new where nobody was ever forgotten has never been seen, and is added whatever the filter
 * says. Where someone was forgotten, a source that the filter accepts may be back, or may be a look-alike: it is not
 * added and, when its last strike comes, not removed either. It stays in the good filter, which does no harm: the bad
 * filter speaks first. So the good filter never loses a key that it should have.
 */
#include "gate.h"

#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "message.h"

const char *verdict_name(enum verdict verdict)
{
    static const char *const names[VERDICTS] = {"unknown", "good", "bad"};
    return names[verdict];
}

/* ---- opening ---- */

static int parse_spec(const char *text, const struct gate_options *options, uint64_t seed, uf_spec *out, uf_error *why)
{
    double given;
    char number[24];
    int status = uf_spec_parse(text, out, why);
    if (status || !options->seeded || !uf_spec_get(out, "seed", &given))
        return status;
    (void)snprintf(number, sizeof number, "0x%llx", (unsigned long long)seed);
    return uf_spec_set(out, "seed", number, why);
}

/* Whether a filter was made with this spec: one that is made now has the same plan, but for the seed. */
static int made_with(const uf_filter *filter, const uf_spec *spec)
{
    uf_spec have, want = *spec;
    uf_filter *twin = NULL;
    char seed[32];
    uf_get_plan(filter, &have);
    if (!uf_spec_get_text(&have, "seed", seed, sizeof seed))
        (void)uf_spec_set(&want, "seed", seed, NULL);
    if (uf_build(&want, NULL, 0, NULL, &twin, NULL))
        return 0;
    uf_get_plan(twin, &want);
    uf_free(twin);
    return !strcmp(want.text, have.text);
}

/* What an option of gate_open says about one of the filters. */
struct wanted {
    const char *option, *text, *file;
    int given;
    uint64_t seed;
};

static int load_filter(struct member_filter *member, const struct wanted *wanted, const uf_spec *spec)
{
    uf_error why;
    uf_spec plan;
    if (uf_load(wanted->file, UF_FORMAT_UF, NULL, &member->filter, &why))
        return print_error("cannot load a filter that was kept: %s", why.text);
    uf_get_plan(member->filter, &plan);
    if (wanted->given && !made_with(member->filter, spec))
        return print_error("%s %s: %s was made with %s, and what is in it stays; leave %s out, or keep another folder",
                           wanted->option, wanted->text, wanted->file, plan.text, wanted->option);
    member->loaded = 1;
    return EXIT_FINE;
}

static int open_filter(struct member_filter *member, const struct wanted *wanted, const struct gate_options *options)
{
    uf_spec spec;
    uf_error why;
    uf_info info;
    const int kept = wanted->file && !access(wanted->file, F_OK);
    int status = parse_spec(wanted->text, options, wanted->seed, &spec, &why);
    if (!status && kept && load_filter(member, wanted, &spec))
        return EXIT_ERROR;
    if (!status && !kept)
        status = uf_build(&spec, NULL, 0, NULL, &member->filter, &why);
    if (status)
        return print_error("%s %s: %s", wanted->option, wanted->text, why.text);
    uf_get_info(member->filter, &info, sizeof info);
    member->capacity = info.capacity;
    member->keys = kept && info.count_estimate > 0 ? (uint64_t)ceil(info.count_estimate) : 0;
    if (uf_insert_many(member->filter, NULL, 0, NULL) == UF_EUNSUPPORTED)
        return print_error("%s %s: this kind cannot grow; take one that can, such as bloom", wanted->option,
                           wanted->text);
    if (!info.capacity)
        return print_error("%s %s: has no room for any key; give n, the number of sources it is for", wanted->option,
                           wanted->text);
    return EXIT_FINE;
}

static struct sources *open_table(const struct gate_options *options)
{
    uint8_t key[16] = {0};
    if (options->seeded)
        memcpy(key, &options->seed, sizeof options->seed);
    else
        randombytes_buf(key, sizeof key);
    return sources_new(options->places, key);
}

int gate_open(struct gate *gate, const struct gate_options *options)
{
    const struct wanted good = {"--good", options->good, options->good_file, options->good_given, options->seed};
    const struct wanted bad = {"--bad", options->bad, options->bad_file, options->bad_given, options->seed + 1};
    *gate = (struct gate){.patterns = options->patterns, .strikes = options->strikes};
    if (open_filter(&gate->good, &good, options) || open_filter(&gate->bad, &bad, options))
        return EXIT_ERROR;
    if (uf_remove_many(gate->good.filter, NULL, 0, NULL, NULL) == UF_EUNSUPPORTED)
        return print_error("--good %s: this kind cannot remove; take one that can, such as counting", options->good);
    gate->sources = open_table(options);
    if (!gate->sources)
        return print_error("--sources %llu: not enough memory for the table", (unsigned long long)options->places);
    if (gate->good.loaded)
        sources_may_be_back(gate->sources);
    return EXIT_FINE;
}

void gate_close(struct gate *gate)
{
    uf_free(gate->good.filter);
    uf_free(gate->bad.filter);
    sources_free(gate->sources);
}

/* ---- the two filters ---- */

/*
 * How much room a removal makes depends on the kind: `deletable` keeps the bits that others share. So removals are not
 * counted off; when the filter looks full, the fill says how many keys it is worth. That is one pass over the filter,
 * made only when at least a sixteenth of it may have become free.
 */
static int has_capacity(struct member_filter *member)
{
    uf_info info;
    if (member->keys < member->capacity)
        return 1;
    if (member->freed <= member->capacity / 16)
        return 0;
    uf_get_info(member->filter, &info, sizeof info);
    member->freed = 0;
    if (!(info.count_estimate >= 0 && info.count_estimate < (double)member->capacity))
        return 0;
    member->keys = (uint64_t)ceil(info.count_estimate);
    return member->keys < member->capacity;
}

/* 1 when the key is in the filter afterwards. */
static int add(struct member_filter *member, const struct address *address)
{
    if (!has_capacity(member) || uf_insert(member->filter, address_key(address), NULL) != UF_OK) {
        member->turned_away++;
        return 0;
    }
    member->keys++;
    member->added++;
    return 1;
}

static int accepts(const struct member_filter *member, const struct address *address)
{
    return uf_query(member->filter, address_key(address));
}

int gate_deny(struct gate *gate, const struct address *address)
{
    if (accepts(&gate->bad, address) || add(&gate->bad, address))
        return EXIT_FINE;
    return print_error(
        "the do-not-serve list does not fit: the bad filter is for %llu addresses; give --bad a larger n",
        (unsigned long long)gate->bad.capacity);
}

static void remove_good(struct gate *gate, const struct source *source)
{
    if (!source->owned || uf_remove(gate->good.filter, address_key(&source->address), NULL) != UF_OK) {
        gate->counts.left++;
        return;
    }
    gate->good.removed++;
    gate->good.freed++;
}

/* ---- a packet ---- */

/* Adds a source that is not known to be in the good filter; `fresh`: it was certainly never seen. */
static void welcome(struct gate *gate, struct source *source, int fresh)
{
    if (!source->owned && (fresh || !accepts(&gate->good, &source->address)))
        source->owned = (uint8_t)add(&gate->good, &source->address);
}

static void scan(struct gate *gate, struct source *source, const struct packet *packet)
{
    source->seen = gate->clock;
    if (!gate->patterns)
        return;
    unsigned found = patterns_scan(gate->patterns, &source->state, packet->payload, packet->size);
    if (packet->missing)
        source->state = 0; /* what comes next does not follow on */
    gate->counts.strikes += found;
    found += source->strikes;
    source->strikes = (uint8_t)(found < gate->strikes ? found : gate->strikes);
}

/* Moves the source, unless the bad filter has no room: then it stays where it is, and is turned away again at every
 * packet. */
static int condemn(struct gate *gate, const struct source *source)
{
    if (source->strikes < gate->strikes || !add(&gate->bad, &source->address))
        return 0;
    gate->counts.moved++;
    if (gate->condemned)
        gate->condemned(gate->condemned_arg, &source->address);
    remove_good(gate, source);
    return 1;
}

static unsigned serve_known(struct gate *gate, struct source *source, const struct packet *packet)
{
    welcome(gate, source, 0);
    scan(gate, source, packet);
    const unsigned strikes = source->strikes;
    if (condemn(gate, source))
        sources_drop(gate->sources, source);
    return strikes;
}

static unsigned serve_new(struct gate *gate, const struct sources_home *home, const struct packet *packet)
{
    struct source source = {.address = packet->source};
    welcome(gate, &source, !sources_forgot(gate->sources, home));
    scan(gate, &source, packet);
    if (!condemn(gate, &source))
        sources_keep(gate->sources, home, &source);
    return source.strikes;
}

struct judged gate_packet(struct gate *gate, const struct packet *packet)
{
    gate->clock++;
    if (accepts(&gate->bad, &packet->source)) {
        gate->counts.refused++;
        return (struct judged){REFUSED, 0};
    }
    gate->counts.served++;
    const struct sources_home home = sources_home(gate->sources, &packet->source);
    struct source *known = sources_find(gate->sources, &home, &packet->source);
    return (struct judged){SERVED, known ? serve_known(gate, known, packet) : serve_new(gate, &home, packet)};
}

uint64_t gate_lost_history(const struct gate *gate)
{
    const struct sources_counts table = sources_counted(gate->sources);
    return table.partial + table.strikes - table.both;
}

enum verdict gate_verdict(const struct gate *gate, const struct address *address)
{
    if (accepts(&gate->bad, address))
        return VERDICT_BAD;
    return accepts(&gate->good, address) ? VERDICT_GOOD : VERDICT_UNKNOWN;
}

static size_t filter_bytes(const uf_filter *filter)
{
    uf_info info;
    uf_get_info(filter, &info, sizeof info);
    return (size_t)info.bytes;
}

size_t gate_bytes(const struct gate *gate)
{
    return sizeof *gate + filter_bytes(gate->good.filter) + filter_bytes(gate->bad.filter) +
           sources_bytes(gate->sources) + (gate->patterns ? patterns_bytes(gate->patterns) : 0);
}
