/* SPDX-License-Identifier: Apache-2.0 */
/* Packets of a DPDK port. Counters of drivers are not always right: what was received is
 * counted here. */
#include <errno.h>
#include <pcap/pcap.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_mbuf_dyn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture/dpdk/dpdk_module.h"
#include "capture/dpdk/eal.h"
#include "capture/dpdk/tick_fit.h"
#include "dataplane/wire/frame.h"

#define DEFAULT_DESC 4096
#define POOL_CACHE   256
#define ROOM_BYTES   (RTE_PKTMBUF_HEADROOM + 9728) /* a jumbo frame in one piece */
#define SMALL_ROOM   (RTE_PKTMBUF_HEADROOM + 2048)
#define BURST        64
#define BATCH        256
#define MAX_BURSTS   4096
#define SPINS        2000 /* without a packet, before the core is given away */
#define NAP_US       20
#define SECOND_NS    INT64_C(1000000000)
#define DRIVER_US    "net_pcap" /* stamps microseconds since 1970, of its file or device */

enum dpdk_stamps { STAMPED_BY_HOST, STAMPED_BY_NIC, STAMPED_BY_PCAP };

struct dpdk_source {
	char device[64], driver[64], filter[256];
	uint16_t port;
	bool eal, started;
	uint32_t n_desc, snap_bytes;
	uint64_t speed_bps;
	const struct bpf_program *program;
	struct rte_mempool *pool;
	enum dpdk_stamps stamps;
	int stamp_at;        /* of the field in an mbuf, -1: none */
	uint64_t stamp_flag; /* set where the field is */
	struct tick_fit fit;
	struct rte_mbuf *mbuf[BATCH];
	uint32_t n_mbufs;
	uint8_t *joined; /* frames of several mbufs: one after the other */
	uint32_t joined_bytes;
	atomic_bool halted;
	uint32_t drain; /* packets still taken after halt */
	_Atomic uint64_t received;
};

#define JOINED_MAX (4u << 20)

static struct dpdk_source *self_of(struct source *s)
{
	return (struct dpdk_source *)s;
}

static int find_port(struct dpdk_source *d, struct err *e)
{
	struct rte_eth_dev_info info;
	int n = 0;

	for (uint16_t port = 0; port < RTE_MAX_ETHPORTS; port++) {
		if (!rte_eth_dev_is_valid_port(port))
			continue;
		d->port = port;
		n++;
	}
	if (n != 1 || rte_eth_dev_info_get(d->port, &info))
		return dpdk_fail(e, -ENODEV,
		        "%s: DPDK finds %d ports in it, expected one (is it bound to a driver "
		        "of "
		        "DPDK?)",
		        d->device, n);
	(void)snprintf(d->driver, sizeof(d->driver), "%s", info.driver_name);
	return 0;
}

static int configure(struct dpdk_source *d, const struct source_config *c, struct err *e)
{
	struct rte_eth_conf conf = {0};
	struct rte_eth_dev_info info;
	uint16_t rx = (uint16_t)d->n_desc, tx = 512;
	int socket = rte_eth_dev_socket_id(d->port), r;
	bool small;

	if (rte_eth_dev_info_get(d->port, &info))
		return dpdk_fail(e, -EIO, "%s: DPDK cannot say what it is", d->device);
	if (info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_TIMESTAMP && c->stamps != STAMPS_SOFTWARE)
		conf.rxmode.offloads |= RTE_ETH_RX_OFFLOAD_TIMESTAMP;
	if (info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_SCATTER)
		conf.rxmode.offloads |= RTE_ETH_RX_OFFLOAD_SCATTER;
	small = info.max_rx_pktlen && info.max_rx_pktlen <= 2048;
	r = rte_eth_dev_configure(d->port, 1, 1, &conf);
	if (!r)
		r = rte_eth_dev_adjust_nb_rx_tx_desc(d->port, &rx, &tx);
	if (r)
		return dpdk_fail(e, r, "%s: DPDK port: %s", d->device, rte_strerror(-r));
	d->n_desc = rx;
	d->drain = rx;
	d->pool = rte_pktmbuf_pool_create("capture", rx + BATCH + 2 * POOL_CACHE + BURST,
	        POOL_CACHE, 0, small ? SMALL_ROOM : ROOM_BYTES, socket);
	if (!d->pool)
		return dpdk_fail(e, -ENOMEM, "%s: %u buffers: %s; ask for a smaller --ring",
		        d->device, rx, rte_strerror(rte_errno));
	r = rte_eth_rx_queue_setup(d->port, 0, rx, (unsigned)socket, NULL, d->pool);
	if (!r)
		r = rte_eth_tx_queue_setup(d->port, 0, tx, (unsigned)socket, NULL);
	if (!r)
		r = rte_eth_dev_start(d->port);
	if (r)
		return dpdk_fail(e, r, "%s: DPDK port: %s", d->device, rte_strerror(-r));
	d->started = true;
	if (c->promiscuous && rte_eth_promiscuous_enable(d->port))
		return dpdk_fail(e, -EOPNOTSUPP, "%s: has no promiscuous mode", d->device);
	return 0;
}

