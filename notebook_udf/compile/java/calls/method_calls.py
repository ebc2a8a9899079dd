"""Calls of methods, by what their owners are."""

from __future__ import annotations

import datetime as dt
import decimal
import re

from notebook_udf.compile.java.collections import (
    changeable_records,
    containers,
    lookups,
    queues,
    set_values,
)
from notebook_udf.compile.java.documents import document_changes, json_values
from notebook_udf.compile.java.iterating.iterators import (
    materialised,
    view,
    view_of_document,
    view_of_record,
)
from notebook_udf.compile.java.numbers import decimals
from notebook_udf.compile.java.patterns import parsed_times, regex_calls
from notebook_udf.compile.java.standard_library import (
    hashes,
    real_numbers,
    text_matching,
    web_texts,
)
from notebook_udf.compile.java.texts import membership, templates, text_methods
from notebook_udf.compile.java.times import date_values, time_sources
from notebook_udf.compile.java.times.date_values import is_temporal
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import (
    NONE,
    STR,
    BoundMethod,
    Call,
    KnownValue,
    NotCompiled,
    Parts,
    Sequence,
    Term,
    Value,
    constant_parts,
    does_as_its_kind,
    is_dict,
    is_list,
)

_VIEWS = ("items", "keys", "values")


def called(
    code: Code, method: BoundMethod, given: tuple[Value, ...], names: tuple[str, ...], call: Call
) -> Value:
    """The call of a method; ``call`` writes that of a function that it is given."""
    owner, name = method.owner, method.name
    constant = owner.value if isinstance(owner, KnownValue) else None
    if name == "__getitem__" and len(given) == 1 and not names and _has_items(owner):
        return text_methods.item(code, owner, given[0])
    if isinstance(constant, dict) and does_as_its_kind(constant, name):
        if name in _VIEWS and not given:
            return KnownValue(tuple(getattr(constant, name)()))
        if name == "get" and 1 <= len(given) <= 2 and not names:
            default = given[1] if len(given) == 2 else KnownValue(None)
            if isinstance(given[0], KnownValue) and type(given[0].value) in (str, int, bool):
                known = lookups.known_item(constant, given[0])
                return default if known is None else known
            return lookups.looked_up(code, constant, given[0], default)
        raise NotCompiled(f"the method {name} of a dict")
    if type(constant) in (list, tuple) and name == "index" and len(given) == 1 and not names:
        return lookups.place_of(code, constant, given[0])
    if set_values.involves_set(owner) or type(constant) in (set, frozenset):
        return set_values.method(code, owner, name, given, names)
    if constant is str:
        return text_methods.called_on_class(code, name, given, names)
    if isinstance(constant, re.Pattern):
        return regex_calls.method(code, constant, name, given, names, call)
    if isinstance(owner, Term) and regex_calls.is_match(owner) and names in ((), ("default",)):
        return regex_calls.of_match(code, owner, name, given)
    if constant is dt.datetime and name == "strptime" and not names:
        return parsed_times.strptime(code, given)
    if constant is dt.datetime and name == "combine" and not names:
        return date_values.combined(code, given)
    if isinstance(constant, dt.datetime) and name == "time" and not given:
        return KnownValue(constant.time())
    if time_sources.is_source(constant, name):
        return time_sources.called(code, constant, name, given, names)
    if isinstance(constant, decimal.Decimal):
        owner = code.term(owner)
    if isinstance(owner, Term) and _is_record_dict(code, owner):
        return _method_of_record(code, owner, name, given, names)
    if isinstance(owner, Term) and decimals.is_decimal(owner):
        return decimals.method(code, owner, name, given, names)
    if isinstance(owner, Term) and is_temporal(owner):
        return date_values.method(code, owner, name, given, names)
    if isinstance(owner, Term) and web_texts.is_of_bytes(owner):
        return web_texts.method(code, owner, name, given, names)
    if isinstance(owner, Term) and hashes.is_hash(owner):
        return hashes.method(code, owner, name, given, names)
    if isinstance(owner, Term) and text_matching.is_matcher(owner):
        return text_matching.method(code, owner, name, given, names)
    if isinstance(owner, Term) and json_values.methods_of(owner) is not None:
        return _method_of_document(code, owner, name, given, names)
    if isinstance(owner, Term) and is_dict(owner.kinds - NONE):
        return _method_of_dict(code, owner, name, given, names)
    if queues.has_methods(owner) and not names:
        return queues.method(code, code.present(owner), name, given)
    listed = isinstance(owner, Term) and is_list(owner.kinds - NONE)
    if listed and name in ("index", "count") and len(given) == 1 and not names:
        whole = code.present(owner, AttributeError)
        return lookups.place_or_count(code, whole, name, given)
    if listed and not names:
        whole = code.present(owner, AttributeError)
        return containers.method_of_list(code, whole, name, given)
    if name == "join" and len(given) == 1 and isinstance(given[0], Sequence):
        given = (materialised(code, given[0]),)
    if name == "format" and type(constant) is str:
        write, represent = text_methods.format_chosen, text_methods.represented
        return templates.braces(code, constant, given, names, write, represent)
    number = real_numbers.of_number(code, owner)
    if number is not None:
        return real_numbers.method(code, number, name, given, names)
    owner = web_texts.as_text(code, owner, name, given)
    return text_methods.method(code, owner, name, given, names)


