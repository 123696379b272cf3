/* SPDX-License-Identifier: MIT */
/*
 * eta: the chance that the equations of one more key cannot be added to those of a shard. The promise of a dpset is
 * charged for it (docs/privacy.md#dpset): a try that fails is drawn again, and the chance to succeed is
 * smaller with one key more, by a factor 1 - eta at least. So every file is more likely by at most 1 / (1 - eta), and
 * epsilon grows by -ln(1 - eta); rounding.h adds it.
 *
 * In mixed radix it is charged for the worst case, a shard with as many planted keys as it takes (radix_layout), since
 * a shard with more is drawn again, and eta of one field grows with the keys (docs/privacy.md#mixed-radix). Only
 * layouts of the table may be built or read. Band 128, slack 0.03: 0.0015 for each field of a group; the 99.9 % limits
 * of what was measured are 0.0012, 0.0029 and 0.0043 for one, two and three fields (tests/stat/stat_eta_radix.c).
 */
#ifndef UF_ETA_H
#define UF_ETA_H

/* Binary columns, dyadic or integer: sampled (tests/stat/stat_eta.c). */
#define LEF_ETA 1e-4

/* A layout in mixed radix: what is charged for a band, with so much slack or more. */
struct eta_layout {
    unsigned band;
    double least_slack; /* the share of spare slots */
    double eta;         /* for each field of each group */
};

/* What is charged for so many fields, counted in each group; 0: there is no such layout. */
double radix_eta(unsigned band, double slack, unsigned fields);

/* The layouts, densest last; NULL past the last. */
const struct eta_layout *eta_layout(unsigned index);

#endif
