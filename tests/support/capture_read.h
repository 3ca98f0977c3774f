/* SPDX-License-Identifier: Apache-2.0 */
/* A capture as one array, read in batches of a size that the test chooses. */
#ifndef TESTS_CAPTURE_READ_H
#define TESTS_CAPTURE_READ_H

#include "capture/reader.h"

#define CAPTURE_READ_INTERFACES 16

struct capture_read {
	struct packet *packet; /* their data are copies */
	uint32_t n;
	struct capture_interface interface[CAPTURE_READ_INTERFACES];
	uint32_t n_interfaces;
	struct capture_section section;
	char format[64];
	bool cut;
	int rc; /* of opening or of the last fill: 0 at the end of the file */
	struct err err;
};

void capture_read(struct capture_read *c, const char *path, const struct reader_options *o,
        uint32_t batch);
void capture_read_fini(struct capture_read *c);

#endif
