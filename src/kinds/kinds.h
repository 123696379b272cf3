/* SPDX-License-Identifier: MIT */
/* Every kind there is, one file each: a new kind is a file of this folder and a row here. */
#ifndef UF_KINDS_H
#define UF_KINDS_H

#include "ops.h"

/* In the order in which users see them. */
#define UF_KINDS(KIND)                                               \
    KIND(blocked)                                                    \
    KIND(bloom)                                                      \
    KIND(ribbon)                                                     \
    KIND(dcso)                                                       \
    KIND(counting) /* these three remove keys */                     \
    KIND(deletable)                                                  \
    KIND(tombstone)                                                  \
    KIND(dpset) /* private */                                        \
    KIND(ultra)                                                      \
    KIND(learned) /* with a model inside */                          \
    KIND(sandwich)                                                   \
    KIND(partition)                                                  \
    KIND(uptown)   /* the same over permuted keys */                 \
    KIND(downtown) /* the same, each filter with a key of its own */ \
    KIND(robust)

UF_KINDS(DECLARE_KIND)

#endif
