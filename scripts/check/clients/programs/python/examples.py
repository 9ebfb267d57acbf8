"""Reads every documented example with the models of a generated Python client, and asks for all of it back."""

import datetime
import importlib
import inspect
import json
import re


def operations_of(package):
    """(method, path) -> types by status, read off the client as it will act."""
    api = importlib.import_module(f"{package}.api")
    found = {}
    for _, owner in inspect.getmembers(api, inspect.isclass):
        for name, serialize in inspect.getmembers(owner, inspect.isfunction):
            if not name.endswith("_serialize"):
                continue
            source = inspect.getsource(serialize)
            method = re.search(r"method='(\w+)'", source).group(1)
            path = re.search(r"resource_path='([^']*)'", source).group(1)
            call = getattr(owner, name.removeprefix("_").removesuffix("_serialize"))
            types = re.search(r"_response_types_map: [^{]*\{(.*?)\}", inspect.getsource(call), re.S).group(1)
            found[method, path] = dict(re.findall(r"'(\d+)': \"([^\"]+)\"", types))
    return found


def resolved(document, node):
    while "$ref" in node:
        parts = node["$ref"].removeprefix("#/").split("/")
        node = document
        for part in parts:
            node = node[part.replace("~1", "/").replace("~0", "~")]
    return node


def examples_of(media):
    if "example" in media:
        yield media["example"]
    for each in media.get("examples", {}).values():
        yield each["value"]


def plain(value):
    """A value in the form in which two of them are compared: without nulls, and times as times."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    if isinstance(value, str) and re.match(r"\d{4}-\d\d-\d\dT", value):
        return datetime.datetime.fromisoformat(value.replace("Z", "+00:00"))
    return value


def holds(value, wanted):
    """Whether all that is wanted is there; a body that is sent has its defaults as well."""
    if isinstance(value, dict) and isinstance(wanted, dict):
        return all(key in value and holds(value[key], inner) for key, inner in wanted.items())
    if isinstance(value, list) and isinstance(wanted, list):
        return len(value) == len(wanted) and all(map(holds, value, wanted))
    return value == wanted


def faults_of(file, package):
    with open(file, encoding="utf8") as text:
        document = json.load(text)
    client = importlib.import_module(package).ApiClient()
    models = importlib.import_module(f"{package}.models")
    known = operations_of(package)
    faults, count = [], 0

    def check(where, example, read):
        nonlocal count
        count += 1
        try:
            answer = client.sanitize_for_serialization(read(example))
            if not holds(plain(answer), plain(example)):
                faults.append(f"{where} comes back as {json.dumps(answer)} instead of {json.dumps(example)}")
        except Exception as error:
            faults.append(f"{where} raises {type(error).__name__}: {str(error)[:500]}")

    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method not in ("get", "put", "post", "patch", "delete"):
                continue
            types = known[method.upper(), path]
            for status, answer in operation["responses"].items():
                media = resolved(document, answer).get("content", {}).get("application/json")
                for example in examples_of(media) if media else ():
                    check(
                        f"{operation['operationId']} {status}",
                        example,
                        lambda value: client.deserialize(json.dumps(value), types[status], "application/json"),
                    )
            body = operation.get("requestBody", {}).get("content", {}).get("application/json")
            for example in examples_of(body) if body else ():
                model = getattr(models, body["schema"]["$ref"].split("/")[-1])
                check(f"{operation['operationId']} body", example, model.from_dict)

    print(f"{package}: {count} examples, {len(faults)} faults")
    for fault in faults:
        print(f"  {fault}")
    return faults
