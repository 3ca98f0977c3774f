/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/dcqcn_packets.h"

#include <math.h>
#include <stdlib.h>

#define RING (1 << 17) /* packets of one kind under way or waiting */

struct flow {
	double rate_bps, target_bps, alpha;
	double next_send_s;
	double timer_s, alpha_s; /* next expiry of T; start of the period of tau' */
	double bytes;            /* since the last cut or byte event */
	double last_cnp_s;       /* at its receiver */
	double sent_bytes, window_bytes;
	int time_stage, byte_stage;
	bool cut_before;
};

struct item {
	double at_s;
	int flow;
	bool marked;
};

struct ring {
	struct item *item;
	uint32_t head, tail;
};

struct sums {
	double queue, queue2, alpha, samples;
	double jain, windows;
};

struct world {
	const struct packets_cfg *c;
	double packet_s; /* serialisation at the link rate */
	struct flow flow[PACKETS_MAX_FLOWS];
	struct ring arriving, waiting, cnp;
	double server_free_s;
	double sample_at_s, window_end_s;
	uint64_t random;
	struct sums sums;
};

static void ring_put(struct ring *r, struct item it)
{
	if (r->tail - r->head == RING)
		abort();
	r->item[r->tail++ % RING] = it;
}

static struct item ring_take(struct ring *r)
{
	return r->item[r->head++ % RING];
}

static double ring_first_s(const struct ring *r)
{
	return r->head == r->tail ? INFINITY : r->item[r->head % RING].at_s;
}

static double queue_bytes(const struct world *w)
{
	return (w->waiting.tail - w->waiting.head) * w->c->law.packet_bytes;
}

/* xorshift64* */
static double random_unit(struct world *w)
{
	w->random ^= w->random >> 12;
	w->random ^= w->random << 25;
	w->random ^= w->random >> 27;
	return (double)((w->random * UINT64_C(2685821657736338717)) >> 11) * 0x1p-53;
}

static bool mark(struct world *w)
{
	const struct fluid_cfg *law = &w->c->law;
	double q = queue_bytes(w);

	if (q <= law->kmin_bytes)
		return false;
	if (q > law->kmax_bytes)
		return true;
	return random_unit(w) <
	       law->pmax * (q - law->kmin_bytes) / (law->kmax_bytes - law->kmin_bytes);
}

static void raise_rate(struct flow *f, const struct fluid_cfg *law)
{
	if (f->time_stage > law->fast_steps || f->byte_stage > law->fast_steps)
		f->target_bps = fmin(f->target_bps + law->ai_bps, law->link_bps);
	f->rate_bps = (f->rate_bps + f->target_bps) / 2;
}

static void expire_timers(struct flow *f, const struct fluid_cfg *law, double now_s)
{
	if (!f->cut_before)
		return;
	for (; f->timer_s <= now_s; f->timer_s += law->timer_s) {
		f->time_stage++;
		raise_rate(f, law);
	}
	for (; f->alpha_s + law->alpha_s <= now_s; f->alpha_s += law->alpha_s)
		f->alpha *= 1 - law->g;
}

static void take_cnp(struct world *w)
{
	struct item it = ring_take(&w->cnp);
	struct flow *f = &w->flow[it.flow];
	const struct fluid_cfg *law = &w->c->law;

	expire_timers(f, law, it.at_s);
	f->cut_before = true;
	f->target_bps = f->rate_bps;
	f->rate_bps = fmax(f->rate_bps * (1 - f->alpha / 2), w->c->min_rate_bps);
	f->alpha = (1 - law->g) * f->alpha + law->g;
	f->alpha_s = it.at_s;
	f->timer_s = it.at_s + law->timer_s;
	f->time_stage = 0;
	f->byte_stage = 0;
	f->bytes = 0;
}

static void send_packet(struct world *w, int i)
{
	struct flow *f = &w->flow[i];
	const struct fluid_cfg *law = &w->c->law;
	double now_s = f->next_send_s;

	expire_timers(f, law, now_s);
	f->bytes += law->packet_bytes;
	if (f->cut_before && f->bytes >= law->byte_count) {
		f->bytes -= law->byte_count;
		f->byte_stage++;
		raise_rate(f, law);
	}
	f->next_send_s = now_s + 8 * law->packet_bytes / f->rate_bps;
	f->window_bytes += law->packet_bytes;
	if (now_s >= w->c->end_s / 2)
		f->sent_bytes += law->packet_bytes;
	ring_put(&w->arriving,
	        (struct item){.at_s = now_s + w->packet_s + law->delay_s / 4, .flow = i});
}

static void enqueue(struct world *w)
{
	struct item it = ring_take(&w->arriving);

	it.marked = w->c->mark_on_enqueue && mark(w);
	ring_put(&w->waiting, it);
}

