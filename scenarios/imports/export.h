/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The messages of a workload in other programs' forms. Messages are collected first, so memory
 * grows with them. One thread.
 */
#ifndef SCENARIO_EXPORT_H
#define SCENARIO_EXPORT_H

#include <stdio.h>

#include "scenarios/scenario.h"

#define EXPORT_MAX_MESSAGES (UINT32_C(1) << 24)
#define EXPORT_NOTE_BYTES   640

struct export_format {
	const char *name, *doc;
	/* *note, if not empty afterwards, is what the form could not say. */
	NODISCARD int (*write)(FILE *f, const struct scenario *s, uint64_t limit,
	        char note[EXPORT_NOTE_BYTES], struct err *e);
};

extern const struct export_format export_formats[]; /* name NULL at the end */

NODISCARD int export_find(const struct export_format **out, const char *name, struct err *e);

#endif
