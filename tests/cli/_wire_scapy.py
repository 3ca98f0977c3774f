# SPDX-License-Identifier: Apache-2.0
"""Frames of every opcode, built by scapy and by wire_build from the same random fields: bytes must
be equal. Extended headers, which scapy does not have, are laid out here by the standard's tables.

  _wire_scapy.py build WIRE_BUILD OUT.pcap OUT.tsv
  _wire_scapy.py compare OUT.tsv TSHARK.tsv

The frames are written for tshark, with what it must decode; then both are compared."""
import logging
import random
import struct
import subprocess
import sys
import zlib

logging.getLogger("scapy").setLevel(logging.ERROR)  # its warnings on IPv6
# pylint: disable=wrong-import-position
from scapy.contrib.roce import BTH, CNPPadding, _bth_opcodes
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Dot1AD, Dot1Q, Ether
from scapy.packet import Raw
from scapy.utils import wrpcap

RETH, AETH, DETH, ATOMIC, ATOMIC_ACK, IMM, IETH, XRC, RDETH, FETH = range(10)
RC = {0: [], 1: [], 2: [], 3: [IMM], 4: [], 5: [IMM], 6: [RETH], 7: [], 8: [], 9: [IMM], 10: [RETH],
      11: [RETH, IMM], 12: [RETH], 13: [AETH], 14: [], 15: [AETH], 16: [AETH], 17: [AETH],
      18: [AETH, ATOMIC_ACK], 19: [ATOMIC], 20: [ATOMIC]}
LATER = {0x16: [IETH], 0x17: [IETH], 0x1c: [FETH, RETH], 0x1d: [RETH]}  # invalidate, flush, atomic write
RESPONSES = range(13, 19)
WITHOUT_PAYLOAD = (12, 17, 18, 19, 20, 0x15, 0x1c)


def opcodes():
    """(opcode, its extended headers)."""
    table = {op: ext for op, ext in RC.items()}
    table.update(LATER)
    table.update({0x20 + op: RC[op] for op in range(12)})
    for op, ext in RC.items():
        table[0x40 + op] = [RDETH] + ([] if op in RESPONSES else [DETH]) + ext
    table[0x55] = [RDETH, DETH]
    table.update({0x64: [DETH], 0x65: [DETH, IMM], 0x81: []})
    for op, ext in list(RC.items()) + [(0x16, [IETH]), (0x17, [IETH])]:
        table[0xa0 + op] = ([] if op in RESPONSES else [XRC]) + ext
    return table


def random_fields(r, op, version):
    f = {"ip_version": version, "opcode": op, "dscp": r.getrandbits(6), "ecn": r.getrandbits(2),
         "ttl": r.getrandbits(8), "ip_id": r.getrandbits(16), "dont_fragment": r.getrandbits(1),
         "flow_label": r.getrandbits(20), "sport": r.getrandbits(16) & 0x7fff | 0x8000,
         "solicited": r.getrandbits(1), "migreq": r.getrandbits(1), "ack_req": r.getrandbits(1),
         "fecn": r.getrandbits(1), "becn": r.getrandbits(1), "tver": 0, "pkey": r.getrandbits(16),
         "dqp": r.getrandbits(24) | 2, "psn": r.getrandbits(24), "reth_va": r.getrandbits(64),
         "reth_rkey": r.getrandbits(32), "reth_bytes": r.getrandbits(32), "aeth_syndrome": r.getrandbits(8),
         "aeth_msn": r.getrandbits(24), "deth_qkey": r.getrandbits(32), "deth_src_qp": r.getrandbits(24),
         "atomic_va": r.getrandbits(64), "atomic_swap_add": r.getrandbits(64),
         "atomic_compare": r.getrandbits(64), "atomic_ack": r.getrandbits(64), "imm": r.getrandbits(32),
         "ieth_rkey": r.getrandbits(32), "xrceth_srq": r.getrandbits(24), "rdeth_eecn": r.getrandbits(24),
         "feth": r.getrandbits(6)}
    address = 4 if version == 4 else 16
    f["src_ip"], f["dst_ip"] = r.randbytes(address), r.randbytes(address)
    f["src_mac"], f["dst_mac"] = b"\x02" + r.randbytes(5), b"\x02" + r.randbytes(5)
    f["vlan"] = [(0x88a8, r.getrandbits(16)), (0x8100, r.getrandbits(16))][2 - r.randrange(3):]
    f["payload"] = b""
    if op == 0x1d:
        f["payload"] = r.randbytes(8)
    elif op != 0x81 and op & 0x1f not in WITHOUT_PAYLOAD:
        # tshark guesses at payloads: a first byte that is not Ethernet over InfiniBand, no datagram of few bytes.
        sizes = [64, 65, r.randrange(64, 1500)] if op >> 5 == 3 else [0, 1, 2, 3, 4, 64, r.randrange(1500)]
        f["payload"] = (b"\x5a" + r.randbytes(1499))[:r.choice(sizes)]
    return f


