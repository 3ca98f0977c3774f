/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/frame_specs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/base/rng.h"
#include "dataplane/wire/opcode.h"

static void bytes(struct rng *r, uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)rng_next(r);
}

static void random_link(struct frame_spec *s, struct rng *r)
{
	static const uint16_t tpids[] = {0x8100, 0x88a8, 0x9100};

	s->roce_v1 = rng_below(r, 5) == 0;
	s->ip_version = s->roce_v1 || rng_below(r, 2) ? 6 : 4;
	s->n_vlan = (uint8_t)rng_below(r, 3);
	for (int i = 0; i < s->n_vlan; i++) {
		s->vlan[i].tpid = tpids[rng_below(r, 3)];
		s->vlan[i].tci = (uint16_t)rng_next(r);
	}
	bytes(r, s->src.mac, 6);
	bytes(r, s->dst.mac, 6);
	bytes(r, s->src.ip, s->ip_version == 4 ? 4 : 16);
	bytes(r, s->dst.ip, s->ip_version == 4 ? 4 : 16);
	s->dscp = rng_next(r) & 63;
	s->ecn = rng_next(r) & 3;
	s->ttl = (uint8_t)rng_next(r);
	s->ip_id = (uint16_t)rng_next(r);
	s->dont_fragment = rng_next(r) & 1;
	s->flow_label = rng_next(r) & 0xfffff;
	s->sport = (uint16_t)rng_next(r);
}

static void random_transport(struct frame_spec *s, struct rng *r)
{
	s->solicited = rng_next(r) & 1;
	s->migreq = rng_next(r) & 1;
	s->ack_req = rng_next(r) & 1;
	s->fecn = rng_next(r) & 1;
	s->becn = rng_next(r) & 1;
	s->tver = rng_next(r) & 15;
	s->pkey = (uint16_t)rng_next(r);
	s->dqp = rng_next(r) & 0xffffff;
	s->psn = rng_next(r) & 0xffffff;
	s->reth_va = rng_next(r);
	s->reth_rkey = (uint32_t)rng_next(r);
	s->reth_bytes = (uint32_t)rng_next(r);
	s->aeth_syndrome = (uint8_t)rng_next(r);
	s->aeth_msn = rng_next(r) & 0xffffff;
	s->deth_qkey = (uint32_t)rng_next(r);
	s->deth_src_qp = rng_next(r) & 0xffffff;
	s->atomic_va = rng_next(r);
	s->atomic_swap_add = rng_next(r);
	s->atomic_compare = rng_next(r);
	s->atomic_ack = rng_next(r);
	s->imm = (uint32_t)rng_next(r);
	s->ieth_rkey = (uint32_t)rng_next(r);
	s->xrceth_srq = rng_next(r) & 0xffffff;
	s->rdeth_eecn = rng_next(r) & 0xffffff;
	s->feth = (uint32_t)rng_next(r);
}

struct frame_spec frame_spec_random(
        uint64_t seed, uint8_t opcode, uint8_t payload[FRAME_SPEC_PAYLOAD_BYTES])
{
	struct rng r = rng_make(seed, opcode, RNG_LOAD);
	struct frame_spec s = {.opcode = opcode};

	random_link(&s, &r);
	random_transport(&s, &r);
	if (opcode_table[opcode].flags & OPCODE_PAYLOAD) {
		s.payload_bytes = (uint32_t)rng_below(
		        &r, rng_below(&r, 2) ? 64 : FRAME_SPEC_PAYLOAD_BYTES + 1);
		bytes(&r, payload, s.payload_bytes);
		s.payload = payload;
	}
	return s;
}

