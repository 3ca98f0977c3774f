/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/qualify/qualify_suite.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/expect.h"
#include "dataplane/base/nearest.h"
#include "dataplane/base/text_file.h"
#include "dataplane/base/units.h"
#include "scenarios/qualify/qualify_each.h"
#include "scenarios/qualify/qualify_file.h"
#include "scenarios/qualify/qualify_rules.h"

#define MAX_NAME_BYTES   60
#define STRETCH_BPS      INT64_C(100000000000)
#define WIRE_EXTRA_BYTES 20 /* preamble and gap, IEEE 802.3 3.2.1, 3.2.2, 4.4.2 */

static int no_memory(struct qreader *r)
{
	return err_set(r->e, -ENOMEM, "%s: not enough memory", r->s->path);
}

static int list_of(struct qreader *r, const struct yaml_node **list,
        const struct yaml_node *map, const char *key, uint32_t max)
{
	*list = yaml_get(map, key);
	if (!*list)
		return 0;
	if ((*list)->kind != YAML_LIST || (*list)->n_children > max)
		return yaml_err(r->e, &(*list)->at,
		        "%s: expected a list of at most %u mappings", key, max);
	return 0;
}

int64_t qualify_slowest_bps(const struct qcase *c)
{
	int64_t bps = c->rate_bps[0];

	for (uint32_t i = 1; i < (uint32_t)c->cfg.ports; i++)
		if (c->rate_bps[i] < bps)
			bps = c->rate_bps[i];
	return bps;
}

/* Times of a stretched case are those at 100 Gb/s; 0 and less are words. */
static void stretch(const struct qcase *c, int64_t *t_ps)
{
	const int64_t bps = qualify_slowest_bps(c);

	if (c->cfg.stretch && bps<STRETCH_BPS && * t_ps> 0)
		*t_ps = (int64_t)((__int128)*t_ps * STRETCH_BPS / bps);
}

/* Streams */

/* With whole picoseconds between frames; the rounding is below 1e-4 at any Ethernet rate. */
static int64_t period_of(int64_t wire_bytes, int64_t rate_q32, int64_t rate_bps)
{
	__int128 bits_ps = (__int128)wire_bytes * 8 * PS_PER_S * Q32_ONE;
	__int128 bps_q32 = (__int128)rate_bps * rate_q32;

	return (int64_t)((bits_ps + bps_q32 / 2) / bps_q32);
}

static int add_stream(struct qreader *r, struct qcase *c, const struct qtraffic_cfg *t,
        uint32_t from, uint8_t priority, const char *name, const struct yaml_node *at)
{
	int64_t length_ps = t->for_ps < 0 ? c->cfg.for_ps - t->start_ps : t->for_ps;
	struct qstream *s;

	if (c->n_streams == QUALIFY_MAX_STREAMS)
		return yaml_err(r->e, &at->at, "traffic: more than %d streams in a case",
		        QUALIFY_MAX_STREAMS);
	for (uint32_t i = 0; i < c->n_streams; i++)
		if (c->stream[i].from == from && c->stream[i].to == (uint32_t)t->to &&
		        c->stream[i].priority == priority)
			return yaml_err(r->e, &at->at,
			        "traffic: another stream goes from port %u to port %" PRId64
			        " in priority %u; the tester could not tell them apart",
			        from, t->to, priority);
	s = &c->stream[c->n_streams++];
	*s = (struct qstream){.name = name,
	        .from = from,
	        .to = (uint32_t)t->to,
	        .priority = priority,
	        .held = t->held,
	        .rate_q32 = t->rate_q32,
	        .frame_bytes = t->frame_bytes,
	        .wire_bytes = t->frame_bytes + WIRE_EXTRA_BYTES,
	        .start_ps = t->start_ps};
	s->period_ps = period_of(s->wire_bytes, t->rate_q32, c->rate_bps[from]);
	s->packets = length_ps > 0 ? (length_ps + s->period_ps - 1) / s->period_ps : 0;
	if (t->packets && t->packets < s->packets)
		s->packets = t->packets;
	if (!s->packets)
		return yaml_err(r->e, &at->at, "traffic: %s ends before it begins", t->name);
	return 0;
}

