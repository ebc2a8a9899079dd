"""Texts, lists of texts, and what is looked up in constants, as Java."""

from __future__ import annotations

from typing import Any

from notebook_udf.compile.bindings import taken
from notebook_udf.compile.java.collections import counters
from notebook_udf.compile.java.collections.lookups import (
    array,
    as_constant,
    item_of_dict,
    limit,
    looked_up,
    place,
)
from notebook_udf.compile.java.documents import json_values
from notebook_udf.compile.java.iterating.iterators import as_one, materialised
from notebook_udf.compile.java.iterating.unpacking import first_parts
from notebook_udf.compile.java.numbers import decimals
from notebook_udf.compile.java.objects import named_parts
from notebook_udf.compile.java.patterns.regex_calls import is_match, item_of_match
from notebook_udf.compile.java.texts.text_encodings import beside_bytes, encoded
from notebook_udf.compile.java.times.date_values import formatted as times_text
from notebook_udf.compile.java.times.date_values import is_temporal
from notebook_udf.compile.java.writing import choices
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.number_terms import number
from notebook_udf.compile.java.writing.terms import (
    BOOL,
    BYTES,
    EXCEPTION,
    INT,
    NONE,
    PARTS,
    SCALARS,
    STR,
    TEXTS,
    UUID,
    Iteration,
    Kinds,
    KnownValue,
    NotCompiled,
    Parts,
    Sequence,
    Slice,
    Term,
    Value,
    constant_parts,
    is_dict,
    is_list,
    is_plain_tuple,
    is_queue,
    is_set,
)
from notebook_udf.compile.java.writing.text_steps import SplitPart
from notebook_udf.functions.kind_traits import articled

_CASES = ("upper", "lower", "title", "capitalize", "swapcase", "casefold")
_TESTS = (
    *("isdigit", "isalpha", "isalnum", "isspace", "isupper"),
    *("islower", "isnumeric", "isdecimal", "istitle", "isascii"),
)
_STRIPS = ("strip", "lstrip", "rstrip")
_SPLITS = ("split", "rsplit")
_SEARCHES = ("find", "rfind", "index", "rindex", "count")
_PADS = ("ljust", "rjust", "center")
_PLACES = ("str", "place=null", "place=null")
# Methods of a text: the class of Java's that has them, their parameters, and what they give. A
# parameter is a str, a set of characters or None (chars), a str or None (separator), a place in
# the text (place), or a number (count); behind "=" stands the Java of what is not given.
_METHODS: dict[str, tuple[str, tuple[str, ...], Kinds]] = {
    **dict.fromkeys(_CASES, ("PyCase", (), STR)),
    **dict.fromkeys(_TESTS, ("PyCase", (), BOOL)),
    **dict.fromkeys(_STRIPS, ("PyText", ("chars=null",), STR)),
    **dict.fromkeys(_SPLITS, ("PyText", ("separator=null", "count=-1L"), TEXTS)),
    "splitlines": ("PyLines", ("flag=false",), TEXTS),
    "expandtabs": ("PyLines", ("count=8L",), STR),
    "replace": ("PyText", ("str", "str", "count=-1L"), STR),
    **dict.fromkeys(_SEARCHES, ("PyText", _PLACES, INT)),
    "zfill": ("PyFormat", ("count",), STR),
    **dict.fromkeys(_PADS, ("PyFormat", ("count", 'str=" "'), STR)),
    "removeprefix": ("PyText", ("str",), STR),
    "removesuffix": ("PyText", ("str",), STR),
    "join": ("PyText", ("texts",), STR),
}
# The names that their parameters have, where they have some.
_NAMES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_SPLITS, ("sep", "maxsplit")),
    "splitlines": ("keepends",),
    "expandtabs": ("tabsize",),
}
# Methods that ``PySteps`` has.
_STEPS = (*_CASES, *_STRIPS, "replace", "removeprefix", "removesuffix")
_PARTITIONS = ("partition", "rpartition")
_MOST_PREFIXES = 16