/* The link takes the next packet; its receiver answers a mark at most once per tau. */
static void dequeue(struct world *w, double now_s)
{
	const struct fluid_cfg *law = &w->c->law;
	struct item it = ring_take(&w->waiting);
	struct flow *f = &w->flow[it.flow];
	double at_s = now_s + w->packet_s + law->delay_s / 4;

	if (!w->c->mark_on_enqueue)
		it.marked = mark(w);
	w->server_free_s = now_s + w->packet_s;
	if (!it.marked || at_s - f->last_cnp_s < law->cnp_s)
		return;
	f->last_cnp_s = at_s;
	ring_put(&w->cnp, (struct item){.at_s = at_s + law->delay_s / 2, .flow = it.flow});
}

static void sample(struct world *w)
{
	double q = queue_bytes(w), alpha = 0;
	int i;

	w->sums.queue += q;
	w->sums.queue2 += q * q;
	for (i = 0; i < w->c->flows; i++) {
		expire_timers(&w->flow[i], &w->c->law, w->sample_at_s);
		alpha += w->flow[i].alpha;
	}
	w->sums.alpha += alpha / w->c->flows;
	w->sums.samples++;
	w->sample_at_s += w->c->sample_s;
}

static void end_window(struct world *w)
{
	const struct packets_cfg *c = w->c;
	double last_start_s = c->stagger_s * (c->flows - 1), sum = 0, squares = 0;
	int i;

	for (i = 0; i < c->flows; i++) {
		sum += w->flow[i].window_bytes;
		squares += w->flow[i].window_bytes * w->flow[i].window_bytes;
		w->flow[i].window_bytes = 0;
	}
	if (w->window_end_s >= last_start_s + c->fair_from_s + c->window_s) {
		w->sums.jain += sum * sum / (c->flows * squares);
		w->sums.windows++;
	}
	w->window_end_s += c->window_s;
}

static int first_sender(const struct world *w)
{
	int i, best = 0;

	for (i = 1; i < w->c->flows; i++)
		if (w->flow[i].next_send_s < w->flow[best].next_send_s)
			best = i;
	return best;
}

static void run_to_end(struct world *w)
{
	for (;;) {
		int i = first_sender(w);
		double send_s = w->flow[i].next_send_s, arrive_s = ring_first_s(&w->arriving);
		double cnp_s = ring_first_s(&w->cnp);
		double start_s = w->waiting.head == w->waiting.tail
		                         ? INFINITY
		                         : fmax(w->server_free_s, ring_first_s(&w->waiting));
		double now_s = fmin(fmin(send_s, arrive_s), fmin(cnp_s, start_s));

		if (w->sample_at_s <= now_s && w->sample_at_s < w->c->end_s)
			sample(w);
		else if (w->window_end_s <= now_s && w->window_end_s < w->c->end_s)
			end_window(w);
		else if (now_s >= w->c->end_s)
			return;
		else if (now_s == cnp_s)
			take_cnp(w);
		else if (now_s == arrive_s)
			enqueue(w);
		else if (now_s == start_s)
			dequeue(w, now_s);
		else
			send_packet(w, i);
	}
}

static void start(struct world *w, const struct packets_cfg *c)
{
	int i;

	w->c = c;
	w->packet_s = 8 * c->law.packet_bytes / c->law.link_bps;
	w->random = c->seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	w->sample_at_s = c->end_s / 2;
	w->window_end_s = c->window_s;
	for (i = 0; i < c->flows; i++)
		w->flow[i] = (struct flow){
		        .rate_bps = c->law.link_bps,
		        .target_bps = c->law.link_bps,
		        .alpha = 1,
		        .next_send_s = i * c->stagger_s,
		        .last_cnp_s = -1,
		};
}

static void finish(struct packets_result *r, const struct world *w)
{
	const struct sums *s = &w->sums;
	double sent_bytes = 0;
	int i;

	for (i = 0; i < w->c->flows; i++)
		sent_bytes += w->flow[i].sent_bytes;
	r->queue_mean_bytes = s->queue / s->samples;
	r->queue_sd_bytes =
	        sqrt(s->queue2 / s->samples - r->queue_mean_bytes * r->queue_mean_bytes);
	r->alpha_mean = s->alpha / s->samples;
	r->rate_mean_bps = 8 * sent_bytes / w->c->flows / (w->c->end_s / 2);
	r->jain = s->windows > 0 ? s->jain / s->windows : 0;
}

int packets_run(struct packets_result *r, const struct packets_cfg *c)
{
	struct world *w = calloc(1, sizeof(*w));
	int rc = -1;

	if (!w || c->flows < 1 || c->flows > PACKETS_MAX_FLOWS)
		goto out;
	w->arriving.item = calloc(RING, sizeof(struct item));
	w->waiting.item = calloc(RING, sizeof(struct item));
	w->cnp.item = calloc(RING, sizeof(struct item));
	if (!w->arriving.item || !w->waiting.item || !w->cnp.item)
		goto out;
	start(w, c);
	run_to_end(w);
	finish(r, w);
	rc = 0;
out:
	if (w) {
		free(w->arriving.item);
		free(w->waiting.item);
		free(w->cnp.item);
	}
	free(w);
	return rc;
}
