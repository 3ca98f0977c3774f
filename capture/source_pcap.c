/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets through libpcap: slower, and everywhere, with every link type that it knows. Its
 * packets live in its callback alone, so they are copied into a batch of our own.
 */
#include <errno.h>
#include <pcap/pcap.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "capture/filter.h"
#include "capture/source.h"
#include "dataplane/wire/frame.h"

#define BATCH_PACKETS 256
#define MAX_BYTES     262144
#define NS_PER_S      INT64_C(1000000000)
#define READ_MS       50

struct pcap_source {
	pcap_t *pcap;
	char device[64], filter[256];
	uint32_t snap_bytes, max_bytes;
	bool hardware, ended;
	_Atomic int64_t halt_ns; /* packets after this are not wanted; 0: not halted */
	uint8_t *copies;         /* max_bytes per packet of a batch */
	uint32_t n;
	struct packet *out;
	_Atomic uint64_t received;
	struct pcap_stat stat;
};

static struct pcap_source *self_of(struct source *s)
{
	return (struct pcap_source *)s;
}

/* libpcap's own words, with the device and what helps. */
static int failed(const struct pcap_source *p, int status, struct err *e)
{
	const char *why = pcap_geterr(p->pcap);

	if (!*why)
		why = pcap_statustostr(status);
	switch (status) {
	case PCAP_ERROR_PERM_DENIED:
	case PCAP_ERROR_PROMISC_PERM_DENIED:
		return err_set(e, -EPERM,
		        "%s: %s; run as root, or give the program CAP_NET_RAW", p->device, why);
	case PCAP_ERROR_NO_SUCH_DEVICE:
		return err_set(
		        e, -EINVAL, "%s: no such interface (ip link lists them)", p->device);
	case PCAP_ERROR_IFACE_NOT_UP:
		return err_set(
		        e, -ENETDOWN, "%s: is down; ip link set %s up", p->device, p->device);
	default:
		return err_set(e, -EIO, "%s: libpcap: %s", p->device, why);
	}
}

static bool has_stamp(pcap_t *pcap, int type)
{
	int *types, n = pcap_list_tstamp_types(pcap, &types);
	bool has = false;

	for (int i = 0; i < n; i++)
		has |= types[i] == type;
	if (n > 0)
		pcap_free_tstamp_types(types);
	return has;
}

static int choose_stamps(struct pcap_source *p, enum capture_stamps asked, struct err *e)
{
	if (asked == STAMPS_SOFTWARE)
		return 0;
	/* A free clock's stamps are days off, and libpcap does not say by how much: not those.
	 */
	p->hardware = has_stamp(p->pcap, PCAP_TSTAMP_ADAPTER);
	if (p->hardware && !pcap_set_tstamp_type(p->pcap, PCAP_TSTAMP_ADAPTER))
		return 0;
	p->hardware = false;
	if (asked != STAMPS_HARDWARE)
		return 0;
	return err_set(e, -EOPNOTSUPP,
	        "%s: no hardware timestamps: libpcap finds none that follow the host's clock; "
	        "take the kernel's with --timestamps software, or try --source af_packet",
	        p->device);
}

static int activate(struct pcap_source *p, const struct source_config *c, struct err *e)
{
	char why[PCAP_ERRBUF_SIZE] = "";
	uint64_t ring = (uint64_t)c->n_blocks * c->block_bytes;
	int r;

	p->pcap = pcap_create(c->device, why);
	if (!p->pcap)
		return err_set(e, -ENOMEM, "%s: libpcap: %s", c->device, why);
	r = choose_stamps(p, c->stamps, e);
	if (r)
		return r;
	if (pcap_set_snaplen(p->pcap, (int)p->max_bytes) ||
	        pcap_set_promisc(p->pcap, c->promiscuous) ||
	        pcap_set_timeout(p->pcap, READ_MS) ||
	        (ring && pcap_set_buffer_size(
	                         p->pcap, ring > INT32_MAX ? INT32_MAX : (int)ring)))
		return failed(p, PCAP_ERROR, e);
	/* Not every source has nanoseconds; what there is is said. */
	(void)pcap_set_tstamp_precision(p->pcap, PCAP_TSTAMP_PRECISION_NANO);
	r = pcap_activate(p->pcap);
	return r < 0 ? failed(p, r, e) : 0;
}

static uint32_t link_of(const struct pcap_source *p)
{
	int dlt = pcap_datalink(p->pcap);

	return dlt == FRAME_LINK_RAW_12 ? FRAME_LINK_RAW : (uint32_t)dlt;
}

static int set_filter(struct pcap_source *p, const struct source_config *c, struct err *e)
{
	struct bpf_program program;
	int r = filter_compile(&program, c->filter, link_of(p), c->snap_bytes, c->device, e);

	if (r)
		return r;
	r = pcap_setfilter(p->pcap, &program) ? failed(p, PCAP_ERROR, e) : 0;
	pcap_freecode(&program);
	return r;
}

static void pcap_source_close(struct source *s)
{
	struct pcap_source *p = self_of(s);

	if (p->pcap)
		pcap_close(p->pcap);
	free(p->copies);
	free(p);
}

