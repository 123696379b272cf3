/* SPDX-License-Identifier: MIT */
/*
 * What an experiment found: tables of numbers, some of them with the number they should be and how far they may be from
 * it. Printed for people, written as .tsv, and compared. A table that could not be stored is noted in the report, which
 * then counts as failed; so nobody has to check each row.
 */
#ifndef EXPERIMENTS_TABLE_H
#define EXPERIMENTS_TABLE_H

#include <stddef.h>
#include <stdio.h>

enum { TABLE_COLUMNS = 12, TABLE_LABEL = 40 };

struct cell {
    double value;           /* NaN: there is none, shown as "-" */
    double want, tolerance; /* want NaN: nothing to compare with */
};

struct row {
    char label[2][TABLE_LABEL];
    struct cell cell[TABLE_COLUMNS];
};

struct table {
    char name[24];    /* of its file: NAME.tsv */
    char title[160];  /* empty: data for a picture, not printed */
    const char *note; /* below it; NULL: none. Constant */
    const char *head[2];
    const char *column[TABLE_COLUMNS];
    size_t columns, rows;
    struct row *row; /* owned */
};

struct report {
    struct table *table; /* owned */
    size_t tables;
    int out_of_memory;
    double largest; /* difference from a paper's number */
    char largest_name[96];
};

/* A new table; `columns` are constant strings, closed by NULL. The pointer is good until the next table. */
struct table *report_table(struct report *report, const char *name, const char *title, const char *const *columns);
struct row *table_row(struct report *report, struct table *table, const char *first, const char *second);

/* A number that is only shown; one that is compared. */
void row_show(struct row *row, size_t column, double value);
void row_check(struct row *row, size_t column, double value, double want, double tolerance);

/* Compared with what a paper has; the largest difference of all is kept. `row` is a row of `table`. */
void row_compare(struct report *report, const struct table *table, struct row *row, size_t column, double value,
                 double printed, double tolerance);

/* What the row is about. */
const char *row_name(const struct table *table, size_t row);

struct report_summary {
    size_t checked, failed;
};
struct report_summary report_compare(const struct report *report);
int cell_fails(const struct cell *cell);

void report_print(FILE *out, const struct report *report);
void table_write(FILE *out, const struct table *table);
void report_free(struct report *report);

/* "0.0606", "3.7e-05" or "-", in a buffer that several calls of one printf can share. */
struct cell_text {
    char text[24];
};
struct cell_text cell_text(double value);

#endif
