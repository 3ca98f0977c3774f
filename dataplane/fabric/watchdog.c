/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/fabric/watchdog.h"

bool watchdog_init(struct watchdog *w, const struct switch_cfg *cfg)
{
	*w = (struct watchdog){
	        .detect_ps = cfg->watchdog_detect_ps,
	        .restore_ps = cfg->watchdog_restore_ps,
	        .poll_ps = cfg->watchdog_poll_ps,
	        .action = (enum watchdog_action)cfg->watchdog_action,
	        .drop_ingress = cfg->watchdog_drop_ingress,
	        .watched = cfg->watchdog_detect_ps == WATCHDOG_OFF
	                           ? 0
	                           : (uint8_t)cfg->pfc_priorities,
	        .event_ps = TIME_NEVER,
	};
	for (int pr = 0; pr < PRIORITIES; pr++)
		w->due_ps[pr] = w->since_ps[pr] = TIME_NEVER;
	return w->watched;
}

static int64_t round_up(int64_t t_ps, int64_t step_ps)
{
	return (t_ps + step_ps - 1) / step_ps * step_ps;
}

/* The first poll that finds a state of since_ps to have lasted for length_ps. */
static int64_t due_ps(const struct watchdog *w, int64_t since_ps, int64_t length_ps)
{
	const int64_t end_ps = since_ps + length_ps;

	return w->poll_ps ? round_up(end_ps, w->poll_ps) : end_ps;
}

static void look_at(struct watchdog *w, const struct pause_rx *p, int pr, int64_t now_ps)
{
	const uint8_t bit = (uint8_t)(1u << pr);
	const bool stormed = w->storm & bit;
	const bool is = (stormed ? p->live : p->blocked) & bit;
	const bool was = w->seen & bit;

	if (is == was)
		return;
	w->seen ^= bit;
	w->since_ps[pr] = now_ps;
	if (is == stormed) /* a storm goes on, or a pause that was none ended */
		w->due_ps[pr] = TIME_NEVER;
	else
		w->due_ps[pr] = due_ps(w, now_ps, stormed ? w->restore_ps : w->detect_ps);
}

uint8_t watchdog_look(struct watchdog *w, const struct pause_rx *p, int64_t now_ps)
{
	for (int pr = 0; pr < PRIORITIES; pr++)
		if (w->watched >> pr & 1)
			look_at(w, p, pr, now_ps);
	return w->action == WATCHDOG_FORWARD ? (uint8_t)(p->blocked & ~w->storm) : p->blocked;
}

int64_t watchdog_next_ps(const struct watchdog *w)
{
	int64_t next_ps = TIME_NEVER;

	for (int pr = 0; pr < PRIORITIES; pr++)
		if (w->due_ps[pr] < next_ps)
			next_ps = w->due_ps[pr];
	return next_ps;
}

uint8_t watchdog_fire(struct watchdog *w, const struct pause_rx *p, int64_t now_ps)
{
	uint8_t changed = 0;

	for (int pr = 0; pr < PRIORITIES; pr++) {
		const uint8_t bit = (uint8_t)(1u << pr);

		if (w->due_ps[pr] > now_ps)
			continue;
		changed |= bit;
		w->due_ps[pr] = TIME_NEVER;
		if (w->storm & bit) {
			w->storm &= (uint8_t)~bit;
			w->seen &= (uint8_t)~bit; /* no pause, so not blocked */
			continue;
		}
		w->storm |= bit;
		w->seen |= bit; /* blocked, so under pause */
		w->paused_ps[pr] = w->since_ps[pr];
		w->dropped[pr] = 0;
		look_at(w, p, pr, now_ps);
	}
	return changed;
}
