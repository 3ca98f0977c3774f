/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/capture_args.h"

#include <errno.h>

#include "capture/live.h"
#include "cli/capture_options.h"

enum { OPT_BUFFERS = 0x200, OPT_QUEUES, OPT_COMMENT, OPT_FOLLOW };

static const struct argp_option options[] = {
        {"interface", 'i', "IF", 0, "Capture this interface", 0},
        {"read", 'r', "FILE", 0, "Take packets from a capture instead", 0},
        {"follow", OPT_FOLLOW, NULL, 0,
                "With -r: the file still grows; wait for more at its end, until Ctrl-C", 0},
        {"write", 'w', "FILE", 0,
                "The pcapng file to write, - for standard output (IF-DATE-TIME.pcapng)", 0},
        CAPTURE_OPTIONS,
        {"queues", OPT_QUEUES, "N", 0, "Share packets out between so many threads", 0},
        {"buffers", OPT_BUFFERS, "NxSIZE", 0,
                "Buffers between each queue and the disk, such as 16x1MiB (8x1MiB)", 0},
        {"comment", OPT_COMMENT, "TEXT", 0, "Put this into the file", 0},
        {"quiet", 'q', NULL, 0, "Print errors only", 0},
        {NULL, 0, NULL, 0, NULL, 0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
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
	case OPT_FOLLOW:
		a->follow = true;
		break;
	case OPT_COMMENT:
		a->comment = arg;
		break;
	case OPT_QUEUES:
		r = capture_option_number(
		        &a->source.n_queues, "queues", arg, LIVE_MAX_QUEUES, a->err);
		break;
	case OPT_BUFFERS:
		r = capture_option_ring(
		        &a->n_buffers, &a->buffer_bytes, "buffers", arg, a->err);
		break;
	case ARGP_KEY_ARG:
		r = err_set(a->err, -EINVAL,
		        "%s: not expected; name the interface with -i, and quote a --filter",
		        arg);
		break;
	default:
		if (!capture_option_parse(key, arg, a, &r))
			return ARGP_ERR_UNKNOWN;
	}
	return r ? EINVAL : 0;
}

static char *help(int key, const char *text, void *input)
{
	(void)input;
	return key == ARGP_KEY_HELP_POST_DOC
	               ? capture_options_help(text,
	                         "Exit status: 0 captured, 2 bad input, 3 environment (no "
	                         "permission, the interface went, disk full).")
	               : (char *)(uintptr_t)text;
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
