/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/host/keymap.h"

#include <stdlib.h>

#include "dataplane/base/rng.h"

static struct keymap_slot *find(const struct keymap *m, uint64_t key)
{
	uint32_t i = (uint32_t)hash64(key) & m->mask;

	while (m->slot[i].key && m->slot[i].key != key)
		i = (i + 1) & m->mask;
	return &m->slot[i];
}

static int grow(struct keymap *m)
{
	const uint32_t n = m->mask + 1;
	struct keymap_slot *old = m->slot, *slot;

	if (!old) {
		m->slot = m->few;
		m->mask = KEYMAP_FEW - 1;
		return 0;
	}
	slot = calloc((size_t)n * 2, sizeof(*slot));
	if (!slot)
		return -1;
	m->slot = slot;
	m->mask = n * 2 - 1;
	for (uint32_t i = 0; i < n; i++)
		if (old[i].key)
			*find(m, old[i].key) = old[i];
	if (old != m->few)
		free(old);
	return 0;
}

uint64_t *keymap_at(struct keymap *m, uint64_t key)
{
	struct keymap_slot *s;

	if ((!m->slot || (m->used + 1) * 4 > (m->mask + 1) * 3) && grow(m))
		return NULL;
	s = find(m, key);
	if (!s->key) {
		s->key = key;
		m->used++;
	}
	return &s->value;
}

void keymap_fini(struct keymap *m)
{
	if (m->slot != m->few)
		free(m->slot);
	*m = (struct keymap){0};
}
