/* SPDX-License-Identifier: Apache-2.0 */
/* Begins DPDK's environment for one device; once per process, from the thread that opens. */
#ifndef CAPTURE_DPDK_EAL_H
#define CAPTURE_DPDK_EAL_H

#include "capture/source.h"

NODISCARD int dpdk_eal_begin(const struct source_config *c, struct err *e);

/* The program's err_set is not linked into the module. */
int dpdk_fail(struct err *e, int code, const char *fmt, ...) PRINTF_LIKE(3, 4);

#endif
