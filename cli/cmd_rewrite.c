/* SPDX-License-Identifier: Apache-2.0 */
/* squall rewrite: a capture under other names, to be given away. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/out_file.h"
#include "analysis/rewrite/rewrite.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/replace.h"
#include "cli/stop.h"
#include "dataplane/base/units.h"

struct rewrite_args {
	struct rewrite_options o;
	struct rewrite_map *map;
	struct rewrite_qp_map *qp_map;
	const char **with, *in, *out;
	bool quiet;
	struct err *err;
};

enum {
	OPT_SEED = 0x400,
	OPT_MAP,
	OPT_QP_MAP,
	OPT_PSN_BASE,
	OPT_SNAP,
	OPT_KEEP,
	OPT_PATTERN,
	OPT_START,
	OPT_WITH,
};

static const struct argp_option options[] = {
        {"anonymize", 'a', NULL, 0,
                "Other addresses, queue pairs, PSNs, keys, ports, VLANs and names, no "
                "payload, and neither LLDP, ARP nor any other protocol",
                0},
        {"seed", OPT_SEED, "TEXT", 0,
                "With --anonymize: the same text gives the same names in every file; who "
                "guesses it can undo them. Without it nobody can",
                0},
        {"keep", OPT_KEEP, "WHAT,...", 0,
                "With --anonymize: leave these as they are, of payload, addresses, macs, "
                "qpns, psns, keys, ports, vlans, names",
                0},
        {"map", OPT_MAP, "OLD=NEW", 0,
                "This address (IPv4, IPv6, MAC, lid:N) becomes that; OLD/BITS: a prefix. As "
                "often as needed, the first that fits counts",
                0},
        {"qp-map", OPT_QP_MAP, "OLD=NEW", 0, "This queue pair number becomes that", 0},
        {"psn-base", OPT_PSN_BASE, "PSN", 0, "Every flow begins with this PSN", 0},
        {"pattern", OPT_PATTERN, "BYTE", 0, "With --anonymize: what payload is filled with (0)",
                0},
        {"start", OPT_START, "TIME", 0,
                "Time of the first packet since 1970, such as 0s; the others keep their "
                "distance",
                0},
        {"snap", OPT_SNAP, "BYTES", 0, "Cut packets to so many bytes", 0},
        {"with", OPT_WITH, "FILE", 0,
                "Another capture of the same traffic, read to know which flows answer which",
                0},
        {"quiet", 'q', NULL, 0, "Say nothing of what was done", 0},
        {NULL, 0, NULL, 0, NULL, 0},
};

/* Room for one more of n things. */
static void *grown(void *list, uint32_t n, size_t bytes, struct err *e)
{
	void *more = realloc(list, (n + (size_t)1) * bytes);

	if (!more)
		(void)err_set(e, -ENOMEM, "out of memory for the command line");
	return more;
}

static int add_map(struct rewrite_args *a, const char *text)
{
	struct rewrite_map *more = grown(a->map, a->o.n_maps, sizeof(*more), a->err);
	int r;

	if (!more)
		return -ENOMEM;
	a->map = more;
	r = rewrite_map_parse(&more[a->o.n_maps], text, a->err);
	a->o.n_maps += !r;
	return r ? err_prefix(a->err, "--map") : 0;
}

static int add_qp_map(struct rewrite_args *a, const char *text)
{
	struct rewrite_qp_map *more = grown(a->qp_map, a->o.n_qp_maps, sizeof(*more), a->err);
	int r;

	if (!more)
		return -ENOMEM;
	a->qp_map = more;
	r = rewrite_qp_map_parse(&more[a->o.n_qp_maps], text, a->err);
	a->o.n_qp_maps += !r;
	return r ? err_prefix(a->err, "--qp-map") : 0;
}

static int add_with(struct rewrite_args *a, const char *path)
{
	const char **more = grown(a->with, a->o.n_with, sizeof(*more), a->err);

	if (!more)
		return -ENOMEM;
	a->with = more;
	a->with[a->o.n_with++] = path;
	return 0;
}

static int parse_start(struct rewrite_args *a, const char *text)
{
	int64_t ps = 0;

	if (unit_parse(&ps, UNIT_TIME, text, a->err))
		return err_prefix(a->err, "--start");
	a->o.has_start = true;
	a->o.start_ns = ns_from_ps_floor(ps);
	return 0;
}

/* Numbers, also as 0x1a. */
static int parse_number(
        struct rewrite_args *a, const char *name, const char *text, uint32_t max, uint32_t *out)
{
	char *end;
	unsigned long v;

	errno = 0;
	v = strtoul(text, &end, 0);
	if (*text < '0' || *text > '9' || *end || errno || v > max)
		return err_set(
		        a->err, -EINVAL, "--%s: expected 0 to 0x%x, not '%s'", name, max, text);
	*out = (uint32_t)v;
	return 0;
}

