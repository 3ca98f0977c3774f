/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/imports/chakra_trace.h"

#include <errno.h>
#include <inttypes.h>
#include <scenarios/imports/chakra.pb-c.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/rng.h"

#define MAX_MESSAGE_BYTES (64u << 20)

struct reader {
	struct chakra_trace *t;
	const uint8_t *data;
	size_t len, at;
	struct err *e;
};

static int bad(const struct reader *r, size_t at, const char *why, const char *what)
{
	return err_set(r->e, -EINVAL, "%s: byte %zu: %s%s", r->t->name, at, why, what);
}

static int no_memory(const struct reader *r)
{
	return err_set(r->e, -ENOMEM, "%s: no memory for its nodes", r->t->name);
}

/* A varint of at most 32 bits. */
static int take_length(struct reader *r, size_t *length)
{
	const size_t begin = r->at;
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 35; shift += 7) {
		if (r->at == r->len)
			return bad(r, begin, "the file is cut short in the length of a message",
			        "");
		v |= (uint64_t)(r->data[r->at] & 0x7f) << shift;
		if (!(r->data[r->at++] & 0x80)) {
			*length = v;
			if (v > MAX_MESSAGE_BYTES)
				return bad(r, begin, "a message of more than 64 MiB: ",
				        "is this an execution trace?");
			if (v > r->len - r->at)
				return bad(r, begin, "the file is cut short: ",
				        "a message is longer than what is left");
			return 0;
		}
	}
	return bad(r, begin, "no length of a message: ", "is this an execution trace?");
}

/* Some writers put every attribute down as text. */
static bool whole_text(const char *text, int64_t *v)
{
	const size_t n = strspn(text, "0123456789");

	if (!n || n > 18 || text[n])
		return false;
	*v = strtoll(text, NULL, 10);
	return true;
}

static bool whole(const Chakra__Attribute *a, int64_t *v)
{
	switch (a->value_case) {
	case CHAKRA__ATTRIBUTE__VALUE_INT32_VAL:
		*v = a->int32_val;
		return true;
	case CHAKRA__ATTRIBUTE__VALUE_INT64_VAL:
		*v = a->int64_val;
		return true;
	case CHAKRA__ATTRIBUTE__VALUE_UINT32_VAL:
		*v = a->uint32_val;
		return true;
	case CHAKRA__ATTRIBUTE__VALUE_UINT64_VAL:
		*v = a->uint64_val > INT64_MAX ? INT64_MAX : (int64_t)a->uint64_val;
		return true;
	case CHAKRA__ATTRIBUTE__VALUE_SINT32_VAL:
		*v = a->sint32_val;
		return true;
	case CHAKRA__ATTRIBUTE__VALUE_SINT64_VAL:
		*v = a->sint64_val;
		return true;
	case CHAKRA__ATTRIBUTE__VALUE_FIXED32_VAL:
		*v = a->fixed32_val;
		return true;
	case CHAKRA__ATTRIBUTE__VALUE_FIXED64_VAL:
		*v = a->fixed64_val > INT64_MAX ? INT64_MAX : (int64_t)a->fixed64_val;
		return true;
	case CHAKRA__ATTRIBUTE__VALUE_SFIXED32_VAL:
		*v = a->sfixed32_val;
		return true;
	case CHAKRA__ATTRIBUTE__VALUE_SFIXED64_VAL:
		*v = a->sfixed64_val;
		return true;
	case CHAKRA__ATTRIBUTE__VALUE_STRING_VAL:
		return whole_text(a->string_val, v);
	default:
		return false;
	}
}

static uint64_t hash_name(const char *name)
{
	uint64_t h = 1;

	for (; *name; name++)
		h = hash_combine(h, (unsigned char)*name);
	return h ? h : 1;
}

/* *has: bit per attribute of those below. */
static int take_attributes(struct reader *r, struct chakra_node *n, const Chakra__Node *from,
        size_t at, unsigned *has)
{
	static const char *const name[] = {
	        "comm_size", "comm_type", "comm_src", "comm_dst", "comm_tag", "root"};
	int64_t v;

	for (size_t i = 0; i < from->n_attr; i++) {
		const Chakra__Attribute *a = from->attr[i];

		if ((!strcmp(a->name, "pg_name") || !strcmp(a->name, "comm_group")) &&
		        a->value_case == CHAKRA__ATTRIBUTE__VALUE_STRING_VAL)
			n->group = hash_name(a->string_val);
		for (unsigned k = 0; k < sizeof(name) / sizeof(name[0]); k++) {
			if (strcmp(a->name, name[k]) != 0)
				continue;
			if (!whole(a, &v))
				return bad(r, at,
				        "a node with an attribute that is no whole number: ",
				        name[k]);
			if (v < 0 || (k && v > INT32_MAX) || v > INT64_MAX / 65536)
				return bad(r, at,
				        "a node whose size, rank or tag is out of range: ",
				        name[k]);
			*has |= 1u << k;
			if (k == 0)
				n->bytes = v;
			else if (k == 1)
				n->collective = v < CHAKRA_COLLECTIVES ? (uint8_t)v : UINT8_MAX;
			else if (k == 4)
				n->tag = (uint32_t)v;
			else if (k == 5)
				n->root = (uint32_t)v;
			else if ((k == 2) == (n->type == CHAKRA_RECV))
				n->peer = (uint32_t)v;
		}
	}
	return 0;
}