static int read_traffic(struct qreader *r, struct qcase *c, const struct yaml_node *n)
{
	int64_t from[QUALIFY_MAX_PORTS], priority[8];
	uint32_t n_from = 0, n_priority = 0;
	struct qtraffic_cfg t;
	int rc = qualify_bind(&c->scope, n, &qualify_traffic_knobs, &t, NULL, r->e);

	if (!rc) {
		stretch(c, &t.start_ps);
		stretch(c, &t.for_ps);
	}
	if (!rc)
		rc = qualify_numbers(from, &n_from, QUALIFY_MAX_PORTS, t.from, c->cfg.ports - 1,
		        n, "from", r->e);
	if (!rc)
		rc = qualify_numbers(
		        priority, &n_priority, 8, t.priority, 7, n, "priority", r->e);
	if (!rc && t.to >= c->cfg.ports)
		rc = yaml_err(r->e, &n->at,
		        "to: port %" PRId64 " of %" PRId64 " (0 is the first)", t.to,
		        c->cfg.ports);
	if (!rc && (!*t.name || strpbrk(t.name, " ,")))
		rc = yaml_err(r->e, &n->at, "name: expected one word");
	for (uint32_t i = 0; i < n_from && !rc; i++) {
		if (from[i] == t.to)
			return yaml_err(r->e, &n->at,
			        "traffic: from and to are the same port %" PRId64, t.to);
		for (uint32_t k = 0; k < n_priority && !rc; k++)
			rc = add_stream(
			        r, c, &t, (uint32_t)from[i], (uint8_t)priority[k], t.name, n);
	}
	return rc;
}

static int read_streams(struct qreader *r, struct qcase *c, const struct yaml_node *map)
{
	const struct yaml_node *list;
	int rc = list_of(r, &list, map, "traffic", QUALIFY_MAX_STREAMS);

	if (rc)
		return rc;
	if (!list || !list->n_children)
		return yaml_err(
		        r->e, &map->at, "traffic is missing: expected a list of streams");
	c->stream = arena_take(&r->s->yaml.arena, QUALIFY_MAX_STREAMS * sizeof(*c->stream));
	if (!c->stream)
		return no_memory(r);
	for (const struct yaml_node *n = list->first; n && !rc; n = n->next)
		rc = read_traffic(r, c, n);
	return rc;
}

/* Pause frames */

static int read_pfc(struct qreader *r, struct qcase *c, const struct yaml_node *map)
{
	const struct yaml_node *list;
	int rc = list_of(r, &list, map, "pfc", QUALIFY_MAX_PFC);

	if (rc || !list)
		return rc;
	c->pfc = arena_take(&r->s->yaml.arena, (list->n_children + 1) * sizeof(*c->pfc));
	if (!c->pfc)
		return no_memory(r);
	for (const struct yaml_node *n = list->first; n && !rc; n = n->next) {
		struct qpfc_cfg *p = &c->pfc[c->n_pfc++];

		rc = qualify_bind(&c->scope, n, &qualify_pfc_knobs, p, NULL, r->e);
		if (!rc) {
			stretch(c, &p->at_ps);
			stretch(c, &p->for_ps);
			stretch(c, &p->every_ps);
			stretch(c, &p->period_ps);
		}
		if (!rc && p->port >= c->cfg.ports)
			rc = yaml_err(r->e, &n->at,
			        "port: %" PRId64 " of %" PRId64 " (0 is the first)", p->port,
			        c->cfg.ports);
		if (!rc && p->repeat > 1 && p->period_ps <= p->for_ps)
			rc = yaml_err(
			        r->e, &n->at, "period: expected more than the burst's length");
	}
	return rc;
}

/* Checks */

static int stream_bit(struct qreader *r, struct qcase *c, struct qcheck *k, const char *word,
        const struct yaml_node *at)
{
	char shown[YAML_SHOWN_BYTES];
	struct nearest near;
	bool found = false;

	nearest_init(&near, word);
	for (uint32_t i = 0; i < c->n_streams; i++) {
		nearest_offer(&near, c->stream[i].name);
		if (strcmp(c->stream[i].name, word) != 0)
			continue;
		k->streams |= UINT64_C(1) << i;
		found = true;
	}
	if (found)
		return 0;
	return yaml_err(r->e, &at->at, "streams: no traffic \"%s\"%s%s",
	        yaml_shown(shown, word), nearest_get(&near) ? "; did you mean " : "",
	        nearest_get(&near) ? nearest_get(&near) : "");
}

static int take_streams(struct qreader *r, struct qcase *c, struct qcheck *k)
{
	const char *text = k->cfg.streams ? k->cfg.streams : "";
	char *copy = arena_text(&r->s->yaml.arena, text, strlen(text)), *word;
	bool named = false;
	int rc = 0;

	if (!copy)
		return no_memory(r);
	while (!rc && (word = strsep(&copy, " ,[]")) != NULL) {
		if (!*word)
			continue;
		named = true;
		rc = stream_bit(r, c, k, word, k->at);
	}
	if (!named)
		k->streams =
		        c->n_streams == 64 ? ~UINT64_C(0) : (UINT64_C(1) << c->n_streams) - 1;
	return rc;
}

