/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/accounts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "dataplane/base/msg_stats.h"

/* Nothing gets lost on the books: data packets are delivered, dropped or left somewhere, each
 * message is on record once with an end, and what is complete was delivered. */
void accounts_check(const struct run_record *r)
{
	int64_t complete_bytes = 0, failed = 0;

	assert_int_equal(r->n.data_packets_sent,
	        r->n.data_packets_delivered + r->n.data_packets_dropped + r->data_packets_left);
	if (!r->all)
		assert_int_equal(r->n.messages_started, r->n_msg);
	assert_in_range(r->n_msg, 0, r->n.messages_started);
	for (uint64_t i = 0; i < r->n_msg; i++) {
		const struct msg_record *m = &r->msg[i];

		assert_int_equal(m->status == MSG_COMPLETED, m->done_ps != TIME_NEVER);
		failed += m->status == MSG_FAILED;
		if (m->status != MSG_COMPLETED)
			continue;
		complete_bytes += m->bytes;
		/* who waits for no ACK is done when it is sent: below one step of the clock */
		assert_in_range(
		        m->done_ps, m->post_ps + !r->n.unacknowledged_sent, r->t_end_ps);
		assert_in_range(m->paused_ps, 0, m->done_ps - m->post_ps);
		assert_in_range(m->limited_ps, 0, m->done_ps - m->post_ps);
		assert_in_range(m->recovery_ps, 0, m->done_ps - m->post_ps);
	}
	if (r->all) { /* msg is a sample */
		int64_t of_pairs = 0;

		failed = (int64_t)r->all->failed;
		complete_bytes = r->all->bytes;
		for (uint64_t i = 0; i < r->n_pair; i++)
			of_pairs += r->pair[i].bytes;
		assert_int_equal(of_pairs, complete_bytes);
		assert_int_equal(r->n.messages_started,
		        r->all->completed + r->all->failed + r->all->unfinished);
	}
	assert_int_equal(r->n.messages_failed, failed);
	assert_true(r->n.unacknowledged_arrived <= r->n.unacknowledged_sent);
	/* a message without ACKs may be complete and yet lost */
	assert_true(r->n.payload_delivered_bytes >= complete_bytes || r->n.unacknowledged_sent);
	assert_true(r->end != RUN_WORKLOAD_DONE || failed || r->n.unacknowledged_sent ||
	            r->n.payload_delivered_bytes == complete_bytes);
	for (uint64_t i = 0; i < r->n_pause; i++)
		assert_in_range(r->pause[i].paused_ps, 1, r->t_end_ps);
}
