/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the cases of a suite take from the switch: its lossless and lossy priorities, the rate
 * of its ports and the cable, as texts for ${name}. A name that this switch has no value for
 * makes a case not applicable. Constant after it is filled; the texts are the arena's.
 */
#ifndef QUALIFY_FACTS_H
#define QUALIFY_FACTS_H

#include <stddef.h>
#include <stdint.h>

#include "dataplane/base/err.h"
#include "scenarios/arena.h"

struct qasic;

enum {
	QFACT_LOSSLESS,
	QFACT_LOSSY,
	QFACT_TWO_LOSSLESS,
	QFACT_TWO_LOSSY,
	QFACT_LOSSLESS_1,
	QFACT_LOSSLESS_2,
	QFACT_LOSSY_1,
	QFACT_LOSSY_2,
	QFACT_FREE,
	QFACT_N_LOSSLESS,
	QFACT_RATE,
	QFACT_CABLE,
	QFACT_N
};

/* The code of an error that says: this switch has not what the case needs. */
#define QUALIFY_LACKS (-ENODATA)

struct qfacts {
	int64_t rate_bps, delay_ps;
	const char *text[QFACT_N]; /* NULL: it has none, which lacks[] says in words */
	const char *lacks[QFACT_N];
};

/* With --set and the keys of the switch's file. -EINVAL where these say something else about
 * priorities or rates than the file itself, so that no case could follow. */
NODISCARD int qualify_facts_read(
        struct qfacts *f, const struct qasic *asic, struct arena *arena, struct err *e);

/* The number of a name, or -1. */
int qualify_fact(const char *name, size_t len);
const char *qualify_fact_name(int fact);  /* "lossless-1" */
const char *qualify_fact_about(int fact); /* what it is, for docs */

#endif
