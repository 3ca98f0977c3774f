/* SPDX-License-Identifier: Apache-2.0 */
/* What more than one key decides: the fabric's own checks, run before any simulation. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/fabric/fswitch.h"
#include "gen/cc/dcqcn_check.h"
#include "gen/load/count.h"
#include "gen/rnic/rnic.h"
#include "gen/rnic/rnic_check.h"
#include "gen/sim/host_port.h"
#include "scenarios/scenario_int.h"

int scenario_mistyped(int code, struct err *e)
{
	if (code != -ENOENT && code != -ENOTDIR)
		return code;
	if (e)
		e->code = -EINVAL;
	return -EINVAL;
}

void scenario_note(struct scenario *s, const struct yaml_where *at, const char *fmt, ...)
{
	char text[sizeof(s->notes.text[0])];
	va_list ap;

	if (s->notes.n == SCENARIO_NOTES_MAX)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap); /* a long note is cut */
	va_end(ap);
	if (at->line)
		(void)snprintf(s->notes.text[s->notes.n++], sizeof(text), "%.60s:%u:%u: %.160s",
		        at->name, at->line, at->column, text);
	else
		(void)snprintf(s->notes.text[s->notes.n++], sizeof(text), "%.60s: %.160s",
		        at->name, text);
}

int scenario_place_err(
        const struct scenario *s, const struct yaml_node *fallback, int code, struct err *e)
{
	const struct yaml_node *n = NULL, *chosen = yaml_get(s->doc->yaml.root, "preset");
	char path[KNOB_PATH_BYTES];
	size_t len;

	if (!code || code == -ENOMEM || !e)
		return scenario_mistyped(code, e);
	len = strcspn(e->msg, ": ");
	if (len && len < sizeof(path) && e->msg[len] == ':') {
		memcpy(path, e->msg, len);
		path[len] = '\0';
		n = yaml_find(s->doc->yaml.root, path);
	}
	if (!n)
		n = fallback ? fallback : s->doc->yaml.root;
	(void)yaml_err_prefix(e, n->key ? &n->key_at : &n->at);
	if (n->rank == YAML_PRESET && chosen)
		(void)yaml_err_prefix(e, &chosen->key_at);
	return scenario_mistyped(code, e);
}

static const struct yaml_node *switch_node(const struct scenario *s)
{
	const struct yaml_node *n = yaml_find(s->doc->yaml.root, "fabric.switch");

	if (!n)
		n = yaml_find(s->doc->yaml.root, "fabric");
	return n ? n : s->doc->yaml.root;
}

static int check_switches(
        const struct scenario *s, const struct fsw_profile *profile, struct err *e)
{
	for (uint32_t node = s->topo->n_hosts; node < s->topo->n_nodes; node++) {
		struct fsw sw;
		int rc;

		rc = fsw_init(&sw, s->topo, node, profile, &s->frame, (uint64_t)s->run.seed, e);
		if (rc)
			return scenario_place_err(s, switch_node(s), rc, e);
		fsw_fini(&sw);
	}
	return 0;
}

/* Profile 0 is the base; the others come from overrides. */
static int check_profiles(const struct scenario *s, struct fsw_profile *profile, struct err *e)
{
	for (uint32_t i = 0; i < s->topo->n_profiles; i++) {
		int rc = fsw_profile_init(&profile[i], &s->topo->profile[i], e);

		if (rc && i) {
			(void)yaml_err_prefix(
			        e, &yaml_find(s->doc->yaml.root, "fabric.overrides")->at);
			return rc;
		}
		if (rc)
			return scenario_place_err(s, switch_node(s), rc, e);
	}
	return 0;
}

static int check_nics(const struct scenario *s, struct err *e)
{
	int rc = rnic_cfg_check(&s->nic, e);

	for (uint32_t h = 0; !rc && h < s->topo->n_hosts; h++) {
		struct rnic_port port;

		rc = host_port_init(&port, s->topo, h, &s->frame, &s->nic, e);
	}
	return scenario_place_err(s, NULL, rc, e);
}

