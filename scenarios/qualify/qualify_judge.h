/* SPDX-License-Identifier: Apache-2.0 */
/* From one run of a case to its verdict. */
#ifndef QUALIFY_JUDGE_H
#define QUALIFY_JUDGE_H

#include "scenarios/qualify/qualify_run.h"

/* Checks the stimulus, applies the rules, keeps figures and events; texts go into r->arena. */
NODISCARD int qualify_judge(struct verdict_case *v, struct qrun *r, struct err *e);

#endif
