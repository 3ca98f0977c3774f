/* SPDX-License-Identifier: Apache-2.0 */
/* libpcap makes the program; where it refuses, the place is found by what it would accept. */
#include <errno.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>

#include "capture/filter.h"
#include "capture/filter_int.h"
#include "dataplane/wire/frame.h"

#define WHOLE_BYTES   262144
#define DLT_RAW_IP    12 /* libpcap's own number for it on Linux */
#define DEVICE_BUFFER 65536

/* A handle that is no capture; or one of the device, which knows where its tags are. */
static pcap_t *open_handle(uint32_t link, uint32_t snap_bytes, const char *device)
{
	int dlt = link == FRAME_LINK_RAW ? DLT_RAW_IP : (int)link;
	int snap = snap_bytes ? (int)snap_bytes : WHOLE_BYTES;
	char why[PCAP_ERRBUF_SIZE];
	pcap_t *p = device ? pcap_create(device, why) : NULL;

	if (p && !pcap_set_snaplen(p, snap) && !pcap_set_buffer_size(p, DEVICE_BUFFER) &&
	        pcap_activate(p) >= 0)
		return p;
	if (p)
		pcap_close(p);
	return pcap_open_dead(dlt, snap);
}

static int compile(
        struct bpf_program *out, pcap_t *handle, const char *text, uint32_t link, char *why)
{
	struct err e = {0};
	char *translated;
	int r = filter_translate(&translated, text, link, &e);

	if (r)
		return r;
	r = pcap_compile(handle, out, translated, 1, PCAP_NETMASK_UNKNOWN);
	free(translated);
	if (r) {
		(void)strncpy(why, pcap_geterr(handle), PCAP_ERRBUF_SIZE - 1);
		return -EINVAL;
	}
	return 0;
}

/* The longest beginning, in whole tokens, that is a filter: what follows it is the fault. */
static uint32_t fault_at(pcap_t *handle, const char *text, uint32_t link)
{
	uint32_t depth = 0, good = 0, at = 0;
	struct filter_token t;
	char why[PCAP_ERRBUF_SIZE], *part = malloc(2 * strlen(text) + 2);
	struct bpf_program program;

	while (part && filter_token_next(&t, text, at)) {
		at = t.from + t.len;
		depth += text[t.from] == '(';
		depth -= depth && text[t.from] == ')';
		memcpy(part, text, at);
		memset(part + at, ')', depth);
		part[at + depth] = '\0';
		if (compile(&program, handle, part, link, why))
			continue;
		pcap_freecode(&program);
		good = at;
	}
	free(part);
	/* "cnp and hots 1": the word that joins is not what is wrong. */
	while (filter_token_next(&t, text, good)) {
		if (!filter_token_is(&t, text, "and") && !filter_token_is(&t, text, "or") &&
		        !filter_token_is(&t, text, "not") && !filter_token_is(&t, text, "(") &&
		        !filter_token_is(&t, text, "&&") && !filter_token_is(&t, text, "||") &&
		        !filter_token_is(&t, text, "!"))
			return t.from;
		good = t.from + t.len;
	}
	return good;
}

static bool says_vlan(const char *text)
{
	struct filter_token t;

	for (uint32_t at = 0; filter_token_next(&t, text, at); at = t.from + t.len) {
		if (filter_token_is(&t, text, "vlan"))
			return true;
	}
	return false;
}

int filter_compile(struct bpf_program *out, const char *text, uint32_t link,
        uint32_t snap_bytes, const char *device, struct err *e)
{
	char why[PCAP_ERRBUF_SIZE] = "", *translated;
	pcap_t *handle;
	int r;

	if (!text)
		text = "";
	r = filter_translate(&translated, text, link, e);
	if (r)
		return r;
	free(translated);
	handle = open_handle(link, snap_bytes, says_vlan(text) ? device : NULL);
	if (!handle)
		return err_set(e, -ENOMEM, "filter: out of memory");
	r = compile(out, handle, text, link, why);
	if (r) {
		uint32_t at = fault_at(handle, text, link);
		struct filter_token t = {at, 0};

		(void)filter_token_next(&t, text, at);
		r = filter_error(e, at, "%s near \"%.*s\"", why, (int)t.len, text + t.from);
	}
	pcap_close(handle);
	return r;
}