/* A full frame that takes less than one step of the clock would take next to no time. */
static int check_time_step(const struct scenario *s, struct err *e)
{
	const struct frame_cfg *f = &s->frame;
	const int64_t wire_bytes =
	        f->header_bytes + f->path_mtu_bytes + f->fcs_bytes + f->gap_bytes;

	for (uint32_t i = 0; i < s->topo->n_ports; i++) {
		char step[48], rate[48];

		if (f->time_step_ps == 1 ||
		        tx_ps_floor(wire_bytes, s->topo->port[i].rate_bps) > f->time_step_ps)
			continue;
		return scenario_place_err(s, NULL,
		        err_set(e, -EINVAL,
		                "fabric.frame.time_step: in steps of %s a frame of %" PRId64
		                " bytes takes no time at %s: use a smaller step or a lower "
		                "rate",
		                unit_format(step, sizeof(step), UNIT_TIME, f->time_step_ps),
		                wire_bytes,
		                unit_format(rate, sizeof(rate), UNIT_RATE,
		                        s->topo->port[i].rate_bps)),
		        e);
	}
	return 0;
}

/* A pause that is refreshed before its frame is out would fill the link with pause frames. */
static int check_refresh(const struct scenario *s, struct err *e)
{
	const int64_t wire_bytes = s->frame.pfc_bytes + s->frame.fcs_bytes + s->frame.gap_bytes;

	for (uint32_t i = s->topo->node[s->topo->n_hosts].first_port; i < s->topo->n_ports;
	        i++) {
		const struct topo_port *p = &s->topo->port[i];
		const struct switch_cfg *c = &s->topo->profile[p->profile];

		if (!c->pfc_priorities || c->pfc_quanta == PFC_NEVER_EXPIRES ||
		        !c->pfc_refresh_percent ||
		        pause_quanta_ps(c->pfc_quanta, p->rate_bps) / 100 *
		                        c->pfc_refresh_percent >
		                2 * tx_ps_floor(wire_bytes, p->rate_bps))
			continue;
		return scenario_place_err(s, NULL,
		        err_set(e, -EINVAL,
		                "fabric.switch.pfc.quanta: %" PRId64
		                " quanta refreshed after %" PRId64
		                " %% of them would fill the link with pause frames: raise "
		                "quanta or "
		                "refresh",
		                c->pfc_quanta, c->pfc_refresh_percent),
		        e);
	}
	return 0;
}

/* The sizes that InfiniBand defines (IBTA 9.6); a preset's own value is taken as meant. */
static void note_mtu(struct scenario *s)
{
	const int64_t mtu = s->frame.path_mtu_bytes;
	const struct yaml_node *n = yaml_find(s->doc->yaml.root, "fabric.path_mtu");

	if (!n || mtu == 256 || mtu == 512 || mtu == 1024 || mtu == 2048 || mtu == 4096)
		return;
	scenario_note(s, &n->at,
	        "fabric.path_mtu: %" PRId64 " bytes is no MTU of InfiniBand (256, 512, 1024, "
	        "2048, 4096); no NIC sends that",
	        mtu);
}

/* Switches that trust DSCP put dscp / 8 into a class; here the priority decides alone. */
static void note_dscp(
        struct scenario *s, const char *key, int64_t dscp, const char *with, int64_t priority)
{
	const struct yaml_node *n = yaml_find(s->doc->yaml.root, key);

	if (!n)
		n = yaml_find(s->doc->yaml.root, with);
	if (n && dscp / 8 != priority)
		scenario_note(s, &n->at,
		        "%s: DSCP %" PRId64 " belongs to class %" PRId64
		        " under dscp/8, but %s is "
		        "%" PRId64 ", and that decides here",
		        key, dscp, dscp / 8, with, priority);
}

/* What is not under PFC may be lost, which is seldom meant. */
static void note_lossy(struct scenario *s, uint32_t i)
{
	const struct load_cfg *c = &s->entry[i].cfg;
	int64_t priority = c->priority >= 0 ? c->priority : s->nic.priority;
	char path[64];
	const struct yaml_node *n;

	(void)snprintf(path, sizeof(path), "workload[%u]", i);
	n = yaml_find(s->doc->yaml.root, path);
	if (!n || !s->sw.pfc_priorities || (s->sw.pfc_priorities >> priority & 1))
		return;
	scenario_note(s, &n->at,
	        "%s: priority %" PRId64
	        " is not among fabric.switch.pfc.priorities: its packets "
	        "may be dropped",
	        path, priority);
}

