/* SPDX-License-Identifier: MIT */
#ifndef GATE_REPORT_JSON_H
#define GATE_REPORT_JSON_H

#include "report.h"

/* The report as one JSON object on standard output. Non-zero, and said on stderr, when it cannot be written. */
int report_json(const struct outcome *outcome);

#endif