static int pcap_source_open(struct source **out, const struct source_config *c, struct err *e)
{
	struct pcap_source *p;
	char why[PCAP_ERRBUF_SIZE];
	int r;

	*out = NULL;
	if (c->n_queues > 1)
		return err_set(e, -EINVAL,
		        "%u queues: libpcap has one; --source af_packet can share packets out",
		        c->n_queues);
	p = calloc(1, sizeof(*p));
	if (!p)
		return err_set(e, -ENOMEM, "%s: out of memory", c->device);
	(void)snprintf(p->device, sizeof(p->device), "%s", c->device);
	(void)snprintf(p->filter, sizeof(p->filter), "%s", c->filter ? c->filter : "");
	p->snap_bytes = c->snap_bytes;
	p->max_bytes = c->snap_bytes && c->snap_bytes < MAX_BYTES ? c->snap_bytes : MAX_BYTES;
	/* Only pages that packets reach become memory. */
	p->copies = malloc((size_t)p->max_bytes * BATCH_PACKETS);
	r = p->copies ? activate(p, c, e) : err_set(e, -ENOMEM, "%s: out of memory", c->device);
	if (!r)
		r = set_filter(p, c, e);
	if (!r && pcap_setnonblock(p->pcap, 1, why))
		r = err_set(e, -EIO, "%s: libpcap: %s", p->device, why);
	if (r) {
		pcap_source_close((struct source *)p);
		return r;
	}
	*out = (struct source *)p;
	return 0;
}

static bool pcap_source_describe(
        const struct source *s, uint32_t interface, struct capture_interface *out)
{
	const struct pcap_source *p = (const struct pcap_source *)s;
	bool ns = pcap_get_tstamp_precision(p->pcap) == PCAP_TSTAMP_PRECISION_NANO;

	if (interface)
		return false;
	*out = (struct capture_interface){.link = link_of(p),
	        .snap_bytes = p->snap_bytes,
	        .resolution_ps = ns ? 1000 : 1000000,
	        .clock = {.kind = p->hardware ? CLOCK_HARDWARE_PTP : CLOCK_SOFTWARE,
	                .timescale = TIMESCALE_UTC,
	                .residual_ns = -1}};
	(void)snprintf(out->name, sizeof(out->name), "%s", p->device);
	(void)snprintf(out->clock.name, sizeof(out->clock.name), "%s",
	        p->hardware ? "adapter" : "system");
	(void)snprintf(out->filter, sizeof(out->filter), "%s", p->filter);
	(void)snprintf(out->description, sizeof(out->description), "by libpcap%s",
	        ns ? "" : ", in microseconds");
	return true;
}

static void copy(u_char *source, const struct pcap_pkthdr *h, const u_char *bytes)
{
	struct pcap_source *p = (struct pcap_source *)source;
	uint32_t cap = h->caplen < p->max_bytes ? h->caplen : p->max_bytes;
	uint8_t *to = p->copies + (size_t)p->n * p->max_bytes;
	bool ns = pcap_get_tstamp_precision(p->pcap) == PCAP_TSTAMP_PRECISION_NANO;
	int64_t t_ns = h->ts.tv_sec * NS_PER_S + h->ts.tv_usec * (ns ? 1 : 1000);
	int64_t halt_ns = atomic_load_explicit(&p->halt_ns, memory_order_relaxed);

	p->ended |= halt_ns && t_ns > halt_ns;
	if (p->ended)
		return;
	memcpy(to, bytes, cap);
	p->out[p->n++] = (struct packet){
	        .t_ns = t_ns, .data = to, .cap_bytes = cap, .wire_bytes = h->len};
}

static int dispatch(struct pcap_source *p, uint32_t max)
{
	return pcap_dispatch(
	        p->pcap, max < BATCH_PACKETS ? (int)max : BATCH_PACKETS, copy, (u_char *)p);
}

static int pcap_source_poll(struct source *s, uint32_t queue, struct packet *out, uint32_t max,
        int timeout_ms, struct err *e)
{
	struct pcap_source *p = self_of(s);
	struct pollfd fd = {.fd = pcap_get_selectable_fd(p->pcap), .events = POLLIN};
	int r;

	(void)queue;
	p->n = 0;
	p->out = out;
	r = p->ended ? 0 : dispatch(p, max);
	/* Its own timeout does not end a wait for the first packet. */
	if (!r && !p->ended && timeout_ms && poll(&fd, 1, timeout_ms) > 0)
		r = dispatch(p, max);
	if (r < 0 && r != PCAP_ERROR_BREAK)
		return failed(p, r, e);
	p->received += p->n;
	return (int)p->n;
}

static void pcap_source_release(struct source *s, uint32_t queue)
{
	(void)s;
	(void)queue; /* a batch is copies */
}

/* A filter that takes nothing would empty libpcap's ring: the end is a time. */
static void pcap_source_halt(struct source *s)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_REALTIME, &t); /* cannot fail */
	atomic_store(&self_of(s)->halt_ns, t.tv_sec * NS_PER_S + t.tv_nsec);
}

static void pcap_source_stats(struct source *s, uint32_t queue, struct source_stats *out)
{
	struct pcap_source *p = self_of(s);
	struct pcap_stat stat;

	(void)queue;
	if (!pcap_stats(p->pcap, &stat))
		p->stat = stat;
	*out = (struct source_stats){.received = p->received,
	        .dropped = p->stat.ps_drop,
	        .dropped_by_interface = p->stat.ps_ifdrop};
}

const struct source_ops source_pcap = {
        .name = "pcap",
        .counts_losses = true,
        .open = pcap_source_open,
        .describe = pcap_source_describe,
        .poll = pcap_source_poll,
        .release = pcap_source_release,
        .halt = pcap_source_halt,
        .stats = pcap_source_stats,
        .close = pcap_source_close,
};
