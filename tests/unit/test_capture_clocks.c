/* SPDX-License-Identifier: Apache-2.0 */
/* Whose stamps are taken, what a NIC's clock is found to be, and how a free one is followed. */
#include <errno.h>
#include <linux/net_tstamp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture/dpdk/tick_fit.h"
#include "capture/pcapng_record.h"
#include "capture/pcapng_writer.h"
#include "capture/phc.h"
#include "capture/stamps.h"

#define NS_PER_S INT64_C(1000000000)
#define NOW_NS   (INT64_C(1796148000) * NS_PER_S)

static const struct stamps_abilities all = {
        .so_timestamping = SOF_TIMESTAMPING_RX_HARDWARE | SOF_TIMESTAMPING_RAW_HARDWARE,
        .rx_filters = 1u << HWTSTAMP_FILTER_NONE | 1u << HWTSTAMP_FILTER_ALL,
        .phc_index = 3};

static void hardware_where_it_can(void **state)
{
	struct stamps_choice c;
	struct err e = {0};

	(void)state;
	for (int asked = STAMPS_ANY; asked <= STAMPS_HARDWARE; asked++) {
		assert_int_equal(
		        stamps_choose(&c, &all, (enum capture_stamps)asked, "e0", &e), 0);
		assert_true(c.hardware);
		assert_int_equal(c.phc_index, 3);
		assert_int_equal(c.rx_filter, HWTSTAMP_FILTER_ALL);
	}
	assert_int_equal(stamps_choose(&c, &all, STAMPS_SOFTWARE, "e0", &e), 0);
	assert_false(c.hardware);
}

