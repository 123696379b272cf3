/* SPDX-License-Identifier: MIT */
#include "set.h"

#include <string.h>

#include "arith.h"
#include "context.h"
#include "mechanism.h"
#include "parallel.h"
#include "derive.h"
#include "init.h"
#include "seed.h"
#include "status.h"

/* ---- members ---- */

int set_new(const uf_universe *universe, const struct mem *mem, uf_set **out, uf_error *why)
{
    uf_set *set = mem_alloc(mem, 1, sizeof *set);
    if (!set)
        return fail(why, UF_ENOMEM, "no memory for a set");
    set->mem = *mem;
    set->universe = universe;
    pthread_mutex_init(&set->lock, NULL);
    *out = set;
    return UF_OK;
}

void set_free(uf_set *set)
{
    if (!set)
        return;
    struct mem mem = set->mem;
    pthread_mutex_destroy(&set->lock);
    mem_free(&mem, set->rank, set->capacity, sizeof *set->rank);
    mem_free(&mem, set, 1, sizeof *set);
}

static int make_space(uf_set *set, size_t more)
{
    size_t need, capacity;
    if (__builtin_add_overflow(set->used, more, &need))
        return UF_ENOMEM;
    if (need <= set->capacity)
        return UF_OK;
    capacity = need > set->capacity + set->capacity / 2 + 64 ? need : set->capacity + set->capacity / 2 + 64;
    uint64_t *rank = mem_alloc_dirty(&set->mem, capacity, sizeof *rank);
    if (!rank)
        return UF_ENOMEM;
    if (set->used)
        memcpy(rank, set->rank, set->used * sizeof *rank);
    mem_free(&set->mem, set->rank, set->capacity, sizeof *set->rank);
    set->rank = rank;
    set->capacity = capacity;
    return UF_OK;
}

/* The start of a key, with \xNN for what is not plain text: for an error that only the caller sees. */
static void print_key(uf_key key, char *out, size_t size)
{
    static const char hex[] = "0123456789abcdef";
    const unsigned char *bytes = key.data;
    size_t used = 0, i = 0;
    for (; i < key.size && used + 8 < size; i++) {
        if (bytes[i] >= ' ' && bytes[i] <= '~' && bytes[i] != '\\') {
            out[used++] = (char)bytes[i];
        } else {
            const char escaped[4] = {'\\', 'x', hex[bytes[i] >> 4], hex[bytes[i] & 15]};
            memcpy(out + used, escaped, 4);
            used += 4;
        }
    }
    strcpy(out + used, i < key.size ? "..." : "");
}

static int outside(const uf_set *set, uf_key key, uf_error *why)
{
    char shown[80];
    print_key(key, shown, sizeof shown);
    return fail(why, UF_EINVAL,
                "the key '%s' is not in the universe (%s): a released set can only have keys of its universe; leave "
                "the key out or take a larger universe",
                shown, set->universe->text);
}

int set_add(uf_set *set, const uf_key *keys, size_t count, uf_error *why)
{
    if (set->mark.mechanism != RELEASE_NONE)
        return fail(why, UF_EUNSUPPORTED,
                    "a released set takes no keys: add them to the original, which is then another release");
    if (make_space(set, count) != UF_OK)
        return fail(why, UF_ENOMEM, "no memory for %zu more members of a set of %zu", count, set->used);
    for (size_t i = 0; i < count; i++)
        if (!universe_rank(set->universe, keys[i], &set->rank[set->used + i])) {
            explicit_bzero(set->rank + set->used, i * sizeof *set->rank);
            return outside(set, keys[i], why);
        }
    set->used += count;
    return UF_OK;
}

/* Sorts numbers that agree in all bits from `bit` on, by those below: in place, so that no copies are left anywhere. */
static void sort(uint64_t *rank, size_t count, unsigned bit)
{
    while (count > 1 && bit) {
        size_t zeros = 0, ones = count;
        bit--;
        while (zeros < ones) {
            if (!(rank[zeros] >> bit & 1)) {
                zeros++;
            } else {
                uint64_t swap = rank[--ones];
                rank[ones] = rank[zeros];
                rank[zeros] = swap;
            }
        }
        sort(rank, zeros, bit);
        rank += zeros;
        count -= zeros;
    }
}

static void settle(uf_set *set)
{
    size_t kept = 0;
    sort(set->rank, set->used, 64 - (unsigned)__builtin_clzll(set->universe->size));
    for (size_t i = 0; i < set->used; i++)
        if (!kept || set->rank[i] != set->rank[kept - 1])
            set->rank[kept++] = set->rank[i];
    if (set->used > kept)
        explicit_bzero(set->rank + kept, (set->used - kept) * sizeof *set->rank);
    set->used = set->sorted = kept;
}

