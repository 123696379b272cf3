/* SPDX-License-Identifier: MIT */
/* Functions of the module that describe and account: specs, designs, the ledger. */
#ifndef ULTRAFILTER_PYTHON_DESCRIBE_H
#define ULTRAFILTER_PYTHON_DESCRIBE_H

#include "host.h"

extern PyMethodDef describe_functions[];

#endif