def method(
    code: Code, owner: Value, name: str, given: tuple[Value, ...], names: tuple[str, ...]
) -> Value:
    """A method of a text."""
    text = text_of(code, owner, f".{name}()", AttributeError)
    if name == "encode":
        return encoded(code, text, given, names)
    if name == "translate" and len(given) == 1 and not names:
        return _translated(code, text, given[0])
    if name in _PARTITIONS and len(given) == 1:
        separator = text_of(code, given[0], "a separator")
        parts = code.set(TEXTS, f"PyText.{name}({text}, {separator})")
        return first_parts(code, parts, 3)
    if name in ("startswith", "endswith") and 1 <= len(given) <= 3 and not names:
        return _at_an_end(code, text, name, given)
    known = _METHODS.get(name)
    if known is None:
        raise NotCompiled(f"the method {name} of a text")
    java_class, parameters, kinds = known
    by_name = _NAMES.get(name, ())
    places = by_name or tuple(map(str, range(len(parameters))))
    placed = taken(given, names, places, by_name)
    if placed is None:
        raise NotCompiled(f"a call of {name} that does not fit it")
    written = []
    for called, parameter in zip(places, parameters, strict=True):
        how, optional, absent = parameter.partition("=")
        if called in placed:
            written.append(_argument(code, how, placed[called]))
        elif optional:
            written.append(absent)
        else:
            raise NotCompiled(f"{name} without what it needs")
    java = f"{java_class}.{name}({', '.join([text, *written])})"
    if name in _STEPS:
        return code.step(text, java, f"{name}({', '.join(written)})")
    made = code.set(kinds, code.integers.of_long(java) if kinds == INT else java)
    if name == "split":
        code.steps.splits[made.java] = ", ".join([text, *written])
    return made


def _at_an_end(code: Code, text: str, name: str, given: tuple[Value, ...]) -> Value:
    """``text.startswith(prefix, start, end)`` or ``endswith``, of one or of several."""
    places = [limit(code, each) for each in given[1:]]
    java_class = "PyLines" if places else "PyText"
    rest = "".join(
        f", {each}" for each in [*places, *["null"] * (2 - len(places))][: 2 * bool(places)]
    )
    several = constant_parts(given[0])
    if is_plain_tuple(several):
        if len(several.parts) > _MOST_PREFIXES:
            raise NotCompiled(f"{name} of so many")
        if any("none" in code.term(each).kinds for each in several.parts):
            # It raises where Python comes to it.
            raise NotCompiled(f"{name} of what may be None")
        sought = [text_of(code, each, "a prefix") for each in several.parts]
    else:
        sought = [text_of(code, given[0], "a prefix")]
    tests = [f"{java_class}.{name}({text}, {one}{rest})" for one in sought]
    return code.set(BOOL, " || ".join(tests) or "false")


def called_on_class(
    code: Code, name: str, given: tuple[Value, ...], names: tuple[str, ...]
) -> Value:
    """``str.lower(text)`` and its like."""
    if name == "maketrans" and not names:
        known = [each.value for each in given if isinstance(each, KnownValue)]
        if len(known) == len(given) == 1 and type(known[0]) is dict:
            return KnownValue(_letters(known[0]))
        if len(known) != len(given) or not all(type(each) is str for each in known):
            raise NotCompiled("str.maketrans of what varies")
        return KnownValue(str.maketrans(*known))
    text = code.present(given[0]) if given and isinstance(given[0], Term) else None
    if text is None or text.kinds != STR:
        raise NotCompiled(f"str.{name} of what is no text")
    return method(code, text, name, given[1:], names)


def _letters(table: dict[Any, Any]) -> dict[Any, Any]:
    try:
        return str.maketrans(table)
    except (TypeError, ValueError):
        raise NotCompiled("str.maketrans of what is no table of letters") from None


def _translated(code: Code, text: str, table: Value) -> Value:
    """``text.translate(table)`` of one that ``str.maketrans`` made of constants."""
    known = table.value if isinstance(table, KnownValue) else None
    if type(known) is not dict or not all(type(letter) is int for letter in known):
        raise NotCompiled("translate by what varies")
    to = [chr(each) if type(each) is int else each for each in known.values()]
    if not all(each is None or type(each) is str for each in to):
        raise NotCompiled("translate to this")
    pairs = f"{array(code, map(chr, known))}, {array(code, to)}"
    held = code.constant("java.util.HashMap", f"PyList.map({pairs})")
    return code.set(STR, f"PyLetters.translated({text}, {held})")


