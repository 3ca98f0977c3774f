/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/imports/export_goal_note.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* What a schedule has no words for. */
static bool has_settings(const struct scenario *s)
{
	for (uint32_t k = 0; k < s->n_entries; k++) {
		const struct load_cfg *c = &s->entry[k].cfg;

		if (c->priority >= 0 || c->dscp >= 0 || c->transport != TRANSPORT_RC ||
		        c->udp_source_port || c->qps > 1)
			return true;
	}
	return false;
}

/* Chunks follow each other on a queue pair while other ends of it are waited for. */
static bool has_pipelines(const struct scenario *s)
{
	for (uint32_t k = 0; k < s->n_entries; k++) {
		const struct load_cfg *c = &s->entry[k].cfg;

		if (c->pattern == LOAD_BROADCAST ||
		        (c->pattern == LOAD_ALL_REDUCE &&
		                (c->algorithm == ALGORITHM_TREE ||
		                        c->algorithm == ALGORITHM_DOUBLE_TREE)))
			return true;
	}
	return false;
}

/* As many links between switches as switches: some of them close a circle. */
static bool has_equal_paths(const struct topo *t)
{
	uint32_t ends = 0, switches = t->n_nodes - t->n_hosts;

	for (uint32_t i = t->n_hosts; i < t->n_nodes; i++)
		for (uint32_t p = 0; p < t->node[i].n_ports; p++)
			ends += t->port[t->node[i].first_port + p].peer_node >= t->n_hosts;
	return ends / 2 >= switches;
}

static void PRINTF_LIKE(2, 3) say(char note[EXPORT_NOTE_BYTES], const char *format, ...)
{
	size_t len = strlen(note);
	va_list ap;

	va_start(ap, format);
	if (len && len + 2 < EXPORT_NOTE_BYTES)
		len += (size_t)snprintf(note + len, EXPORT_NOTE_BYTES - len, "; ");
	(void)vsnprintf(note + len, EXPORT_NOTE_BYTES - len, format, ap);
	va_end(ap);
}

void export_goal_note(
        char note[EXPORT_NOTE_BYTES], const struct goal_losses *l, const struct scenario *s)
{
	note[0] = '\0';
	if (l->cut)
		say(note, "cut after %" PRIu64 " messages", l->messages);
	if (l->rounded)
		say(note, "%" PRIu64 " times are rounded to nanoseconds", l->rounded);
	if (has_pipelines(s))
		say(note, "GOAL keeps the order in which messages start, not the queue pair "
		          "on which they follow each other");
	if (has_settings(s))
		say(note, "GOAL has no priorities, DSCP, transports, ports and queue pairs: "
		          "those of the entries are left out");
	if (l->reuses && s->nic.cc != NIC_CC_NONE)
		say(note, "read back, what waits for something begins on another queue pair at "
		          "line rate, not at the rate that its queue pair had come to");
	if (has_equal_paths(s->topo))
		say(note, "read back, queue pairs have other UDP source ports, so that ECMP "
		          "takes "
		          "other paths");
}
