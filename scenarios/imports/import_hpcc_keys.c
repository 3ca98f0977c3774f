/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/imports/import_hpcc_keys.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "dataplane/base/units.h"
#include "scenarios/imports/import_hpcc_text.h"

int hpcc_set(struct scenario *s, const struct hpcc_config *c, enum hpcc_key from, struct err *e,
        const char *key, const char *fmt, ...)
{
	char value[256], where[600];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(value, sizeof(value), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(value))
		return err_set(e, -EINVAL, "%s: the value of %s is too long", c->path, key);
	if (c->line[from])
		(void)snprintf(where, sizeof(where), "%s:%u", c->path, c->line[from]);
	else
		(void)snprintf(where, sizeof(where), "%s", c->path);
	return scenario_set_key(s, key, value, where, e);
}

/* Config keys that are one key of ours each. Times are microseconds there, cut to whole ones.
 */
static const struct {
	enum hpcc_key from;
	const char *key;
	enum { AS_BYTES, AS_COUNT, AS_BOOL, AS_RATE, AS_US } as;
} one_to_one[] = {
        {HPCC_PACKET_PAYLOAD_SIZE, "fabric.path_mtu", AS_BYTES},
        {HPCC_ENABLE_QCN, "fabric.switch.ecn.enabled", AS_BOOL},
        {HPCC_VAR_WIN, "fabric.nic.window_scales_with_rate", AS_BOOL},
        {HPCC_ALPHA_RESUME_INTERVAL, "fabric.nic.dcqcn.dce_tcp_rtt", AS_US},
        {HPCC_RATE_DECREASE_INTERVAL, "fabric.nic.dcqcn.rate_reduce_monitor_period", AS_US},
        {HPCC_CLAMP_TARGET_RATE, "fabric.nic.dcqcn.clamp_tgt_rate", AS_BOOL},
        {HPCC_RP_TIMER, "fabric.nic.dcqcn.rpg_time_reset", AS_US},
        {HPCC_FAST_RECOVERY_TIMES, "fabric.nic.dcqcn.rpg_threshold", AS_COUNT},
        {HPCC_RATE_AI, "fabric.nic.dcqcn.rpg_ai_rate", AS_RATE},
        {HPCC_RATE_HAI, "fabric.nic.dcqcn.rpg_hai_rate", AS_RATE},
        {HPCC_MIN_RATE, "fabric.nic.dcqcn.rpg_min_rate", AS_RATE},
};

static int set_one_to_one(struct scenario *s, const struct hpcc_config *c, struct err *e)
{
	static const char *const unit[] = {
	        [AS_BYTES] = "B", [AS_COUNT] = "", [AS_RATE] = "bps", [AS_US] = "us"};

	for (size_t i = 0; i < sizeof(one_to_one) / sizeof(one_to_one[0]); i++) {
		enum hpcc_key k = one_to_one[i].from;
		int64_t v = one_to_one[i].as == AS_US ? (int64_t)c->real[k] : c->count[k];
		int rc;

		if (one_to_one[i].as == AS_BOOL)
			rc = hpcc_set(s, c, k, e, one_to_one[i].key, "%s", v ? "on" : "off");
		else
			rc = hpcc_set(s, c, k, e, one_to_one[i].key, "%" PRId64 "%s", v,
			        unit[one_to_one[i].as]);
		if (rc)
			return rc;
	}
	return 0;
}

static uint8_t priorities_in_use(const struct hpcc_flows *f)
{
	uint8_t mask = 0;

	for (uint32_t i = 0; i < f->n; i++)
		mask |= (uint8_t)(1u << f->flow[i].priority);
	return mask;
}

static int set_priorities(
        struct scenario *s, const struct hpcc_config *c, uint8_t mask, struct err *e)
{
	char list[40] = "";
	int len = 0;

	for (int pr = 0; pr < 8; pr++)
		if (mask & (1u << pr))
			len += snprintf(list + len, sizeof(list) - (size_t)len, "%s%d",
			        len ? ", " : "", pr);
	return hpcc_set(s, c, HPCC_FLOW_FILE, e, "fabric.switch.pfc.priorities", "[%s]", list);
}

/* With ACK_HIGH_PRIO 0 a host there holds all its ACKs while class 3 is paused. */
static int set_ack_pause(struct scenario *s, const struct hpcc_config *c, uint8_t mask,
        struct import_notes *notes, struct err *e)
{
	bool obeys = !c->count[HPCC_ACK_HIGH_PRIO] && (mask & (1u << 3));

	if (obeys && mask != 1u << 3)
		import_note(notes,
		        "%s: ACK_HIGH_PRIO 0 with flows of several priorities: ACKs wait while "
		        "their "
		        "own class is paused, not while class 3 is",
		        c->path);
	return hpcc_set(s, c, HPCC_ACK_HIGH_PRIO, e, "fabric.nic.ack_obeys_pause", "%s",
	        obeys ? "on" : "off");
}

static int set_gain(struct scenario *s, const struct hpcc_config *c, struct err *e)
{
	char text[48];
	int64_t g_q32 = llround(c->real[HPCC_EWMA_GAIN] * (double)Q32_ONE);

	return hpcc_set(s, c, HPCC_EWMA_GAIN, e, "fabric.nic.dcqcn.g", "%s",
	        unit_format(text, sizeof(text), UNIT_FRACTION, g_q32));
}

int hpcc_set_keys(struct scenario *s, const struct hpcc_files *f, struct import_notes *notes,
        struct err *e)
{
	const struct hpcc_config *c = &f->config;
	uint8_t mask = priorities_in_use(&f->flows);
	int rc = set_one_to_one(s, c, e);

	if (!rc)
		rc = hpcc_set(s, c, HPCC_SIMULATOR_STOP_TIME, e, "stop.after", "%" PRId64 "ns",
		        hpcc_ns_from_real(c->real[HPCC_SIMULATOR_STOP_TIME], 1000000000));
	if (!rc)
		rc = set_gain(s, c, e);
	if (!rc)
		rc = set_priorities(s, c, mask, e);
	if (!rc)
		rc = set_ack_pause(s, c, mask, notes, e);
	if (!rc)
		rc = hpcc_set_ports(s, f, (uint32_t)__builtin_popcount(mask), e);
	return rc ? rc : hpcc_set_window(s, f, e);
}
