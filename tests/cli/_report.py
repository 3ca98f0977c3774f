#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""report.html as a document: well formed, alone, its data whole. Prints what is wrong."""
import html.parser
import json
import sys

VOID = {"meta", "link", "br", "img", "input", "hr"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.faults, self.scripts, self.inside = [], [], [], None

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("src", "href") and not (value or "").startswith(("#", "data:")):
                self.faults.append(f"<{tag} {name}={value}> loads something")
            if name.startswith("on"):
                self.faults.append(f"<{tag} {name}> holds code")
        if tag == "script":
            self.inside = [dict(attrs), ""]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag == "script" and self.inside:
            self.scripts.append(self.inside)
            self.inside = None
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes nothing at {self.getpos()}")

    def handle_data(self, data):
        if self.inside:
            self.inside[1] += data


def main():
    text = open(sys.argv[1], encoding="utf-8").read()
    page = Page()
    page.feed(text)
    page.close()
    faults = page.faults + [f"<{t}> is not closed" for t in page.open]
    if len(page.scripts) != 3:
        faults.append(f"{len(page.scripts)} scripts, expected 3: the library, the data, the page")
    data = [s[1] for s in page.scripts if s[0].get("type") == "application/json"]
    if len(data) != 1:
        faults.append(f"{len(data)} blocks of data")
    else:
        held = json.loads(data[0])
        names = [r["data"]["summary"]["scenario"] for r in held["runs"]] if "runs" in held else [held["capture"]["title"]]
        for name in sys.argv[2:]:
            if name not in names:
                faults.append(f"nothing of {name!r}")
    for word in ("@import", "url(http", "sourceMappingURL", "fetch(", "XMLHttpRequest("):
        if word in text.replace("new XMLHttpRequest", "").replace("window.XMLHttpRequest", ""):
            if word != "XMLHttpRequest(":
                faults.append(f"holds {word}")
    if "default-src 'none'" not in text:
        faults.append("no policy against loading")
    print("\n".join(faults))
    sys.exit(bool(faults))


main()
