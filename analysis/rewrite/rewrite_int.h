/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of rewriting share: names, PSN shifts, and the one packet that is in work. */
#ifndef REWRITE_REWRITE_INT_H
#define REWRITE_REWRITE_INT_H

#include "analysis/rewrite/pseudonym.h"
#include "analysis/rewrite/rewrite.h"
#include "analysis/trace/trace_result.h"
#include "dataplane/wire/frame.h"

struct psn_shifts;

struct rewriter {
	const struct rewrite_options *o;
	struct rewrite_result *result;
	struct pseudonyms *names;  /* NULL unless anonymised */
	struct psn_shifts *shifts; /* NULL: PSNs stay */
};

static inline bool hides(const struct rewriter *w, enum rewrite_keep what)
{
	return w->o->anonymize && !(w->o->keep & what);
}

/* rewrite.c: -EINTR once the caller wants it to end. */
NODISCARD int rewrite_stopped(const struct rewriter *w, struct err *e);

/* names.c: in place; what is neither mapped nor anonymised stays. */
void name_ipv4(const struct rewriter *w, uint8_t ip[4]);
void name_ipv6(const struct rewriter *w, uint8_t ip[16]);
void name_mac(const struct rewriter *w, uint8_t mac[6]);
void name_lid(const struct rewriter *w, uint8_t lid[2]);
uint32_t name_qpn(const struct rewriter *w, uint32_t qpn);
uint32_t name_rkey(const struct rewriter *w, uint32_t rkey);
uint32_t name_qkey(const struct rewriter *w, uint32_t qkey);
uint64_t name_va(const struct rewriter *w, uint32_t rkey, uint64_t va);
uint16_t name_port(const struct rewriter *w, uint16_t port);

/* psn_shifts.c: how far PSNs move, by flow, under the names that the capture has. */
NODISCARD int psn_shifts_open(
        struct psn_shifts **s, const struct rewriter *w, const char *in, struct err *e);
void psn_shifts_close(struct psn_shifts *s);
/* Of requests from src to dst's QP. */
uint32_t psn_shift(const struct rewriter *w, const struct trace_addr *src,
        const struct trace_addr *dst, uint32_t dqp);
/* Of the packet's own PSN, whichever direction's it is. */
uint32_t psn_shift_of(const struct rewriter *w, const struct frame *f);
void frame_ends(const struct frame *f, struct trace_addr *src, struct trace_addr *dst);

/* management.c: datagrams to QP 0 and 1; the payload that was captured. */
void rewrite_management(
        const struct rewriter *w, const struct frame *f, uint8_t *payload, uint32_t bytes);

/* frame.c: in place; false: it is to be left out. */
bool rewrite_frame(struct rewriter *w, uint32_t link, uint8_t *data, uint32_t cap_bytes,
        uint32_t wire_bytes);

/* checksums.c: what was right before and can be known is right again. */
struct sums {
	enum icrc_verdict icrc;
	uint32_t icrc_wrong_by; /* exclusive or with the right one */
	uint16_t ip_wrong_by;   /* one's complement difference */
	bool udp_checkable, udp_there;
	uint16_t udp_wrong_by;
};
void sums_before(struct sums *s, const struct frame *f);
/* f: parsed again, after the change. */
void sums_after(const struct sums *s, const struct frame *f, uint8_t *data);
/* Adds the change of bytes under a checksum of the Internet (RFC 1624). */
uint16_t sum_changed(uint16_t sum, const uint8_t *before, const uint8_t *after, uint32_t bytes);

#endif