static bool read_ticks(const struct dpdk_source *d, uint64_t *ticks, int64_t *host_ns)
{
	struct timespec before, after;
	bool good;

	(void)clock_gettime(CLOCK_REALTIME, &before); /* cannot fail */
	good = !rte_eth_read_clock(d->port, ticks);
	(void)clock_gettime(CLOCK_REALTIME, &after);
	*host_ns = (before.tv_sec * SECOND_NS + before.tv_nsec + after.tv_sec * SECOND_NS +
	                   after.tv_nsec) /
	           2;
	return good;
}

static bool follow_nic(struct dpdk_source *d)
{
	uint64_t ticks;
	int64_t host_ns;

	for (int i = 0; i < 3; i++) {
		if (i)
			(void)usleep(50000); /* shorter is less exact, not wrong */
		if (!read_ticks(d, &ticks, &host_ns))
			return false;
		tick_fit_add(&d->fit, ticks, host_ns);
	}
	return tick_fit_ready(&d->fit);
}

static int choose_stamps(struct dpdk_source *d, enum capture_stamps asked, struct err *e)
{
	int bit = rte_mbuf_dynflag_lookup(RTE_MBUF_DYNFLAG_RX_TIMESTAMP_NAME, NULL);

	d->stamps = STAMPED_BY_HOST;
	d->stamp_at = rte_mbuf_dynfield_lookup(RTE_MBUF_DYNFIELD_TIMESTAMP_NAME, NULL);
	if (d->stamp_at >= 0 && bit >= 0 && asked != STAMPS_SOFTWARE) {
		d->stamp_flag = UINT64_C(1) << bit;
		if (!strcmp(d->driver, DRIVER_US))
			d->stamps = STAMPED_BY_PCAP;
		else if (follow_nic(d))
			d->stamps = STAMPED_BY_NIC;
	}
	if (asked == STAMPS_HARDWARE && d->stamps != STAMPED_BY_NIC)
		return dpdk_fail(e, -EOPNOTSUPP,
		        "%s: no hardware timestamps: driver %s %s; take the host's with "
		        "--timestamps software, or the best there are with any",
		        d->device, d->driver,
		        d->stamp_at < 0 || bit < 0 ? "stamps no received packet"
		                                   : "has no clock that could be read");
	return 0;
}

static void dpdk_close(struct source *s)
{
	struct dpdk_source *d = self_of(s);

	if (d->started)
		(void)rte_eth_dev_stop(d->port); /* the process ends with it */
	for (uint16_t port = 0; d->eal && port < RTE_MAX_ETHPORTS; port++) {
		if (rte_eth_dev_is_valid_port(port))
			(void)rte_eth_dev_close(port); /* as well */
	}
	if (d->eal)
		(void)rte_eal_cleanup();
	free(d->joined);
	free(d);
}

static int dpdk_open(struct source **out, const struct source_config *c, struct err *e)
{
	struct rte_eth_link link = {0};
	struct dpdk_source *d;
	int r;

	*out = NULL;
	if (c->n_queues > 1)
		return dpdk_fail(e, -EINVAL,
		        "%u queues: a DPDK port is captured by one (a NIC's hash would part a "
		        "flow from its CNPs)",
		        c->n_queues);
	d = calloc(1, sizeof(*d));
	if (!d || !(d->joined = malloc(JOINED_MAX))) {
		free(d);
		return dpdk_fail(e, -ENOMEM, "%s: out of memory", c->device);
	}
	(void)snprintf(d->device, sizeof(d->device), "%s", c->device);
	(void)snprintf(d->filter, sizeof(d->filter), "%s", c->filter ? c->filter : "");
	d->snap_bytes = c->snap_bytes;
	d->program = c->program;
	d->n_desc = c->n_blocks ? c->n_blocks : DEFAULT_DESC;
	r = dpdk_eal_begin(c, e);
	d->eal = !r;
	if (!r)
		r = find_port(d, e);
	if (!r)
		r = configure(d, c, e);
	if (!r)
		r = choose_stamps(d, c->stamps, e);
	if (r) {
		dpdk_close((struct source *)d);
		return r;
	}
	if (!rte_eth_link_get_nowait(d->port, &link) &&
	        link.link_speed != RTE_ETH_SPEED_NUM_UNKNOWN)
		d->speed_bps = UINT64_C(1000000) * link.link_speed;
	*out = (struct source *)d;
	return 0;
}

