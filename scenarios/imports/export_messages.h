/* SPDX-License-Identifier: Apache-2.0 */
/* A plan's messages in memory, for exports; nobody else includes it. export_messages_fini
 * frees. */
#ifndef SCENARIO_EXPORT_MESSAGES_H
#define SCENARIO_EXPORT_MESSAGES_H

#include <stdio.h>

#include "gen/load/plan.h"
#include "scenarios/imports/export.h"

struct export_message {
	int64_t bytes, start_ps;
	uint64_t first_dep;
	uint32_t src, dst, seq, n_deps;
	uint16_t entry;
	uint8_t priority;
	bool intended;
};

struct export_messages {
	struct export_message *at;
	uint64_t n, room;
	struct plan_dep *dep;
	uint64_t n_deps, room_deps;
	uint32_t *slot; /* hash: (entry, src, seq) -> number */
	uint64_t room_slots;
	const struct scenario *s;
	bool cut;
};

NODISCARD int export_messages_init(
        struct export_messages *m, const struct scenario *s, uint64_t limit, struct err *e);
void export_messages_fini(struct export_messages *m);

/* UINT32_MAX: not among them. */
uint32_t export_message_find(
        const struct export_messages *m, uint16_t entry, uint32_t src, uint64_t seq);

int export_goal(FILE *f, const struct scenario *s, uint64_t limit, char note[EXPORT_NOTE_BYTES],
        struct err *e);
int export_htsim(FILE *f, const struct scenario *s, uint64_t limit,
        char note[EXPORT_NOTE_BYTES], struct err *e);

#endif
