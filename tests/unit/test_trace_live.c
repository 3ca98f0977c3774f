/* SPDX-License-Identifier: Apache-2.0 */
/* What a live analysis says: rates of the time since the last look, and nothing beyond the
 * edges of its screen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/trace/trace_live.h"
#include "tests/support/tracekit.h"

#define MS INT64_C(1000000)

struct viewer {
	struct tracekit kit;
	struct trace_live *live;
	struct trace_live_source about;
	int64_t now_ns;
	char *text;
};

static void begin(struct viewer *v)
{
	*v = (struct viewer){
	        .about = {.name = "tap0", .clock = "virtual", .lost_by_interface = 0},
	        .now_ns = 5000 * MS};
	kit_open(&v->kit, NULL, INT64_C(100000000000));
	assert_int_equal(trace_live_open(&v->live, NULL), 0);
}

static const char *look(struct viewer *v, int64_t after_ns)
{
	size_t len;
	FILE *f;

	v->now_ns += after_ns;
	assert_int_equal(trace_live_look(v->live, trace_now(v->kit.trace), NULL, &v->about,
	                         v->now_ns, NULL),
	        0);
	free(v->text);
	v->text = NULL;
	f = open_memstream(&v->text, &len);
	assert_non_null(f);
	trace_live_line(v->live, f);
	assert_int_equal(fclose(f), 0);
	return v->text;
}

static void end(struct viewer *v)
{
	free(v->text);
	trace_live_close(v->live);
	kit_close(&v->kit);
}

static void intervals(void **state)
{
	struct viewer v;

	(void)state;
	begin(&v);
	(void)look(&v, 0);
	/* 10 packets of 1,024 bytes in half a second, three of them marked, two CNPs; the
	 * message takes from its first packet, 10 steps of 1 us before the ACK, to it */
	kit_write(&v.kit, 100, 10, 1000);
	kit_ack(&v.kit, 109);
	v.kit.ecn = 3;
	kit_write(&v.kit, 110, 3, 1000);
	kit_cnp(&v.kit);
	kit_cnp(&v.kit);
	assert_string_equal(look(&v, 500 * MS),
	        "500.0 ms: goodput 213.0 kbps, 32/s packets, CE 23.08 %, CNPs 4/s, NAKs 0/s, "
	        "sent again 0/s, p99 RTT 1.000 us, p99 net FCT 10.00 us, lost 0\n");
	/* What was is over: percentiles and shares of nothing are none. */
	v.about.lost = 7;
	assert_string_equal(look(&v, 500 * MS),
	        "1.000 s: goodput 0 bps, 0/s packets, CE -, CNPs 0/s, NAKs 0/s, "
	        "sent again 0/s, p99 RTT -, p99 net FCT -, lost 7\n");
	/* A packet is missing, and it and its successor come once more: goodput counts neither
	 * twice. */
	v.kit.ecn = 2;
	kit_data(&v.kit, BTH_SEND_ONLY, 113, 1000);
	kit_data(&v.kit, BTH_SEND_ONLY, 115, 1000);
	kit_nak(&v.kit, 0x60, 114);
	kit_data(&v.kit, BTH_SEND_ONLY, 114, 1000);
	kit_data(&v.kit, BTH_SEND_ONLY, 115, 1000);
	v.about.lost_by_interface = 2;
	assert_non_null(strstr(look(&v, 1000 * MS), "2.000 s: goodput 24.00 kbps, 5/s packets, "
	                                            "CE 0.00 %, CNPs 0/s, NAKs 1/s, sent "
	                                            "again 1/s,"));
	assert_non_null(strstr(v.text, ", lost 7 (interface 2)\n"));
	end(&v);
}

/* 65,535 quanta of 512 bit times at 100 Gb/s are 335.5 us; a pause that goes on is shown. */
static void pauses(void **state)
{
	struct viewer v;

	(void)state;
	begin(&v);
	(void)look(&v, 0);
	kit_pfc(&v.kit, 9, 1 << 3, 65535);
	v.kit.t_ns += 100000;
	kit_data(&v.kit, BTH_SEND_ONLY, 1, 100);
	assert_non_null(strstr(look(&v, MS), ", paused3 10.00 %, "));
	v.kit.t_ns += 900000;
	kit_data(&v.kit, BTH_SEND_ONLY, 2, 100);
	assert_non_null(strstr(look(&v, MS), ", paused3 23.55 %, "));
	assert_non_null(strstr(look(&v, MS), ", paused3 0.00 %, "));
	end(&v);
}

/* Every size: no line too many, none too wide, ever. */
static void edges(void **state)
{
	struct viewer v;

	(void)state;
	begin(&v);
	(void)look(&v, 0);
	for (uint32_t i = 0; i < 40; i++) {
		v.kit.b_qp = 0x100 + i;
		kit_data(&v.kit, BTH_SEND_ONLY, i, 100 + i);
	}
	kit_pfc(&v.kit, 9, 0xff, 65535);
	(void)look(&v, 1000 * MS);
	for (uint32_t rows = 1; rows < 70; rows += 3) {
		for (uint32_t columns = 1; columns < 250; columns += 7) {
			char *text = NULL, *at, *newline;
			size_t len;
			uint32_t n = 0;
			FILE *f = open_memstream(&text, &len);

			assert_non_null(f);
			trace_live_screen(
			        v.live, f, trace_now(v.kit.trace), rows, columns, columns & 1);
			assert_int_equal(fclose(f), 0);
			for (at = text; *at; at = newline + 1, n++) {
				uint32_t width = 0;

				newline = strchr(at, '\n');
				assert_non_null(newline);
				for (; at < newline; at++)
					width += (*at & 0xc0) != 0x80;
				assert_true(width <= columns);
			}
			assert_true(n <= rows);
			/* with room enough the busiest flow comes first, and all stand there */
			if (rows > 60 && columns > 100) {
				assert_non_null(strstr(text, "0x127"));
				assert_true(strstr(text, "0x127") < strstr(text, "0x126"));
				assert_non_null(strstr(text, "0x100"));
			}
			free(text);
		}
	}
	end(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(intervals),
	        cmocka_unit_test(pauses),
	        cmocka_unit_test(edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
