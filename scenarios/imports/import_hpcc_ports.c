/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What that simulator derives for each switch port from its rate and cable. The first host's
 * rate gives the base values; other rates, other cables and other switches become overrides, so
 * that a fabric of one rate stays free for --set.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "dataplane/base/units.h"
#include "scenarios/imports/import_hpcc_headroom.h"
#include "scenarios/imports/import_hpcc_keys.h"

#define RESERVE_BYTES 4096
#define ALPHA_SHIFT   3
#define MAX_RATES     HPCC_MAP_MAX

struct rate_row {
	int64_t rate_bps;
	int64_t headroom_bytes; /* the most frequent one */
};

struct ports {
	const struct hpcc_files *f;
	uint32_t n_priorities;
	struct rate_row rate[MAX_RATES]; /* 0: the base */
	uint32_t n_rates;
	struct hpcc_port *port;
	uint32_t n_ports;
	int64_t *buffer_bytes; /* [n_nodes], of switches */
	FILE *list;            /* entries of fabric.overrides */
	uint32_t n_entries;
};

/* 1/8 at the hosts' rate, doubled with each doubling of the rate, up to 1. */
static int alpha_denominator(int64_t rate_bps, int64_t host_rate_bps)
{
	int shift = ALPHA_SHIFT;

	for (; rate_bps > host_rate_bps && shift > 0; rate_bps /= 2)
		shift--;
	return 1 << shift;
}

static struct rate_row *find_rate(struct ports *p, int64_t rate_bps)
{
	for (uint32_t i = 0; i < p->n_rates; i++)
		if (p->rate[i].rate_bps == rate_bps)
			return &p->rate[i];
	return NULL;
}

static int missing(const struct ports *p, enum hpcc_key k, const char *name, int64_t rate_bps,
        struct err *e)
{
	const struct hpcc_config *c = &p->f->config;

	return err_set(e, -EINVAL,
	        "%s:%u: %s has no value for %" PRId64
	        " bit/s, the rate of a link in %s; add it",
	        c->path, c->line[k], name, rate_bps, p->f->topo.path);
}

static int add_rate(struct ports *p, const struct hpcc_link *l, struct err *e)
{
	const struct hpcc_config *c = &p->f->config;
	const double *kmin = hpcc_map_find(&c->kmin_kb, l->rate_bps);
	const double *kmax = hpcc_map_find(&c->kmax_kb, l->rate_bps);

	if (!kmin)
		return missing(p, HPCC_KMIN_MAP, "KMIN_MAP", l->rate_bps, e);
	if (!kmax)
		return missing(p, HPCC_KMAX_MAP, "KMAX_MAP", l->rate_bps, e);
	if (!hpcc_map_find(&c->pmax, l->rate_bps))
		return missing(p, HPCC_PMAX_MAP, "PMAX_MAP", l->rate_bps, e);
	if (*kmax < *kmin)
		return err_set(e, -EINVAL,
		        "%s:%u: KMAX_MAP gives %g KB at %" PRId64
		        " bit/s, below the %g KB of KMIN_MAP; raise it",
		        c->path, c->line[HPCC_KMAX_MAP], *kmax, l->rate_bps, *kmin);
	/* Each rate of a link is in the map, so there is room. */
	p->rate[p->n_rates++] = (struct rate_row){.rate_bps = l->rate_bps};
	return 0;
}

/* The first host's link first, then the others as they appear. */
static int collect_rates(struct ports *p, struct err *e)
{
	const struct hpcc_topo *t = &p->f->topo;
	const struct hpcc_link *first = NULL;
	uint32_t lowest = UINT32_MAX;
	int rc;

	for (uint32_t i = 0; i < t->n_links; i++) {
		const struct hpcc_link *l = &t->link[i];
		uint32_t host = t->is_switch[l->a] ? l->b : l->a;

		if (t->is_switch[host] || host >= lowest)
			continue;
		lowest = host;
		first = l;
	}
	rc = first ? add_rate(p, first, e) : 0;
	for (uint32_t i = 0; i < t->n_links && !rc; i++)
		if (!find_rate(p, t->link[i].rate_bps))
			rc = add_rate(p, &t->link[i], e);
	return rc;
}

static int collect_headroom(struct ports *p, struct err *e)
{
	int rc = hpcc_ports_list(&p->port, &p->n_ports, &p->f->topo, e);

	if (rc)
		return rc;
	hpcc_ports_sort(p->port, p->n_ports, false);
	for (uint32_t i = 0, end; i < p->n_ports; i = end)
		find_rate(p, p->port[i].rate_bps)->headroom_bytes =
		        hpcc_ports_usual(p->port, p->n_ports, false, i, &end);
	return 0;
}

/*
 * The pool there is the buffer minus each port's headroom and reserve once, however many
 * classes are in use; ours takes them for each lossless priority, so the buffer grows by the
 * difference.
 */
static int collect_buffers(struct ports *p, struct err *e)
{
	const struct hpcc_topo *t = &p->f->topo;

	p->buffer_bytes = calloc(t->n_nodes, sizeof(*p->buffer_bytes));
	if (!p->buffer_bytes)
		return err_set(e, -ENOMEM, "%s: no memory for %u nodes", t->path, t->n_nodes);
	for (uint32_t i = 0; i < t->n_nodes; i++)
		p->buffer_bytes[i] = p->f->config.count[HPCC_BUFFER_SIZE] << 20;
	for (uint32_t i = 0; i < t->n_links; i++) {
		int64_t port = hpcc_headroom_bytes(&t->link[i]) + RESERVE_BYTES;

		p->buffer_bytes[t->link[i].a] += port * (p->n_priorities - 1);
		p->buffer_bytes[t->link[i].b] += port * (p->n_priorities - 1);
	}
	return 0;
}

