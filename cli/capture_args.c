/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/capture_args.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/filter.h"
#include "capture/live.h"
#include "cli/options.h"
#include "dataplane/base/units.h"

#define MAX_SNAP 262144

enum {
	OPT_FILTER = 0x200,
	OPT_SNAP,
	OPT_RING,
	OPT_BUFFERS,
	OPT_DURATION,
	OPT_COUNT,
	OPT_TIMESTAMPS,
	OPT_SOURCE,
	OPT_QUEUES,
	OPT_PROMISCUOUS,
	OPT_COMMENT,
	OPT_EAL,
};

static const struct argp_option options[] = {
        {"interface", 'i', "IF", 0, "Capture this interface", 0},
        {"read", 'r', "FILE", 0, "Take packets from a capture instead", 0},
        {"write", 'w', "FILE", 0,
                "The pcapng file to write, - for standard output (IF-DATE-TIME.pcapng)", 0},
        {"filter", OPT_FILTER, "TEXT", 0,
                "Only packets that match, such as \"cnp or ce or nak or pfc or qp 0x123\"", 0},
        {"snap", OPT_SNAP, "BYTES", 0, "Of each packet only so many bytes, such as 96", 0},
        {"count", OPT_COUNT, "N", 0, "End after so many packets", 0},
        {"duration", OPT_DURATION, "TIME", 0, "End after this time, such as 10s", 0},
        {"timestamps", OPT_TIMESTAMPS, "KIND", 0,
                "Who stamps: any (the NIC where it can, else the kernel), hardware (or fail), "
                "software",
                0},
        {"source", OPT_SOURCE, "NAME", 0, "Where from: af_packet, pcap or dpdk", 0},
        {"queues", OPT_QUEUES, "N", 0, "Share packets out between so many threads", 0},
        {"ring", OPT_RING, "NxSIZE", 0,
                "The source's ring of each queue, such as 64x1MiB (32x1MiB)", 0},
        {"buffers", OPT_BUFFERS, "NxSIZE", 0,
                "Buffers between each queue and the disk, such as 16x1MiB (8x1MiB)", 0},
        {"promiscuous", OPT_PROMISCUOUS, NULL, 0,
                "Take in packets that are for others, too, as a mirror port's are", 0},
        {"comment", OPT_COMMENT, "TEXT", 0, "Put this into the file", 0},
        {"eal", OPT_EAL, "ARGUMENTS", 0, "dpdk: further arguments of EAL", 0},
        {"quiet", 'q', NULL, 0, "Print errors only", 0},
        {NULL, 0, NULL, 0, NULL, 0},
};

/* "64x1MiB" or "64 x 1MiB". */
static int parse_ring(
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

static int parse_number(
        uint32_t *out, const char *name, const char *text, uint32_t max, struct err *e)
{
	uint64_t v = 0;
	int r = options_whole(&v, name, text, 1, max, e);

	*out = (uint32_t)v;
	return r;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const char *const sources[] = {"af_packet", "pcap", "dpdk"};
	struct capture_args *a = state->input;
	int r = 0;

	switch (key) {
	case 'i':
		a->source.device = arg;
		break;
	case 'r':
		a->in = arg;
		break;
	case 'w':
		a->out = arg;
		break;
	case 'q':
		a->quiet = true;
		break;
	case OPT_FILTER:
		a->source.filter = arg;
		break;
	case OPT_COMMENT:
		a->comment = arg;
		break;
	case OPT_EAL:
		a->source.eal = arg;
		break;
	case OPT_PROMISCUOUS:
		a->source.promiscuous = true;
		break;
	case OPT_SNAP:
		r = parse_number(&a->source.snap_bytes, "snap", arg, MAX_SNAP, a->err);
		break;
	case OPT_QUEUES:
		r = parse_number(&a->source.n_queues, "queues", arg, LIVE_MAX_QUEUES, a->err);
		break;
	case OPT_COUNT:
		r = options_whole(&a->max_packets, "count", arg, 1, INT64_MAX, a->err);
		break;
	case OPT_RING:
		r = parse_ring(
		        &a->source.n_blocks, &a->source.block_bytes, "ring", arg, a->err);
		break;
	case OPT_BUFFERS:
		r = parse_ring(&a->n_buffers, &a->buffer_bytes, "buffers", arg, a->err);
		break;
	case OPT_DURATION:
		r = parse_duration(a, arg);
		break;
	case OPT_TIMESTAMPS:
		r = parse_timestamps(a, arg);
		break;
	case OPT_SOURCE:
		r = parse_word(&a->source_kind, "source", arg, sources, 3, a->err);
		break;
	case ARGP_KEY_ARG:
		r = err_set(a->err, -EINVAL,
		        "%s: not expected; name the interface with -i, and quote a --filter",
		        arg);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return r ? EINVAL : 0;
}

/* The words of filters, behind the options. */
static char *help(int key, const char *text, void *input)
{
	char *all = NULL;
	size_t len;
	FILE *f;

	(void)input;
	if (key != ARGP_KEY_HELP_POST_DOC)
		return (char *)(uintptr_t)text;
	f = open_memstream(&all, &len);
	if (!f)
		return (char *)(uintptr_t)text;
	(void)fprintf(f, "%s\n\nWords of --filter, besides those of pcap-filter(7):\n", text);
	for (const struct filter_word_doc *d = filter_word_docs; d->name; d++)
		(void)fprintf(f, "  %-9s %s\n", d->name, d->doc);
	(void)fputs("\nExit status: 0 captured, 2 bad input, 3 environment (no permission, the "
	            "interface went, disk full).",
	        f);
	if (fclose(f)) {
		free(all);
		return (char *)(uintptr_t)text;
	}
	return all;
}

const struct argp capture_argp = {
        .options = options,
        .parser = parse,
        .help_filter = help,
        .doc = "Writes the packets of an interface into a pcapng file, with nanoseconds, the "
               "name "
               "and kind of their clock, and every loss counted. Ctrl-C ends it. It only "
               "listens: no address, no packet of its own, and no promiscuous mode unless "
               "asked for.\v"
               "Examples:\n"
               "  squall capture -i eth0 -w all.pcapng --snap 96\n"
               "  squall capture -i eth0 --filter \"cnp or ce or nak or pfc\" --duration 10s\n"
               "  squall capture -r all.pcapng -w flow.pcapng --filter \"qp 0x123\"",
};
