/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/imports/nccl_topo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

int nccl_topo_init(struct nccl_topo *t, struct err *e)
{
	*t = (struct nccl_topo){.at = NONE};
	t->ring = calloc(NCCL_GRAPH_MAX_CHANNELS, sizeof(*t->ring));
	return t->ring ? 0 : err_set(e, -ENOMEM, "no memory for a topology");
}

void nccl_topo_fini(struct nccl_topo *t)
{
	free(t->place);
	free(t->ring);
	*t = (struct nccl_topo){0};
}

static int enter(struct nccl_topo *t, struct xml_file *x, struct err *e)
{
	if (t->n_places == NCCL_TOPO_MAX_PLACES)
		return xml_err(
		        x, e, "more than %d elements of a topology", NCCL_TOPO_MAX_PLACES);
	if (t->n_places == t->room_places) {
		uint32_t room = t->room_places ? 2 * t->room_places : 64;
		void *at = realloc(t->place, room * sizeof(*t->place));

		if (!at)
			return err_set(e, -ENOMEM, "no memory for a topology");
		t->place = at;
		t->room_places = room;
	}
	t->place[t->n_places] = (struct nccl_place){t->at, xml_depth(x)};
	t->at = t->n_places++;
	return 0;
}

static struct nccl_device *add(
        struct nccl_device *list, uint32_t *n, const char *name, uint32_t place, bool on_pci)
{
	struct nccl_device *d;

	if (*n == NCCL_TOPO_MAX_DEVICES)
		return NULL;
	d = &list[(*n)++];
	*d = (struct nccl_device){.place = place, .dev = -1, .on_pci = on_pci};
	(void)snprintf(d->name, sizeof(d->name), "%.31s", name ? name : "?");
	return d;
}

/* PCI classes: 02 network, 03 display. A bridge (06) is only a place. */
static int start_pci(struct nccl_topo *t, struct xml_file *x, const char **attr, struct err *e)
{
	const char *class = xml_attr(attr, "class"), *id = xml_attr(attr, "busid");
	unsigned long code;
	bool fits = true;
	int rc = enter(t, x, e);

	if (rc || !class)
		return rc;
	code = strtoul(class, NULL, 16) >> 16;
	if (code == 3)
		fits = add(t->gpu, &t->n_gpus, id, t->at, true) != NULL;
	else if (code == 2)
		fits = add(t->nic, &t->n_nics, id, t->at, true) != NULL;
	return fits ? 0 : xml_err(x, e, "more than %d GPUs or NICs", NCCL_TOPO_MAX_DEVICES);
}

static int start_gpu(struct nccl_topo *t, struct xml_file *x, const char **attr, struct err *e)
{
	static const int64_t none = -1;
	int64_t dev;
	int rc = xml_count(x, attr, "dev", -1, INT16_MAX, &none, &dev, e);

	if (!rc && t->n_gpus && t->gpu[t->n_gpus - 1].place == t->at)
		t->gpu[t->n_gpus - 1].dev = (int32_t)dev;
	return rc ? rc : enter(t, x, e);
}

/* <nic><net .../></nic> inside the PCI device of a NIC, or right inside a cpu. */
static int start_net(struct nccl_topo *t, struct xml_file *x, const char **attr, struct err *e)
{
	static const int64_t none = -1, zero = 0;
	const uint32_t pci = t->at == NONE ? NONE : t->place[t->at].parent;
	struct nccl_device *d = t->n_nics ? &t->nic[t->n_nics - 1] : NULL;
	int64_t dev, speed;
	int rc = xml_count(x, attr, "dev", -1, INT16_MAX, &none, &dev, e);

	if (!rc)
		rc = xml_count(x, attr, "speed", 0, 10000000, &zero, &speed, e);
	if (rc)
		return rc;
	if (!d || d->place != pci || !d->on_pci)
		d = add(t->nic, &t->n_nics, xml_attr(attr, "name"), t->at, false);
	if (!d)
		return xml_err(x, e, "more than %d NICs", NCCL_TOPO_MAX_DEVICES);
	d->dev = (int32_t)dev;
	d->rate_bps = speed * 1000000;
	return enter(t, x, e);
}

