/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/qualify/qualify_facts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "dataplane/base/units.h"
#include "scenarios/qualify/qualify_asic.h"
#include "scenarios/qualify/qualify_run.h"

#define LIST_BYTES 40

/* Above it the loop of a pause is longer than the queues that the cases build in a short run.
 */
#define MAX_CABLE_PS (5 * PS_PER_US) /* 1 km */

static const struct {
	const char *name, *about, *lacks;
} fact[QFACT_N] = {
        [QFACT_LOSSLESS] = {"lossless", "All lossless priorities.", ""},
        [QFACT_LOSSY] = {"lossy", "All lossy priorities.",
                "needs a lossy priority, of which the switch has none"},
        [QFACT_TWO_LOSSLESS] = {"two-lossless", "Two lossless ones, or the only one.", ""},
        [QFACT_TWO_LOSSY] = {"two-lossy", "Two lossy ones, or the only one.",
                "needs a lossy priority, of which the switch has none"},
        [QFACT_LOSSLESS_1] = {"lossless-1", "A lossless priority.", ""},
        [QFACT_LOSSLESS_2] = {"lossless-2", "Another lossless one.",
                "needs two lossless priorities, of which the switch has one"},
        [QFACT_LOSSY_1] = {"lossy-1", "A lossy priority.",
                "needs a lossy priority, of which the switch has none"},
        [QFACT_LOSSY_2] = {"lossy-2", "Another lossy one.",
                "needs two lossy priorities, and the switch has not so many"},
        [QFACT_FREE] = {"free",
                "The highest priority that is neither lossless nor lossy; without one, the "
                "last of several lossy ones.",
                "needs a priority beside the lossless ones and one lossy one"},
        [QFACT_N_LOSSLESS] = {"n-lossless", "How many are lossless.", ""},
        [QFACT_RATE] = {"rate", "Of the switch's ports.", ""},
        [QFACT_CABLE] = {"cable", "Propagation between tester and switch.", ""},
};

int qualify_fact(const char *name, size_t len)
{
	for (int i = 0; i < QFACT_N; i++)
		if (strlen(fact[i].name) == len && !strncmp(fact[i].name, name, len))
			return i;
	return -1;
}

const char *qualify_fact_name(int i)
{
	return fact[i].name;
}

const char *qualify_fact_about(int i)
{
	return fact[i].about;
}

/* "[3, 4]": at most n priorities of the mask, from the lowest. */
static const char *list(char out[LIST_BYTES], int64_t mask, int n)
{
	size_t used = 0;

	out[used++] = '[';
	for (int p = 0; p < 8; p++)
		if ((mask >> p & 1) && n-- > 0)
			used += (size_t)snprintf(
			        out + used, LIST_BYTES - used, "%s%d", used > 1 ? ", " : "", p);
	(void)snprintf(out + used, LIST_BYTES - used, "]");
	return out;
}

/* The n-th priority of the mask, or -1. */
static int nth(int64_t mask, int n)
{
	for (int p = 0; p < 8; p++)
		if ((mask >> p & 1) && n-- == 0)
			return p;
	return -1;
}

static int free_priority(const struct qasic_cfg *a)
{
	for (int p = 7; p >= 0; p--)
		if (!((a->lossless | a->lossy) >> p & 1))
			return p;
	for (int p = 7; p >= 0 && nth(a->lossy, 1) >= 0; p--)
		if (a->lossy >> p & 1)
			return p;
	return -1;
}

static int put(struct qfacts *f, int i, const char *text, struct arena *arena, struct err *e)
{
	f->lacks[i] = fact[i].lacks;
	f->text[i] = text ? arena_text(arena, text, strlen(text)) : NULL;
	return text && !f->text[i] ? err_set(e, -ENOMEM, "suite: not enough memory") : 0;
}

static int put_number(struct qfacts *f, int i, int n, struct arena *arena, struct err *e)
{
	char text[16];

	(void)snprintf(text, sizeof(text), "%d", n);
	return put(f, i, n < 0 ? NULL : text, arena, e);
}

