/* SPDX-License-Identifier: MIT */
/* The text form of patterns; what a line may be is in patterns.h. All bytes go into one buffer, and pointers into it
 * are made when it has stopped growing. */
#include "patterns.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "message.h"

struct list {
    uint8_t *bytes; /* owned */
    size_t used, capacity;
    size_t *sizes; /* owned */
    size_t count, places;
};

/* Why a line is no pattern; NULL when it is one. */
typedef const char *reason;

static const char no_memory[] = "not enough memory for this many patterns";

/* Room for one element more, in an array that doubles. */
static reason reserve(void **array, size_t used, size_t *capacity, size_t size)
{
    if (used < *capacity)
        return NULL;
    const size_t wanted = *capacity ? *capacity * 2 : 1024;
    void *grown = reallocarray(*array, wanted, size);
    if (!grown)
        return no_memory;
    *array = grown;
    *capacity = wanted;
    return NULL;
}

static reason append_byte(struct list *list, unsigned byte)
{
    void *bytes = list->bytes;
    reason wrong = reserve(&bytes, list->used, &list->capacity, 1);
    list->bytes = bytes;
    if (!wrong)
        list->bytes[list->used++] = (uint8_t)byte;
    return wrong;
}

static reason append_size(struct list *list, size_t size)
{
    void *sizes = list->sizes;
    reason wrong = reserve(&sizes, list->count, &list->places, sizeof *list->sizes);
    list->sizes = sizes;
    if (!wrong)
        list->sizes[list->count++] = size;
    return wrong;
}

static reason append_text(struct list *list, const char *text, size_t length)
{
    if (length < 2 || text[length - 1] != '"')
        return "the closing quote is missing";
    reason wrong = NULL;
    for (size_t i = 1; i + 1 < length && !wrong; i++)
        wrong = append_byte(list, (unsigned char)text[i]);
    return wrong;
}

/* A digit's value; 16 and more when it is none. */
static unsigned digit_value(char digit)
{
    if (digit >= '0' && digit <= '9')
        return (unsigned)(digit - '0');
    const char small = (char)(digit | 0x20);
    return small >= 'a' && small <= 'f' ? (unsigned)(small - 'a') + 10 : 16;
}

/* Digits of `bits` bits each, most significant first; blanks may stand between bytes. */
static reason append_digits(struct list *list, const char *text, size_t length, unsigned bits)
{
    unsigned byte = 0, have = 0;
    reason wrong = NULL;
    for (size_t i = 0; i < length && !wrong; i++) {
        if (have == 0 && (text[i] == ' ' || text[i] == '\t'))
            continue;
        const unsigned value = digit_value(text[i]);
        if (value >> bits)
            return bits == 4 ? "not hex digits, bits after 0b, or text in double quotes" : "not a bit after 0b";
        byte = byte << bits | value;
        have += bits;
        if (have == 8) {
            wrong = append_byte(list, byte & 255);
            have = 0;
        }
    }
    return wrong ? wrong : have ? "the last byte is not whole" : NULL;
}

/* 01010101 is four bytes of hex digits or one of bits. Neither is taken for granted. */
static reason append_bare(struct list *list, const char *text, size_t length)
{
    if (strspn(text, "01 \t") >= length)
        return "0 and 1 only could be hex digits or bits; write 0x before hex digits, 0b before bits";
    return append_digits(list, text, length, 4);
}

static reason append_pattern(struct list *list, const char *text, size_t length)
{
    const size_t before = list->used;
    reason wrong;
    if (text[0] == '"')
        wrong = append_text(list, text, length);
    else if (length >= 2 && !memcmp(text, "0b", 2) && strspn(text + 2, "01 \t") >= length - 2)
        wrong = append_digits(list, text + 2, length - 2, 1);
    else if (length >= 2 && !memcmp(text, "0b", 2))
        return "what begins with 0b is bits, and here are other digits; write 0x before hex digits";
    else if (length >= 2 && !memcmp(text, "0x", 2))
        wrong = append_digits(list, text + 2, length - 2, 4);
    else
        wrong = append_bare(list, text, length);
    if (wrong)
        return wrong;
    if (list->used == before)
        return "the pattern is empty";
    return append_size(list, list->used - before);
}

static int read_lines(struct list *list, FILE *file, const char *path)
{
    char *line = NULL;
    size_t capacity = 0;
    reason wrong = NULL;
    unsigned long number = 0;
    ssize_t length;
    errno = 0;
    while (!wrong && (length = getline(&line, &capacity, file)) >= 0) {
        number++;
        while (length && strchr(" \t\r\n", line[length - 1]))
            length--;
        if (length && line[0] != '#')
            wrong = append_pattern(list, line, (size_t)length);
    }
    int broken = errno;
    free(line);
    if (wrong)
        return print_error("%s: line %lu: %s", path, number, wrong);
    if (ferror(file) || broken)
        return print_error("%s: cannot read the patterns: %s", path, strerror(broken));
    if (!list->count)
        return print_error("%s: holds no pattern; leave --patterns out when there are none", path);
    return EXIT_FINE;
}

static struct patterns *make_patterns(const struct list *list)
{
    const uint8_t **data = calloc(list->count, sizeof *data), *at = list->bytes;
    struct patterns *patterns = NULL;
    for (size_t i = 0; data && i < list->count; at += list->sizes[i++])
        data[i] = at;
    if (data)
        patterns = patterns_new(data, list->sizes, list->count);
    free(data);
    return patterns;
}

struct patterns *patterns_load(const char *path)
{
    struct patterns *patterns = NULL;
    struct list list = {.bytes = NULL};
    FILE *file = fopen(path, "r");
    if (!file) {
        (void)print_error("%s: cannot open the patterns: %s", path, strerror(errno));
        return NULL;
    }
    if (read_lines(&list, file, path))
        goto out;
    patterns = make_patterns(&list);
    if (!patterns)
        (void)print_error("%s: not enough memory for %zu patterns of %zu bytes together", path, list.count, list.used);
out:
    (void)fclose(file);
    free(list.bytes);
    free(list.sizes);
    return patterns;
}
