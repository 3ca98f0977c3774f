/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/imports/import_hpcc_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/units.h"
#include "scenarios/imports/import_hpcc_text.h"

/* Room for one more element; arrays grow with what is in the file, not with what it promises.
 */
static void *grow(void *array, size_t n, size_t element_bytes)
{
	if (n && (n & (n - 1)))
		return array;
	return realloc(array, (n ? 2 * n : 1) * element_bytes);
}

static int no_memory(const char *path, struct err *e)
{
	return err_set(e, -ENOMEM, "%s: no memory for its contents", path);
}

static int at_end(struct hpcc_text *t, const char *what, uint32_t n, struct err *e)
{
	if (!hpcc_text_word(t))
		return 0;
	return hpcc_text_error(t, e,
	        "the first line says %u %s but more follows; correct the number or remove the "
	        "rest",
	        n, what);
}

static int read_switches(struct hpcc_text *t, struct hpcc_topo *topo, int64_t n, struct err *e)
{
	for (int64_t i = 0; i < n; i++) {
		int64_t id;
		int rc = hpcc_text_count(t, &id, 0, topo->n_nodes - 1, "a switch's number", e);

		if (rc)
			return rc;
		if (topo->is_switch[id])
			return hpcc_text_error(
			        t, e, "switch %lld is listed twice; keep one", (long long)id);
		topo->is_switch[id] = true;
	}
	topo->n_hosts = topo->n_nodes - (uint32_t)n;
	return 0;
}

/* A host has one port, towards a switch. */
static int check_hosts(struct hpcc_text *t, const struct hpcc_topo *topo, uint32_t a,
        uint32_t b, bool *has_link, struct err *e)
{
	const uint32_t end[] = {a, b};

	if (!topo->is_switch[a] && !topo->is_switch[b])
		return hpcc_text_error(t, e,
		        "the link joins two hosts (%u and %u); put a switch between them", a,
		        b);
	for (int i = 0; i < 2; i++) {
		if (!topo->is_switch[end[i]] && has_link[end[i]])
			return hpcc_text_error(t, e,
			        "host %u has a second link; a host has one here, so make it "
			        "two hosts",
			        end[i]);
		has_link[end[i]] = true;
	}
	return 0;
}

static int read_link(struct hpcc_text *t, struct hpcc_topo *topo, bool *has_link, struct err *e)
{
	struct hpcc_link *l = grow(topo->link, topo->n_links, sizeof(*l));
	int64_t a, b;
	double error;
	int rc;

	if (!l)
		return no_memory(t->path, e);
	topo->link = l;
	l += topo->n_links;
	rc = hpcc_text_count(t, &a, 0, topo->n_nodes - 1, "the first node of a link", e);
	if (!rc)
		rc = hpcc_text_count(
		        t, &b, 0, topo->n_nodes - 1, "the second node of a link", e);
	if (!rc && a == b)
		return hpcc_text_error(t, e, "a link joins node %lld to itself", (long long)a);
	if (!rc)
		rc = hpcc_text_rate(t, &l->rate_bps, "the rate of a link", e);
	if (!rc)
		rc = hpcc_text_delay(t, &l->delay_ns, "the delay of a link", e);
	if (!rc)
		rc = hpcc_text_real(t, &error, 0, 1, "the error rate of a link", e);
	if (rc)
		return rc;
	if (error > 0)
		return hpcc_text_error(t, e,
		        "links with random errors cannot be simulated; set the error rate to "
		        "0");
	rc = check_hosts(t, topo, (uint32_t)a, (uint32_t)b, has_link, e);
	if (rc)
		return rc;
	l->a = (uint32_t)a;
	l->b = (uint32_t)b;
	topo->n_links++;
	return 0;
}

static int read_links(struct hpcc_text *t, struct hpcc_topo *topo, int64_t n, struct err *e)
{
	bool *has_link = calloc(topo->n_nodes, sizeof(*has_link));
	int rc = has_link ? 0 : no_memory(t->path, e);

	while (!rc && topo->n_links < n)
		rc = read_link(t, topo, has_link, e);
	if (!rc)
		rc = at_end(t, "links", topo->n_links, e);
	for (uint32_t i = 0; i < topo->n_nodes && !rc; i++)
		if (!has_link[i])
			rc = err_set(e, -EINVAL,
			        "%s: %s %u has no link; add one or take it out", t->path,
			        topo->is_switch[i] ? "switch" : "host", i);
	free(has_link);
	return rc;
}

