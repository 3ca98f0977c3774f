/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which packets are captured: words of RoCE (cnp, ce, nak, qp 0x123, opcode RC_ACKNOWLEDGE)
 * among whatever libpcap understands (host 10.0.0.1), joined by and, or, not and parentheses.
 * The words become libpcap's expressions, which it compiles; the kernel, or bpf_filter, runs
 * the program. docs/capture.md lists the words. Cold, any thread.
 *
 * As in libpcap, and and or bind equally strong, from left to right.
 */
#ifndef CAPTURE_FILTER_H
#define CAPTURE_FILTER_H

#include <stdint.h>

#include "dataplane/base/compiler.h"
#include "dataplane/base/err.h"

struct bpf_program;

#define FILTER_MAX_CHARS 4096

/*
 * The libpcap expression for packets of a link type; the caller frees *out. Tags of 802.1Q that
 * are in the frame are looked through, two at most, unless the text says vlan itself. -EINVAL
 * with the position of what is wrong.
 */
NODISCARD int filter_translate(char **out, const char *text, uint32_t link, struct err *e);

/*
 * The program: accepted packets are cut to snap_bytes (0: whole). Text NULL or "": everything.
 * Device: the kernel interface whose socket will run it, where vlan finds the tags that the
 * kernel takes out; NULL: bytes as they are. The caller frees it with pcap_freecode.
 */
NODISCARD int filter_compile(struct bpf_program *out, const char *text, uint32_t link,
        uint32_t snap_bytes, const char *device, struct err *e);

/* Every word with what it means, for help and documentation; NULL name at the end. */
struct filter_word_doc {
	const char *name, *doc;
};
extern const struct filter_word_doc filter_word_docs[];

#endif
