/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A qualification suite: cases, each a stimulus in a tester's words (ports, streams, pause
 * frames that the tester sends), checks with their model, for each combination of its matrix.
 * Read from YAML for one switch (the ASIC file); constant afterwards. The same cases are meant
 * for a simulated switch and for a real one. docs/qualify.md is the reference of the format.
 */
#ifndef QUALIFY_SUITE_H
#define QUALIFY_SUITE_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/desc.h"
#include "dataplane/base/err.h"
#include "scenarios/qualify/qualify_asic.h"
#include "scenarios/qualify/qualify_bind.h"
#include "scenarios/qualify/qualify_facts.h"
#include "scenarios/qualify/qualify_times.h"

#define QUALIFY_MAX_PORTS   8
#define QUALIFY_MAX_STREAMS 64
#define QUALIFY_MAX_PFC     64
#define QUALIFY_MAX_CHECKS  24
#define QUALIFY_MAX_CASES   2000 /* combinations in one suite */

enum qframing { QUALIFY_UDP, QUALIFY_ROCE };
enum qendpoint { QUALIFY_TESTER, QUALIFY_RC };

/* Keys of a case. */
struct qcase_cfg {
	const char *name, *doc, *follows;
	int64_t ports, rate_bps;
	int64_t delay_ps;          /* -1: the switch's */
	int64_t for_ps, settle_ps; /* the run's length; what is measured begins at settle */
	int64_t framing;           /* enum qframing */
	int64_t endpoint;          /* enum qendpoint */
	int64_t pool_bytes;        /* at 100 Gb/s; 0: the switch's */
	int64_t response_ps;       /* of the tester to a pause, or PFC_RESPONSE_STANDARD */
	int64_t stretch;           /* times grow below 100 Gb/s, as the time of a frame does */
	int64_t seed;
};

/* Keys of a traffic entry; lists of ports and priorities make a stream of each. */
struct qtraffic_cfg {
	const char *name, *from, *priority;
	int64_t to, rate_q32, frame_bytes, start_ps, for_ps, packets, held;
};

struct qstream {
	const char *name;
	uint32_t from, to;
	uint8_t priority;
	bool held;           /* by the switch's or the tester's pause, as the case wants it */
	int64_t rate_q32;    /* of the sending port */
	int64_t frame_bytes; /* with FCS */
	int64_t wire_bytes;
	int64_t start_ps, period_ps, packets;
};

const char *qualify_form_word(enum pfc_form form);

/* Keys of an entry of pfc: pause frames that the tester sends. */
struct qpfc_cfg {
	int64_t port, quanta, at_ps, for_ps, every_ps, form, repeat, period_ps;
	int64_t priorities; /* bit mask */
};

/* Keys of a check; which of them apply is the rule's. */
struct qcheck_cfg {
	int64_t rule; /* enum qrule_kind */
	const char *streams, *holds;
	int64_t port, priorities;
	int64_t min_q32, max_q32, band_q32;
	int64_t after_ps, before_ps, within_ps;
	int64_t min_packets, max_packets;
	int64_t queued, repeats;
};

struct qcheck {
	struct qcheck_cfg cfg;
	uint64_t streams; /* bit per stream */
	const struct yaml_node *at;
};

struct qcase {
	const char *suite;
	const char *name;  /* "dwrr-shares (priority=3)" */
	const char *lacks; /* why this switch cannot be asked, or NULL */
	struct qcase_cfg cfg;
	int64_t rate_bps[QUALIFY_MAX_PORTS];
	struct qstream *stream;
	uint32_t n_streams;
	struct qpfc_cfg *pfc;
	uint32_t n_pfc;
	struct qcheck *check;
	uint32_t n_checks;
	struct qscope scope;
	const struct yaml_node *at;
	const struct yaml_node *keys; /* "scenario": further keys of the scenario, or NULL */
};

/* The rate of its slowest port. */
int64_t qualify_slowest_bps(const struct qcase *c);

struct qsuite {
	struct yaml_doc yaml;
	char *path;
	const char *name, *doc;
	struct qtimes times;
	struct qfacts facts;
	struct qcase *c;
	uint32_t n_cases, cap_cases;
};

/* -EINVAL with FILE:LINE:COLUMN. The ASIC must outlive the suite. */
NODISCARD int qualify_suite_load(
        struct qsuite **out, const char *path, const struct qasic *asic, struct err *e);
/* The same for a text in memory; path is for messages. */
NODISCARD int qualify_suite_read(struct qsuite **out, const char *text, size_t len,
        const char *path, const struct qasic *asic, struct err *e);
void qualify_suite_free(struct qsuite *s); /* NULL is fine */

extern const struct knob_group qualify_case_knobs, qualify_traffic_knobs, qualify_pfc_knobs,
        qualify_check_knobs;

#endif
