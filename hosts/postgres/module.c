/* SPDX-License-Identifier: MIT */
/* What PostgreSQL sees first. */
#include "host.h"

PG_MODULE_MAGIC;

void _PG_init(void);
void _PG_init(void)
{
    secret_define_setting();
}
