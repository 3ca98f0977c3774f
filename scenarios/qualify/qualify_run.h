/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the cases of suites against a simulated switch and fills a verdict. Cases are
 * independent: each worker thread takes the next one; the verdict does not depend on their
 * number. Assembles, and nothing else.
 */
#ifndef QUALIFY_RUN_H
#define QUALIFY_RUN_H

#include <stdatomic.h>

#include "analysis/summary.h"
#include "analysis/verdict.h"
#include "dataplane/base/record.h"
#include "scenarios/qualify/qualify_capture.h"
#include "scenarios/scenario.h"

/* One case that was run, for the rules. */
struct qrun {
	const struct qcase *c;
	const struct qasic *asic;
	const struct scenario *scenario; /* what was asked of the switch: the models' values */
	const struct run_record *rec;    /* what the switch counted */
	const struct run_summary *summary;
	struct qcapture cap;
	struct arena *arena; /* of the verdict's texts */
	struct verdict_check *check;
	uint32_t n_checks, cap_checks;
};

/* One more check of the case; texts as by printf. -ENOMEM. */
NODISCARD int qualify_note(struct qrun *r, const struct qcheck *k, bool holds, const char *what,
        const char *measured, const char *expected, struct err *e);

/* The same about what was offered: without it the case proves nothing. */
NODISCARD int qualify_note_stimulus(struct qrun *r, const struct qcheck *k, bool holds,
        const char *what, const char *measured, const char *expected, struct err *e);

/* The scenario of a case. set: --set of the command line. */
NODISCARD int qualify_scenario(struct scenario **out, const struct qcase *c,
        const struct qasic *asic, const struct scenario_set *set, uint32_t n_set,
        struct err *e);

/* What is the same in every case that asks for nothing else. */
struct qualify_base {
	int64_t rate_bps, delay_ps;
	int64_t lossless; /* bit mask of the priorities under PFC */
};

/* The link of a tester port, and what the switch's port at it was told. */
const struct topo_port *qualify_link(const struct scenario *s, uint32_t port);
const struct switch_cfg *qualify_link_profile(const struct scenario *s, uint32_t port);

/* With the keys of the switch's file and its --set. */
NODISCARD int qualify_base(struct qualify_base *out, const struct qasic *asic, struct err *e);

/* Why this switch cannot be asked, in the arena, or NULL: frames that its path MTU cuts. */
const char *qualify_unfit(const struct scenario *s, const struct qcase *c, struct arena *arena);

/* Does the buffer hold the headroom of the case? -EINVAL with both. */
NODISCARD int qualify_fits_buffer(const struct scenario *s, struct err *e);

struct qualify_options {
	const struct qasic *asic;
	const char *only; /* run the cases whose "SUITE.CASE" fits; NULL: all */
	const struct scenario_set *set;
	uint32_t n_set;
	uint32_t threads;
	atomic_bool *stop; /* set by a signal handler: no further case, running ones are cut */
	/* Called by a worker for each finished case, one at a time; may be NULL. */
	void (*done)(void *arg, const struct verdict_case *c, uint32_t n_done, uint32_t n);
	void *done_arg;
};

struct qualify_result {
	struct verdict v;
	const struct qcase **run; /* [v.n_cases] */
	struct arena *arena;      /* [v.n_cases] */
	struct verdict_set *set;  /* v.set */
	bool out_of_memory;       /* which is then why v.interrupted */
};

/* 0 with *res (qualify_result_fini), also when interrupted. -EINVAL: no case fits `only`, or
 * one cannot be made into a scenario: its position is in the message. */
NODISCARD int qualify_run(struct qualify_result *res, struct qsuite *const *suite,
        uint32_t n_suites, const struct qualify_options *opt, struct err *e);
void qualify_result_fini(struct qualify_result *res);

#endif
