/* SPDX-License-Identifier: Apache-2.0 */
/* What the files scenario_*.c share; nobody else includes it. */
#ifndef SCENARIO_INT_H
#define SCENARIO_INT_H

#include <stdbool.h>

#include "scenarios/knob_table.h"
#include "scenarios/scenario.h"
#include "scenarios/scenario_knobs.h"
#include "scenarios/yaml_path.h"

/* Flows that were handed over for workload entry `entry`. */
struct given_flows {
	struct given_flows *next;
	struct load_flow *flow; /* NULL once the entry has taken them over */
	int64_t n_flows;
	uint32_t entry;
};

struct scenario_doc {
	struct yaml_doc yaml;
	const char *base_dir;      /* relative file names start here */
	const char *topology_path; /* kind: file */
	int64_t *host_rate_bps;    /* [n_hosts], for load_env; so are the next ones */
	uint32_t *host_edge;
	uint8_t *host_used;     /* by the entries so far */
	struct topo_node *node; /* scenario_take_links */
	struct topo_link *link;
	uint32_t n_nodes, n_hosts, n_links;
	struct given_flows *flows;
};

/* Walks a mapping and stores what it finds through the knob table. */
struct bind {
	struct scenario *s;  /* whose own structs are filled; NULL: one list entry */
	const char *section; /* generic path of the mapping: "", "workload[]" */
	const char *shown;   /* the same for messages: "workload[3]" */
	const struct knob_group
	        *group; /* of one list entry; NULL: the scenario's own structs */
	void *base;     /* group's struct */
	bool *is_set;   /* [group->n_rows], or NULL */
	struct err *e;
};

/* Defaults, then the mapping's keys, then what must not be missing. */
NODISCARD int scenario_bind_entry(struct bind *b, const struct yaml_node *map);
/* Keys that own's section has go there (its defaults first), all others to the other one. */
NODISCARD int scenario_bind_split(
        struct bind *own, struct bind *other, const struct yaml_node *map);
NODISCARD int scenario_bind_root(struct scenario *s, struct err *e);

/* What is wrong with a key that is not known, and what was probably meant. The section is
 * generic; key has no dots. */
int scenario_unknown_key(struct err *e, const struct yaml_where *at, const char *section,
        const char *shown, const char *key);

/* Keys that the format has and a later release will read. True if path is one; then *rc is 0
 * for a value that asks for nothing, or -EINVAL with the message. */
bool scenario_later_key(
        int *rc, const char *path, const struct yaml_node *value, struct err *e);
bool scenario_later_path(const char *path);
/* "not available yet" for a word of a known key that a later release will take, or NULL. */
const char *scenario_later_word(const char *path, const char *word);

/* One key=value with its rank; where is the position in messages. */
NODISCARD int scenario_put_text(struct scenario *s, const char *key, const char *yaml,
        const char *where, enum yaml_rank rank, struct err *e);

/* Something odd that a person should see; what finds no room is left out. */
void scenario_note(struct scenario *s, const struct yaml_where *at, const char *fmt, ...)
        PRINTF_LIKE(3, 4);

NODISCARD int scenario_bind_measure(struct scenario *s, struct err *e);
NODISCARD int scenario_bind_expect(struct scenario *s, struct err *e);
/* scenario_capture.c: once the topology is built. */
NODISCARD int scenario_bind_capture(struct scenario *s, struct err *e);
NODISCARD int scenario_apply_overrides(struct scenario *s, struct err *e);
NODISCARD int scenario_build_workload(struct scenario *s, struct err *e);

/* Checks that need more than one key: marking thresholds, reservations, priorities. */
NODISCARD int scenario_check(struct scenario *s, struct err *e);
/* After the workload is built: more QPs than there can be; lossy priorities are noted. */
NODISCARD int scenario_check_workload(struct scenario *s, struct err *e);

/* A file name that leads nowhere is bad input, not a broken machine: -EINVAL for it. */
int scenario_mistyped(int code, struct err *e);

/* A message that begins with a path of the document ("workload[0].message: ...") gets that
 * key's position, else the one given. Returns the code, which may be 0. */
int scenario_place_err(
        const struct scenario *s, const struct yaml_node *fallback, int code, struct err *e);

#endif