static int start_graph_part(struct nccl_topo *t, struct xml_file *x, const char *name,
        const char **attr, struct err *e)
{
	static const int64_t none = 0;
	struct nccl_channel *c = &t->ring[t->n_rings ? t->n_rings - 1 : 0];
	const bool is_ring = t->pattern == NCCL_PATTERN_RING;
	int64_t v;
	int rc = 0;

	if (!strcmp(name, "graph")) {
		rc = xml_count(x, attr, "pattern", 0, 100, &none, &v, e);
		t->pattern = (uint32_t)v;
		return rc;
	}
	if (!strcmp(name, "channel") && !is_ring) {
		t->n_other++;
		return 0;
	}
	if (!strcmp(name, "channel")) {
		if (t->n_rings == NCCL_GRAPH_MAX_CHANNELS)
			return xml_err(x, e, "more than %d rings", NCCL_GRAPH_MAX_CHANNELS);
		t->ring[t->n_rings++] = (struct nccl_channel){.net_in = -1, .net_out = -1};
		return 0;
	}
	if (!is_ring || !t->n_rings)
		return 0;
	if (!strcmp(name, "gpu")) {
		rc = xml_count(x, attr, "dev", 0, INT16_MAX, NULL, &v, e);
		if (!rc && c->n_gpus == NCCL_TOPO_MAX_DEVICES)
			return xml_err(
			        x, e, "more than %d GPUs in a ring", NCCL_TOPO_MAX_DEVICES);
		if (!rc)
			c->gpu[c->n_gpus++] = (uint16_t)v;
	} else if (!strcmp(name, "net")) {
		rc = xml_count(x, attr, "dev", 0, INT16_MAX, NULL, &v, e);
		if (!rc && !c->n_gpus)
			c->net_in = (int32_t)v;
		else if (!rc)
			c->net_out = (int32_t)v;
	}
	return rc;
}

static int on_start(
        void *arg, struct xml_file *x, const char *name, const char **attr, struct err *e)
{
	struct nccl_topo *t = arg;

	if (xml_depth(x) == 0) {
		t->at = NONE;
		t->pattern = 0;
		if (!strcmp(name, "system") && t->has_system)
			return xml_err(x, e, "a second topology: one machine's is enough");
		t->has_system |= !strcmp(name, "system");
		t->has_graphs |= !strcmp(name, "graphs");
		if (strcmp(name, "system") != 0 && strcmp(name, "graphs") != 0)
			return xml_err(
			        x, e, "<%.40s> where <system> or <graphs> was expected", name);
		t->in_system = !strcmp(name, "system");
		return 0;
	}
	if (!t->in_system)
		return start_graph_part(t, x, name, attr, e);
	if (!strcmp(name, "pci"))
		return start_pci(t, x, attr, e);
	if (!strcmp(name, "gpu"))
		return start_gpu(t, x, attr, e);
	if (!strcmp(name, "net"))
		return start_net(t, x, attr, e);
	return enter(t, x, e);
}

static int on_end(void *arg, struct xml_file *x, const char *name, struct err *e)
{
	struct nccl_topo *t = arg;

	(void)x;
	(void)name;
	(void)e;
	if (t->in_system && t->at != NONE)
		t->at = t->place[t->at].parent;
	return 0;
}

int nccl_topo_read(struct nccl_topo *t, const char *path, struct err *e)
{
	return xml_read(path, on_start, on_end, t, e);
}

int nccl_topo_read_text(
        struct nccl_topo *t, const char *name, const char *text, size_t len, struct err *e)
{
	return xml_read_text(name, text, len, on_start, on_end, t, e);
}

/* Depth of the deepest place above both; -1: only the machine. */
static int64_t common(const struct nccl_topo *t, uint32_t a, uint32_t b)
{
	while (a != NONE && b != NONE && a != b) {
		if (t->place[a].depth >= t->place[b].depth)
			a = t->place[a].parent;
		else
			b = t->place[b].parent;
	}
	return a == NONE || b == NONE ? -1 : (int64_t)t->place[a].depth;
}

uint32_t nccl_topo_nearest(
        const struct nccl_topo *t, uint32_t gpu, bool out[NCCL_TOPO_MAX_DEVICES])
{
	int64_t best = -2;
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->n_nics; i++)
		if (t->nic[i].on_pci && common(t, t->gpu[gpu].place, t->nic[i].place) > best)
			best = common(t, t->gpu[gpu].place, t->nic[i].place);
	for (uint32_t i = 0; i < t->n_nics; i++) {
		out[i] = t->nic[i].on_pci &&
		         common(t, t->gpu[gpu].place, t->nic[i].place) == best;
		n += out[i];
	}
	return n;
}