def extended(f, ext):
    return {RETH: lambda: struct.pack(">QII", f["reth_va"], f["reth_rkey"], f["reth_bytes"]),
            AETH: lambda: struct.pack(">I", f["aeth_syndrome"] << 24 | f["aeth_msn"]),
            DETH: lambda: struct.pack(">II", f["deth_qkey"], f["deth_src_qp"]),
            ATOMIC: lambda: struct.pack(">QIQQ", f["atomic_va"], f["reth_rkey"], f["atomic_swap_add"],
                                        f["atomic_compare"]),
            ATOMIC_ACK: lambda: struct.pack(">Q", f["atomic_ack"]),
            IMM: lambda: struct.pack(">I", f["imm"]), IETH: lambda: struct.pack(">I", f["ieth_rkey"]),
            XRC: lambda: struct.pack(">I", f["xrceth_srq"]), RDETH: lambda: struct.pack(">I", f["rdeth_eecn"]),
            FETH: lambda: struct.pack(">I", f["feth"])}[ext]()


def by_scapy(f, exts):
    dotted = lambda b: ".".join(str(x) for x in b)
    colons = lambda b, n: ":".join(b[i:i + n].hex() for i in range(0, len(b), n))
    packet = Ether(src=colons(f["src_mac"], 1), dst=colons(f["dst_mac"], 1))
    for tpid, tci in f["vlan"]:
        tag = Dot1AD if tpid == 0x88a8 else Dot1Q
        packet /= tag(prio=tci >> 13, id=tci >> 12 & 1, vlan=tci & 0xfff)
    if f["ip_version"] == 4:
        packet /= IP(src=dotted(f["src_ip"]), dst=dotted(f["dst_ip"]), tos=f["dscp"] << 2 | f["ecn"], ttl=f["ttl"],
                     id=f["ip_id"], flags="DF" if f["dont_fragment"] else 0)
    else:
        packet /= IPv6(src=colons(f["src_ip"], 2), dst=colons(f["dst_ip"], 2), tc=f["dscp"] << 2 | f["ecn"],
                       fl=f["flow_label"], hlim=f["ttl"])
    pad = -len(f["payload"]) % 4
    packet /= UDP(sport=f["sport"], dport=4791, chksum=0)
    packet /= BTH(opcode=f["opcode"], solicited=f["solicited"], migreq=f["migreq"], padcount=pad, version=f["tver"],
                  pkey=f["pkey"], fecn=f["fecn"], becn=f["becn"], dqpn=f["dqp"], ackreq=f["ack_req"], psn=f["psn"])
    if f["opcode"] == 0x81:
        packet /= CNPPadding()
    else:
        contents = b"".join(extended(f, e) for e in exts) + f["payload"] + bytes(pad)
        if contents:
            packet /= Raw(contents)
    return bytes(packet)


