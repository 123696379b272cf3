/* SPDX-License-Identifier: MIT */
/*
 * Trained weights to integers of 4 or 8 bits. Where the largest integer is reached, the clip, is the one choice: too
 * low and strong features are cut, too high and the many weak ones are rounded to nothing. The clip with the smallest
 * squared error is taken, each weight counted as often as training met it (its `power`).
 */
#ifndef UF_QUANTIZE_H
#define UF_QUANTIZE_H

#include <stddef.h>
#include <stdint.h>

/* `words` has model_words of them. */
void quantize(const float *weight, const float *power, unsigned log_weights, unsigned weight_bits, uint64_t *words);

#endif
