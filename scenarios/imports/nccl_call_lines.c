/* SPDX-License-Identifier: Apache-2.0 */
/* Lines about calls, sizes and NICs. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "scenarios/imports/nccl_algorithm.h"

const char *const nccl_op_name[] = {
        [NCCL_ALL_REDUCE] = "all-reduce",
        [NCCL_ALL_GATHER] = "all-gather",
        [NCCL_REDUCE_SCATTER] = "reduce-scatter",
        [NCCL_BROADCAST] = "broadcast",
        [NCCL_REDUCE] = "reduce",
        [NCCL_ALL_TO_ALL] = "all-to-all",
};

/* enum ncclDataType_t: int8 uint8 int32 uint32 int64 uint64 half float double bfloat16 and two
 * of 8 bits. */
static const uint8_t type_bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};

static const struct {
	const char *name;
	uint8_t bytes;
} type_name[] = {
        {"Int8", 1},
        {"Char", 1},
        {"Uint8", 1},
        {"Int32", 4},
        {"Int64", 8},
        {"Uint32", 4},
        {"Uint64", 8},
        {"Float16", 2},
        {"Half", 2},
        {"Float32", 4},
        {"Float64", 8},
        {"Double", 8},
        {"Bfloat16", 2},
        {"BFloat16", 2},
        {"Float8", 1},
        {"Float", 4},
        {"Int", 4},
};

static int64_t bytes_of_type(const char *text)
{
	const char *at = strstr(text, " datatype ");

	if (!at)
		return 0;
	at += 10;
	if (isdigit((unsigned char)*at)) {
		long v = strtol(at, NULL, 10);

		return v >= 0 && v < (long)sizeof(type_bytes) ? type_bytes[v] : 0;
	}
	for (size_t i = 0; i < sizeof(type_name) / sizeof(type_name[0]); i++)
		if (strstr(at, type_name[i].name))
			return type_name[i].bytes;
	return 0;
}

static int64_t value(const char *text, const char *word, int base)
{
	const char *at = strstr(text, word);

	return at ? strtoll(at + strlen(word), NULL, base) : -1;
}

static const struct call {
	const char *name;
	uint8_t op;    /* enum nccl_op; of a pair 1 receives */
	bool per_rank; /* count is one rank's share of the buffer */
	bool is_pair;
} known_calls[] = {
        {"AllReduce:", NCCL_ALL_REDUCE, false, false},
        {"AllGather:", NCCL_ALL_GATHER, true, false},
        {"ReduceScatter:", NCCL_REDUCE_SCATTER, true, false},
        {"Broadcast:", NCCL_BROADCAST, false, false},
        {"Bcast:", NCCL_BROADCAST, false, false},
        {"Reduce:", NCCL_REDUCE, false, false},
        {"AlltoAll:", NCCL_ALL_TO_ALL, true, false},
        {"AllToAll:", NCCL_ALL_TO_ALL, true, false},
        {"Send:", 0, false, true},
        {"Recv:", 1, false, true},
};

static const struct call *find_call(const char *text)
{
	for (size_t i = 0; i < sizeof(known_calls) / sizeof(known_calls[0]); i++)
		if (!strncmp(text, known_calls[i].name, strlen(known_calls[i].name)))
			return &known_calls[i];
	return NULL;
}

/* "AllGather: 33554432 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..1}", before 2.19
 * "33554432 Bytes -> Algo 1 proto 2 time 123.4". NCCL counts the whole buffer here. */
static int take_tuned(struct nccl_log *l, uint32_t thread, const char *text, struct err *e)
{
	static const char mark[] = " Bytes -> ";
	const char *at = strstr(text, mark), *digits = at;
	const struct call *call = find_call(text);
	struct nccl_tuned t = {.thread = thread, .op = NCCL_OPS};
	int rc;

	if (!at || strncasecmp(at + strlen(mark), "algo ", 5) != 0)
		return 0;
	while (digits > text && isdigit((unsigned char)digits[-1]))
		digits--;
	t.bytes = strtoll(digits, NULL, 10);
	t.by = (uint8_t)nccl_algorithm_picked(at + strlen(mark) + 5);
	if (call && !call->is_pair)
		t.op = call->op;
	if (t.bytes < 1 || t.bytes > INT64_MAX / 65536 || (call && call->is_pair))
		return 1;
	rc = nccl_log_tuned(l, &t, e);
	return rc ? rc : 1;
}

static int other_call(struct nccl_log *l, const char *text)
{
	const size_t len = strcspn(text, ": ");

	if (!l->other_calls++)
		(void)snprintf(l->other_call, sizeof(l->other_call), "%.*s",
		        (int)(len < 39 ? len : 39), text);
	return 1;
}

/* "AllReduce: opCount 3f2 sendbuff 0x.. recvbuff 0x.. count 65536 datatype 7 op 0 root 0
 * comm 0x... [nranks=64] stream 0x..."; the root of "Send:" and "Recv:" is the peer. */
int nccl_log_call_line(struct nccl_log *l, uint32_t thread, const char *text, struct err *e)
{
	struct nccl_call c = {.thread = thread};
	const struct call *call = find_call(text);
	int64_t count = value(text, " count ", 10), nranks = value(text, "[nranks=", 10);
	int64_t size = bytes_of_type(text), ranks = 1;
	int rc = take_tuned(l, thread, text, e);

	if (rc || !strstr(text, ": opCount "))
		return rc;
	if (count == 0) /* sends nothing */
		return 1;
	if (!call || count < 1 || !size || count > INT64_MAX / 8 / 65536)
		return other_call(l, text);
	ranks = call->per_rank && nranks > 0 && nranks <= NCCL_MAX_RANKS ? nranks : 1;
	c.op = call->op;
	c.bytes = count * size * ranks;
	c.op_count = (uint64_t)value(text, "opCount ", 16);
	c.comm = (uint64_t)value(text, " comm 0x", 16);
	c.root = (int32_t)value(text, " root ", 10);
	rc = call->is_pair ? nccl_log_pair(l, &c, e) : nccl_log_call(l, &c, e);
	return rc ? rc : 1;
}

