/* SPDX-License-Identifier: MIT */
/*
 * The streaming engine. Every thread does the same: under the input lock it reads the next block into a
 * buffer of its own, up to the last separator (what follows waits in `tail` for the next block); then it
 * works on the block alone; then, when there is output, it waits until all blocks before have written
 * theirs. There is no reader thread and no queue: memory is one buffer per thread, whatever the input.
 *
 * Of a plain file a thread takes under the lock only where its block lies, which the end of the block tells, and reads
 * it outside: 16 threads that read one after the other were as slow as one.
 *
 * One read() is one block when it holds a separator, so that a key typed at a terminal is answered at
 * once. A key longer than a buffer makes that buffer grow.
 */
#include "keys.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "human.h"
#include "message.h"
#include "progress.h"
#include "record.h"
#include "report.h"

/* Half of a 1 MiB L2 cache: the keys are still there when they are split and hashed. Fuzzers have smaller ones, which
 * short lists are longer than. */
#ifndef KEYS_BLOCK
#define KEYS_BLOCK (512 << 10)
#endif
enum { BLOCK_BYTES = KEYS_BLOCK, BLOCK_END = BLOCK_BYTES / 32, MOST_UNPACKED_KEY = 64 << 20, TURNS = 64 };

struct engine {
    struct keys_input *input;
    const struct keys_job *job;

    pthread_mutex_t reading; /* guards the input and the next seven */
    struct keys_text tail;
    struct record_search search; /* in what was read and not taken */
    uint64_t taken, line;        /* blocks; lines of this file, where they count */
    bool file_ended, headed, ended;
    int status;
    struct keys_totals totals;

    pthread_mutex_t writing;    /* guards the next two */
    uint64_t next_written;      /* the block whose output comes next */
    bool mute;                  /* stdout failed: write no more */
    pthread_cond_t turn[TURNS]; /* of block i: the one of i % TURNS, so that only the next one wakes */
};

static int reserve(struct keys_text *buffer, size_t capacity)
{
    if (capacity <= buffer->capacity)
        return 1;
    char *data = realloc(buffer->data, capacity);
    if (!data)
        return 0;
    buffer->data = data;
    buffer->capacity = capacity;
    return 1;
}

static int append(struct keys_text *to, const char *data, size_t size)
{
    if (!reserve(to, to->size + size))
        return 0;
    if (size)
        memcpy(to->data + to->size, data, size);
    to->size += size;
    return 1;
}

int keys_text_add(struct keys_text *to, const char *data, size_t size)
{
    if (to->capacity - to->size < size && !reserve(to, 2 * to->capacity + size))
        return 0;
    return append(to, data, size);
}

/* A compressed file of nothing but one byte would be a key of any size. */
static int is_unlikely(const struct engine *engine, const struct keys_text *buffer)
{
    return engine->input->source.unpacking && buffer->size > MOST_UNPACKED_KEY;
}

static int key_too_long(const struct engine *engine, const struct keys_text *buffer)
{
    if (is_unlikely(engine, buffer))
        return print_error("%s: a key of more than 64 MiB comes out of it; are the keys separated by %s?",
                           engine->input->name, engine->input->format.separator ? "newlines" : "NUL bytes");
    return print_error("%s: no memory for a key of more than %zu bytes; are the keys separated by %s?",
                       engine->input->name, buffer->size, engine->input->format.separator ? "newlines" : "NUL bytes");
}

/* Memory for another read, and for the separator that a last key may lack. */
static int reserve_read(struct keys_text *buffer)
{
    size_t wanted = buffer->capacity < BLOCK_BYTES ? BLOCK_BYTES : buffer->capacity;
    if (wanted - buffer->size < BLOCK_BYTES / 2 && __builtin_mul_overflow(wanted, (size_t)2, &wanted))
        return 0;
    return reserve(buffer, wanted);
}

/* At most one block at a time, so that one long key does not make everything after it large. */
static ssize_t read_some(struct engine *engine, struct keys_text *buffer)
{
    size_t size = buffer->capacity - buffer->size - 1;
    return source_read(&engine->input->source, buffer->data + buffer->size, size < BLOCK_BYTES ? size : BLOCK_BYTES);
}

/* Moves what follows the last whole record to the tail. 1 when there is one. */
static int cut(struct engine *engine, struct keys_text *buffer)
{
    size_t whole = record_end(&engine->input->format, &engine->search, buffer->data, buffer->size);
    if (!whole)
        return 0;
    if (!append(&engine->tail, buffer->data + whole, buffer->size - whole))
        engine->status = key_too_long(engine, &engine->tail);
    buffer->size = whole;
    return 1;
}

/* At the end of a file. Its last key may lack a separator; no key goes on in the next file. */
static void end_file(struct engine *engine, struct keys_text *buffer)
{
    const struct keys_format *format = &engine->input->format;
    if (buffer->size && format->width) {
        engine->status = print_error("%s: ends in the middle of a key: %zu bytes follow the last whole one of %zu",
                                     engine->input->name, buffer->size, format->width);
        return;
    }
    if (buffer->size)
        buffer->data[buffer->size++] = format->separator;
    engine->file_ended = true;
}