static int check_node(struct reader *r, const struct chakra_node *n, size_t at, unsigned has)
{
	if (n->type == CHAKRA_COLL && (has & 3) != 3)
		return bad(r, at, "a collective without ", "comm_type or comm_size");
	if (n->type == CHAKRA_COLL && n->collective == UINT8_MAX)
		return bad(r, at, "a collective of a kind that is not known: ", "comm_type");
	if (n->type == CHAKRA_SEND && (has & 9) != 9)
		return bad(r, at, "a send without ", "comm_size or comm_dst");
	if (n->type == CHAKRA_RECV && (has & 5) != 5)
		return bad(r, at, "a receive without ", "comm_size or comm_src");
	return 0;
}

static int take_deps(
        struct reader *r, struct chakra_node *n, const uint64_t *id, size_t count, size_t at)
{
	struct chakra_trace *t = r->t;

	if (count > CHAKRA_MAX_DEPS - t->n_deps)
		return bad(r, at, "more dependencies than are read: ", "split the trace");
	while (t->n_deps + count > t->room_deps) {
		uint32_t room = t->room_deps ? 2 * t->room_deps : 256;
		void *more = realloc(t->dep, room * sizeof(*t->dep));

		if (!more)
			return no_memory(r);
		t->dep = more;
		t->room_deps = room;
	}
	for (size_t i = 0; i < count; i++)
		t->dep[t->n_deps++] = id[i];
	n->n_deps += (uint32_t)count;
	return 0;
}

static int add_node(struct reader *r, const Chakra__Node *from, size_t at)
{
	struct chakra_trace *t = r->t;
	struct chakra_node n = {.id = from->id,
	        .type = from->type >= 0 && from->type <= CHAKRA_COLL ? (uint8_t)from->type : 0,
	        .offset = (uint32_t)at,
	        .root = CHAKRA_NO_ROOT,
	        .first_dep = t->n_deps};
	unsigned has = 0;
	int rc;

	if (from->duration_micros > INT64_MAX / 2000)
		return bad(r, at, "a node that lasts longer than time does", "");
	n.duration_ns = (int64_t)from->duration_micros * 1000;
	if (t->n == CHAKRA_MAX_NODES)
		return bad(r, at, "more nodes than are read: ", "split the trace");
	if (t->n == t->room) {
		uint32_t room = t->room ? 2 * t->room : 64;
		void *more = realloc(t->node, room * sizeof(*t->node));

		if (!more)
			return no_memory(r);
		t->node = more;
		t->room = room;
	}
	rc = take_attributes(r, &n, from, at, &has);
	if (!rc)
		rc = check_node(r, &n, at, has);
	if (!rc)
		rc = take_deps(r, &n, from->data_deps, from->n_data_deps, at);
	if (!rc)
		rc = take_deps(r, &n, from->ctrl_deps, from->n_ctrl_deps, at);
	if (!rc)
		t->node[t->n++] = n;
	return rc;
}

static int take_node(struct reader *r)
{
	const size_t at = r->at;
	Chakra__Node *node;
	size_t length;
	int rc = take_length(r, &length);

	if (rc)
		return rc;
	node = chakra__node__unpack(NULL, length, r->data + r->at);
	if (!node)
		return bad(r, at, "no node of an execution trace: ",
		        "the message does not fit the schema");
	rc = add_node(r, node, at);
	chakra__node__free_unpacked(node, NULL);
	r->at += length;
	return rc;
}

int chakra_trace_parse(struct chakra_trace *out, const char *name, const uint8_t *data,
        size_t len, struct err *e)
{
	struct reader r = {.t = out, .data = data, .len = len, .e = e};
	size_t length = 0;
	int rc;

	*out = (struct chakra_trace){.name = name};
	rc = take_length(&r, &length); /* GlobalMetadata: a version, nothing that counts here */
	r.at += rc ? 0 : length;
	while (!rc && r.at < r.len)
		rc = take_node(&r);
	if (!rc && !out->n)
		rc = bad(&r, r.at, "no node in it", "");
	if (rc)
		chakra_trace_fini(out);
	return rc;
}

void chakra_trace_fini(struct chakra_trace *t)
{
	free(t->node);
	free(t->dep);
	*t = (struct chakra_trace){0};
}