static bool dpdk_describe(
        const struct source *s, uint32_t interface, struct capture_interface *out)
{
	const struct dpdk_source *d = (const struct dpdk_source *)s;
	/* A word: further arguments of a virtual device are not its name. */
	int name = (int)strcspn(d->device, ",");

	if (interface)
		return false;
	*out = (struct capture_interface){.link = FRAME_LINK_ETHERNET,
	        .snap_bytes = d->snap_bytes,
	        .speed_bps = d->speed_bps,
	        .resolution_ps = d->stamps == STAMPED_BY_PCAP ? 1000000 : 1000,
	        .clock = {
	                .kind = CLOCK_SOFTWARE, .timescale = TIMESCALE_UTC, .residual_ns = -1}};
	(void)snprintf(out->name, sizeof(out->name), "%.*s", name, d->device);
	(void)snprintf(out->filter, sizeof(out->filter), "%s", d->filter);
	(void)snprintf(out->hardware, sizeof(out->hardware), "DPDK %s", d->driver);
	(void)snprintf(
	        out->description, sizeof(out->description), "DPDK port, driver %s", d->driver);
	switch (d->stamps) {
	case STAMPED_BY_HOST: /* when a burst was taken: all of it has one stamp */
		(void)snprintf(out->clock.name, sizeof(out->clock.name), "system:burst");
		break;
	case STAMPED_BY_PCAP:
		(void)snprintf(out->clock.name, sizeof(out->clock.name), "net_pcap");
		out->clock.kind = CLOCK_UNKNOWN;
		break;
	case STAMPED_BY_NIC:
		(void)snprintf(
		        out->clock.name, sizeof(out->clock.name), "%.*s:nic", name, d->device);
		out->clock.kind = CLOCK_HARDWARE_FREE;
		out->clock.residual_ns = d->fit.residual_ns;
		break;
	}
	return true;
}

static int64_t stamp_of(const struct dpdk_source *d, const struct rte_mbuf *m, int64_t burst_ns)
{
	uint64_t ticks;

	if (d->stamps == STAMPED_BY_HOST || !(m->ol_flags & d->stamp_flag))
		return burst_ns;
	ticks = *RTE_MBUF_DYNFIELD(m, d->stamp_at, rte_mbuf_timestamp_t *);
	return d->stamps == STAMPED_BY_PCAP ? (int64_t)ticks * 1000
	                                    : tick_fit_ns(&d->fit, ticks);
}

/* The bytes in one piece; false where there is no room to join them. */
static bool bytes_of(struct dpdk_source *d, const struct rte_mbuf *m, struct packet *p)
{
	uint32_t keep = m->pkt_len;

	p->wire_bytes = m->pkt_len;
	if (m->nb_segs == 1) {
		p->data = rte_pktmbuf_mtod(m, const uint8_t *);
		p->cap_bytes = m->pkt_len;
		return true;
	}
	if (d->joined_bytes + keep > JOINED_MAX)
		return false;
	p->data = rte_pktmbuf_read(m, 0, keep, d->joined + d->joined_bytes);
	p->cap_bytes = keep;
	d->joined_bytes += keep;
	return p->data != NULL;
}

static bool take(
        struct dpdk_source *d, const struct rte_mbuf *m, int64_t burst_ns, struct packet *p)
{
	uint32_t keep;

	if (!bytes_of(d, m, p))
		return false;
	if (d->program) {
		keep = bpf_filter(d->program->bf_insns, p->data, p->wire_bytes, p->cap_bytes);
		if (!keep)
			return false;
		p->cap_bytes = keep < p->cap_bytes ? keep : p->cap_bytes;
	}
	p->t_ns = stamp_of(d, m, burst_ns);
	p->interface = 0;
	p->direction = DIRECTION_IN;
	return true;
}

