/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/imports/nccl_algorithm.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static bool is_word(const char *text, size_t len, const char *word)
{
	return len == strlen(word) && !strncasecmp(text, word, len);
}

/* As NCCL numbers them, in the order of NCCL_ALGO_*. */
static enum nccl_carrier named(const char *text, size_t len)
{
	static const char *const other[] = {"CollNet", "CollNetDirect", "CollNet_Direct",
	        "CollNetChain", "CollNet_Chain", "NVLS", "NVLSTree", "NVLS_Tree", "PAT"};

	if (is_word(text, len, "Ring"))
		return NCCL_BY_RING;
	if (is_word(text, len, "Tree"))
		return NCCL_BY_TREE;
	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		if (is_word(text, len, other[i]))
			return NCCL_BY_OTHER;
	return NCCL_BY_ANY;
}

/* One list; a name that is not known leaves everything open. */
static enum nccl_carrier of_list(const char *text, size_t len)
{
	const bool out = len && *text == '^';
	const char *p = text + out, *end = text + len;
	uint32_t n = 0, ring = 0, tree = 0, other = 0;

	for (; p < end; n++) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		const char *stop = comma ? comma : end;
		const enum nccl_carrier by = named(p, (size_t)(stop - p));

		ring += by == NCCL_BY_RING;
		tree += by == NCCL_BY_TREE;
		other += by == NCCL_BY_OTHER;
		p = stop + (comma != NULL);
	}
	if (!n || ring + tree + other != n)
		return NCCL_BY_ANY;
	if (out)
		return ring && tree ? NCCL_BY_OTHER
		       : ring       ? NCCL_NOT_RING
		       : tree       ? NCCL_NOT_TREE
		                    : NCCL_BY_ANY;
	if (ring && tree)
		return NCCL_BY_ANY;
	if (!ring && !tree)
		return NCCL_BY_OTHER;
	if (other)
		return ring ? NCCL_NOT_TREE : NCCL_NOT_RING;
	return ring ? NCCL_BY_RING : NCCL_BY_TREE;
}

/* "all-reduce" and "allreduce" are the same. */
static bool is_op(const char *text, size_t len, enum nccl_op op)
{
	const char *name = nccl_op_name[op];

	for (; *name; name++) {
		if (*name == '-')
			continue;
		if (!len || tolower((unsigned char)*text) != *name)
			return false;
		text++;
		len--;
	}
	return !len;
}

enum nccl_carrier nccl_algorithm_of(const char *setting, enum nccl_op op)
{
	enum nccl_carrier all = NCCL_BY_ANY;

	while (*setting) {
		const size_t len = strcspn(setting, ";");
		const char *colon = memchr(setting, ':', len);

		if (!colon)
			all = of_list(setting, len);
		else if (is_op(setting, (size_t)(colon - setting), op))
			return of_list(colon + 1, len - (size_t)(colon + 1 - setting));
		setting += len + (setting[len] == ';');
	}
	return all;
}

enum nccl_carrier nccl_algorithm_picked(const char *text)
{
	const size_t len = strcspn(text, " \t");

	if (len == 1 && isdigit((unsigned char)*text))
		return *text == '0'   ? NCCL_BY_TREE
		       : *text == '1' ? NCCL_BY_RING
		                      : NCCL_BY_OTHER;
	return named(text, len);
}
