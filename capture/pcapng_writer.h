/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes pcapng with nanosecond stamps: one section, interfaces with name, description, clock
 * and speed, packets with direction and comment, interface statistics at the end. capinfos and
 * tshark read it without complaint. A writer belongs to one thread; the stream belongs to the
 * caller (an out_set, a pipe), who flushes and closes it; write errors stay in the stream
 * (ferror).
 *
 * What keeps other readers content: libpcap, and so tcpdump, takes a file of several interfaces
 * only where all have the same link type and snap length; stamps before 1970 are written as 0.
 * The clock's text follows the description in if_description unless nothing is known of it.
 */
#ifndef CAPTURE_PCAPNG_WRITER_H
#define CAPTURE_PCAPNG_WRITER_H

#include <stdio.h>

#include "capture/packet.h"

struct pcapng_writer {
	FILE *f;
	uint32_t n_interfaces;
	uint64_t bytes;
};

/* Section header: application is "squall VERSION"; comment and hardware may be NULL. */
void pcapng_begin(struct pcapng_writer *w, FILE *f, const char *application,
        const char *hardware, const char *comment);
/* Returns the index of the interface; comment NULL: that of i, if any. */
uint32_t pcapng_interface(
        struct pcapng_writer *w, const struct capture_interface *i, const char *comment);
void pcapng_packet(struct pcapng_writer *w, const struct packet *p, const char *comment);
/* The counts of i that are known, at time t_ns. */
void pcapng_statistics(struct pcapng_writer *w, uint32_t interface,
        const struct capture_interface *i, int64_t t_ns);

#endif
