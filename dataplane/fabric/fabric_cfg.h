/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a scenario says about the fabric, in canonical units, filled through the rows of
 * fabric_knobs.c. Plain data, constant after validation.
 */
#ifndef FABRIC_CFG_H
#define FABRIC_CFG_H

#include <stddef.h>
#include <stdint.h>

#include "dataplane/base/knob.h"

enum topo_kind {
	TOPO_STAR,
	TOPO_DUMBBELL,
	TOPO_LEAF_SPINE,
	TOPO_FILE,
	TOPO_FAT_TREE,
	TOPO_RAIL
};

#define TOPO_AUTO       (-1) /* a count that follows from the others */
#define TOPO_RATIO_AUTO 0    /* whatever the counts make */
#define TOPO_AS_FABRIC  (-1) /* core_link: as fabric_link */

/* fabric.topology, fabric.host_link, fabric.fabric_link, fabric.core_link */
struct topo_cfg {
	int64_t kind;     /* enum topo_kind */
	int64_t hosts;    /* star, leaf-spine: total; dumbbell: total, first half left */
	int64_t leaves;   /* leaf-spine */
	int64_t spines;   /* leaf-spine, rail; or TOPO_AUTO */
	const char *file; /* kind: file; relative to the scenario */
	int64_t host_rate_bps, host_delay_ps;
	int64_t fabric_rate_bps, fabric_delay_ps;
	/* fat-tree; each or TOPO_AUTO */
	int64_t k, pods, hosts_per_pod, edges_per_pod, aggregations_per_pod;
	int64_t cores;                 /* in all */
	int64_t nodes;                 /* rail: machines, of `rails` hosts each */
	int64_t rails, nodes_per_unit; /* nodes_per_unit: or TOPO_AUTO */
	int64_t oversubscription_q32;  /* or TOPO_RATIO_AUTO */
	int64_t core_oversubscription_q32;
	int64_t core_rate_bps, core_delay_ps; /* fat-tree; or TOPO_AS_FABRIC */
};

enum ecn_point { ECN_DEQUEUE, ECN_ENQUEUE };
enum ecn_non_ect { NON_ECT_DROP, NON_ECT_PASS };
enum scheduler_unit { SCHEDULE_BYTES, SCHEDULE_PACKETS };
enum load_balancing { BALANCE_ECMP, BALANCE_SPRAY, BALANCE_ADAPTIVE };
enum watchdog_action { WATCHDOG_DROP, WATCHDOG_FORWARD, WATCHDOG_ALERT };
enum forwarding { FORWARD_STORE, FORWARD_CUT_THROUGH };

#define PFC_HEADROOM_AUTO     (-1) /* our own bound, headroom.h */
#define PFC_RESPONSE_STANDARD (-1) /* pause_response_quanta() */
#define PFC_NEVER_EXPIRES     (-1)
#define ECN_NOT_STRICT        (-1) /* every priority that is not strict */
#define WATCHDOG_OFF          0

/* fabric.switch: one value for each key; ports of one switch may differ through overrides. */
struct switch_cfg {
	/* of the switch */
	int64_t buffer_bytes;
	int64_t cell_bytes;     /* 0: byte-exact */
	int64_t latency_ps;     /* pipeline, before admission */
	int64_t forwarding;     /* enum forwarding */
	int64_t load_balancing; /* enum load_balancing */
	int64_t flowlet_gap_ps; /* adaptive; 0: packet by packet */
	/* of the port */
	int64_t ecn_enabled;
	int64_t ecn_kmin_bytes, ecn_kmax_bytes, ecn_pmax_q32;
	int64_t ecn_point;          /* enum ecn_point */
	int64_t ecn_priorities;     /* bit mask, or ECN_NOT_STRICT */
	int64_t ecn_non_ect;        /* enum ecn_non_ect */
	int64_t ecn_average_q32;    /* weight; 0: the queue as it is */
	int64_t pfc_priorities;     /* bit mask; the others are lossy */
	int64_t pfc_alpha_q32;      /* dynamic threshold of lossless ingress */
	int64_t pfc_reserve_bytes;  /* guaranteed per port and priority in use */
	int64_t pfc_headroom_bytes; /* per port and lossless priority, or PFC_HEADROOM_AUTO */
	int64_t pfc_xon_offset_bytes;
	int64_t pfc_response_ps; /* how long the peer takes to stop, or PFC_RESPONSE_STANDARD */
	int64_t pfc_quanta;      /* pause time asked for, or PFC_NEVER_EXPIRES */
	int64_t pfc_refresh_percent; /* of the pause time, then XOFF is sent again; 0: never */
	int64_t watchdog_detect_ps;  /* or WATCHDOG_OFF */
	int64_t watchdog_restore_ps;
	int64_t watchdog_poll_ps;      /* 0: exact */
	int64_t watchdog_action;       /* enum watchdog_action */
	int64_t watchdog_drop_ingress; /* drop: what arrives at the port too */
	int64_t lossy_alpha_q32;       /* dynamic threshold of a lossy egress queue */
	int64_t strict_priorities;     /* bit mask, highest number first, before all others */
	int64_t scheduler_unit;        /* enum scheduler_unit */
	int64_t weights[8];            /* DWRR weights of the others */
	int64_t defect;                /* enum fabric_defect, defect.h */
};

/* fabric.frame: byte counts on the wire. Defaults: RoCEv2 over IPv4 and untagged Ethernet. */
struct frame_cfg {
	int64_t header_bytes; /* Ethernet 14 + IPv4 20 + UDP 8 + BTH 12 + ICRC 4 */
	int64_t reth_bytes;   /* more in the first packet of a WRITE */
	int64_t ack_bytes, cnp_bytes, pfc_bytes;
	int64_t min_bytes; /* shorter data frames are padded to this */
	int64_t pad; /* 1: payload is padded to four bytes (IBTA 9.2.3, PadCnt of the BTH) */
	int64_t fcs_bytes;      /* counted by buffers and by the wire */
	int64_t gap_bytes;      /* preamble and inter-frame gap: counted by the wire only */
	int64_t path_mtu_bytes; /* payload per packet */
	int64_t time_step_ps;   /* serialisation times are rounded down to this; 1: exact */
};

/* With its padding. */
static inline int64_t frame_payload_bytes(const struct frame_cfg *f, int64_t payload_bytes)
{
	return f->pad ? (payload_bytes + 3) & ~INT64_C(3) : payload_bytes;
}

/* fabric_knobs: fabric.path_mtu, into struct frame_cfg as frame_knobs are. */
extern const struct knob_group fabric_knobs, topo_knobs, host_link_knobs, fabric_link_knobs,
        core_link_knobs, switch_knobs, frame_knobs;

#endif
