/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one thread's nodes told their peers with PFC: the first events, and all XOFFs added up
 * by ingress and cause. Off the packet path: a PFC frame is rare. pfc_log_fini frees.
 */
#ifndef BASE_PFC_LOG_H
#define BASE_PFC_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "dataplane/base/compiler.h"
#include "dataplane/base/record.h"

struct pfc_log {
	struct pfc_event *event;
	uint64_t n_event, cap_event;
	int64_t events_until_ps;
	struct pfc_cause *cause; /* by hash; a power of two */
	uint32_t n_cause, cap_cause;
};

/*
 * One class of one PFC frame. Nodes of a window run one after the other, so the window in which
 * the kept events are full is recorded to its end, window_end_ps; who merges the threads' logs
 * cuts them then. 0 or -ENOMEM.
 */
NODISCARD int pfc_log_add(struct pfc_log *l, const struct pfc_event *ev, int64_t window_end_ps);

/* Copies the edges, in no order, those still held counted to t_end_ps. Returns how many; with
 * to NULL only that. */
size_t pfc_log_edges(const struct pfc_log *l, int64_t t_end_ps, struct pause_edge *to);

void pfc_log_fini(struct pfc_log *l);

#endif
