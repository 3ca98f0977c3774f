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


# Of each kind of fault: what it needs beside it, and what belongs to another kind.
FAULTS = [
    {"drop": {"link": "all", "probability": 0.5}},
    {"corrupt": {"link": "all", "probability": "1%"}, "at": "1us"},
    {"mark": {"link": "all", "every": 3}},
    {"link_down": "leaf0-spine0", "for": "1ms", "reroute": "1us"},
    {"link_rate": "leaf0-spine0", "rate": "10Gbps"},
    {"link_delay": "leaf0-spine0", "delay": "1us"},
    {"pfc_storm": "host3", "quanta": 100, "priorities": [3]},
    {"pfc_storm": "host3", "priority": 4, "priorities": [4]},
    {"slow_receiver": "host3", "rate": "10Gbps"},
    {"pfc_ignored": "host3"},
    {"pfc_late": "host3", "delay": "1us"},
    {"data_priority": "host3", "priority": 4},
    {"cnp_priority": "host3", "priority": 4},
    {"cnp_throttled": "host3", "interval": "50us"},
    {"one_source_port": "host3"},
    {"ecn_off": "leaf0"},
]
BESIDE = {"at": "1us", "rate": "10Gbps", "delay": "1us", "reroute": "1us", "interval": "50us", "quanta": 7, "priority": 4, "priorities": [3], "frame": "valid"}


def fault_changes(document):
    """Each kind as it should be, with a key too few, with one that may not stand beside it, two kinds
    in one, and shares above one."""
    for i, fault in enumerate(FAULTS):
        spoilt = [fault]
        spoilt += [{k: v for k, v in fault.items() if k != key} for key in fault]
        spoilt += [{**fault, key: value} for key, value in BESIDE.items() if key not in fault]
        spoilt += [{**FAULTS[(i + step) % len(FAULTS)], **fault} for step in (1, 4)]
        spoilt += [{**fault, key: {}} for key, value in fault.items() if isinstance(value, dict)]
        for share in (1, 1.5, "150%", "100%", "0.5", "1/3", "1e-3", -0.5):
            for kind in set(fault) & {"drop", "corrupt", "mark"}:
                spoilt.append({**fault, kind: {**fault[kind], "probability": share}})
        for entry in spoilt:
            yield "fault", {**copy.deepcopy(document), "faults": [entry]}


# A change at a place, and whether it stands: what a schema knows of lists and of what is in them.
LISTS = [
    (("workload",), [], False),
    (("workload",), "incast", False),
    (("expect",), "drops.total == 0", False),
    (("expect",), [5], False),
    (("expect",), ["drops.total = 0"], False),
    (("expect",), ["drops.total == 0", "fct_us.p99<5e3"], True),
    (("expect",), [], True),
    (("preset",), "nope", False),
    (("preset",), ["paper", "nope"], False),
    (("preset",), "paper", True),
    (("preset",), ["paper", "connectx"], True),
    (("fabric", "overrides"), [{"ecn": {"kmin": "1KB"}}], False),
    (("fabric", "overrides"), [{"match": {}, "ecn": {"kmin": "1KB"}}], False),
    (("fabric", "overrides"), [{"match": {"tier": "leaf"}}], False),
    (("fabric", "overrides"), [{"match": {"tier": "leaf"}, "ecn": {"kmin": "1KB"}}], True),
    (("fabric", "overrides"), [], True),
    (("fabric", "switch", "pfc", "priorities"), [3, 3], False),
    (("fabric", "switch", "scheduler", "weights"), [0] * 8, False),
    (("fabric", "switch", "scheduler", "weights"), [2] * 8, True),
    (("measure", "percentiles"), [101], False),
    (("measure", "percentiles"), [0], False),
    (("measure", "percentiles"), [50] * 17, False),
    (("measure", "percentiles"), [12.5, 100], True),
    (("measure", "capture"), "off", True),
    (("measure", "capture"), ["host0"], True),
]


def list_changes(document):
    for path, value, stands in LISTS:
        changed = copy.deepcopy(document)
        changed.pop("expect", None)
        spot = changed
        for step in path[:-1]:
            spot = spot.setdefault(step, {})
        spot[path[-1]] = value
        yield "list, " + ("stands" if stands else "refused"), changed


cases = []
for scenario in scenarios:
    source = pathlib.Path(scenario)
    document = yaml.safe_load(source.read_text())
    cases.append((scenario, "as it is", document, scenario))
    more = fault_changes(document) if source.stem == "link-down" else list_changes(document) if source.stem == "incast-8" else ()
    for i, (what, changed) in enumerate([*changes(document), *more]):
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
    if what.startswith("list, ") and (ok, not errors) != (what == "list, stands",) * 2:
        print(f"{name} ({what}): checker {ok}, schema {not errors}: {lines[:1]} {[error.message[:200] for error in errors[:1]]}")
        failures += 1
        continue
    accepted += ok
    refused += not ok
    if ok and errors:
        print(f"{name} ({what}): the checker accepts it, the schema says: {errors[0].json_path} {errors[0].message[:200]}")
        failures += 1
    elif not ok and not errors and what in ("unknown", "misspelt", "foreign", "fault") and (what == "fault" or any(word in line for line in lines for word in SCHEMA_KNOWS)) and not any(word in line for line in lines for word in NAMES):
        print(f"{name} ({what}): the schema accepts it, the checker says: {lines[0][:200]}")
        failures += 1
print(f"{accepted} accepted, {refused} refused, {failures} disagreements")
sys.exit(1 if failures or accepted < len(scenarios) or refused < accepted else 0)
