/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/phc.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/ptp_clock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/timex.h>
#include <unistd.h>

#define NS_PER_S INT64_C(1000000000)
/* Closer than this to UTC or TAI, a clock is steered: one that runs freely since power-up, or
 * was set by hand once, is not. */
#define STEERED_NS       (NS_PER_S / 1000)
#define TAI_SINCE_2017_S 37
#define DRIFT_MAX_PPT    INT64_C(1000000000) /* 1000 ppm: more is a step, not drift */
#define READINGS         9
#define SETTLE_US        50000

static bool near(int64_t a, int64_t b)
{
	int64_t d = a - b;

	return d < STEERED_NS && d > -STEERED_NS;
}

void phc_fit_begin(struct phc_fit *f, const struct phc_sample *s, int64_t tai_offset_s)
{
	int64_t ahead_ns = s->phc_ns - s->host_ns;
	int64_t tai_s = tai_offset_s ? tai_offset_s : TAI_SINCE_2017_S;

	f->phc_ns = s->phc_ns;
	f->drift_ppt = 0;
	f->residual_ns = -1;
	f->tai_offset_s = 0;
	if (near(ahead_ns, 0)) {
		f->kind = CLOCK_HARDWARE_PTP;
		f->scale = TIMESCALE_UTC;
		f->offset_ns = 0;
	} else if (near(ahead_ns, tai_s * NS_PER_S)) {
		f->kind = CLOCK_HARDWARE_PTP;
		f->scale = TIMESCALE_TAI;
		f->tai_offset_s = tai_s;
		f->offset_ns = -tai_s * NS_PER_S;
	} else {
		f->kind = CLOCK_HARDWARE_FREE;
		f->scale = TIMESCALE_UNKNOWN;
		f->offset_ns = -ahead_ns;
	}
}

void phc_fit_add(struct phc_fit *f, const struct phc_sample *s)
{
	int64_t since = s->phc_ns - f->phc_ns;
	int64_t off = s->host_ns - phc_to_utc(f, s->phc_ns), drift;

	if (f->kind != CLOCK_HARDWARE_FREE || since <= 0)
		return;
	/* From the offset at the last reading to the one now. */
	drift = (int64_t)((__int128)(s->host_ns - s->phc_ns - f->offset_ns) * 1000000000000 /
	                  since);
	if (f->residual_ns >= 0 || llabs(off) < STEERED_NS)
		f->residual_ns = llabs(off);
	f->drift_ppt = llabs(drift) < DRIFT_MAX_PPT ? drift : 0;
	f->offset_ns = s->host_ns - s->phc_ns;
	f->phc_ns = s->phc_ns;
}

void phc_clock(
        const struct phc_fit *f, const char *device, int index, struct capture_clock *out)
{
	*out = (struct capture_clock){.kind = f->kind,
	        .timescale = TIMESCALE_UTC, /* as the file has it */
	        .tai_offset_s = f->tai_offset_s,
	        .residual_ns = f->kind == CLOCK_HARDWARE_FREE ? f->residual_ns : -1};
	(void)snprintf(out->name, sizeof(out->name), "%.40s:phc%d", device, index);
}

int phc_read(const struct phc_fit *f, struct phc_sample *out)
{
	struct ptp_sys_offset offset = {.n_samples = READINGS};

	if (ioctl(f->fd, PTP_SYS_OFFSET, &offset))
		return -errno;
	out->window_ns = INT64_MAX;
	/* Host, clock, host, clock, ..., host: the narrowest pair of host times counts. */
	for (unsigned i = 0; i < READINGS; i++) {
		const struct ptp_clock_time *t = &offset.ts[2 * (size_t)i];
		int64_t at[3];

		for (int k = 0; k < 3; k++)
			at[k] = t[k].sec * NS_PER_S + t[k].nsec;
		if (at[2] - at[0] >= out->window_ns || at[2] < at[0])
			continue;
		out->window_ns = at[2] - at[0];
		out->host_ns = at[0] + out->window_ns / 2;
		out->phc_ns = at[1];
	}
	return out->window_ns == INT64_MAX ? -EAGAIN : 0;
}

static int64_t kernel_tai_offset_s(void)
{
	struct timex t = {0};

	return adjtimex(&t) < 0 ? 0 : t.tai;
}

int phc_open(struct phc_fit *f, int index, struct err *e)
{
	struct phc_sample s;
	char path[32];
	int r;

	(void)snprintf(path, sizeof(path), "/dev/ptp%d", index);
	f->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (f->fd < 0)
		return err_set(e, -errno, "%s: %s", path, strerror(errno));
	r = phc_read(f, &s);
	if (r) {
		phc_close(f);
		return err_set(e, r, "%s: cannot read the clock: %s", path, strerror(-r));
	}
	phc_fit_begin(f, &s, kernel_tai_offset_s());
	/* The second reading gives the drift, the third how good it is. */
	for (int i = 0; i < 2 && f->kind == CLOCK_HARDWARE_FREE; i++) {
		(void)usleep(SETTLE_US); /* shorter is less exact, not wrong */
		if (!phc_read(f, &s))
			phc_fit_add(f, &s);
	}
	return 0;
}

void phc_close(struct phc_fit *f)
{
	if (f->fd >= 0)
		(void)close(f->fd); /* only read */
	f->fd = -1;
}