def icrc_over_ipv6(frame, tags):
    """What scapy 2.5.0, which leaves zeros, should have put there."""
    at = 14 + 4 * tags
    m = bytearray(frame[at:-4])
    m[0] |= 0x0f
    for i in (1, 2, 3, 7, 46, 47, 52):
        m[i] = 0xff
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + bytes(m)))


def line(f):
    words = []
    for key, value in f.items():
        if key == "vlan":
            words += [f"vlan={tpid}:{tci}" for tpid, tci in value]
        elif isinstance(value, bytes):
            words.append(f"{key}={value.hex()}")
        else:
            words.append(f"{key}={value}")
    return " ".join(words)


def build(tool, pcap, tsv):
    r = random.Random(4791)
    cases = [(random_fields(r, op, version), exts) for op, exts in opcodes().items() for version in (4, 6)
             for _ in range(6)]
    built = subprocess.run([tool], input="\n".join(line(f) for f, _ in cases) + "\n", capture_output=True, text=True,
                           check=True).stdout.split()
    assert len(built) == len(cases), f"{len(built)} frames for {len(cases)} lines"
    known = {f["opcode"] for f, _ in cases}
    assert set(_bth_opcodes) <= known, f"opcodes of scapy that are not tried: {set(_bth_opcodes) - known}"
    wrong = 0
    with open(tsv, "w", encoding="ascii") as out:
        for (f, exts), got in zip(cases, built):
            want, got = by_scapy(f, exts), bytes.fromhex(got)
            if f["ip_version"] == 6 and want[-4:] == bytes(4):
                want = want[:-4] + icrc_over_ipv6(want, len(f["vlan"]))
            if want != got:
                wrong += 1
                print(f"opcode {f['opcode']:#04x} IPv{f['ip_version']}:\n scapy {want.hex()}\n squall {got.hex()}")
            va = [f["reth_va"], f["reth_rkey"], f["reth_bytes"]] if RETH in exts else [""] * 3
            if ATOMIC in exts:  # to tshark the same fields
                va = [f["atomic_va"], f["reth_rkey"], ""]
            print(f["opcode"], f["dqp"], f["psn"], f["pkey"], *va, f["aeth_msn"] if AETH in exts else "",
                  f["imm"] if IMM in exts else "", f["deth_src_qp"] if DETH in exts else "", sep="\t", file=out)
    wrpcap(pcap, [Ether(bytes.fromhex(b)) for b in built])
    print(f"{len(cases)} frames of {len(known)} opcodes, {wrong} differ")
    return 1 if wrong else 0


def number(text):
    text = text.split(",")[0]  # it says immediate data twice
    return int(text, 16 if text.startswith("0x") else 10) if text else ""


def compare(want_file, got_file):
    """All of the BTH; extended headers of the opcodes that tshark knows: it takes the XRC class for another vendor's,
    reads one header too few of RD, and knows none of the later ones."""
    wrong = tried = 0
    with open(want_file, encoding="ascii") as wants, open(got_file, encoding="ascii") as gots:
        for number_of_frame, (want, got) in enumerate(zip(wants, gots, strict=True), 1):
            want = [number(x) for x in want.rstrip("\n").split("\t")]
            got = got.rstrip("\n").split("\t")
            got[8] = got[8] and "0x" + got[8]  # immediate data are bytes to it
            got = [number(x) for x in got]
            if want[0] >= 0xa0 or want[0] >> 5 == 2 or want[0] in LATER:
                want, got = want[:4], got[:4]
            tried += 1
            if want != got:
                wrong += 1
                print(f"frame {number_of_frame}: tshark {got}, built {want}")
    print(f"tshark: {tried} frames, {wrong} differ")
    return 1 if wrong or not tried else 0


sys.exit({"build": build, "compare": compare}[sys.argv[1]](*sys.argv[2:]))
