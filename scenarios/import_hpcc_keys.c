/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/import_hpcc_keys.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "dataplane/base/units.h"
#include "scenarios/fct_path.h"
#include "scenarios/import_hpcc_text.h"

int hpcc_set(struct scenario *s, const struct hpcc_config *c, enum hpcc_key from, struct err *e,
        const char *key, const char *fmt, ...)
{
	char value[256], where[600];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(value, sizeof(value), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(value))
		return err_set(e, -EINVAL, "%s: the value of %s is too long", c->path, key);
	if (c->line[from])
		(void)snprintf(where, sizeof(where), "%s:%u", c->path, c->line[from]);
	else
		(void)snprintf(where, sizeof(where), "%s", c->path);
	return scenario_set_key(s, key, value, where, e);
}

/* Config keys that are one key of ours each. Times are microseconds there, cut to whole ones.
 */
static const struct {
	enum hpcc_key from;
	const char *key;
	enum { AS_BYTES, AS_COUNT, AS_BOOL, AS_RATE, AS_US } as;
} one_to_one[] = {
        {HPCC_PACKET_PAYLOAD_SIZE, "fabric.path_mtu", AS_BYTES},
        {HPCC_ENABLE_QCN, "fabric.switch.ecn.enabled", AS_BOOL},
        {HPCC_VAR_WIN, "fabric.nic.window_scales_with_rate", AS_BOOL},
        {HPCC_ALPHA_RESUME_INTERVAL, "fabric.nic.dcqcn.dce_tcp_rtt", AS_US},
        {HPCC_RATE_DECREASE_INTERVAL, "fabric.nic.dcqcn.rate_reduce_monitor_period", AS_US},
        {HPCC_CLAMP_TARGET_RATE, "fabric.nic.dcqcn.clamp_tgt_rate", AS_BOOL},
        {HPCC_RP_TIMER, "fabric.nic.dcqcn.rpg_time_reset", AS_US},
        {HPCC_FAST_RECOVERY_TIMES, "fabric.nic.dcqcn.rpg_threshold", AS_COUNT},
        {HPCC_RATE_AI, "fabric.nic.dcqcn.rpg_ai_rate", AS_RATE},
        {HPCC_RATE_HAI, "fabric.nic.dcqcn.rpg_hai_rate", AS_RATE},
        {HPCC_MIN_RATE, "fabric.nic.dcqcn.rpg_min_rate", AS_RATE},
};

static int set_one_to_one(struct scenario *s, const struct hpcc_config *c, struct err *e)
{
	static const char *const unit[] = {
	        [AS_BYTES] = "B", [AS_COUNT] = "", [AS_RATE] = "bps", [AS_US] = "us"};

	for (size_t i = 0; i < sizeof(one_to_one) / sizeof(one_to_one[0]); i++) {
		enum hpcc_key k = one_to_one[i].from;
		int64_t v = one_to_one[i].as == AS_US ? (int64_t)c->real[k] : c->count[k];
		int rc;

		if (one_to_one[i].as == AS_BOOL)
			rc = hpcc_set(s, c, k, e, one_to_one[i].key, "%s", v ? "on" : "off");
		else
			rc = hpcc_set(s, c, k, e, one_to_one[i].key, "%" PRId64 "%s", v,
			        unit[one_to_one[i].as]);
		if (rc)
			return rc;
	}
	return 0;
}

static uint8_t priorities_in_use(const struct hpcc_flows *f)
{
	uint8_t mask = 0;

	for (uint32_t i = 0; i < f->n; i++)
		mask |= (uint8_t)(1u << f->flow[i].priority);
	return mask;
}

static int set_priorities(
        struct scenario *s, const struct hpcc_config *c, uint8_t mask, struct err *e)
{
	char list[40] = "";
	int len = 0;

	for (int pr = 0; pr < 8; pr++)
		if (mask & (1u << pr))
			len += snprintf(list + len, sizeof(list) - (size_t)len, "%s%d",
			        len ? ", " : "", pr);
	return hpcc_set(s, c, HPCC_FLOW_FILE, e, "fabric.switch.pfc.priorities", "[%s]", list);
}

/* With ACK_HIGH_PRIO 0 a host there holds all its ACKs while class 3 is paused. */
static int set_ack_pause(struct scenario *s, const struct hpcc_config *c, uint8_t mask,
        struct import_notes *notes, struct err *e)
{
	bool obeys = !c->count[HPCC_ACK_HIGH_PRIO] && (mask & (1u << 3));

	if (obeys && mask != 1u << 3)
		import_note(notes,
		        "%s: ACK_HIGH_PRIO 0 with flows of several priorities: ACKs wait while "
		        "their "
		        "own class is paused, not while class 3 is",
		        c->path);
	return hpcc_set(s, c, HPCC_ACK_HIGH_PRIO, e, "fabric.nic.ack_obeys_pause", "%s",
	        obeys ? "on" : "off");
}