static int64_t now_ns(clockid_t clock)
{
	struct timespec t;

	(void)clock_gettime(clock, &t); /* cannot fail */
	return t.tv_sec * SECOND_NS + t.tv_nsec;
}

static void follow(struct dpdk_source *d)
{
	uint64_t ticks;
	int64_t host_ns;

	if (d->stamps == STAMPED_BY_NIC &&
	        now_ns(CLOCK_REALTIME_COARSE) - d->fit.host_ns > SECOND_NS &&
	        read_ticks(d, &ticks, &host_ns))
		tick_fit_add(&d->fit, ticks, host_ns);
}

static uint16_t burst(struct dpdk_source *d, uint32_t max)
{
	uint16_t n;

	if (max > BATCH)
		max = BATCH;
	if (UNLIKELY(atomic_load_explicit(&d->halted, memory_order_relaxed)) && max > d->drain)
		max = d->drain;
	n = max ? rte_eth_rx_burst(d->port, 0, d->mbuf, (uint16_t)(max < BURST ? max : BURST))
	        : 0;
	if (UNLIKELY(atomic_load_explicit(&d->halted, memory_order_relaxed)))
		d->drain -= n;
	return n;
}

static void dpdk_release(struct source *s, uint32_t queue)
{
	struct dpdk_source *d = self_of(s);

	(void)queue;
	rte_pktmbuf_free_bulk(d->mbuf, d->n_mbufs);
	d->n_mbufs = 0;
}

/* Waits for packets; false when the time is over, or nothing more is wanted. */
static bool wait_for_burst(struct dpdk_source *d, uint32_t max, int64_t *until, int timeout_ms)
{
	for (uint32_t spins = 0; !(d->n_mbufs = burst(d, max)); spins++) {
		if (atomic_load_explicit(&d->halted, memory_order_relaxed) && !d->drain)
			return false;
		if (spins < SPINS)
			continue;
		if (!*until)
			*until = now_ns(CLOCK_MONOTONIC) + timeout_ms * INT64_C(1000000);
		if (now_ns(CLOCK_MONOTONIC) >= *until)
			return false;
		(void)usleep(NAP_US);
	}
	return true;
}

static int dpdk_poll(struct source *s, uint32_t queue, struct packet *p, uint32_t max,
        int timeout_ms, struct err *e)
{
	struct dpdk_source *d = self_of(s);
	int64_t until = 0, burst_ns;
	uint32_t n = 0;

	(void)queue;
	(void)e;
	follow(d);
	/* Bursts of which the filter takes nothing are no reason to come back with nothing. */
	for (int bursts = 0; !n && bursts < MAX_BURSTS; bursts++) {
		if (!wait_for_burst(d, max, &until, timeout_ms))
			return 0;
		burst_ns = now_ns(CLOCK_REALTIME);
		d->joined_bytes = 0;
		for (uint32_t i = 0; i < d->n_mbufs; i++) {
			if (i + 1 < d->n_mbufs)
				rte_prefetch0(rte_pktmbuf_mtod(d->mbuf[i + 1], void *));
			n += take(d, d->mbuf[i], burst_ns, &p[n]);
		}
		if (!n)
			dpdk_release(s, queue);
	}
	(void)atomic_fetch_add_explicit(&d->received, n, memory_order_relaxed);
	return (int)n;
}

/* A port cannot be told to take no more: what its ring can hold is still taken. */
static void dpdk_halt(struct source *s)
{
	atomic_store(&self_of(s)->halted, true);
}

static void dpdk_stats(struct source *s, uint32_t queue, struct source_stats *out)
{
	struct dpdk_source *d = self_of(s);
	struct rte_eth_stats now = {0};

	(void)queue;
	*out = (struct source_stats){
	        .received = atomic_load_explicit(&d->received, memory_order_relaxed),
	        .dropped_by_interface = CAPTURE_NO_COUNT};
	if (!rte_eth_stats_get(d->port, &now))
		out->dropped_by_interface = now.imissed + now.rx_nombuf + now.ierrors;
}

static const struct source_ops ops = {
        .name = "dpdk",
        .counts_losses = false,
        .open = dpdk_open,
        .describe = dpdk_describe,
        .poll = dpdk_poll,
        .release = dpdk_release,
        .halt = dpdk_halt,
        .stats = dpdk_stats,
        .close = dpdk_close,
};

__attribute__((visibility("default"))) const struct dpdk_capture_module DPDK_MODULE_SYMBOL = {
        .version = SQUALL_VERSION,
        .ops = &ops,
};
