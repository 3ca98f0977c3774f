/* SPDX-License-Identifier: Apache-2.0 */
/* The page of a capture stays small whatever the capture holds, and holds the largest; what a
 * sender's line of rates adds up to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/trace/trace_report.h"
#include "gen/cc/dcqcn_cfg.h"
#include "scenarios/knob_value.h"
#include "tests/support/tracekit.h"

enum { FLOWS = 100000, HOSTS = 300 };

static char *page_of(const struct trace_result *r, size_t *len)
{
	static const struct trace_report_options o = {.title = "t"};
	char *text = NULL;
	FILE *f = open_memstream(&text, len);

	assert_non_null(f);
	assert_int_equal(trace_report_write(f, r, &o, NULL), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

/* How often in one member of the document. */
static uint32_t times(const char *page, const char *member, const char *word)
{
	const char *at = strstr(page, member), *end;
	uint32_t n = 0;

	assert_non_null(at);
	end = strstr(at, "]},\n");
	assert_non_null(end);
	while ((at = strstr(at, word)) && at < end) {
		n++;
		at++;
	}
	return n;
}

static void many(void **state)
{
	struct trace_options o = {.no_icrc = true};
	struct tracekit k;
	char *page;
	size_t len;

	(void)state;
	kit_open(&k, &o, INT64_C(400000000000));
	for (uint32_t i = 0; i < FLOWS; i++) {
		struct frame_spec s;

		k.b_qp = 0x1000 + i;
		s = kit_spec(&k, true, BTH_SEND_ONLY, i);
		s.src.ip[2] = (uint8_t)(i % HOSTS / 250);
		s.src.ip[3] = (uint8_t)(i % HOSTS % 250);
		s.payload_bytes = 64 + i % 64;
		kit_frame(&k, &s);
		k.t_ns += 3000;
		if (i % 10 == 0)
			kit_pfc(&k, (uint8_t)(i % 50), 1 << 3, i % 20 ? 0 : 65535);
	}
	page = page_of(kit_finish(&k), &len);
	assert_true(len < 2000000);
	assert_non_null(strstr(page, "\"flows\":{\"all\":100000,\"rows\":["));
	assert_int_equal(times(page, "\"flows\":{", "\"RC\""), 2000);
	/* of 64 to 127 bytes the 2,000 largest are those of 127 and of 126 */
	assert_int_equal(times(page, "\"flows\":{", ",1,127,1,"), 1562);
	assert_int_equal(times(page, "\"flows\":{", ",1,126,1,"), 438);
	assert_non_null(strstr(page, "\"matrix\":{\"others\":252,\"hosts\":["));
	free(page);
	kit_close(&k);
}

/* Bytes after the first CNP, over so long that bins were folded many times. */
static void rates(void **state)
{
	struct dcqcn_cfg dcqcn;
	struct trace_options o = {.dcqcn = &dcqcn};
	const struct trace_result *r;
	uint64_t bytes = 0;
	struct tracekit k;
	uint32_t seen = 0;

	(void)state;
	knob_defaults(&dcqcn_knobs, &dcqcn);
	kit_open(&k, &o, INT64_C(100000000000));
	kit_write(&k, 0, 100, 100);
	kit_ack(&k, 99);
	k.ecn = 3;
	kit_write(&k, 100, 1, 100);
	kit_cnp(&k);
	k.ecn = 2;
	for (uint32_t i = 0; i < 2000; i++)
		kit_write(&k, 101 + i, 1, 7777);
	r = kit_finish(&k);
	assert_int_equal(r->n_rates, 1);
	assert_ptr_equal(&r->flow[r->rate[0].flow], kit_flow(&k, r));
	assert_true(r->rate[0].n <= TRACE_RATE_BINS);
	assert_true(r->rate[0].n * 2 > TRACE_RATE_BINS);
	assert_true((int64_t)(r->rate[0].n - 1) * r->rate[0].width_ns <= 2000 * 7777);
	assert_true((int64_t)r->rate[0].n * r->rate[0].width_ns >= 1999 * 7777);
	for (uint32_t i = 0; i < r->rate[0].n; i++) {
		bytes += r->rate[0].bin[i].wire_bytes;
		seen += r->rate[0].bin[i].model_bps > 0;
		assert_true(r->rate[0].bin[i].model_bps <= INT64_C(100000000000));
	}
	/* Ethernet, IPv4, UDP, BTH, RETH, payload, ICRC, and 24 around the frame */
	assert_int_equal(bytes, 2000 * (14 + 20 + 8 + 12 + 16 + 1024 + 4 + 24));
	assert_int_equal(seen, r->rate[0].n);
	/* half of line rate after the first cut, and more later */
	assert_in_range(
	        r->rate[0].bin[0].model_bps, INT64_C(49000000000), INT64_C(51000000000));
	assert_true(r->rate[0].bin[r->rate[0].n - 1].model_bps > INT64_C(51000000000));
	kit_close(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(many),
	        cmocka_unit_test(rates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
