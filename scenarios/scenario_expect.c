/* SPDX-License-Identifier: Apache-2.0 */
/* The lists that no single value holds: expect and measure.percentiles. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/expect.h"
#include "scenarios/scenario_int.h"

#define MAX_EXPECT 1000

static int take_percentile(struct measure_cfg *m, const struct yaml_node *n, struct err *e)
{
	char shown[YAML_SHOWN_BYTES], *end = NULL;
	double p = n->kind == YAML_SCALAR ? strtod(n->text, &end) : 0;

	if (n->kind != YAML_SCALAR || !end || end == n->text || *end || !isfinite(p) ||
	        p <= 0 || p > 100)
		return yaml_err(e, &n->at,
		        "measure.percentiles: %s%s%s expected a number above 0 and at most "
		        "100, such as "
		        "99.9",
		        n->kind == YAML_SCALAR ? "\"" : "a list or mapping",
		        n->kind == YAML_SCALAR ? yaml_shown(shown, n->text) : "",
		        n->kind == YAML_SCALAR ? "\":" : ":");
	if (m->n_percentile >= sizeof(m->percentile) / sizeof(m->percentile[0]))
		return yaml_err(e, &n->at, "measure.percentiles: more than %zu",
		        sizeof(m->percentile) / sizeof(m->percentile[0]));
	for (uint32_t i = 0; i < m->n_percentile; i++)
		if (!(m->percentile[i] < p) && !(m->percentile[i] > p))
			return yaml_err(
			        e, &n->at, "measure.percentiles: %s is there twice", n->text);
	m->percentile[m->n_percentile++] = p;
	return 0;
}

int scenario_bind_measure(struct scenario *s, struct err *e)
{
	static const double usual[] = {50, 90, 99, 99.9, 99.99};
	const struct yaml_node *list = yaml_find(s->doc->yaml.root, "measure.percentiles");
	int rc = 0;

	s->measure.n_percentile = 0;
	if (!list) {
		memcpy(s->measure.percentile, usual, sizeof(usual));
		s->measure.n_percentile = sizeof(usual) / sizeof(usual[0]);
		return 0;
	}
	if (list->kind != YAML_LIST)
		return yaml_err(e, &list->at,
		        "measure.percentiles: expected a list of numbers, such as [50, 99, "
		        "99.9]");
	for (const struct yaml_node *n = list->first; n && !rc; n = n->next)
		rc = take_percentile(&s->measure, n, e);
	return rc;
}

static int take_expect(struct scenario *s, const struct yaml_node *n, struct err *e)
{
	struct expectation x;
	uint32_t column = 0;
	int rc;

	if (n->kind != YAML_SCALAR)
		return yaml_err(e, &n->at,
		        "expect: expected a text KEY OPERATOR NUMBER, such as fct_us.p99 < "
		        "4500");
	rc = expect_parse(&x, n->text, &column, e);
	if (rc) {
		(void)err_prefix(e, "expect");
		(void)yaml_err_prefix(e, &n->at);
		return rc;
	}
	s->expect[s->n_expect] = strdup(n->text);
	if (!s->expect[s->n_expect])
		return err_set(e, -ENOMEM, "%s: not enough memory", s->path);
	s->n_expect++;
	return 0;
}

int scenario_bind_expect(struct scenario *s, struct err *e)
{
	const struct yaml_node *list = yaml_find(s->doc->yaml.root, "expect");
	int rc = 0;

	if (!list)
		return 0;
	if (list->kind != YAML_LIST)
		return yaml_err(e, &list->at,
		        "expect: expected a list of texts, such as [\"fct_us.p99 < 4500\"]");
	if (list->n_children > MAX_EXPECT)
		return yaml_err(e, &list->at, "expect: more than %d conditions", MAX_EXPECT);
	if (!list->n_children)
		return 0;
	s->expect = calloc(list->n_children, sizeof(*s->expect));
	if (!s->expect)
		return err_set(e, -ENOMEM, "%s: not enough memory", s->path);
	for (const struct yaml_node *n = list->first; n && !rc; n = n->next)
		rc = take_expect(s, n, e);
	return rc;
}
