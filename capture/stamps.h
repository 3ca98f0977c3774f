/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who stamps the packets of a kernel interface: what its driver can (ETHTOOL_GET_TS_INFO), what
 * was asked for, and what follows. Cold.
 *
 * Source: Linux Documentation/networking/timestamping.rst
 */
#ifndef CAPTURE_STAMPS_H
#define CAPTURE_STAMPS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/source.h"

struct stamps_abilities {
	uint32_t so_timestamping; /* SOF_TIMESTAMPING_* */
	uint32_t rx_filters;      /* bits of HWTSTAMP_FILTER_* */
	int phc_index;            /* -1: none */
};

struct stamps_choice {
	bool hardware;
	int rx_filter; /* HWTSTAMP_FILTER_* to set */
	int phc_index; /* -1: none */
};

/* -EOPNOTSUPP with reason and advice where hardware was asked for and cannot be had. */
NODISCARD int stamps_choose(struct stamps_choice *out, const struct stamps_abilities *can,
        enum capture_stamps asked, const char *device, struct err *e);

/* Reads the abilities of an interface through any socket. */
void stamps_read(struct stamps_abilities *out, int fd, const char *device);

/* Switches the driver's stamps on and makes a packet socket deliver the chosen ones. Falls back
 * to software stamps where any are fine and the driver refuses. */
NODISCARD int stamps_enable(struct stamps_choice *c, int fd, const char *device,
        enum capture_stamps asked, struct err *e);

#endif
