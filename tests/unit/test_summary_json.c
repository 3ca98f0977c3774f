/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/summary_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "analysis/messages_csv.h"
#include "analysis/series_csv.h"
#include "analysis/summary_schema.h"
#include "tests/support/record_sample.h"

struct fixture {
	struct run_record *rec;
	struct run_result result;
	struct run_expect expect[2];
	struct run_summary s;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	if (!f)
		return -1;
	f->rec = record_sample();
	f->result = record_sample_result(f->rec);
	f->expect[0] = (struct run_expect){"fct_us.p99 < 1", false, true, 990};
	f->expect[1] = (struct run_expect){"collective.busbw_gbps > 1", false, false, 0};
	f->result.expect = f->expect;
	f->result.n_expect = 2;
	summary_taint(&f->result);
	return summary_init(&f->s, &f->result, NULL);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	run_record_free(f->rec);
	free(f);
	return 0;
}

static char *text_of_file(struct fixture *f, enum result_file which)
{
	char *text = NULL;
	size_t len;
	FILE *m = open_memstream(&text, &len);

	assert_non_null(m);
	summary_json_write(m, which, &f->s, &f->result);
	fclose(m);
	return text;
}

static json_t *json_of(char *text)
{
	json_error_t e;
	/* A seed of 2^64-1 does not fit jansson's integers. */
	json_t *j = json_loads(text, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &e);

	if (!j)
		fail_msg("line %d: %s in %s", e.line, e.text, text);
	free(text);
	return j;
}

static json_t *at(json_t *root, const char *key)
{
	char group[64];
	const char *dot = strchr(key, '.');

	if (!dot)
		return json_object_get(root, key);
	(void)snprintf(group, sizeof(group), "%.*s", (int)(dot - key), key);
	return json_object_get(json_object_get(root, group), dot + 1);
}

static void every_key_is_there_and_no_other(void **state)
{
	size_t leaves = 0;

	for (int which = 0; which < RESULT_FILES; which++) {
		json_t *j = json_of(text_of_file(*state, (enum result_file)which));
		const char *name;
		json_t *v;

		leaves = 0;
		for (size_t i = 0; i < n_summary_keys; i++) {
			if (summary_keys[i].file != (enum result_file)which)
				continue;
			if (!at(j, summary_keys[i].key))
				fail_msg("%s is missing", summary_keys[i].key);
			leaves++;
		}
		json_object_foreach(j, name, v) leaves -=
		        json_is_object(v) ? json_object_size(v) : 1;
		assert_int_equal(leaves, 0);
		json_decref(j);
	}
}

/* Nesting and names as the format's specification writes them. */
static void keys_of_the_format(void **state)
{
	static const char *const keys[] = {"format", "engine", "seed", "scenario",
	        "sim.t_end_us", "sim.packet_hops", "messages.started", "messages.completed",
	        "messages.failed", "goodput_bps", "fairness_jain", "collective.algbw_gbps",
	        "collective.busbw_gbps", "fct_us.min", "fct_us.mean", "fct_us.p50",
	        "fct_us.p90", "fct_us.p99", "fct_us.p99_9", "fct_us.p99_99", "fct_us.max",
	        "fct_us.samples", "net_fct_us.p99_9", "slowdown.p99_99", "latency_us.samples",
	        "queue_bytes.max", "queue_bytes.p99", "buffer_bytes.max_shared",
	        "buffer_bytes.max_headroom", "ecn.marked_packets", "ecn.marked_fraction",
	        "cnp.sent", "cnp.received", "rate.cuts", "rate.increases", "pfc.pause_frames",
	        "pfc.resume_frames", "pfc.paused_us", "pfc.max_paused_us", "drops.total",
	        "drops.lossless", "drops.lossy", "headroom_violations", "retransmits.packets",
	        "retransmits.naks", "retransmits.timeouts", "tainted", "expect"};
	static const char *const costs[] = {"wall_s", "cpu_s", "rss_bytes", "events", "threads",
	        "ranks", "version", "machine", "started"};
	json_t *j = json_of(text_of_file(*state, RESULT_SUMMARY));

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!at(j, keys[i]))
			fail_msg("summary.json has no %s", keys[i]);
	json_decref(j);
	j = json_of(text_of_file(*state, RESULT_RUN));
	for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++)
		if (!at(j, costs[i]))
			fail_msg("run.json has no %s", costs[i]);
	json_decref(j);
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no '%s' in %s", part, text);
}

