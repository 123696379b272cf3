/* SPDX-License-Identifier: MIT */
/* Death at random moments: commands that change files are killed, one after the other, and a model keeps what was
 * acknowledged (exit status 0). Nothing of that may be lost, and no file be anything but the old or the new one. */
#ifndef UF_TORTURE_MOMENTS_H
#define UF_TORTURE_MOMENTS_H

#include "scene.h"

void moments_run(struct stage *stage, unsigned kills, uint64_t *seed);

#endif
