/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules that judge a case. Each is a model of a conforming switch (a closed form, a bound
 * of the standard, a distribution) that is held against what the tester's ports saw and what
 * the switch counted; none holds a number that was found by trying. One family per file.
 */
#ifndef QUALIFY_RULES_H
#define QUALIFY_RULES_H

#include "scenarios/qualify/qualify_run.h"

enum qrule_kind {
	QRULE_LOSS,
	QRULE_LOSS_MODEL,
	QRULE_THROUGHPUT,
	QRULE_SHARES,
	QRULE_LATENCY,
	QRULE_DROPS,
	QRULE_PAUSED,
	QRULE_PFC_SENT,
	QRULE_SENDER_PAUSED,
	QRULE_PFC_COUNTED,
	QRULE_HEADROOM,
	QRULE_DEQUEUE_MARKING,
	QRULE_MARKING_CURVE,
	QRULE_MARKS_RISE,
	QRULE_MARKS_BY_LOAD,
	QRULE_DETECTS,
	QRULE_RESTORES,
	QRULE_NO_DETECTION,
	QRULE_RESULT,
	QRULE_N,
};

#define QRULE(kind) (1u << QRULE_##kind)

struct qrule {
	const char *word;
	const char *model; /* one sentence for docs and reports */
	/* Adds at least one check to the case; 0, or -ENOMEM / -EINVAL (a case that the rule
	 * cannot judge, with its position). */
	int (*judge)(struct qrun *r, const struct qcheck *k, struct err *e);
};

extern const struct qrule qualify_rules[QRULE_N];

int qualify_rule_loss(struct qrun *r, const struct qcheck *k, struct err *e);
int qualify_rule_loss_model(struct qrun *r, const struct qcheck *k, struct err *e);
int qualify_rule_throughput(struct qrun *r, const struct qcheck *k, struct err *e);
int qualify_rule_shares(struct qrun *r, const struct qcheck *k, struct err *e);
int qualify_rule_latency(struct qrun *r, const struct qcheck *k, struct err *e);
int qualify_rule_drops(struct qrun *r, const struct qcheck *k, struct err *e);
int qualify_rule_paused(struct qrun *r, const struct qcheck *k, struct err *e);
int qualify_rule_pfc_sent(struct qrun *r, const struct qcheck *k, struct err *e);
int qualify_rule_sender_paused(struct qrun *r, const struct qcheck *k, struct err *e);
int qualify_rule_pfc_counted(struct qrun *r, const struct qcheck *k, struct err *e);
int qualify_rule_headroom(struct qrun *r, const struct qcheck *k, struct err *e);
int qualify_rule_dequeue_marking(struct qrun *r, const struct qcheck *k, struct err *e);
int qualify_rule_marking_curve(struct qrun *r, const struct qcheck *k, struct err *e);
int qualify_rule_marks_rise(struct qrun *r, const struct qcheck *k, struct err *e);
int qualify_rule_marks_by_load(struct qrun *r, const struct qcheck *k, struct err *e);
int qualify_rule_detects(struct qrun *r, const struct qcheck *k, struct err *e);
int qualify_rule_restores(struct qrun *r, const struct qcheck *k, struct err *e);
int qualify_rule_result(struct qrun *r, const struct qcheck *k, struct err *e);
int qualify_rule_no_detection(struct qrun *r, const struct qcheck *k, struct err *e);

#endif
