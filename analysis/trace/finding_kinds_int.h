/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of finding; finding_texts_*.c. */
#ifndef FINDING_KINDS_INT_H
#define FINDING_KINDS_INT_H

#include "analysis/trace/finding.h"

extern const struct finding_kind finding_deadlock, finding_pause_storm, finding_slow_receiver,
        finding_pause_ignored, finding_late_pause, finding_link_level_pause, finding_link_down,
        finding_down_trained_link, finding_corruption, finding_random_loss, finding_switch_loss,
        finding_out_of_order, finding_data_on_lossy_priority, finding_data_on_wrong_priority,
        finding_no_congestion_control, finding_loss_without_pfc, finding_cnp_in_wrong_queue,
        finding_cnp_throttled, finding_ce_without_cnp, finding_cnp_ignored,
        finding_cnp_without_ce, finding_switch_without_ecn, finding_non_ect,
        finding_pfc_without_ecn, finding_pfc_before_ecn, finding_mark_without_queue,
        finding_deep_buffer, finding_one_source_port, finding_ecmp_collision, finding_rnr,
        finding_remote_access_error, finding_invalid_request, finding_remote_operation_error,
        finding_nak_other, finding_icrc_rewritten, finding_malformed, finding_capture_loss,
        finding_watchdog_drop, finding_lossless_drop, finding_cnp_lost, finding_head_of_line,
        finding_victim_flow, finding_loss_hidden, finding_timeout_recovery,
        finding_unacknowledged, finding_incast, finding_microburst;

#endif
