"""Generated functions of JSON documents in the JVM: each row's answer is Python's."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from java_calls import Java, wrong_rows
from pyspark.sql.types import ArrayType, BooleanType, DoubleType, LongType, StringType
from test_java_documents import documents, gives_up

import notebook_udf as nu
from notebook_udf.compile.java.writing.terms import NotCompiled

LEAVES = [
    *("d['a']", "d['a']", "d['b']", "d.get('a')", "d.get('b', 1)", "d.get('b', 'x')", "d[0]", "d"),
    *("d.get('c', {})", "d.get('b', [])", "d['a']['b']", "(1)", "(2.5)", "'ab'", "True", "None"),
]
# Constants are below, expressions within braces.
CONSTANTS = ["1", "2.5", "'ab'", "True", "None", "-1", "0", "'a'", "''"]
SHAPES = [
    *("({0} + {1})", "({0} - {1})", "({0} * {1})", "({0} / {1})", "({0} // {1})", "(-{0})"),
    *("abs({0})", "(not {0})", "({0} == @)", "({0} != @)", "({0} < @)", "({0} >= @)", "len({0})"),
    *("str({0})", "int({0})", "float({0})", "bool({0})", "{0}[0]", "{0}[{1}]", "{0}['a']"),
    *("{0}[:2]", "{0}[::-1]", "({0} or {1})", "({0} and {1})", "({0} if {1} else {2})"),
    *("isinstance({0}, str)", "isinstance({0}, (int, list))", "{0}.upper()", "{0}.split()"),
    *("{0}.get('a')", "{0}.replace('a', 'b')", "(@ in {0})", "({0} in (1, None))"),
    *("({0} in {{1, 'a'}})", "[x for x in {0} if x]", "[str(x) for x in {0}]", "','.join({0})"),
    *("min({0}, @)", "max({0}, {1})", "({0} is None)", "[k for k, v in {0}.items() if v]"),
]
BODIES = [
    "return {0}",
    "x = {0}\n    if x is None:\n        x = {1}\n    return x",
    "found = {1}\n    for x in {0}:\n        found += x\n    return found",
    "found = []\n    for x in {0}:\n        if {1}:\n            found.append(x)\n    return found",
    "try:\n        return {0}\n    except TypeError:\n        return 'type'\n"
    "    except (KeyError, IndexError):\n        return 'key'\n"
    "    except AttributeError:\n        return 'attribute'\n"
    "    except ValueError:\n        return 'value'",
]
# What is changed before a body: expressions within braces.
CHANGES = [
    *("d['a'] = {0}", "d['c'] = {0}", "{1}['b'] = {0}", "d['a'] = [{0}, {1}]"),
    *("d['n'] = {{'a': {0}, 'b': 1}}", "d['n'] = {{'a': {{}}, 'b': []}}", "d['a'] += @"),
    *("del d['a']", "del {1}['b']", "del d[0]", "d.pop('a')", "d.pop('a', None)", "d.pop({0}, @)"),
    *("d['a'] = d.pop('b')", "d.update(a={0}, c=@)", "d.setdefault('c', {0})", "d.clear()"),
    *("d = d.copy()", "d.setdefault('c', []).append({0})", "d['a'].append({0})"),
    *("d.update({0})", "d = {{**d, 'c': {0}}}", "d = dict(d, c={0})", "d = dict({1})"),
    *("{1}.extend({0})", "del d[0]", "d['a'].pop(0)"),
    "for k in d:\n        d[k] = {0}",
    "for k, v in d.items():\n        if v == @:\n            d[k] = str(v)",
    "for k in list(d):\n        if not d[k]:\n            del d[k]",
    "for k, v in d.items():\n        d['k' + k] = v",
    "for k in d:\n        if d[k] == @:\n            d.pop(k)\n            break",
    "for one in d.values():\n        one['seen'] = True",
    "t = [str(x) for x in {0}]\n    d['t'] = t\n    t.append('z')",
    "m = {{'x': @}}\n    d['m'] = m\n    m['y'] = {0}\n    d['m']['x'] = {1}",
]
RESULTS = [
    *(StringType(), LongType(), DoubleType(), BooleanType()),
    *(ArrayType(StringType()), ArrayType(LongType())),
]


def expression(chance: random.Random, depth: int) -> str:
    if depth == 0 or chance.random() < 0.15:
        return chance.choice(LEAVES)
    shape = chance.choice(SHAPES).replace("@", chance.choice(CONSTANTS))
    return shape.format(*[expression(chance, depth - 1) for _ in range(3)])


def function(chance: random.Random) -> Any:
    chosen = [chance.choice(CHANGES) for _ in range(chance.choice((0, 0, 1, 2, 3)))]
    lines = [each.replace("@", chance.choice(CONSTANTS)) for each in chosen]
    body = chance.choice(["return json.dumps(d)", *BODIES] if lines else BODIES)
    written = "\n    ".join(
        each.format(expression(chance, 3), expression(chance, 2)) for each in [*lines, body]
    )
    names: dict[str, Any] = {"json": json}
    text = f"def made(text):\n    d = json.loads(text)\n    {written}\n"
    exec(compile(text, "<generated>", "exec"), names)
    names["made"].__doc__ = text
    return names["made"]


@pytest.mark.timeout(240)
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_every_document_is_answered_as_in_python(session: nu.Session) -> None:
    java = Java(session.spark._jvm)
    chance = random.Random(1)
    texts = [text for text in documents(5, 130) if text is not None and len(text) < 2000]
    asked = chance.sample(texts, 150)
    had = 0
    for _ in range(2500):
        made, result = function(chance), chance.choice(RESULTS)
        if "dumps" in made.__doc__:
            result = RESULTS[0]
        try:
            wrong = wrong_rows(java, made, result, asked, gives_up)
        except NotCompiled:
            continue
        assert wrong == [], made.__doc__
        had += 1
    assert had > 250
