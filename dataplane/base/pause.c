/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/base/pause.h"

#include <stdbool.h>
#include <stddef.h>

void pause_rx_xoff(struct pause_rx *p, int priority, int64_t now_ps, int64_t length_ps,
        int64_t response_ps)
{
	uint8_t bit = (uint8_t)(1u << priority);

	if (!(p->live & bit) || p->until_ps[priority] <= now_ps) {
		if (p->live & bit) /* the old pause ran out just now, its update is still due */
			p->paused_ps[priority] +=
			        p->until_ps[priority] - p->received_ps[priority];
		p->live |= bit;
		p->blocked &= (uint8_t)~bit;
		p->received_ps[priority] = now_ps;
		p->from_ps[priority] = now_ps + response_ps;
		p->episodes[priority]++;
	}
	p->until_ps[priority] = length_ps == TIME_NEVER || length_ps > TIME_NEVER - now_ps
	                                ? TIME_NEVER
	                                : now_ps + length_ps;
}

void pause_rx_xon(struct pause_rx *p, int priority, int64_t now_ps)
{
	uint8_t bit = (uint8_t)(1u << priority);

	if (!(p->live & bit))
		return;
	if (p->until_ps[priority] > now_ps)
		p->until_ps[priority] = now_ps;
	p->paused_ps[priority] += p->until_ps[priority] - p->received_ps[priority];
	p->live &= (uint8_t)~bit;
	p->blocked &= (uint8_t)~bit;
}

void pause_rx_frame(struct pause_rx *p, const struct desc *d, int64_t rate_bps, int64_t now_ps,
        int64_t response_ps)
{
	const int64_t length_ps = d->conn ? pause_quanta_ps(d->conn, rate_bps) : TIME_NEVER;

	for (unsigned v = d->psn; v; v &= v - 1) {
		int pr = __builtin_ctz(v);

		if (d->sent_unit & (1u << pr))
			pause_rx_xoff(p, pr, now_ps, length_ps, response_ps);
		else
			pause_rx_xon(p, pr, now_ps);
	}
}

int64_t pause_rx_next_effect_ps(const struct pause_rx *p)
{
	int64_t next_ps = TIME_NEVER;

	for (unsigned m = (unsigned)(p->live & ~p->blocked); m; m &= m - 1) {
		int i = __builtin_ctz(m);

		if (p->from_ps[i] < next_ps)
			next_ps = p->from_ps[i];
	}
	return next_ps;
}

int64_t pause_rx_next_expiry_ps(const struct pause_rx *p)
{
	int64_t next_ps = TIME_NEVER;

	for (unsigned m = p->live; m; m &= m - 1) {
		int i = __builtin_ctz(m);

		if (p->until_ps[i] < next_ps)
			next_ps = p->until_ps[i];
	}
	return next_ps;
}

int64_t pause_rx_update(struct pause_rx *p, int64_t now_ps)
{
	int64_t effect_ps, expiry_ps;

	for (unsigned live = p->live; live; live &= live - 1) {
		int i = __builtin_ctz(live);

		if (p->until_ps[i] <= now_ps)
			pause_rx_xon(p, i, now_ps);
		else if (p->from_ps[i] <= now_ps)
			p->blocked |= (uint8_t)(1u << i);
	}
	effect_ps = pause_rx_next_effect_ps(p);
	expiry_ps = pause_rx_next_expiry_ps(p);
	return effect_ps < expiry_ps ? effect_ps : expiry_ps;
}

int64_t pause_rx_total_ps(const struct pause_rx *p, int priority, int64_t now_ps)
{
	const int64_t from_ps = p->received_ps[priority], until_ps = p->until_ps[priority];
	const bool live = p->live & (1u << priority);
	int64_t total_ps = p->paused_ps[priority];

	/* The last episode may have begun or ended after the time asked for. */
	if (live && from_ps < now_ps)
		total_ps += (until_ps < now_ps ? until_ps : now_ps) - from_ps;
	else if (!live && until_ps > now_ps)
		total_ps -= until_ps - (from_ps > now_ps ? from_ps : now_ps);
	return total_ps;
}

int64_t pause_response_quanta(int64_t rate_bps)
{
	static const struct {
		int64_t gbps;
		int64_t quanta;
	} table[] = {
	        {10, 60}, {25, 80}, {40, 118}, {50, 147}, {100, 394}, {200, 453}, {400, 905}};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (rate_bps <= table[i].gbps * INT64_C(1000000000))
			return table[i].quanta;
	return 905;
}

int64_t pause_quanta_ps(int64_t n, int64_t rate_bps)
{
	return (int64_t)((__int128)n * 512 * PS_PER_S / rate_bps);
}
