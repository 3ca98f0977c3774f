/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The analysis of captures: packets in, struct trace_result out. One pass; memory grows with
 * flows, interfaces and bins of the time line, not with packets (the lists of messages, losses
 * and pauses are bounded by the options). Results are the same for any number of threads. A
 * trace belongs to one thread at a time.
 *
 * Either files, read and parsed by several threads (trace_files), or batches of packets as a
 * live source or a test has them (trace_interface_add, trace_feed).
 */
#ifndef TRACE_H
#define TRACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "analysis/trace/trace_result.h"
#include "dataplane/base/compiler.h"
#include "dataplane/base/err.h"

struct dcqcn_cfg;

struct trace_options {
	uint32_t threads;  /* 0: as many as there are processors, up to 16 */
	int64_t speed_bps; /* of every interface whose file does not say; 0: inferred */
	int64_t bin_ns;    /* width of the time line; 0: automatic, at most 4096 bins */
	bool no_icrc;      /* do not check */
	uint16_t udp_port; /* of RoCEv2 besides 4791; 0: none */
	/* Parameters of the reaction point that runs beside each sender; NULL: none. Must stay.
	 */
	const struct dcqcn_cfg *dcqcn;
	bool only_qp; /* only packets to qp and, once paired, from it */
	uint32_t qp;
	uint32_t max_messages, max_losses, max_pauses; /* kept; 0: 1 Mi, 64 Ki, 256 Ki */
	const atomic_bool *stop;                       /* trace_files ends early; may be NULL */
	bool follow; /* one file that grows: trace_files waits for more until *stop */
	/* Called now and then with bytes read of all (0: unknown); may be NULL. */
	void (*progress)(void *arg, uint64_t at_bytes, uint64_t size_bytes, uint64_t frames);
	void *progress_arg;
	/* Every message as it completes, also beyond max_messages; may be NULL. Its flow is an
	 * index into trace_now(t)->flow, which holds at least its addresses by then. */
	void (*message)(void *arg, const struct trace_message *m);
	void *message_arg;
};

struct trace;

NODISCARD int trace_open(struct trace **t, const struct trace_options *o, struct err *e);
void trace_close(struct trace *t); /* NULL is fine */

/* An input without a file: returns the index that packets of trace_feed name as interface. */
NODISCARD int trace_interface_add(
        struct trace *t, const struct capture_interface *i, uint32_t *index, struct err *e);

/* What a live source has counted up to now, for the interface's capture_interface. */
void trace_interface_counts(struct trace *t, uint32_t index, uint64_t received,
        uint64_t dropped_by_os, uint64_t dropped_by_interface);

/* Until when it was listened there, beyond the last packet: pauses that are open then end. */
void trace_interface_listened(struct trace *t, uint32_t index, int64_t until_ns);

/* Packets in order of time (small steps back are fine); first_number is that of p[0]. */
NODISCARD int trace_feed(struct trace *t, const struct packet *p, uint32_t n,
        uint64_t first_number, struct err *e);

/*
 * Whole files ("-": standard input), merged by time; clocks of different files are aligned by
 * the packets that both show. A file that is cut or broken yields what could be read, with a
 * note in its trace_file; an error is returned where nothing of any file could be read.
 */
NODISCARD int trace_files(
        struct trace *t, const char *const path[], uint32_t n_paths, struct err *e);

/* What is known so far; feeding may go on. */
const struct trace_result *trace_now(struct trace *t);

/* Ends what is open (messages, pauses, pairing by what is left) and returns the result. */
const struct trace_result *trace_finish(struct trace *t);

#endif
