/* SPDX-License-Identifier: MIT */
/*
 * Many keys, in pieces, from whatever Python has them in:
 *
 *   an iterable     list, set, generator, ...: 4096 objects at a time, each held until the piece is done
 *   a buffer        numpy, array, memoryview: integers of eight bytes and whole rows of bytes where they are, narrower
 *                   integers widened to eight bytes, fixed-width strings without the NULs at their end
 *   an Arrow array  strings and binaries by their offsets, integers as above (arrow.c)
 *
 * A piece stays as it is until the next one is asked for, so that the library can work on it without the interpreter
 * lock. None of them is longer than a few milliseconds: signals are looked at between two.
 */
#ifndef ULTRAFILTER_PYTHON_SOURCE_H
#define ULTRAFILTER_PYTHON_SOURCE_H

#include "host.h"

enum { CONVERTED_KEYS = 4096, PIECE_KEYS = 1 << 20 };

enum shape { SHAPE_KEYS, SHAPE_FIXED, SHAPE_OFFSETS };

struct piece {
    enum shape shape;
    size_t count;
    const uf_key *keys;  /* SHAPE_KEYS */
    const void *bytes;   /* the others */
    size_t width;        /* SHAPE_FIXED */
    const void *offsets; /* SHAPE_OFFSETS */
    int offset_bytes;
};

/* What the elements of a column are, and how they become keys. */
enum element { ELEMENT_BYTES, ELEMENT_SIGNED, ELEMENT_UNSIGNED, ELEMENT_PADDED, ELEMENT_UCS4 };

struct column {
    enum element element;
    const char *bytes;
    Py_ssize_t stride; /* from one to the next; may be negative */
    size_t width, count;
    int swapped; /* integers and UCS-4 in the order that this machine does not have */
};

struct source {
    PyObject *iterator, **held; /* an iterable, and the objects of its piece */
    size_t holds;
    Py_buffer view;
    int viewed;
    struct column column;
    struct arrow *arrow;
    size_t at;    /* elements of the column that were handed out */
    size_t count; /* keys in all, (size_t)-1 when that is not known */
    uf_key *keys; /* CONVERTED_KEYS of them */
    unsigned char *room;
};

/* 0, or -1 with an exception. Closed either way. */
int source_open(struct source *source, PyObject *keys);
void source_close(struct source *source);

/* 1 and a piece, 0 at the end, -1 with an exception. */
int source_next(struct source *source, struct piece *out);

/* The next piece of a column, from source->at on; for arrow.c as well. */
int source_next_of_column(struct source *source, struct piece *out);

#endif
