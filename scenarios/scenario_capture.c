/* SPDX-License-Identifier: Apache-2.0 */
/* measure.capture: names of hosts, links and switches to ports of the topology. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios/fault_place.h"
#include "scenarios/scenario_int.h"

#define KEY "measure.capture"

#define MAX_PORTS 16384u /* interfaces of a file, that our reader takes too */

static int no_memory(const struct scenario *s, struct err *e)
{
	return err_set(e, -ENOMEM, "%s: not enough memory", s->path);
}

static void tap(struct scenario *s, uint32_t node, uint16_t port)
{
	uint8_t *p = &s->capture.port[s->topo->node[node].first_port + port];

	s->capture.n_ports += !*p;
	*p = 1;
}

static int take(struct scenario *s, const struct yaml_node *n, struct err *e)
{
	const unsigned any = FAULT_TARGET_HOST | FAULT_TARGET_SWITCH | FAULT_TARGET_LINK;
	const struct topo *t = s->topo;
	struct fault_places at;
	uint32_t node;
	int rc;

	if (n->kind != YAML_SCALAR)
		return yaml_err(e, &n->at,
		        KEY ": expected the name of a host, link or switch, such as host0 or "
		            "leaf0-host3");
	s->capture.place[s->capture.n_places++] =
	        arena_text(&s->doc->yaml.arena, n->text, strlen(n->text));
	if (!s->capture.place[s->capture.n_places - 1])
		return no_memory(s, e);
	node = topo_find(t, n->text);
	if (node != UINT32_MAX) {
		for (uint16_t i = 0; i < t->node[node].n_ports; i++)
			tap(s, node, i);
		return 0;
	}
	if (!strcmp(n->text, "hosts")) {
		for (uint32_t i = 0; i < t->n_hosts; i++)
			tap(s, i, 0);
		return 0;
	}
	rc = fault_places_find(&at, t, n->text, any, n, KEY, &s->doc->yaml.arena, e);
	for (uint32_t i = 0; !rc && i < at.n; i++)
		tap(s, at.at[i].node, at.at[i].port);
	return rc;
}

/* Captured frames are real ones, whatever sizes the simulation counts. */
static void note_sizes(struct scenario *s, const struct yaml_node *at)
{
	const struct frame_cfg *f = &s->frame;
	const int64_t more = f->header_bytes - 58;
	const bool is_real = (more == 0 || more == 4 || more == 20 || more == 24) &&
	                     (f->reth_bytes == 0 || f->reth_bytes == 16) && f->pad &&
	                     f->ack_bytes == f->header_bytes + 4 &&
	                     f->cnp_bytes == f->header_bytes + 16 && f->pfc_bytes == 60 &&
	                     f->min_bytes == 60;

	if (!is_real)
		scenario_note(s, &at->at,
		        KEY
		        ": fabric.frame counts bytes that no RoCEv2 frame has: frames in the "
		        "capture have their real sizes, not those of the simulation");
}

static int take_all(struct scenario *s, const struct yaml_node *list, struct err *e)
{
	int rc = 0;

	if (list->kind == YAML_SCALAR)
		return take(s, list, e);
	for (const struct yaml_node *n = list->first; n && !rc; n = n->next)
		rc = take(s, n, e);
	return rc;
}

int scenario_bind_capture(struct scenario *s, struct err *e)
{
	const struct yaml_node *list = yaml_find(s->doc->yaml.root, KEY);
	struct arena *arena = &s->doc->yaml.arena;
	int rc;

	s->capture = (struct capture_cfg){0};
	if (!list || (list->kind == YAML_LIST && !list->n_children) ||
	        (list->kind == YAML_SCALAR && !strcmp(list->text, "off")))
		return 0;
	if (list->kind == YAML_MAP)
		return yaml_err(e, &list->at,
		        KEY ": expected a list of names, such as [host0, leaf0-host3], or all");
	s->capture.place =
	        arena_take(arena, (list->n_children + 1) * sizeof(*s->capture.place));
	s->capture.port = arena_take(arena, s->topo->n_ports);
	if (!s->capture.place || !s->capture.port)
		return no_memory(s, e);
	rc = take_all(s, list, e);
	if (!rc && s->capture.n_ports > MAX_PORTS)
		return yaml_err(e, &list->at,
		        KEY
		        ": %u ports, at most %u are possible in one file: name fewer, such as "
		        "hosts or a link",
		        s->capture.n_ports, MAX_PORTS);
	if (!rc)
		note_sizes(s, list);
	return rc;
}