static void entry(struct ports *p, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void entry(struct ports *p, const char *fmt, ...)
{
	va_list ap;

	fputs(p->n_entries++ ? ", " : "[", p->list);
	va_start(ap, fmt);
	vfprintf(p->list, fmt, ap);
	va_end(ap);
}

static int64_t map_bytes(const struct hpcc_map *m, int64_t rate_bps)
{
	return (int64_t)*hpcc_map_find(m, rate_bps) * 1000;
}

static const char *pmax_text(char text[48], const struct ports *p, int64_t rate_bps)
{
	double pmax = *hpcc_map_find(&p->f->config.pmax, rate_bps);

	return unit_format(text, 48, UNIT_FRACTION, llround(pmax * (double)Q32_ONE));
}

static void override_rates(struct ports *p)
{
	const struct hpcc_config *c = &p->f->config;
	char text[48];

	for (uint32_t i = 1; i < p->n_rates; i++) {
		int64_t rate = p->rate[i].rate_bps;

		entry(p,
		        "{match: {rate: %" PRId64 "bps}, ecn: {kmin: %" PRId64
		        "B, kmax: %" PRId64
		        "B, pmax: %s}, pfc: {alpha: 1/%d, headroom: %" PRId64 "B}}",
		        rate, map_bytes(&c->kmin_kb, rate), map_bytes(&c->kmax_kb, rate),
		        pmax_text(text, p, rate), alpha_denominator(rate, p->rate[0].rate_bps),
		        p->rate[i].headroom_bytes);
	}
}

/* What differs from the rate's value: in a whole switch, or on single ports. */
static void override_headroom(struct ports *p)
{
	hpcc_ports_sort(p->port, p->n_ports, true);
	for (uint32_t i = 0, end; i < p->n_ports; i = end) {
		const struct hpcc_port *at = &p->port[i];
		int64_t usual = hpcc_ports_usual(p->port, p->n_ports, true, i, &end);

		if (usual != find_rate(p, at->rate_bps)->headroom_bytes)
			entry(p,
			        "{match: {node: sw%u, rate: %" PRId64
			        "bps}, pfc: {headroom: %" PRId64 "B}}",
			        at->node, at->rate_bps, usual);
		for (at = &p->port[i]; at < &p->port[end]; at++)
			if (at->headroom_bytes != usual)
				entry(p,
				        "{match: {node: sw%u, port: %u}, pfc: {headroom: "
				        "%" PRId64 "B}}",
				        at->node, at->port, at->headroom_bytes);
	}
}

/* The first switch's buffer is the base. */
static int64_t override_buffers(struct ports *p)
{
	const struct hpcc_topo *t = &p->f->topo;
	int64_t base = 0;

	for (uint32_t id = 0; id < t->n_nodes; id++) {
		if (!t->is_switch[id])
			continue;
		if (!base)
			base = p->buffer_bytes[id];
		if (p->buffer_bytes[id] != base)
			entry(p, "{match: {node: sw%u}, buffer: %" PRId64 "B}", id,
			        p->buffer_bytes[id]);
	}
	return base;
}

static int set_base(struct scenario *s, struct ports *p, int64_t buffer_bytes, struct err *e)
{
	const struct hpcc_config *c = &p->f->config;
	int64_t rate = p->rate[0].rate_bps;
	char text[48];
	int rc;

	rc = hpcc_set(s, c, HPCC_KMIN_MAP, e, "fabric.switch.ecn.kmin", "%" PRId64 "B",
	        map_bytes(&c->kmin_kb, rate));
	if (!rc)
		rc = hpcc_set(s, c, HPCC_KMAX_MAP, e, "fabric.switch.ecn.kmax", "%" PRId64 "B",
		        map_bytes(&c->kmax_kb, rate));
	if (!rc)
		rc = hpcc_set(s, c, HPCC_PMAX_MAP, e, "fabric.switch.ecn.pmax", "%s",
		        pmax_text(text, p, rate));
	if (!rc)
		rc = hpcc_set(s, c, HPCC_TOPOLOGY_FILE, e, "fabric.switch.pfc.headroom",
		        "%" PRId64 "B", p->rate[0].headroom_bytes);
	if (!rc)
		rc = hpcc_set(s, c, HPCC_BUFFER_SIZE, e, "fabric.switch.buffer", "%" PRId64 "B",
		        buffer_bytes);
	return rc;
}

static int set_all(struct scenario *s, struct ports *p, struct err *e)
{
	char *text = NULL;
	size_t len = 0;
	int64_t buffer_bytes;
	int rc = 0;

	p->list = open_memstream(&text, &len);
	if (!p->list)
		return err_set(e, -ENOMEM, "%s: no memory for its ports", p->f->topo.path);
	override_rates(p);
	override_headroom(p);
	buffer_bytes = override_buffers(p);
	if (p->n_entries)
		fputc(']', p->list);
	if (fclose(p->list))
		rc = err_set(e, -ENOMEM, "%s: no memory for its ports", p->f->topo.path);
	if (!rc)
		rc = set_base(s, p, buffer_bytes, e);
	if (!rc && p->n_entries)
		rc = scenario_set_key(s, "fabric.overrides", text, p->f->topo.path, e);
	free(text);
	return rc;
}

int hpcc_set_ports(
        struct scenario *s, const struct hpcc_files *f, uint32_t n_priorities, struct err *e)
{
	struct ports p = {.f = f, .n_priorities = n_priorities};
	int rc = collect_rates(&p, e);

	if (!rc)
		rc = collect_headroom(&p, e);
	if (!rc)
		rc = collect_buffers(&p, e);
	if (!rc)
		rc = set_all(s, &p, e);
	free(p.buffer_bytes);
	free(p.port);
	return rc;
}
