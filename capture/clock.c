/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/clock.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_name[] = {
        [CLOCK_UNKNOWN] = "unknown",
        [CLOCK_HARDWARE_PTP] = "hardware-ptp",
        [CLOCK_HARDWARE_FREE] = "hardware-free",
        [CLOCK_SOFTWARE] = "software",
        [CLOCK_VIRTUAL] = "virtual",
};

static const char *const timescale_name[] = {
        [TIMESCALE_UNKNOWN] = "unknown",
        [TIMESCALE_UTC] = "utc",
        [TIMESCALE_TAI] = "tai",
        [TIMESCALE_VIRTUAL] = "virtual",
};

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

const char *clock_kind_name(enum clock_kind k)
{
	return (size_t)k < COUNT_OF(kind_name) ? kind_name[k] : kind_name[CLOCK_UNKNOWN];
}

const char *clock_timescale_name(enum clock_timescale t)
{
	return (size_t)t < COUNT_OF(timescale_name) ? timescale_name[t]
	                                            : timescale_name[TIMESCALE_UNKNOWN];
}

void clock_describe(char *out, size_t n, const struct capture_clock *c)
{
	char name[sizeof(c->name)], tai[40] = "", residual[40] = "";
	size_t i;

	/* One word: the text is read back word by word. */
	for (i = 0; i + 1 < sizeof(name) && c->name[i]; i++)
		name[i] = (char)(isgraph((unsigned char)c->name[i]) ? c->name[i] : '_');
	name[i] = '\0';
	if (c->tai_offset_s)
		(void)snprintf(tai, sizeof(tai), " tai-offset=%" PRId64, c->tai_offset_s);
	if (c->residual_ns >= 0)
		(void)snprintf(
		        residual, sizeof(residual), " residual-ns=%" PRId64, c->residual_ns);
	(void)snprintf(out, n, "%sclock=%s kind=%s timescale=%s%s%s", CLOCK_TEXT_MARK, name,
	        clock_kind_name((enum clock_kind)c->kind),
	        clock_timescale_name((enum clock_timescale)c->timescale), tai, residual);
}

/* The value of "key=" if the word of n bytes is one of that key. */
static const char *value_of(const char *word, size_t *n, const char *key)
{
	size_t k = strlen(key);

	if (*n <= k || strncmp(word, key, k) != 0 || word[k] != '=')
		return NULL;
	*n -= k + 1;
	return word + k + 1;
}

static uint8_t index_of(const char *const *names, size_t n_names, const char *v, size_t n)
{
	for (size_t i = 0; i < n_names; i++) {
		if (strlen(names[i]) == n && strncmp(names[i], v, n) == 0)
			return (uint8_t)i;
	}
	return 0;
}

static int64_t number_of(const char *v, size_t n)
{
	char digits[24];

	if (n >= sizeof(digits))
		return 0;
	memcpy(digits, v, n);
	digits[n] = '\0';
	return strtoll(digits, NULL, 10);
}

static void read_word(struct capture_clock *c, const char *word, size_t n)
{
	const char *v;
	size_t len = n;

	if ((v = value_of(word, &len, "clock"))) {
		if (len >= sizeof(c->name))
			len = sizeof(c->name) - 1;
		memcpy(c->name, v, len);
		c->name[len] = '\0';
	} else if ((v = value_of(word, &len, "kind"))) {
		c->kind = index_of(kind_name, COUNT_OF(kind_name), v, len);
	} else if ((v = value_of(word, &len, "timescale"))) {
		c->timescale = index_of(timescale_name, COUNT_OF(timescale_name), v, len);
	} else if ((v = value_of(word, &len, "tai-offset"))) {
		c->tai_offset_s = number_of(v, len);
	} else if ((v = value_of(word, &len, "residual-ns"))) {
		c->residual_ns = number_of(v, len);
	}
}

const char *clock_text_find(const char *text)
{
	const char *found = NULL, *next = text;

	while ((next = strstr(next, CLOCK_TEXT_MARK "clock="))) {
		found = next;
		next++;
	}
	return found;
}

void clock_from_description(struct capture_clock *c, const char *text)
{
	const char *p = clock_text_find(text);

	*c = (struct capture_clock){.residual_ns = -1};
	while (p && *p) {
		size_t n = strcspn(p, " ");

		read_word(c, p, n);
		p += n + strspn(p + n, " ");
	}
}