/* What the text names must be there before anything runs. */
static int check_result(struct qreader *r, const struct qcheck *k)
{
	struct expectation x;
	int rc = k->cfg.rule == QRULE_RESULT ? expect_parse(&x, k->cfg.holds, NULL, r->e) : 0;

	if (rc) {
		(void)err_prefix(r->e, "holds");
		(void)yaml_err_prefix(r->e, &k->at->at);
	}
	return rc;
}

static int read_checks(struct qreader *r, struct qcase *c, const struct yaml_node *map)
{
	const struct yaml_node *list;
	int rc = list_of(r, &list, map, "checks", QUALIFY_MAX_CHECKS);

	if (rc)
		return rc;
	if (!list || !list->n_children)
		return yaml_err(
		        r->e, &map->at, "checks is missing: a case without one proves nothing");
	c->check = arena_take(&r->s->yaml.arena, list->n_children * sizeof(*c->check));
	if (!c->check)
		return no_memory(r);
	for (const struct yaml_node *n = list->first; n && !rc; n = n->next) {
		struct qcheck *k = &c->check[c->n_checks++];

		k->at = n;
		rc = qualify_bind(&c->scope, n, &qualify_check_knobs, &k->cfg, NULL, r->e);
		stretch(c, &k->cfg.after_ps);
		stretch(c, &k->cfg.before_ps);
		if (!rc && k->cfg.port >= c->cfg.ports)
			rc = yaml_err(r->e, &n->at,
			        "port: %" PRId64 " of %" PRId64 " (0 is the first)",
			        k->cfg.port, c->cfg.ports);
		if (!rc)
			rc = take_streams(r, c, k);
		if (!rc)
			rc = check_result(r, k);
	}
	return rc;
}

/* Ports of different rates: "rates: [100Gbps, 400Gbps]". */
static int read_rates(struct qreader *r, struct qcase *c, const struct yaml_node *map)
{
	const struct yaml_node *list = yaml_get(map, "rates");
	uint32_t i = 0;

	for (; i < QUALIFY_MAX_PORTS; i++)
		c->rate_bps[i] = c->cfg.rate_bps ? c->cfg.rate_bps : r->asic->cfg.rate_bps;
	if (!list)
		return 0;
	if (list->kind != YAML_LIST || list->n_children != (uint32_t)c->cfg.ports)
		return yaml_err(r->e, &list->at, "rates: expected a list of %" PRId64 " rates",
		        c->cfg.ports);
	i = 0;
	for (const struct yaml_node *n = list->first; n; n = n->next, i++) {
		const char *text =
		        n->kind == YAML_SCALAR ? qualify_text(&c->scope, n, r->e) : "";
		int rc =
		        text ? qualify_sum(&text, UNIT_RATE, &r->s->yaml.arena, r->e) : -EINVAL;

		if (!rc)
			rc = unit_parse(&c->rate_bps[i], UNIT_RATE, text, r->e);
		if (text && (rc || c->rate_bps[i] < 1000000000)) {
			if (!rc)
				(void)err_set(r->e, -EINVAL,
				        "below 1Gbps, the slowest port there is here");
			(void)err_prefix(r->e, "rates");
			(void)yaml_err_prefix(r->e, &n->at);
			rc = -EINVAL;
		}
		if (rc)
			return rc;
	}
	return 0;
}

