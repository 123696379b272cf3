/* SPDX-License-Identifier: MIT */
#include "wire.h"

#include <string.h>

const unsigned char *read_bytes(struct reader *reader, size_t bytes)
{
    const unsigned char *at = reader->at;
    if (reader->bad || bytes > reader->left) {
        reader->bad = 1;
        return NULL;
    }
    reader->at += bytes;
    reader->left -= bytes;
    return at;
}

uint64_t read_uint(struct reader *reader, unsigned bytes)
{
    const unsigned char *at = read_bytes(reader, bytes);
    uint64_t value = 0;
    for (unsigned i = 0; at && i < bytes; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

double read_double(struct reader *reader)
{
    uint64_t bits = read_uint(reader, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void write_bytes(struct writer *writer, const void *data, size_t bytes)
{
    if (writer->bad || bytes > writer->left) {
        writer->bad = 1;
        return;
    }
    memcpy(writer->at, data, bytes);
    writer->at += bytes;
    writer->left -= bytes;
}

void write_uint(struct writer *writer, uint64_t value, unsigned bytes)
{
    unsigned char little[8];
    for (unsigned i = 0; i < bytes; i++)
        little[i] = (unsigned char)(value >> 8 * i);
    write_bytes(writer, little, bytes);
}

void write_double(struct writer *writer, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    write_uint(writer, bits, 8);
}
