/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/verdict_json.h"

#include <inttypes.h>

#include "analysis/json_text.h"
#include "analysis/put.h"

static void member(FILE *f, const char *indent, const char *key, const char *value)
{
	put(f, "%s\"%s\": ", indent, key);
	json_text(f, value);
}

/* ps as us, exactly */
static void put_us(FILE *f, const char *key, int64_t t_ps)
{
	if (t_ps < 0)
		put(f, ", \"%s\": null", key);
	else
		put(f, ", \"%s\": %" PRId64 ".%06" PRId64, key, t_ps / 1000000, t_ps % 1000000);
}

static void put_check(FILE *f, const struct verdict_check *k)
{
	put_text("{\"rule\": ", f);
	json_text(f, k->rule);
	put(f, ", \"holds\": %s, \"about\": \"%s\"", k->holds ? "true" : "false",
	        k->is_stimulus ? "stimulus" : "switch");
	put_text(", \"what\": ", f);
	json_text(f, k->what);
	put_text(", \"measured\": ", f);
	json_text(f, k->measured);
	put_text(", \"expected\": ", f);
	json_text(f, k->expected);
	put_char('}', f);
}

static void put_stream(FILE *f, const struct verdict_stream *s)
{
	put_text("{\"name\": ", f);
	json_text(f, s->name);
	put(f,
	        ", \"from\": %u, \"to\": %u, \"priority\": %u, \"offered_packets\": %" PRId64
	        ", \"sent_packets\": %" PRId64 ", \"received_packets\": %" PRId64
	        ", \"lost_packets\": %" PRId64 ", \"marked_packets\": %" PRId64
	        ", \"rate_bps\": %" PRId64,
	        s->from, s->to, s->priority, s->offered_packets, s->sent_packets,
	        s->received_packets, s->lost_packets, s->marked_packets, s->rate_bps);
	put_us(f, "latency_min_us", s->min_ps);
	put_us(f, "latency_p50_us", s->p50_ps);
	put_us(f, "latency_p99_us", s->p99_ps);
	put_us(f, "latency_p99_9_us", s->p999_ps);
	put_us(f, "latency_max_us", s->max_ps);
	put_char('}', f);
}

static void put_events(FILE *f, const struct verdict_case *c)
{
	put(f, ",\n      \"events_seen\": %" PRIu64 ",\n      \"events\": [", c->events_seen);
	for (uint32_t i = 0; i < c->n_events; i++) {
		put_text(i ? ",\n        {\"what\": " : "\n        {\"what\": ", f);
		json_text(f, c->event[i].text);
		put_us(f, "t_us", c->event[i].t_ps);
		put_char('}', f);
	}
	put_text("]", f);
}

static void put_case(FILE *f, const struct verdict_case *c, bool with_events)
{
	put_text("    {\n", f);
	member(f, "      ", "suite", c->suite);
	member(f, ",\n      ", "case", c->name);
	member(f, ",\n      ", "verdict", verdict_word(c->status));
	member(f, ",\n      ", "reason", c->reason);
	member(f, ",\n      ", "doc", c->doc);
	member(f, ",\n      ", "follows", c->follows);
	put_text(",\n      \"checks\": [", f);
	for (uint32_t i = 0; i < c->n_checks; i++) {
		put_text(i ? ",\n        " : "\n        ", f);
		put_check(f, &c->check[i]);
	}
	put_text("],\n      \"streams\": [", f);
	for (uint32_t i = 0; i < c->n_streams; i++) {
		put_text(i ? ",\n        " : "\n        ", f);
		put_stream(f, &c->stream[i]);
	}
	put_text("]", f);
	if (with_events)
		put_events(f, c);
	put_text("\n    }", f);
}

void verdict_json_case(FILE *f, const struct verdict_case *c)
{
	put_case(f, c, true);
	put_char('\n', f);
}

static void put_sets(FILE *f, const struct verdict *v)
{
	put_text(",\n  \"defect\": ", f);
	if (v->defect)
		json_text(f, v->defect);
	else
		put_text("null", f);
	put_text(",\n  \"set\": [", f);
	for (uint32_t i = 0; i < v->n_set; i++) {
		put_text(i ? ", {\"key\": " : "{\"key\": ", f);
		json_text(f, v->set[i].key);
		put_text(", \"value\": ", f);
		json_text(f, v->set[i].value);
		put_char('}', f);
	}
	put_char(']', f);
}

void verdict_json_write(FILE *f, const struct verdict *v)
{
	put_text("{\n", f);
	member(f, "  ", "format", VERDICT_FORMAT);
	member(f, ",\n  ", "suite", v->suite);
	member(f, ",\n  ", "asic", v->asic);
	put_sets(f, v);
	put(f, ",\n  \"interrupted\": %s,\n  \"count\": {", v->interrupted ? "true" : "false");
	for (int i = 0; i < VERDICT_N_STATUS; i++)
		put(f, "%s\"%s\": %u", i ? ", " : "", verdict_word((enum verdict_status)i),
		        v->count[i]);
	put_text("},\n  \"cases\": [\n", f);
	for (uint32_t i = 0; i < v->n_cases; i++) {
		put_case(f, &v->c[i], false);
		put_text(i + 1 < v->n_cases ? ",\n" : "\n", f);
	}
	put_text("  ]\n}\n", f);
}
