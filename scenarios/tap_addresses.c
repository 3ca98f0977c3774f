/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses of simulated hosts. IPv4: 198.19.0.0/16, the upper half of the block for benchmarks
 * (RFC 2544, 198.18.0.0/15), holds all 65,535 of them and host N is 198.19.(N / 256).(N % 256);
 * IPv6: 2001:2::1:N of the block of RFC 5180. MACs are locally administered.
 */
#include <string.h>

#include "scenarios/tap_frames.h"

void tap_host_mac(uint8_t mac[6], uint32_t host)
{
	const uint8_t m[6] = {0x02, 0x5c, 0xa1, 0, (uint8_t)(host >> 8), (uint8_t)host};

	memcpy(mac, m, 6);
}

void tap_port_mac(uint8_t mac[6], const struct topo *t, uint32_t node, uint16_t port)
{
	const uint32_t i = t->node[node].first_port + port;
	const uint8_t m[6] = {
	        0x02, 0x5c, 0xa2, (uint8_t)(i >> 16), (uint8_t)(i >> 8), (uint8_t)i};

	if (node < t->n_hosts)
		tap_host_mac(mac, node);
	else
		memcpy(mac, m, 6);
}

void tap_host_ip(uint8_t ip[16], uint8_t version, uint32_t host)
{
	memset(ip, 0, 16);
	if (version == 4) {
		ip[0] = 198;
		ip[1] = 19;
		ip[2] = (uint8_t)(host >> 8);
		ip[3] = (uint8_t)host;
	} else {
		ip[0] = 0x20;
		ip[1] = 0x01;
		ip[3] = 0x02;
		ip[13] = 1;
		ip[14] = (uint8_t)(host >> 8);
		ip[15] = (uint8_t)host;
	}
}
