/* SPDX-License-Identifier: MIT */
/*
 * "Adversary Resilient Learned Bloom Filters" (A. Bishop, H. Tirmazi, 2024): its table 1, what was computed from it
 * apart from this program, and the corrected reference of docs/hybrid.md.
 */
#ifndef EXPERIMENTS_BODEGA_EXPECTED_H
#define EXPERIMENTS_BODEGA_EXPECTED_H

/* Table 1; megabytes are 2^20 bytes, as in the authors' code. */
#define BODEGA_MEGABYTE 8388608.0 /* bits */
#define BODEGA_KEYS 1.7e6
#define BODEGA_C 0.25
#define BODEGA_LAMBDA 128.0
/* Q_N is in the text of section 7.3 only; in the authors' code it is this. */
#define BODEGA_Q_N 0.5

/* What follows from table 1. Columns: as printed, with Q_N, keys of their own branch, the authors' code, and another
 * model. NaN: not computed apart. */
enum { BODEGA_PRINTED, BODEGA_PRINTED_Q, BODEGA_OWN, BODEGA_CODE, BODEGA_KRASKA, BODEGA_COLUMNS };
enum { BODEGA_CLASSICAL, BODEGA_A, BODEGA_B, BODEGA_ORDINARY, BODEGA_CUT_EVEN, BODEGA_CUT_WORST, BODEGA_RATES };
static const double bodega_rates[BODEGA_RATES][BODEGA_COLUMNS] = {
    {0.00872528, 0.00872528, 0.00872528, 0.096364, 0.00872528},
    {0.305637, 0.305637, 0.297097, 0.320729, 0.152287},
    {0.305637, 0.305637, 9.0146e-23, 0.0184167, 0.000935320},
    {0.305637, 0.156387, 0.00693777, 0.0234947, 0.00169208},
    {0, 0, 0.0126227, 0.498837, 0.0938772},
    {0, 0, 0.00616046, 0.245158, 0.0467027},
};

/* A Downtown filter with the model of Kraska et al. in the same 2 MB, sized for the share alpha, in the worst case. */
static const struct {
    double alpha, fpr;
} bodega_sized[] = {{0, 0.0017}, {0.01, 0.0028}, {0.05, 0.0048}, {0.1, 0.0063}, {0.2, 0.0079}, {0.3, 0.0088}};

#endif
