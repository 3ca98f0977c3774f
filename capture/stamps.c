/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/stamps.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_packet.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#define HARDWARE_BITS (SOF_TIMESTAMPING_RX_HARDWARE | SOF_TIMESTAMPING_RAW_HARDWARE)
#define ADVICE        "take the kernel's with --timestamps software, or the best there are with any"

static int without_hardware(struct stamps_choice *out, enum capture_stamps asked,
        const char *device, const char *why, struct err *e)
{
	*out = (struct stamps_choice){.phc_index = -1};
	if (asked != STAMPS_HARDWARE)
		return 0;
	return err_set(e, -EOPNOTSUPP, "%s: no hardware timestamps: %s; " ADVICE, device, why);
}

int stamps_choose(struct stamps_choice *out, const struct stamps_abilities *can,
        enum capture_stamps asked, const char *device, struct err *e)
{
	if (asked == STAMPS_SOFTWARE) {
		*out = (struct stamps_choice){.phc_index = -1};
		return 0;
	}
	if ((can->so_timestamping & HARDWARE_BITS) != HARDWARE_BITS)
		return without_hardware(out, asked, device,
		        "its driver reports none for received packets (ethtool -T)", e);
	/* Every packet, not PTP's alone: RoCE is none of PTP's ports. */
	if (!(can->rx_filters & 1u << HWTSTAMP_FILTER_ALL))
		return without_hardware(out, asked, device,
		        "its driver stamps PTP packets only (ethtool -T: no filter \"all\")",
		        e);
	if (can->phc_index < 0)
		return without_hardware(out, asked, device,
		        "its driver names no clock that they could be read against (ethtool "
		        "-T: PTP Hardware Clock)",
		        e);
	*out = (struct stamps_choice){.hardware = true,
	        .rx_filter = HWTSTAMP_FILTER_ALL,
	        .phc_index = can->phc_index};
	return 0;
}

void stamps_read(struct stamps_abilities *out, int fd, const char *device)
{
	struct ethtool_ts_info info = {.cmd = ETHTOOL_GET_TS_INFO, .phc_index = -1};
	struct ifreq request = {0};

	*out = (struct stamps_abilities){.phc_index = -1};
	(void)strncpy(request.ifr_name, device, IFNAMSIZ - 1);
	request.ifr_data = (char *)&info;
	if (ioctl(fd, SIOCETHTOOL, &request))
		return; /* an old driver: it can nothing */
	out->so_timestamping = info.so_timestamping;
	out->rx_filters = info.rx_filters;
	out->phc_index = info.phc_index;
}

/* The setting belongs to the device and outlives us: one that fits already is left alone. */
static int switch_on(const struct stamps_choice *c, int fd, const char *device)
{
	struct hwtstamp_config config = {0};
	struct ifreq request = {0};
	int tx_type = HWTSTAMP_TX_OFF;

	(void)strncpy(request.ifr_name, device, IFNAMSIZ - 1);
	request.ifr_data = (char *)&config;
	if (!ioctl(fd, SIOCGHWTSTAMP, &request)) {
		if (config.rx_filter == c->rx_filter)
			return 0;
		tx_type = config.tx_type; /* ptp4l may need it */
	}
	config = (struct hwtstamp_config){.tx_type = tx_type, .rx_filter = c->rx_filter};
	if (ioctl(fd, SIOCSHWTSTAMP, &request))
		return -errno;
	return config.rx_filter == HWTSTAMP_FILTER_ALL ? 0 : -ERANGE;
}

static int deliver(int fd, int flags)
{
	/* Without SO_TIMESTAMPING the ring has stamps of microseconds at times and no flag. */
	if (setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof(flags)) ||
	        setsockopt(fd, SOL_PACKET, PACKET_TIMESTAMP, &flags, sizeof(flags)))
		return -errno;
	return 0;
}

int stamps_enable(struct stamps_choice *c, int fd, const char *device,
        enum capture_stamps asked, struct err *e)
{
	int r;

	if (c->hardware) {
		r = switch_on(c, fd, device);
		if (!r)
			r = deliver(fd, HARDWARE_BITS | SOF_TIMESTAMPING_RX_SOFTWARE |
			                        SOF_TIMESTAMPING_SOFTWARE);
		if (!r)
			return 0;
		r = without_hardware(c, asked, device,
		        r == -EPERM    ? "switching them on needs CAP_NET_ADMIN: run as root"
		        : r == -ERANGE ? "its driver accepted less than all packets"
		                       : strerror(-r),
		        e);
		if (r)
			return r;
	}
	r = deliver(fd, SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE);
	return r ? err_set(e, r, "%s: timestamps: %s", device, strerror(-r)) : 0;
}
