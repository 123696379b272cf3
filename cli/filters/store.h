/* SPDX-License-Identifier: MIT */
/* Filters in files: loading with hints when it fails, saving without accidents. */
#ifndef CLI_STORE_H
#define CLI_STORE_H

#include <stdint.h>

#include "args.h"
#include "source.h"
#include "ultrafilter.h"

/* The library's context with this number of threads and our progress line. */
uf_context store_context(unsigned threads);

/* The same for a command: -j and --key-file. EXIT_FINE, or EXIT_ERROR after a message. store_close wipes the key; what
 * was loaded or built with it stays as it is. */
int store_open(const struct args *args, uf_context *out);
/* The same for one that only loads: --key-file may be given several times, and each filter gets the key that it names.
 */
int store_open_any(const struct args *args, uf_context *out);
void store_close(uf_context *context);
bool store_has_several(const uf_context *context); /* keys */

/* UF_FORMAT_* of the file to write: what `side` (--out-format or NULL) says, or else --format. */
unsigned store_format(const struct args *args, const struct option *side);

/* Loads the filter at `path`, "-" being standard input; its format is seen from how it begins. `how` is UF_MAP and
 * UF_WITHOUT_KEY. EXIT_FINE, or EXIT_ERROR after a message that begins with the path. */
int store_load(const char *path, unsigned how, const uf_context *context, uf_filter **out);

/* The same of bytes that were opened already; they are closed in any case. `format`, unless it is NULL, gets the format
 * that was found. */
int store_load_source(struct source *source, unsigned how, const uf_context *context, uf_filter **out,
                      unsigned *format);

/* EXIT_FINE, or EXIT_ERROR after a message that begins with the path. "-" is standard output: stream.h. */
int store_save(const uf_filter *filter, const char *path, unsigned how); /* with the lock, which it ends */

/* Takes turns with other processes that change the file, or replace it: until store_save, or the end of the program.
 * Says for whom it waits when that lasts a second. A file that does not exist needs no lock. EXIT_FINE, or EXIT_ERROR
 * after a message. */
int store_lock(const char *path);

/* Of a file that is there, or that was streamed; 0 when it is not. */
uint64_t store_file_bytes(const char *path);

/* Says why a file could not be loaded, with what may help. EXIT_ERROR. */
int store_load_error(const char *path, const uf_context *context, const uf_error *why);

/* Refuses a path that store_save could not replace, before hours of work go into the filter. What it must not replace
 * is refused before the command runs (paths.h). */
int store_check_target(const char *path);

/* The same for a filter, which may go to a pipe. */
int store_check_output(const char *path);

#endif
