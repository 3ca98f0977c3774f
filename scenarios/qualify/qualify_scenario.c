/* SPDX-License-Identifier: Apache-2.0 */
/* A case in the words of a scenario: tester ports are hosts, the switch is a star's centre. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/units.h"
#include "dataplane/fabric/fswitch.h"
#include "scenarios/knob_table.h"
#include "scenarios/qualify/qualify_run.h"

#define UDP_HEADER_BYTES   42 /* Ethernet 14, IPv4 20, UDP 8 */
#define ROCE_HEADER_BYTES  74 /* and BTH 12, RETH 16, ICRC 4 */
#define LARGE_BUFFER_BYTES (INT64_C(16) << 30)
#define FCS_BYTES          4
#define CABLE_PS           (50 * PS_PER_NS)      /* 10 m */
#define POOL_BPS           INT64_C(100000000000) /* the rate for which `pool` is given */

const struct topo_port *qualify_link(const struct scenario *s, uint32_t port)
{
	const struct topo *t = s->topo;

	return &t->port[t->node[t->n_hosts].first_port + port];
}

const struct switch_cfg *qualify_link_profile(const struct scenario *s, uint32_t port)
{
	return &s->topo->profile[qualify_link(s, port)->profile];
}

/* A scenario being made. */
struct maker {
	struct scenario *s;
	const struct qcase *c;
	struct arena *arena;
	char text[1 << 18];
	size_t used;
	struct err *e;
};

static int set(struct maker *m, const char *key, const char *fmt, ...) PRINTF_LIKE(3, 4);

static int set(struct maker *m, const char *key, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return scenario_set_key(m->s, key, text, m->c->name, m->e);
}

