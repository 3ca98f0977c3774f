/* SPDX-License-Identifier: Apache-2.0 */
/* Which host is which rank: lists, placements, jobs that must not meet, and what is refused. */
#include "gen/load/place.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/load_place.h"

#define HOSTS 12

/* Three switches of four hosts each. */
static const uint32_t edge[HOSTS] = {20, 20, 20, 20, 7, 7, 7, 7, 31, 31, 31, 31};

static void place_init(struct load_place *p)
{
	load_place_init(p, HOSTS);
	p->env.host_edge = edge;
}

/* "3 0 7": the hosts in the order of their ranks. */
static const char *hosts_of(struct load_place *p, const struct load_cfg *c)
{
	static char text[200];
	struct load_entry en;
	struct err e = {0};
	size_t n = 0;

	if (load_entry_init(&en, c, &p->env, 2, &e)) {
		(void)snprintf(text, sizeof(text), "%s", e.msg);
		return text;
	}
	text[0] = '\0';
	for (uint32_t r = 0; r < en.ranks.n; r++) {
		uint32_t h = place_host(&en, r);

		assert_true(en.ops->involves(&en, h));
		assert_int_equal(place_rank(&en, h), r);
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%u", r ? " " : "", h);
	}
	for (uint32_t h = 0, in = 0; h <= HOSTS; h++) {
		if (h == HOSTS)
			assert_int_equal(in, en.ranks.n);
		else
			in += en.ops->involves(&en, h);
	}
	load_entry_fini(&en);
	return text;
}

static struct load_cfg job(enum load_placement placement, int64_t ranks, const char *hosts)
{
	struct load_cfg c = load_cfg_default(LOAD_RING);

	c.placement = placement;
	c.ranks = ranks;
	c.hosts = hosts;
	return c;
}

static void test_lists(void **state)
{
	struct load_place p;
	struct load_cfg c = job(PLACE_PACKED, 0, "9, 0-2,5");

	(void)state;
	place_init(&p);
	assert_string_equal(hosts_of(&p, &c), "9 0 1 2 5");
	c.ranks = 3;
	assert_string_equal(hosts_of(&p, &c), "9 0 1");
	c.ranks = 6;
	assert_non_null(strstr(hosts_of(&p, &c), "ranks: 6 hosts asked for, 5 may take part"));
	c = job(PLACE_PACKED, 4, "");
	c.first_host = 5;
	assert_string_equal(hosts_of(&p, &c), "5 6 7 8");
	c.hosts = "1-3";
	assert_non_null(strstr(hosts_of(&p, &c), "workload[2].first_host: hosts says already"));
}

static void test_bad_lists(void **state)
{
	static const char *const bad[][2] = {
	        {"1,,2", "expected host numbers"},
	        {"1-", "expected host numbers"},
	        {"-1", "expected host numbers"},
	        {"1,2,", "expected host numbers"},
	        {"a", "expected host numbers"},
	        {"1 2", "expected host numbers"},
	        {"3-1", "runs backwards"},
	        {"1-3,2", "host 2 stands there twice"},
	        {"0-12", "host 12 is not there"},
	        {"99999999999999999999999", "no fabric has more than 65535 hosts"},
	};
	struct load_place p;

	(void)state;
	place_init(&p);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct load_cfg c = job(PLACE_PACKED, 0, bad[i][0]);
		const char *text = hosts_of(&p, &c);

		if (!strstr(text, "workload[2].hosts: ") || !strstr(text, bad[i][1]))
			fail_msg("%s: \"%s\"", bad[i][0], text);
	}
}

static void test_striped_and_rails(void **state)
{
	struct load_place p;
	struct load_cfg c = job(PLACE_STRIPED, 0, "");

	(void)state;
	place_init(&p);
	/* switches in the order of their numbers */
	assert_string_equal(hosts_of(&p, &c), "4 0 8 5 1 9 6 2 10 7 3 11");
	c.hosts = "0-4,8";
	assert_string_equal(hosts_of(&p, &c), "4 0 8 1 2 3");
	c.placement = PLACE_RAILS;
	assert_non_null(strstr(hosts_of(&p, &c), "placement: the fabric has no rails"));
	p.env.rails = 4;
	c.hosts = "";
	assert_string_equal(hosts_of(&p, &c), "0 4 8 1 5 9 2 6 10 3 7 11");
}

/* Every host is equally likely at every rank; another entry and another seed draw anew. */
static void test_random(void **state)
{
	struct load_place p;
	struct load_cfg c = job(PLACE_RANDOM, 6, "");
	uint32_t at[6][HOSTS] = {{0}};

	(void)state;
	place_init(&p);
	for (uint64_t seed = 0; seed < 2400; seed++) {
		struct load_entry en;
		struct err e = {0};

		p.env.seed = seed;
		assert_int_equal(load_entry_init(&en, &c, &p.env, 0, &e), 0);
		for (uint32_t r = 0; r < 6; r++)
			at[r][place_host(&en, r)]++;
		load_entry_fini(&en);
	}
	for (uint32_t r = 0; r < 6; r++)
		for (uint32_t h = 0; h < HOSTS; h++)
			assert_in_range(at[r][h], 200 - 70, 200 + 70); /* five sigma */
}

static void test_jobs_that_do_not_meet(void **state)
{
	struct load_place p;
	struct load_cfg c = job(PLACE_RANDOM, 4, "");
	uint8_t used[HOSTS] = {0};
	struct load_entry en;
	struct err e = {0};

	(void)state;
	place_init(&p);
	p.env.used = used;
	c.share = 0;
	for (uint16_t i = 0; i < 3; i++) {
		assert_int_equal(load_entry_init(&en, &c, &p.env, i, &e), 0);
		for (uint32_t h = 0; h < HOSTS; h++) {
			assert_false(used[h] && load_uses_host(&en, h));
			used[h] |= load_uses_host(&en, h);
		}
		load_entry_fini(&en);
	}
	c.ranks = 2;
	assert_non_null(strstr(hosts_of(&p, &c), "ranks: 2 hosts asked for, but of those that "
	                                         "may take part 0 are free and 12 are in use"));
	c.share = 1;
	assert_null(strstr(hosts_of(&p, &c), "asked for"));
}

static void test_incast(void **state)
{
	struct load_place p;
	struct load_cfg c = load_cfg_default(LOAD_INCAST);

	(void)state;
	place_init(&p);
	c.receiver = 2;
	c.receivers = 2;
	c.senders = 4;
	assert_string_equal(hosts_of(&p, &c), "0 1 4 5");
	c.first_host = 4;
	assert_string_equal(hosts_of(&p, &c), "4 5 6 7");
	c.first_host = 0;
	c.senders = LOAD_SENDERS_ALL;
	assert_string_equal(hosts_of(&p, &c), "0 1 4 5 6 7 8 9 10 11");
	c.hosts = "0-3,11";
	assert_string_equal(hosts_of(&p, &c), "0 1 11");
	c.senders = 4;
	assert_non_null(
	        strstr(hosts_of(&p, &c), "senders: 4 hosts asked for, 3 may take part"));
	c.receivers = 11;
	assert_non_null(
	        strstr(hosts_of(&p, &c), "receivers: 11 receivers from host 2 on need 13"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_lists),
	        cmocka_unit_test(test_bad_lists),
	        cmocka_unit_test(test_striped_and_rails),
	        cmocka_unit_test(test_random),
	        cmocka_unit_test(test_jobs_that_do_not_meet),
	        cmocka_unit_test(test_incast),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
