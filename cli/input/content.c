/* SPDX-License-Identifier: MIT */
#include "content.h"

#include <string.h>

#define BEGINS(bytes) (bytes), sizeof(bytes) - 1

#define CONVERT "convert it with iconv -t UTF-8 first"
#define UNPACK "unpack it first"
#define EXPORT "export the keys as text first"

/* A question mark stands for any byte. */
static const struct {
    const char *begins;
    size_t size, at;
    struct content content;
} known[] = {
    {BEGINS("\x89UFL\r\n\x1a\n"), 0, {CONTENT_FILTER, "a filter", "ask it with query"}},
    {BEGINS("\x89UFC\r\n\x1a\n"), 0, {CONTENT_FILTER, "a filter", "ask it with query"}},
    {BEGINS("\x89UFM"), 0, {CONTENT_MODEL, "a model", "build a filter with it: --kind partition --model"}},
    {BEGINS("\x01\0\0\0\0\0\0\0"), 0, {CONTENT_DCSO, "a filter of DCSO's bloom", "ask it with query"}},
    {BEGINS("ultrafilter-key-"), 0, {CONTENT_SECRET, "a master key", "give it with --key-file"}},
    {BEGINS("ultrafilter-verify-"), 0, {CONTENT_FOREIGN, "a verify key", "give it with --verify-key"}},
    {BEGINS("ultrafilter-signature-"), 0, {CONTENT_FOREIGN, "a signature", "give it with --signature"}},
    {BEGINS("ultrafilter-ledger-"), 0, {CONTENT_FOREIGN, "a ledger", "give it with --ledger"}},
    {BEGINS("\x1f\x8b\x08"), 0, {CONTENT_GZIP, "compressed with gzip", UNPACK}},
    {BEGINS("\xfd\x37zXZ\0"), 0, {CONTENT_XZ, "compressed with xz", UNPACK}},
    {BEGINS("\x28\xb5\x2f\xfd"), 0, {CONTENT_ZSTD, "compressed with zstd", UNPACK}},
    {BEGINS("P*M\x18"), 0, {CONTENT_ZSTD, "compressed with zstd", UNPACK}}, /* pzstd: a frame to skip comes first */
    {BEGINS("BZh?1AY&SY"), 0, {CONTENT_BZIP2, "compressed with bzip2", UNPACK}},
    {BEGINS("BZh?\x17rE8P\x90"), 0, {CONTENT_BZIP2, "compressed with bzip2", UNPACK}}, /* of nothing */
    {BEGINS("\xef\xbb\xbf"), 0, {CONTENT_UTF8_MARK, "text with a byte order mark", NULL}},
    {BEGINS("\xff\xfe"), 0, {CONTENT_FOREIGN, "text in UTF-16", CONVERT}},
    {BEGINS("\xfe\xff"), 0, {CONTENT_FOREIGN, "text in UTF-16", CONVERT}},
    {BEGINS("PK\x03\x04"), 0, {CONTENT_FOREIGN, "a zip archive", UNPACK}},
    {BEGINS("PK\x05\x06"), 0, {CONTENT_FOREIGN, "a zip archive", UNPACK}},
    {BEGINS("7z\xbc\xaf\x27\x1c"), 0, {CONTENT_FOREIGN, "a 7z archive", UNPACK}},
    {BEGINS("Rar!\x1a\x07"), 0, {CONTENT_FOREIGN, "a RAR archive", UNPACK}},
    {BEGINS("ustar"), 257, {CONTENT_FOREIGN, "a tar archive", UNPACK}},
    {BEGINS("!<arch>\n"), 0, {CONTENT_FOREIGN, "an ar archive", UNPACK}},
    {BEGINS("\x04\x22\x4d\x18"), 0, {CONTENT_FOREIGN, "compressed with lz4", UNPACK}},
    {BEGINS("LZIP\x01"), 0, {CONTENT_FOREIGN, "compressed with lzip", UNPACK}},
    {BEGINS("\x5d\0\0"), 0, {CONTENT_FOREIGN, "compressed with lzma", UNPACK}},
    {BEGINS("\x1f\x9d"), 0, {CONTENT_FOREIGN, "compressed with compress", UNPACK}},
    {BEGINS("PAR1\x15"), 0, {CONTENT_FOREIGN, "a Parquet file", EXPORT}},
    {BEGINS("ARROW1\0\0"), 0, {CONTENT_FOREIGN, "an Arrow file", EXPORT}},
    {BEGINS("Obj\x01"), 0, {CONTENT_FOREIGN, "an Avro file", EXPORT}},
    {BEGINS("SQLite format 3\0"), 0, {CONTENT_FOREIGN, "an SQLite database", EXPORT}},
    {BEGINS("\x89HDF\r\n\x1a\n"), 0, {CONTENT_FOREIGN, "an HDF5 file", EXPORT}},
    {BEGINS("\xd0\xcf\x11\xe0"), 0, {CONTENT_FOREIGN, "an Office document", EXPORT}},
    {BEGINS("%PDF-"), 0, {CONTENT_FOREIGN, "a PDF document", EXPORT}},
    {BEGINS("\x7f\x45LF"), 0, {CONTENT_FOREIGN, "a program", NULL}},
    {BEGINS("\x89PNG\r\n"), 0, {CONTENT_FOREIGN, "an image", NULL}},
    {BEGINS("\xff\xd8\xff"), 0, {CONTENT_FOREIGN, "an image", NULL}},
};

static bool same(const char *text, const char *pattern, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (pattern[i] != '?' && pattern[i] != text[i])
            return false;
    return true;
}

const struct content *content_of(const void *head, size_t size)
{
    static const struct content other = {CONTENT_OTHER, "text", NULL};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (size >= known[i].at + known[i].size &&
            same((const char *)head + known[i].at, known[i].begins, known[i].size))
            return &known[i].content;
    return &other;
}

bool content_undecided(const void *head, size_t size)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (!known[i].at && size < known[i].size && same(head, known[i].begins, size))
            return true;
    return false;
}