static void add(struct maker *m, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void add(struct maker *m, const char *fmt, ...)
{
	va_list args;
	int n;

	if (m->used >= sizeof(m->text))
		return;
	va_start(args, fmt);
	n = vsnprintf(m->text + m->used, sizeof(m->text) - m->used, fmt, args);
	va_end(args);
	m->used += n < 0 ? 0 : (size_t)n;
}

static int put_list(struct maker *m, const char *key)
{
	if (m->used >= sizeof(m->text))
		return err_set(m->e, -EINVAL, "%s: too long a list of %s", m->c->name, key);
	return scenario_set_key(m->s, key, m->text, m->c->name, m->e);
}

static int put_fabric(struct maker *m)
{
	const struct qcase *c = m->c;
	int rc = set(m, "fabric.topology", "{kind: star, hosts: %" PRId64 "}", c->cfg.ports);

	if (!rc)
		rc = set(m, "fabric.host_link", "{rate: %" PRId64 "bps, delay: %" PRId64 "ps}",
		        c->rate_bps[0], c->cfg.delay_ps >= 0 ? c->cfg.delay_ps : CABLE_PS);
	if (!rc && c->cfg.framing == QUALIFY_UDP)
		rc = set(m, "fabric.frame", "{header: %dB, reth: 0B, pad: off}",
		        UDP_HEADER_BYTES);
	if (!rc && c->cfg.framing == QUALIFY_ROCE)
		rc = set(m, "fabric.frame", "{header: %dB, reth: 16B, pad: off}",
		        ROCE_HEADER_BYTES - 16);
	if (!rc)
		rc = set(m, "fabric.path_mtu", "9000");
	m->used = 0;
	add(m, "[");
	for (uint32_t i = 0; i < (uint32_t)c->cfg.ports; i++)
		if (c->rate_bps[i] != c->rate_bps[0])
			add(m, "%s{match: {link: host%u-sw0}, link: {rate: %" PRId64 "bps}}",
			        m->used > 1 ? ", " : "", i, c->rate_bps[i]);
	if (!rc && m->used > 1) {
		add(m, "]");
		rc = put_list(m, "fabric.overrides");
	}
	return rc;
}

/* A tester: constant rates, no congestion control, nothing sent again. */
static int put_tester(struct maker *m)
{
	return set(m, "fabric.nic",
	        "{cc: none, retransmit_timeout: off, ack_priority: 7, "
	        "cnp_priority: 7}");
}

static int put_traffic(struct maker *m)
{
	const struct qcase *c = m->c;
	const int64_t header_bytes =
	        (c->cfg.framing == QUALIFY_UDP ? UDP_HEADER_BYTES : ROCE_HEADER_BYTES) +
	        FCS_BYTES;

	m->used = 0;
	add(m, "[");
	for (uint32_t i = 0; i < c->n_streams; i++) {
		const struct qstream *q = &c->stream[i];

		if (q->frame_bytes <= header_bytes)
			return yaml_err(m->e, &c->at->at,
			        "frame: %" PRId64 "B leaves no payload behind %" PRId64
			        " B of headers and FCS",
			        q->frame_bytes, header_bytes);
		add(m,
		        "%s{pattern: incast, first_host: %u, senders: 1, receiver: %u, "
		        "message: %" PRId64 "B, repeat: %" PRId64 ", period: %" PRId64
		        "ps, start: %" PRId64 "ps, priority: %u, transport: %s}",
		        i ? ", " : "", q->from, q->to, q->frame_bytes - header_bytes,
		        q->packets, q->period_ps, q->start_ps, q->priority,
		        c->cfg.endpoint == QUALIFY_RC ? "rc" : "uc");
	}
	/* A run ends with its workload; this one lasts to its end. */
	add(m,
	        ", {pattern: incast, first_host: 1, senders: 1, receiver: 0, message: 64B, "
	        "start: %" PRId64 "ps, priority: 7, transport: uc}",
	        c->cfg.for_ps - 1);
	add(m, "]");
	return put_list(m, "workload");
}

/* One entry of faults[]. */
static void add_storm(struct maker *m, const struct qpfc_cfg *p, int64_t at_ps, int64_t for_ps,
        int64_t quanta, int64_t every_ps)
{
	add(m,
	        "%s{at: %" PRId64 "ps, for: %" PRId64 "ps, pfc_storm: host%" PRId64
	        ", quanta: %" PRId64 ", priorities: [",
	        m->used > 1 ? ", " : "", at_ps, for_ps, p->port, quanta);
	for (int i = 0, n = 0; i < 8; i++)
		if (p->priorities >> i & 1)
			add(m, "%s%d", n++ ? ", " : "", i);
	add(m, "]");
	if (every_ps)
		add(m, ", interval: %" PRId64 "ps", every_ps);
	if (p->form != PFC_VALID)
		add(m, ", frame: %s", qualify_form_word((enum pfc_form)p->form));
	add(m, "}");
}

/* Single frames again and again are one storm; bursts are one each, with a frame that resumes.
 */
static void add_pauses(struct maker *m, const struct qpfc_cfg *p)
{
	if (!p->for_ps) {
		add_storm(m, p, p->at_ps, (p->repeat - 1) * p->period_ps + 1, p->quanta,
		        p->repeat > 1 ? p->period_ps : PS_PER_MS);
		return;
	}
	for (int64_t i = 0; i < p->repeat; i++) {
		int64_t at_ps = p->at_ps + i * p->period_ps;

		add_storm(m, p, at_ps, p->for_ps, p->quanta, p->every_ps);
		add_storm(m, p, at_ps + p->for_ps, 1, 0, PS_PER_MS);
	}
}

static int put_pauses(struct maker *m)
{
	if (!m->c->n_pfc)
		return 0;
	m->used = 0;
	add(m, "[");
	for (uint32_t i = 0; i < m->c->n_pfc; i++)
		add_pauses(m, &m->c->pfc[i]);
	add(m, "]");
	return put_list(m, "faults");
}

/* Each leaf of a mapping, so that what it does not name stays. */
static int put_keys(struct maker *m, const struct qscope *scope, const struct yaml_node *map,
        const char *at)
{
	char path[KNOB_PATH_BYTES], where[400];
	int rc = 0;

	for (const struct yaml_node *n = map->first; n && !rc; n = n->next) {
		const char *text;

		if (!knob_join(path, at, n->key))
			return yaml_err(m->e, &n->key_at, "too long a key");
		if (n->kind == YAML_MAP) {
			rc = put_keys(m, scope, n, path);
			continue;
		}
		text = qualify_yaml(scope, n, m->e);
		if (!text)
			return m->e ? m->e->code : -EINVAL;
		(void)snprintf(
		        where, sizeof(where), "%s:%u:%u", n->at.name, n->at.line, n->at.column);
		rc = scenario_set_key(m->s, path, text, where, m->e);
	}
	return rc;
}

/* What a case says itself is not for the switch's file or --set. */
static int put_own(struct maker *m)
{
	const struct qcase_cfg *c = &m->c->cfg;
	struct qscope scope = m->c->scope;
	int rc = 0;

	scope.arena = m->arena;
	if (c->delay_ps >= 0)
		rc = set(m, "fabric.host_link.delay", "%" PRId64 "ps", c->delay_ps);
	if (!rc && c->response_ps >= 0)
		rc = set(m, "fabric.switch.pfc.response", "%" PRId64 "ps", c->response_ps);
	if (!rc && m->c->keys)
		rc = put_keys(m, &scope, m->c->keys, "");
	return rc;
}

static int put_switch(struct maker *m, const struct qasic *asic)
{
	struct qscope none = {.arena = m->arena};
	char list[40] = "[";
	int rc = 0;

	for (int i = 0; i < 8; i++)
		if (asic->cfg.lossless & (INT64_C(1) << i))
			(void)snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%d",
			        list[1] ? ", " : "", i);
	rc = set(m, "fabric.switch.pfc.priorities", "%s]", list);
	if (!rc && asic->keys)
		rc = put_keys(m, &none, asic->keys, "");
	return rc;
}