def _method_of_document(
    code: Code, owner: Term, name: str, given: tuple[Value, ...], names: tuple[str, ...]
) -> Value:
    having = json_values.methods_of(owner)
    if having is dict:
        if name in _VIEWS and not given:
            return Sequence(lambda: view_of_document(code, owner, name))
        changed = document_changes.method_of_dict(code, owner, name, given, names)
        return changed or json_values.method(code, owner, name, given, names)
    if names:
        raise NotCompiled(f"the method {name} of a list of a document, with {names[0]}=")
    method = (
        document_changes.method_of_list if having is list else document_changes.method_of_either
    )
    return method(code, owner, name, given)


def _has_items(owner: Value) -> bool:
    """Whether it is a list, a dict or a text: each gives an item as brackets behind it do."""
    if isinstance(owner, KnownValue):
        return type(owner.value) in (dict, list, tuple, str)
    kinds = owner.kinds - NONE if isinstance(owner, Term) else frozenset()
    return kinds == STR or is_list(kinds) or is_dict(kinds)


def _is_record_dict(code: Code, owner: Term) -> bool:
    """Whether it is a dict whose keys are known, and whose values may be set."""
    found = code.lists.changeable(owner.kinds)
    return found is not None and found.form == "dict"


def _method_of_record(
    code: Code, owner: Term, name: str, given: tuple[Value, ...], names: tuple[str, ...]
) -> Value:
    if name in _VIEWS and not given:
        return Sequence(lambda: view_of_record(code, owner, name))
    if name == "get" and 1 <= len(given) <= 2 and not names and isinstance(given[0], KnownValue):
        found = code.lists.of_records(owner.kinds)
        if given[0].value in found.names:
            return code.part_now(owner, found.names.index(given[0].value))
    if name == "update" and len(given) <= len(names) + 1:
        changeable_records.update(code, owner, _updates(given, names))
        return KnownValue(None)
    raise NotCompiled(f"the method {name} of a dict of known keys, with these arguments")


def _updates(given: tuple[Value, ...], names: tuple[str, ...]) -> tuple[Value, ...]:
    """The dicts that ``update`` is given; what it is given by names is the last."""
    count = len(given) - len(names)
    return (*given[:count], Parts(given[count:], names, "dict"))


def _method_of_dict(
    code: Code, owner: Term, name: str, given: tuple[Value, ...], names: tuple[str, ...]
) -> Value:
    whole = code.present(owner, AttributeError)
    if name == "get" and 1 <= len(given) <= 2 and not names:
        default = constant_parts(given[1]) if len(given) == 2 else KnownValue(None)
        if isinstance(default, Parts):
            default = code.whole(default, min(whole.kinds))
        return lookups.item_of_dict(code, whole, given[0], default)
    if name in _VIEWS and not given:
        return Sequence(
            lambda: view(code, whole, name),
            has=lambda value: membership.is_in_view(code, value, whole, name),
            are_keys=name == "keys",
            are_items=name == "items",
        )
    if name == "update" and len(given) <= len(names) + 1:
        for each in _updates(given, names):
            containers.put_all(code, whole, each)
        return KnownValue(None)
    if names:
        raise NotCompiled(f"the method {name} of a dict")
    return containers.method_of_dict(code, whole, name, given)