static void next_file(struct engine *engine)
{
    int next = keys_next_file(engine->input);
    engine->ended = !next;
    if (next < 0)
        engine->status = EXIT_ERROR;
    engine->search = (struct record_search){0, 0};
    engine->line = 0;
    engine->file_ended = false;
    engine->headed = false;
}

/* Fills the buffer with whole keys of one file. Sets `ended` at the end of the input, `status` when it fails. */
static void fill(struct engine *engine, struct keys_text *buffer)
{
    buffer->size = 0;
    if (engine->file_ended)
        next_file(engine);
    if (!append(buffer, engine->tail.data, engine->tail.size))
        engine->status = key_too_long(engine, &engine->tail);
    engine->tail.size = 0;
    while (!engine->status && !engine->ended) {
        if (is_unlikely(engine, buffer) || !reserve_read(buffer)) {
            engine->status = key_too_long(engine, buffer);
            return;
        }
        ssize_t got = read_some(engine, buffer);
        if (got < 0) {
            engine->status = EXIT_ERROR;
        } else if (!got) {
            end_file(engine, buffer);
            if (buffer->size || engine->status)
                return;
            next_file(engine);
        } else {
            buffer->size += (size_t)got;
            if (cut(engine, buffer))
                return;
        }
    }
}

/* A block that the thread reads itself; fd < 0: it is there. */
struct lent {
    int fd;
    int64_t at;
    const char *name; /* of the file */
};

/* False: the next block is read in its turn, as the last one of a file always is. */
static bool lend(struct engine *engine, struct keys_text *buffer, struct lent *out)
{
    struct source *source = &engine->input->source;
    const struct keys_format *format = &engine->input->format;
    char end[BLOCK_END];
    if (engine->job->threads == 1 || keys_are_shaped(format) || engine->tail.size || engine->file_ended ||
        source->taken + BLOCK_BYTES >= source->bytes || !reserve(buffer, BLOCK_BYTES))
        return false;
    size_t got = source_peek(source, BLOCK_BYTES - BLOCK_END, end, BLOCK_END);
    while (got && end[got - 1] != format->separator)
        got--;
    if (!got)
        return false;
    out->name = source->name;
    out->fd = source_lend(source, BLOCK_BYTES - BLOCK_END + got, &out->at);
    buffer->size = BLOCK_BYTES - BLOCK_END + got;
    return out->fd >= 0;
}

/* Whether all of it came, with a separator at its end still. */
static bool read_lent(const struct engine *engine, const struct lent *lent, struct keys_block *block)
{
    ssize_t got = 1;
    size_t done = 0;
    if (lent->fd < 0)
        return true;
    while (done < block->size && (got > 0 || (got < 0 && errno == EINTR))) {
        got = pread(lent->fd, block->data + done, block->size - done, lent->at + (int64_t)done);
        done += got > 0 ? (size_t)got : 0;
    }
    const char *why = got < 0 ? strerror(errno) : "it changed meanwhile";
    close(lent->fd);
    if (done == block->size && block->data[done - 1] == engine->input->format.separator)
        return true;
    block->size = 0;
    (void)print_error("%s: cannot be read: %s", lent->name, why);
    return false;
}

/* The first record of a file with --column names the fields. It is no key: the block begins behind it. */
static size_t take_header(struct engine *engine, const struct keys_text *buffer)
{
    struct keys_input *input = engine->input;
    if (engine->headed || !input->format.column || !buffer->size)
        return 0;
    engine->headed = true;
    size_t length = record_length(&input->format, buffer->data, buffer->size);
    uf_key record = {buffer->data, length - 1};
    record.size -= record.size && buffer->data[record.size - 1] == '\r';
    char *scratch = malloc(length);
    input->field = scratch ? record_find_column(&input->format, record, scratch) : 0;
    free(scratch);
    if (!input->field)
        engine->status = print_error("%s: has no column %s in its first line", input->name, input->format.column);
    return length;
}

/* Says where the block is from, and gives it memory for keys that have to be made. */
static void describe(struct engine *engine, const struct keys_text *buffer, struct keys_text *scratch,
                     struct keys_block *block)
{
    const struct keys_input *input = engine->input;
    size_t skipped = take_header(engine, buffer);
    *block = (struct keys_block){.data = buffer->data, .size = buffer->size, .format = &input->format};
    if (!buffer->size || !keys_are_shaped(&input->format))
        return;
    block->data += skipped;
    block->size -= skipped;
    block->field = input->field;
    block->name = input->name;
    block->line = engine->line + (skipped != 0);
    engine->line += keys_count_lines(buffer->data, buffer->size, input->format.separator);
    if (!reserve(scratch, buffer->size))
        engine->status = key_too_long(engine, buffer);
    block->scratch = scratch->data;
}

