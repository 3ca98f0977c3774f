/* SPDX-License-Identifier: Apache-2.0 */
/*
 * squall_dpdk_capture.so: packets of a DPDK port. The program loads it when --source dpdk asks
 * for it, so that it links no DPDK and starts in milliseconds without it. Both share the
 * structures of source.h, so the version must be the program's own.
 */
#ifndef CAPTURE_DPDK_DPDK_MODULE_H
#define CAPTURE_DPDK_DPDK_MODULE_H

#include "capture/source.h"

#define DPDK_MODULE_FILE   "squall_dpdk_capture.so"
#define DPDK_MODULE_SYMBOL squall_dpdk_capture

struct dpdk_capture_module {
	const char *version; /* of the program that it was built with */
	const struct source_ops *ops;
};

extern const struct dpdk_capture_module DPDK_MODULE_SYMBOL;

#endif
