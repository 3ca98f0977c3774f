/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/qualify/qualify_made.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios/qualify/qualify_facts.h"
#include "scenarios/qualify/qualify_times.h"

#define BYTES      "bytes("
#define WEIGHTS    "weights("
#define MAX_WEIGHT 1000

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with)) && text[strlen(text) - 1] == ')';
}

bool qualify_is_made(const char *text)
{
	return begins(text, BYTES) || begins(text, WEIGHTS);
}

static const char *bytes_of(const struct qscope *s, const char *sum, struct err *e)
{
	const int64_t own_bps = s->facts ? s->facts->rate_bps : 0;
	const int64_t rate_bps = s->rate_bps ? s->rate_bps : own_bps;
	const char *out = NULL;
	int64_t ps;

	if (qualify_sum_of(&ps, sum, UNIT_TIME, s->arena, e))
		return NULL;
	out = arena_printf(
	        s->arena, "%" PRId64 "B", (int64_t)((__int128)ps * rate_bps / 8 / PS_PER_S));
	if (!out)
		(void)err_set(e, -ENOMEM, "suite: not enough memory");
	return out;
}

/* "3=2" and what blanks there are behind it. */
static bool take_weight(unsigned long w[8], const char **text)
{
	unsigned long priority, weight;
	char *end;

	priority = strtoul(*text, &end, 10);
	if (**text < '0' || **text > '7' || priority > 7 || *end != '=')
		return false;
	*text = end + 1;
	weight = strtoul(*text, &end, 10);
	if (**text < '1' || **text > '9' || weight > MAX_WEIGHT || (*end && *end != ' '))
		return false;
	w[priority] = weight;
	*text = end + strspn(end, " ");
	return true;
}

static const char *weights_of(const struct qscope *s, const char *pairs, struct err *e)
{
	unsigned long w[8] = {1, 1, 1, 1, 1, 1, 1, 1};
	const char *out;

	while (*pairs)
		if (!take_weight(w, &pairs)) {
			(void)err_set(e, -EINVAL,
			        "expected priorities with their weights, such as "
			        "weights(3=2 4=1)");
			return NULL;
		}
	out = arena_printf(s->arena, "[%lu, %lu, %lu, %lu, %lu, %lu, %lu, %lu]", w[0], w[1],
	        w[2], w[3], w[4], w[5], w[6], w[7]);
	if (!out)
		(void)err_set(e, -ENOMEM, "suite: not enough memory");
	return out;
}

const char *qualify_made(
        const struct qscope *s, const char *text, const struct yaml_node *scalar, struct err *e)
{
	const bool is_bytes = begins(text, BYTES);
	const size_t from = strlen(is_bytes ? BYTES : WEIGHTS);
	char *inner = arena_text(s->arena, text + from, strlen(text) - from - 1);
	const char *out;

	if (!inner) {
		(void)err_set(e, -ENOMEM, "suite: not enough memory");
		return NULL;
	}
	out = is_bytes ? bytes_of(s, inner, e) : weights_of(s, inner, e);
	if (!out && e && e->code == -EINVAL)
		(void)yaml_err_prefix(e, &scalar->at);
	return out;
}
