"""Documents of ``json.loads`` that a function changes, in the JVM, next to Python's."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from java_calls import GAVE_UP, Java, answer, answered_alike
from pyspark.sql.types import ArrayType, StringType
from test_java_documents import documents

from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled

TEXT = StringType()
DEFAULTS = {"source": "web", "tries": 3}
DOCUMENTS = (
    '{"id": 7, "name": " Ada ", "tags": ["B", "a"], "address": {"city": "Bath", "zip": null}}',
    '{"id": "8", "name": null, "tags": [], "address": {}, "seen": false, "total": 1.5}',
    '{"name": "x", "tags": null, "address": [1], "price": "12.5", "items": [{"n": 1}, {"n": 2}]}',
    '{"items": [{"n": 1, "price": 2.5}, {"n": 2, "price": 4}], "name": "y", "tags": ["t"]}',
    '{"items": [1, 2], "address": {"city": 5}, "tags": "none", "id": 1, "name": "z"}',
    *("{}", "[]", "[1, 2]", "[{}]", '"text"', "1", "null", "true", "x", '{"a": {"b": {"c": 1}}}'),
    None,
)


def marked(text: str) -> str:
    doc = json.loads(text)
    doc["seen"] = True
    return json.dumps(doc)


def tidied(text: str) -> str:
    doc = json.loads(text)
    doc["name"] = doc["name"].strip().title()
    doc["tags"] = sorted({tag.lower() for tag in doc.get("tags") or []})
    doc["count"] = len(doc["tags"])
    doc.pop("total", None)
    return json.dumps(doc, sort_keys=True)


def without_nothing(text: str) -> str:
    doc = json.loads(text)
    for key in list(doc):
        if doc[key] is None or doc[key] == "":
            del doc[key]
    return json.dumps(doc)


def renamed(text: str) -> str:
    doc = json.loads(text)
    if "name" in doc:
        doc["full_name"] = doc.pop("name")
    return json.dumps(doc)


def flattened(text: str) -> str:
    doc = json.loads(text)
    address = doc.pop("address", {})
    for key, value in address.items():
        doc[f"address_{key}"] = value
    return json.dumps(doc)


def with_defaults(text: str) -> str:
    doc = json.loads(text)
    for key, value in DEFAULTS.items():
        doc.setdefault(key, value)
    return json.dumps(doc)


def over_defaults(text: str) -> str:
    return json.dumps({**{"source": "web", "tries": 3}, **json.loads(text), "version": 2})


def totals(text: str) -> str:
    doc = json.loads(text)
    for item in doc["items"]:
        item["total"] = item["n"] * item.get("price", 0)
    doc["sum"] = sum(item["total"] for item in doc["items"])
    return json.dumps(doc)


def one_name_more(text: str) -> str:
    doc = json.loads(text)
    address = doc["address"]
    address["country"] = "UK"
    address["city"] = str(address.get("city")).upper()
    return json.dumps(doc)


def own_values(text: str) -> str:
    doc = json.loads(text)
    found = {"letters": len(text)}
    words = text.split()
    doc["meta"] = found
    doc["words"] = words
    found["more"] = 2
    words.append("end")
    doc["meta"]["last"] = None
    return json.dumps(doc) + json.dumps(found) + str(words)


def own_dict_by_another_name(text: str) -> str:
    doc = json.loads(text)
    found = {"letters": 1}
    doc["meta"] = found
    doc["meta"]["letters"] = "none"
    return f"{found['letters']}"


def appended(text: str) -> str:
    doc = json.loads(text)
    doc.setdefault("tags", []).append("new")
    doc["tags"].extend(["x", None])
    del doc["tags"][-1]
    return json.dumps(doc) + str(doc["tags"].pop())


def counted(text: str) -> str:
    doc = json.loads(text)
    doc["tries"] = doc.get("tries", 0) + 1
    doc["id"] += 1
    return json.dumps(doc)


def grown_while_read(text: str) -> str:
    doc = json.loads(text)
    for key in doc:
        doc[key + "_"] = 1
    return json.dumps(doc)


def taken(text: str) -> str:
    try:
        doc = json.loads(text)
        doc["address"]["zip"] = doc["id"]
        return json.dumps(doc)
    except (KeyError, TypeError) as error:
        return type(error).__name__


def helper(doc: dict[str, Any], key: str) -> None:
    if doc.get(key) is None:
        doc[key] = "?"


def by_a_helper(text: str) -> str:
    doc = json.loads(text)
    helper(doc, "name")
    helper(doc, "zip")
    return json.dumps(doc)


def nested(text: str) -> str:
    doc = json.loads(text)
    doc["log"] = {"by": "me", "steps": [{"name": "load", "ok": True}, {}], "left": []}
    doc["log"]["steps"] += [] if False else doc["log"]["left"] or []
    return json.dumps(doc)


def copied(text: str) -> str:
    doc = json.loads(text)
    other = doc.copy()
    third = dict(doc, more=1)
    other["copy"] = 1
    doc.update(own=2)
    doc.update({"a": 1, "b": [1]})
    doc.update(DEFAULTS)
    third.update(other)
    return json.dumps([doc, other, third])


def emptied(text: str) -> str:
    doc = json.loads(text)
    tags = doc["tags"]
    tags.clear()
    return json.dumps(doc)


def added_up(text: str) -> list[str]:
    seen = json.loads("{}")
    for word in text.split():
        seen[word] = seen.get(word, 0) + 1
    return [f"{word}={seen[word]}" for word in seen]


FUNCTIONS: list[Callable[..., Any]] = [
    marked, tidied, without_nothing, renamed, flattened, with_defaults, over_defaults, totals,
    one_name_more, own_values, own_dict_by_another_name, appended, counted,
    grown_while_read, taken, by_a_helper, copied, emptied, added_up,
]  # fmt: skip
RESULTS = {added_up: ArrayType(TEXT)}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_changed_document_is_pythons(java: Java, function: Callable[..., Any]) -> None:
    rows = [(text,) for text in DOCUMENTS]
    assert answered_alike(java, function, [TEXT], RESULTS.get(function, TEXT), rows) >= 1
    # What Java leaves to Python: halves of surrogate pairs, and what is no dict in place of one.
    found = java.rows(
        translate(function, [TEXT], RESULTS.get(function, TEXT)),
        [(text,) for text in documents(3, 200)],
        tell=True,
    )
    for text, one in zip(documents(3, 200), found, strict=True):
        assert one == GAVE_UP or repr(one) == repr(answer(function, (text,))), text


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("doc['at'] = date(2024, 1, 1)", "a date in a document"),
        ("doc['pair'] = (1, text)", "a tuple or an object in a document"),
        ("doc['cut'] = text.partition(',')", "in a document"),
        ("doc['defaults'] = DEFAULTS", "a constant dict in a document, where it may be changed"),
        ("words = text.split(); doc['w'] = words; doc['w'].append(1)", "beside a list that is put"),
        ("doc['n'] = {1: 2}", "a key of a document that is no text"),
        ("doc[0] = 1", "set by anything but a text"),
        ("doc[doc['a']] = 1", "set by anything but a text"),
        ("del doc[1:2]", "a slice that is taken out of a document"),
        ("doc['log']['x'] += [1]", "+= to what may be a list of a document"),
    ],
)
def test_what_has_no_java(change: str, why: str) -> None:
    names: dict[str, Any] = {"json": json, "DEFAULTS": DEFAULTS}
    exec("from datetime import date", names)
    exec(
        f"def made(text):\n    doc = json.loads(text)\n    {change}\n    return json.dumps(doc)",
        names,
    )
    with pytest.raises(NotCompiled) as raised:
        translate(names["made"], [TEXT], TEXT)
    assert why in str(raised.value)


def test_a_default_that_is_made_of_a_list_is_not_taken_for_an_empty_one() -> None:
    known = {"a": ["x"]}

    def chosen(key: str, text: str) -> str:
        return ",".join(known.get(key, [*text.split(), "z"]))

    with pytest.raises(NotCompiled):
        translate(chosen, [TEXT, TEXT], TEXT)