static void name_nic(
        struct nccl_host *h, uint32_t nic, const char *name, size_t len, uint32_t ports)
{
	if (nic >= 64)
		return;
	if (nic >= h->n_nics)
		h->n_nics = nic + 1;
	(void)snprintf(
	        h->nic[nic], sizeof(h->nic[0]), "%.*s", (int)(len < 23 ? len : 23), name);
	h->nic_ports[nic] = (uint8_t)(ports < 255 ? ports : 255);
}

void nccl_host_rate(struct nccl_host *h, int64_t bps)
{
	if (bps > h->nic_bps)
		h->nic_bps = bps;
	if (!h->low_bps || bps < h->low_bps)
		h->low_bps = bps;
}

static void take_speed(struct nccl_host *h, double gigabits)
{
	if (gigabits >= 0.001 && gigabits < 10000)
		nccl_host_rate(h, (int64_t)(gigabits * 1e9));
}

/* "{[0] mlx5_2:1/RoCE, [1] mlx5_3:1/RoCE}": 2. */
static uint32_t ports_in(const char *braces)
{
	const size_t len = strcspn(braces, "}");
	uint32_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += braces[i] == '[';
	return n;
}

/*
 *	NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB/400Gb [RO]; OOB eth0:10.0.0.1<0>
 *	NET/IB : Using [0]={[0] mlx5_2:1/RoCE, [1] mlx5_3:1/RoCE} [1]={...}    ports fused into
 *one
 *	+ NET[12.5] - NET/0 (6216a3feff3e16f8/1/12.500000)                     GB/s
 */
void nccl_log_nics(struct nccl_host *h, const char *text)
{
	const char *p = strstr(text, "Using "), *end, *speed;
	char *after;

	if (strstr(text, "NET[") && strstr(text, "- NET/")) {
		double gigabytes = strtod(strstr(text, "NET[") + 4, NULL);
		const char *exact = strrchr(text, '/');

		if (exact && strtod(exact + 1, NULL) > 0) /* not rounded to a digit */
			gigabytes = strtod(exact + 1, NULL);
		take_speed(h, gigabytes * 8);
		return;
	}
	if (!p || strstr(text, "NET/Socket"))
		return;
	end = strstr(p, "; OOB");
	end = end ? end : p + strlen(p);
	for (p += 6; p < end && (p = strchr(p, '[')) && p < end;) {
		long nic = strtol(p + 1, &after, 10);
		const char *name = after + 1;
		uint32_t ports = 1;
		size_t len;

		if (*after != ']' || after == p + 1) { /* [RO] */
			p++;
			continue;
		}
		if (name[0] == '=' && name[1] == '{') {
			ports = ports_in(name);
			name += 2 + strcspn(name + 2, " ");
			name += *name == ' ';
			p = name + strcspn(name, "}");
		} else {
			p = name;
		}
		len = strcspn(name, ":/ ,}[");
		name_nic(h, (uint32_t)(nic < 0 ? 64 : nic), name, len, ports);
		speed = strstr(name, "Gb");
		if (speed && speed < name + strcspn(name, " ,[") && speed > name) {
			while (isdigit((unsigned char)speed[-1]))
				speed--;
			take_speed(h, strtod(speed, NULL));
		}
	}
}

/* root, algbw and busbw: "size count type redop root time algbw busbw ..." */
static void table_columns(struct nccl_log *l, const char *text)
{
	double algbw, busbw;
	int root;

	if (sscanf(text, "%*s %*s %*s %*s %d %*s %lf %lf", &root, &algbw, &busbw) != 3)
		return;
	l->table_root = root;
	if (algbw > 0 && busbw > 0)
		l->table_bus = busbw / algbw;
}

/* "  1073741824     134217728     float    none      -1   190308    5.64 ..." of nccl-tests,
 * and
 * "# Collective test concluded: all_gather_perf" */
void nccl_log_table(struct nccl_log *l, const char *text)
{
	static const char *const types[] = {
	        "float", "half", "double", "int", "bfloat16", "uint", "fp8", "f8"};
	const char *at = strstr(text, "_perf");
	const char *begin = at;
	char type[16];
	long long bytes, count;

	if (at) {
		while (begin > text && (isalpha((unsigned char)begin[-1]) || begin[-1] == '_'))
			begin--;
		(void)snprintf(l->table_name, sizeof(l->table_name), "%.*s",
		        (int)(at - begin < 30 ? at - begin : 30), begin);
		return;
	}
	text += strspn(text, " ");
	if (!isdigit((unsigned char)*text) ||
	        sscanf(text, "%lld %lld %15s", &bytes, &count, type) != 3 || bytes < 1 ||
	        count < 1)
		return;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (strncmp(type, types[i], strlen(types[i])) != 0)
			continue;
		l->table_reduces |= strstr(text, " sum ") || strstr(text, " prod ") ||
		                    strstr(text, " max ") || strstr(text, " min ") ||
		                    strstr(text, " avg ");
		table_columns(l, text);
		if (l->n_table < 64)
			l->table_bytes[l->n_table++] = bytes;
		else
			l->table_bytes[63] = bytes, l->more_table++;
		return;
	}
}
