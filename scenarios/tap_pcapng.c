/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/tap_pcapng.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/result_folder.h"
#include "capture/pcapng_writer.h"
#include "dataplane/wire/frame.h"
#include "scenarios/tap_frames.h"

struct tap_pcapng {
	const struct scenario *s;
	struct sim_capture sim;
	struct tap_frames frames;
	struct pcapng_writer w;
	uint32_t *interface; /* [topo.n_ports] of a captured port */
	uint64_t *packets;   /* [topo.n_ports] */
	atomic_bool *stop;
	bool failed;
	uint8_t frame[TAP_FRAME_MAX_BYTES];
};

/* host3; leaf0-host3 of the port of leaf0; with its number where several lead there. */
static void name_port(char *out, size_t n, const struct topo *t, uint32_t node, uint16_t port)
{
	const struct topo_node *at = &t->node[node];
	const uint32_t peer = t->port[at->first_port + port].peer_node;
	uint32_t cables = 0;

	for (uint16_t i = 0; i < at->n_ports; i++)
		cables += t->port[at->first_port + i].peer_node == peer;
	if (node < t->n_hosts)
		(void)snprintf(out, n, "%s", at->name);
	else if (cables == 1)
		(void)snprintf(out, n, "%s-%s", at->name, t->node[peer].name);
	else
		(void)snprintf(out, n, "%s-%s:%u", at->name, t->node[peer].name, port);
}

static struct capture_interface describe(
        const struct tap_pcapng *t, uint32_t node, uint16_t port)
{
	const struct topo *topo = t->s->topo;
	const struct topo_port *p = &topo->port[topo->node[node].first_port + port];
	struct capture_interface i = {
	        .link = FRAME_LINK_ETHERNET,
	        .snap_bytes = (uint32_t)t->s->measure.snap_bytes,
	        .speed_bps = (uint64_t)p->rate_bps,
	        .resolution_ps = PS_PER_NS,
	        .clock = {.name = "virtual",
	                .kind = CLOCK_VIRTUAL,
	                .timescale = TIMESCALE_VIRTUAL,
	                .residual_ns = -1},
	        .received = CAPTURE_NO_COUNT,
	        .dropped_by_interface = CAPTURE_NO_COUNT,
	        .dropped_by_os = CAPTURE_NO_COUNT,
	        .filter_accepted = CAPTURE_NO_COUNT,
	        .delivered = CAPTURE_NO_COUNT,
	};

	name_port(i.name, sizeof(i.name), topo, node, port);
	(void)snprintf(i.description, sizeof(i.description),
	        "simulated %s port %u of %s, linked to %s",
	        node < topo->n_hosts ? "host" : "switch", port, topo->node[node].name,
	        topo->node[p->peer_node].name);
	return i;
}

static void begin(struct tap_pcapng *t, FILE *f, const char *version)
{
	const struct topo *topo = t->s->topo;
	char application[64], comment[512];

	(void)snprintf(application, sizeof(application), "squall %s", version);
	(void)snprintf(comment, sizeof(comment), "simulated: scenario %s, seed %" PRId64,
	        t->s->name, t->s->run.seed);
	pcapng_begin(&t->w, f, application, NULL, comment);
	for (uint32_t node = 0; node < topo->n_nodes; node++)
		for (uint16_t i = 0; i < topo->node[node].n_ports; i++) {
			const uint32_t at = topo->node[node].first_port + i;
			struct capture_interface c;

			if (!t->s->capture.port[at])
				continue;
			c = describe(t, node, i);
			t->interface[at] = pcapng_interface(&t->w, &c, NULL);
		}
}

static int64_t stamp_ns(int64_t t_ps)
{
	return CLOCK_VIRTUAL_EPOCH_NS + t_ps / PS_PER_NS;
}

static void take(void *arg, const struct capture_record *r)
{
	struct tap_pcapng *t = arg;
	const uint32_t at = t->s->topo->node[r->node].first_port + r->port;
	const uint32_t n = tap_frame(&t->frames, t->frame, r);
	const uint32_t snap = (uint32_t)t->s->measure.snap_bytes;

	if (!n || t->failed)
		return;
	t->packets[at]++;
	pcapng_packet(&t->w,
	        &(struct packet){.t_ns = stamp_ns(r->t_ps),
	                .data = t->frame,
	                .cap_bytes = snap && snap < n ? snap : n,
	                .wire_bytes = n,
	                .interface = t->interface[at],
	                .direction = r->what == CAPTURE_SENT ? DIRECTION_OUT : DIRECTION_IN},
	        NULL);
	if (LIKELY(!ferror(t->w.f)))
		return;
	t->failed = true;
	if (t->stop)
		atomic_store(t->stop, true);
}

static void free_all(struct tap_pcapng *t)
{
	tap_frames_fini(&t->frames);
	free(t->interface);
	free(t->packets);
	free(t);
}

int tap_pcapng_open(struct tap_pcapng **out, struct out_set *set, const struct scenario *s,
        const char *dir, const char *version, atomic_bool *stop, struct err *e)
{
	struct tap_pcapng *t = calloc(1, sizeof(*t));
	FILE *f = NULL;
	int r;

	if (!t)
		return err_set(e, -ENOMEM, "capture: out of memory");
	t->s = s;
	t->stop = stop;
	t->sim = (struct sim_capture){.port = s->capture.port, .take = take, .arg = t};
	t->interface = calloc(s->topo->n_ports, sizeof(*t->interface));
	t->packets = calloc(s->topo->n_ports, sizeof(*t->packets));
	r = t->interface && t->packets ? 0 : err_set(e, -ENOMEM, "capture: out of memory");
	if (!r)
		r = tap_frames_init(&t->frames, s, e);
	if (!r)
		r = out_folder(dir, e);
	if (!r)
		r = out_set_add_in(set, &f, dir, result_name(RESULT_NAME_CAPTURE), e);
	if (r) {
		free_all(t);
		return r;
	}
	begin(t, f, version);
	*out = t;
	return 0;
}

const struct sim_capture *tap_pcapng_capture(const struct tap_pcapng *t)
{
	return t ? &t->sim : NULL;
}

/* The taps lose nothing. */
static void end(struct tap_pcapng *t, int64_t t_end_ps)
{
	const struct topo *topo = t->s->topo;

	for (uint32_t node = 0; node < topo->n_nodes; node++)
		for (uint16_t i = 0; i < topo->node[node].n_ports; i++) {
			const uint32_t at = topo->node[node].first_port + i;
			struct capture_interface c;

			if (!t->s->capture.port[at])
				continue;
			c = describe(t, node, i);
			c.received = t->packets[at];
			c.dropped_by_interface = c.dropped_by_os = 0;
			pcapng_statistics(&t->w, t->interface[at], &c, stamp_ns(t_end_ps));
		}
}

void tap_pcapng_close(struct tap_pcapng *t, int64_t t_end_ps)
{
	if (!t)
		return;
	end(t, t_end_ps);
	free_all(t);
}
