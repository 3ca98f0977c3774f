#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# squall capture from the command line: over veth in a namespace of its own, files that capinfos and tshark
# read, Ctrl-C, a pipe, a name that stands for no capture, DPDK's virtual devices.
set -euo pipefail
if [[ -z ${SQUALL_TEST_NAMESPACE:-} ]]; then
	unshare=(unshare -n)
	((EUID == 0)) || unshare=(unshare -rn)
	"${unshare[@]}" ip link add va type veth peer name vb 2>/dev/null ||
		{ echo "skipped: no veth pairs in a network namespace here"; exit 77; }
	SQUALL_TEST_NAMESPACE=1 exec "${unshare[@]}" bash "${BASH_SOURCE[0]}"
fi
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "${BASH_SOURCE[0]}")/_cli.sh"

sysctl -qw net.ipv6.conf.default.disable_ipv6=1 2>/dev/null || true
ip link add va type veth peer name vb
ip link set va up
ip link set vb up

# send COUNT: CNPs to queue pair 0xaa, each followed by an ACK to 0xab, by a raw socket.
send() {
	python3 - "$1" <<'END'
import socket, sys
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind(("va", 0))
def frame(opcode, qp, tail):
    head = "020000000002020000000001" "0800" "4500%04x000000004011000ac6120001c6120002" "c00012b7%04x0000"
    bth = "%02x00ffff000000%02x00000000" % (opcode, qp)
    n = 8 + (len(bth) + len(tail)) // 2
    return bytes.fromhex(head % (20 + n, n) + bth + tail)
cnp, ack = frame(0x81, 0xaa, "00" * 20), frame(0x11, 0xab, "00000001" + "00" * 4)
for i in range(int(sys.argv[1])):
    s.send(cnp)
    s.send(ack)
END
}

# capture STATUS PACKETS ARGUMENT...: captures while twice so many packets are sent.
capture() {
	local want=$1 packets=$2 status=0 pid
	shift 2
	last="capture $*"
	"$SQUALL_BIN" capture "$@" >stdout 2>stderr </dev/null &
	pid=$!
	for _ in {1..100}; do
		grep -q '^squall: capturing' stderr 2>/dev/null && break
		sleep 0.05
	done
	send "$packets"
	[[ " $* " == *" --count "* || " $* " == *" --duration "* ]] || { sleep 0.3; kill -INT "$pid"; }
	wait "$pid" || status=$?
	((status == want)) || fail "$last: exit $status, expected $want: $(cat stderr)"
}

# holds FILE PACKETS: as capinfos counts them, in order, read by tshark without complaint.
holds() {
	capinfos -M "$1" >capinfos.txt || fail "$last: capinfos $1"
	grep -qE "Number of packets: +$2\$" capinfos.txt || fail "$last: $1: $(grep 'Number of packets' capinfos.txt), expected $2"
	(($2 == 0)) || grep -qE 'Strict time order: +True' capinfos.txt || fail "$last: $1 is not in order"
	tshark -n -r "$1" -Y '_ws.malformed' >malformed.txt 2>tshark.txt || fail "$last: tshark: $(cat tshark.txt)"
	[[ ! -s malformed.txt ]] || fail "$last: malformed: $(head -n 3 malformed.txt)"
}

capture 0 500 -i vb -w all.pcapng
holds all.pcapng 1000
grep -q 'clock=system kind=software timescale=utc' capinfos.txt || fail "$last: no clock: $(cat capinfos.txt)"
grep -qE 'Capture application: *squall' capinfos.txt || fail "$last: no application"
grep -qE 'Number of stat entries = 1' capinfos.txt || fail "$last: no statistics"
grep -qE 'all.pcapng: 1000 packets in .*, lost 0$' stderr || fail "$last: no closing line: $(cat stderr)"
[[ -z $(find . -name '*.tmp') ]] || fail "$last: temporary files left"

capture 0 500 -i vb -w some.pcapng --filter "qp 0xaa or nak" --snap 60 --count 300
holds some.pcapng 300
capture 0 500 -i vb -w pcap.pcapng --source pcap --filter "cnp" --count 500
holds pcap.pcapng 500
capture 0 200 -i vb -w queues.pcapng --queues 2
holds queues.pcapng 400

# Losses of queues while it stands still: by where they were, a device that counts none of a queue is not named.
last="losses of queues"
"$SQUALL_BIN" capture -i vb -w lossy.pcapng --queues 2 --ring 2x256KiB >stdout 2>stderr </dev/null &
pid=$!
for _ in {1..100}; do
	grep -q '^squall: capturing' stderr 2>/dev/null && break
	sleep 0.05
done
kill -STOP $pid
send 10000
kill -CONT $pid
sleep 2
kill -INT $pid
wait $pid || fail "$last: exit $?: $(cat stderr)"
grep -qE '^squall: queue [01]: .*, lost [1-9][0-9]* \(.*ring [1-9]' stderr || fail "$last: none: $(cat stderr)"
! grep -q 18446744073709551615 stderr || fail "$last: unknown as a number: $(cat stderr)"
grep -qE 'Number of interfaces in file: 2' capinfos.txt || fail "$last: one interface for each queue"

last="to a pipe"
"$SQUALL_BIN" capture -i vb -w - --count 100 2>stderr | cat >piped.pcapng &
sleep 1
send 100
wait $! || fail "$last: $(cat stderr)"
holds piped.pcapng 100

