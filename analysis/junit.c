/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dialect that both Jenkins (junit-10.xsd of the xUnit plugin) and GitLab take: failures
 * are what the switch did wrong, errors are cases without a valid stimulus, and known
 * deviations are skipped with their reason, so that a build stays green until something
 * changes.
 */
#include "analysis/junit.h"

#include <string.h>

#include "analysis/markup_text.h"
#include "analysis/put.h"

static void attribute(FILE *f, const char *name, const char *value)
{
	put(f, " %s=\"", name);
	markup_text(f, value);
	put_char('"', f);
}

static void checks(FILE *f, const struct verdict_case *c)
{
	for (uint32_t i = 0; i < c->n_checks; i++) {
		const struct verdict_check *k = &c->check[i];

		put(f, "%s ", k->holds ? "holds" : "FAILS");
		markup_text(f, k->rule);
		put_text(": ", f);
		markup_text(f, k->what);
		put_text(": measured ", f);
		markup_text(f, k->measured);
		put_text(", expected ", f);
		markup_text(f, k->expected);
		put_char('\n', f);
	}
}

static void failed_message(FILE *f, const struct verdict_case *c)
{
	const struct verdict_check *k = verdict_first_failed(c);

	if (!k) {
		markup_text(f, c->reason);
		return;
	}
	markup_text(f, k->rule);
	put_text(": ", f);
	markup_text(f, k->what);
	put_text(": measured ", f);
	markup_text(f, k->measured);
	put_text(", expected ", f);
	markup_text(f, k->expected);
}

static void outcome(FILE *f, const struct verdict_case *c)
{
	const char *element = c->status == VERDICT_FAIL ? "failure" : "error";

	switch (c->status) {
	case VERDICT_FAIL:
	case VERDICT_INVALID:
		put(f, "      <%s type=\"%s\" message=\"", element, verdict_word(c->status));
		failed_message(f, c);
		put_text("\">", f);
		checks(f, c);
		put(f, "</%s>\n", element);
		break;
	case VERDICT_EXPECTED_FAIL:
	case VERDICT_NOT_APPLICABLE:
		put_text("      <skipped", f);
		attribute(f, "message", c->reason);
		put_text("/>\n", f);
		break;
	case VERDICT_NOT_RUN:
		put_text("      <skipped message=\"interrupted before this case\"/>\n", f);
		break;
	default:
		break;
	}
}

static void test_case(FILE *f, const struct verdict_case *c)
{
	put_text("    <testcase", f);
	put_text(" classname=\"squall.", f);
	markup_text(f, c->suite);
	put_char('"', f);
	attribute(f, "name", c->name);
	put(f, " time=\"%.3f\">\n", c->wall_s);
	outcome(f, c);
	if (c->n_checks) {
		put_text("      <system-out>", f);
		checks(f, c);
		if (c->status == VERDICT_UNEXPECTED_PASS) {
			put_text("unexpected pass, known deviation: ", f);
			markup_text(f, c->reason);
			put_char('\n', f);
		}
		put_text("</system-out>\n", f);
	}
	put_text("    </testcase>\n", f);
}

struct sums {
	uint32_t tests, failures, errors, skipped;
	double wall_s;
};

static void add(struct sums *s, const struct verdict_case *c)
{
	s->tests++;
	s->failures += c->status == VERDICT_FAIL;
	s->errors += c->status == VERDICT_INVALID;
	s->skipped += c->status == VERDICT_EXPECTED_FAIL || c->status == VERDICT_NOT_RUN ||
	              c->status == VERDICT_NOT_APPLICABLE;
	s->wall_s += c->wall_s;
}

static void put_sums(FILE *f, const struct sums *s)
{
	put(f, " tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\" time=\"%.3f\"",
	        s->tests, s->failures, s->errors, s->skipped, s->wall_s);
}

/* What makes this another switch than that of the asic file. */
static void set_properties(FILE *f, const struct verdict *v)
{
	if (v->defect) {
		put_text("      <property name=\"planted-defect\"", f);
		attribute(f, "value", v->defect);
		put_text("/>\n", f);
	}
	for (uint32_t i = 0; i < v->n_set; i++) {
		put_text("      <property name=\"set ", f);
		markup_text(f, v->set[i].key);
		put_char('"', f);
		attribute(f, "value", v->set[i].value);
		put_text("/>\n", f);
	}
}

/* Cases of one suite stand together. Returns where the next one begins. */
static uint32_t suite(FILE *f, const struct verdict *v, uint32_t first)
{
	const char *name = v->c[first].suite;
	struct sums sums = {0};
	uint32_t end = first;

	for (; end < v->n_cases && !strcmp(v->c[end].suite, name); end++)
		add(&sums, &v->c[end]);
	put_text("  <testsuite", f);
	attribute(f, "name", name);
	put_sums(f, &sums);
	attribute(f, "timestamp", v->started);
	put_text(">\n    <properties>\n      <property name=\"asic\"", f);
	attribute(f, "value", v->asic);
	put_text("/>\n      <property name=\"version\"", f);
	attribute(f, "value", v->version);
	put_text("/>\n", f);
	set_properties(f, v);
	put_text("    </properties>\n", f);
	for (uint32_t i = first; i < end; i++)
		test_case(f, &v->c[i]);
	put_text("  </testsuite>\n", f);
	return end;
}

void junit_write(FILE *f, const struct verdict *v)
{
	struct sums sums = {0};

	for (uint32_t i = 0; i < v->n_cases; i++)
		add(&sums, &v->c[i]);
	put_text("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"squall "
	         "qualify ",
	        f);
	markup_text(f, v->suite);
	put_char('"', f);
	put_sums(f, &sums);
	put_text(">\n", f);
	for (uint32_t i = 0; i < v->n_cases;)
		i = suite(f, v, i);
	put_text("</testsuites>\n", f);
}
