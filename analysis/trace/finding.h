/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one table of findings: what the diagnosis of a capture may say, what it means, how it is
 * found out and what to do. `squall analyze --explain`, the JSON and docs/findings.md are made
 * from it. Constant data, any thread.
 */
#ifndef TRACE_FINDING_H
#define TRACE_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum finding_severity { FINDING_INFO, FINDING_WARNING, FINDING_ERROR };
const char *finding_severity_name(enum finding_severity s);

/* In the order in which roots are shown; rows of finding_table have the same order. */
enum finding_id {
	FINDING_DEADLOCK,
	FINDING_PAUSE_STORM,
	FINDING_SLOW_RECEIVER,
	FINDING_PAUSE_IGNORED,
	FINDING_LATE_PAUSE,
	FINDING_LINK_LEVEL_PAUSE,
	FINDING_LINK_DOWN,
	FINDING_DOWN_TRAINED_LINK,
	FINDING_CORRUPTION,
	FINDING_RANDOM_LOSS,
	FINDING_SWITCH_LOSS,
	FINDING_OUT_OF_ORDER,
	FINDING_DATA_ON_LOSSY_PRIORITY,
	FINDING_DATA_ON_WRONG_PRIORITY,
	FINDING_NO_CONGESTION_CONTROL,
	FINDING_LOSS_WITHOUT_PFC,
	FINDING_CNP_IN_WRONG_QUEUE,
	FINDING_CNP_THROTTLED,
	FINDING_CE_WITHOUT_CNP,
	FINDING_CNP_IGNORED,
	FINDING_CNP_WITHOUT_CE,
	FINDING_SWITCH_WITHOUT_ECN,
	FINDING_NON_ECT,
	FINDING_PFC_WITHOUT_ECN,
	FINDING_PFC_BEFORE_ECN,
	FINDING_MARK_WITHOUT_QUEUE,
	FINDING_DEEP_BUFFER,
	FINDING_ONE_SOURCE_PORT,
	FINDING_ECMP_COLLISION,
	FINDING_RNR,
	FINDING_REMOTE_ACCESS_ERROR,
	FINDING_INVALID_REQUEST,
	FINDING_REMOTE_OPERATION_ERROR,
	FINDING_NAK_OTHER,
	FINDING_ICRC_REWRITTEN,
	FINDING_MALFORMED,
	FINDING_CAPTURE_LOSS,
	FINDING_WATCHDOG_DROP,
	FINDING_LOSSLESS_DROP,
	FINDING_CNP_LOST,
	FINDING_HEAD_OF_LINE,
	FINDING_VICTIM_FLOW,
	FINDING_LOSS_HIDDEN,
	FINDING_TIMEOUT_RECOVERY,
	FINDING_UNACKNOWLEDGED,
	FINDING_INCAST,
	FINDING_MICROBURST,
	FINDINGS,
	FINDING_NONE = FINDINGS
};

struct finding_kind {
	const char *name, *title;
	uint8_t severity; /* enum finding_severity */
	const char *means, *detected, *advice;
	/* What it follows from where that was found as well: the first of these; ends with
	 * FINDING_NONE. Without any it stands alone as a root, */
	const uint8_t *causes;
	bool never_root; /* or is not said at all. */
};

extern const struct finding_kind *const finding_table[FINDINGS];

/* NULL: no such name; *nearest is what was probably meant, or NULL. */
const struct finding_kind *finding_find(const char *name, const char **nearest);

/* For people: one of them, or the names and titles of all. */
void finding_explain(FILE *f, const struct finding_kind *k);
void finding_list(FILE *f);

/* docs/findings.md between its markers. */
#define FINDING_MARKDOWN_BEGIN                                                                 \
	"<!-- findings: begin, written by `squall analyze --explain all --markdown` -->\n"
#define FINDING_MARKDOWN_END "<!-- findings: end -->\n"
void finding_markdown_write(FILE *f);

#endif
