/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/dcqcn_simulator.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "dataplane/base/units.h"
#include "gen/sim/sim.h"
#include "scenarios/run_sim.h"
#include "scenarios/scenario.h"

#define HEADER_BYTES 58 /* fabric.frame.header */

/* Keys that fail leave their code in rc; later ones are skipped. */
struct keys {
	struct scenario *s;
	struct err *e;
	int rc;
};

static void set(struct keys *k, const char *key, const char *value)
{
	if (!k->rc)
		k->rc = scenario_set_key(k->s, key, value, NULL, k->e);
}

static void set_number(struct keys *k, const char *key, double value, const char *unit)
{
	char text[64];

	(void)snprintf(text, sizeof(text), "%.0f%s", value, unit);
	set(k, key, text);
}

static void set_fabric(struct keys *k, const struct packets_cfg *c)
{
	const struct fluid_cfg *law = &c->law;
	char pmax[32];

	set(k, "fabric.topology.kind", "star");
	set_number(k, "fabric.topology.hosts", c->flows + 1, "");
	set_number(k, "fabric.host_link.rate", law->link_bps, "bps");
	set_number(k, "fabric.host_link.delay", law->delay_s / 4 * 1e12, "ps");
	set_number(k, "fabric.path_mtu", law->packet_bytes - HEADER_BYTES, "B");
	set(k, "fabric.frame.reth", "0B");
	set(k, "fabric.frame.fcs", "0B");
	set(k, "fabric.frame.gap", "0B");
	set(k, "fabric.switch.buffer", "1024MiB"); /* the model has no limit and no PFC */
	set_number(k, "fabric.switch.ecn.kmin", law->kmin_bytes, "B");
	set_number(k, "fabric.switch.ecn.kmax", law->kmax_bytes, "B");
	(void)snprintf(pmax, sizeof(pmax), "%g", law->pmax);
	set(k, "fabric.switch.ecn.pmax", pmax);
	set(k, "fabric.switch.ecn.mark", c->mark_on_enqueue ? "enqueue" : "dequeue");
}

static void set_endpoint(struct keys *k, const struct packets_cfg *c)
{
	const struct fluid_cfg *law = &c->law;

	set(k, "fabric.nic.ack_every", "64");
	set(k, "fabric.nic.retransmit_timeout", "off");
	set_number(k, "fabric.nic.np.min_time_between_cnps", law->cnp_s * 1e12, "ps");
	set_number(k, "fabric.nic.dcqcn.dce_tcp_rtt", law->alpha_s * 1e12, "ps");
	set_number(k, "fabric.nic.dcqcn.rpg_time_reset", law->timer_s * 1e12, "ps");
	set_number(k, "fabric.nic.dcqcn.rpg_byte_reset", law->byte_count, "B");
	set_number(k, "fabric.nic.dcqcn.rpg_threshold", law->fast_steps, "");
	set_number(k, "fabric.nic.dcqcn.rpg_ai_rate", law->ai_bps, "bps");
	set_number(k, "fabric.nic.dcqcn.rpg_hai_rate", law->ai_bps, "bps");
	set_number(k, "fabric.nic.dcqcn.rpg_min_rate", c->min_rate_bps, "bps");
	set_number(k, "measure.series", c->sample_s * 1e12, "ps");
	set_number(k, "stop.after", c->end_s * 1e12, "ps");
}

/* Each sender posts messages as fast as the link could send them, so it always has data and the
 * times at which they complete show its rate. */
#define MESSAGE_PACKETS 100

static void set_workload(struct keys *k, const struct packets_cfg *c)
{
	double period_s = 8 * MESSAGE_PACKETS * c->law.packet_bytes / c->law.link_bps;
	size_t room = (size_t)c->flows * 200 + 8, at = 0;
	char *text = malloc(room);
	int i;

	if (!text) {
		k->rc = -ENOMEM;
		return;
	}
	for (i = 0; i < c->flows; i++)
		at += (size_t)snprintf(text + at, room - at,
		        "%s{pattern: incast, first_host: %d, senders: 1, receiver: 0, "
		        "message: %.0fB, repeat: %.0f, period: %.0fps, start: %.0fps}",
		        i ? ", " : "[", i + 1,
		        MESSAGE_PACKETS * (c->law.packet_bytes - HEADER_BYTES),
		        ceil(c->end_s / period_s), period_s * 1e12, i * c->stagger_s * 1e12);
	(void)snprintf(text + at, room - at, "]");
	set(k, "workload", text);
	free(text);
}

