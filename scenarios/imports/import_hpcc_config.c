/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "dataplane/base/nearest.h"
#include "scenarios/imports/import_hpcc_files.h"
#include "scenarios/imports/import_hpcc_text.h"

enum form { FORM_COUNT, FORM_REAL, FORM_RATE, FORM_NAME, FORM_MAP, FORM_LINK_DOWN };

/* def: what that simulator takes when the key is absent; NULL: it then has no usable value. */
static const struct {
	const char *key;
	enum form form;
	double min, max;
	const char *def;
} keys[HPCC_N_KEYS] = {
        [HPCC_CC_MODE] = {"CC_MODE", FORM_COUNT, 0, 1000, "1"},
        [HPCC_ENABLE_QCN] = {"ENABLE_QCN", FORM_COUNT, 0, 1, "1"},
        [HPCC_PACKET_PAYLOAD_SIZE] = {"PACKET_PAYLOAD_SIZE", FORM_COUNT, 1, 9000, "1000"},
        [HPCC_TOPOLOGY_FILE] = {"TOPOLOGY_FILE", FORM_NAME, 0, 0, "topology.txt"},
        [HPCC_FLOW_FILE] = {"FLOW_FILE", FORM_NAME, 0, 0, "flow.txt"},
        [HPCC_SIMULATOR_STOP_TIME] = {"SIMULATOR_STOP_TIME", FORM_REAL, 1e-9, 1e6, "3.01"},
        [HPCC_ALPHA_RESUME_INTERVAL] = {"ALPHA_RESUME_INTERVAL", FORM_REAL, 1, 1e6, "55"},
        [HPCC_RATE_DECREASE_INTERVAL] = {"RATE_DECREASE_INTERVAL", FORM_REAL, 1, 1e6, "4"},
        [HPCC_CLAMP_TARGET_RATE] = {"CLAMP_TARGET_RATE", FORM_COUNT, 0, 1, "0"},
        [HPCC_RP_TIMER] = {"RP_TIMER", FORM_REAL, 1, 1e6, NULL},
        [HPCC_EWMA_GAIN] = {"EWMA_GAIN", FORM_REAL, 0x1p-32, 1, NULL},
        [HPCC_FAST_RECOVERY_TIMES] = {"FAST_RECOVERY_TIMES", FORM_COUNT, 0, 1000, "5"},
        [HPCC_RATE_AI] = {"RATE_AI", FORM_RATE, 0, 0, NULL},
        [HPCC_RATE_HAI] = {"RATE_HAI", FORM_RATE, 0, 0, NULL},
        [HPCC_MIN_RATE] = {"MIN_RATE", FORM_RATE, 0, 0, "100Mb/s"},
        [HPCC_ERROR_RATE_PER_LINK] = {"ERROR_RATE_PER_LINK", FORM_REAL, 0, 1, "0"},
        [HPCC_L2_ACK_INTERVAL] = {"L2_ACK_INTERVAL", FORM_COUNT, 0, 1e9, NULL},
        [HPCC_L2_BACK_TO_ZERO] = {"L2_BACK_TO_ZERO", FORM_COUNT, 0, 1, "0"},
        [HPCC_HAS_WIN] = {"HAS_WIN", FORM_COUNT, 0, 1, "1"},
        [HPCC_GLOBAL_T] = {"GLOBAL_T", FORM_COUNT, 0, 1, "1"},
        [HPCC_VAR_WIN] = {"VAR_WIN", FORM_COUNT, 0, 1, "0"},
        [HPCC_RATE_BOUND] = {"RATE_BOUND", FORM_COUNT, 0, 1, "1"},
        [HPCC_ACK_HIGH_PRIO] = {"ACK_HIGH_PRIO", FORM_COUNT, 0, 1, "0"},
        [HPCC_LINK_DOWN] = {"LINK_DOWN", FORM_LINK_DOWN, 0, 0, "0"},
        [HPCC_PAUSE_TIME] = {"PAUSE_TIME", FORM_REAL, 0, 65535, "5"},
        [HPCC_KMAX_MAP] = {"KMAX_MAP", FORM_MAP, 0, 4e6, NULL},
        [HPCC_KMIN_MAP] = {"KMIN_MAP", FORM_MAP, 0, 4e6, NULL},
        [HPCC_PMAX_MAP] = {"PMAX_MAP", FORM_MAP, 0, 1, NULL},
        [HPCC_BUFFER_SIZE] = {"BUFFER_SIZE", FORM_COUNT, 1, 4095, "16"},
};

/* Read and dropped: output, tracing, other algorithms, and values that this model never uses.
 */
static const char *const without_effect[] = {"USE_DYNAMIC_PFC_THRESHOLD", "DATA_RATE",
        "LINK_DELAY", "L2_CHUNK_SIZE", "TRACE_FILE", "TRACE_OUTPUT_FILE", "FCT_OUTPUT_FILE",
        "PFC_OUTPUT_FILE", "MI_THRESH", "FAST_REACT", "U_TARGET", "INT_MULTI", "DCTCP_RATE_AI",
        "ENABLE_TRACE", "QLEN_MON_FILE", "QLEN_MON_START", "QLEN_MON_END", "MULTI_RATE",
        "SAMPLE_FEEDBACK", "PINT_LOG_BASE", "PINT_PROB"};

