/* SPDX-License-Identifier: Apache-2.0 */
/* Captures of RoCE traffic; what the importer and its tests share. */
#ifndef SCENARIO_IMPORT_CAPTURE_H
#define SCENARIO_IMPORT_CAPTURE_H

#include "analysis/trace/trace_result.h"
#include "scenarios/imports/capture_work.h"
#include "scenarios/imports/import_source.h"

extern const struct import_source import_capture;

/* What a fabric must be told of the NICs, from what was captured. */
struct capture_facts {
	int64_t mtu_bytes;  /* 0: unknown */
	int64_t rate_bps;   /* of most hosts; 0: unknown */
	uint32_t ack_every; /* 0: unknown */
	int64_t cnp_gap_ns; /* 0: unknown */
	const char *cnp_scope;
	bool cnp_scope_known;
	uint8_t dscp, priority, cnp_dscp, cnp_priority, ack_priority; /* 255: unknown */
	bool not_ect;
};

/* import_capture_facts.c: finds them, and says what was found and what was not. */
void capture_facts_find(struct capture_facts *f, const struct trace_result *r);
void capture_facts_say(struct import_draft *d, const struct capture_facts *f,
        const struct trace_result *r, const struct capture_work *w);

/* The class of a flow's data: its PCP, or what its DSCP stands for. */
uint8_t capture_priority(const struct trace_flow *f);

#endif