static void compare_link(const struct frame_spec *s, const struct frame *f)
{
	const uint8_t *mac = f->data + f->l2_at;

	assert_int_equal(f->kind, s->roce_v1 ? FRAME_ROCE_V1 : FRAME_ROCE_V2);
	assert_int_equal(f->ip_version, s->ip_version);
	assert_int_equal(f->n_vlan, s->n_vlan);
	for (int i = 0; i < s->n_vlan; i++) {
		assert_int_equal(f->vlan[i].tpid, s->vlan[i].tpid);
		assert_int_equal(f->vlan[i].tci, s->vlan[i].tci);
	}
	assert_memory_equal(mac, s->dst.mac, 6);
	assert_memory_equal(mac + 6, s->src.mac, 6);
	assert_memory_equal(f->src, s->src.ip, 16);
	assert_memory_equal(f->dst, s->dst.ip, 16);
	assert_int_equal(f->dscp, s->dscp);
	assert_int_equal(f->ecn, s->ecn);
	assert_int_equal(f->ttl, s->ttl);
	if (s->ip_version == 4)
		assert_int_equal(f->ip_id, s->ip_id);
	else
		assert_int_equal(f->flow_label, s->flow_label);
	if (!s->roce_v1)
		assert_int_equal(f->sport, s->sport);
}

static void compare_bth(const struct frame_spec *s, const struct frame *f)
{
	assert_int_equal(f->opcode, s->opcode);
	assert_int_equal(f->solicited, s->solicited);
	assert_int_equal(f->migreq, s->migreq);
	assert_int_equal(f->ack_req, s->ack_req);
	assert_int_equal(f->fecn, s->fecn);
	assert_int_equal(f->becn, s->becn);
	assert_int_equal(f->tver, s->tver);
	assert_int_equal(f->pkey, s->pkey);
	assert_int_equal(f->dqp, s->dqp);
	assert_int_equal(f->psn, s->psn);
	assert_int_equal(f->pad, -s->payload_bytes & 3);
}

static void compare_extended(const struct frame_spec *s, const struct frame *f)
{
	if (f->has & FRAME_HAS_RETH) {
		assert_int_equal(f->reth_va, s->reth_va);
		assert_int_equal(f->reth_bytes, s->reth_bytes);
	}
	if (f->has & (FRAME_HAS_RETH | FRAME_HAS_ATOMIC_ETH))
		assert_int_equal(f->reth_rkey, s->reth_rkey);
	if (f->has & FRAME_HAS_ATOMIC_ETH) {
		assert_int_equal(f->atomic_va, s->atomic_va);
		assert_int_equal(f->atomic_swap_add, s->atomic_swap_add);
		assert_int_equal(f->atomic_compare, s->atomic_compare);
	}
	if (f->has & FRAME_HAS_AETH) {
		assert_int_equal(f->aeth_syndrome, s->aeth_syndrome);
		assert_int_equal(f->aeth_msn, s->aeth_msn);
	}
	if (f->has & FRAME_HAS_DETH) {
		assert_int_equal(f->deth_qkey, s->deth_qkey);
		assert_int_equal(f->deth_src_qp, s->deth_src_qp);
	}
	if (f->has & FRAME_HAS_ATOMIC_ACK_ETH)
		assert_int_equal(f->atomic_ack, s->atomic_ack);
	if (f->has & FRAME_HAS_IMM)
		assert_int_equal(f->imm, s->imm);
	if (f->has & FRAME_HAS_IETH)
		assert_int_equal(f->ieth_rkey, s->ieth_rkey);
	if (f->has & FRAME_HAS_XRCETH)
		assert_int_equal(f->xrceth_srq, s->xrceth_srq);
	if (f->has & FRAME_HAS_RDETH)
		assert_int_equal(f->rdeth_eecn, s->rdeth_eecn);
	if (f->has & FRAME_HAS_FETH)
		assert_int_equal(f->feth, s->feth);
}

void frame_spec_compare(const struct frame_spec *s, const struct frame *f)
{
	compare_link(s, f);
	compare_bth(s, f);
	compare_extended(s, f);
	assert_int_equal(f->payload_bytes, s->payload_bytes);
	if (s->payload_bytes)
		assert_memory_equal(f->data + f->payload_at, s->payload, s->payload_bytes);
}
