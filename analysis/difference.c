/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/difference.h"

#include "analysis/human.h"
#include "analysis/number.h"
#include "analysis/put.h"
#include "analysis/summary_keys.h"
#include "dataplane/base/check.h"

/* As people ask for them; those without a value in both runs are left out. */
static const struct row {
	const char *name, *key;
	bool always; /* also where both are 0 */
} rows[] = {
        {"messages completed", "messages.completed", true},
        {"messages failed", "messages.failed", false},
        {"goodput", "goodput_bps", true},
        {"busbw Gbps", "collective.busbw_gbps", false},
        {"FCT us p50", "fct_us.p50", true},
        {"FCT us p90", "fct_us.p90", true},
        {"FCT us p99", "fct_us.p99", true},
        {"FCT us p99.9", "fct_us.p99_9", true},
        {"FCT us max", "fct_us.max", true},
        {"net FCT us p99", "net_fct_us.p99", false},
        {"slowdown p50", "slowdown.p50", true},
        {"slowdown p99", "slowdown.p99", true},
        {"CE marked packets", "ecn.marked_packets", true},
        {"CE share", "ecn.marked_fraction", true},
        {"CNPs sent", "cnp.sent", true},
        {"rate cuts", "rate.cuts", true},
        {"pause frames", "pfc.pause_frames", true},
        {"paused us", "pfc.paused_us", true},
        {"queue bytes max", "queue_bytes.max", true},
        {"drops", "drops.total", true},
        {"drops lossless", "drops.lossless", false},
        {"retransmitted packets", "retransmits.packets", false},
        {"timeouts", "retransmits.timeouts", false},
        {"deadlocks", "deadlock.cycles", false},
};

static const char *text(char buf[NUMBER_LEN], const struct summary_key *k, int64_t raw)
{
	const int decimals = summary_key_decimals(k);
	int64_t cut = 1;

	if (raw == STATS_NULL)
		return "-";
	if (decimals == 0)
		return number_grouped(buf, raw);
	if (decimals == 6 && raw < INT64_MAX / 2) /* to a thousandth: these are times */
		cut = 1000;
	return number_fixed(
	        buf, cut == 1 ? raw : (raw + cut / 2) / cut, cut == 1 ? decimals : 3);
}

static const char *change(char buf[NUMBER_LEN], int64_t a, int64_t b)
{
	if (a == STATS_NULL || b == STATS_NULL)
		return "";
	if (a == b)
		return "same";
	if (!a)
		return "from none";
	(void)snprintf(buf, NUMBER_LEN, "%+.1f %%",
	        100.0 * ((double)b - (double)a) / (a < 0 ? -(double)a : (double)a));
	return buf;
}

static void write_row(FILE *f, const struct row *row, const struct run_summary *base,
        const struct run_summary *other)
{
	const char *nearest;
	const struct summary_key *k = summary_key_find(row->key, &nearest);
	char x[NUMBER_LEN], y[NUMBER_LEN], c[NUMBER_LEN];
	int64_t a, b;

	CHECK(k);
	a = summary_key_raw(k, base);
	b = summary_key_raw(k, other);
	if (a == STATS_NULL && b == STATS_NULL)
		return;
	if (!row->always && (a == 0 || a == STATS_NULL) && (b == 0 || b == STATS_NULL))
		return;
	put(f, "%-22s %18s %18s  %s\n", row->name, text(x, k, a), text(y, k, b),
	        change(c, a, b));
}

void difference_write(FILE *f, const struct run_summary *base, const struct run_summary *other,
        const char *base_name, const char *other_name)
{
	put(f, "%-22s %18s %18s  change\n", "", base_name, other_name);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		write_row(f, &rows[i], base, other);
}
