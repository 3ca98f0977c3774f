/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one knob table: every group of rows of every module, found by the path that stands in a
 * scenario. Paths are written with [] for any list index: "workload[].senders". Constant data.
 */
#ifndef KNOB_TABLE_H
#define KNOB_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "dataplane/base/knob.h"

#define KNOB_PATH_BYTES 256

struct knob_slot {
	const struct knob_group *group;
	size_t offset; /* of its struct in struct scenario; KNOB_PER_ENTRY: one for each list
	                  entry */
};

#define KNOB_PER_ENTRY ((size_t)-1)

extern const struct knob_slot knob_table[]; /* group NULL at the end */

/* "fabric.switch" and "ecn.kmin" -> "fabric.switch.ecn.kmin"; false if it does not fit. */
bool knob_join(char out[KNOB_PATH_BYTES], const char *path, const char *key);

/* The rows of one path: usually one, two where a key has two forms. Pass NULL first, then the
 * former answer; *slot tells its group. */
const struct knob *knob_next(
        const struct knob_slot **slot, const struct knob *former, const char *path);

/* Is path a step on the way to some row: "fabric", "fabric.switch.ecn", "workload[]"? */
bool knob_is_section(const char *path);

/* "watchdog: off" is short for the first key of that section where it can be off: its row, or
 * NULL. */
const struct knob *knob_off_row(const struct knob_slot **slot, const char *section);

/* Of the keys that may stand directly in a section ("" for the top), the one that `want` looks
 * like; false if none does. */
bool knob_nearest_child(char out[KNOB_PATH_BYTES], const char *section, const char *want);

/* "kmin, kmax, pmax": those keys, cut with "..." where they do not fit. Returns buf. */
const char *knob_list_children(char *buf, size_t len, const char *section);

/* Is key the whole path or the last of its steps: "fabric.nic.priority" ends in "nic.priority".
 */
bool knob_ends_in(const char *full, const char *key);

/* The full path of the first row whose path ends in this key or steps; false if there is none.
 */
bool knob_find_elsewhere(char out[KNOB_PATH_BYTES], const char *key);

/* The row that decides which others apply: the first of a group where any row has `applies`. */
const struct knob *knob_choice(const struct knob_group *g);

/* Does the row apply when the group's choice has this value? KNOB_NO_CHOICE: not known, all do.
 */
#define KNOB_NO_CHOICE INT64_C(-1)
bool knob_applies(const struct knob *row, int64_t choice);

/* Is text one of the row's words? */
bool knob_has_word(const struct knob *row, const char *text);

/* The word of a value, or NULL. */
const char *knob_word_of(const struct knob *row, int64_t value);

#endif
