/* SPDX-License-Identifier: Apache-2.0 */
/* Answers, and the capture itself: what findings mean. Thresholds are those of findings_*.c. */
#include "analysis/trace/finding_kinds_int.h"

static const uint8_t rnr_causes[] = {FINDING_PAUSE_STORM, FINDING_NONE};
const struct finding_kind finding_rnr = {
        .name = "rnr",
        .title = "the receiver has posted no receive",
        .severity = FINDING_WARNING,
        .means = "A SEND arrives and there is no receive buffer: the application is late. The "
                 "sender waits for the RNR timer and sends again.",
        .detected = "Acknowledgements with syndrome RNR NAK: at least one.",
        .advice = "Post more receives earlier, look at what holds up the receiving process; "
                  "rnr_retry decides how long the sender bears it.",
        .causes = rnr_causes,
};

const struct finding_kind finding_remote_access_error = {
        .name = "remote-access-error",
        .title = "a request is refused: remote access error",
        .severity = FINDING_ERROR,
        .means = "The rkey, the address or the access rights of a WRITE, READ or atomic do "
                 "not fit the memory region. The QP goes to error.",
        .detected = "NAK with code 2: at least one.",
        .advice = "Compare rkey, address range and access flags of both sides; a region that "
                  "was deregistered too early is the usual cause.",
};

const struct finding_kind finding_invalid_request = {
        .name = "invalid-request",
        .title = "a request is refused: invalid request",
        .severity = FINDING_ERROR,
        .means = "The responder does not accept the operation: a length beyond the limit, "
                 "READs or atomics beyond max_dest_rd_atomic, an opcode that the QP does not "
                 "support.",
        .detected = "NAK with code 1: at least one.",
        .advice = "Compare QP attributes of both sides (max_rd_atomic, path MTU, access "
                  "flags).",
};

const struct finding_kind finding_remote_operation_error = {
        .name = "remote-operation-error",
        .title = "a request is refused: remote operational error",
        .severity = FINDING_ERROR,
        .means = "The responder could not complete the request for a reason of its own; its "
                 "QP is in error.",
        .detected = "NAK with code 3: at least one.",
        .advice = "Look at the responder's completion errors and its QP state.",
};

const struct finding_kind finding_nak_other = {
        .name = "nak-other",
        .title = "a request is refused with another code",
        .severity = FINDING_ERROR,
        .means = "A NAK for an invalid RD request or with a code that the standard reserves.",
        .detected = "NAK with code 4 or above: at least one.",
        .advice = "Look at the responder's firmware; such codes are rare.",
};

const struct finding_kind finding_icrc_rewritten = {
        .name = "icrc-rewritten",
        .title = "most packets have an ICRC that does not fit",
        .severity = FINDING_WARNING,
        .means = "Not a bad link, for then few would be wrong: the capture was anonymised "
                 "without computing the ICRC again, something on the way rewrites covered "
                 "fields (addresses, ports, IP identification), or the sender computes it "
                 "wrong.",
        .detected = "More than half of the packets whose ICRC could be checked, and more than "
                    "eight, do not fit.",
        .advice = "If the capture was edited, use `squall rewrite`, which computes the ICRC "
                  "again, or --no-icrc. Else look for NAT on the way.",
};

static const uint8_t malformed_causes[] = {
        FINDING_CORRUPTION, FINDING_ICRC_REWRITTEN, FINDING_NONE};
const struct finding_kind finding_malformed = {
        .name = "malformed",
        .title = "RoCE packets that contradict themselves",
        .severity = FINDING_WARNING,
        .means = "Lengths, versions or opcodes that cannot be.",
        .detected = "The parser notes a fault in at least one RoCE packet; packets that the "
                    "capture cut are none.",
        .advice = "Look at these packets; a sender's firmware or an edited capture are the "
                  "usual reasons.",
        .causes = malformed_causes,
};

const struct finding_kind finding_capture_loss = {
        .name = "capture-loss",
        .title = "the capture itself lacks packets",
        .severity = FINDING_WARNING,
        .means = "What is missing here may never have been missing on the wire: counts are "
                 "too small and gaps are no proof of loss.",
        .detected =
                "The file's statistics say that packets were dropped; the file ends within a "
                "packet or is damaged; or a message was acknowledged of which the sender's "
                "side shows a gap that nothing fills.",
        .advice = "Capture again with a larger ring, a snap length (--snap 96), a filter, or "
                  "faster storage.",
};
