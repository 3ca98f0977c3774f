#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The frames that we build: byte for byte those of scapy, and tshark decodes them without complaint.
set -euo pipefail
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "$0")/_cli.sh"

python=
for candidate in python3 /usr/bin/python3; do # Debian's modules belong to Debian's python
	"$candidate" -c 'import scapy' 2>/dev/null && { python=$candidate; break; }
done
[[ $python ]] || { echo "skipped: no scapy (Debian: python3-scapy)"; exit 77; }
tool=${SQUALL_BUILD_DIR:-$source_dir/build}/tests/tools/wire_build
[[ -x $tool ]] || { echo "no program at $tool"; exit 1; }

script=$source_dir/tests/cli/_wire_scapy.py
"$python" "$script" build "$tool" frames.pcap want.tsv || fail "scapy and squall differ"

# A word that the tool does not know must not pass for a frame.
! echo "opcode=4 colour=1" | "$tool" >/dev/null 2>&1 || fail "an unknown field is taken"

if command -v tshark >/dev/null; then
	# It takes the payload of a SEND for RPC if it may.
	tshark=(tshark --disable-protocol rpcordma -r frames.pcap)
	fields=(infiniband.bth.opcode infiniband.bth.destqp infiniband.bth.psn infiniband.bth.p_key infiniband.reth.va
		infiniband.reth.r_key infiniband.reth.dmalen infiniband.aeth.msn infiniband.immdt infiniband.deth.srcqp)
	"${tshark[@]}" -T fields "${fields[@]/#/-e}" >fields.tsv 2>tshark.log || fail "tshark: $(cat tshark.log)"
	"$python" "$script" compare want.tsv fields.tsv || fail "tshark reads other fields"
	# See compare in the script on RD and XRC.
	"${tshark[@]}" -Y '_ws.malformed && (infiniband.bth.opcode < 64 ||
		infiniband.bth.opcode == 100 || infiniband.bth.opcode == 101 || infiniband.bth.opcode == 129)' >malformed.txt 2>>tshark.log || true
	[[ ! -s malformed.txt ]] || fail "tshark finds malformed frames: $(head -n 3 malformed.txt)"
else
	echo "no tshark: only compared with scapy"
fi
finish
