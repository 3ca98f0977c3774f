/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/fabric/defect.h"

#include <stddef.h>

#include "dataplane/base/units.h"

const struct knob_word fabric_defect_words[] = {
        {"none", FABRIC_SOUND},
#define X(name, word) {word, DEFECT_##name},
        FABRIC_DEFECTS(X)
#undef X
                {NULL, 0},
};

static void kmin_high(struct switch_cfg *cfg)
{
	cfg->ecn_kmin_bytes += (cfg->ecn_kmax_bytes - cfg->ecn_kmin_bytes) / 3 + 4096;
	if (cfg->ecn_kmax_bytes < cfg->ecn_kmin_bytes)
		cfg->ecn_kmax_bytes = cfg->ecn_kmin_bytes;
}

static void watchdog_defect(struct switch_cfg *cfg)
{
	if (cfg->watchdog_detect_ps == WATCHDOG_OFF)
		return;
	switch (cfg->defect) {
	case DEFECT_WATCHDOG_BLIND:
		cfg->watchdog_detect_ps = WATCHDOG_OFF;
		break;
	case DEFECT_WATCHDOG_EARLY:
		cfg->watchdog_detect_ps = cfg->watchdog_detect_ps * 2 / 5;
		break;
	case DEFECT_WATCHDOG_LATE:
		cfg->watchdog_detect_ps *= 2;
		break;
	case DEFECT_WATCHDOG_NEVER_RESTORES:
		cfg->watchdog_restore_ps = TIME_NEVER / 4;
		break;
	case DEFECT_WATCHDOG_ONLY_REPORTS:
		cfg->watchdog_action = WATCHDOG_ALERT;
		break;
	default: /* a matter of pause frames, or of the headroom */
		break;
	}
}

void fabric_defect_apply(struct switch_cfg *cfg)
{
	switch (cfg->defect) {
	case DEFECT_DWRR_IGNORES_WEIGHTS:
		for (int i = 0; i < 8; i++)
			cfg->weights[i] = 1;
		break;
	case DEFECT_STRICT_IGNORED:
		cfg->strict_priorities = 0;
		break;
	case DEFECT_ECN_NEVER:
		cfg->ecn_enabled = 0;
		break;
	case DEFECT_ECN_ALWAYS: /* below what any queue has; an average sees every frame */
		cfg->ecn_kmin_bytes = -2;
		cfg->ecn_kmax_bytes = -1;
		cfg->ecn_average_q32 = Q32_ONE;
		cfg->ecn_non_ect = NON_ECT_PASS;
		break;
	case DEFECT_ECN_AT_ENQUEUE:
		cfg->ecn_point = ECN_ENQUEUE;
		break;
	case DEFECT_ECN_KMIN_HIGH:
		kmin_high(cfg);
		break;
	case DEFECT_ECN_PMAX_LOW:
		cfg->ecn_pmax_q32 /= 2;
		break;
	case DEFECT_LOSSY_PAUSED:
		cfg->pfc_priorities |= 3; /* of lossy ones, those that suites use */
		break;
	default:
		watchdog_defect(cfg);
		break;
	}
}

int64_t fabric_defect_rate_bps(int64_t defect, int64_t rate_bps)
{
	return defect == DEFECT_RATE_LOW ? rate_bps - rate_bps / 100 : rate_bps;
}

int64_t fabric_defect_delay_ps(int64_t defect)
{
	return defect == DEFECT_SLOW_PIPELINE ? PS_PER_US : 0;
}
