/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/load/knobs_collective.h"

const struct knob_word load_channel_orders[] = {
        {"same", CHANNELS_SAME},
        {"alternate", CHANNELS_ALTERNATE},
        {"stride", CHANNELS_STRIDE},
        {NULL, 0},
};
