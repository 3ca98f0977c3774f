/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How one NIC behaves apart from its configuration: what goes wrong with NICs in production.
 * Set as a whole by rnic_behave at any time of the run; the packet path asks for none of it
 * while a NIC is healthy.
 */
#ifndef RNIC_BEHAVIOUR_H
#define RNIC_BEHAVIOUR_H

#include <stdbool.h>
#include <stdint.h>

#define RNIC_AS_CONFIGURED (-1)

struct rnic_behaviour {
	/* The host takes packets from the receive buffer at this rate, in bit/s on the wire; 0:
	 * it hangs. */
	int64_t receive_rate_bps;
	int64_t pfc_delay_ps;    /* beyond the response time, before a pause takes effect */
	int64_t cnp_interval_ps; /* in place of np.min_time_between_cnps */
	/* PFC frames that no queue asked for: an XOFF of so many quanta for the classes of
	 * storm_classes, now and every storm_interval_ps. */
	int64_t storm_interval_ps;
	uint16_t storm_quanta; /* 1 .. 65535 */
	uint8_t storm_classes; /* 0: none */
	bool pfc_ignored;      /* never pauses; a pause that runs ends */
	int8_t data_priority;  /* of the data of every QP */
	int8_t cnp_priority;
	uint16_t source_port; /* one UDP source port for all QPs; 0: each has its own */
};

static inline struct rnic_behaviour rnic_behaviour_healthy(void)
{
	return (struct rnic_behaviour){
	        .receive_rate_bps = RNIC_AS_CONFIGURED,
	        .cnp_interval_ps = RNIC_AS_CONFIGURED,
	        .data_priority = RNIC_AS_CONFIGURED,
	        .cnp_priority = RNIC_AS_CONFIGURED,
	};
}

#endif
