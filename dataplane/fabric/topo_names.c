/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/fabric/topo_names.h"

#include <stdlib.h>
#include <string.h>

#include "dataplane/base/check.h"
#include "dataplane/base/nearest.h"
#include "dataplane/base/rng.h"

static uint32_t name_hash(const char *text, size_t len)
{
	uint64_t h = len;

	for (size_t i = 0; i < len; i++)
		h = hash_combine(h, (unsigned char)text[i]);
	return (uint32_t)h;
}

/* The slot that holds the name, or the empty one where it belongs. */
static uint32_t *find_slot(const struct topo_names *t, const char *text, size_t len)
{
	uint32_t i = name_hash(text, len) & (t->n_slots - 1);

	for (;; i = (i + 1) & (t->n_slots - 1)) {
		const char *have;

		if (!t->slot[i])
			return &t->slot[i];
		have = t->name[t->slot[i] - 1].text;
		if (strlen(have) == len && !memcmp(have, text, len))
			return &t->slot[i];
	}
}

struct topo_name *topo_names_find(const struct topo_names *t, const char *text, size_t len)
{
	uint32_t at;

	if (!t->n_slots || len >= TOPO_NAME_BYTES)
		return NULL;
	at = *find_slot(t, text, len);
	return at ? &t->name[at - 1] : NULL;
}

static bool grow(struct topo_names *t)
{
	uint32_t capacity = t->capacity ? 2 * t->capacity : 64;
	struct topo_name *name = realloc(t->name, capacity * sizeof(*name));
	uint32_t *slot;

	if (!name)
		return false;
	t->name = name;
	slot = calloc(2 * (size_t)capacity, sizeof(*slot));
	if (!slot)
		return false;
	free(t->slot);
	t->slot = slot;
	t->n_slots = 2 * capacity;
	t->capacity = capacity;
	for (uint32_t i = 0; i < t->n; i++)
		*find_slot(t, t->name[i].text, strlen(t->name[i].text)) = i + 1;
	return true;
}

struct topo_name *topo_names_add(struct topo_names *t, const char *text, size_t len)
{
	struct topo_name *n;

	CHECK(len > 0 && len < TOPO_NAME_BYTES);
	if (t->n == t->capacity && !grow(t))
		return NULL;
	*find_slot(t, text, len) = t->n + 1;
	n = &t->name[t->n++];
	memset(n, 0, sizeof(*n));
	memcpy(n->text, text, len);
	return n;
}

const char *topo_names_nearest(const struct topo_names *t, const char *text, size_t len)
{
	char want[TOPO_NAME_BYTES];
	struct nearest nearest;

	if (len >= TOPO_NAME_BYTES)
		return NULL;
	memcpy(want, text, len);
	want[len] = '\0';
	nearest_init(&nearest, want);
	for (uint32_t i = 0; i < t->n; i++)
		nearest_offer(&nearest, t->name[i].text);
	return nearest_get(&nearest);
}

void topo_names_fini(struct topo_names *t)
{
	free(t->name);
	free(t->slot);
	*t = (struct topo_names){0};
}