static int put_lists(
        struct qfacts *f, const struct qasic_cfg *a, struct arena *arena, struct err *e)
{
	char text[LIST_BYTES];
	int rc = put(f, QFACT_LOSSLESS, list(text, a->lossless, 8), arena, e);

	if (!rc)
		rc = put(f, QFACT_TWO_LOSSLESS, list(text, a->lossless, 2), arena, e);
	if (!rc)
		rc = put(f, QFACT_LOSSY, a->lossy ? list(text, a->lossy, 8) : NULL, arena, e);
	if (!rc)
		rc = put(f, QFACT_TWO_LOSSY, a->lossy ? list(text, a->lossy, 2) : NULL, arena,
		        e);
	return rc;
}

static int put_numbers(
        struct qfacts *f, const struct qasic_cfg *a, struct arena *arena, struct err *e)
{
	const int n = __builtin_popcountll((uint64_t)a->lossless);
	int rc = put_number(f, QFACT_LOSSLESS_1, nth(a->lossless, 0), arena, e);

	if (!rc)
		rc = put_number(f, QFACT_LOSSLESS_2, nth(a->lossless, 1), arena, e);
	if (!rc)
		rc = put_number(f, QFACT_LOSSY_1, nth(a->lossy, 0), arena, e);
	if (!rc)
		rc = put_number(f, QFACT_LOSSY_2, nth(a->lossy, 1), arena, e);
	if (!rc)
		rc = put_number(f, QFACT_FREE, free_priority(a), arena, e);
	return rc ? rc : put_number(f, QFACT_N_LOSSLESS, n, arena, e);
}

/* The switch as --set and its file make it, against what the file says of it. */
static int take_base(struct qfacts *f, const struct qasic *asic, struct err *e)
{
	struct qualify_base b;
	char want[LIST_BYTES], has[LIST_BYTES], rate[48], text[48];
	int rc = qualify_base(&b, asic, e);

	if (rc)
		return rc;
	if (b.lossless != asic->cfg.lossless)
		return err_set(e, -EINVAL,
		        "%s: the switch would have PFC in priorities %s and the cases take %s "
		        "for lossless: give them as lossless in the file of --asic, not as "
		        "fabric.switch.pfc.priorities",
		        asic->path, list(has, b.lossless, 8),
		        list(want, asic->cfg.lossless, 8));
	if (b.rate_bps != asic->cfg.rate_bps)
		return err_set(e, -EINVAL,
		        "%s: the ports would have %s and the cases send for %s: give it as "
		        "rate in the file of --asic, not as fabric.host_link.rate",
		        asic->path, unit_format(text, sizeof(text), UNIT_RATE, b.rate_bps),
		        unit_format(rate, sizeof(rate), UNIT_RATE, asic->cfg.rate_bps));
	if (b.delay_ps > MAX_CABLE_PS)
		return err_set(e, -EINVAL,
		        "%s: fabric.host_link.delay is %s; the suites need a tester beside the "
		        "switch, at most 5us of cable; a longer one is for a case that gives "
		        "its own",
		        asic->path, unit_format(text, sizeof(text), UNIT_TIME, b.delay_ps));
	f->rate_bps = b.rate_bps;
	f->delay_ps = b.delay_ps;
	return 0;
}

int qualify_facts_read(
        struct qfacts *f, const struct qasic *asic, struct arena *arena, struct err *e)
{
	char text[48];
	int rc;

	*f = (struct qfacts){0};
	rc = take_base(f, asic, e);
	if (!rc)
		rc = put_lists(f, &asic->cfg, arena, e);
	if (!rc)
		rc = put_numbers(f, &asic->cfg, arena, e);
	if (!rc)
		rc = put(f, QFACT_RATE, unit_format(text, sizeof(text), UNIT_RATE, f->rate_bps),
		        arena, e);
	return rc ? rc
	          : put(f, QFACT_CABLE, unit_format(text, sizeof(text), UNIT_TIME, f->delay_ps),
	                    arena, e);
}