/* "NAME (a=1, b=2)" */
static int name_case(struct qreader *r, struct qcase *c)
{
	char text[400];
	int n;

	if (!*c->cfg.name || strlen(c->cfg.name) > MAX_NAME_BYTES ||
	        strspn(c->cfg.name, "abcdefghijklmnopqrstuvwxyz0123456789-") !=
	                strlen(c->cfg.name))
		return yaml_err(r->e, &c->at->at, "name: expected 1 to %d of a-z, 0-9 and -",
		        MAX_NAME_BYTES);
	n = snprintf(text, sizeof(text), "%s", c->cfg.name);
	for (uint32_t i = 0; i < c->scope.n_params && n < (int)sizeof(text); i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%s=%s", i ? ", " : " (",
		        c->scope.param[i].name, c->scope.param[i].value);
	if (c->scope.n_params && n < (int)sizeof(text))
		n += snprintf(text + n, sizeof(text) - (size_t)n, ")");
	if (n >= (int)sizeof(text))
		return yaml_err(r->e, &c->at->at, "each: values that make too long a name");
	for (uint32_t i = 0; i < r->s->n_cases; i++)
		if (r->s->c[i].name && !strcmp(r->s->c[i].name, text))
			return yaml_err(
			        r->e, &c->at->at, "name: there are two cases \"%s\"", text);
	c->name = arena_text(&r->s->yaml.arena, text, strlen(text));
	return c->name ? 0 : no_memory(r);
}

static struct qcase *new_case(struct qsuite *s)
{
	struct qcase *c;

	if (s->n_cases == s->cap_cases) {
		uint32_t cap = s->cap_cases ? s->cap_cases * 2 : 16;
		struct qcase *more = reallocarray(s->c, cap, sizeof(*more));

		if (!more)
			return NULL;
		s->c = more;
		s->cap_cases = cap;
	}
	c = &s->c[s->n_cases];
	*c = (struct qcase){.suite = s->name};
	return c;
}

/* What the case asks for, once it is known that this switch has what its matrix names. */
static int read_keys(struct qreader *r, struct qcase *c, const struct yaml_node *map)
{
	static const char *const others[] = {
	        "each", "traffic", "pfc", "checks", "rates", "scenario", NULL};
	int rc = qualify_bind(&c->scope, map, &qualify_case_knobs, &c->cfg, others, r->e);

	if (!rc && c->cfg.settle_ps >= c->cfg.for_ps)
		rc = yaml_err(r->e, &map->at, "settle: expected less than the case's `for`");
	if (!rc)
		rc = read_rates(r, c, map);
	if (rc)
		return rc;
	stretch(c, &c->cfg.for_ps);
	stretch(c, &c->cfg.settle_ps);
	c->scope.rate_bps = qualify_slowest_bps(c);
	if (c->cfg.delay_ps >= 0) {
		c->scope.cable =
		        arena_printf(&r->s->yaml.arena, "%" PRId64 "ps", c->cfg.delay_ps);
		if (!c->scope.cable)
			return no_memory(r);
	}
	rc = read_streams(r, c, map);
	if (!rc)
		rc = read_pfc(r, c, map);
	if (!rc)
		rc = read_checks(r, c, map);
	return rc;
}

/* A case that this switch cannot be asked has its name and the reason. */
static int set_aside(struct qreader *r, struct qcase *c, const struct yaml_node *map)
{
	const struct yaml_node *name = yaml_get(map, "name"), *doc = yaml_get(map, "doc");

	if (!c->lacks)
		c->lacks = arena_text(&r->s->yaml.arena, r->e->msg, strlen(r->e->msg));
	*r->e = (struct err){0};
	if (!c->lacks)
		return no_memory(r);
	if (!name || name->kind != YAML_SCALAR || !doc || doc->kind != YAML_SCALAR)
		return yaml_err(r->e, &map->at, "cases[]: name and doc are missing");
	c->cfg.name = name->text;
	c->cfg.doc = doc->text;
	if (!c->cfg.follows)
		c->cfg.follows = "";
	return 0;
}

static int read_instance(struct qreader *r, const struct yaml_node *map,
        const struct qmatrix *m, const uint32_t *pick)
{
	struct qcase *c = new_case(r->s);
	int rc;

	if (!c)
		return no_memory(r);
	if (map->kind != YAML_MAP)
		return yaml_err(r->e, &map->at, "cases[]: expected a mapping of keys");
	c->at = map;
	c->scope.arena = &r->s->yaml.arena;
	for (uint32_t i = 0; i < m->n; i++) {
		c->scope.param[i].name = m->axis[i].name;
		c->scope.param[i].value = m->axis[i].value[pick[i]];
		if (!c->lacks)
			c->lacks = m->axis[i].lacks[pick[i]];
	}
	c->scope.n_params = m->n;
	c->scope.times = &r->s->times;
	c->scope.facts = &r->s->facts;
	rc = c->lacks ? QUALIFY_LACKS : read_keys(r, c, map);
	if (rc == QUALIFY_LACKS)
		rc = set_aside(r, c, map);
	if (!rc)
		rc = name_case(r, c);
	c->keys = yaml_get(map, "scenario");
	if (!rc && c->keys && c->keys->kind != YAML_MAP)
		rc = yaml_err(r->e, &c->keys->at, "scenario: expected a mapping of its keys");
	r->s->n_cases++;
	return rc;
}

/* Every combination of the values of one mapping. */
static int read_product(
        struct qreader *r, const struct yaml_node *map, const struct yaml_node *each)
{
	uint32_t pick[QUALIFY_MAX_PARAMS] = {0}, i;
	struct qmatrix *m = calloc(1, sizeof(*m));
	int rc = m ? 0 : no_memory(r);

	if (!rc && each && each->kind != YAML_MAP)
		rc = yaml_err(r->e, &each->at,
		        "each: expected names with their values, or a list of such mappings");
	for (const struct yaml_node *n = each ? each->first : NULL; n && !rc; n = n->next)
		rc = qualify_each_axis(r, m, n);
	while (!rc) {
		if (r->s->n_cases == QUALIFY_MAX_CASES)
			rc = yaml_err(r->e, &map->at, "cases: more than %d combinations",
			        QUALIFY_MAX_CASES);
		else
			rc = read_instance(r, map, m, pick);
		for (i = m->n; i-- > 0;) { /* the last name changes fastest */
			if (++pick[i] < m->axis[i].n)
				break;
			pick[i] = 0;
		}
		if (i == UINT32_MAX)
			break;
	}
	free(m);
	return rc;
}

static int read_case(struct qreader *r, const struct yaml_node *map)
{
	const struct yaml_node *each = map->kind == YAML_MAP ? yaml_get(map, "each") : NULL;
	int rc = 0;

	if (!each || each->kind != YAML_LIST)
		return read_product(r, map, each);
	if (!each->n_children)
		return yaml_err(r->e, &each->at, "each: expected at least one mapping");
	for (const struct yaml_node *n = each->first; n && !rc; n = n->next)
		rc = read_product(r, map, n);
	return rc;
}

static int read_root(struct qreader *r)
{
	struct yaml_node *root = r->s->yaml.root;
	const struct yaml_node *list, *doc;
	int rc = qualify_file_version(root, "squall_suite", r->s->path, r->e);

	if (rc)
		return rc;
	for (const struct yaml_node *n = root->first; n; n = n->next)
		if (strcmp(n->key, "squall_suite") != 0 && strcmp(n->key, "doc") != 0 &&
		        strcmp(n->key, "watchdog") != 0 && strcmp(n->key, "cases") != 0)
			return yaml_err(r->e, &n->key_at,
			        "unknown key; a suite has squall_suite, doc, watchdog and "
			        "cases");
	rc = qualify_facts_read(&r->s->facts, r->asic, &r->s->yaml.arena, r->e);
	if (rc)
		return rc;
	rc = qualify_times_read(
	        &r->s->times, yaml_get(root, "watchdog"), r->asic->set, r->asic->n_set, r->e);
	if (rc)
		return rc;
	doc = yaml_get(root, "doc");
	if (doc && doc->kind != YAML_SCALAR)
		return yaml_err(r->e, &doc->at, "doc: expected a text");
	r->s->doc = doc ? doc->text : "";
	list = yaml_get(root, "cases");
	if (!list || list->kind != YAML_LIST || !list->n_children)
		return yaml_err(r->e, &root->at, "cases: expected a list of cases");
	for (const struct yaml_node *n = list->first; n && !rc; n = n->next)
		rc = read_case(r, n);
	return rc;
}

int qualify_suite_read(struct qsuite **out, const char *text, size_t len, const char *path,
        const struct qasic *asic, struct err *e)
{
	struct qsuite *s = calloc(1, sizeof(*s));
	struct qreader r = {.s = s, .asic = asic, .e = e};
	int rc;

	*out = NULL;
	if (!s)
		return err_set(e, -ENOMEM, "%s: not enough memory", path);
	s->path = strdup(path);
	s->name = qualify_file_name(&s->yaml.arena, path);
	rc = s->path && s->name ? 0 : err_set(e, -ENOMEM, "%s: not enough memory", path);
	if (!rc)
		rc = yaml_read(&s->yaml, &s->yaml.root, text, len, s->path, e);
	if (!rc)
		rc = read_root(&r);
	if (rc) {
		qualify_suite_free(s);
		return rc;
	}
	*out = s;
	return 0;
}

int qualify_suite_load(
        struct qsuite **out, const char *path, const struct qasic *asic, struct err *e)
{
	char *text = NULL;
	size_t len = 0;
	int rc = text_file_read(&text, &len, path, YAML_MAX_BYTES, e);

	*out = NULL;
	if (!rc)
		rc = qualify_suite_read(out, text, len, path, asic, e);
	free(text);
	return rc;
}

void qualify_suite_free(struct qsuite *s)
{
	if (!s)
		return;
	free(s->c);
	yaml_fini(&s->yaml);
	free(s->path);
	free(s);
}
