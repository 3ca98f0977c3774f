/* SPDX-License-Identifier: Apache-2.0 */
/* Pattern replay: what its lists may say, and when and on which queue pair its messages go. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "dataplane/base/units.h"
#include "gen/load/plan.h"
#include "gen/load/replay_csv.h"
#include "tests/support/simkit.h"
#include "tests/unit/load_place.h"

struct list {
	char path[64];
};

static struct list list_of(const char *text)
{
	struct list l = {"/tmp/squall-replay-XXXXXX"};
	const int fd = mkstemp(l.path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	return l;
}

static struct load_cfg cfg_of(const struct list *l)
{
	struct load_cfg c = load_cfg_default(LOAD_REPLAY);

	c.file = l->path;
	return c;
}

/* Runs the list on a star of four hosts; records are by row. */
static struct run_record *run_list(struct simkit *k, const struct list *l)
{
	simkit_init(k);
	simkit_star(k, 4, 100 * SIMKIT_GBPS, PS_PER_US);
	k->load[k->n_loads++] = cfg_of(l);
	return simkit_run(k);
}

static const struct msg_record *row(const struct run_record *r, uint32_t tag)
{
	for (uint64_t i = 0; i < r->n_msg; i++)
		if (r->msg[i].tag == tag)
			return &r->msg[i];
	fail_msg("no message of row %u", tag);
	return NULL;
}

static void refused(const char *text, const char *why)
{
	struct list l = list_of(text);
	struct load_cfg c = cfg_of(&l);
	struct load_place p;
	struct load_entry en;
	struct err e = {0};

	load_place_init(&p, 4);
	assert_int_equal(load_entry_init(&en, &c, &p.env, 0, &e), -EINVAL);
	if (!strstr(e.msg, why))
		fail_msg("no \"%s\" in: %s", why, e.msg);
	unlink(l.path);
}

static void lists_are_checked(void **state)
{
	(void)state;
	refused("", "no message in it");
	refused("0,1,1\n", "3 fields");
	refused("0,9,1,0\n", "host 9 is not there");
	refused("0,0,1,0\n", "sends to itself");
	refused("0,1,0,0\n", "0 bytes");
	refused("0,1,1,0,16777216\n", "qp:");
	refused("0,1,1,0,0,65536\n", "port:");
	refused("0,1,1,0,0,,8\n", "priority");
	refused("0,1,1,0,0,,,0.0\n", "SRC.QP.N");
	refused("0,1,1,0,0,,,0.0.0+\n", "SRC.QP.N");
	refused("0,1,1,0,0,,,1.0.0\n", "no such message");
	refused("0,1,1,0,0,,,0.0.0\n", "itself or a later");
	refused("0,1,1,0,0\n0,2,1,0,0\n", "another qp");
	refused("0,1,1,0,0,7\n0,1,1,0,0,8\n", "another qp");
	refused("0,1,1,9\n0,1,1,8\n", "before that of the former");
	refused("0,1,1,0,0\n0,1,1,0,1,,,0.0.0\n", "its own queue pair");
	refused("0,1,1,0,0\n2,3,1,0,0,,,0.0.0\n", "goes elsewhere");
	refused("0,1,1,0,0,,,1.0.0\n1,0,1,0,0,,,0.0.0\n", "in a circle");
	refused("0,1,1,0,0,,,1.0.0+1.0.0+1.0.0+1.0.0\n1,0,1,0\n", "more than 3");
	refused("0,1,1,5000000s\n", "start");
}

/* A closed loop on one queue pair: each begins so long behind the acknowledgement. */
static void own_messages_are_waited_for(void **state)
{
	struct list l = list_of("src,dst,bytes,start,qp,port,priority,after\n"
	                        "0,1,10000,3us,5,,,\n"
	                        "0,1,10000,250ns,5,,,0.5.0\n"
	                        "0,1,10000,0,5,,,0.5.1\n");
	struct simkit k;
	struct run_record *r = run_list(&k, &l);

	(void)state;
	assert_int_equal(r->n_msg, 3);
	assert_int_equal(row(r, 0)->post_ps, 3 * PS_PER_US);
	assert_int_equal(row(r, 1)->post_ps, row(r, 0)->done_ps + 250 * PS_PER_NS);
	assert_int_equal(row(r, 2)->post_ps, row(r, 1)->done_ps);
	run_record_free(r);
	simkit_fini(&k);
	unlink(l.path);
}

/* Both others must have arrived; the arrival is half a round trip before the acknowledgement.
 */
static void arrivals_are_waited_for(void **state)
{
	struct list l = list_of("1,0,5000,0,0\n"
	                        "2,0,5000,40us,0\n"
	                        "0,3,64,1us,0,,,1.0.0+2.0.0\n"
	                        "0,3,64,0,1,,,1.0.0\n");
	struct simkit k;
	struct run_record *r = run_list(&k, &l);
	const int64_t back_ps = row(r, 1)->done_ps - (row(r, 2)->post_ps - PS_PER_US);

	(void)state;
	/* An ACK of 86 bytes over two links of 1 us. */
	assert_int_equal(back_ps, 2 * (PS_PER_US + 86 * 80));
	assert_true(row(r, 3)->post_ps < row(r, 0)->done_ps);
	run_record_free(r);
	simkit_fini(&k);
	unlink(l.path);
}

/* Rows of one queue pair share its order; those of different ones go in turn. */
static void rows_share_queue_pairs(void **state)
{
	struct list one = list_of("0,1,1MB,0,0\n0,1,1000,0,0\n");
	struct list two = list_of("0,1,1MB,0,0\n0,1,1000,0,1\n");
	struct simkit k;
	struct run_record *r = run_list(&k, &one);

	(void)state;
	assert_true(row(r, 1)->first_ps > 80 * PS_PER_US);
	run_record_free(r);
	simkit_fini(&k);
	r = run_list(&k, &two);
	assert_true(row(r, 1)->first_ps < PS_PER_US);
	run_record_free(r);
	simkit_fini(&k);
	unlink(one.path);
	unlink(two.path);
}

/* Any bytes give rows or one error. */
static void any_text_is_read(void **state)
{
	static const char *const texts[] = {"\0\0", "0,1", ",,,,", "0,1,1,0,0,0,0,0.0.0+0.0.0",
	        "src,dst,bytes,start", "0,1,1,0,0,0,0,99999999999.0.0", "\xff\xfe,1,2,3"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct replay_rows rows;
		struct err e = {0};

		if (replay_csv_parse(&rows, "x", texts[i], strlen(texts[i]), 4, 1000, &e))
			assert_true(e.msg[0]);
		else
			replay_rows_fini(&rows);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(lists_are_checked),
	        cmocka_unit_test(own_messages_are_waited_for),
	        cmocka_unit_test(arrivals_are_waited_for),
	        cmocka_unit_test(rows_share_queue_pairs),
	        cmocka_unit_test(any_text_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