static int build(struct scenario **s, const struct packets_cfg *c, struct err *e)
{
	struct keys k = {.e = e};

	k.rc = scenario_new_defaults(s, "dcqcn", e);
	if (k.rc)
		return k.rc;
	k.s = *s;
	k.rc = scenario_apply_preset(*s, "paper", e);
	set_fabric(&k, c);
	set_endpoint(&k, c);
	set_workload(&k, c);
	if (!k.rc)
		k.rc = scenario_finish(*s, NULL, 0, &c->seed, e);
	if (k.rc) {
		scenario_free(*s);
		*s = NULL;
	}
	return k.rc;
}

void simulator_means(struct packets_result *r, const struct run_record *rec, int64_t from_ps)
{
	double queue = 0, queue2 = 0, alpha = 0, bytes = 0, qps = 0, n = 0;
	uint64_t i;

	for (i = 0; i < rec->n_row; i++) {
		const struct series_row *row = &rec->row[i];
		double q = (double)row->queue_bytes_at_t;

		if (row->t_ps <= from_ps)
			continue;
		queue += q;
		queue2 += q * q;
		alpha += (double)row->mean_alpha_q32 / (double)Q32_ONE;
		bytes += (double)row->delivered_bytes;
		qps += (double)row->active_qps;
		n++;
	}
	r->queue_mean_bytes = queue / n;
	r->queue_sd_bytes = sqrt(queue2 / n - r->queue_mean_bytes * r->queue_mean_bytes);
	r->alpha_mean = alpha / n;
	r->rate_mean_bps =
	        8 * bytes / (qps / n) /
	        ((double)(rec->row[rec->n_row - 1].t_ps - from_ps) / (double)PS_PER_S);
}

/* Jain's index of what completed in [end_s - window_s, end_s). */
static double jain_of_window(
        const struct run_record *rec, const struct packets_cfg *c, double end_s)
{
	double got[PACKETS_MAX_FLOWS + 1] = {0}, sum = 0, squares = 0;
	uint64_t i;
	int f;

	for (i = 0; i < rec->n_msg; i++) {
		double at_s = (double)rec->msg[i].done_ps / (double)PS_PER_S;

		if (at_s >= end_s - c->window_s && at_s < end_s)
			got[rec->msg[i].src] += (double)rec->msg[i].bytes;
	}
	for (f = 1; f <= c->flows; f++) {
		sum += got[f];
		squares += got[f] * got[f];
	}
	return squares > 0 ? sum * sum / (c->flows * squares) : 0;
}

static double jain(const struct run_record *rec, const struct packets_cfg *c)
{
	double from_s = c->stagger_s * (c->flows - 1) + c->fair_from_s, end_s, total = 0;
	int n = 0;

	for (end_s = c->window_s; end_s < c->end_s; end_s += c->window_s)
		if (end_s >= from_s + c->window_s) {
			total += jain_of_window(rec, c, end_s);
			n++;
		}
	return n ? total / n : 0;
}

int simulator_run(struct packets_result *r, const struct packets_cfg *c, struct err *e)
{
	struct run_record *rec = NULL;
	struct scenario *s = NULL;
	double wire = c->law.packet_bytes / (c->law.packet_bytes - HEADER_BYTES);
	int rc = build(&s, c, e);

	if (!rc) {
		struct sim_cfg cfg = run_sim_cfg(s);

		cfg.seed = c->seed;
		rc = sim_run(&rec, &cfg, e);
	}
	if (!rc && (rec->n.drops_lossless || rec->n.drops_lossy || rec->n.pause_frames ||
	                   !rec->n_row))
		rc = err_set(e, -EINVAL, "the fluid model knows neither loss nor pause");
	if (!rc) {
		simulator_means(r, rec, (int64_t)(c->end_s / 2 * 1e12));
		r->rate_mean_bps *= wire;
		r->jain = jain(rec, c);
	}
	run_record_free(rec);
	scenario_free(s);
	return rc;
}
