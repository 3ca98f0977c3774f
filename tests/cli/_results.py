# SPDX-License-Identifier: Apache-2.0
"""_results.py SCENARIO FOLDER SCHEMA...: result files against their schemas and against each other.

Uses jsonschema where it is installed; the checks below it need nothing but Python."""
import csv
import json
import os
import sys

try:
    import jsonschema
except ImportError:
    jsonschema = None
try:
    import yaml
except ImportError:
    yaml = None

scenario, folder, schemas = sys.argv[1], sys.argv[2], sys.argv[3:]
problems = []


def load(name):
    with open(os.path.join(folder, name)) as f:
        return json.load(f, parse_constant=lambda c: problems.append(f"{name}: {c}"))


def check(path, value, schema):
    """The part of JSON Schema that the result schemas use."""
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    is_kind = {
        "object": isinstance(value, dict),
        "array": isinstance(value, list),
        "string": isinstance(value, str),
        "integer": isinstance(value, int) and not isinstance(value, bool),
        "number": isinstance(value, (int, float)) and not isinstance(value, bool),
        "boolean": isinstance(value, bool),
        "null": value is None,
    }
    if not any(is_kind[k] for k in kinds):
        problems.append(f"{path}: {value!r} is not {kinds}")
    if isinstance(value, dict):
        for key in set(value) ^ set(schema["required"]):
            problems.append(f"{path}.{key}: missing or unknown")
        for key in set(value) & set(schema["properties"]):
            check(f"{path}.{key}", value[key], schema["properties"][key])
    if isinstance(value, list):
        for item in value:
            check(path + "[]", item, schema["items"])


documents = {"summary": load("summary.json"), "run": load("run.json")}
for name in schemas:
    kind = os.path.basename(name).split(".")[0]
    with open(name) as f:
        schema = json.load(f)
    if kind in documents:
        check(kind, documents[kind], schema)
        document = documents[kind]
    elif yaml:
        with open(scenario) as f:
            document = yaml.safe_load(f)
    else:
        continue
    if jsonschema:
        for error in jsonschema.Draft202012Validator(schema).iter_errors(document):
            problems.append(f"{kind}: {list(error.absolute_path)}: {error.message[:200]}")

s = documents["summary"]
with open(os.path.join(folder, "messages.csv")) as f:
    messages = list(csv.DictReader(f))
done = [m for m in messages if m["status"] == "completed"]
if len(done) != s["messages"]["completed"] or len(messages) != s["messages"]["started"]:
    problems.append("messages.csv and messages.* disagree")
fct = sorted(float(m["fct_us"]) for m in done)
for p in (50, 90, 99):
    rank = -(-p * len(fct) // 100)
    if fct and fct[rank - 1] != s["fct_us"][f"p{p}"]:
        problems.append(f"fct_us.p{p} is not that of messages.csv")
for m in done:
    if abs(float(m["done_us"]) - float(m["post_us"]) - float(m["fct_us"])) > 1e-5:
        problems.append(f"fct_us of {m}")
        break
if not all(x["holds"] for x in s["expect"]):
    problems.append("an expectation does not hold")
for line in problems[:20]:
    print(f"{folder}: {line}")
sys.exit(bool(problems))