last="loopback, which shows packets twice"
ip link set lo up
"$SQUALL_BIN" capture -i lo -w lo.pcapng --filter "udp dst port 4791" >stdout 2>stderr &
pid=$!
sleep 1
python3 -c 'import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(40): s.sendto(b"x" * 40, ("127.0.0.1", 4791))'
sleep 0.3
kill -INT $pid
wait $pid || fail "$last: $(cat stderr)"
ip link set lo down
holds lo.pcapng 40
grep -q ', lost 0$' stderr || fail "$last: $(cat stderr)"

last="an interface that goes"
ip link add vc type veth peer name vd
ip link set vc up
ip link set vd up
"$SQUALL_BIN" capture -i vd -w gone.pcapng >stdout 2>stderr &
pid=$!
sleep 1
ip link del vc
status=0
wait $pid || status=$?
((status == 3)) || fail "$last: exit $status"
grep -q '^squall: vd: the interface went' stderr || fail "$last: $(cat stderr)"
capinfos gone.pcapng >/dev/null || fail "$last: the file is not whole"

last="a reader that goes"
("$SQUALL_BIN" capture -i vb -w - --duration 10s 2>stderr || echo "$?" >status) | head -c 100 >/dev/null &
sleep 1
send 2000
wait $! || true
for _ in {1..50}; do [[ -s status ]] && break; sleep 0.1; done
[[ $(cat status) == 3 ]] || fail "$last: exit $(cat status)"
grep -q 'Broken pipe' stderr || fail "$last: $(cat stderr)"

run 0 capture -r all.pcapng -w cnps.pcapng --filter cnp
last="capture -r"
holds cnps.pcapng 500
head -c 1000 cnps.pcapng >cut.pcapng
run 0 capture -r cut.pcapng -w whole.pcapng
grep -q 'ends in the middle of a packet' stderr || fail "a cut file: $(cat stderr)"
tshark -r whole.pcapng >/dev/null 2>&1 || fail "a cut file: what was written is not whole"

echo text >text
for case in "3|no hardware timestamps.*--timestamps software|-i vb -w x.pcapng --timestamps hardware" \
	"2|no such interface|-i nosuch0 -w x.pcapng" "3|is down|-i lo -w x.pcapng" \
	"2|which interface|-w x.pcapng" "2|-w FILE|-r cnps.pcapng" "2|choose one|-i vb -r cnps.pcapng" \
	"2|no capture.*replaced|-i vb -w text" "2|filter:9|-i vb -w x.pcapng --filter cnp\\ and\\ hots" \
	"2|--ring 4|-i vb --ring 4" "2|--ring 64x1000|-i vb --ring 64x1000B" "2|--snap|-i vb --snap 0" \
	"2|expected any, hardware or software|-i vb --timestamps best" "2|af_packet, pcap or dpdk|-i vb --source x" \
	"2|quote a --filter|-i vb cnp" "2|libpcap has one|-i vb --source pcap --queues 2 -w x.pcapng" \
	"3|no-such-folder|-i vb -w no-such-folder/x.pcapng"; do
	IFS='|' read -r status pattern words <<<"$case"
	eval "run $status capture $words"
	last="capture $words"
	one_error "$pattern"
done
[[ $(<text) == text ]] || fail "a file that is no capture was replaced"
[[ ! -e x.pcapng ]] || fail "a capture that failed left a file"

if [[ -e ${SQUALL_BIN%/*}/squall_dpdk_capture.so ]]; then
	tshark -r cnps.pcapng -F pcap -w cnps.pcap 2>/dev/null
	last="dpdk: a file"
	run 0 capture --source dpdk -i net_pcap0,rx_pcap=cnps.pcap -w dpdk.pcapng --duration 500ms
	holds dpdk.pcapng 500
	cmp <(tshark -r dpdk.pcapng -T fields -e frame.time_epoch 2>/dev/null | cut -c 1-17) \
		<(tshark -r cnps.pcap -T fields -e frame.time_epoch 2>/dev/null | cut -c 1-17) || fail "$last: other stamps"
	run 0 capture --source dpdk -i net_pcap0,rx_pcap=cnps.pcap -w dpdk.pcapng --duration 500ms --filter "qp 0xab"
	holds dpdk.pcapng 0
	last="dpdk: through AF_PACKET"
	capture 0 200 --source dpdk -i net_af_packet0,iface=vb -w dpdk.pcapng --count 50
	holds dpdk.pcapng 50
	last="dpdk: endless packets"
	run 0 capture --source dpdk -i net_null0 -w null.pcapng --count 5000
	grep -q ' 5000 packets' stderr || fail "$last: $(cat stderr)"
	grep -q 'system:burst' <(capinfos null.pcapng) || fail "$last: no clock"
	for case in "net_nosuch0|does not begin|3" "net_ring0 --timestamps hardware|no hardware timestamps|3" \
		"net_ring0 --eal=-a0000:00:01.0|no other|2" "net_ring0 --queues 2|captured by one|2"; do
		IFS='|' read -r words pattern status <<<"$case"
		eval "run $status capture --source dpdk -w x.pcapng -i $words"
		grep -q -- "$pattern" stderr || fail "dpdk: $words: $(cat stderr)"
	done
	mkdir alone
	cp "$SQUALL_BIN" alone/squall
	SQUALL_BIN=$PWD/alone/squall run 3 capture --source dpdk -i net_null0 -w x.pcapng
	last="dpdk: no module"
	one_error 'squall_dpdk_capture.so is neither' 'libdpdk-dev'
else
	echo "without DPDK: its cases were left out"
	run 3 capture --source dpdk -i net_null0 -w x.pcapng
	last="dpdk: no module"
	one_error 'squall_dpdk_capture.so is neither' 'libdpdk-dev'
fi
finish
