/* SPDX-License-Identifier: MIT */
#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows and tables that could not be stored end up in one of these; out_of_memory says so. */
static struct table *no_table(struct report *report)
{
    static struct table nowhere;
    report->out_of_memory = 1;
    return &nowhere;
}

static struct row *no_row(struct report *report)
{
    static struct row nowhere;
    report->out_of_memory = 1;
    return &nowhere;
}

struct table *report_table(struct report *report, const char *name, const char *title, const char *const *columns)
{
    struct table *grown = realloc(report->table, (report->tables + 1) * sizeof *grown);
    if (!grown)
        return no_table(report);
    report->table = grown;
    struct table *table = &grown[report->tables++];
    *table = (struct table){.head = {"", ""}};
    (void)snprintf(table->name, sizeof table->name, "%s", name);
    (void)snprintf(table->title, sizeof table->title, "%s", title);
    while (columns[table->columns] && table->columns < TABLE_COLUMNS) {
        table->column[table->columns] = columns[table->columns];
        table->columns++;
    }
    return table;
}

struct row *table_row(struct report *report, struct table *table, const char *first, const char *second)
{
    struct row *grown = realloc(table->row, (table->rows + 1) * sizeof *grown);
    if (!grown)
        return no_row(report);
    table->row = grown;
    struct row *row = &grown[table->rows++];
    memset(row, 0, sizeof *row);
    (void)snprintf(row->label[0], sizeof row->label[0], "%s", first);
    (void)snprintf(row->label[1], sizeof row->label[1], "%s", second);
    for (size_t i = 0; i < TABLE_COLUMNS; i++)
        row->cell[i] = (struct cell){NAN, NAN, 0};
    return row;
}

void row_show(struct row *row, size_t column, double value)
{
    row->cell[column] = (struct cell){value, NAN, 0};
}

void row_check(struct row *row, size_t column, double value, double want, double tolerance)
{
    row->cell[column] = (struct cell){value, want, tolerance};
}

void row_compare(struct report *report, const struct table *table, struct row *row, size_t column, double value,
                 double printed, double tolerance)
{
    row_check(row, column, value, printed, tolerance);
    if (fabs(value - printed) < report->largest)
        return;
    report->largest = fabs(value - printed);
    (void)snprintf(report->largest_name, sizeof report->largest_name, "%s, %s, %s", table->name,
                   row_name(table, (size_t)(row - table->row)), table->column[column]);
}

/* Of the rows of one thing only the first names it. */
const char *row_name(const struct table *table, size_t row)
{
    while (row && !table->row[row].label[0][0])
        row--;
    return table->row[row].label[0];
}

/* ---- comparing ---- */

int cell_fails(const struct cell *cell)
{
    return !isnan(cell->want) && !(fabs(cell->value - cell->want) <= cell->tolerance);
}

struct report_summary report_compare(const struct report *report)
{
    struct report_summary summary = {0, 0};
    for (size_t t = 0; t < report->tables; t++)
        for (size_t r = 0; r < report->table[t].rows; r++)
            for (size_t c = 0; c < report->table[t].columns; c++) {
                const struct cell *cell = &report->table[t].row[r].cell[c];
                summary.checked += isnan(cell->want) ? 0 : 1;
                summary.failed += (size_t)cell_fails(cell);
            }
    return summary;
}

/* ---- writing ---- */

struct cell_text cell_text(double value)
{
    struct cell_text out = {"-"};
    if (!isnan(value))
        (void)snprintf(out.text, sizeof out.text,
                       value != 0 && fabs(value) < 0.001 ? "%.1e"
                       : fabs(value) >= 100              ? "%.1f"
                                                         : "%.4f",
                       value);
    return out;
}

static int widest(const struct table *table, unsigned label)
{
    size_t width = strlen(table->head[label]);
    for (size_t r = 0; r < table->rows; r++)
        if (strlen(table->row[r].label[label]) > width)
            width = strlen(table->row[r].label[label]);
    return (int)width;
}

static int column_width(const struct table *table, size_t column)
{
    size_t width = strlen(table->column[column]);
    return width < 8 ? 8 : (int)width;
}

/* A "!" follows what is out of tolerance. */
static void print_row(FILE *out, const struct table *table, const struct row *row, int first, int second)
{
    (void)fprintf(out, "%-*s  %-*s", first, row->label[0], second, row->label[1]);
    for (size_t c = 0; c < table->columns; c++)
        (void)fprintf(out, " %*s%s", column_width(table, c), cell_text(row->cell[c].value).text,
                      cell_fails(&row->cell[c]) ? "!" : " ");
    (void)fputc('\n', out);
}

static void print_table(FILE *out, const struct table *table)
{
    int first = widest(table, 0), second = widest(table, 1);
    (void)fprintf(out, "%s\n\n%-*s  %-*s", table->title, first, table->head[0], second, table->head[1]);
    for (size_t c = 0; c < table->columns; c++)
        (void)fprintf(out, " %*s ", column_width(table, c), table->column[c]);
    (void)fputc('\n', out);
    for (size_t r = 0; r < table->rows; r++)
        print_row(out, table, &table->row[r], first, second);
    if (table->note)
        (void)fprintf(out, "\n%s\n", table->note);
    (void)fputc('\n', out);
}

void report_print(FILE *out, const struct report *report)
{
    for (size_t t = 0; t < report->tables; t++)
        if (report->table[t].title[0])
            print_table(out, &report->table[t]);
}

static void write_cell(FILE *out, double value)
{
    if (isnan(value))
        (void)fputs("\t-", out);
    else
        (void)fprintf(out, "\t%.6g", value);
}

void table_write(FILE *out, const struct table *table)
{
    (void)fprintf(out, "%s\t%s", table->head[0], table->head[1]);
    for (size_t c = 0; c < table->columns; c++)
        (void)fprintf(out, "\t%s", table->column[c]);
    (void)fputc('\n', out);
    for (size_t r = 0; r < table->rows; r++) {
        (void)fprintf(out, "%s\t%s", table->row[r].label[0], table->row[r].label[1]);
        for (size_t c = 0; c < table->columns; c++)
            write_cell(out, table->row[r].cell[c].value);
        (void)fputc('\n', out);
    }
}

void report_free(struct report *report)
{
    for (size_t t = 0; t < report->tables; t++)
        free(report->table[t].row);
    free(report->table);
    *report = (struct report){0};
}
