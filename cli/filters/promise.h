/* SPDX-License-Identifier: MIT */
/* What a private filter promises, in sentences whose numbers are the file's own, rounded against us. */
#ifndef CLI_PROMISE_H
#define CLI_PROMISE_H

#include "ultrafilter.h"

enum { PROMISE_TEXT = 640 };

/* One sentence each. */
void promise_privacy(const uf_claim *claim, const uf_released *released, char out[PROMISE_TEXT]);
void promise_accuracy(const uf_claim *claim, char out[PROMISE_TEXT]);

#endif