static void each_reason_is_named(void **state)
{
	const struct {
		struct stamps_abilities can;
		const char *why;
	} cases[] = {
	        {{.phc_index = -1}, "reports none"},
	        {{.so_timestamping = SOF_TIMESTAMPING_RX_HARDWARE, .phc_index = 0},
	                "reports none"},
	        {{all.so_timestamping, 1u << HWTSTAMP_FILTER_PTP_V2_EVENT, 0},
	                "PTP packets only"},
	        {{all.so_timestamping, all.rx_filters, -1}, "names no clock"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stamps_choice c;
		struct err e = {0};

		assert_int_equal(stamps_choose(&c, &cases[i].can, STAMPS_HARDWARE, "e0", &e),
		        -EOPNOTSUPP);
		assert_non_null(strstr(e.msg, cases[i].why));
		assert_non_null(strstr(e.msg, "e0: "));
		assert_non_null(strstr(e.msg, "--timestamps software"));
		assert_int_equal(stamps_choose(&c, &cases[i].can, STAMPS_ANY, "e0", NULL), 0);
		assert_false(c.hardware);
	}
}

static void steered_clocks_are_known(void **state)
{
	struct phc_sample s = {NOW_NS + 400000, NOW_NS, 1000};
	struct phc_fit f = {.fd = -1};

	(void)state;
	phc_fit_begin(&f, &s, 37);
	assert_int_equal(f.kind, CLOCK_HARDWARE_PTP);
	assert_int_equal(f.scale, TIMESCALE_UTC);
	/* Its word is taken, not the host's. */
	assert_int_equal(phc_to_utc(&f, NOW_NS + 12345), NOW_NS + 12345);

	s.phc_ns = NOW_NS + 37 * NS_PER_S - 300000;
	phc_fit_begin(&f, &s, 37);
	assert_int_equal(f.kind, CLOCK_HARDWARE_PTP);
	assert_int_equal(f.scale, TIMESCALE_TAI);
	assert_int_equal(f.tai_offset_s, 37);
	assert_int_equal(phc_to_utc(&f, NOW_NS + 37 * NS_PER_S), NOW_NS);
	phc_fit_begin(&f, &s, 0); /* a kernel that was not told */
	assert_int_equal(f.scale, TIMESCALE_TAI);

	s.phc_ns = NOW_NS + 2000000;
	phc_fit_begin(&f, &s, 37);
	assert_int_equal(f.kind, CLOCK_HARDWARE_FREE);
}

/* A clock that counts from power-up, 23 ppm fast, read once a second within 200 ns. */
static void a_free_clock_is_followed(void **state)
{
	const int64_t begin = 5000 * NS_PER_S;
	struct phc_fit f = {.fd = -1};
	struct capture_clock c;
	int64_t worst = 0;

	(void)state;
	for (int64_t k = 0; k < 60; k++) {
		int64_t host = NOW_NS + k * NS_PER_S;
		int64_t error = (k * 7919 % 401) - 200;
		struct phc_sample s = {begin + k * (NS_PER_S + 23000), host + error, 400};

		if (k)
			phc_fit_add(&f, &s);
		else
			phc_fit_begin(&f, &s, 37);
		/* Until the next reading, stamps are off by no more than readings are. */
		for (int64_t i = 0; k > 1 && i < 1000; i += 100) {
			int64_t phc = s.phc_ns + i * (NS_PER_S + 23000) / 1000;
			int64_t off = llabs(phc_to_utc(&f, phc) - (host + i * 1000000));

			worst = off > worst ? off : worst;
		}
	}
	assert_true(worst < 700);
	assert_true(f.residual_ns >= 0 && f.residual_ns < 1000);
	phc_clock(&f, "eth0", 2, &c);
	assert_string_equal(c.name, "eth0:phc2");
	assert_int_equal(c.kind, CLOCK_HARDWARE_FREE);
	assert_int_equal(c.residual_ns, f.residual_ns);
}

/* The ticks of a port's clock, 156.25 MHz and 40 ppm slow, read once a second within 300 ns. */
static void ticks_are_followed(void **state)
{
	struct tick_fit f = {0};
	int64_t worst = 0;

	(void)state;
	for (int64_t k = 0; k < 40; k++) {
		int64_t error = k * 7919 % 601 - 300;
		uint64_t ticks = UINT64_MAX - 1000 + (uint64_t)k * 156243750; /* wraps */

		tick_fit_add(&f, ticks, NOW_NS + k * NS_PER_S + error);
		assert_int_equal(tick_fit_ready(&f), k > 0);
		for (int64_t i = -100; k > 1 && i < 1000; i += 100) {
			int64_t t_ns = tick_fit_ns(&f, ticks + (uint64_t)(i * 156243));
			int64_t off = llabs(t_ns - (NOW_NS + k * NS_PER_S + i * 999995));

			worst = off > worst ? off : worst;
		}
	}
	assert_true(worst > 0 && worst < 1000);
	assert_true(f.residual_ns >= 0 && f.residual_ns < 1300);
}

/* A record in memory is what the stream writer writes. */
static void records_are_one(void **state)
{
	uint8_t data[70], record[200];

	(void)state;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 37);
	for (uint32_t n = 0; n < sizeof(data); n++) {
		struct packet p = {.t_ns = NOW_NS + n,
		        .data = data,
		        .cap_bytes = n,
		        .wire_bytes = n + 1000,
		        .interface = n % 5,
		        .direction = (uint8_t)(n % 3)};
		struct pcapng_writer w = {0};
		char *stream = NULL;
		size_t len = 0;

		w.f = open_memstream(&stream, &len);
		pcapng_packet(&w, &p, NULL);
		assert_int_equal(fclose(w.f), 0);
		memset(record, 0xee, sizeof(record));
		assert_int_equal(pcapng_record_put(record, &p), len);
		assert_memory_equal(record, stream, len);
		assert_int_equal(record[len], 0xee);
		free(stream);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(hardware_where_it_can),
	        cmocka_unit_test(each_reason_is_named),
	        cmocka_unit_test(steered_clocks_are_known),
	        cmocka_unit_test(a_free_clock_is_followed),
	        cmocka_unit_test(ticks_are_followed),
	        cmocka_unit_test(records_are_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