static int read_topo(struct hpcc_text *t, struct hpcc_topo *topo, struct err *e)
{
	int64_t nodes, switches, links;
	int rc;

	rc = hpcc_text_count(t, &nodes, 2, HPCC_MAX_NODES, "the number of nodes", e);
	if (!rc)
		rc = hpcc_text_count(t, &switches, 0, nodes - 1, "the number of switches", e);
	if (!rc)
		rc = hpcc_text_count(t, &links, 1, HPCC_MAX_LINKS, "the number of links", e);
	if (rc)
		return rc;
	topo->n_nodes = (uint32_t)nodes;
	topo->is_switch = calloc((size_t)nodes, sizeof(*topo->is_switch));
	if (!topo->is_switch)
		return no_memory(t->path, e);
	rc = read_switches(t, topo, switches, e);
	return rc ? rc : read_links(t, topo, links, e);
}

int hpcc_topo_read(struct hpcc_topo *topo, const char *dir, const char *name, struct err *e)
{
	struct hpcc_text t;
	int rc;

	memset(topo, 0, sizeof(*topo));
	rc = hpcc_text_open(&t, dir, name, e);
	if (rc)
		return rc;
	memcpy(topo->path, t.path, sizeof(topo->path));
	rc = read_topo(&t, topo, e);
	hpcc_text_close(&t);
	if (rc)
		hpcc_topo_free(topo);
	return rc;
}

void hpcc_topo_free(struct hpcc_topo *topo)
{
	free(topo->is_switch);
	free(topo->link);
	topo->is_switch = NULL;
	topo->link = NULL;
}

static int read_host(struct hpcc_text *t, uint32_t *out, const struct hpcc_topo *topo,
        const char *what, struct err *e)
{
	int64_t id;
	int rc = hpcc_text_count(t, &id, 0, topo->n_nodes - 1, what, e);

	if (!rc && topo->is_switch[id])
		return hpcc_text_error(
		        t, e, "%s is %lld, which is a switch", what, (long long)id);
	if (!rc)
		*out = (uint32_t)id;
	return rc;
}

static int read_flow(
        struct hpcc_text *t, struct hpcc_flows *f, const struct hpcc_topo *topo, struct err *e)
{
	struct load_flow *fl = grow(f->flow, f->n, sizeof(*fl));
	int64_t pg, dport;
	double start_s;
	int rc;

	if (!fl)
		return no_memory(t->path, e);
	f->flow = fl;
	fl += f->n;
	rc = read_host(t, &fl->src, topo, "a flow's source", e);
	if (!rc)
		rc = read_host(t, &fl->dst, topo, "a flow's destination", e);
	if (!rc && fl->src == fl->dst)
		return hpcc_text_error(t, e, "a flow goes from host %u to itself", fl->src);
	/* Class 0 is that simulator's unaccounted control queue. */
	if (!rc)
		rc = hpcc_text_count(t, &pg, 1, 7, "a flow's priority (pg)", e);
	if (!rc)
		rc = hpcc_text_count(t, &dport, 0, 65535, "a flow's destination port", e);
	if (!rc)
		rc = hpcc_text_count(
		        t, &fl->bytes, 1, INT64_C(1) << 40, "a flow's size in bytes", e);
	if (!rc)
		rc = hpcc_text_real(t, &start_s, 0, 1e6, "a flow's start in seconds", e);
	if (rc)
		return rc;
	fl->priority = (int8_t)pg;
	fl->dport = (uint16_t)dport;
	fl->start_ps = ps_from_ns(hpcc_ns_from_real(start_s, 1000000000));
	f->n++;
	return 0;
}

int hpcc_flows_read(struct hpcc_flows *f, const char *dir, const char *name,
        const struct hpcc_topo *topo, struct err *e)
{
	struct hpcc_text t;
	int64_t n;
	int rc;

	memset(f, 0, sizeof(*f));
	rc = hpcc_text_open(&t, dir, name, e);
	if (rc)
		return rc;
	memcpy(f->path, t.path, sizeof(f->path));
	rc = hpcc_text_count(&t, &n, 1, HPCC_MAX_FLOWS, "the number of flows", e);
	while (!rc && f->n < n)
		rc = read_flow(&t, f, topo, e);
	if (!rc)
		rc = at_end(&t, "flows", f->n, e);
	hpcc_text_close(&t);
	if (rc)
		hpcc_flows_free(f);
	return rc;
}

void hpcc_flows_free(struct hpcc_flows *f)
{
	free(f->flow);
	f->flow = NULL;
}