static void values_are_exact_texts(void **state)
{
	char *text = text_of_file(*state, RESULT_SUMMARY);

	assert_has(text, "\"format\": \"squall.run/1\"");
	assert_has(text, "\"seed\": 18446744073709551615");
	assert_has(text, "\"scenario\": \"by \\\"hand\\\"\"");
	assert_has(text, "\"paused_us\": 4.000001");
	assert_has(text, "\"marked_fraction\": 0.333333333");
	assert_has(text, "\"busbw_gbps\": null");
	assert_has(text, "\"net_fct_us\": {\n    \"min\": 9.5,\n    \"mean\": 504.5,");
	assert_has(text, "\"tainted\": [\"unfinished messages\", \"failed messages\", "
	                 "\"headroom violations\", \"lost packets of a lossless priority\"]");
	assert_has(text, "{\"text\": \"fct_us.p99 < 1\", \"holds\": false, \"value\": 990}");
	assert_has(text, "{\"text\": \"collective.busbw_gbps > 1\", \"holds\": false, "
	                 "\"value\": null}");
	free(text);
}

static void nothing_of_the_machine_in_the_summary(void **state)
{
	struct fixture *f = *state;
	char *a = text_of_file(f, RESULT_SUMMARY), *b;

	f->result.wall_s = 99;
	f->result.cpu_s = 99;
	f->result.rss_bytes = 99;
	f->rec->threads = 64;
	f->result.machine = f->result.version = f->result.started = "other";
	assert_int_equal(summary_init(&f->s, &f->result, NULL), 0);
	b = text_of_file(f, RESULT_SUMMARY);
	assert_string_equal(a, b);
	free(a);
	free(b);
}

static void hostile_names_stay_valid_json(void **state)
{
	struct fixture *f = *state;
	char name[256 + 8];
	size_t n = 0;
	json_t *j;

	for (int c = 1; c < 256; c++)
		name[n++] = (char)c;
	name[n] = '\0';
	f->result.scenario = name;
	assert_int_equal(summary_init(&f->s, &f->result, NULL), 0);
	j = json_of(text_of_file(f, RESULT_SUMMARY));
	assert_true(json_is_string(at(j, "scenario")));
	json_decref(j);
}

static void schema_is_json_and_names_every_key(void **state)
{
	(void)state;
	for (int which = 0; which < RESULT_FILES; which++) {
		char *text = NULL;
		size_t len;
		FILE *m = open_memstream(&text, &len);
		json_t *j, *group, *leaf;

		assert_non_null(m);
		summary_schema_write(m, (enum result_file)which);
		fclose(m);
		j = json_of(text);
		for (size_t i = 0; i < n_summary_keys; i++) {
			const struct summary_key *k = &summary_keys[i];
			struct key_place p = summary_key_place(i);
			char name[64];

			if (k->file != (enum result_file)which)
				continue;
			group = json_object_get(j, "properties");
			if (p.group_len) {
				(void)snprintf(name, sizeof(name), "%.*s", p.group_len, k->key);
				group = json_object_get(
				        json_object_get(group, name), "properties");
			}
			leaf = json_object_get(group, p.name);
			assert_non_null(json_object_get(leaf, "description"));
			assert_int_equal(json_is_array(json_object_get(leaf, "type")),
			        k->null_rule != NULL);
		}
		json_decref(j);
	}
}

static char *csv_of(struct fixture *f, void (*write)(FILE *, const struct run_record *))
{
	char *text = NULL;
	size_t len;
	FILE *m = open_memstream(&text, &len);

	assert_non_null(m);
	write(m, f->rec);
	fclose(m);
	return text;
}

static void messages(void **state)
{
	char *text = csv_of(*state, messages_csv_write);

	assert_has(text,
	        "entry,src,dst,qp,seq,tag,priority,bytes,post_us,first_us,done_us,fct_us,"
	        "net_fct_us,alone_us,slowdown,retransmits,status,paused_us,limited_us,"
	        "recovery_us,queued_us\n"
	        "0,2,0,0,0,0,3,1000000,1,1.5,11,10,9.5,10,1,0,completed,0,0,0,0\n");
	assert_has(text, "\n0,3,0,0,100,0,3,1000000,101,101.5,,,,10,,0,failed,,,,\n");
	assert_has(text, "\n0,1,0,0,101,0,3,1000000,102,,,,,10,,0,unfinished,,,,\n");
	free(text);
}

static void series(void **state)
{
	char *text = csv_of(*state, series_csv_write);

	assert_has(text, "\n10,1024,0,0,0,0,0,0,0,0,0,0,0,0,0,0,,\n");
	assert_has(text, "\n20.000001,0,0,0,0,0,0,0,0,2,0,0,0,0,0.5,0,,\n");
	free(text);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        WITH(every_key_is_there_and_no_other),
	        WITH(keys_of_the_format),
	        WITH(values_are_exact_texts),
	        WITH(nothing_of_the_machine_in_the_summary),
	        WITH(hostile_names_stay_valid_json),
	        cmocka_unit_test(schema_is_json_and_names_every_key),
	        WITH(messages),
	        WITH(series),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
