/* SPDX-License-Identifier: Apache-2.0 */
/* What is to be rewritten, as words of a command line. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/rewrite/rewrite.h"

static bool whole_number(uint32_t *out, const char *text, uint32_t max)
{
	char *end;
	unsigned long long v;

	errno = 0;
	v = strtoull(text, &end, 0);
	if (*text < '0' || *text > '9' || *end || errno || v > max)
		return false;
	*out = (uint32_t)v;
	return true;
}

static bool mac_parse(uint8_t mac[6], const char *text)
{
	unsigned int b[6];
	int n = 0;

	if (sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x%n", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5],
	            &n) != 6 ||
	        text[n])
		return false;
	for (int i = 0; i < 6; i++)
		mac[i] = (uint8_t)b[i];
	return true;
}

/* The kind of an address, 0 where the text is none. */
static uint8_t address_parse(uint8_t out[16], const char *text)
{
	uint32_t lid;

	if (inet_pton(AF_INET, text, out) == 1)
		return REWRITE_IPV4;
	if (mac_parse(out, text))
		return REWRITE_MAC;
	if (inet_pton(AF_INET6, text, out) == 1)
		return REWRITE_IPV6;
	if (!strncmp(text, "lid:", 4) && whole_number(&lid, text + 4, 0xffff)) {
		out[0] = (uint8_t)(lid >> 8);
		out[1] = (uint8_t)lid;
		return REWRITE_LID;
	}
	return 0;
}

static uint32_t bits_of(uint8_t kind)
{
	return kind == REWRITE_IPV4   ? 32
	       : kind == REWRITE_IPV6 ? 128
	       : kind == REWRITE_MAC  ? 48
	                              : 16;
}

static int split(
        char *buf, size_t n, const char *text, char **to, const char *form, struct err *e)
{
	char *equals;

	(void)snprintf(buf, n, "%s", text);
	equals = strlen(text) < n ? strchr(buf, '=') : NULL;
	if (!equals)
		return err_set(e, -EINVAL, "'%s': expected %s", text, form);
	*equals = 0;
	*to = equals + 1;
	return 0;
}

int rewrite_map_parse(struct rewrite_map *m, const char *text, struct err *e)
{
	static const char form[] = "OLD=NEW, such as 10.0.0.0/8=198.18.0.0, "
	                           "02:00:00:00:00:01=02:00:00:00:00:99 or lid:7=lid:9";
	char buf[128], *to, *slash;
	uint32_t bits = 0;
	int r = split(buf, sizeof(buf), text, &to, form, e);

	if (r)
		return r;
	memset(m, 0, sizeof(*m));
	slash = strchr(buf, '/');
	if (slash)
		*slash++ = 0;
	m->kind = address_parse(m->from, buf);
	if (!m->kind || address_parse(m->to, to) != m->kind)
		return err_set(e, -EINVAL, "'%s': expected %s", text, form);
	if (slash && (!whole_number(&bits, slash, bits_of(m->kind)) || !bits))
		return err_set(e, -EINVAL, "'%s': expected a prefix of 1 to %u bits, not /%s",
		        text, bits_of(m->kind), slash);
	m->bits = (uint8_t)(slash ? bits : bits_of(m->kind));
	return 0;
}

int rewrite_qp_map_parse(struct rewrite_qp_map *m, const char *text, struct err *e)
{
	static const char form[] = "OLD=NEW, two queue pair numbers up to 0xffffff";
	char buf[64], *to;
	int r = split(buf, sizeof(buf), text, &to, form, e);

	if (r)
		return r;
	if (!whole_number(&m->from, buf, 0xffffff) || !whole_number(&m->to, to, 0xffffff))
		return err_set(e, -EINVAL, "'%s': expected %s", text, form);
	return 0;
}

int rewrite_keep_parse(uint32_t *keep, const char *text, struct err *e)
{
	static const char *const word[] = {"payload", "addresses", "macs", "qpns", "psns",
	        "keys", "ports", "vlans", "names"};
	char buf[160], *left = buf, *one;

	if (strlen(text) >= sizeof(buf))
		return err_set(e, -EINVAL, "'%s' is too long", text);
	(void)snprintf(buf, sizeof(buf), "%s", text);
	while ((one = strsep(&left, ","))) {
		uint32_t i = 0, n = sizeof(word) / sizeof(*word);

		while (i < n && strcmp(word[i], one) != 0)
			i++;
		if (i == n)
			return err_set(e, -EINVAL,
			        "'%s': expected some of payload, addresses, macs, qpns, psns, "
			        "keys, ports, vlans, names",
			        one);
		*keep |= 1u << i;
	}
	return 0;
}
