/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/fabric/topo_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/text_file.h"
#include "dataplane/base/units.h"
#include "dataplane/fabric/topo_names.h"

#define MAX_FILE_BYTES (64u << 20)
#define MAX_WORDS      6
#define MAX_QUANTITY   32
#define MAX_ROUTES     65536
#define SHOW_BYTES     40 /* of a wrong word in a message */
#define IS_SWITCH      (UINT32_C(1) << 31)

struct word {
	const char *at;
	int len;
};

struct parser {
	const char *file;
	uint32_t line;
	const char *line_at, *at; /* the line, and the word in it that is being read */
	struct topo_names names;
	uint32_t n_hosts, n_switches;
	struct topo_link
	        *link; /* ends are indices among hosts, or IS_SWITCH | index among switches */
	uint32_t n_links, capacity;
	struct topo_route *route; /* indices among switches */
	uint32_t n_routes, route_capacity;
	struct err *e;
};

#define FAIL(p, ...) fail((p), err_set((p)->e, -EINVAL, __VA_ARGS__))

static int fail(struct parser *p, int code)
{
	err_prefix(p->e, "%s:%u:%d", p->file, p->line,
	        p->line_at ? (int)(p->at - p->line_at) + 1 : 1);
	return code;
}

static int shown(const struct word *w)
{
	return w->len < SHOW_BYTES ? w->len : SHOW_BYTES;
}

static bool word_is(const struct word *w, const char *text)
{
	return (size_t)w->len == strlen(text) && !memcmp(w->at, text, strlen(text));
}

static bool is_name_byte(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_' || c == '-' || c == '.';
}

static int check_new_name(struct parser *p, const struct word *w)
{
	const struct topo_name *old;

	p->at = w->at;
	if (w->len >= TOPO_NAME_BYTES)
		return FAIL(p, "the name %.*s has %d characters, at most %d are possible",
		        shown(w), w->at, w->len, TOPO_NAME_BYTES - 1);
	for (int i = 0; i < w->len; i++)
		if (!is_name_byte(w->at[i]))
			return FAIL(p,
			        "the name %.*s contains '%c', expected letters, digits, '_', "
			        "'-' and "
			        "'.'",
			        shown(w), w->at, w->at[i]);
	if (word_is(w, "all"))
		return FAIL(p, "the name all stands for every node and link, choose another");
	old = topo_names_find(&p->names, w->at, (size_t)w->len);
	if (old)
		return FAIL(p, "the name %s is taken by a %s on line %u, choose another",
		        old->text, old->is_switch ? "switch" : "host", old->line);
	return 0;
}

static int add_name(struct parser *p, const struct word *w, bool is_switch, uint8_t tier)
{
	uint32_t *count = is_switch ? &p->n_switches : &p->n_hosts;
	uint32_t most = is_switch ? TOPO_MAX_SWITCHES : TOPO_MAX_HOSTS;
	struct topo_name *n;
	int rc = check_new_name(p, w);

	if (rc)
		return rc;
	if (*count == most)
		return FAIL(p, "more than %u %s", most, is_switch ? "switches" : "hosts");
	n = topo_names_add(&p->names, w->at, (size_t)w->len);
	if (!n)
		return err_set(
		        p->e, -ENOMEM, "%s: no memory for %u nodes", p->file, p->names.n + 1);
	n->line = p->line;
	n->index = (*count)++;
	n->is_switch = is_switch;
	n->tier = tier;
	return 0;
}

static int parse_host(struct parser *p, const struct word *w, int n)
{
	if (n != 2)
		return FAIL(p, "expected: host NAME");
	return add_name(p, &w[1], false, 0);
}

