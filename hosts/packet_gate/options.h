/* SPDX-License-Identifier: MIT */
#ifndef GATE_OPTIONS_H
#define GATE_OPTIONS_H

#include "gate.h"
#include "packets.h"

enum input_form { INPUT_FILE, INPUT_LINES, INPUT_LIVE };

enum report_form { REPORT_TEXT, REPORT_JSON };

enum on_cut { CUT_IS_ERROR, CUT_IS_FINE };

/* All strings belong to argv. */
struct options {
    enum input_form form;
    const char *input; /* a file, "-", or an interface */
    const char *patterns, *deny, *ask, *answers;
    const char *output, *verdicts, *keep;
    double save_every; /* 0: not given */
    FILE *report_to;   /* stderr when packets or their verdicts go to standard output */
    struct packets_limits limits;
    struct gate_options gate; /* all but its patterns */
    int exact;
    enum on_cut on_cut;
    enum report_form report;
};

enum options_next { OPTIONS_RUN, OPTIONS_HELPED, OPTIONS_WRONG };

/* Says on stderr what is wrong. OPTIONS_HELPED: --help was asked for and printed. */
enum options_next options_parse(int argc, char **argv, struct options *out);

#endif
