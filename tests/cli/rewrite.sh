#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A rewritten capture says what the original says but for the names, holds none of them, and no program
# finds anything wrong with it.
set -euo pipefail
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "$0")/_cli.sh"
compare="$source_dir/tests/cli/_rewrite.py"

# analysis FILE OUT: the document of the capture.
analysis() {
	run 0 analyze "$1" --json --messages --timeline 10 --quiet
	mv stdout "$2"
}

# clean FILE: tshark reads it, finds nothing malformed, no bad checksum of IPv4 and no bad ICRC.
clean() {
	[[ -n $tshark ]] || return 0
	tshark -r "$1" -o ip.check_checksum:TRUE -o udp.check_checksum:TRUE -T fields -e frame.number \
		-Y '_ws.malformed or ip.checksum.status == 0 or udp.checksum.status == 0' >odd 2>/dev/null ||
		fail "tshark does not read $1"
	[[ ! -s odd ]] || fail "$1: tshark does not like frame $(head -n 1 odd)"
	capinfos "$1" >/dev/null || fail "capinfos does not read $1"
}
tshark=$(command -v tshark || true)

# Go-back-N by NAK and by timeout; marks, CNPs and pauses.
for name in incast-8 lossy-and-lossless; do
	run 0 run "$name" --quiet --no-report --capture all --snap 128 --out "$name"
	analysis "$name/capture.pcapng" before.json
	run 0 rewrite "$name/capture.pcapng" after.pcapng --anonymize --seed "$name"
	analysis after.pcapng after.json
	python3 "$compare" before.json after.json after.pcapng || fail "$name: the rewritten capture says something else"
	clean after.pcapng
	rm -rf "$name"
done

# Whole frames: every ICRC is right again, and no payload is left.
run 0 run incast-8 --quiet --no-report --capture host0 --out whole
analysis whole/capture.pcapng before.json
run 0 rewrite whole/capture.pcapng after.pcapng --anonymize --seed whole
analysis after.pcapng after.json
python3 "$compare" before.json after.json after.pcapng || fail "whole frames say something else"
python3 -c 'import json, sys
d = json.load(open("after.json"))["roce"]
sys.exit(not d["icrc_checked"] or d["icrc_bad"])' || fail "ICRCs are wrong or cannot be checked"
clean after.pcapng

# The same seed gives the same names, in every file; without one nothing is the same twice.
run 0 rewrite whole/capture.pcapng again.pcapng --anonymize --seed whole
cmp after.pcapng again.pcapng || fail "the same seed gives another file"
run 0 rewrite whole/capture.pcapng one.pcapng --anonymize
run 0 rewrite whole/capture.pcapng two.pcapng --anonymize
if cmp -s one.pcapng two.pcapng; then fail "two random keys are the same"; fi
run 0 run incast-8 --quiet --no-report --capture host1 --out sender
for file in sender/capture.pcapng whole/capture.pcapng; do
	run 0 rewrite "$file" "both-${file%/*}.pcapng" --anonymize --seed both \
		--with whole/capture.pcapng
done
run 0 analyze sender/capture.pcapng whole/capture.pcapng --json --quiet
mv stdout before.json
run 0 analyze both-sender.pcapng both-whole.pcapng --json --quiet
mv stdout after.json
python3 "$compare" before.json after.json || fail "two places of one network do not fit any more"

# What is kept is kept; --snap cuts; --start moves the clock.
run 0 rewrite whole/capture.pcapng kept.pcapng --anonymize --seed x --keep addresses,macs,qpns,psns,keys,ports,vlans,names,payload
analysis whole/capture.pcapng before.json
analysis kept.pcapng after.json
sed -i 's/"path": "[^"]*"/"path": 0/' before.json after.json
cmp before.json after.json || fail "everything is kept, and yet something differs"
run 0 rewrite whole/capture.pcapng moved.pcapng --start 100s --snap 96
analysis moved.pcapng after.json
python3 -c 'import json, sys
a, b = json.load(open("before.json")), json.load(open("after.json"))
sys.exit(b["first_ns"] != 10**11 or b["last_ns"] - b["first_ns"] != a["last_ns"] - a["first_ns"]
	or b["roce"]["truncated_packets"] == 0 or a["roce"]["data_packets"] != b["roce"]["data_packets"])' ||
	fail "--start and --snap"

# Maps: a prefix, one host before it, a queue pair, the first PSN.
host=$(python3 -c 'import json; print(json.load(open("before.json"))["flows"][0]["src"])')
qp=$(python3 -c 'import json; print(json.load(open("before.json"))["flows"][0]["dqp"])')
run 0 rewrite whole/capture.pcapng mapped.pcapng --map "$host=192.0.2.77" --map 0.0.0.0/1=198.0.0.0 --qp-map "$qp=0x777" --psn-base 0x1000
analysis mapped.pcapng after.json
python3 "$compare" before.json after.json || fail "a mapped capture says something else"
python3 -c 'import json, sys
a, b = json.load(open("before.json"))["flows"], json.load(open("after.json"))["flows"]
for f, g in zip(a, b):
	for end in ("src", "dst"):
		want = "192.0.2.77" if f[end] == sys.argv[1] else ".".join([str(int(f[end].split(".")[0]) | 128)] + f[end].split(".")[1:])
		assert g[end] == want, (f[end], g[end])
	assert g["dqp"] == (0x777 if f["dqp"] == int(sys.argv[2]) else f["dqp"])
	assert not g["data_packets"] or g["first_psn"] == 0x1000, g["first_psn"]' "$host" "$qp" || fail "maps"
clean mapped.pcapng

# Errors in one line.
run 2 rewrite whole/capture.pcapng
one_error "IN OUT"
run 2 rewrite whole/capture.pcapng x.pcapng
one_error "nothing would change"
run 2 rewrite whole/capture.pcapng x.pcapng --seed 1 --map 1.2.3.4=1.2.3.5
one_error "anonymize"
run 2 rewrite whole/capture.pcapng x.pcapng --map 1.2.3.4=::1
one_error "map" "OLD=NEW"
run 2 rewrite whole/capture.pcapng x.pcapng --map 1.2.3.4/33=1.2.3.5
one_error "1 to 32 bits"
run 2 rewrite whole/capture.pcapng x.pcapng --anonymize --keep everything
one_error "everything" "payload"
run 2 rewrite - x.pcapng --anonymize
one_error "twice"
run 3 rewrite nowhere.pcap x.pcapng --anonymize
one_error "nowhere"
[[ ! -e x.pcapng ]] || fail "a file is there although nothing was written"
finish
