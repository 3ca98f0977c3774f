#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Captures as scenarios: who sent how much to whom, what is found without a fabric, several files, and
# captures that are none or too much.
set -euo pipefail
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "$0")/_cli.sh"

# The traffic matrix of collectives, as planned and out of a capture.
matrix() {
	local name=$1
	shift
	run 0 run "$source_dir/scenarios/$name.yaml" "$@" --set 'expect=[]' --capture hosts --snap 96 --no-report --quiet --out made
	run 0 import made/capture.pcapng --fabric made/scenario.yaml --force -o again.yaml
	run 0 plan made/scenario.yaml --format matrix
	sort stdout >planned
	run 0 plan again.yaml --format matrix
	sort stdout >captured
	cmp planned captured || fail "$name: another matrix: $(diff planned captured | head -n 4)"
	(($(wc -l <planned) > 10)) || fail "$name: a matrix of nothing"
}
matrix all-reduce-ring --set 'workload[0].repeat=1' --set 'workload[0].buffer=4MiB'
matrix all-reduce-tree --set 'workload[0].repeat=1' --set 'workload[0].buffer=2MiB'
matrix all-reduce-double-tree --set 'workload[0].repeat=1' --set 'workload[0].buffer=2MiB'
grep -q 'they wait for these' again.yaml || fail "a tree without dependencies: $(sed -n 1,20p again.yaml)"

# Without a fabric: what the NICs did.
cat >nics.yaml <<'END'
squall: 1
fabric:
  topology: {kind: star, hosts: 9}
  host_link: {rate: 200Gbps, delay: 1us}
  path_mtu: 4096
  switch: {ecn: {kmin: 50KB, kmax: 200KB, priorities: [5]}, pfc: {priorities: [5]}}
  nic: {priority: 5, dscp: 46, ack_every: 4, cnp_priority: 7, cnp_dscp: 56, np: {min_time_between_cnps: 10us}}
workload:
  - {pattern: incast, senders: 8, receiver: 0, message: 2MB}
END
run 0 run nics.yaml --capture hosts --snap 96 --no-report --quiet --out nics
run 0 import nics/capture.pcapng -o alone.yaml
for line in 'host_link: {rate: 200Gbps' 'path_mtu: 4096B' 'ack_every: 4' 'priority: 5' 'dscp: 46' 'cnp_dscp: 56' \
	'cnp_priority: 7' 'np: {min_time_between_cnps: (9[89][0-9][0-9]|100[0-9][0-9])ns, scope: qp}' \
	'switch: {pfc: {priorities: \[5\]}}' 'the fabric: topology, switch buffers'; do
	grep -qE -- "$line" alone.yaml || fail "no $line in: $(cat alone.yaml)"
done
run 0 run alone.yaml --quiet --no-report --out alone

# One file per host gives the same.
run 0 run nics.yaml --capture host0 --snap 96 --no-report --quiet --out h0
run 0 run nics.yaml --capture host1 --snap 96 --no-report --quiet --out h1
run 0 import h0/capture.pcapng h1/capture.pcapng -o two.yaml
(($(wc -l <two.csv) == 9)) || fail "eight messages of two captures: $(wc -l <two.csv) lines"

last='cut short'
head -c 200000 nics/capture.pcapng >cut.pcapng
run 0 import cut.pcapng -o cut.yaml
grep -q 'cut off within a packet' cut.yaml || fail "$last: not said"
run 0 run cut.yaml --quiet --no-report --out cut
last='nothing in it'
head -c 300 nics/capture.pcapng >empty.pcapng
run 2 import empty.pcapng -o no.yaml
one_error 'empty.pcapng'
last='a fabric that is too small'
sed 's/hosts: 9/hosts: 8/; s/senders: 8/senders: 7/' nics.yaml >eight.yaml
run 2 import nics/capture.pcapng --fabric eight.yaml -o no.yaml
one_error '9 hosts' 'has 8'
last='a fabric for a list'
run 2 import "$source_dir/tests/data/imports/flows.csv" --fabric incast-8 -o no.yaml
one_error 'captures'

# More than an import holds or a run lasts ends in one line; addresses by the thousand too.
python3 - <<'END'
import struct
def block(kind, body):
    n = len(body) + 12
    return struct.pack("<II", kind, n) + body + struct.pack("<I", n)
def frame(src, dqp, psn, opcode=0x0a, length=64):
    bth = struct.pack(">BBHII", opcode, 0x40, 0xffff, dqp, psn | 1 << 31)
    reth = struct.pack(">QII", 0, 1, length) if opcode == 0x0a else b""
    body = bth + reth + bytes(length if length <= 1024 else 1024) + bytes(4)
    udp = struct.pack(">HHHH", 49152, 4791, 8 + len(body), 0)
    ip = struct.pack(">BBHHHBBHII", 0x45, 0x68, 28 + len(body), 0, 0x4000, 64, 17, 0, src, 0x0a000001)
    return bytes(12) + b"\x08\x00" + ip + udp + body
def write(name, frames):
    with open(name, "wb") as f:
        f.write(block(0x0a0d0d0a, struct.pack("<IHHq", 0x1a2b3c4d, 1, 0, -1)))
        f.write(block(1, struct.pack("<HHI", 1, 0, 0) + struct.pack("<HHB3x", 9, 1, 9)))
        for t, b in frames:
            f.write(block(6, struct.pack("<IIIII", 0, t >> 32, t & 0xffffffff, len(b), len(b)) + b + bytes(-len(b) % 4)))
write("years.pcapng", ((t, frame(0x0a000002, 7, i)) for i, t in enumerate((0, 1 << 62))))
write("hosts.pcapng", ((i * 1000, frame(0x0a010000 + i, 7, 0)) for i in range(3000)))
write("pairs.pcapng", ((i * 100, frame(0x0a000002, 16 + i, 0, length=4)) for i in range(200000)))
write("large.pcapng", [(1, frame(0x0a000002, 7, 0, length=0xffffffff))])
END
last='years apart'
run 2 import years.pcapng -o no.yaml
one_error 'years.pcapng' 'days'
last='hosts by the thousand'
run 2 import hosts.pcapng -o no.yaml
one_error 'hosts.pcapng' '3001 hosts'
last='queue pairs by the hundred thousand'
run 0 import pairs.pcapng -o pairs.yaml
(($(wc -l <pairs.csv) == 200001)) || fail "$last: $(wc -l <pairs.csv) lines"
last='a message of 4 GiB'
run 0 import large.pcapng -o large.yaml
grep -q '^0,1,\|^1,0,4294967295,' large.csv || fail "$last: $(cat large.csv)"
finish
