/* SPDX-License-Identifier: Apache-2.0 */
/* Pauses: what findings mean. Thresholds are those of findings_*.c. */
#include "analysis/trace/finding_kinds_int.h"

const struct finding_kind finding_deadlock = {
        .name = "deadlock",
        .title = "lossless queues wait for each other in a circle",
        .severity = FINDING_ERROR,
        .means = "Every port of the circle is paused by the next device, whose buffer is full "
                 "of packets that wait for its own paused port. None of them can ever go on; "
                 "only a watchdog or a reset ends it. Routes that turn back (after a failure, "
                 "through a host, around a ring) make the dependency possible; any burst can "
                 "close it.",
        .detected = "Pauses that are still open when the capture ends, where a flow passes the "
                    "paused ports one behind the other and the chain of ports comes back to "
                    "where it began. Traffic up and down the same links makes no such chain. "
                    "Needs the ports of all devices of the circle in the capture.",
        .advice = "Break the dependency: up-down routing, a separate priority after a turn, no "
                  "lossless class across the ring. Turn on the PFC watchdog. `squall check` "
                  "lists cyclic buffer dependencies of a topology.",
};

static const uint8_t pause_storm_causes[] = {FINDING_DEADLOCK, FINDING_NONE};
const struct finding_kind finding_pause_storm = {
        .name = "pause-storm",
        .title = "a port asks for pauses without a break",
        .severity = FINDING_ERROR,
        .means = "A NIC, mostly one that hangs, keeps its switch port paused. The switch "
                 "fills up with packets for it, pauses others in turn, and a whole fabric may "
                 "stand still (Guo et al., SIGCOMM 2016, 4.3).",
        .detected =
                "A host asks for pauses, and one pause lasted 1 ms or longer (XOFF repeated "
                "before its quanta ran out, no XON): a receiver that still takes data gives "
                "a buffer's worth of time between XOFF and XON, 0.8 ms for 1 MB at 10 Gb/s. "
                "For a switch port, or where the capture does not tell who asks, 10 ms, for "
                "a congested switch may hold one of a hundred senders for a millisecond or "
                "two.",
        .advice = "Drain or reset that host; look at its NIC's firmware, PCIe errors and "
                  "pause-storm counters (tx_pause_storm_*). Turn on the NIC's storm prevention "
                  "and the switches' PFC watchdog.",
        .causes = pause_storm_causes,
};

static const uint8_t slow_receiver_causes[] = {
        FINDING_PAUSE_STORM, FINDING_DEADLOCK, FINDING_NONE};
const struct finding_kind finding_slow_receiver = {
        .name = "slow-receiver",
        .title = "a host cannot take what arrives and pauses its switch",
        .severity = FINDING_ERROR,
        .means = "The NIC of a receiver asks for pauses: the host takes less than its link "
                 "brings, because of PCIe, memory, a missing huge page or MTT cache, or a CPU "
                 "that does not post receives. Nothing in the fabric is overloaded, yet its "
                 "queues grow and others suffer.",
        .detected =
                "PFC from a host (its port, or the port of its switch, shows who sends it), "
                "at least 3 XOFF frames and 20 us in all, each followed by an XON within 1 "
                "ms. Data go to that host by the paused port.",
        .advice = "Look at the host, not at the fabric: PCIe width and speed, ordering and "
                  "ATS, NUMA placement, rx_discards, outbound_pci_stalled. Its ECN marking in "
                  "the NIC or a lower rate keeps the trouble local.",
        .causes = slow_receiver_causes,
};

const struct finding_kind finding_pause_ignored = {
        .name = "pause-ignored",
        .title = "a port goes on sending while it is paused",
        .severity = FINDING_ERROR,
        .means = "PFC is off on that port, or on for another priority, or its firmware is "
                 "broken. The peer's headroom is not made for that: it drops packets of a "
                 "lossless class.",
        .detected =
                "Data packets of the paused priority leave the port later after an XOFF than "
                "IEEE 802.3 31B.3.7 allows (394 quanta or 2 us at 100 Gb/s, 905 quanta at "
                "400 Gb/s; 1 us more for stamps, 5 us more where the far end of the cable is "
                "captured): at least 8 of them, and up to half of the pause or 100 us after "
                "its begin.",
        .advice = "Turn on PFC for this priority at the sender (mlnx_qos -f, lldptool, DCBX "
                  "willing) and check that it trusts the field, PCP or DSCP, that the switch "
                  "uses.",
};

static const uint8_t late_pause_causes[] = {FINDING_PAUSE_IGNORED, FINDING_NONE};
const struct finding_kind finding_late_pause = {
        .name = "late-pause",
        .title = "a port stops later than the standard allows",
        .severity = FINDING_WARNING,
        .means = "Headroom is computed for a peer that stops in time. One that takes longer "
                 "overruns it when the cable is long or the burst is large.",
        .detected =
                "As pause-ignored (at least 8 packets later than 802.3 31B.3.7 allows), but "
                "the port does stop within half of the pause and within 100 us.",
        .advice = "Measure the peer's response and give the difference as headroom (rate x "
                  "time), or update its firmware.",
        .causes = late_pause_causes,
};

const struct finding_kind finding_link_level_pause = {
        .name = "link-level-pause",
        .title = "802.3x pause is in use",
        .severity = FINDING_WARNING,
        .means = "Link-level pause stops all priorities of a port, CNPs and control traffic "
                 "included, and no drop counter says so.",
        .detected = "Any MAC control frame with opcode 1.",
        .advice = "Turn off link-level pause at both ends (ethtool -A IF rx off tx off) and "
                  "use PFC on the lossless priorities alone.",
};