/* What headroom and reserve take of the buffer. */
static int reserved_bytes(int64_t *out, const struct scenario *s, struct err *e)
{
	const struct topo *t = s->topo;
	struct fsw_profile *p = calloc(t->n_profiles, sizeof(*p));
	struct fsw sw;
	int rc = p ? 0 : err_set(e, -ENOMEM, "%s: not enough memory", s->path);

	for (uint32_t i = 0; i < t->n_profiles && !rc; i++)
		rc = fsw_profile_init(&p[i], &t->profile[i], e);
	if (!rc)
		rc = fsw_init(&sw, t, t->n_hosts, p, &s->frame, 1, e);
	if (!rc) {
		*out = t->profile[t->node[t->n_hosts].profile].buffer_bytes - sw.mmu.pool_bytes;
		fsw_fini(&sw);
	}
	free(p);
	return rc;
}

/* Where a case says nothing else, as what stands in the switch's file. */
static int put_sets(struct maker *m, const struct scenario_set *sets, uint32_t n_set)
{
	char where[400];
	int rc = 0;

	for (uint32_t i = 0; i < n_set && !rc; i++) {
		(void)snprintf(where, sizeof(where), "--set %s=%s", sets[i].key, sets[i].value);
		rc = scenario_set_key(m->s, sets[i].key, sets[i].value, where, m->e);
	}
	return rc;
}

/* All but the buffer that `pool` decides. */
static int fill(struct maker *m, const struct qasic *asic, const struct scenario_set *sets,
        uint32_t n_set)
{
	int rc = set(m, "name", "%s-%s", m->c->suite, m->c->cfg.name);

	if (!rc)
		rc = set(m, "stop.after", "%" PRId64 "ps", m->c->cfg.for_ps);
	if (!rc)
		rc = put_tester(m);
	if (!rc)
		rc = put_fabric(m);
	if (!rc)
		rc = put_switch(m, asic);
	if (!rc)
		rc = put_sets(m, sets, n_set);
	if (!rc)
		rc = put_own(m);
	if (!rc)
		rc = put_pauses(m);
	return rc ? rc : put_traffic(m);
}

/* One go: buffer_bytes 0 leaves the buffer as it is. */
static int make(struct maker *m, const struct qasic *asic, int64_t buffer_bytes,
        const struct scenario_set *sets, uint32_t n_set)
{
	const uint64_t seed = (uint64_t)m->c->cfg.seed;
	char path[200];
	int rc;

	(void)snprintf(path, sizeof(path), "%s.%s", m->c->suite, m->c->cfg.name);
	rc = scenario_new_defaults(&m->s, path, m->e);
	if (!rc)
		rc = fill(m, asic, sets, n_set);
	if (!rc && buffer_bytes)
		rc = set(m, "fabric.switch.buffer", "%" PRId64 "B", buffer_bytes);
	if (!rc)
		rc = scenario_finish(m->s, NULL, 0, &seed, m->e);
	return rc;
}

/* A stretched case sends as many packets at a low rate as at that of `pool`. */
static int64_t pool_bytes(const struct qcase *c)
{
	int64_t bps = qualify_slowest_bps(c);

	if (c->cfg.stretch && bps < POOL_BPS)
		bps = POOL_BPS;
	return (int64_t)((__int128)c->cfg.pool_bytes * bps / POOL_BPS);
}

