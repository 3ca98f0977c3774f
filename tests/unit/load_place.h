/* SPDX-License-Identifier: Apache-2.0 */
/* A place for workloads in tests: hosts at one rate, standard frames, every cfg key at its
 * default. */
#ifndef TESTS_LOAD_PLACE_H
#define TESTS_LOAD_PLACE_H

#include "dataplane/base/units.h"
#include "gen/load/load.h"

#define PLACE_MAX_HOSTS    128
#define PLACE_RATE_BPS     INT64_C(100000000000)
#define PLACE_HEADER_BYTES 82 /* 58 of RoCEv2 over IPv4, FCS 4, preamble and gap 20 */

struct load_place {
	int64_t rate_bps[PLACE_MAX_HOSTS];
	struct load_env env;
};

static inline void load_place_init(struct load_place *p, uint32_t n_hosts)
{
	for (uint32_t h = 0; h < PLACE_MAX_HOSTS; h++)
		p->rate_bps[h] = PLACE_RATE_BPS;
	p->env = (struct load_env){
	        .n_hosts = n_hosts,
	        .seed = 1,
	        .stop_ps = TIME_NEVER,
	        .path_mtu_bytes = 1024,
	        .header_wire_bytes = PLACE_HEADER_BYTES,
	        .message_wire_bytes = 16,
	        .host_rate_bps = p->rate_bps,
	};
}

static inline struct load_cfg load_cfg_default(enum load_pattern_kind pattern)
{
	return (struct load_cfg){
	        .pattern = pattern,
	        .message_bytes = 1000000,
	        .share = 1,
	        .receivers = 1,
	        .slowdown_q32 = Q32_ONE,
	        .on_ps = 100 * PS_PER_US,
	        .off_ps = 100 * PS_PER_US,
	        .zipf_q32 = Q32_ONE,
	        .hot_ranks = 1,
	        .hot_share_q32 = Q32_ONE / 2,
	        .buffer_bytes = 1000000,
	        .channels = 1,
	        .slices = 2,
	        .in_flight = 8,
	        .repeat = 1,
	        .senders = LOAD_SENDERS_ALL,
	        .qps = 1,
	        .priority = -1,
	        .dscp = -1,
	        .load_q32 = Q32_ONE / 2,
	        .calc_unit_ps = 1000,
	};
}

#endif