def _argument(code: Code, how: str, value: Value) -> str:
    if how in ("chars", "separator"):
        # None is white space.
        term = code.term(value)
        if not term.kinds <= STR | NONE:
            raise NotCompiled("characters of what is no text")
        return f"((String) {term.java})"
    if how == "str":
        return text_of(code, value, "an argument")
    if how == "texts":
        return texts(code, value)
    if how == "place":
        return limit(code, value)
    if how == "flag":
        if code.term(value).kinds != BOOL:
            raise NotCompiled("a flag that is no bool")
        return code.term(value).java
    term = number(code, value)
    if term.kinds != INT:
        raise NotCompiled("a count that is no whole number")
    return code.integers.as_count(term)


def text_of(code: Code, value: Value, what: str, otherwise: type[Exception] = TypeError) -> str:
    """A text as Java; ``what`` is asked of it, in a message."""
    term = code.present(json_values.as_text(code, value, otherwise), otherwise)
    if term.kinds != STR:
        raise NotCompiled(f"{what} of what is no text")
    return term.java


def length(code: Code, value: Value) -> Value:
    """``len(value)``."""
    if isinstance(value, KnownValue):
        return KnownValue(len(value.value))
    value = code.opened(value)
    if isinstance(value, Parts):
        if value.form != "dict":
            named_parts.check_places(value)
        return KnownValue(len(value.parts))
    term = code.present(value)
    if term.kinds == BYTES:
        return code.set(INT, code.integers.of_long(f"(long) {term.java}.length"))
    if json_values.is_part(term):
        return json_values.length(code, term)
    sized = any(each(term.kinds) for each in (is_list, is_queue, is_dict, is_set))
    java = f"(long) {term.java}.size()" if sized else f"PyText.len({text_of(code, term, 'len')})"
    made = code.set(INT, code.integers.of_long(java))
    split = code.steps.splits.get(term.java)
    if split is not None:
        count = code.integers.of_long(f"PyText.parts({split})")
        code.steps.parts[made.java] = SplitPart(term.java, count)
    return made


def texts(code: Code, value: Value) -> str:
    """A list of texts."""
    if isinstance(value, KnownValue) and isinstance(value.value, (tuple, list)):
        value = Parts(tuple(map(KnownValue, value.value)))
    if isinstance(value, Parts):
        made = code.set(TEXTS, "new java.util.ArrayList()")
        for part in named_parts.gone_through(value):
            part = beside_bytes(code, part) if isinstance(part, Term) else part
            code.say(f"{made.java}.add({text_of(code, part, 'a part')});")
        return made.java
    if isinstance(value, (Sequence, Iteration)):
        value = materialised(code, value)
    term = code.present(value)
    if is_dict(term.kinds) or is_queue(term.kinds):
        term = materialised(code, term)
    if json_values.is_part(term):
        return f"PyJson.texts({json_values.elements(code, term)[0]})"
    held = code.lists.of(term.kinds)
    if is_list(term.kinds) and held & PARTS:
        return f"PyJson.texts({term.java})"
    if not is_list(term.kinds) or held - NONE != STR:
        raise NotCompiled("anything but a list of texts")
    return term.java


def item(code: Code, container: Value, index: Value) -> Value:
    """``container[index]``, a slice included."""
    if isinstance(index, Slice):
        return _slice(code, container, index)
    if isinstance(container, counters.Ranking):
        return counters.item(code, container, index)
    container = named_parts.of_places(code, code.opened(container), index)
    if isinstance(container, Parts) and not isinstance(index, KnownValue):
        container = as_constant(code, container)
    if isinstance(container, Parts):
        known = index.value if isinstance(index, KnownValue) else None
        return named_parts.item(container, known)
    if isinstance(container, KnownValue) and not isinstance(container.value, str):
        return looked_up(code, container.value, index)
    whole = code.present(container)
    if is_match(whole):
        return item_of_match(code, whole, index)
    if is_list(whole.kinds) or is_queue(whole.kinds):
        made = code.taken(whole, f"PyList.item({whole.java}, {place(code, index)})")
        split = code.steps.splits.get(whole.java)
        if split is not None and isinstance(index, KnownValue):
            part = SplitPart(whole.java, f"PyText.part({split}, {place(code, index)})")
            code.steps.parts[made.java] = part
        return made
    if is_dict(whole.kinds):
        return item_of_dict(code, whole, index, counters.missing(whole.kinds))
    if json_values.is_part(whole):
        return json_values.item(code, whole, index)
    if whole.kinds == BYTES:
        byte = f"PyBytes.item({whole.java}, {place(code, index)})"
        return code.set(INT, code.integers.of_long(byte))
    text = text_of(code, whole, "an item")
    return code.set(STR, f"PyText.item({text}, {place(code, index)})")


