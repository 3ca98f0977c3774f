/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of workload[] that collectives read; load_knobs.c puts them into its table. */
#ifndef LOAD_KNOBS_COLLECTIVE_H
#define LOAD_KNOBS_COLLECTIVE_H

#include "gen/load/load.h"

#define ON(kind) (1u << LOAD_##kind)
#define FIELD(f) offsetof(struct load_cfg, f)
#define COLLECT  (ON(ALL_REDUCE) | ON(ALL_GATHER) | ON(REDUCE_SCATTER))

extern const struct knob_word load_channel_orders[];

#define LOAD_ROWS_COLLECTIVE                                                                   \
	{.key = "buffer",                                                                      \
	        .type = KNOB_SIZE,                                                             \
	        .offset = FIELD(buffer_bytes),                                                 \
	        .min = 1,                                                                      \
	        .max = INT64_C(1) << 40,                                                       \
	        .doc = "Size of the collective as nccl-tests prints it: what each rank "       \
	               "reduces "                                                              \
	               "or broadcasts, what all ranks gather together.",                       \
	        .applies = COLLECT},                                                           \
	        {.key = "channels",                                                            \
	                .type = KNOB_COUNT,                                                    \
	                .offset = FIELD(channels),                                             \
	                .min = 1,                                                              \
	                .max = LOAD_MAX_CHANNELS,                                              \
	                .def = "1",                                                            \
	                .doc = "Channels: each has its slice of the buffer, its own order of " \
	                       "ranks, "                                                       \
	                       "queue pairs and program, and all run side by side.",           \
	                .source = "squall: one ring; NCCL opens 2 to 32 by the topology",      \
	                .applies = COLLECT},                                                   \
	        {.key = "channel_order",                                                       \
	                .type = KNOB_WORD,                                                     \
	                .offset = FIELD(channel_order),                                        \
	                .def = "same",                                                         \
	                .words = load_channel_orders,                                          \
	                .doc = "Orders of the ranks. same: every channel by rank; alternate: " \
	                       "every "                                                        \
	                       "other one backwards; stride: channel k by the k-th stride "    \
	                       "that has no "                                                  \
	                       "divisor in common with the number of ranks.",                  \
	                .source = "NCCL: channels on the same NICs repeat the ring",           \
	                .applies = COLLECT},                                                   \
	        {.key = "chunk",                                                               \
	                .type = KNOB_SIZE,                                                     \
	                .offset = FIELD(chunk_bytes),                                          \
	                .min = 1,                                                              \
	                .max = INT64_C(1) << 30,                                               \
	                .def = "2MiB",                                                         \
	                .doc = "What one step moves on one channel at most; larger parts go "  \
	                       "in loops.",                                                    \
	                .source =                                                              \
	                        "NCCL: NCCL_BUFFSIZE 4 MiB, 8 steps of which a chunk takes 4", \
	                .applies = COLLECT},                                                   \
	{                                                                                      \
		.key = "slices", .type = KNOB_COUNT, .offset = FIELD(slices), .min = 1,        \
		.max = 64, .def = "2",                                                         \
		.doc = "Messages that a chunk goes in, so that one is on the wire while the "  \
		       "next is awaited; fewer where they would be below 32 KiB.",             \
		.source = "NCCL: a chunk of 4 steps goes in slices of 2, at least 1/32 of 1 "  \
		          "MiB",                                                               \
		.applies = COLLECT                                                             \
	}

#endif
