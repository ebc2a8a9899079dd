"""Calls of functions and classes of Python's library, each by the module that knows it."""

from __future__ import annotations

import collections
import dataclasses
import datetime as dt
import decimal
import functools
from typing import Any

from notebook_udf.compile.java.calls import field_values
from notebook_udf.compile.java.collections import queues
from notebook_udf.compile.java.documents import json_texts, json_values
from notebook_udf.compile.java.numbers import decimals, libm, whole_numbers
from notebook_udf.compile.java.objects import named_parts
from notebook_udf.compile.java.patterns import regex_calls
from notebook_udf.compile.java.standard_library import (
    bisect_calls,
    hashes,
    heaps,
    html_texts,
    posix_paths,
    real_numbers,
    statistics_calls,
    text_matching,
    url_parts,
    uuids,
    web_texts,
)
from notebook_udf.compile.java.texts import normal_forms, text_encodings
from notebook_udf.compile.java.times import date_values, struct_times
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import Call, KnownValue, NotCompiled, Value


def called(
    code: Code, function: Any, given: tuple[Value, ...], names: tuple[str, ...], call: Call
) -> Value | None:
    """What a function gives, with the names of the last arguments; None if it is no such one.

    ``call`` writes the call of a function of the user's.
    """
    if field_values.is_function(function):
        return field_values.called(code, function, given, names)
    if heaps.is_function(function):
        return heaps.called(code, function, given, names)
    if regex_calls.is_function(function):
        return regex_calls.called(code, function, given, names, call)
    if bisect_calls.is_function(function):
        return bisect_calls.called(code, function, given, names)
    if hashes.is_algorithm(function):
        return hashes.hashed(code, function, given, names)
    if json_values.is_loads(function):
        return json_values.loaded(code, given, names)
    if json_texts.is_dumps(function):
        return json_texts.dumped(code, given, names)
    if libm.is_function(function):
        return libm.called(code, function, given, names)
    if whole_numbers.is_function(function):
        return whole_numbers.called(code, function, given, names)
    if real_numbers.is_function(function):
        return real_numbers.called(code, function, given, names)
    if statistics_calls.is_function(function):
        return statistics_calls.called(code, function, given, names)
    if text_matching.is_function(function):
        return text_matching.called(code, function, given, names)
    if uuids.is_function(function):
        return uuids.called(code, function, given, names)
    if text_encodings.is_checksum(function):
        return text_encodings.checksum(code, function, given, names)
    if posix_paths.is_function(function):
        return posix_paths.called(code, function, given, names)
    if normal_forms.is_function(function):
        return normal_forms.called(code, function, given, names)
    if html_texts.is_unescape(function):
        return html_texts.unescaped(code, given, names)
    if url_parts.is_function(function):
        return url_parts.called(code, function, given, names)
    if web_texts.is_function(function):
        return web_texts.called(code, function, given, names)
    if struct_times.is_function(function):
        return struct_times.called(code, function, given, names)
    if function is dt.time and not names:
        known = [each.value for each in given if isinstance(each, KnownValue)]
        if len(known) != len(given):
            raise NotCompiled("a time that varies")
        return KnownValue(_constant_time(known))
    if function is functools.partial:
        return KnownValue(_constant_partial(given, names))
    if function is collections.deque:
        return queues.made(code, given, names)
    if function is decimal.Decimal:
        return decimals.made(code, given, names)
    if isinstance(function, type) and function in date_values.CONSTRUCTORS:
        return date_values.CONSTRUCTORS[function](code, given, names)
    if function is dataclasses.replace:
        return named_parts.copied(code, given, names)
    if named_parts.is_record(function):
        return named_parts.made(function, given, names, code)
    return None


def _constant_partial(given: tuple[Value, ...], names: tuple[str, ...]) -> functools.partial[Any]:
    constants: list[Any] = [each.value for each in given if isinstance(each, KnownValue)]
    count = len(given) - len(names)
    if len(constants) != len(given) or not count or not callable(constants[0]):
        raise NotCompiled("a partial of what varies")
    function, *places = constants[:count]
    return functools.partial(function, *places, **dict(zip(names, constants[count:], strict=True)))


def _constant_time(given: list[Any]) -> dt.time:
    try:
        return dt.time(*given)
    except (TypeError, ValueError):
        raise NotCompiled("what raises in every row") from None