def _slice(code: Code, container: Value, cut: Slice) -> Value:
    limits = [limit(code, each) for each in cut.limits]
    written = ", ".join([*limits, *["null"] * (3 - len(limits))])
    container = code.opened(container)
    if isinstance(container, Parts):
        named_parts.check_places(container)
        if container.form == "row":
            raise NotCompiled("a slice of a row")
        known: list[Any] = [each.value for each in cut.limits if isinstance(each, KnownValue)]
        if len(known) != len(cut.limits):
            raise NotCompiled("parts that are not known beforehand")
        return Parts(container.parts[slice(*known)], form=container.form)
    whole = code.present(container)
    if is_list(whole.kinds):
        return code.set(whole.kinds, f"PyList.slice({whole.java}, {written})")
    if json_values.is_part(whole):
        return json_values.cut(code, whole, written)
    if whole.kinds == BYTES and len(limits) == 2:
        return code.set(BYTES, f"PyBytes.slice({whole.java}, {', '.join(limits)})")
    if whole.kinds == STR | BYTES and len(limits) == 2:
        return code.set_from(whole.kinds, f"PyBytes.part({whole.java}, {written})")
    text = text_of(code, whole, "a slice")
    return code.step(text, f"PyText.slice({text}, {written})", f"slice({written})")


def format_chosen(code: Code, value: Value, how: Value) -> Value:
    """``format(value, how)`` of a format that is known, is one of some, or varies."""

    def written(known: Any) -> Value:
        if type(known) is not str:
            raise NotCompiled("a format that is no text")
        return formatted(code, value, known)

    if not isinstance(how, Term) or how.among:
        return choices.chosen(code, how, written, "a format")
    term, spec = code.term(value), code.present(how)
    if not term.kinds <= SCALARS or spec.kinds != STR:
        raise NotCompiled("a format that varies, of what is no number and no text")
    return code.set(STR, f"PyFormat.formatted({code.object(term)}, {spec.java})")


def represented(code: Code, value: Value) -> Value:
    """``repr(value)``."""
    term = code.term(as_one(code, value))
    held = term.kinds
    if is_list(held - NONE):
        # A tuple is written in other brackets.
        code.lists.check_changeable(held - NONE)
        held = code.lists.of(held - NONE)
    if not (held <= SCALARS or json_values.is_part(term)):
        raise NotCompiled("a value of this type in a text")
    return code.set(STR, f"PyJson.represented({code.object(term)})")


def formatted(code: Code, value: Value, how: str) -> Value:
    """``format(value, how)``."""
    term = code.term(as_one(code, value))
    if term.kinds == EXCEPTION and not how:
        return code.set(STR, f"{term.java}.text()")
    if is_list(term.kinds - NONE) and not how:
        return represented(code, term)
    if is_temporal(term):
        return times_text(code, term, how)
    if term.kinds == UUID and not how:
        return code.set(STR, term.java)
    if decimals.is_decimal(term):
        return decimals.text(code, term, how)
    if json_values.is_part(term) and not how:
        return json_values.said(code, term)
    term = json_values.without_containers(code, term, "written")
    if not term.kinds <= SCALARS | (frozenset() if how else BYTES):
        found = min(term.kinds - SCALARS).partition("@")[0]
        raise NotCompiled(f"{articled(found)} in a text")
    if term.kinds == STR and not how:
        return term
    if not how:
        return code.set(STR, f"PyFormat.text({code.object(term)})")
    if how.endswith("n") or not how.isprintable() or ",f" in how or "_f" in how:
        # Of the locale, or not the same in every Python.
        raise NotCompiled(f"the format {how}")
    written = code.term(KnownValue(how)).java
    return code.set(STR, f"PyFormat.format({code.object(term)}, {written})")