/* A datagram is one packet; a pattern's messages may follow from other keys than `message`. */
static int check_datagrams(const struct scenario *s, struct err *e)
{
	for (uint32_t i = 0; i < s->n_entries; i++) {
		const struct load_entry *en = &s->entry[i];
		const int64_t bytes =
		        en->cfg.transport == TRANSPORT_UD ? load_largest_bytes(en) : 0;

		if (bytes > s->frame.path_mtu_bytes)
			return scenario_place_err(s, NULL,
			        err_set(e, -EINVAL,
			                "workload[%u].transport: ud carries a message in one "
			                "packet of up to %" PRId64
			                " bytes, but this entry sends messages of %" PRId64
			                " bytes: make them smaller, or take rc or uc",
			                i, s->frame.path_mtu_bytes, bytes),
			        e);
	}
	return 0;
}

int scenario_check_workload(struct scenario *s, struct err *e)
{
	for (uint32_t i = 0; i < s->n_entries; i++)
		note_lossy(s, i);
	/* A host has a QP for each peer that it sends to; only all-to-all can need too many. */
	for (uint32_t i = 0; i < s->n_entries; i++) {
		const struct load_cfg *c = &s->entry[i].cfg;
		int64_t qps = (c->ranks - 1) * load_pair_qps(c);

		if (c->pattern == LOAD_ALL_TO_ALL && qps > RNIC_MAX_QPS)
			return scenario_place_err(s, NULL,
			        err_set(e, -EINVAL,
			                "workload[%u].ranks: every host needs %" PRId64
			                " QPs, at most %u are possible: lower ranks or qps",
			                i, qps, RNIC_MAX_QPS),
			        e);
	}
	return check_datagrams(s, e);
}

/* A topology from a file brings its own links. */
static void note_links(struct scenario *s)
{
	static const char *const keys[] = {"fabric.host_link", "fabric.fabric_link"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct yaml_node *n = yaml_find(s->doc->yaml.root, keys[i]);

		if (n && s->topo_cfg.kind == TOPO_FILE)
			scenario_note(s, &n->at,
			        "%s: has no effect: the topology file gives every link its "
			        "rate "
			        "and delay",
			        keys[i]);
	}
	if (s->topo_cfg.kind != TOPO_FAT_TREE &&
	        (s->topo_cfg.core_rate_bps != TOPO_AS_FABRIC ||
	                s->topo_cfg.core_delay_ps != TOPO_AS_FABRIC))
		scenario_note(s, &yaml_find(s->doc->yaml.root, "fabric.core_link")->at,
		        "fabric.core_link: has no effect: only kind: fat-tree has core "
		        "switches");
}

/* Packets of one flow overtake each other, which go-back-N takes for loss. */
static void note_overtaking(struct scenario *s)
{
	const struct yaml_node *n =
	        yaml_find(s->doc->yaml.root, "fabric.switch.load_balancing");
	bool overtaking = false;

	for (uint32_t i = 0; i < s->topo->n_profiles; i++) {
		const struct switch_cfg *sw = &s->topo->profile[i];

		overtaking |= sw->load_balancing == BALANCE_SPRAY ||
		              (sw->load_balancing == BALANCE_ADAPTIVE && !sw->flowlet_gap_ps);
	}
	if (!overtaking || s->nic.retransmit != NIC_GO_BACK_N)
		return;
	if (!n)
		n = yaml_find(s->doc->yaml.root, "fabric");
	scenario_note(s, n ? &n->at : &s->doc->yaml.root->at,
	        "with nic.retransmit: go-back-n every packet that is overtaken makes the "
	        "sender go back: selective-repeat does not");
}

int scenario_check(struct scenario *s, struct err *e)
{
	struct fsw_profile *profile = calloc(s->topo->n_profiles, sizeof(*profile));
	int rc;

	if (!profile)
		return err_set(e, -ENOMEM, "%s: not enough memory", s->path);
	rc = check_profiles(s, profile, e);
	if (!rc)
		rc = check_switches(s, profile, e);
	if (!rc)
		rc = scenario_place_err(s, NULL, dcqcn_cfg_check(&s->dcqcn, e), e);
	if (!rc)
		rc = check_nics(s, e);
	if (!rc)
		rc = check_time_step(s, e);
	if (!rc)
		rc = check_refresh(s, e);
	free(profile);
	if (rc)
		return rc;
	note_mtu(s);
	note_links(s);
	note_overtaking(s);
	note_dscp(s, "fabric.nic.dscp", s->nic.dscp, "fabric.nic.priority", s->nic.priority);
	note_dscp(s, "fabric.nic.cnp_dscp", s->nic.cnp_dscp, "fabric.nic.cnp_priority",
	        s->nic.cnp_priority);
	return rc;
}