const double *hpcc_map_find(const struct hpcc_map *m, int64_t rate_bps)
{
	for (uint32_t i = 0; i < m->n; i++)
		if (m->rate_bps[i] == rate_bps)
			return &m->value[i];
	return NULL;
}

static struct hpcc_map *map_of(struct hpcc_config *c, enum hpcc_key k)
{
	return k == HPCC_KMAX_MAP ? &c->kmax_kb : k == HPCC_KMIN_MAP ? &c->kmin_kb : &c->pmax;
}

static int read_map(struct hpcc_text *t, struct hpcc_config *c, enum hpcc_key k, struct err *e)
{
	struct hpcc_map *m = map_of(c, k);
	int64_t n, kb;
	int rc;

	rc = hpcc_text_count(t, &n, 1, HPCC_MAP_MAX, "the number of rates in the map", e);
	for (int64_t i = 0; i < n && !rc; i++) {
		int64_t rate_bps;

		rc = hpcc_text_count(t, &rate_bps, 1, INT64_C(10000000000000),
		        "a rate in the map, in bits per second", e);
		if (rc)
			return rc;
		if (hpcc_map_find(m, rate_bps))
			return hpcc_text_error(t, e, "%s has the rate %lld twice; keep one",
			        keys[k].key, (long long)rate_bps);
		m->rate_bps[m->n] = rate_bps;
		if (k == HPCC_PMAX_MAP) {
			rc = hpcc_text_real(t, &m->value[m->n], keys[k].min, keys[k].max,
			        "a marking probability in PMAX_MAP", e);
		} else {
			rc = hpcc_text_count(t, &kb, (int64_t)keys[k].min, (int64_t)keys[k].max,
			        "a queue length in the map, in KB", e);
			m->value[m->n] = (double)kb;
		}
		m->n++;
	}
	return rc;
}

static int read_link_down(struct hpcc_text *t, struct hpcc_config *c, struct err *e)
{
	int64_t unused;
	int rc;

	rc = hpcc_text_count(
	        t, &c->count[HPCC_LINK_DOWN], 0, INT64_MAX, "the time in LINK_DOWN", e);
	for (int i = 0; i < 2 && !rc; i++)
		rc = hpcc_text_count(
		        t, &unused, 0, UINT32_MAX, "a node in LINK_DOWN (time node node)", e);
	return rc;
}

/* Only the last part: the files lie in the folder whatever directory the simulator ran in. */
static int read_name(
        struct hpcc_text *t, char out[HPCC_FILE_NAME_MAX + 1], const char *key, struct err *e)
{
	const char *base;

	if (!hpcc_text_word(t))
		return hpcc_text_error(
		        t, e, "the file ends where the value of %s was expected", key);
	base = strrchr(t->word, '/');
	base = base ? base + 1 : t->word;
	if (t->word_cut || !base[0] || !strcmp(base, ".") || !strcmp(base, "..") ||
	        strlen(base) > HPCC_FILE_NAME_MAX)
		return hpcc_text_error(t, e,
		        "%s: expected the name of a file in this folder, at most %d characters",
		        key, HPCC_FILE_NAME_MAX);
	memcpy(out, base, strlen(base) + 1);
	return 0;
}

static int read_value(
        struct hpcc_text *t, struct hpcc_config *c, enum hpcc_key k, struct err *e)
{
	switch (keys[k].form) {
	case FORM_COUNT:
		return hpcc_text_count(t, &c->count[k], (int64_t)keys[k].min,
		        (int64_t)keys[k].max, keys[k].key, e);
	case FORM_REAL:
		return hpcc_text_real(t, &c->real[k], keys[k].min, keys[k].max, keys[k].key, e);
	case FORM_RATE:
		return hpcc_text_rate(t, &c->count[k], keys[k].key, e);
	case FORM_NAME:
		return read_name(t, k == HPCC_FLOW_FILE ? c->flow_file : c->topology_file,
		        keys[k].key, e);
	case FORM_MAP:
		return read_map(t, c, k, e);
	case FORM_LINK_DOWN:
		return read_link_down(t, c, e);
	}
	return 0;
}

static int refuse(const struct hpcc_config *c, enum hpcc_key k, struct err *e, const char *why)
{
	return err_set(e, -EINVAL, "%s:%u: %s: %s", c->path, c->line[k], keys[k].key, why);
}

