#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Frames onto an interface, and a terminal for a program.
  _live.py listening IF                  waits until somebody captures on it
  _live.py replay FILE IF [PER_S]        sends the frames of a pcapng, says how many
  _live.py screen KEY ROWS COLUMNS FILE PROGRAM ...   the program on a terminal: sends the frames, then the key"""
import fcntl
import os
import pty
import re
import select
import socket
import struct
import sys
import termios
import time


def frames(path):
    data = open(path, "rb").read()
    at = 0
    while at + 12 <= len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == 6:
            held = struct.unpack_from("<I", data, at + 20)[0]
            yield data[at + 28 : at + 28 + held]
        at += length


def listening(name):
    index = socket.if_nametoindex(name)
    for _ in range(200):
        rows = [r.split() for r in open("/proc/net/packet").read().splitlines()[1:]]
        if any(int(r[4]) == index for r in rows):
            time.sleep(0.1)  # the filter that lets packets in comes last
            return
        time.sleep(0.05)
    sys.exit(f"nobody captures on {name}")


def replay(path, name, per_s=0):
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    s.bind((name, 0))
    sent, begin = 0, time.monotonic()
    for f in frames(path):
        while True:
            try:
                s.send(f)
                break
            except OSError:  # the queue is full
                time.sleep(0.001)
        sent += 1
        if per_s and sent % 50 == 0:
            time.sleep(max(0, begin + sent / per_s - time.monotonic()))
    print(sent)


def screen(key, rows, columns, path, program):
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm", LANG="C.UTF-8")
        os.execv(program[0], program)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    before = termios.tcgetattr(fd)
    seen, replayed, pressed, end = b"", False, 0, time.monotonic() + 15
    while time.monotonic() < end:
        if select.select([fd], [], [], 0.1)[0]:
            try:
                got = os.read(fd, 65536)
            except OSError:
                break
            if not got:
                break
            seen += got
        if not replayed and b"\x1b[?1049h" in seen and seen.count(b"\x1b[H") > 1:
            assert termios.tcgetattr(fd)[3] & (termios.ECHO | termios.ICANON) == 0, "keys are echoed"
            replay(path, "va", 20000)
            replayed = len(seen) or 1
        if replayed and not pressed and seen[replayed:].count(b"\x1b[H") > 3:
            os.write(fd, key.encode())
            pressed = time.monotonic()
    _, status = os.waitpid(pid, 0)
    assert pressed and time.monotonic() - pressed < 3, "it did not end when it was told to"
    assert os.waitstatus_to_exitcode(status) == 0, status
    inside, after = seen.split(b"\x1b[?1049h")[1].split(b"\x1b[?1049l")
    assert b"vb: live" in after and b"CNPs" in after and b"\x1b" not in after, after[-600:]
    pages = inside.split(b"\x1b[H")[1:]
    texts = [[re.sub(r"\x1b\[[?0-9]*[a-zA-Z]", "", l) for l in p.decode().split("\r\n")] for p in pages]
    for t in texts:
        assert len(t) <= rows and max(map(len, t)) <= columns, t
    if rows > 20:
        whole = ["\n".join(t) for t in texts]
        assert any(re.search(r"goodput +[1-9][0-9.]* .bps", w) for w in whole), whole[-3:]
        assert any("198.19.0.1" in w and "CE of data" in w and "p99 ACK RTT" in w and "lost 0" in w for w in whole), whole[-3:]
        # any of them: Ctrl-C throws away what the terminal has not shown yet
        assert any(c in w for w in whole for c in "\u2581\u2582\u2584\u2588"), whole[-3:]
    try:
        kept = termios.ECHO | termios.ICANON | termios.ISIG | termios.IEXTEN
        assert (termios.tcgetattr(fd)[3] ^ before[3]) & kept == 0, "the terminal is left as it was not"
    except termios.error:
        pass  # gone with its program
    sys.stdout.write(texts[-1][0] + "\n")


def main():
    what, args = sys.argv[1], sys.argv[2:]
    if what == "listening":
        listening(args[0])
    elif what == "replay":
        replay(args[0], args[1], int(args[2]) if len(args) > 2 else 0)
    else:
        screen(args[0], int(args[1]), int(args[2]), args[3], args[4:])


main()