/* The buffer is known once headroom is, which the rest of the scenario decides. */
static int make_with_pool(struct maker *m, const struct qasic *asic,
        const struct scenario_set *sets, uint32_t n_set)
{
	int64_t reserved;
	int rc = make(m, asic, LARGE_BUFFER_BYTES, sets, n_set);

	if (!rc)
		rc = reserved_bytes(&reserved, m->s, m->e);
	if (rc)
		return rc;
	scenario_free(m->s);
	m->s = NULL;
	return make(m, asic, reserved + pool_bytes(m->c), sets, n_set);
}

/* The watchdog's times are for cases that take theirs from the suite: in others nothing is made
 * for them. */
static bool takes_times(const struct qcase *c)
{
	const struct yaml_node *sw = c->keys ? yaml_get(c->keys, "switch") : NULL;
	const struct yaml_node *w =
	        sw && sw->kind == YAML_MAP ? yaml_get(sw, "watchdog") : NULL;

	return w && w->kind == YAML_MAP && c->scope.times && c->scope.times->text[QTIME_DETECT];
}

static uint32_t sets_of(struct scenario_set *out, const struct qcase *c,
        const struct scenario_set *sets, uint32_t n_set)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < n_set; i++)
		if (takes_times(c) || !qualify_is_watchdog_time(&sets[i]))
			out[n++] = sets[i];
	return n;
}

int qualify_fits_buffer(const struct scenario *s, struct err *e)
{
	int64_t bytes;

	return reserved_bytes(&bytes, s, e);
}

const char *qualify_unfit(const struct scenario *s, const struct qcase *c, struct arena *arena)
{
	const int64_t header_bytes = s->frame.header_bytes + s->frame.reth_bytes + FCS_BYTES;
	int64_t largest = 0;

	for (uint32_t i = 0; i < c->n_streams; i++)
		if (c->stream[i].frame_bytes > largest)
			largest = c->stream[i].frame_bytes;
	if (largest - header_bytes <= s->frame.path_mtu_bytes)
		return NULL;
	return arena_printf(arena,
	        "needs frames of %" PRId64 " B, and a path MTU of %" PRId64
	        " B carries at most %" PRId64 " B",
	        largest, s->frame.path_mtu_bytes, s->frame.path_mtu_bytes + header_bytes);
}

int qualify_base(struct qualify_base *out, const struct qasic *asic, struct err *e)
{
	struct qstream stream = {.name = "data",
	        .from = 1,
	        .frame_bytes = 128,
	        .period_ps = PS_PER_US,
	        .packets = 1};
	struct qcase c = {.suite = "switch",
	        .name = "switch",
	        .cfg = {.name = "switch",
	                .ports = 2,
	                .delay_ps = -1,
	                .for_ps = PS_PER_US,
	                .response_ps = -1,
	                .seed = 1},
	        .stream = &stream,
	        .n_streams = 1};
	struct scenario *s;
	int rc;

	for (uint32_t i = 0; i < QUALIFY_MAX_PORTS; i++)
		c.rate_bps[i] = asic->cfg.rate_bps;
	rc = qualify_scenario(&s, &c, asic, asic->set, asic->n_set, e);
	if (rc)
		return rc;
	*out = (struct qualify_base){.rate_bps = qualify_link(s, 0)->rate_bps,
	        .delay_ps = qualify_link(s, 0)->delay_ps,
	        .lossless = qualify_link_profile(s, 0)->pfc_priorities};
	scenario_free(s);
	return 0;
}

int qualify_scenario(struct scenario **out, const struct qcase *c, const struct qasic *asic,
        const struct scenario_set *sets, uint32_t n_set, struct err *e)
{
	struct arena arena = {0};
	struct maker *m = calloc(1, sizeof(*m));
	struct scenario_set *own = calloc(n_set + 1, sizeof(*own));
	int rc;

	*out = NULL;
	if (!m || !own) {
		free(m);
		free(own);
		return err_set(e, -ENOMEM, "%s: not enough memory", c->name);
	}
	n_set = sets_of(own, c, sets, n_set);
	m->c = c;
	m->arena = &arena;
	m->e = e;
	rc = c->cfg.pool_bytes ? make_with_pool(m, asic, own, n_set)
	                       : make(m, asic, 0, own, n_set);
	arena_fini(&arena);
	free(own);
	if (rc)
		scenario_free(m->s);
	else
		*out = m->s;
	free(m);
	return rc;
}
