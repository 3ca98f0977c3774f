/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a paused port stops. IEEE 802.3 31B.3.7 says how long it may take from the last bit
 * of an XOFF to the last frame that it begins, in quanta of 512 bit times. Where the frames
 * that leave are stamped at the far end of the link they, and the XOFF, have been on the cable
 * as well.
 */
#include "analysis/trace/trace_int.h"

#define STAMP_SLACK_NS INT64_C(1000)
/* Both ways over 500 m of fibre, 5 ns/m. */
#define CABLE_NS INT64_C(5000)

static int64_t response_ns(int64_t speed_bps)
{
	static const struct {
		int64_t up_to_bps, quanta;
	} step[] = {{INT64_C(10000000000), 60}, {INT64_C(25000000000), 80},
	        {INT64_C(40000000000), 118}, {INT64_C(50000000000), 147},
	        {INT64_C(100000000000), 394}, {INT64_C(200000000000), 453}};
	int64_t quanta = 905 * ((speed_bps + INT64_C(399999999999)) / INT64_C(400000000000));

	for (size_t i = 0; i < sizeof(step) / sizeof(step[0]); i++)
		if (speed_bps <= step[i].up_to_bps) {
			quanta = step[i].quanta;
			break;
		}
	return quanta * 512 * INT64_C(1000000000) / speed_bps;
}

static void late(struct pauser *p, uint32_t k, int64_t t_ns, int64_t allowed_ns)
{
	int64_t after_ns = t_ns - p->run[k].begin_ns;

	if (p->run[k].begin_ns == TRACE_UNKNOWN || t_ns >= p->run[k].until_ns ||
	        after_ns <= allowed_ns)
		return;
	p->pub.late_packets[k]++;
	if (after_ns > p->pub.late_ns[k])
		p->pub.late_ns[k] = after_ns;
}

void pause_obeyed(struct trace *t, const struct obs *o, uint32_t priority)
{
	const struct iface *f = t->iface[o->interface];
	int64_t allowed_ns;

	if (!f->pub.speed_bps || o->direction == DIRECTION_UNKNOWN)
		return;
	allowed_ns = response_ns(f->pub.speed_bps) + STAMP_SLACK_NS;
	if (o->direction == DIRECTION_IN)
		allowed_ns += CABLE_NS;
	for (uint32_t i = f->first_pauser; i; i = t->pauser[i - 1].next) {
		struct pauser *p = &t->pauser[i - 1];

		if (p->pub.direction == o->direction || p->pub.direction == DIRECTION_UNKNOWN)
			continue;
		late(p, priority, o->t_ns, allowed_ns);
		late(p, TRACE_PRIORITIES, o->t_ns, allowed_ns);
	}
}
