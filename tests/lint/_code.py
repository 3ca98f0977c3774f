# SPDX-License-Identifier: Apache-2.0
"""Prints FILE:LINE:CODE for C files without comments, and without the contents of strings unless
the first argument is --strings."""
import re
import sys

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def bare(match):
    text = match.group(0)
    if text[0] in "\"'":
        return text if keep_strings else text[0] * 2
    return " " + "\n" * text.count("\n")


keep_strings = sys.argv[1:2] == ["--strings"]
for path in sys.argv[2 if keep_strings else 1:]:
    with open(path, encoding="utf-8") as f:
        source = f.read()
    # the path of an include is kept
    source = re.sub(r'^(\s*#\s*include\s*)"([^"\n]*)"', r"\1<\2>", source, flags=re.M)
    for number, line in enumerate(TOKEN.sub(bare, source).split("\n"), 1):
        if line.strip():
            print(f"{path}:{number}:{line}")
