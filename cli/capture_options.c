/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/capture_options.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/filter.h"
#include "cli/options.h"
#include "dataplane/base/units.h"
#include "dataplane/wire/frame.h"

#define MAX_SNAP 262144

int capture_option_ring(
        uint32_t *n, uint32_t *bytes, const char *name, const char *text, struct err *e)
{
	const char *x = strchr(text, 'x');
	char count[24];
	uint64_t blocks;
	int64_t size;
	size_t len = x ? (size_t)(x - text) : 0;
	int r;

	while (len && text[len - 1] == ' ')
		len--;
	if (!len || len >= sizeof(count))
		return err_set(e, -EINVAL,
		        "--%s %s: expected a number and a size, such as 64x1MiB", name, text);
	(void)snprintf(count, sizeof(count), "%.*s", (int)len, text);
	r = options_whole(&blocks, name, count, 2, 65536, e);
	if (r)
		return r;
	x += 1 + strspn(x + 1, " ");
	r = unit_parse(&size, UNIT_SIZE, x, e);
	if (r) {
		(void)err_prefix(e, "--%s", name);
		return r;
	}
	if (size < 1 << 18 || size > 1 << 30 || size % 4096)
		return err_set(e, -EINVAL,
		        "--%s %s: expected a size of 256KiB to 1GiB, in whole pages of 4KiB",
		        name, text);
	*n = (uint32_t)blocks;
	*bytes = (uint32_t)size;
	return 0;
}

static int parse_word(int *out, const char *name, const char *text, const char *const *words,
        int n, struct err *e)
{
	char all[100] = "";

	for (int i = 0; i < n; i++) {
		size_t len = strlen(all);

		if (!strcmp(text, words[i])) {
			*out = i;
			return 0;
		}
		(void)snprintf(all + len, sizeof(all) - len, "%s%s",
		        !i           ? ""
		        : i == n - 1 ? " or "
		                     : ", ",
		        words[i]);
	}
	return err_set(e, -EINVAL, "--%s %s: expected %s", name, text, all);
}

static int parse_timestamps(struct capture_args *a, const char *text)
{
	static const char *const words[] = {"any", "hardware", "software"};
	int kind, r = parse_word(&kind, "timestamps", text, words, 3, a->err);

	if (!r)
		a->source.stamps = (enum capture_stamps)kind;
	return r;
}

static int parse_duration(struct capture_args *a, const char *text)
{
	int64_t t_ps;
	int r = unit_parse(&t_ps, UNIT_TIME, text, a->err);

	if (r)
		(void)err_prefix(a->err, "--duration");
	else if (t_ps < PS_PER_MS)
		r = err_set(a->err, -EINVAL, "--duration %s: expected 1ms or more", text);
	a->duration_ns = r ? 0 : ns_from_ps_floor(t_ps);
	return r;
}

int capture_option_number(
        uint32_t *out, const char *name, const char *text, uint32_t max, struct err *e)
{
	uint64_t v = 0;
	int r = options_whole(&v, name, text, 1, max, e);

	*out = (uint32_t)v;
	return r;
}

bool capture_option_parse(int key, char *arg, struct capture_args *a, int *r)
{
	static const char *const sources[] = {"af_packet", "pcap", "dpdk"};

	*r = 0;
	switch (key) {
	case CAPTURE_OPT_FILTER:
		a->source.filter = arg;
		break;
	case CAPTURE_OPT_EAL:
		a->source.eal = arg;
		break;
	case CAPTURE_OPT_PROMISCUOUS:
		a->source.promiscuous = true;
		break;
	case CAPTURE_OPT_SNAP:
		*r = capture_option_number(
		        &a->source.snap_bytes, "snap", arg, MAX_SNAP, a->err);
		break;
	case CAPTURE_OPT_COUNT:
		*r = options_whole(&a->max_packets, "count", arg, 1, INT64_MAX, a->err);
		break;
	case CAPTURE_OPT_RING:
		*r = capture_option_ring(
		        &a->source.n_blocks, &a->source.block_bytes, "ring", arg, a->err);
		break;
	case CAPTURE_OPT_DURATION:
		*r = parse_duration(a, arg);
		break;
	case CAPTURE_OPT_TIMESTAMPS:
		*r = parse_timestamps(a, arg);
		break;
	case CAPTURE_OPT_SOURCE:
		*r = parse_word(&a->source_kind, "source", arg, sources, 3, a->err);
		break;
	default:
		return false;
	}
	return true;
}

char *capture_options_help(const char *text, const char *end)
{
	char *all = NULL;
	size_t len;
	FILE *f = open_memstream(&all, &len);

	if (!f)
		return (char *)(uintptr_t)text;
	(void)fprintf(f, "%s\n\nWords of --filter, besides those of pcap-filter(7):\n", text);
	for (const struct filter_word_doc *d = filter_word_docs; d->name; d++)
		(void)fprintf(f, "  %-9s %s\n", d->name, d->doc);
	(void)fprintf(f, "\n%s", end);
	if (fclose(f)) {
		free(all);
		return (char *)(uintptr_t)text;
	}
	return all;
}

/* A DPDK port has no kernel that would filter: the program goes with it. */
int capture_source_choose(const struct source_ops **ops, struct source_config *c, int kind,
        struct bpf_program *program, struct err *e)
{
	int r;

	if (kind != SOURCE_DPDK) {
		*ops = kind == SOURCE_PCAP ? &source_pcap : &source_af_packet;
		return 0;
	}
	r = source_dpdk_load(ops, SQUALL_VERSION, e);
	if (!r)
		r = filter_compile(
		        program, c->filter, FRAME_LINK_ETHERNET, c->snap_bytes, NULL, e);
	if (!r)
		c->program = program;
	return r;
}
