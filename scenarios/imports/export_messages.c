/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/imports/export_messages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/rng.h"
#include "scenarios/imports/export.h"

#define NONE UINT32_MAX

static uint8_t priority_of(const struct scenario *s, const struct plan_message *m)
{
	const int64_t entry = s->entry[m->entry].cfg.priority;

	return (uint8_t)(m->priority >= 0 ? m->priority : entry >= 0 ? entry : s->nic.priority);
}

static bool grow(void *array, uint64_t need, uint64_t *room, size_t size)
{
	void **at = array, *more;
	uint64_t n = *room ? *room : 256;

	while (n < need)
		n *= 2;
	if (n == *room)
		return true;
	more = realloc(*at, n * size);
	if (!more)
		return false;
	*at = more;
	*room = n;
	return true;
}

static int take(void *arg, const struct plan_message *m)
{
	struct export_messages *x = arg;

	if (!grow(&x->at, x->n + 1, &x->room, sizeof(*x->at)) ||
	        !grow(&x->dep, x->n_deps + m->n_dep, &x->room_deps, sizeof(*x->dep)))
		return -ENOMEM;
	x->at[x->n++] = (struct export_message){
	        .bytes = m->bytes,
	        .start_ps = m->start_ps,
	        .first_dep = x->n_deps,
	        .src = m->src,
	        .dst = m->dst,
	        .seq = (uint32_t)m->seq,
	        .n_deps = m->n_dep,
	        .entry = m->entry,
	        .priority = priority_of(x->s, m),
	        .intended = m->intended,
	};
	if (m->n_dep)
		memcpy(x->dep + x->n_deps, m->dep, m->n_dep * sizeof(*m->dep));
	x->n_deps += m->n_dep;
	return 0;
}

static uint64_t slot_of(
        const struct export_messages *m, uint16_t entry, uint32_t src, uint64_t seq)
{
	return hash_combine((uint64_t)entry << 32 | src, seq) & (m->room_slots - 1);
}

static int make_slots(struct export_messages *m)
{
	m->room_slots = 16;
	while (m->room_slots < 2 * m->n)
		m->room_slots *= 2;
	m->slot = malloc(m->room_slots * sizeof(*m->slot));
	if (!m->slot)
		return -ENOMEM;
	memset(m->slot, 0xff, m->room_slots * sizeof(*m->slot));
	for (uint64_t i = 0; i < m->n; i++) {
		uint64_t k = slot_of(m, m->at[i].entry, m->at[i].src, m->at[i].seq);

		while (m->slot[k] != NONE)
			k = (k + 1) & (m->room_slots - 1);
		m->slot[k] = (uint32_t)i;
	}
	return 0;
}

uint32_t export_message_find(
        const struct export_messages *m, uint16_t entry, uint32_t src, uint64_t seq)
{
	uint64_t k = slot_of(m, entry, src, seq);

	for (; m->slot[k] != NONE; k = (k + 1) & (m->room_slots - 1)) {
		const struct export_message *x = &m->at[m->slot[k]];

		if (x->entry == entry && x->src == src && x->seq == seq)
			return m->slot[k];
	}
	return NONE;
}

int export_messages_init(
        struct export_messages *m, const struct scenario *s, uint64_t limit, struct err *e)
{
	struct plan_totals totals = {0};
	int rc;

	*m = (struct export_messages){.s = s};
	if (limit > EXPORT_MAX_MESSAGES)
		limit = EXPORT_MAX_MESSAGES;
	rc = plan_run(s->entry, s->n_entries, limit, take, m, &totals, e);
	m->cut = totals.cut;
	if (rc == -ENOMEM || (!rc && make_slots(m)))
		rc = err_set(e, -ENOMEM, "%s: no memory for its messages", s->path);
	if (rc)
		export_messages_fini(m);
	return rc;
}

void export_messages_fini(struct export_messages *m)
{
	free(m->at);
	free(m->dep);
	free(m->slot);
	*m = (struct export_messages){0};
}
