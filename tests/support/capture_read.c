/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/capture_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/check.h"

static void keep(struct capture_read *c, const struct packet_batch *b)
{
	CHECK(b->n <= b->max);
	CHECK(!b->n || b->first_number == c->n + 1);
	c->packet = realloc(c->packet, (c->n + b->n + 1) * sizeof(*c->packet));
	CHECK(c->packet);
	for (uint32_t i = 0; i < b->n; i++) {
		struct packet *p = &c->packet[c->n++];
		uint8_t *data = malloc(b->packet[i].cap_bytes + 1);

		CHECK(data);
		*p = b->packet[i];
		CHECK(p->cap_bytes <= p->wire_bytes);
		memcpy(data, p->data, p->cap_bytes);
		p->data = data;
	}
}

void capture_read(struct capture_read *c, const char *path, const struct reader_options *o,
        uint32_t batch)
{
	struct packet_batch b;
	struct reader *r;

	*c = (struct capture_read){0};
	c->rc = reader_open(&r, path, o, &c->err);
	if (c->rc) {
		CHECK(!r && c->err.msg[0]);
		return;
	}
	CHECK(packet_batch_init(&b, batch, &c->err) == 0);
	do {
		c->rc = reader_fill(r, &b, &c->err);
		CHECK(c->rc < 0 || (uint32_t)c->rc == b.n);
		keep(c, &b);
	} while (c->rc > 0);
	CHECK(c->rc == 0 || c->err.msg[0]);
	c->n_interfaces = reader_n_interfaces(r);
	for (uint32_t i = 0; i < c->n_interfaces && i < CAPTURE_READ_INTERFACES; i++)
		c->interface[i] = *reader_interface(r, i);
	c->section = *reader_section(r);
	(void)snprintf(c->format, sizeof(c->format), "%s", reader_format(r));
	c->cut = reader_cut(r);
	packet_batch_fini(&b);
	reader_close(r);
}

void capture_read_fini(struct capture_read *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		free((void *)(uintptr_t)c->packet[i].data);
	free(c->packet);
	*c = (struct capture_read){0};
}