static int parse_switch(struct parser *p, const struct word *w, int n)
{
	uint8_t tier = 1;

	if (n != 2 && n != 3)
		return FAIL(p, "expected: switch NAME [TIER]");
	if (n == 3) {
		int value = 0;

		p->at = w[2].at;
		for (int i = 0; i < w[2].len && value <= 15; i++)
			value = w[2].at[i] < '0' || w[2].at[i] > '9'
			                ? 16
			                : value * 10 + w[2].at[i] - '0';
		if (value < 1 || value > 15)
			return FAIL(p, "the tier %.*s is not a whole number from 1 to 15",
			        shown(&w[2]), w[2].at);
		tier = (uint8_t)value;
	}
	return add_name(p, &w[1], true, tier);
}

static int parse_quantity(struct parser *p, int64_t *out, const char *what, enum unit_kind kind,
        int64_t min, int64_t max, const char *range, const struct word *w)
{
	char text[MAX_QUANTITY];
	int rc;

	p->at = w->at;
	if (w->len >= MAX_QUANTITY)
		return FAIL(p, "the %s %.*s... is too long, expected %s", what, shown(w), w->at,
		        unit_expected(kind));
	memcpy(text, w->at, (size_t)w->len);
	text[w->len] = '\0';
	rc = unit_parse(out, kind, text, p->e);
	if (rc) {
		err_prefix(p->e, "%s of the link", what);
		return fail(p, rc);
	}
	if (*out < min || *out > max)
		return FAIL(p, "the %s %s is out of range, expected %s", what, text, range);
	return 0;
}

static int find_end(struct parser *p, struct topo_name **out, const struct word *w)
{
	const char *nearest;

	p->at = w->at;
	*out = topo_names_find(&p->names, w->at, (size_t)w->len);
	if (*out)
		return 0;
	nearest = topo_names_nearest(&p->names, w->at, (size_t)w->len);
	if (nearest)
		return FAIL(p, "no node named %.*s above this line, did you mean %s?", shown(w),
		        w->at, nearest);
	return FAIL(p, "no node named %.*s above this line: add a host or switch line for it",
	        shown(w), w->at);
}

static int check_end(struct parser *p, const struct topo_name *n, const struct word *w)
{
	p->at = w->at;
	if (!n->is_switch && n->n_links)
		return FAIL(p,
		        "host %s has a link already (line %u): model each further port as a "
		        "host of "
		        "its own",
		        n->text, n->link_line);
	if (n->n_links == TOPO_MAX_SWITCH_PORTS)
		return FAIL(p, "switch %s has %d links already, more are not possible", n->text,
		        TOPO_MAX_SWITCH_PORTS);
	return 0;
}

static int push_link(struct parser *p, const struct topo_link *l)
{
	if (p->n_links == p->capacity) {
		uint32_t capacity = p->capacity ? 2 * p->capacity : 64;
		struct topo_link *link = realloc(p->link, capacity * sizeof(*link));

		if (!link)
			return err_set(
			        p->e, -ENOMEM, "%s: no memory for %u links", p->file, capacity);
		p->link = link;
		p->capacity = capacity;
	}
	p->link[p->n_links++] = *l;
	return 0;
}

static uint32_t use_end(struct parser *p, struct topo_name *n)
{
	n->n_links++;
	n->link_line = p->line;
	return n->index | (n->is_switch ? IS_SWITCH : 0);
}

static int parse_link(struct parser *p, const struct word *w, int n)
{
	struct topo_name *a, *b;
	struct topo_link l = {0};
	int rc;

	if (n != 5)
		return FAIL(
		        p, "expected: link A B RATE DELAY, such as link h0 sw0 100Gbps 1us");
	rc = find_end(p, &a, &w[1]);
	if (!rc)
		rc = find_end(p, &b, &w[2]);
	if (rc)
		return rc;
	if (a == b)
		return FAIL(p, "the link joins %s to itself, expected two nodes", a->text);
	if (!a->is_switch && !b->is_switch)
		return FAIL(p,
		        "the link joins two hosts (%s and %s): put a switch between them",
		        a->text, b->text);
	rc = check_end(p, a, &w[1]);
	if (!rc)
		rc = check_end(p, b, &w[2]);
	if (!rc)
		rc = parse_quantity(p, &l.rate_bps, "rate", UNIT_RATE, TOPO_MIN_RATE_BPS,
		        TOPO_MAX_RATE_BPS, "1Mbps to 10Tbps", &w[3]);
	if (!rc)
		rc = parse_quantity(p, &l.delay_ps, "delay", UNIT_TIME, 0, TOPO_MAX_DELAY_PS,
		        "0s to 1s", &w[4]);
	if (rc)
		return rc;
	l.a = use_end(p, a);
	l.b = use_end(p, b);
	return push_link(p, &l);
}

