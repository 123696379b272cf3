/* SPDX-License-Identifier: MIT */
/* The text form of patterns; what a line may be is in patterns.h. All bytes go into one buffer of bounded size. */
#include "patterns.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "message.h"

struct list {
    uint8_t bytes[PATTERNS_MOST_BYTES];
    size_t used;
    const uint8_t *data[PATTERNS_MOST_BYTES];
    size_t sizes[PATTERNS_MOST_BYTES];
    size_t count;
};

/* Why a line is no pattern; NULL when it is one. */
typedef const char *reason;

static const char too_much[] = "one byte too many: patterns may have 65536 bytes together";

static reason append_byte(struct list *list, unsigned byte)
{
    if (list->used == PATTERNS_MOST_BYTES)
        return too_much;
    list->bytes[list->used++] = (uint8_t)byte;
    return NULL;
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

/* Digits of `bits` bits each, most significant first; blanks may stand between bytes. */
static reason append_digits(struct list *list, const char *text, size_t length, const char *digits, unsigned bits)
{
    unsigned byte = 0, have = 0;
    reason wrong = NULL;
    for (size_t i = 0; i < length && !wrong; i++) {
        const char *digit = strchr(digits, text[i] | (bits == 4 && text[i] >= 'A' ? 0x20 : 0));
        if (have == 0 && (text[i] == ' ' || text[i] == '\t'))
            continue;
        if (!text[i] || !digit)
            return bits == 4 ? "not hex digits, bits after 0b, or text in double quotes" : "not a bit after 0b";
        byte = byte << bits | (unsigned)(digit - digits);
        have += bits;
        if (have == 8) {
            wrong = append_byte(list, byte & 255);
            have = 0;
        }
    }
    return wrong ? wrong : have ? "the last byte is not whole" : NULL;
}

static reason append_pattern(struct list *list, const char *text, size_t length)
{
    const size_t before = list->used;
    reason wrong;
    if (text[0] == '"')
        wrong = append_text(list, text, length);
    else if (length >= 2 && !memcmp(text, "0b", 2))
        wrong = append_digits(list, text + 2, length - 2, "01", 1);
    else if (length >= 2 && !memcmp(text, "0x", 2))
        wrong = append_digits(list, text + 2, length - 2, "0123456789abcdef", 4);
    else
        wrong = append_digits(list, text, length, "0123456789abcdef", 4);
    if (wrong)
        return wrong;
    if (list->used == before)
        return "the pattern is empty";
    list->data[list->count] = list->bytes + before;
    list->sizes[list->count++] = list->used - before;
    return NULL;
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

struct patterns *patterns_load(const char *path)
{
    struct patterns *patterns = NULL;
    struct list *list = malloc(sizeof *list);
    FILE *file = fopen(path, "r");
    if (!file) {
        (void)print_error("%s: cannot open the patterns: %s", path, strerror(errno));
        goto out;
    }
    if (list)
        list->used = list->count = 0;
    if (list && read_lines(list, file, path))
        goto out;
    if (list)
        patterns = patterns_new(list->data, list->sizes, list->count);
    if (!patterns)
        (void)print_error("%s: out of memory", path);
out:
    if (file)
        (void)fclose(file);
    free(list);
    return patterns;
}