static int parse_rest(struct rewrite_args *a, int key, const char *arg)
{
	uint32_t byte = 0;
	uint64_t n;
	int r;

	switch (key) {
	case OPT_PSN_BASE:
		a->o.has_psn_base = true;
		return parse_number(a, "psn-base", arg, 0xffffff, &a->o.psn_base);
	case OPT_PATTERN:
		r = parse_number(a, "pattern", arg, 255, &byte);
		a->o.pattern = (uint8_t)byte;
		return r;
	case OPT_SNAP:
		r = options_whole(&n, "snap", arg, 14, 262144, a->err);
		if (!r)
			a->o.snap_bytes = (uint32_t)n;
		return r;
	default:
		return parse_start(a, arg);
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct rewrite_args *a = state->input;

	switch (key) {
	case 'a':
		a->o.anonymize = true;
		return 0;
	case 'q':
		a->quiet = true;
		return 0;
	case OPT_SEED:
		a->o.seed = arg;
		return 0;
	case OPT_KEEP:
		return -rewrite_keep_parse(&a->o.keep, arg, a->err);
	case OPT_MAP:
		return -add_map(a, arg);
	case OPT_QP_MAP:
		return -add_qp_map(a, arg);
	case OPT_WITH:
		return -add_with(a, arg);
	case OPT_PSN_BASE:
	case OPT_PATTERN:
	case OPT_SNAP:
	case OPT_START:
		return -parse_rest(a, key, arg);
	case ARGP_KEY_ARG:
		return a->in ? options_take_one(&a->out, arg) : options_take_one(&a->in, arg);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "IN OUT",
        .doc = "Writes a capture (pcapng) out of another (pcap, pcapng, ERF; plain, gzip or "
               "zstd) in which identities are others: of all kinds with --anonymize, else "
               "those that a map names. They are replaced consistently, in headers and in "
               "connection setup, and checksums and ICRC are made anew, so that the analysis "
               "of the new file says what that of the old one says. A wrong ICRC stays "
               "wrong. Comments are left out; drop counts and clocks stay.\v"
               "Examples:\n"
               "  squall rewrite night.pcapng public.pcapng --anonymize\n"
               "  squall rewrite host1.pcap a.pcapng --anonymize --seed \"$SECRET\"\n"
               "  squall rewrite lab.pcapng other.pcapng --map 10.0.0.0/8=198.18.0.0 "
               "--qp-map 0x11=0x99\n\n"
               "Exit status: 0 written, 2 bad input, 3 environment or interrupted: then no "
               "file "
               "is made.",
};

static int check(const struct rewrite_args *a, struct err *e)
{
	const struct rewrite_options *o = &a->o;

	if (!a->in || !a->out)
		return err_set(e, -EINVAL,
		        "rewrite: from which capture into which? (squall rewrite IN OUT)");
	if (!o->anonymize && (o->seed || o->keep || o->pattern))
		return err_set(e, -EINVAL,
		        "rewrite: --seed, --keep and --pattern go with --anonymize");
	if (!o->anonymize && !o->n_maps && !o->n_qp_maps && !o->has_psn_base &&
	        !o->snap_bytes && !o->has_start)
		return err_set(e, -EINVAL,
		        "rewrite: nothing would change; give --anonymize, --map, --qp-map, "
		        "--psn-base, --start or --snap");
	if (replace_check_inputs(a->out, (const char *const[]){a->in}, 1, "rewritten", e) ||
	        replace_check_inputs(a->out, a->with, o->n_with, "read", e))
		return -EINVAL;
	return 0;
}

static void left_out(const struct rewrite_result *r)
{
	uint64_t n =
	        r->dropped_lldp + r->dropped_arp + r->dropped_other + r->dropped_unreadable;

	if (n)
		cli_note("left out: %" PRIu64 " frames (%" PRIu64 " LLDP, %" PRIu64
		         " ARP, %" PRIu64 " cut within their headers, %" PRIu64 " other)",
		        n, r->dropped_lldp, r->dropped_arp, r->dropped_unreadable,
		        r->dropped_other);
	if (r->lldp_kept)
		cli_note("note: LLDP frames stay as they are, with the names that they hold");
	if (r->unpaired)
		cli_note("note: of %" PRIu32 " flows no other direction was found; the PSNs of "
		         "their acknowledgements fit those of no other capture (--with FILE)",
		        r->unpaired);
}

static void say(const struct rewrite_args *a, const struct rewrite_result *r)
{
	if (r->damage[0])
		cli_note("note: %s (what came before it was taken)", r->damage);
	else if (r->cut)
		cli_note("note: %s is cut off within a packet", a->in);
	if (a->quiet)
		return;
	left_out(r);
	cli_note("%s: %" PRIu64 " of %" PRIu64 " frames of %s", a->out, r->written, r->read,
	        a->in);
}

static int rewrite(struct rewrite_args *a, struct err *e)
{
	struct rewrite_result result;
	struct out_set set;
	FILE *f = stdout;
	int r = check(a, e);

	if (r)
		return r;
	a->o.map = a->map;
	a->o.qp_map = a->qp_map;
	a->o.with = a->with;
	a->o.application = "squall " SQUALL_VERSION;
	a->o.stop = stop_on_signals();
	out_set_init(&set);
	if (strcmp(a->out, "-") != 0)
		r = out_set_add(&set, &f, a->out, e);
	if (!r)
		r = rewrite_capture(&a->o, a->in, f, &result, e);
	if (!r)
		r = out_set_commit(&set, e);
	out_set_abort(&set);
	if (!r)
		say(a, &result);
	return r;
}

static enum cli_exit main_rewrite(int argc, char **argv)
{
	struct err e = {0};
	struct rewrite_args a = {.err = &e};
	int r = options_parse(&argp, argc, argv, &a, &e);

	if (!r)
		r = rewrite(&a, &e);
	free(a.map);
	free(a.qp_map);
	free(a.with);
	if (r < 0)
		return cli_error(&e);
	return !r && ferror(stdout) ? CLI_ENVIRONMENT : CLI_OK;
}

const struct command cmd_rewrite = {
        "rewrite", "write a capture under other names, to be given away", main_rewrite, &argp};