static int set_gain(struct scenario *s, const struct hpcc_config *c, struct err *e)
{
	char text[48];
	int64_t g_q32 = llround(c->real[HPCC_EWMA_GAIN] * (double)Q32_ONE);

	return hpcc_set(s, c, HPCC_EWMA_GAIN, e, "fabric.nic.dcqcn.g", "%s",
	        unit_format(text, sizeof(text), UNIT_FRACTION, g_q32));
}

static int64_t bdp_bytes(struct fct_paths *paths, uint32_t src, uint32_t dst)
{
	struct fct_path path = fct_path_get(paths, src, dst);

	return (int64_t)((__int128)path.rtt_ns * path.rate_bps / 1000000000 / 8);
}

/* The window of every flow: the largest bandwidth-delay product of any two hosts. Hosts are
 * taken switch by switch, so that each switch is searched from once. */
static int64_t largest_bdp_bytes(struct fct_paths *paths)
{
	const struct topo *t = paths->topo;
	int64_t largest = 0;

	for (uint32_t sw = t->n_hosts; sw < t->n_nodes; sw++) {
		for (uint32_t i = 0; i < t->node[sw].n_ports; i++) {
			uint32_t dst = t->port[t->node[sw].first_port + i].peer_node;

			for (uint32_t src = 0; src < t->n_hosts && dst < t->n_hosts; src++) {
				int64_t bdp = src == dst ? 0 : bdp_bytes(paths, src, dst);

				if (bdp > largest)
					largest = bdp;
			}
		}
	}
	return largest;
}

/* GLOBAL_T 0: each pair has its own; here one window must do for all flows. */
static int pair_bdp_bytes(
        int64_t *out, struct fct_paths *paths, const struct hpcc_files *f, struct err *e)
{
	const struct hpcc_config *c = &f->config;

	*out = 0;
	for (uint32_t i = 0; i < f->flows.n; i++) {
		const struct load_flow *fl = &f->flows.flow[i];
		int64_t bdp = bdp_bytes(paths, f->index[fl->src], f->index[fl->dst]);

		if (i && bdp != *out)
			return err_set(e, -EINVAL,
			        "%s:%u: GLOBAL_T 0: windows that differ between flows (%" PRId64
			        " and %" PRId64 " bytes here) cannot be simulated; set it to 1",
			        c->path, c->line[HPCC_GLOBAL_T], *out, bdp);
		*out = bdp;
	}
	return 0;
}

static int window_bytes(
        int64_t *out, const struct hpcc_files *f, const struct topo *t, struct err *e)
{
	struct fct_paths paths;
	int rc = fct_paths_open(&paths, t, f->config.count[HPCC_PACKET_PAYLOAD_SIZE], e);

	if (rc)
		return rc;
	if (f->config.count[HPCC_GLOBAL_T])
		*out = largest_bdp_bytes(&paths);
	else
		rc = pair_bdp_bytes(out, &paths, f, e);
	fct_paths_close(&paths);
	return rc;
}

static int set_window(struct scenario *s, const struct hpcc_files *f, struct err *e)
{
	static const struct switch_cfg any = {0};
	struct topo_node *node = NULL;
	struct topo_link *link = NULL;
	struct topo *t = NULL;
	int64_t window = 0;
	int rc;

	if (!f->config.count[HPCC_HAS_WIN])
		return 0;
	rc = hpcc_node_list(&node, f, e);
	if (!rc)
		rc = hpcc_link_list(&link, f, e);
	if (!rc && topo_from_links(&t, node, f->topo.n_nodes, f->topo.n_hosts, link,
	                   f->topo.n_links, &any, e)) {
		rc = e ? e->code : -EINVAL;
		err_prefix(e, "%s", f->topo.path);
	}
	if (!rc)
		rc = window_bytes(&window, f, t, e);
	/* A window of 0 there is none. */
	if (!rc && window > 0)
		rc = hpcc_set(s, &f->config, HPCC_HAS_WIN, e, "fabric.nic.window",
		        "%" PRId64 "B", window);
	topo_free(t);
	free(node);
	free(link);
	return rc;
}

int hpcc_set_keys(struct scenario *s, const struct hpcc_files *f, struct import_notes *notes,
        struct err *e)
{
	const struct hpcc_config *c = &f->config;
	uint8_t mask = priorities_in_use(&f->flows);
	int rc = set_one_to_one(s, c, e);

	if (!rc)
		rc = hpcc_set(s, c, HPCC_SIMULATOR_STOP_TIME, e, "stop.after", "%" PRId64 "ns",
		        hpcc_ns_from_real(c->real[HPCC_SIMULATOR_STOP_TIME], 1000000000));
	if (!rc)
		rc = set_gain(s, c, e);
	if (!rc)
		rc = set_priorities(s, c, mask, e);
	if (!rc)
		rc = set_ack_pause(s, c, mask, notes, e);
	if (!rc)
		rc = set_window(s, f, e);
	return rc ? rc : hpcc_set_ports(s, f, (uint32_t)__builtin_popcount(mask), e);
}