/* Hands in what the last block gave and takes the next one. 0 when there is none. */
static int take(struct engine *engine, struct keys_text *buffer, struct keys_text *scratch, struct keys_block *block,
                struct lent *lent, uint64_t *number)
{
    pthread_mutex_lock(&engine->reading);
    engine->totals.keys += block->keys;
    engine->totals.hits += block->hits;
    engine->totals.returns += block->returns;
    progress_show(engine->input->done + source_taken(&engine->input->source), engine->totals.keys);
    buffer->size = 0;
    *block = (struct keys_block){.size = 0};
    lent->fd = -1;
    while (!block->size && !engine->ended && !engine->status) { /* a header alone is no block */
        if (!lend(engine, buffer, lent))
            fill(engine, buffer);
        if (!engine->status) /* otherwise the last record may lack its end */
            describe(engine, buffer, scratch, block);
    }
    if (engine->status)
        block->size = 0;
    *number = engine->taken;
    engine->taken += block->size != 0;
    pthread_mutex_unlock(&engine->reading);
    return block->size != 0;
}

static void end_early(struct engine *engine, int status)
{
    pthread_mutex_lock(&engine->reading);
    engine->ended = true;
    if (status)
        engine->status = status;
    pthread_mutex_unlock(&engine->reading);
}

/* Every block counts, also one with nothing to write: the next one waits for it. */
static int print_in_order(struct engine *engine, const struct keys_block *block, uint64_t number)
{
    pthread_mutex_lock(&engine->writing);
    while (engine->next_written != number)
        pthread_cond_wait(&engine->turn[number % TURNS], &engine->writing);
    int status = engine->mute ? EXIT_FINE : report_write(block->data, block->size);
    if (!status && !engine->mute)
        status = report_write(block->text->data, block->text->size);
    engine->mute |= status != EXIT_FINE;
    engine->next_written++;
    pthread_cond_broadcast(&engine->turn[engine->next_written % TURNS]);
    pthread_mutex_unlock(&engine->writing);
    return status;
}

static void *work(void *arg)
{
    struct engine *engine = arg;
    struct keys_text buffer = {NULL, 0, 0}, scratch = {NULL, 0, 0}, text = {NULL, 0, 0};
    struct keys_block block = {.keys = 0};
    struct lent lent;
    uint64_t number;
    while (take(engine, &buffer, &scratch, &block, &lent, &number)) {
        text.size = 0;
        block.text = &text;
        enum keys_verdict verdict =
            read_lent(engine, &lent, &block) ? engine->job->work(engine->job->arg, &block) : KEYS_FAILED;
        int status = engine->job->print ? print_in_order(engine, &block, number) : EXIT_FINE;
        if (verdict != KEYS_GO_ON || status || block.failed)
            end_early(engine, verdict == KEYS_FAILED || block.failed ? EXIT_ERROR : status);
    }
    free(text.data);
    free(scratch.data);
    free(buffer.data);
    return NULL;
}

/* More threads than blocks would have nothing to do. */
static unsigned useful_threads(const struct keys_input *input, unsigned threads)
{
    uint64_t blocks = input->bytes / BLOCK_BYTES + 1;
    return input->regular && !input->source.unpacking && blocks < threads ? (unsigned)blocks : threads;
}

static void warn_of_returns(struct keys_input *input, uint64_t returns)
{
    if (!returns || input->warned || input->format.crlf != STRIP_AND_WARN)
        return;
    input->warned = true;
    const struct human count = human_count((double)returns);
    const char *lines = input->format.secret ? "lines end" : returns == 1 ? " line ends" : " lines end";
    print_warning("%s: %s%s in a carriage return, which is not taken as part of the key (--crlf strip says so, "
                  "--crlf keep takes it)",
                  input->count ? "the files" : input->name, input->format.secret ? "" : count.text, lines);
}

int keys_run(struct keys_input *input, const struct keys_job *job, struct keys_totals *totals)
{
    struct engine engine = {.input = input, .job = job};
    pthread_t helper[256];
    unsigned helpers = 0, wanted = useful_threads(input, job->threads);
    pthread_mutex_init(&engine.reading, NULL);
    pthread_mutex_init(&engine.writing, NULL);
    for (unsigned i = 0; i < TURNS; i++)
        pthread_cond_init(&engine.turn[i], NULL);
    /* A thread that the system refuses is one helper less: the work is the same. */
    while (helpers + 1 < wanted && helpers < 256 && !pthread_create(&helper[helpers], NULL, work, &engine))
        helpers++;
    work(&engine);
    while (helpers)
        pthread_join(helper[--helpers], NULL);
    for (unsigned i = 0; i < TURNS; i++)
        pthread_cond_destroy(&engine.turn[i]);
    pthread_mutex_destroy(&engine.writing);
    pthread_mutex_destroy(&engine.reading);
    free(engine.tail.data);
    progress_hide();
    *totals = engine.totals;
    if (!engine.status)
        warn_of_returns(input, totals->returns);
    return engine.status;
}