/* Sorting changes how the members lie, not what the set is: to the caller it is constant. */
const uint64_t *set_members(const uf_set *set, size_t *count)
{
    uf_set *own = (uf_set *)(uintptr_t)set;
    pthread_mutex_lock(&own->lock);
    if (own->sorted < own->used)
        settle(own);
    *count = own->used;
    pthread_mutex_unlock(&own->lock);
    return set->rank;
}

/* The number of members below a rank. */
static size_t members_below(const uint64_t *member, size_t count, uint64_t rank)
{
    size_t low = 0;
    while (low < count) {
        size_t middle = low + (count - low) / 2;
        if (member[middle] < rank)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

/* ---- one element ---- */

static int coin_of(const struct coins *coins, uint64_t rank)
{
    struct heads heads;
    uint64_t head = 0;
    int found = 0;
    heads_open(&heads, coins, rank >> coins->chunk_bits);
    while (!found && heads_next(&heads, &head) && head <= rank)
        found = head == rank;
    int status = heads_close(&heads);
    return status == UF_OK ? found : status;
}

int set_has(const uf_set *set, uint64_t rank)
{
    size_t count;
    const uint64_t *member = set_members(set, &count);
    size_t at = members_below(member, count, rank);
    int is_member = at < count && member[at] == rank;
    if (set->mark.mechanism == RELEASE_NONE)
        return is_member;
    int coin = coin_of(&set->coins, rank);
    if (coin < 0)
        return coin;
    return set->mark.mechanism == RELEASE_DIME ? is_member ^ coin : is_member | coin;
}

uint64_t set_count(const uf_set *set)
{
    size_t members;
    (void)set_members(set, &members);
    return set->mark.mechanism == RELEASE_NONE ? members : set->count;
}

/* ---- all elements ---- */

struct walk {
    const uf_set *set;
    const uint64_t *member;
    size_t members;
    const uf_context *ctx;
    set_take *take;
    void *arg;
    pthread_mutex_t lock; /* of `done` and the progress callback */
    uint64_t done;
};

/* Ranks on their way to `take`. */
struct batch {
    struct walk *walk;
    int status;
    size_t count;
    uint64_t rank[SET_BATCH];
};

static void flush(struct batch *batch)
{
    if (batch->status == UF_OK && batch->count)
        batch->status = batch->walk->take(batch->walk->arg, batch->rank, batch->count);
    batch->count = 0;
}

static inline void push(struct batch *batch, uint64_t rank)
{
    batch->rank[batch->count++] = rank;
    if (batch->count == SET_BATCH)
        flush(batch);
}

/* Members and heads of a chunk, both in order. Where they meet, dime drops the rank and nickel keeps it. */
static int walk_chunk(struct walk *walk, uint64_t chunk, struct batch *batch)
{
    const struct coins *coins = &walk->set->coins;
    const uint64_t end = (chunk + 1) << coins->chunk_bits;
    const uint64_t *member = walk->member + members_below(walk->member, walk->members, chunk << coins->chunk_bits);
    const uint64_t *last = walk->member + members_below(walk->member, walk->members, end);
    struct heads heads;
    uint64_t head = 0;
    heads_open(&heads, coins, chunk);
    int more = heads_next(&heads, &head);
    while ((more || member < last) && batch->status == UF_OK) {
        int is_member = member < last && (!more || *member <= head);
        int is_head = more && (member == last || head <= *member);
        if (!(is_member && is_head) || walk->set->mark.mechanism == RELEASE_NICKEL)
            push(batch, is_head ? head : *member);
        member += is_member;
        if (is_head)
            more = heads_next(&heads, &head);
    }
    int status = heads_close(&heads);
    return status == UF_OK ? batch->status : status;
}

static int report(struct walk *walk, uint64_t ranks, uint64_t total)
{
    if (!walk->ctx->progress)
        return UF_OK;
    pthread_mutex_lock(&walk->lock);
    walk->done += ranks;
    int stop = walk->ctx->progress(walk->ctx->progress_arg, walk->done, total);
    pthread_mutex_unlock(&walk->lock);
    return stop ? UF_ECANCELED : UF_OK;
}

/* A piece of work is a run of chunks: some milliseconds. */
enum { CHUNKS_PER_PIECE = 64, MEMBERS_PER_PIECE = 1 << 16 };

static int walk_piece(void *arg, size_t piece)
{
    struct walk *walk = arg;
    struct batch batch = {.walk = walk};
    uint64_t all = coins_chunks(&walk->set->coins), first = (uint64_t)piece * CHUNKS_PER_PIECE;
    uint64_t chunks = all - first < CHUNKS_PER_PIECE ? all - first : CHUNKS_PER_PIECE;
    int status = UF_OK;
    for (uint64_t i = 0; status == UF_OK && i < chunks; i++)
        status = walk_chunk(walk, first + i, &batch);
    if (status == UF_OK) {
        flush(&batch);
        status = batch.status;
    }
    explicit_bzero(&batch, sizeof batch);
    return status == UF_OK ? report(walk, chunks, all) : status;
}

static int walk_members(void *arg, size_t piece)
{
    const struct walk *walk = arg;
    size_t at = piece * MEMBERS_PER_PIECE, end = at + MEMBERS_PER_PIECE;
    int status = UF_OK;
    for (end = end < walk->members ? end : walk->members; status == UF_OK && at < end; at += SET_BATCH)
        status = walk->take(walk->arg, walk->member + at, end - at < SET_BATCH ? end - at : SET_BATCH);
    return status;
}

int set_walk(const uf_set *set, unsigned threads, const uf_context *ctx, set_take *take, void *arg)
{
    struct walk walk = {.set = set, .ctx = ctx, .take = take, .arg = arg, .lock = PTHREAD_MUTEX_INITIALIZER};
    walk.member = set_members(set, &walk.members);
    if (set->mark.mechanism == RELEASE_NONE)
        return parallel_for(threads, (walk.members + MEMBERS_PER_PIECE - 1) / MEMBERS_PER_PIECE, walk_members, &walk);
    return parallel_for(threads, (size_t)ceil_div(coins_chunks(&set->coins), CHUNKS_PER_PIECE), walk_piece, &walk);
}

/* ---- release ---- */

static int count_batch(void *arg, const uint64_t *ranks, size_t count)
{
    (void)ranks;
    __atomic_fetch_add((uint64_t *)arg, count, __ATOMIC_RELAXED);
    return UF_OK;
}

static int copy_members(const uf_set *set, uf_set *out)
{
    size_t count;
    const uint64_t *member = set_members(set, &count);
    int status = make_space(out, count);
    if (status == UF_OK && count)
        memcpy(out->rank, member, count * sizeof *member);
    if (status == UF_OK)
        out->used = out->sorted = count;
    return status;
}

/* With a label the coins follow from it, the secret and the set: the same release twice tells nothing new. */
static int choose_seed(const uf_set *set, const struct release_mark *mark, const uf_context *ctx,
                       unsigned char seed[32])
{
    unsigned char key[32];
    if (!context_repeats(ctx))
        return seed_draw(ctx, seed);
    derive(ctx->secret->master, "set release", ctx->label, strlen(ctx->label), key);
    seed_digest(set, mark, key, sizeof key, seed);
    explicit_bzero(key, sizeof key);
    return UF_OK;
}

static int flip_coins(uf_set *set, const struct release_mark *mark, const uf_context *ctx)
{
    unsigned char seed[32];
    int status = crypto_init(NULL);
    if (status == UF_OK)
        status = choose_seed(set, mark, ctx, seed);
    if (status == UF_OK)
        status = coins_init(&set->coins, mark->universe, mark->threshold, seed);
    explicit_bzero(seed, sizeof seed);
    set->mark = *mark;
    return status == UF_OK ? set_walk(set, ctx->threads, ctx, count_batch, &set->count) : status;
}

int set_release(const uf_set *set, const char *how, const uf_context *ctx, uf_set **out, uf_error *why)
{
    struct release_mark mark;
    struct mem mem = {ctx->allocator};
    uf_set *made = NULL;
    if (set->mark.mechanism != RELEASE_NONE)
        return fail(why, UF_EUNSUPPORTED, "this set was released already: release the original");
    int status = mechanism_parse(how, set->universe->size, &mark, why);
    if (status == UF_OK)
        status = mechanism_check_size(&mark, why);
    if (status == UF_OK)
        status = set_new(set->universe, &mem, &made, why);
    if (status != UF_OK)
        return status;
    status = copy_members(set, made);
    if (status == UF_OK)
        status = flip_coins(made, &mark, ctx);
    if (status != UF_OK) {
        set_free(made);
        return fail(why, status, "the set could not be released: %s", uf_status_text(status));
    }
    made->test_random = ctx->random && !context_repeats(ctx);
    *out = made;
    return UF_OK;
}
