# SPDX-License-Identifier: Apache-2.0
"""_schema.py PROGRAM SCHEMA FOLDER SCENARIO...: the checker and the schema that it prints agree. Each
scenario, and each of some hundred changes of it with one thing wrong, is put before both. Whatever the
checker accepts must be valid; what a schema can know (keys, words, types, units) it must refuse too."""

import copy
import json
import pathlib
import random
import subprocess
import sys

import jsonschema
import yaml

program, schema_path, folder, *scenarios = sys.argv[1:]
schema = json.loads(pathlib.Path(schema_path).read_text())
validator = jsonschema.Draft202012Validator(schema)
draw = random.Random(1)

WRONG_VALUES = ["fast", "12", "12parsecs", -5, 1.5, [], {}, True]
# Of what the checker says: these a schema knows as well.
NAMES = ("no such link", "no such node", "no such file")
SCHEMA_KNOWS = ("unknown key", "missing unit", "no unit", "expected", "applies to", "only for", "required", "did you mean")


def places(node, path=()):
    """Every mapping with its path."""
    if isinstance(node, dict):
        yield path, node
        for key, value in node.items():
            yield from places(value, path + (key,))
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from places(value, path + (i,))


def at(document, path):
    for step in path:
        document = document[step]
    return document


def changes(document):
    """One copy for each way of spoiling it: a key too many, misspelt, foreign, or with a wrong value."""
    for path, mapping in list(places(document)):
        for what in ("unknown", "misspelt", "foreign", "value"):
            for key in list(mapping)[:6] or [None]:
                changed = copy.deepcopy(document)
                spot = at(changed, path)
                if what == "unknown":
                    spot["colour"] = "blue"
                elif what == "misspelt" and key:
                    spot[key[:-1] + "q"] = spot.pop(key)
                elif what == "foreign":
                    spot[draw.choice(["rpg_ai_rate", "kmin", "message", "leaves", "load", "senders", "file"])] = draw.choice([1, "1MB"])
                elif key:
                    spot[key] = draw.choice(WRONG_VALUES)
                yield what, changed
                if what in ("unknown", "foreign"):
                    break


cases = []
for scenario in scenarios:
    source = pathlib.Path(scenario)
    document = yaml.safe_load(source.read_text())
    cases.append((scenario, "as it is", document, scenario))
    for i, (what, changed) in enumerate(changes(document)):
        # beside the original, so that the files it names are found
        path = pathlib.Path(folder) / f"{source.stem}-{i}-{what}.yaml"
        path.write_text(yaml.safe_dump(changed, sort_keys=False))
        cases.append((str(path), what, changed, scenario))

said = {}
for start in range(0, len(cases), 200):
    names = [name for name, *_ in cases[start : start + 200]]
    done = subprocess.run([program, "check", *names], capture_output=True, text=True, timeout=120)
    for line in (done.stdout + done.stderr).splitlines():
        line = line.removeprefix("squall: ")
        for name in names:
            if line.startswith(name + ":"):
                said.setdefault(name, []).append(line[len(name) + 1 :])

failures = 0
accepted = refused = 0
for name, what, document, scenario in cases:
    lines = [line for line in said.get(name, []) if "note:" not in line]
    ok = any(line.strip().startswith("ok") for line in lines)
    errors = list(validator.iter_errors(document))
    accepted += ok
    refused += not ok
    if ok and errors:
        print(f"{name} ({what}): the checker accepts it, the schema says: {errors[0].json_path} {errors[0].message[:200]}")
        failures += 1
    elif not ok and not errors and what in ("unknown", "misspelt", "foreign") and any(word in line for line in lines for word in SCHEMA_KNOWS) and not any(word in line for line in lines for word in NAMES):
        print(f"{name} ({what}): the schema accepts it, the checker says: {lines[0][:200]}")
        failures += 1
print(f"{accepted} accepted, {refused} refused, {failures} disagreements")
sys.exit(1 if failures or accepted < len(scenarios) or refused < accepted else 0)