static int push_route(struct parser *p, const struct topo_route *r)
{
	if (p->n_routes == p->route_capacity) {
		uint32_t capacity = p->route_capacity ? 2 * p->route_capacity : 16;
		struct topo_route *route = realloc(p->route, capacity * sizeof(*route));

		if (!route)
			return err_set(p->e, -ENOMEM, "%s: no memory for %u routes", p->file,
			        capacity);
		p->route = route;
		p->route_capacity = capacity;
	}
	p->route[p->n_routes++] = *r;
	return 0;
}

static bool linked(const struct parser *p, uint32_t a, uint32_t b)
{
	for (uint32_t i = 0; i < p->n_links; i++)
		if ((p->link[i].a == (a | IS_SWITCH) && p->link[i].b == (b | IS_SWITCH)) ||
		        (p->link[i].b == (a | IS_SWITCH) && p->link[i].a == (b | IS_SWITCH)))
			return true;
	return false;
}

static bool has_hosts(const struct parser *p, uint32_t sw)
{
	for (uint32_t i = 0; i < p->n_links; i++)
		if ((p->link[i].a == (sw | IS_SWITCH) && !(p->link[i].b & IS_SWITCH)) ||
		        (p->link[i].b == (sw | IS_SWITCH) && !(p->link[i].a & IS_SWITCH)))
			return true;
	return false;
}

static int parse_route(struct parser *p, const struct word *w, int n)
{
	struct topo_name *name[3];

	if (n != 4)
		return FAIL(p, "expected: route SWITCH TO VIA, such as route sw0 sw2 sw1");
	if (p->n_routes == MAX_ROUTES)
		return FAIL(p, "more than %d routes", MAX_ROUTES);
	for (int i = 0; i < 3; i++) {
		int rc = find_end(p, &name[i], &w[i + 1]);

		if (rc)
			return rc;
		if (!name[i]->is_switch)
			return FAIL(p,
			        "%s is a host: routes are between switches, and TO stands "
			        "for all hosts of a switch",
			        name[i]->text);
	}
	p->at = w[2].at;
	if (!has_hosts(p, name[1]->index))
		return FAIL(p, "no host hangs on %s: a route leads to hosts", name[1]->text);
	if (name[0] == name[1])
		return FAIL(p, "%s reaches its own hosts by their links", name[0]->text);
	p->at = w[3].at;
	if (!linked(p, name[0]->index, name[2]->index))
		return FAIL(p, "no link above this line joins %s and %s", name[0]->text,
		        name[2]->text);
	return push_route(
	        p, &(struct topo_route){name[0]->index, name[1]->index, name[2]->index});
}

static int parse_statement(struct parser *p, const struct word *w, int n)
{
	if (word_is(&w[0], "host"))
		return parse_host(p, w, n);
	if (word_is(&w[0], "switch"))
		return parse_switch(p, w, n);
	if (word_is(&w[0], "link"))
		return parse_link(p, w, n);
	if (word_is(&w[0], "route"))
		return parse_route(p, w, n);
	return FAIL(p, "%.*s is not a statement, expected host, switch, link or route",
	        shown(&w[0]), w[0].at);
}

