/* SPDX-License-Identifier: MIT */
/*
 * Filters made of parts of one kind and one hash, of which the last takes the keys: chains (chain.h), whose parts grow,
 * and windows (window.h), whose parts expire. A query asks every part. In a file the whole has no parameters and no
 * words; the parts are its children. Here is what both have in common.
 */
#ifndef UF_SERIES_H
#define UF_SERIES_H

#include "ops.h"

/* The part that takes keys. */
uf_filter *series_last(const uf_filter *whole);

/* ops->plan of one part, for a spec whose fpr is that of the whole: the part gets one of so many shares of it. */
int series_plan_part(const struct filter_ops *ops, struct spec *plan, unsigned shares, uf_error *why);

/* The rate of the whole, where a plan has that of a part: so a plan of a filter is a plan of itself. */
void series_set_rate(struct spec *plan, unsigned shares);

double series_part_rate(const uf_filter *part);
uint64_t series_part_capacity(const uf_filter *part);

/* A handle around no part yet, with the allocator and the hash of one. */
int series_new(const struct filter_ops *ops, const uf_filter *part, const uf_context *ctx, uf_filter **out,
               uf_error *why);

/* The context that a further part is made with. */
uf_context series_context(const uf_filter *whole);

/* known[i]: one of the first parts answers to key i. At most SERIES_SLICE keys. */
enum { SERIES_SLICE = 256 };
void series_ask(const uf_filter *whole, unsigned parts, const struct hash128 *hash, size_t count, uint8_t *known);

/* Keys some at a time, as `add` takes them: at most SERIES_SLICE. */
typedef void series_add(uf_filter *whole, struct hash128 *hash, size_t count, int8_t *verdict, struct spare *spare);
void series_by_slice(uf_filter *whole, struct hash_source *source, size_t count, int8_t *verdict, struct spare *spare,
                     series_add *add);

/* When a file is read: is there a first part, and are all of its kind, with the hash of the whole? */
int series_adopt(const uf_filter *whole, uf_error *why);

/* Describes one part, with the rate of the whole. */
void series_describe_part(const uf_filter *whole, unsigned shares, struct spec *plan);

/* Entries of struct filter_ops. Capacity, survey and limit are those of the part that takes keys. */
int series_query(const struct uf_filter *whole, struct hash128 hash);
void series_query_many(const struct uf_filter *whole, struct hash_source *source, size_t count, uint8_t *answers);
void series_encode(const struct uf_filter *whole, struct writer *writer);
int series_decode(struct uf_filter *whole, struct reader *reader, uf_error *why);
void series_info(const struct uf_filter *whole, uf_info *out);
void series_capacity(const struct uf_filter *whole, struct planned *out);
void series_survey(const struct uf_filter *whole, struct survey *out);
uint64_t series_limit(struct uf_filter *whole);
extern const char *const series_names[];

#endif
