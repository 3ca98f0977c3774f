# SPDX-License-Identifier: Apache-2.0
"""Writes every ```sh block of the Markdown files named after the folder OUT to OUT/NNN.sh and
prints "NNN.sh FILE:LINE" for each."""
import pathlib
import re
import sys

out = pathlib.Path(sys.argv[1])
count = 0
for path in sys.argv[2:]:
    block = None
    for number, line in enumerate(pathlib.Path(path).read_text(encoding="utf-8").split("\n"), 1):
        if block is None:
            if re.fullmatch(r"\s*```sh\s*", line):
                block, start, indent = [], number + 1, len(line) - len(line.lstrip())
        elif line.strip() == "```":
            name = f"{count:03}.sh"
            (out / name).write_text("\n".join(block) + "\n", encoding="utf-8")
            print(f"{name} {path}:{start}")
            count += 1
            block = None
        else:
            block.append(line[indent:])
    if block is not None:
        sys.exit(f"{path}:{start}: the block is not closed")