/* What this program cannot do, each with what it can. */
static int check(const struct hpcc_config *c, struct err *e)
{
	if (c->count[HPCC_CC_MODE] != 1)
		return refuse(c, HPCC_CC_MODE, e,
		        "only CC_MODE 1 (DCQCN) can be simulated; HPCC (3), TIMELY (7), DCTCP "
		        "(8) "
		        "and HPCC-PINT (10) cannot");
	if (c->real[HPCC_ERROR_RATE_PER_LINK] > 0)
		return refuse(c, HPCC_ERROR_RATE_PER_LINK, e,
		        "links with random errors cannot be simulated; set it to 0");
	if (c->count[HPCC_LINK_DOWN] > 0)
		return refuse(c, HPCC_LINK_DOWN, e,
		        "links that go down cannot be simulated; set it to 0 0 0");
	if (c->count[HPCC_L2_BACK_TO_ZERO])
		return refuse(c, HPCC_L2_BACK_TO_ZERO, e,
		        "going back to the start of a chunk cannot be simulated; 0 is "
		        "go-back-N");
	if (!c->count[HPCC_RATE_BOUND])
		return refuse(c, HPCC_RATE_BOUND, e,
		        "sending without regard to the rate cannot be simulated; set it to 1");
	if (c->real[HPCC_PAUSE_TIME] < 1)
		return refuse(c, HPCC_PAUSE_TIME, e,
		        "a pause of less than 1 us means resume there; set it to 1 or more "
		        "(any "
		        "pause lasts until it is ended)");
	if (c->count[HPCC_L2_ACK_INTERVAL] < 1 ||
	        c->count[HPCC_L2_ACK_INTERVAL] > c->count[HPCC_PACKET_PAYLOAD_SIZE])
		return refuse(c, HPCC_L2_ACK_INTERVAL, e,
		        "expected 1 to PACKET_PAYLOAD_SIZE, which is an ACK for each packet; 0 "
		        "turns ACKs off, and a larger value only delays a flow's first ACK "
		        "there");
	return 0;
}

static int defaults(struct hpcc_config *c, struct err *e)
{
	for (int k = 0; k < HPCC_N_KEYS; k++) {
		struct hpcc_text t = {.path = "default", .line = 1};
		char def[32];
		int rc;

		if (c->line[k])
			continue;
		if (!keys[k].def)
			return err_set(e, -EINVAL,
			        "%s: the key %s is missing; that simulator has no usable "
			        "default "
			        "for it, so add a line \"%s VALUE\"",
			        c->path, keys[k].key, keys[k].key);
		t.len = (size_t)snprintf(def, sizeof(def), "%s%s", keys[k].def,
		        keys[k].form == FORM_LINK_DOWN ? " 0 0" : "");
		t.text = def;
		rc = read_value(&t, c, (enum hpcc_key)k, e);
		if (rc)
			return rc;
	}
	return 0;
}

static bool has_no_effect(const char *key)
{
	for (size_t i = 0; i < sizeof(without_effect) / sizeof(without_effect[0]); i++)
		if (!strcmp(key, without_effect[i]))
			return true;
	return false;
}

static void note_unknown(struct hpcc_text *t, struct import_notes *notes)
{
	struct nearest near;
	char shown[64];
	const char *maybe;

	nearest_init(&near, t->word);
	for (int k = 0; k < HPCC_N_KEYS; k++)
		nearest_offer(&near, keys[k].key);
	maybe = nearest_get(&near);
	import_note(notes, "%s:%u: the key %s is not known and was ignored%s%s%s", t->path,
	        t->word_line, hpcc_text_shown(t, shown), maybe ? " (did you mean " : "",
	        maybe ? maybe : "", maybe ? "?)" : "");
}

static int read_key(
        struct hpcc_text *t, struct hpcc_config *c, struct import_notes *notes, struct err *e)
{
	int rc;

	for (int k = 0; k < HPCC_N_KEYS; k++) {
		if (strcmp(t->word, keys[k].key))
			continue;
		if (c->line[k])
			return hpcc_text_error(t, e,
			        "%s stands twice, first on line %u; keep one", keys[k].key,
			        c->line[k]);
		c->line[k] = t->word_line;
		rc = read_value(t, c, (enum hpcc_key)k, e);
		if (!rc && hpcc_text_skip_line(t))
			import_note(notes, "%s:%u: what follows the value of %s was ignored",
			        t->path, t->word_line, keys[k].key);
		return rc;
	}
	if (t->word[0] != '#' && !has_no_effect(t->word))
		note_unknown(t, notes);
	(void)hpcc_text_skip_line(t); /* its value, whatever it is */
	return 0;
}

int hpcc_config_read(
        struct hpcc_config *c, const char *dir, struct import_notes *notes, struct err *e)
{
	struct hpcc_text t;
	int rc;

	memset(c, 0, sizeof(*c));
	rc = hpcc_text_open(&t, dir, "config.txt", e);
	if (rc)
		return rc;
	memcpy(c->path, t.path, sizeof(c->path));
	while (!rc && hpcc_text_word(&t))
		rc = read_key(&t, c, notes, e);
	hpcc_text_close(&t);
	if (!rc)
		rc = defaults(c, e);
	return rc ? rc : check(c, e);
}