/* One line without its newline: splits it into words (one too many are kept, to be refused). */
static int parse_line(struct parser *p, const char *at, const char *end)
{
	struct word w[MAX_WORDS];
	int n = 0;

	p->line_at = p->at = at;
	if (end > at && end[-1] == '\r')
		end--;
	while (at < end && *at != '#') {
		const char *start = at;

		if (*at == ' ' || *at == '\t') {
			at++;
			continue;
		}
		while (at < end && *at != ' ' && *at != '\t' && *at != '#') {
			p->at = at;
			if (*at < 0x21 || *at > 0x7e)
				return FAIL(p, "unexpected byte 0x%02x, expected plain text",
				        (unsigned)(unsigned char)*at);
			at++;
		}
		if (at - start > INT32_MAX)
			return FAIL(p, "the line is too long");
		if (n < MAX_WORDS)
			w[n++] = (struct word){start, (int)(at - start)};
	}
	if (!n)
		return 0;
	p->at = w[0].at;
	return parse_statement(p, w, n);
}

static int check_hosts_linked(struct parser *p)
{
	for (uint32_t i = 0; i < p->names.n; i++) {
		const struct topo_name *n = &p->names.name[i];

		p->line = n->line;
		p->line_at = NULL;
		if (!n->is_switch && !n->n_links)
			return FAIL(p, "host %s has no link: add link %s SWITCH RATE DELAY",
			        n->text, n->text);
	}
	return 0;
}

/* Hosts first, then switches, each in the order of their lines. */
static int build(struct parser *p, struct topo **out, const struct switch_cfg *base)
{
	uint32_t n_nodes = p->names.n;
	struct topo_node *node = calloc(n_nodes ? n_nodes : 1, sizeof(*node));
	int rc;

	if (!node)
		return err_set(p->e, -ENOMEM, "%s: no memory for %u nodes", p->file, n_nodes);
	for (uint32_t i = 0; i < n_nodes; i++) {
		const struct topo_name *n = &p->names.name[i];
		uint32_t at = n->is_switch ? p->n_hosts + n->index : n->index;

		node[at].tier = n->tier;
		node[at].outside_id = at;
		memcpy(node[at].name, n->text, sizeof(node[at].name));
	}
	for (uint32_t i = 0; i < p->n_links; i++) {
		struct topo_link *l = &p->link[i];

		l->a = l->a & IS_SWITCH ? p->n_hosts + (l->a & ~IS_SWITCH) : l->a;
		l->b = l->b & IS_SWITCH ? p->n_hosts + (l->b & ~IS_SWITCH) : l->b;
	}
	rc = topo_from_links(out, node, n_nodes, p->n_hosts, p->link, p->n_links, base, p->e);
	if (rc)
		err_prefix(p->e, "%s", p->file);
	free(node);
	for (uint32_t i = 0; i < p->n_routes; i++) {
		p->route[i].sw += p->n_hosts;
		p->route[i].to += p->n_hosts;
		p->route[i].via += p->n_hosts;
	}
	if (!rc) {
		(*out)->route = p->route;
		(*out)->n_routes = p->n_routes;
		p->route = NULL;
	}
	return rc;
}

int topo_from_text(struct topo **out, const char *name, const char *text, size_t len,
        const struct switch_cfg *base, struct err *e)
{
	struct parser p = {.file = name, .e = e};
	const char *at = text, *end = text + len;
	int rc = 0;

	while (!rc && at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;

		p.line++;
		rc = parse_line(&p, at, stop);
		at = newline ? newline + 1 : end;
	}
	if (!rc)
		rc = check_hosts_linked(&p);
	if (!rc)
		rc = build(&p, out, base);
	topo_names_fini(&p.names);
	free(p.link);
	free(p.route);
	return rc;
}

int topo_from_file(
        struct topo **out, const char *path, const struct switch_cfg *base, struct err *e)
{
	char *text;
	size_t len;
	int rc;

	if (!path || !*path)
		return err_set(e, -EINVAL,
		        "fabric.topology.file: kind: file needs the name of a topology file");
	rc = text_file_read(&text, &len, path, MAX_FILE_BYTES, e);
	if (rc)
		return rc;
	rc = topo_from_text(out, path, text, len, base, e);
	free(text);
	return rc;
}
